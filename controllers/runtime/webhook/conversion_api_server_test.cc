// SPDX-License-Identifier: Apache-2.0
// The conversion webhook of this process, which an API server calls through the Service of a
// generated CustomResourceDefinition.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "capstan/client.h"
#include "capstan/crd.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/scope.h"
#include "capstan/webhook/conversion.h"
#include "controllers/runtime/testing/kinds.h"
#include "controllers/runtime/webhook/testing/kinds.h"
#include "controllers/runtime/webhook/testing/webhook_client.h"

namespace capstan::webhook {
namespace {

class ConversionApiServerTest : public testing::ManagerFixture {
 protected:
  ConversionApiServerTest() : manager_(NewManager({})) {
    Server* const server = Value(
        AddServer(*manager_, {.host = "127.0.0.1", .port = 0, .cert_dir = certificate_.dir()}));
    const auto declared =
        ConversionFor<FooV2>(*manager_)
            .Spoke<FooV1>(
                [](const FooV1& foo, FooV2& hub) { hub.spec.replicas = std::stoi(foo.spec.size); },
                [](const FooV2& hub, FooV1& foo) {
                  foo.spec.size = std::to_string(hub.spec.replicas.value_or(0));
                })
            .Complete();
    EXPECT_TRUE(declared.has_value());
    EXPECT_TRUE(server->Listen().has_value());
    api_server_.emplace(testing::apiserver::Options{
        .webhook_services = {
            {"foo-system/foo-webhook:443", "127.0.0.1:" + std::to_string(server->port())}}});
    EXPECT_TRUE(api_server_->Start().has_value());
    foo_client_ = Value(rest::Client::New(api_server_->Config()));
  }

  ServingCertificate certificate_;
  std::unique_ptr<Manager> manager_;
  std::optional<testing::apiserver::Server> api_server_;
  std::unique_ptr<rest::Client> foo_client_;
};

TEST_F(ConversionApiServerTest, ServesEachVersionOfADeclaredKind) {
  testing::Scope scope(*foo_client_, "foo-test",
                       {CustomResourceDefinition<FooV2, FooV1>(
                           {.conversion = {{.service_namespace = "foo-system",
                                            .service_name = "foo-webhook",
                                            .ca_pem = certificate_.ca().cert_pem}}})});
  const Client<FooV1> first(*foo_client_);
  const Client<FooV2> second(*foo_client_);
  FooV1 foo;
  foo.metadata.namespace_ = scope.NewNamespace();
  foo.metadata.name = "a";
  foo.spec.size = "3";

  const FooV1 created = testing::Create(first, foo);
  const auto read = second.Get({}, {foo.metadata.namespace_, "a"});

  EXPECT_EQ(created.spec.size, "3");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ((*read)->spec.replicas, 3);
  FooV2 changed = **read;
  changed.spec.replicas = 4;
  ASSERT_TRUE(second.Update({}, changed).has_value());
  const auto again = first.Get({}, {foo.metadata.namespace_, "a"});
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ((*again)->spec.size, "4");
}

}  // namespace
}  // namespace capstan::webhook
