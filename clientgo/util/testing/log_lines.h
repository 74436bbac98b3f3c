// SPDX-License-Identifier: Apache-2.0
// LogLines collects the lines that are logged while it lives. Thread-safe.
#pragma once

#include <glog/logging.h>

#include <cstddef>
#include <string>
#include <vector>

#include "clientgo/util/testing/journal.h"

namespace capstan {

class LogLines final : public google::LogSink {
 public:
  // Collects the lines of this severity and of worse ones.
  explicit LogLines(google::LogSeverity severity) : severity_(severity) {
    google::AddLogSink(this);
  }
  ~LogLines() override { google::RemoveLogSink(this); }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  std::vector<std::string> lines() const { return lines_.lines(); }

 private:
  using google::LogSink::send;
  void send(google::LogSeverity severity, const char* /*path*/, const char* /*file*/, int /*line*/,
            const google::LogMessageTime& /*time*/, const char* message,
            std::size_t size) override {
    if (severity >= severity_) lines_.Write(std::string(message, size));
  }

  const google::LogSeverity severity_;
  Journal lines_;
};

}  // namespace capstan
