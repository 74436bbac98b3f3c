// SPDX-License-Identifier: Apache-2.0
// The flags that the controller manager and the node agent share, and the parsing of enumerations.
// Errors are one line with the flag, the value and the expected value.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/featuregate/feature_gate.h"
#include "capstan/flags/value.h"
#include "capstan/serving.h"
#include "capstan/transport/config.h"
#include "capstan/transport/http2_transport.h"
#include "capstan/transport/http_transport.h"

namespace capstan {

// The help of --http-transport, which every program has.
inline constexpr char kHttpTransportHelp[] =
    "What sends the requests to the API server. capstan: this program. cpprestsdk: an archived "
    "library that only some builds have; docs/decisions/0023-cpprestsdk-as-an-option.md says how "
    "to make one and lists its limits.";

// Returns the value of an enumeration whose name is `value`.
template <class T>
Expected<T> OneOf(std::string_view flag, const std::string& value,
                  const std::map<std::string, T>& names) {
  const auto found = names.find(value);
  if (found != names.end()) return found->second;
  std::string expected = "expected";
  for (const auto& [name, ignored] : names) {
    expected += (name == names.begin()->first ? " " : " or ") + name;
  }
  return flags::InvalidArgument(value, flag, expected);
}

// Returns the value of --http-transport. kInvalidArgument: this build does not have it.
inline Expected<transport::Implementation> HttpTransportOf(const std::string& value) {
  auto implementation =
      OneOf<transport::Implementation>("http-transport", value,
                                       {{"capstan", transport::Implementation::kCapstan},
                                        {"cpprestsdk", transport::Implementation::kCpprestsdk}});
  if (!implementation || transport::Has(*implementation)) return implementation;
  return flags::InvalidArgument(value, "http-transport",
                                "this program is built without it; build with "
                                "-DCAPSTAN_TRANSPORT_CPPREST=ON, or use capstan");
}

// Returns the value of --http2.
inline Expected<transport::Http2> Http2Of(const std::string& value) {
  return OneOf<transport::Http2>(
      "http2", value, {{"auto", transport::Http2::kAuto}, {"off", transport::Http2::kOff}});
}

// Returns the value of --list-compression.
inline Expected<transport::Compression> ListCompressionOf(const std::string& value) {
  return OneOf<transport::Compression>("list-compression", value,
                                       {{"auto", transport::Compression::kAuto},
                                        {"on", transport::Compression::kOn},
                                        {"off", transport::Compression::kOff}});
}

// StatusAccess is the value of --status-pages.
enum class StatusAccess { kOff, kLoopback, kAll };
CAPSTAN_EXPORT Expected<StatusAccess> StatusAccessOf(const std::string& value);

enum class LogFormat { kText, kJson };

// CommonOptions are the values of the shared flags.
struct CAPSTAN_EXPORT CommonOptions {
  std::string kubeconfig;
  transport::Implementation http_transport = transport::Implementation::kCapstan;
  transport::Http2 http2 = transport::Http2::kAuto;
  transport::Compression list_compression = transport::Compression::kAuto;
  std::optional<BindAddress> metrics;     // nullopt: off
  std::optional<ServingTls> metrics_tls;  // nullopt: plain HTTP
  StatusAccess status_pages = StatusAccess::kLoopback;
  LogFormat log_format = LogFormat::kText;
};

// Reads the shared flags after FlagSet::Parse, and sets `gates` from --feature-gates.
// `metrics_address` is the --metrics-listen-address of the program. kInvalidArgument: one line with
// the flag and the fix.
CAPSTAN_EXPORT Expected<CommonOptions> ReadCommonOptions(featuregate::FeatureGate& gates,
                                                         const std::string& metrics_address);

}  // namespace capstan
