// SPDX-License-Identifier: Apache-2.0
// List<T> is a std::vector<T> in generated types. Of the members that copy or destroy all elements,
// the bodies are outside of the class, so that `extern template class List<T>;` keeps them out of a
// program's own code: a Deployment has forty lists of structs.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "capstan/export.h"

namespace capstan {

template <class T>
class CAPSTAN_EXPORT List : public std::vector<T> {
 public:
  List();
  List(std::initializer_list<T> elements);  // NOLINT(google-explicit-constructor): as std::vector
  List(std::vector<T> elements);            // NOLINT(google-explicit-constructor): it is one
  List(const List& other);
  List(List&& other) noexcept;
  List& operator=(const List& other);
  List& operator=(List&& other) noexcept;
  ~List();
};

template <class T>
List<T>::List() = default;
template <class T>
List<T>::List(std::initializer_list<T> elements) : std::vector<T>(elements) {}
template <class T>
List<T>::List(std::vector<T> elements) : std::vector<T>(std::move(elements)) {}
template <class T>
List<T>::List(const List& other) = default;
template <class T>
List<T>::List(List&& other) noexcept = default;
template <class T>
List<T>& List<T>::operator=(const List& other) = default;
template <class T>
List<T>& List<T>::operator=(List&& other) noexcept = default;
template <class T>
List<T>::~List() = default;

}  // namespace capstan
