// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/options.h"
#include "cmd/injector/options.h"

#include <gflags/gflags.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/transport/http2_transport.h"

namespace capstan::cmd::controller_manager {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class OptionsTest : public ::testing::Test {
 protected:
  OptionsTest() : gates_([](const std::string& name) { return Environment(name); }) {
    environment.clear();
    injector::AddFeatures(gates_);
  }

  Expected<Options> Parse(const std::vector<std::string>& arguments) {
    Options bound;
    flags::FlagSet set = NewFlagSet(bound, gates_);
    auto action = set.Parse(arguments);
    if (!action) return Err(action.error());
    auto options = ReadOptions(set, bound, gates_);
    ignored_.clear();
    for (const auto& flag : set.Ignored()) ignored_.push_back(flag.name);
    return options;
  }
  std::string ParseError(const std::vector<std::string>& arguments) {
    const auto options = Parse(arguments);
    return options ? "no error" : options.error().message;
  }

  static std::optional<std::string> Environment(const std::string& name) {
    const auto found = environment.find(name);
    if (found == environment.end()) return std::nullopt;
    return found->second;
  }
  static inline std::map<std::string, std::string> environment;

  featuregate::FeatureGate gates_;
  std::vector<std::string> ignored_;

 private:
  gflags::FlagSaver saver_;
};

TEST_F(OptionsTest, HasTheDefaultsOfCainjector) {
  const auto options = Parse({});

  ASSERT_TRUE(options.has_value()) << options.error().message;
  const auto& injector = options->injector;
  EXPECT_THAT(injector.namespaces, IsEmpty());
  EXPECT_THAT(injector.ignore_namespaces, IsEmpty());
  EXPECT_TRUE(injector.certificates);
  EXPECT_TRUE(injector.config_maps);
  EXPECT_TRUE(injector.kinds.validating_webhook_configurations);
  EXPECT_TRUE(injector.kinds.mutating_webhook_configurations);
  EXPECT_TRUE(injector.kinds.custom_resource_definitions);
  EXPECT_TRUE(injector.kinds.api_services);
  EXPECT_EQ(injector.field_ownership, cainjector::FieldOwnership::kKeep);
  EXPECT_EQ(options->log_format, LogFormat::kText);
  EXPECT_THAT(ignored_, IsEmpty());
  EXPECT_EQ(options->kubeconfig, "");
  EXPECT_EQ(injector.cache_sync_timeout, minutes(2));
  EXPECT_FALSE(injector.exit_on_cache_sync_timeout);
  EXPECT_TRUE(options->leader_elect);
  EXPECT_EQ(options->leader_election.lease_namespace, "kube-system");
  EXPECT_EQ(options->leader_election.lease_duration, seconds(60));
  EXPECT_EQ(options->leader_election.renew_deadline, seconds(40));
  EXPECT_EQ(options->leader_election.retry_period, seconds(15));
  EXPECT_EQ(options->metrics, (BindAddress{.host = "0.0.0.0", .port = 9402}));
  EXPECT_TRUE(options->watch_list);
  EXPECT_TRUE(options->injector.merge_bundles);
}

TEST_F(OptionsTest, PrefersTheNarrowerGateForSecrets) {
  EXPECT_EQ(Parse({})->injector.secret_caching, cainjector::SecretCaching::kAll);
  const auto filtered = Parse({"--feature-gates=SecretsFilteredCaching=true"});
  EXPECT_EQ(filtered->injector.secret_caching, cainjector::SecretCaching::kLabelled);
  EXPECT_FALSE(filtered->both_secret_gates);

  const auto both = Parse({"--feature-gates=ReferencedSecretsOnly=true"});

  EXPECT_EQ(both->injector.secret_caching, cainjector::SecretCaching::kReferenced);
  EXPECT_TRUE(both->both_secret_gates);
}

TEST_F(OptionsTest, RejectsAFingerprintThatIsNone) {
  const std::string good(64, 'a');
  EXPECT_FALSE(Parse({"--distrust=" + good})->injector.distrust.empty());

  const auto bad = Parse({"--distrust=" + good + ",abc"});

  ASSERT_FALSE(bad.has_value());
  EXPECT_THAT(bad.error().message, HasSubstr("--distrust: \"abc\" is not a SHA-256 fingerprint"));
}

TEST_F(OptionsTest, AcceptsTheArgumentsOfTheCertManagerChart) {
  const auto options = Parse(
      {"--v=2", "--leader-election-namespace=cert-manager", "--leader-election-lease-duration=30s",
       "--leader-election-renew-deadline=20s", "--leader-election-retry-period=5s",
       "--feature-gates=ServerSideApply=true,CAInjectorMerging=false",
       "--metrics-listen-address=0"});

  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->leader_election.lease_namespace, "cert-manager");
  EXPECT_EQ(options->leader_election.lease_duration, seconds(30));
  EXPECT_EQ(options->metrics, std::nullopt);
  EXPECT_FALSE(options->injector.merge_bundles);
  EXPECT_THAT(gates_.Warnings(),
              ElementsAre(HasSubstr("CAInjectorMerging=false"), HasSubstr("ServerSideApply=true")));
}

TEST_F(OptionsTest, ReadsHttp2) {
  EXPECT_EQ(Parse({})->http2, transport::Http2::kAuto);
  EXPECT_EQ(Parse({"--http2=off"})->http2, transport::Http2::kOff);

  const auto options = Parse({"--http2=on"});
  ASSERT_FALSE(options.has_value());
  EXPECT_EQ(options.error().message, "invalid argument \"on\" for --http2: expected auto or off");
}

TEST_F(OptionsTest, ReadsHttpTransport) {
  EXPECT_EQ(Parse({})->http_transport, transport::Implementation::kCapstan);
  EXPECT_EQ(Parse({"--http-transport=capstan"})->http_transport,
            transport::Implementation::kCapstan);
  const auto unknown = Parse({"--http-transport=curl"});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().message,
            "invalid argument \"curl\" for --http-transport: expected capstan or cpprestsdk");

  const auto cpprestsdk = Parse({"--http-transport=cpprestsdk"});
  if (transport::Has(transport::Implementation::kCpprestsdk)) {
    EXPECT_EQ(cpprestsdk->http_transport, transport::Implementation::kCpprestsdk);
    return;
  }
  ASSERT_FALSE(cpprestsdk.has_value());
  EXPECT_EQ(cpprestsdk.error().message,
            "invalid argument \"cpprestsdk\" for --http-transport: this program is built without "
            "it; build with -DCAPSTAN_TRANSPORT_CPPREST=ON, or use capstan");
}

TEST_F(OptionsTest, ReadsListCompression) {
  EXPECT_EQ(Parse({})->list_compression, transport::Compression::kAuto);
  EXPECT_EQ(Parse({"--list-compression=on"})->list_compression, transport::Compression::kOn);
  EXPECT_EQ(Parse({"--list-compression=off"})->list_compression, transport::Compression::kOff);

  const auto options = Parse({"--list-compression=gzip"});
  ASSERT_FALSE(options.has_value());
  EXPECT_EQ(options.error().message,
            R"(invalid argument "gzip" for --list-compression: expected auto or off or on)");
}

TEST_F(OptionsTest, AcceptsEveryFlagOfCainjectorWithItsDefault) {
  const auto options = Parse({"--config=",
                              "--enable-apiservices-injectable=true",
                              "--enable-certificates-data-source=true",
                              "--enable-customresourcedefinitions-injectable=true",
                              "--enable-mutatingwebhookconfigurations-injectable=true",
                              "--enable-profiling=false",
                              "--enable-validatingwebhookconfigurations-injectable=true",
                              "--feature-gates=",
                              "--ignore-namespaces=",
                              "--kubeconfig=",
                              "--leader-elect=true",
                              "--leader-election-lease-duration=1m0s",
                              "--leader-election-namespace=kube-system",
                              "--leader-election-renew-deadline=40s",
                              "--leader-election-retry-period=15s",
                              "--log-flush-frequency=5s",
                              "--logging-format=text",
                              "--metrics-dynamic-serving-ca-secret-name=",
                              "--metrics-dynamic-serving-ca-secret-namespace=",
                              "--metrics-dynamic-serving-dns-names=",
                              "--metrics-dynamic-serving-leaf-duration=168h0m0s",
                              "--metrics-listen-address=0.0.0.0:9402",
                              "--metrics-tls-cert-file=",
                              "--metrics-tls-cipher-suites=",
                              "--metrics-tls-min-version=",
                              "--metrics-tls-private-key-file=",
                              "--namespace=",
                              "--profiler-address=localhost:6060",
                              "-v=0",
                              "--vmodule="});

  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_THAT(ignored_, IsEmpty());
}

TEST_F(OptionsTest, ReadsSourcesTargetsAndNamespaces) {
  const auto options = Parse({"--namespace=a, b", "--enable-certificates-data-source=false",
                              "--enable-validatingwebhookconfigurations-injectable=false",
                              "--enable-mutatingwebhookconfigurations-injectable=false",
                              "--enable-customresourcedefinitions-injectable=false",
                              "--enable-apiservices-injectable=false", "--field-ownership=detach",
                              "--feature-gates=ConfigMapSource=false"});

  ASSERT_TRUE(options.has_value()) << options.error().message;
  const auto& injector = options->injector;
  EXPECT_THAT(injector.namespaces, ElementsAre("a", "b"));
  EXPECT_FALSE(injector.certificates);
  EXPECT_FALSE(injector.config_maps);
  EXPECT_FALSE(injector.kinds.validating_webhook_configurations);
  EXPECT_FALSE(injector.kinds.mutating_webhook_configurations);
  EXPECT_FALSE(injector.kinds.custom_resource_definitions);
  EXPECT_FALSE(injector.kinds.api_services);
  EXPECT_EQ(injector.field_ownership, cainjector::FieldOwnership::kDetach);
}

TEST_F(OptionsTest, ReadsTheFilesForMetricsOverTls) {
  EXPECT_FALSE(Parse({})->metrics_tls.has_value());

  // As upstream, files take precedence over a dynamic certificate.
  const auto options = Parse({"--metrics-tls-cert-file=/c", "--metrics-tls-private-key-file=/k",
                              "--metrics-tls-min-version=VersionTLS13",
                              "--metrics-tls-cipher-suites=TLS_AES_128_GCM_SHA256",
                              "--metrics-dynamic-serving-dns-names=a,b"});

  ASSERT_TRUE(options.has_value()) << options.error().message;
  const auto& tls = options->metrics_tls;
  EXPECT_EQ(tls->cert_file, "/c");
  EXPECT_EQ(tls->key_file, "/k");
  EXPECT_EQ(tls->options.min_version, httpserver::TlsVersion::k13);
  EXPECT_THAT(tls->options.cipher_suites, ElementsAre("TLS_AES_128_GCM_SHA256"));
}

TEST_F(OptionsTest, AccumulatesIgnoredNamespaces) {
  const auto options = Parse({"--ignore-namespaces=a,b", "--ignore-namespaces=c"});

  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_THAT(options->injector.ignore_namespaces, ElementsAre("a", "b", "c"));
}

TEST_F(OptionsTest, AcceptsAndNamesFlagsWithoutEffect) {
  // Every flag of klog, in klog's spelling.
  const auto options =
      Parse({"--add_dir_header", "--alsologtostderr", "--log_backtrace_at=a.go:1", "--log_dir=/tmp",
             "--log_file=x", "--log_file_max_size=1", "--logtostderr=false", "--one_output",
             "--skip_headers", "--skip_log_headers", "--stderrthreshold=ERROR",
             "--enable-profiling", "--profiler-address=:6060", "--log-flush-frequency=1s"});

  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(ignored_.size(), 14U);

  ASSERT_TRUE(Parse({"--logtostderr=true", "--enable-profiling=false", "--stderrthreshold=2",
                     "--log-flush-frequency=5s"}));
  EXPECT_THAT(ignored_, IsEmpty());
}

TEST_F(OptionsTest, PrefersFlagToEnvironmentToDefault) {
  environment["KUBE_FEATURE_WatchListClient"] = "false";
  EXPECT_FALSE(Parse({})->watch_list);
  EXPECT_TRUE(Parse({"--feature-gates=WatchListClient=true"})->watch_list);
}

TEST_F(OptionsTest, AccumulatesRepeatedFeatureGates) {
  const auto options = Parse({"--feature-gates=WatchListClient=false", "--namespace=x",
                              "--feature-gates", "CAInjectorMerging=false"});

  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_FALSE(options->watch_list);
  EXPECT_FALSE(options->injector.merge_bundles);
}

TEST_F(OptionsTest, RejectsInvalidInputInOneLine) {
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{"--feature-gates=NoSuch=true"}, "--feature-gates: unrecognized feature gate: NoSuch"},
      {{"--feature-gates=WatchListClient"}, "missing bool value for WatchListClient"},
      {{"--feature-gates=InformerResourceVersion=false"},
       "cannot set feature gate InformerResourceVersion to false, feature is locked to true"},
      {{"--cache-sync-timeout=soon"}, "\"soon\" for --cache-sync-timeout: expected a duration"},
      {{"--namespace=a,Upper"}, "\"Upper\" for --namespace: not the name of a namespace"},
      {{"--ignore-namespaces=a,-b"}, "\"-b\" for --ignore-namespaces: not the name"},
      {{"--namespace=a", "--ignore-namespaces=b"},
       "--namespace and --ignore-namespaces exclude each other"},
      {{"--field-ownership=drop"},
       "invalid argument \"drop\" for --field-ownership: expected detach or keep"},
      {{"--logging-format=xml"}, "for --logging-format: expected json or text"},
      {{"--vmodule=reflector"}, "for --vmodule: expected pattern=N"},
      {{"-v=-1"}, "invalid argument \"-1\" for --v: expected 0 or more"},
      {{"--log-flush-frequency=often"}, "for --log-flush-frequency: expected a duration"},
      {{"--config=/nonexistent"}, "--config: "},
      {{"--metrics-tls-cert-file=/x"}, "--metrics-tls-private-key-file must be set together"},
      {{"--metrics-tls-private-key-file=/x"}, "must be set together"},
      {{"--metrics-tls-min-version=1.2"},
       "--metrics-tls-min-version: TLS version \"1.2\" is not known; use VersionTLS10"},
      {{"--metrics-tls-cipher-suites=AES"},
       "--metrics-tls-cipher-suites: cipher suite \"AES\" is not known; use TLS_AES_128_GCM"},
      {{"--metrics-dynamic-serving-ca-secret-name=x"},
       "not supported: this program does not issue certificates to itself; mount a Secret"},
      {{"--namespace=a\nb"}, R"("a\nb" for --namespace)"},
      {{"--namespace=-x"}, "for --namespace"},
      {{"--leader-election-namespace="}, "\"\" for --leader-election-namespace"},
      {{"--leader-election-lease-duration=30s"},
       "--leader-election-lease-duration (30s) must be greater than "
       "--leader-election-renew-deadline (40s)"},
      {{"--leader-election-retry-period=39s"},
       "--leader-election-renew-deadline (40s) must be greater than 1.2 times "
       "--leader-election-retry-period (39s)"},
      {{"--leader-election-retry-period=0s"}, "must be greater than zero"},
      {{"--leader-election-lease-duration=10ms"}, "must be at least 1s"},
      {{"--metrics-listen-address=9402"},
       "--metrics-listen-address: listen address \"9402\": missing port; use host:port"},
      {{"--metrics-listen-address=localhost:http"}, "--metrics-listen-address: "},
  };
  for (const Case& c : cases) {
    const gflags::FlagSaver restore;
    EXPECT_THAT(ParseError(c.arguments), AllOf(HasSubstr(c.message), Not(HasSubstr("\n"))));
  }
}

TEST_F(OptionsTest, IgnoresElectionDurationsWithoutElection) {
  EXPECT_TRUE(Parse({"--leader-elect=false", "--leader-election-lease-duration=0s",
                     "--leader-election-namespace="})
                  .has_value());
}

TEST_F(OptionsTest, ListsTheGatesInTheHelp) {
  Options options;
  const std::string help = NewFlagSet(options, gates_).Help();

  EXPECT_THAT(help, HasSubstr("WatchListClient=true|false (BETA - default=true)\n"));
  EXPECT_THAT(help, HasSubstr("--leader-election-lease-duration duration\n"));
  EXPECT_THAT(help, HasSubstr("(default 2m0s)"));
  EXPECT_THAT(help, HasSubstr("(default \"0.0.0.0:9402\")"));
  EXPECT_THAT(help, Not(HasSubstr("CAInjectorMerging")));  // GA: hidden, as upstream
  EXPECT_THAT(help, Not(HasSubstr("_")));
  EXPECT_THAT(help, Not(HasSubstr("logtostderr")));
}

}  // namespace
}  // namespace capstan::cmd::controller_manager
