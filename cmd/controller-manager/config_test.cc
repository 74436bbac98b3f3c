// SPDX-License-Identifier: Apache-2.0
// Tests the configuration file of cert-manager's cainjector: the cases of its command and
// configuration tests, and every field.
#include <glog/logging.h>

#include <gflags/gflags.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "capstan/testing/temp_dir.h"
#include "cmd/controller-manager/options.h"
#include "cmd/injector/options.h"

DECLARE_int32(v);
DECLARE_string(vmodule);

namespace capstan::cmd::controller_manager {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ConfigTest : public ::testing::Test {
 protected:
  // Returns the options for the file and the arguments.
  Expected<Options> Load(const std::string& body, std::vector<std::string> arguments = {}) {
    const gflags::FlagSaver restore;
    const std::string path = dir_.Write("config.yaml",
                                        "apiVersion: cainjector.config.cert-manager.io/v1alpha1\n"
                                        "kind: CAInjectorConfiguration\n" +
                                            body);
    arguments.push_back("--config=" + path);
    featuregate::FeatureGate gates([](const std::string&) { return std::nullopt; });
    injector::AddFeatures(gates);
    Options bound;
    flags::FlagSet set = NewFlagSet(bound, gates);
    if (auto parsed = set.Parse(arguments); !parsed) return Err(parsed.error());
    auto options = ReadOptions(set, bound, gates);
    ignored_.clear();
    for (const auto& flag : set.Ignored()) ignored_.push_back(flag.name);
    verbosity_ = FLAGS_v;
    vmodule_ = FLAGS_vmodule;
    return options;
  }
  std::string LoadError(const std::string& body, const std::vector<std::string>& arguments = {}) {
    const auto options = Load(body, arguments);
    return options ? "no error" : options.error().message;
  }

  const testing::TempDir dir_;
  std::vector<std::string> ignored_;
  int verbosity_ = 0;
  std::string vmodule_;
};

TEST_F(ConfigTest, ReadsEveryField) {
  const auto options = Load(R"(
kubeConfig: kubeconfig
namespace: a,b
leaderElectionConfig:
  enabled: true
  namespace: cert-manager
  leaseDuration: 30s
  renewDeadline: 20s
  retryPeriod: 5s
enableDataSourceConfig:
  certificates: false
enableInjectableConfig:
  validatingWebhookConfigurations: false
  mutatingWebhookConfigurations: false
  customResourceDefinitions: false
  apiServices: false
  configMaps: true
  clusterTrustBundles: true
additionalTargets:
- group: cert-manager.io
  version: v1
  kind: Issuer
  resource: issuers
  fields: [spec.acme.caBundle, "spec.vault.caBundle"]
enablePprof: true
pprofAddress: localhost:7070
logging:
  format: json
  flushFrequency: 1s
  verbosity: 4
  vmodule:
  - filePattern: reflector
    verbosity: 6
  options:
    text: {splitStream: true, infoBufferSize: 1Ki}
    json: {splitStream: true, infoBufferSize: 1Ki}
featureGates:
  CAInjectorMerging: false
metricsListenAddress: 127.0.0.1:9999
metricsTLSConfig:
  cipherSuites: [TLS_AES_128_GCM_SHA256]
  minTLSVersion: VersionTLS13
  filesystem: {certFile: tls.crt, keyFile: /tls.key}
  dynamic: {secretNamespace: ns, secretName: ca, dnsNames: [a, b], leafDuration: 1h}
)");

  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->kubeconfig, dir_.Path("kubeconfig"));
  EXPECT_THAT(options->injector.namespaces, ElementsAre("a", "b"));
  EXPECT_EQ(options->leader_election.lease_namespace, "cert-manager");
  EXPECT_EQ(options->leader_election.lease_duration, seconds(30));
  EXPECT_EQ(options->leader_election.renew_deadline, seconds(20));
  EXPECT_EQ(options->leader_election.retry_period, seconds(5));
  EXPECT_FALSE(options->injector.certificates);
  EXPECT_FALSE(options->injector.kinds.validating_webhook_configurations);
  EXPECT_FALSE(options->injector.kinds.mutating_webhook_configurations);
  EXPECT_FALSE(options->injector.kinds.custom_resource_definitions);
  EXPECT_FALSE(options->injector.kinds.api_services);
  EXPECT_TRUE(options->injector.kinds.config_maps);
  EXPECT_TRUE(options->injector.kinds.cluster_trust_bundles);
  ASSERT_EQ(options->injector.kinds.additional.size(), 1U);
  EXPECT_EQ(options->injector.kinds.additional[0]->options.fields.at(1).String(),
            "spec.vault.caBundle");
  EXPECT_FALSE(options->injector.merge_bundles);
  EXPECT_EQ(options->log_format, LogFormat::kJson);
  EXPECT_EQ(verbosity_, 4);
  EXPECT_EQ(vmodule_, "reflector=6");
  EXPECT_EQ(options->metrics, (BindAddress{"127.0.0.1", 9999}));
  EXPECT_EQ(options->metrics_tls->cert_file, dir_.Path("tls.crt"));
  EXPECT_EQ(options->metrics_tls->key_file, "/tls.key");
  EXPECT_EQ(options->metrics_tls->options.min_version, httpserver::TlsVersion::k13);
  EXPECT_THAT(options->metrics_tls->options.cipher_suites, ElementsAre("TLS_AES_128_GCM_SHA256"));
  EXPECT_THAT(ignored_, ElementsAre("enable-profiling", "log-flush-frequency",
                                    "log-json-info-buffer-size", "log-json-split-stream",
                                    "log-text-info-buffer-size", "log-text-split-stream",
                                    "metrics-dynamic-serving-leaf-duration", "profiler-address"));
}

TEST_F(ConfigTest, RejectsAMistakeInAnAdditionalTarget) {
  EXPECT_THAT(LoadError("additionalTargets:\n- {version: v1, kind: Secret, resource: secrets, "
                        "fields: [data.ca]}\n"),
              ::testing::AllOf(HasSubstr("additionalTargets[0]: Secrets cannot be targets"),
                               HasSubstr("config.yaml")));
  EXPECT_THAT(LoadError("additionalTargets: issuers\n"),
              HasSubstr("additionalTargets: expected a list or a map"));
}

TEST_F(ConfigTest, ReadsTheExampleInTheManual) {
  std::ostringstream manual;
  manual << std::ifstream(FLAGS_MD).rdbuf();
  const std::string text = manual.str();
  const std::size_t begin = text.find("kind: CAInjectorConfiguration\n");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t body = text.find('\n', begin) + 1;

  const auto options = Load(text.substr(body, text.find("```", body) - body));

  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_THAT(options->injector.namespaces, ElementsAre("team-a", "team-b"));
  EXPECT_EQ(options->metrics_tls->key_file, dir_.Path("tls.key"));
}

TEST_F(ConfigTest, HasAFlagForEveryField) {
  featuregate::FeatureGate gates;
  injector::AddFeatures(gates);
  Options options;
  const flags::FlagSet set = NewFlagSet(options, gates);

  std::set<std::string> paths;
  for (const auto& field : NewConfigSchema().fields) {
    EXPECT_NE(set.Find(field.flag), nullptr) << field.flag;
    EXPECT_TRUE(paths.insert(field.path).second) << field.path;
  }
}

// The seven cases of upstream's command test.
TEST_F(ConfigTest, ReadsTheFlagKubeconfig) {
  EXPECT_EQ(Load("", {"--kubeconfig=/valid"})->kubeconfig, "/valid");
}

TEST_F(ConfigTest, PrefersTheFlagToTheFile) {
  EXPECT_EQ(Load("kubeConfig: /from-file\n", {"--kubeconfig=/from-flag"})->kubeconfig,
            "/from-flag");
}

TEST_F(ConfigTest, ResolvesPathsRelativeToTheFile) {
  EXPECT_EQ(Load("kubeConfig: some/file\n")->kubeconfig, dir_.Path("some/file"));
}

TEST_F(ConfigTest, UsesDefaultsForAnEmptyMap) {
  EXPECT_TRUE(Load("enableDataSourceConfig: {}\n")->injector.certificates);
  EXPECT_TRUE(Load("enableInjectableConfig:\n")->injector.kinds.api_services);
}

TEST_F(ConfigTest, RejectsAWrongType) {
  EXPECT_THAT(LoadError("enableDataSourceConfig: {certificates: 7}\n"),
              EndsWith("config.yaml:3: enableDataSourceConfig.certificates: expected true or "
                       "false, without quotes"));
}

TEST_F(ConfigTest, CombinesFileAndFlags) {
  const auto options = Load("enableInjectableConfig: {validatingWebhookConfigurations: false}\n",
                            {"--enable-mutatingwebhookconfigurations-injectable=false"});

  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_FALSE(options->injector.kinds.validating_webhook_configurations);
  EXPECT_FALSE(options->injector.kinds.mutating_webhook_configurations);
  EXPECT_TRUE(options->injector.kinds.api_services);
}

TEST_F(ConfigTest, ReadsLoggingFromTheFile) {
  const auto options = Load("logging: {format: json, verbosity: 2}\n");

  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->log_format, LogFormat::kJson);
  EXPECT_EQ(verbosity_, 2);
}

// The cases of upstream's validation test.
TEST_F(ConfigTest, ValidatesTheFile) {
  EXPECT_THAT(LoadError("logging: {format: unknown}\n"),
              HasSubstr("\"unknown\" for --logging-format: expected json or text (values without "
                        "a flag come from " +
                        dir_.Path("config.yaml") + ")"));
  EXPECT_THAT(LoadError("leaderElectionConfig: {enabled: true, leaseDuration: 0s}\n"),
              HasSubstr("--leader-election-lease-duration must be at least 1s"));
  EXPECT_THAT(LoadError("leaderElectionConfig: {renewDeadline: 0s}\n"),
              HasSubstr("--leader-election-renew-deadline (0s) must be greater than"));
  EXPECT_THAT(LoadError("leaderElectionConfig: {retryPeriod: 0s}\n"),
              HasSubstr("--leader-election-retry-period must be greater than zero"));
  EXPECT_THAT(LoadError("featureGates: {NoSuch: true}\n"), HasSubstr("feature gate: NoSuch"));
  EXPECT_THAT(LoadError("ignoreNamespaces: [a]\n", {"--namespace=b"}), HasSubstr("exclude each"));
}

TEST_F(ConfigTest, ReadsIgnoredNamespacesAsAList) {
  EXPECT_THAT(Load("ignoreNamespaces: [a, b]\n")->injector.ignore_namespaces,
              ElementsAre("a", "b"));
  EXPECT_THAT(Load("ignoreNamespaces: []\n")->injector.ignore_namespaces, IsEmpty());
}

TEST_F(ConfigTest, PrefersTheGateOfTheFlag) {
  const auto options = Load("featureGates: {CAInjectorMerging: false, WatchListClient: false}\n",
                            {"--feature-gates=CAInjectorMerging=true"});

  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_TRUE(options->injector.merge_bundles);
  EXPECT_FALSE(options->watch_list);
}

TEST_F(ConfigTest, RejectsAnUnknownFieldWithASuggestion) {
  EXPECT_THAT(LoadError("leaderElectionConfig:\n  leaseDurations: 60s\n"),
              EndsWith("config.yaml:4: leaderElectionConfig: unknown field \"leaseDurations\"; did "
                       "you mean leaseDuration?"));
}

}  // namespace
}  // namespace capstan::cmd::controller_manager
