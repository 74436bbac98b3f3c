// SPDX-License-Identifier: Apache-2.0
#include "capstan/program_options.h"

#include <glog/logging.h>

#include <gflags/gflags.h>

#include <utility>

#include "capstan/flags/value.h"

DECLARE_int32(v);

DEFINE_string(
    kubeconfig, "",
    "Path to a kubeconfig. Default: $KUBECONFIG, the pod's service account, ~/.kube/config, "
    "in this order.");
DEFINE_string(http_transport, "capstan", capstan::kHttpTransportHelp);
DEFINE_string(http2, "auto",
              "auto: HTTP/2 to the API server if it offers it, otherwise HTTP/1.1. off: HTTP/1.1.");
DEFINE_string(
    list_compression, "auto",
    "Whether lists are requested compressed with gzip. auto: if the API server is not on this "
    "host, and the kubeconfig has no disable-compression. on: always. off: never.");
DEFINE_string(
    status_pages, "loopback",
    "Who may use /statusz, /flagz and /debug/loglevel at the metrics address: loopback (this "
    "machine, this pod, kubectl port-forward), all (everyone who reaches the address), or off.");
DEFINE_string(
    logging_format, "text",
    "text: klog's format. json: one JSON object per line with ts, severity, caller and msg.");
DEFINE_string(
    metrics_tls_cert_file, "",
    "File with the PEM certificate of the metrics server, followed by its intermediates. It is "
    "reloaded when it changes. Requires --metrics-tls-private-key-file.");
DEFINE_string(metrics_tls_private_key_file, "", "File with the PEM key of the certificate.");
DEFINE_string(
    metrics_tls_cipher_suites, "",
    "Comma-separated list of cipher suites of the metrics server, by Go's names. Listed TLS 1.3 "
    "suites restrict TLS 1.3 too. Default: OpenSSL's.");
DEFINE_string(metrics_tls_min_version, "",
              "Minimum TLS version of the metrics server: VersionTLS10, VersionTLS11, "
              "VersionTLS12 or VersionTLS13. Default: VersionTLS12.");
DEFINE_string(feature_gates, "", "Feature gates; the text is made from the registry.");

namespace capstan {

namespace {

Expected<std::optional<ServingTls>> MetricsTls() {
  ServingTls tls{.cert_file = FLAGS_metrics_tls_cert_file,
                 .key_file = FLAGS_metrics_tls_private_key_file};
  tls.options.cipher_suites = flags::SplitList(FLAGS_metrics_tls_cipher_suites);
  if (auto known = httpserver::CheckCipherSuites(tls.options.cipher_suites); !known) {
    return Err(known.error().Wrap("--metrics-tls-cipher-suites"));
  }
  if (!FLAGS_metrics_tls_min_version.empty()) {
    const auto version = httpserver::ParseTlsVersion(FLAGS_metrics_tls_min_version);
    if (!version) return Err(version.error().Wrap("--metrics-tls-min-version"));
    tls.options.min_version = *version;
  }
  if (tls.cert_file.empty() != tls.key_file.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "--metrics-tls-cert-file and --metrics-tls-private-key-file must be set together");
  }
  if (tls.cert_file.empty()) return std::nullopt;
  return tls;
}

}  // namespace

Expected<StatusAccess> StatusAccessOf(const std::string& value) {
  return OneOf<StatusAccess>("status-pages", value,
                             {{"off", StatusAccess::kOff},
                              {"loopback", StatusAccess::kLoopback},
                              {"all", StatusAccess::kAll}});
}

Expected<CommonOptions> ReadCommonOptions(featuregate::FeatureGate& gates,
                                          const std::string& metrics_address) {
  if (auto set = gates.Set(FLAGS_feature_gates); !set) {
    return flags::InvalidArgument(FLAGS_feature_gates, "feature-gates", set.error().message);
  }
  CommonOptions options;
  options.kubeconfig = FLAGS_kubeconfig;
  const auto http_transport = HttpTransportOf(FLAGS_http_transport);
  if (!http_transport) return Err(http_transport.error());
  options.http_transport = *http_transport;
  const auto http2 = Http2Of(FLAGS_http2);
  if (!http2) return Err(http2.error());
  options.http2 = *http2;
  const auto list_compression = ListCompressionOf(FLAGS_list_compression);
  if (!list_compression) return Err(list_compression.error());
  options.list_compression = *list_compression;
  const auto format = OneOf<LogFormat>("logging-format", FLAGS_logging_format,
                                       {{"text", LogFormat::kText}, {"json", LogFormat::kJson}});
  if (!format) return Err(format.error());
  options.log_format = *format;
  if (FLAGS_v < 0)
    return flags::InvalidArgument(std::to_string(FLAGS_v), "v", "expected 0 or more");
  auto metrics = ParseBindAddress(metrics_address);
  if (!metrics) return Err(metrics.error().Wrap("--metrics-listen-address"));
  options.metrics = *std::move(metrics);
  const auto access = StatusAccessOf(FLAGS_status_pages);
  if (!access) return Err(access.error());
  options.status_pages = *access;
  auto tls = MetricsTls();
  if (!tls) return Err(std::move(tls.error()));
  options.metrics_tls = *std::move(tls);
  return options;
}

}  // namespace capstan
