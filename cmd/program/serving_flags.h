// SPDX-License-Identifier: Apache-2.0
// What several programs' flags say in the same words: the endpoints' address and certificate, and
// values of an enumeration. Each error is one line with the flag, the value and what was expected.
// Pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "clientgo/util/error.h"
#include "controllers/runtime/serving.h"

namespace cmd::program {

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

// The values of the flags called --metrics-tls-*.
struct MetricsTlsFlags {
  std::string cert_file;
  std::string private_key_file;
  std::string cipher_suites;
  std::string min_version;
};
// nullopt: plain HTTP.
clientgo::util::Expected<std::optional<controllers::runtime::ServingTls>> ServingTlsOf(
    const MetricsTlsFlags& flags);

// Who may see the pages: the values of --status-pages.
enum class StatusAccess { kOff, kLoopback, kAll };
clientgo::util::Expected<StatusAccess> StatusAccessOf(const std::string& value);

}  // namespace cmd::program
