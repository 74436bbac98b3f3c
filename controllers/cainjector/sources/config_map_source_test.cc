// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/config_map_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "capstan/clientgo/api/config_map.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::controllers::cainjector {
namespace {

using clientgo::api::ConfigMap;
using clientgo::runtime::ObjectKey;
using clientgo::runtime::ObjectPtr;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// FakeResolver returns the objects it has, and one error for all others.
class FakeResolver final : public controllers::resolver::ObjectResolver {
 public:
  std::string name() const override { return "fake"; }
  clientgo::util::Expected<ObjectPtr> Get(std::stop_token /*stop*/, const ObjectKey& key) override {
    const auto found = objects.find(key.String());
    if (found == objects.end()) return Err(missing, "no answer");
    return found->second;
  }
  std::map<std::string, ObjectPtr> objects;
  ErrorReason missing = ErrorReason::kNotFound;
};

class ConfigMapSourceTest : public ::testing::Test {
 protected:
  ObjectPtr Put(const std::string& name, ConfigMap::Data data) {
    resolver_->objects["ns/" + name] = clientgo::runtime::MakeObject<ConfigMap>(
        clientgo::runtime::ObjectIdentity{
            .namespace_ = "ns", .name = name, .uid = "u", .resource_version = "1"},
        std::move(data));
    return resolver_->objects["ns/" + name];
  }
  Failure FailureOf(const std::string& value) {
    const auto outcome = source_.Get({}, value);
    if (outcome) return {.reason = Reason::kInjected};
    return outcome.error();
  }

  FakeResolver* resolver_ = new FakeResolver;  // owned by reader_
  clientgo::cache::Indexer watched_;
  ResolverObjectReader reader_{
      "ConfigMap", std::unique_ptr<controllers::resolver::ObjectResolver>(resolver_),
      [this](std::string_view key) { return watched_.GetByKey(key) != nullptr; }};
  ConfigMapSource source_{reader_, {.scope = {.ignored = {"hidden"}}}};
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
  watched_.Upsert(Put("labelled", {{"ca.crt", ca_}}));
  watched_.Upsert(Put("broken", {}));

  EXPECT_FALSE(source_.Get({}, "ns/plain").value()->watched);
  EXPECT_TRUE(source_.Get({}, "ns/labelled").value()->watched);
  EXPECT_TRUE(FailureOf("ns/broken").watched);
  EXPECT_FALSE(FailureOf("ns/absent").watched);
  EXPECT_EQ(FailureOf("ns/absent").reason, Reason::kSourceNotFound);
}

TEST_F(ConfigMapSourceTest, ReportsWhyAConfigMapCannotBeRead) {
  resolver_->missing = ErrorReason::kForbidden;
  EXPECT_EQ(FailureOf("ns/trust").reason, Reason::kForbidden);
  resolver_->missing = ErrorReason::kInternalError;
  EXPECT_EQ(FailureOf("ns/trust").reason, Reason::kError);
  EXPECT_EQ(FailureOf("hidden/trust").reason, Reason::kOutsideNamespace);
}

TEST_F(ConfigMapSourceTest, RejectsInvalidReferences) {
  for (const std::string value :
       {"", "/", "name", "/name", "ns/", "ns//", "ns/name/", "ns/name/a/b", "//", "ns//key"}) {
    EXPECT_EQ(FailureOf(value).reason, Reason::kBadAnnotation) << value;
    EXPECT_THAT(FailureOf(value).message,
                AllOf(HasSubstr("\"" + value + "\""), HasSubstr("\"namespace/name/key\"")));
  }
}

}  // namespace
}  // namespace capstan::controllers::cainjector
