// SPDX-License-Identifier: Apache-2.0
// Codec<T> reads, writes and describes a value of type T in JSON. There is one for bool, integers,
// double, std::string, Time, MicroTime, Duration, Quantity, IntOrString, RawJson and ObjectMeta.
// std::optional, std::vector, std::map and structs with fields are made of these (field.h).
//
// Specialize it for a type of your own, such as an enum that is text in JSON. All functions are
// pure and thread-safe.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/bytes.h"
#include "capstan/export.h"
#include "capstan/int_or_string.h"
#include "capstan/object_meta.h"
#include "capstan/quantity.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/time.h"

namespace capstan {

// DecodeProblem is the first problem in a JSON value, and its path. It never holds the value, which
// may be a secret.
class CAPSTAN_EXPORT DecodeProblem {
 public:
  // Sets the problem, such as "not an integer". Returns false, as a failed Decode does.
  bool Set(std::string_view what);
  // Prepends a member or an index to the path. Returns false.
  bool At(std::string_view member);
  bool At(std::size_t index);
  // Call Enter before the fields of a struct are decoded, and Leave after it. Enter returns false
  // and sets the problem for too many structs inside of each other. A kind may contain itself, and
  // decoding it is recursive.
  bool Enter();
  void Leave() { --depth_; }

  explicit operator bool() const { return !what_.empty(); }
  // Returns "spec.replicas: not an integer", for example.
  std::string message() const { return path_.empty() ? what_ : path_ + ": " + what_; }

 private:
  static constexpr int kDepthMax = 128;

  std::string path_;
  std::string what_;
  int depth_ = 0;  // the structs that are being decoded
};

// ValueType is what a field's attributes may be about: a number has a minimum, a text a pattern.
enum class ValueType { kBool, kInteger, kNumber, kString, kOther };

// A specialization has these members:
//   static constexpr ValueType kType = ...;
//   // Returns false and sets the problem if `json` has the wrong type. `json` is not null.
//   static bool Decode(const runtime::JsonValue& json, T& to, DecodeProblem& problem);
//   static void Encode(runtime::JsonWriter& writer, const T& from);
//   static bool IsEmpty(const T& value);  // an empty value is omitted, unless it is required
//   static std::size_t HeapBytes(const T& value);
//   // Members of the schema: "type", "format", ...
//   static void WriteSchema(runtime::JsonWriter& writer);
template <class T>
struct Codec;

template <class T>
concept HasCodec = requires(const runtime::JsonValue& json, T& to, DecodeProblem& problem) {
  { Codec<T>::Decode(json, to, problem) } -> std::same_as<bool>;
};

namespace detail {

CAPSTAN_EXPORT bool DecodeInteger(const runtime::JsonValue& json, std::int64_t min,
                                  std::uint64_t max, std::uint64_t& to, DecodeProblem& problem);
CAPSTAN_EXPORT void WriteIntegerSchema(runtime::JsonWriter& writer, bool wide);

// The codec of values that have no heap memory and are never empty.
struct CAPSTAN_EXPORT PlainCodec {
  template <class T>
  static bool IsEmpty(const T&) {
    return false;
  }
  template <class T>
  static std::size_t HeapBytes(const T&) {
    return 0;
  }
};

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                  !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                  !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

}  // namespace detail

// Declares the codec of a type that codec.cc defines.
// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define CAPSTAN_DECLARE_CODEC(T, TYPE)                                         \
  static constexpr ValueType kType = TYPE;                                     \
  static bool Decode(const runtime::JsonValue& json, T& to, DecodeProblem& p); \
  static void Encode(runtime::JsonWriter& writer, const T& from);              \
  static void WriteSchema(runtime::JsonWriter& writer)
// NOLINTEND(bugprone-macro-parentheses)

template <>
struct CAPSTAN_EXPORT Codec<bool> : detail::PlainCodec {
  CAPSTAN_DECLARE_CODEC(bool, ValueType::kBool);
};
template <>
struct CAPSTAN_EXPORT Codec<double> : detail::PlainCodec {
  CAPSTAN_DECLARE_CODEC(double, ValueType::kNumber);
};
template <>
struct CAPSTAN_EXPORT Codec<Time> : detail::PlainCodec {
  CAPSTAN_DECLARE_CODEC(Time, ValueType::kOther);
};
template <>
struct CAPSTAN_EXPORT Codec<MicroTime> : detail::PlainCodec {
  CAPSTAN_DECLARE_CODEC(MicroTime, ValueType::kOther);
};
template <>
struct CAPSTAN_EXPORT Codec<Duration> : detail::PlainCodec {
  CAPSTAN_DECLARE_CODEC(Duration, ValueType::kOther);
};
template <>
struct CAPSTAN_EXPORT Codec<Quantity> : detail::PlainCodec {
  CAPSTAN_DECLARE_CODEC(Quantity, ValueType::kOther);
};
template <>
struct CAPSTAN_EXPORT Codec<std::string> {
  CAPSTAN_DECLARE_CODEC(std::string, ValueType::kString);
  static bool IsEmpty(const std::string& value) { return value.empty(); }
  static std::size_t HeapBytes(const std::string& value);
};
template <>
struct CAPSTAN_EXPORT Codec<IntOrString> {
  CAPSTAN_DECLARE_CODEC(IntOrString, ValueType::kOther);
  static bool IsEmpty(const IntOrString&) { return false; }
  static std::size_t HeapBytes(const IntOrString& value);
};
template <>
struct CAPSTAN_EXPORT Codec<RawJson> {
  CAPSTAN_DECLARE_CODEC(RawJson, ValueType::kOther);
  static bool IsEmpty(const RawJson& value) { return value.text.empty(); }
  static std::size_t HeapBytes(const RawJson& value);
};
template <>
struct CAPSTAN_EXPORT Codec<Bytes> {
  CAPSTAN_DECLARE_CODEC(Bytes, ValueType::kOther);
  static bool IsEmpty(const Bytes& value) { return value.value.empty(); }
  static std::size_t HeapBytes(const Bytes& value);
};
// Its elements have no addresses.
template <>
struct CAPSTAN_EXPORT Codec<std::vector<bool>> {
  CAPSTAN_DECLARE_CODEC(std::vector<bool>, ValueType::kOther);
  static bool IsEmpty(const std::vector<bool>& value) { return value.empty(); }
  static std::size_t HeapBytes(const std::vector<bool>& value);
};
// The metadata of a template inside an object, such as that of a Deployment's pods.
template <>
struct CAPSTAN_EXPORT Codec<ObjectMeta> {
  CAPSTAN_DECLARE_CODEC(ObjectMeta, ValueType::kOther);
  static bool IsEmpty(const ObjectMeta& value) { return value == ObjectMeta(); }
  static std::size_t HeapBytes(const ObjectMeta& value);
};
#undef CAPSTAN_DECLARE_CODEC

// An integer outside the range of T is a problem, as is a number with a fraction.
template <detail::Integer T>
struct Codec<T> : detail::PlainCodec {
  static constexpr ValueType kType = ValueType::kInteger;
  static bool Decode(const runtime::JsonValue& json, T& to, DecodeProblem& problem) {
    std::uint64_t number = 0;
    if (!detail::DecodeInteger(json, static_cast<std::int64_t>(std::numeric_limits<T>::min()),
                               static_cast<std::uint64_t>(std::numeric_limits<T>::max()), number,
                               problem)) {
      return false;
    }
    to = static_cast<T>(number);
    return true;
  }
  static void Encode(runtime::JsonWriter& writer, const T& from) {
    if constexpr (std::unsigned_integral<T>) {
      writer.Uint64(from);
    } else {
      writer.Int64(from);
    }
  }
  static void WriteSchema(runtime::JsonWriter& writer) {
    detail::WriteIntegerSchema(writer, sizeof(T) > 4 || std::numeric_limits<T>::digits > 31);
  }
};

}  // namespace capstan
