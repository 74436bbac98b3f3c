// SPDX-License-Identifier: Apache-2.0
// The flags that programs share, and the options that they set. Errors are one line with the flag,
// the value and the expected value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/featuregate/feature_gate.h"
#include "capstan/flags/flag_set.h"
#include "capstan/leaderelection/leader_election.h"
#include "capstan/rest/config.h"
#include "capstan/serving.h"
#include "capstan/transport/config.h"
#include "capstan/transport/http2_transport.h"
#include "capstan/transport/http_transport.h"

namespace capstan {

// StatusAccess is the value of --status-pages.
enum class StatusAccess { kOff, kLoopback, kAll };

enum class LogFormat { kText, kJson };

// CommonOptions are the values of the shared flags.
struct CAPSTAN_EXPORT CommonOptions {
  std::string kubeconfig;
  transport::Implementation http_transport = transport::Implementation::kCapstan;
  transport::Http2 http2 = transport::Http2::kAuto;
  transport::Compression list_compression = transport::Compression::kAuto;
  rest::ContentType content_type = rest::ContentType::kProtobuf;
  std::optional<BindAddress> metrics;     // nullopt: off
  std::optional<ServingTls> metrics_tls;  // nullopt: plain HTTP
  StatusAccess status_pages = StatusAccess::kLoopback;
  LogFormat log_format = LogFormat::kText;
};

// Returns what clientcmd::LoadConfig finds, with the transport, the version of HTTP, the
// compression and the encoding that the flags select.
CAPSTAN_EXPORT Expected<rest::Config> LoadConfig(const CommonOptions& options,
                                                 const std::string& context = {});

// The functions below return shared flags for FlagSet::AddSection. The flags set
// `options`, which must outlive the FlagSet.

// Returns --kubeconfig, and what TransportFlags returns.
CAPSTAN_EXPORT std::vector<flags::Flag> ClientFlags(CommonOptions& options);
// Returns --http-transport, --http2, --list-compression and --kube-api-content-type.
CAPSTAN_EXPORT std::vector<flags::Flag> TransportFlags(CommonOptions& options);
// Returns --leader-elect and --leader-election-*.
CAPSTAN_EXPORT std::vector<flags::Flag> LeaderElectionFlags(
    bool& enabled, leaderelection::LeaderElectionConfig& config);
// Returns --metrics-*, with this default of --metrics-listen-address, and --status-pages.
CAPSTAN_EXPORT std::vector<flags::Flag> MetricsFlags(CommonOptions& options,
                                                     const std::string& address);
// Returns --logging-format, -v and --vmodule. `verbosity` is the help of -v.
CAPSTAN_EXPORT std::vector<flags::Flag> LoggingFlags(CommonOptions& options, std::string verbosity);
// Returns --feature-gates, which sets `gates`.
CAPSTAN_EXPORT flags::Flag FeatureGatesFlag(featuregate::FeatureGate& gates);

// Calls FlagSet::Check, and checks the shared flags together. Sets metrics_tls to nullopt without
// files. kInvalidArgument: one line with the flag and the fix.
CAPSTAN_EXPORT Expected<void> CheckFlags(const flags::FlagSet& set, CommonOptions& options);

}  // namespace capstan
