// SPDX-License-Identifier: Apache-2.0
// InfoS, WarningS and ErrorS write log lines in the format of --logging-format, with the caller's
// file and line. They need no header of glog. A message is a constant. Everything that
// varies is passed as pairs of a key and a value.
//
//   InfoS("Reconciled object", "object", key.String(), "replicas", 3);
//   ErrorS(error, "Failed to delete", "object", key.String());
//   V(2).InfoS("Nothing to do");  // with --v=2 and above, or --vmodule for this file
//
// What Kv (logging.h) says of messages, keys and secrets holds here, too. Thread-safe.
// Mirrors k8s.io/klog/v2. Differs: WarningS, which klog lacks, and ErrorS without an error.
#pragma once

#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/logging.h"

namespace capstan {

enum class LogSeverity { kInfo, kWarning, kError };

// LogMessage is a message and the place of its call. It is only the type of a parameter. (clang 14
// has no std::source_location.)
struct CAPSTAN_EXPORT LogMessage {
  // NOLINTNEXTLINE(google-explicit-constructor): a call passes a literal
  LogMessage(const char* message, const char* caller_file = __builtin_FILE(),
             int caller_line = __builtin_LINE())
      : text(message), file(caller_file), line(caller_line) {}
  std::string_view text;
  const char* file;
  int line;
};

// Writes one line; `text` is from Kv, or any other text. `where` is the place in it.
CAPSTAN_EXPORT void WriteLog(LogSeverity severity, const LogMessage& where,
                             const std::string& text);
// Reports whether a file's lines of this verbosity are written: --vmodule for the file, or else
// --v, is at least `verbosity`.
CAPSTAN_EXPORT bool LogsVerbosity(int verbosity, const char* file);

template <class... Pairs>
void InfoS(LogMessage message, const Pairs&... pairs) {
  WriteLog(LogSeverity::kInfo, message, Kv(message.text, pairs...));
}
template <class... Pairs>
void WarningS(LogMessage message, const Pairs&... pairs) {
  WriteLog(LogSeverity::kWarning, message, Kv(message.text, pairs...));
}
template <class... Pairs>
void ErrorS(LogMessage message, const Pairs&... pairs) {
  WriteLog(LogSeverity::kError, message, Kv(message.text, pairs...));
}
template <class... Pairs>
void ErrorS(const Error& error, LogMessage message, const Pairs&... pairs) {
  WriteLog(LogSeverity::kError, message, Kv(message.text, "err", error, pairs...));
}

// Verbose writes its lines only with a sufficient verbosity.
class CAPSTAN_EXPORT Verbose {
 public:
  explicit Verbose(bool enabled) : enabled_(enabled) {}
  bool Enabled() const { return enabled_; }
  template <class... Pairs>
  void InfoS(LogMessage message, const Pairs&... pairs) const {
    if (enabled_) WriteLog(LogSeverity::kInfo, message, Kv(message.text, pairs...));
  }

 private:
  bool enabled_;
};
inline Verbose V(int verbosity, const char* caller_file = __builtin_FILE()) {
  return Verbose(LogsVerbosity(verbosity, caller_file));
}

// Sends the log to stderr. For a test or a program that does not use RunManager; a second call does
// nothing. `program` names the program in a crash. Call it before threads start.
CAPSTAN_EXPORT void InitLogs(const std::string& program);

}  // namespace capstan
