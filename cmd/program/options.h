// SPDX-License-Identifier: Apache-2.0
// The flags that both programs have, and what their options say in the same words: errors of one
// line with the flag, the value and what was expected, and values of an enumeration.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "clientgo/util/error.h"
#include "cmd/flags/value.h"
#include "controllers/runtime/serving.h"
#include "featuregate/feature_gate.h"

namespace cmd::program {

using flags::InvalidArgument;

// The value of an enumeration by its name.
template <class T>
clientgo::util::Expected<T> OneOf(std::string_view flag, const std::string& value,
                                  const std::map<std::string, T>& names) {
  const auto found = names.find(value);
  if (found != names.end()) return found->second;
  std::string expected = "expected";
  for (const auto& [name, ignored] : names) {
    expected += (name == names.begin()->first ? " " : " or ") + name;
  }
  return InvalidArgument(value, flag, expected);
}

// Who may see the pages: the values of --status-pages.
enum class StatusAccess { kOff, kLoopback, kAll };
clientgo::util::Expected<StatusAccess> StatusAccessOf(const std::string& value);

enum class LogFormat { kText, kJson };

// What both programs can be told, by flags of the same name and meaning.
struct CommonOptions {
  std::string kubeconfig;
  std::optional<controllers::runtime::BindAddress> metrics;     // nullopt: off
  std::optional<controllers::runtime::ServingTls> metrics_tls;  // nullopt: plain HTTP
  StatusAccess status_pages = StatusAccess::kLoopback;
  LogFormat log_format = LogFormat::kText;
};

// Their values after FlagSet::Parse; sets `gates` from --feature-gates. `metrics_address` is the
// program's --metrics-listen-address: each has a port of its own. kInvalidArgument: one line that
// names the flag and the remedy.
clientgo::util::Expected<CommonOptions> ReadCommonOptions(featuregate::FeatureGate& gates,
                                                          const std::string& metrics_address);

}  // namespace cmd::program
