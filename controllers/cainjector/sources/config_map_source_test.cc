// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/config_map_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "capstan/logging.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ConfigMapSourceTest : public ::testing::Test {
 protected:
  static std::string Path(const std::string& name) {
    return "/api/v1/namespaces/ns/configmaps/" + name;
  }
  // Writes the ConfigMap ns/<name> to the API server, and returns its JSON.
  std::string Put(const std::string& name, const std::map<std::string, std::string>& data,
                  const std::string& version = "1") {
    std::string members;
    for (const auto& [key, value] : data) {
      members += (members.empty() ? "\"" : ",\"") + key + "\":" + Quoted(value);
    }
    const std::string json = R"({"kind":"ConfigMap","metadata":{"namespace":"ns","name":")" + name +
                             R"(","uid":"u","resourceVersion":")" + version + R"("},"data":{)" +
                             members + "}}";
    cluster_.PutObject(Path(name), json);
    return json;
  }
  // The same, and the ConfigMap has the label.
  void PutLabelled(const std::string& name, const std::map<std::string, std::string>& data,
                   const std::string& version = "1") {
    labelled_.Upsert(Decode(ConfigMapMetadataType(), Put(name, data, version)));
  }
  Failure FailureOf(const std::string& value) {
    const auto outcome = source_.Get({}, value);
    if (outcome) return {.reason = Reason::kInjected};
    return outcome.error();
  }
  std::size_t Gets() const { return cluster_.Count("GET"); }

  FakeCluster cluster_;
  cache::Indexer labelled_;
  CacheResolver resolver_{
      labelled_, resolver::NewResolver(ConfigMapMetadataType(), {.client = cluster_.client.get()})};
  CaCertLoader loader_{*cluster_.client,
                       resolver_,
                       {.kind = CaCertLoaderOptions::Kind::kConfigMap, .entries_max = 8}};
  ConfigMapSource source_{loader_, {.scope = {.ignored = {"hidden"}}}};
  const std::string ca_ = NewCaPem();
};

TEST_F(ConfigMapSourceTest, ReadsCaCrtByDefault) {
  const std::string other = NewCaPem();
  Put("trust", {{"ca.crt", ca_}, {"root.pem", other}});

  EXPECT_EQ(EncodeBundle(source_.Get({}, "ns/trust").value()->certificates), ca_);
  EXPECT_EQ(EncodeBundle(source_.Get({}, "ns/trust/root.pem").value()->certificates), other);
}

// The same text is allowed in a Secret. The bundles of OpenShift, RHEL and curl have such lines.
TEST_F(ConfigMapSourceTest, ReadsCertificatesBelowLinesOfText) {
  Put("trust", {{"ca.crt", "# ACCVRAIZ1\n" + ca_}});

  EXPECT_EQ(EncodeBundle(source_.Get({}, "ns/trust").value()->certificates), ca_);
}

TEST_F(ConfigMapSourceTest, RejectsWhatIsNoBundle) {
  const std::string key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
  Put("trust", {{"key", "# hush\n" + ca_ + key},
                {"garbage", "hush"},
                {"empty", ""},
                {"large", std::string(400'000, 'x')}});

  EXPECT_EQ(FailureOf("ns/trust/key").reason, Reason::kInvalidBundle);
  EXPECT_THAT(FailureOf("ns/trust/key").message,
              AllOf(HasSubstr("key of ConfigMap ns/trust: PEM block 2 is a private key"),
                    Not(HasSubstr("hush"))));
  EXPECT_EQ(FailureOf("ns/trust/garbage").reason, Reason::kInvalidBundle);
  EXPECT_EQ(FailureOf("ns/trust/large").reason, Reason::kInvalidBundle);
  EXPECT_EQ(FailureOf("ns/trust/empty").reason, Reason::kNoCaData);
  EXPECT_EQ(FailureOf("ns/trust/absent").reason, Reason::kNoCaData);
}

TEST_F(ConfigMapSourceTest, ReportsWhetherTheConfigMapIsWatched) {
  Put("plain", {{"ca.crt", ca_}});
  PutLabelled("labelled", {{"ca.crt", ca_}});
  PutLabelled("broken", {});

  EXPECT_FALSE(source_.Get({}, "ns/plain").value()->watched);
  EXPECT_TRUE(source_.Get({}, "ns/labelled").value()->watched);
  EXPECT_TRUE(FailureOf("ns/broken").watched);
  EXPECT_FALSE(FailureOf("ns/absent").watched);
  EXPECT_EQ(FailureOf("ns/absent").reason, Reason::kSourceNotFound);
}

TEST_F(ConfigMapSourceTest, ReportsWhyAConfigMapCannotBeRead) {
  cluster_.Fail("GET", 403, "Forbidden", "no RBAC");
  EXPECT_EQ(FailureOf("ns/trust").reason, Reason::kForbidden);
  cluster_.FailNoMore();
  cluster_.Fail("GET", 500, "InternalError", "no answer");
  EXPECT_EQ(FailureOf("ns/trust").reason, Reason::kError);
  EXPECT_EQ(FailureOf("hidden/trust").reason, Reason::kOutsideNamespace);
}

TEST_F(ConfigMapSourceTest, GetsEachVersionOfALabelledConfigMapOnce) {
  ConfigMapSource source(loader_, {});
  PutLabelled("trust", {{"ca.crt", ca_}, {"other", "text"}});

  for (int i = 0; i < 3; ++i) EXPECT_TRUE(source.Get({}, "ns/trust").has_value());
  EXPECT_EQ(Gets(), 1U);
  EXPECT_EQ(source.Get({}, "ns/trust/other").error().reason, Reason::kInvalidBundle);
  EXPECT_EQ(Gets(), 2U);

  const std::string rotated = NewCaPem();
  PutLabelled("trust", {{"ca.crt", rotated}}, "2");
  EXPECT_EQ(EncodeBundle(source.Get({}, "ns/trust").value()->certificates), rotated);
  EXPECT_EQ(Gets(), 3U);
}

TEST_F(ConfigMapSourceTest, CachesNoDataOfLabelledConfigMaps) {
  PutLabelled("trust", {{"ca.crt", std::string(1'000'000, 'x')}});

  EXPECT_LT(labelled_.ByteSize(), 500U);
}

TEST_F(ConfigMapSourceTest, HoldsALimitedNumberOfBytes) {
  CaCertLoader loader(*cluster_.client, resolver_,
                      {.kind = CaCertLoaderOptions::Kind::kConfigMap, .bytes_max = 5 * ca_.size()});
  ConfigMapSource source(loader, {});
  for (int i = 0; i < 20; ++i) {
    PutLabelled("cm-" + std::to_string(i), {{"ca.crt", NewCaPem() + NewCaPem()}});
    EXPECT_TRUE(source.Get({}, "ns/cm-" + std::to_string(i)).has_value());
  }

  EXPECT_LE(loader.ByteSize(), 5 * ca_.size());
  EXPECT_GE(loader.Size(), 2U);
  const std::size_t gets = Gets();
  EXPECT_TRUE(source.Get({}, "ns/cm-19").has_value());  // the last one is held
  EXPECT_EQ(Gets(), gets);
}

TEST_F(ConfigMapSourceTest, ForgetsEachKeyOfADeletedConfigMap) {
  CacheResolver cached(labelled_);
  CaCertLoader loader(*cluster_.client, cached, {.kind = CaCertLoaderOptions::Kind::kConfigMap});
  ConfigMapSource source(loader, {});
  PutLabelled("trust", {{"ca.crt", ca_}, {"root.pem", ca_}});
  PutLabelled("trust-2", {{"ca.crt", ca_}});
  EXPECT_TRUE(source.Get({}, "ns/trust").has_value());
  EXPECT_TRUE(source.Get({}, "ns/trust/root.pem").has_value());
  EXPECT_TRUE(source.Get({}, "ns/trust-2").has_value());

  labelled_.Delete("ns/trust");

  EXPECT_EQ(source.Get({}, "ns/trust").error().reason, Reason::kSourceNotFound);
  EXPECT_EQ(loader.Size(), 1U);
}

TEST_F(ConfigMapSourceTest, RejectsInvalidReferences) {
  for (const std::string value :
       {"", "/", "name", "/name", "ns/", "ns//", "ns/name/", "ns/name/a/b", "//", "ns//key",
        "ns/name/*", "ns/name/a b", "ns/name/..", "ns/name/\u2026"}) {
    EXPECT_EQ(FailureOf(value).reason, Reason::kBadAnnotation) << value;
    EXPECT_THAT(FailureOf(value).message,
                AllOf(HasSubstr("\"" + value + "\""), HasSubstr("\"namespace/name/key\"")));
  }
}

}  // namespace
}  // namespace capstan::cainjector
