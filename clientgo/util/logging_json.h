// SPDX-License-Identifier: Apache-2.0
// LogJson: glog's lines as JSON objects, one a line, for those who collect logs:
//
//   {"ts":1763719200000.123,"severity":"INFO","caller":"a.cc:42","msg":"Updated","object":"ns/n"}
//
// What Kv wrote becomes members; any other text is the msg. Each line is valid JSON, whatever bytes
// are logged: what is not UTF-8 is replaced, and a key that is taken gets a number (err, err_2).
// Thread-safe: glog sends one line at a time. Mirrors k8s.io/component-base/logs/json; ts is its
// milliseconds since 1970. Differs: severity is told, and the verbosity, which glog does not tell,
// is not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace clientgo::util {

struct LogLine {
  std::string_view severity = {};  // "INFO"
  std::int64_t microseconds = 0;   // since 1970
  std::string_view file = {};
  int line = 0;
  std::string_view text = {};  // as Kv returns it, or anything
};

// Without the newline.
std::string ToJson(const LogLine& line);

// From now on, and for good, all that is logged goes to stderr as JSON, each line in one write.
// After InitGoogleLogging, before threads. A crash still writes its stack trace as text.
void LogJson();

}  // namespace clientgo::util
