// SPDX-License-Identifier: Apache-2.0
#include "capstan/log.h"

#include <fnmatch.h>
#include <glog/logging.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/text.h"

DECLARE_string(vmodule);

namespace capstan {
namespace {

google::LogSeverity SeverityOf(LogSeverity severity) {
  switch (severity) {
    case LogSeverity::kWarning:
      return google::GLOG_WARNING;
    case LogSeverity::kError:
      return google::GLOG_ERROR;
    case LogSeverity::kInfo:
      break;
  }
  return google::GLOG_INFO;
}

// Returns N of the first pattern=N that matches the name of the file without its extension.
std::optional<int> VerbosityOf(std::string_view file, std::string_view modules) {
  std::string name(file.substr(file.rfind('/') + 1));
  name.resize(std::min(name.size(), name.find('.')));
  for (const std::string_view module : Split(modules, ',')) {
    const std::size_t equals = module.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string pattern(module.substr(0, equals));
    if (fnmatch(pattern.c_str(), name.c_str(), 0) != 0) continue;
    return std::atoi(std::string(module.substr(equals + 1)).c_str());
  }
  return std::nullopt;
}

}  // namespace

void WriteLog(LogSeverity severity, const LogMessage& where, const std::string& text) {
  google::LogMessage(where.file, where.line, SeverityOf(severity)).stream() << text;
}

bool LogsVerbosity(int verbosity, const char* file) {
  if (FLAGS_vmodule.empty()) return FLAGS_v >= verbosity;
  return VerbosityOf(file, FLAGS_vmodule).value_or(FLAGS_v) >= verbosity;
}

void InitLogs(const std::string& program) {
  if (google::IsGoogleLoggingInitialized()) return;
  static const std::string name = program;  // glog keeps the pointer
  FLAGS_logtostderr = true;
  google::InitGoogleLogging(name.c_str());
}

}  // namespace capstan
