// SPDX-License-Identifier: Apache-2.0
// Webhooks of this process, which an API server calls. It is the example of
// docs/library/webhooks.md.
#include <gtest/gtest.h>

#include <string>

#include "capstan/client.h"
#include "capstan/crd.h"
#include "capstan/manager.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/certificates.h"
#include "capstan/testing/running.h"
#include "capstan/testing/scope.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/typed_object.h"
#include "capstan/webhook/builder.h"
#include "capstan/webhook/server.h"

namespace capstan::webhook {
namespace {

struct Foo {
  ObjectMeta metadata = {};
  struct Spec {
    std::string color = {};
    int size = 1;
  } spec = {};
};

}  // namespace
}  // namespace capstan::webhook

template <>
inline constexpr auto capstan::kKind<capstan::webhook::Foo> =
    Kind("x.io", "v1", "Foo", "foos")
        .Namespaced()
        .Spec(Field("color", &webhook::Foo::Spec::color), Field("size", &webhook::Foo::Spec::size));

namespace capstan::webhook {
namespace {

Expected<void> AddFooWebhooks(Manager& manager) {
  return WebhookFor<Foo>(manager)
      .Default([](Foo& foo) {
        if (foo.spec.color.empty()) foo.spec.color = "blue";
      })
      .ValidateCreate([](const Foo& foo) -> Expected<void> {
        if (foo.spec.size % 2 == 1) return {};
        return Err(ErrorReason::kInvalid, "spec.size: must be odd");
      })
      .Complete();
}

TEST(ApiServerTest, CallsTheWebhooksOfThisProcess) {
  testing::apiserver::Server api_server;
  testing::Value(api_server.Start(), "the API server");
  const auto client = testing::Value(rest::Client::New(api_server.Config()), "a client");
  testing::Scope scope(*client, "foo-test", {CustomResourceDefinition<Foo>()});
  const auto manager =
      testing::Value(Manager::New(api_server.Config(), {.name = "foo-test"}), "a manager");

  // A free port of this machine, and a certificate for it.
  const auto ca = testing::Value(testing::MakeCa({.common_name = "ca"}), "a CA");
  const auto pair = testing::Value(testing::MakeLocalhostCertificate(ca), "a certificate");
  const testing::TempDir dir;
  dir.Write("tls.crt", pair.cert_pem);
  dir.Write("tls.key", pair.key_pem);
  auto* const webhooks = testing::Value(
      AddServer(*manager, {.host = "127.0.0.1", .port = 0, .cert_dir = dir.Path("")}),
      "the server of webhooks");
  testing::Value(AddFooWebhooks(*manager), "the webhooks");
  testing::Value(webhooks->Listen(), "listen");
  testing::Running running(*manager);

  const std::string url = "https://127.0.0.1:" + std::to_string(webhooks->port());
  const std::string ns = scope.NewNamespace();
  scope.InstallMutatingWebhook(TypeOf<Foo>(), {url + "/mutate-x-io-v1-foo", ca.cert_pem});
  scope.InstallValidatingWebhook(TypeOf<Foo>(), {url + "/validate-x-io-v1-foo", ca.cert_pem});

  const Client<Foo> foos(*client);
  Foo foo;
  foo.metadata.namespace_ = ns;
  foo.metadata.name = "a";
  foo.spec.size = 2;
  const auto rejected = foos.Create({}, foo);
  foo.spec.size = 3;
  const auto created = foos.Create({}, foo);

  ASSERT_FALSE(rejected.has_value());
  EXPECT_TRUE(IsInvalid(rejected.error())) << rejected.error().message;
  EXPECT_NE(rejected.error().message.find("spec.size: must be odd"), std::string::npos);
  ASSERT_TRUE(created.has_value()) << created.error().message;
  EXPECT_EQ((*created)->spec.color, "blue");
}

}  // namespace
}  // namespace capstan::webhook
