// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/testing/apiserver/testing/rest_fixture.h"

namespace capstan::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kDefinition[] =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
    R"("metadata":{"name":"foos.x.io"},"spec":{"group":"x.io","scope":"Namespaced",)"
    R"("names":{"kind":"Foo","plural":"foos"},"versions":[{"name":"v1","served":true,)"
    R"("storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":)"
    R"({"type":"object","properties":{"size":{"type":"integer"}}}}}}}]}})";

class ScopeTest : public apiserver::RestFixture {
 protected:
  Unstructured NewFoo(const std::string& ns, const std::string& size) const {
    return Value(
        Unstructured::FromJson(R"({"apiVersion":"x.io/v1","kind":"Foo","metadata":{"name":"a",)"
                               R"("namespace":")" +
                               ns + R"("},"spec":{"size":)" + size + "}}"),
        "a Foo");
  }
  Client<Unstructured> Foos() const {
    return {*client_, Unstructured::TypeFor({"x.io", "v1", "foos"}, "Foo", true)};
  }
  Client<Unstructured> Namespaces() const {
    return {*client_, Unstructured::TypeFor({"", "v1", "namespaces"}, "Namespace", false)};
  }
};

TEST_F(ScopeTest, CreatesDefinitionsAndNamespacesAndDeletesThem) {
  std::string first;
  {
    Scope scope(*client_, "test", {kDefinition});
    first = scope.NewNamespace({{"team", "a"}});
    const std::string second = scope.NewNamespace();
    EXPECT_THAT(first, StartsWith("test-"));
    EXPECT_NE(first, second);
    EXPECT_EQ(Value(Namespaces().Get({}, {"", first}), "get")->metadata.labels.at("team"), "a");
    EXPECT_EQ(testing::Create(Foos(), NewFoo(first, "3")).metadata.namespace_, first);
  }

  EXPECT_FALSE(Foos().List({}).has_value());
  EXPECT_TRUE(Eventually([&] { return !Namespaces().Get({}, {"", first}).has_value(); }));
}

// Nothing serves the webhooks here, so each call fails.
// controllers/runtime/webhook/api_server_test.cc serves them.
TEST_F(ScopeTest, InstallsWebhooksForItsNamespacesUntilItsEnd) {
  const auto type = Unstructured::TypeFor({"", "v1", "configmaps"}, "ConfigMap", true);
  const Client<Unstructured> config_maps(*client_, type);
  const auto create = [&](const std::string& ns) {
    Unstructured config_map("v1", "ConfigMap");
    config_map.metadata.namespace_ = ns;
    config_map.metadata.generate_name = "a";
    return config_maps.Create({}, config_map);
  };
  const LocalWebhook webhook = {.url = "https://127.0.0.1:1/x", .ca_pem = "ca"};
  Scope other(*client_, "other");
  const std::string of_other = other.NewNamespace();
  {
    Scope mutating(*client_, "mutating");
    Scope validating(*client_, "validating");
    const std::string mutated = mutating.NewNamespace();
    const std::string validated = validating.NewNamespace();
    mutating.InstallMutatingWebhook(type, webhook);
    validating.InstallValidatingWebhook(type, webhook);

    for (const std::string& ns : {mutated, validated}) {
      const auto created = create(ns);
      ASSERT_FALSE(created.has_value());
      EXPECT_THAT(created.error().message,
                  HasSubstr("failed calling webhook \"configmaps.webhook.capstan.dev\""));
    }
    EXPECT_TRUE(create(of_other).has_value());
    Scope all(*client_, "all");
    all.InstallMutatingWebhook(type, webhook);
    EXPECT_FALSE(create(of_other).has_value()) << "a Scope without namespaces";
  }

  EXPECT_TRUE(create(of_other).has_value());
  EXPECT_TRUE(create(other.NewNamespace()).has_value());
}

TEST_F(ScopeTest, CreateFailsAtOnceForAnInvalidObject) {
  Scope scope(*client_, "test", {kDefinition});
  const std::string ns = scope.NewNamespace();

  try {
    testing::Create(Foos(), NewFoo(ns, "true"));
    FAIL() << "it must throw";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), StartsWith("failed to create Foo " + ns + "/a: "));
    EXPECT_THAT(error.what(), HasSubstr("spec.size"));
  }
}

}  // namespace
}  // namespace capstan::testing
