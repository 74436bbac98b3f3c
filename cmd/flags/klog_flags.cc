// SPDX-License-Identifier: Apache-2.0
#include "cmd/flags/klog_flags.h"

#include <string>
#include <utility>

namespace cmd::flags {
namespace {

constexpr char kStderrOnly[] = "logs go only to stderr, each line at once";
constexpr char kHeadersStay[] = "every line has its header";

Flag Hidden(std::string name, Type type, std::string default_value, std::string why) {
  return {.name = std::move(name),
          .type = type,
          .no_effect = std::move(why),
          .default_value = std::move(default_value),
          .hidden = true};
}

}  // namespace

std::vector<Flag> HiddenLogFlags() {
  return {
      Hidden("add-dir-header", Type::kBool, "false", kHeadersStay),
      Hidden("alsologtostderr", Type::kBool, "false", kStderrOnly),
      Hidden("log-backtrace-at", Type::kString, ":0", "log lines have no stack trace"),
      Hidden("log-dir", Type::kString, "", kStderrOnly),
      Hidden("log-file", Type::kString, "", kStderrOnly),
      Hidden("log-file-max-size", Type::kInt, "1800", kStderrOnly),
      Hidden("logtostderr", Type::kBool, "true", kStderrOnly),
      Hidden("one-output", Type::kBool, "false", kStderrOnly),
      Hidden("skip-headers", Type::kBool, "false", kHeadersStay),
      Hidden("skip-log-headers", Type::kBool, "false", kStderrOnly),
      Hidden("stderrthreshold", Type::kString, "2", kStderrOnly),
      Hidden("log-text-split-stream", Type::kBool, "false", kStderrOnly),
      Hidden("log-text-info-buffer-size", Type::kString, "0", kStderrOnly),
      Hidden("log-json-split-stream", Type::kBool, "false", kStderrOnly),
      Hidden("log-json-info-buffer-size", Type::kString, "0", kStderrOnly),
  };
}

}  // namespace cmd::flags
