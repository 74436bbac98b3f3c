// SPDX-License-Identifier: Apache-2.0
// Boxed<T> is a std::optional<T> on the heap: for a member that is large and mostly missing, and
// for a struct that contains itself. Without a value it takes 8 bytes. Copies are deep. T may be
// incomplete where the member is declared.
//
//   struct Folder { std::string name; capstan::Boxed<Folder> parent; };
//
// Of the members that copy or destroy a T, the bodies are outside of the class, so that
// `extern template class Boxed<T>;` keeps them out of a program's own code.
#pragma once

#include <optional>
#include <utility>

#include "capstan/export.h"

namespace capstan {

template <class T>
class CAPSTAN_EXPORT Boxed {
 public:
  using value_type = T;

  constexpr Boxed() = default;
  constexpr Boxed(std::nullopt_t) {}  // NOLINT(google-explicit-constructor): as std::optional
  Boxed(const T& value);              // NOLINT(google-explicit-constructor): as std::optional
  Boxed(T&& value);                   // NOLINT(google-explicit-constructor): as std::optional
  Boxed(const Boxed& other);
  constexpr Boxed(Boxed&& other) noexcept : value_(other.value_) { other.value_ = nullptr; }
  Boxed& operator=(const Boxed& other);
  Boxed& operator=(Boxed&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Boxed() {
    if (value_ != nullptr) reset();
  }

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return value_ != nullptr; }
  // REQUIRES: it has a value.
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_; }
  const T* operator->() const { return value_; }
  // Sets an empty value and returns it.
  T& emplace();
  void reset();

 private:
  T* value_ = nullptr;
};

template <class T>
Boxed<T>::Boxed(const T& value) : value_(new T(value)) {}
template <class T>
Boxed<T>::Boxed(T&& value) : value_(new T(std::move(value))) {}
template <class T>
Boxed<T>::Boxed(const Boxed& other)
    : value_(other.value_ == nullptr ? nullptr : new T(*other.value_)) {}
template <class T>
Boxed<T>& Boxed<T>::operator=(const Boxed& other) {
  Boxed copy(other);
  std::swap(value_, copy.value_);
  return *this;
}
template <class T>
T& Boxed<T>::emplace() {
  reset();
  return *(value_ = new T());
}
template <class T>
void Boxed<T>::reset() {
  delete std::exchange(value_, nullptr);
}

template <class T>
bool operator==(const Boxed<T>& a, const Boxed<T>& b) {
  return a && b ? *a == *b : a.has_value() == b.has_value();
}

}  // namespace capstan
