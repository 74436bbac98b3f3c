// SPDX-License-Identifier: Apache-2.0
#include "capstan/program_options.h"

#include <glog/logging.h>

#include <gflags/gflags.h>

#include <utility>

#include "capstan/clientcmd/config.h"
#include "capstan/flags/value.h"

DECLARE_int32(v);

namespace capstan {

using flags::Bind;
using flags::CustomVariable;
using flags::OneOf;
using flags::Parsed;
using flags::Type;

Expected<rest::Config> LoadConfig(const CommonOptions& options, const std::string& context) {
  auto config = clientcmd::LoadConfig({.kubeconfig = options.kubeconfig, .context = context});
  if (!config) return config;
  config->http_transport = options.http_transport;
  config->http2 = options.http2;
  config->content_type = options.content_type;
  if (options.list_compression != transport::Compression::kAuto) {
    config->list_compression = options.list_compression;
  }
  return config;
}

std::vector<flags::Flag> ClientFlags(CommonOptions& options) {
  std::vector<flags::Flag> all = TransportFlags(options);
  all.insert(all.begin(), Bind("kubeconfig", &options.kubeconfig,
                               "Path to a kubeconfig. Default: $KUBECONFIG, the pod's "
                               "service account, ~/.kube/config, in this order.",
                               Type::kPath));
  return all;
}

std::vector<flags::Flag> TransportFlags(CommonOptions& options) {
  using transport::Compression;
  using transport::Http2;
  using transport::Implementation;
  CustomVariable implementation =
      OneOf(&options.http_transport,
            {{"capstan", Implementation::kCapstan}, {"cpprestsdk", Implementation::kCpprestsdk}});
  implementation.set = [set = implementation.set, &options](
                           const std::string& flag, const std::string& text) -> Expected<void> {
    auto known = set(flag, text);
    if (!known || transport::Has(options.http_transport)) return known;
    return flags::InvalidArgument(text, flag,
                                  "this program is built without it; build with "
                                  "-DCAPSTAN_TRANSPORT_CPPREST=ON, or use capstan");
  };
  return {
      Bind("http-transport", std::move(implementation),
           "What sends the requests to the API server. capstan: this program. "
           "cpprestsdk: an archived library that only some builds have; "
           "docs/decisions/0023-cpprestsdk-as-an-option.md says how to make one and "
           "lists its limits."),
      Bind("http2", OneOf(&options.http2, {{"auto", Http2::kAuto}, {"off", Http2::kOff}}),
           "auto: HTTP/2 to the API server if it offers it, otherwise HTTP/1.1. off: HTTP/1.1."),
      Bind("list-compression",
           OneOf(&options.list_compression, {{"auto", Compression::kAuto},
                                             {"off", Compression::kOff},
                                             {"on", Compression::kOn}}),
           "Whether lists are requested compressed with gzip. auto: if the API server is not on "
           "this host, and the kubeconfig has no disable-compression. on: always. off: never."),
      Bind("kube-api-content-type",
           OneOf(&options.content_type,
                 {{"application/vnd.kubernetes.protobuf", rest::ContentType::kProtobuf},
                  {"application/json", rest::ContentType::kJson}}),
           "The encoding in which objects are read. With application/vnd.kubernetes.protobuf, what "
           "an API server has only as JSON is read as JSON. Objects are always written as JSON.")};
}

std::vector<flags::Flag> LeaderElectionFlags(bool& enabled,
                                             leaderelection::LeaderElectionConfig& config) {
  return {Bind("leader-elect", &enabled,
               "Use leader election, so that at most one instance acts at a time."),
          Bind("leader-election-namespace", &config.lease_namespace,
               "Namespace of the Lease. Default: that of the pod's service account."),
          Bind("leader-election-lease-duration", &config.lease_duration,
               "How long standbys wait after the last observed renewal before they take over."),
          Bind("leader-election-renew-deadline", &config.renew_deadline,
               "How long the leader retries a renewal before it exits with code 1. Must be less "
               "than the lease duration."),
          Bind("leader-election-retry-period", &config.retry_period,
               "Time between two attempts to acquire or renew the Lease.")};
}

std::vector<flags::Flag> MetricsFlags(CommonOptions& options, const std::string& address) {
  ServingTls& tls = options.metrics_tls.emplace();
  return {
      Bind("metrics-listen-address", Parsed(&options.metrics, address, &ParseBindAddress),
           "Host and port that serve /metrics, /healthz, /livez and /readyz. '0' disables them."),
      Bind("status-pages",
           OneOf(&options.status_pages, {{"all", StatusAccess::kAll},
                                         {"loopback", StatusAccess::kLoopback},
                                         {"off", StatusAccess::kOff}}),
           "Who may use /statusz, /flagz and /debug/loglevel at the metrics address: "
           "loopback (this machine, this pod, kubectl port-forward), all (everyone who "
           "reaches the address), or off."),
      Bind("metrics-tls-cert-file", &tls.cert_file,
           "File with the PEM certificate of the metrics server, followed by its intermediates. It "
           "is reloaded when it changes. Requires --metrics-tls-private-key-file.",
           Type::kPath),
      Bind("metrics-tls-private-key-file", &tls.key_file,
           "File with the PEM key of the certificate.", Type::kPath),
      Bind("metrics-tls-cipher-suites", &tls.options.cipher_suites,
           "Comma-separated list of cipher suites of the metrics server, by Go's names. "
           "Listed TLS 1.3 suites restrict TLS 1.3 too. Default: OpenSSL's."),
      Bind("metrics-tls-min-version",
           Parsed(&tls.options.min_version, "",
                  [usual = tls.options.min_version](const std::string& text) {
                    return text.empty() ? usual : httpserver::ParseTlsVersion(text);
                  }),
           "Minimum TLS version of the metrics server: VersionTLS10, VersionTLS11, "
           "VersionTLS12 or VersionTLS13. Default: VersionTLS12.")};
}

std::vector<flags::Flag> LoggingFlags(CommonOptions& options, std::string verbosity) {
  std::vector<flags::Flag> all = flags::LogFlags(std::move(verbosity));
  all.insert(
      all.begin(),
      Bind("logging-format",
           OneOf(&options.log_format, {{"json", LogFormat::kJson}, {"text", LogFormat::kText}}),
           "text: klog's format. json: one JSON object per line with ts, severity, "
           "caller and msg."));
  return all;
}

flags::Flag FeatureGatesFlag(featuregate::FeatureGate& gates) {
  const auto set = [&gates](const std::string& flag, const std::string& text) -> Expected<void> {
    if (auto known = gates.Set(text); !known) {
      return flags::InvalidArgument(text, flag, known.error().message);
    }
    return {};
  };
  return Bind("feature-gates", CustomVariable{.type = Type::kMapStringBool, .set = set},
              gates.Help());
}

Expected<void> CheckFlags(const flags::FlagSet& set, CommonOptions& options) {
  if (auto ok = set.Check(); !ok) return ok;
  if (FLAGS_v < 0) {
    return flags::InvalidArgument(std::to_string(FLAGS_v), "v", "expected 0 or more");
  }
  if (!options.metrics_tls) return {};
  const ServingTls& tls = *options.metrics_tls;
  if (auto known = httpserver::CheckCipherSuites(tls.options.cipher_suites); !known) {
    return Err(known.error().Wrap("--metrics-tls-cipher-suites"));
  }
  if (tls.cert_file.empty() != tls.key_file.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "--metrics-tls-cert-file and --metrics-tls-private-key-file must be set together");
  }
  if (tls.cert_file.empty()) options.metrics_tls.reset();
  return {};
}

}  // namespace capstan
