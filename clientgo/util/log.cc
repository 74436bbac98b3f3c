// SPDX-License-Identifier: Apache-2.0
#include "capstan/log.h"

#include <glog/logging.h>

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

}  // namespace

void WriteLog(LogSeverity severity, const LogMessage& where, const std::string& text) {
  google::LogMessage(where.file, where.line, SeverityOf(severity)).stream() << text;
}

bool LogsVerbosity(int verbosity) { return FLAGS_v >= verbosity; }

void InitLogs(const std::string& program) {
  if (google::IsGoogleLoggingInitialized()) return;
  static const std::string name = program;  // glog keeps the pointer
  FLAGS_logtostderr = true;
  google::InitGoogleLogging(name.c_str());
}

}  // namespace capstan
