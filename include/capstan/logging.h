// SPDX-License-Identifier: Apache-2.0
// Structured logging over glog, as klog's text (Kv) or as JSON (LogJson).
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan {

// Appends `text` in double quotes and escapes quotes, backslashes and control characters.
CAPSTAN_EXPORT void AppendQuoted(std::string& out, std::string_view text);
CAPSTAN_EXPORT std::string Quoted(std::string_view text);

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

// Kv formats a structured log line in klog's text format: InfoS and the others of log.h use it.
//
//   LOG(FATAL) << Kv("Impossible state", "controller", name, "object", key);
//   F1121 10:00:00.000000  1 file.cc:42] "Impossible state" controller="x" object="ns/n"
//
// The message is a constant; each variable part is a value with a lowerCamelCase key. An odd number
// of arguments does not compile. Values are quoted, so no input can forge a line. Never pass Secret
// data, tokens or request bodies. Mirrors k8s.io/klog/v2 InfoS.
template <class... Pairs>
std::string Kv(std::string_view message, const Pairs&... pairs) {
  static_assert(sizeof...(pairs) % 2 == 0, "every key needs a value");
  std::string out;
  AppendQuoted(out, message);
  logging_internal::AppendPairs(out, pairs...);
  return out;
}

// Redirects the log to stderr as JSON, one object a line, each line in one write:
//
//   {"ts":1763719200000.123,"severity":"INFO","caller":"a.cc:42","msg":"Updated","object":"ns/n"}
//
// Pairs of Kv become members; any other text is the msg. Each line is valid JSON for all bytes:
// invalid UTF-8 is replaced, and a duplicate key gets a number (err, err_2). It cannot be undone.
// Call it after InitGoogleLogging and before threads start. A crash still writes its stack trace as
// text. Thread-safe, because glog sends one line at a time. Mirrors
// k8s.io/component-base/logs/json; ts is its milliseconds since 1970. Differs: it has the severity,
// but not the verbosity, which glog does not provide.
CAPSTAN_EXPORT void LogJson();

struct CAPSTAN_EXPORT LogLine {
  std::string_view severity = {};  // "INFO"
  std::int64_t microseconds = 0;   // since 1970
  std::string_view file = {};
  int line = 0;
  std::string_view text = {};  // from Kv, or any other text
};

// Returns the JSON of LogJson for one line, without the newline.
CAPSTAN_EXPORT std::string ToJson(const LogLine& line);

}  // namespace capstan
