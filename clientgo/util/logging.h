// SPDX-License-Identifier: Apache-2.0
// Kv: structured log lines in klog's text format, over glog.
//
//   LOG(INFO) << Kv("Reconciled object", "controller", name, "object", key);
//   I1121 10:00:00.000000  1 file.cc:42] "Reconciled object" controller="x" object="ns/n"
//
// The message is a constant; what varies is a value under a lowerCamelCase key.
// An odd number of arguments does not compile. Values are quoted, so no input can fake a line.
// Never pass Secret data, tokens or request bodies. Mirrors k8s.io/klog/v2 InfoS.
#pragma once

#include <glog/logging.h>

#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

#include "clientgo/util/error.h"

namespace clientgo::util {

// Appends `text` in double quotes; quotes, backslashes and control characters are escaped.
void AppendQuoted(std::string& out, std::string_view text);
std::string Quoted(std::string_view text);

namespace logging_internal {

template <class T>
void AppendValue(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    out += std::to_string(value);
  } else if constexpr (std::is_same_v<T, Error>) {
    AppendQuoted(out, value.message);
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    AppendQuoted(out, std::string_view(value));
  } else {
    std::ostringstream text;
    text << value;
    AppendQuoted(out, text.str());
  }
}

inline void AppendPairs(std::string&) {}
template <class V, class... Rest>
void AppendPairs(std::string& out, std::string_view key, const V& value, const Rest&... rest) {
  out += ' ';
  out += key;
  out += '=';
  AppendValue(out, value);
  AppendPairs(out, rest...);
}

}  // namespace logging_internal

template <class... Pairs>
std::string Kv(std::string_view message, const Pairs&... pairs) {
  static_assert(sizeof...(pairs) % 2 == 0, "every key needs a value");
  std::string out;
  AppendQuoted(out, message);
  logging_internal::AppendPairs(out, pairs...);
  return out;
}

}  // namespace clientgo::util
