// SPDX-License-Identifier: Apache-2.0
// The rules that the options of capstan-controller-manager have to keep, each told in the program's
// flags: one line with the flag, the value and what was expected. Pure functions.
// Mirrors cert-manager's internal/apis/config/cainjector/validation.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "clientgo/util/error.h"
#include "cmd/controller-manager/options.h"

namespace cmd::controller_manager {

tl::unexpected<clientgo::util::Error> InvalidArgument(std::string_view value, std::string_view flag,
                                                      std::string_view why);

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

clientgo::util::Expected<void> CheckNamespaces(
    const controllers::cainjector::CaInjectorOptions& options);
// client-go's rules.
clientgo::util::Expected<void> CheckLeaderElection(const LeaderElectionOptions& options);
// `dynamic`: a certificate that the program issues to itself is asked for.
clientgo::util::Expected<void> CheckServingTls(const controllers::runtime::ServingTls& tls,
                                               bool dynamic);

}  // namespace cmd::controller_manager
