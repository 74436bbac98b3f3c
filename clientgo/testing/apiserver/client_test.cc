// SPDX-License-Identifier: Apache-2.0
// Tests of the server through clientgo's client, over TLS, with a token.
#include "capstan/rest/client.h"
#include "capstan/clientcmd/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "capstan/api/object_metadata.h"
#include "capstan/testing/apiserver/server.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::ElementsAre;

std::string SecretJson(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"ns","name":")" + name +
         "\"}}";
}

class ClientTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto started = server_.Start();
    ASSERT_TRUE(started.has_value()) << started.error().message;
    ASSERT_TRUE(
        server_.CreateObjects({SecretJson("c"), SecretJson("a"), SecretJson("b")}).has_value());
    client_ = NewClient(server_.ca_pem(), "secret-token");
  }

  std::unique_ptr<rest::Client> NewClient(const std::string& ca_pem, const std::string& token) {
    rest::Config config;
    config.host = server_.url();
    config.tls.ca_data = ca_pem;
    config.bearer_token = token;
    config.user_agent = "client-test/1.0";
    auto client = rest::Client::New(std::move(config));
    EXPECT_TRUE(client.has_value());
    return std::move(*client);
  }

  const runtime::ResourceType type_ =
      api::MakeMetadataType({.gvr = {.group = "", .version = "v1", .resource = "secrets"},
                             .kind = "Secret",
                             .namespaced = true});
  Server server_{{.tokens = {{"secret-token", "jane"}}}};
  std::unique_ptr<rest::Client> client_;
};

TEST_F(ClientTest, ListsPageByPage) {
  std::vector<std::string> keys;
  rest::ListOptions options{.limit = 2};
  const auto collect = [&](const runtime::ObjectPtr& object) { keys.emplace_back(object->key()); };

  const auto first = client_->List({}, type_, options, collect);
  ASSERT_TRUE(first.has_value()) << first.error().message;
  options.continue_token = first->continue_token;
  const auto second = client_->List({}, type_, options, collect);

  ASSERT_TRUE(second.has_value()) << second.error().message;
  EXPECT_THAT(keys, ElementsAre("ns/a", "ns/b", "ns/c"));
  EXPECT_EQ(second->continue_token, "");
  EXPECT_EQ(second->resource_version, first->resource_version);
}

TEST_F(ClientTest, WatchesFromInitialState) {
  rest::ListOptions options{.resource_version_match = "NotOlderThan",
                            .allow_watch_bookmarks = true,
                            .send_initial_events = true,
                            .timeout = std::chrono::seconds(300)};
  const auto watcher = client_->Watch({}, type_, options);
  ASSERT_TRUE(watcher.has_value()) << watcher.error().message;

  std::vector<std::string> keys;
  auto event = (*watcher)->Next();
  for (; event && *event && (*event)->type == runtime::EventType::kAdded;
       event = (*watcher)->Next()) {
    keys.emplace_back((*event)->object->key());
  }

  ASSERT_TRUE(event.has_value() && event->has_value());
  EXPECT_TRUE((*event)->initial_events_end);
  EXPECT_THAT(keys, ElementsAre("ns/a", "ns/b", "ns/c"));
  ASSERT_TRUE(
      client_->Delete({}, type_, runtime::ObjectKey{.namespace_ = "ns", .name = "b"}).has_value());
  event = (*watcher)->Next();
  ASSERT_TRUE(event.has_value() && event->has_value());
  EXPECT_EQ((*event)->type, runtime::EventType::kDeleted);
}

TEST_F(ClientTest, ReportsNotFoundUnauthorizedAndUntrusted) {
  const runtime::ObjectKey key{.namespace_ = "ns", .name = "a"};
  const auto missing =
      client_->Get({}, type_, runtime::ObjectKey{.namespace_ = "ns", .name = "none"});
  const auto unauthorized = NewClient(server_.ca_pem(), "wrong")->Get({}, type_, key);
  Server other({.name = "other"});
  ASSERT_TRUE(other.Start().has_value());
  const auto untrusted = NewClient(other.ca_pem(), "secret-token")->Get({}, type_, key);

  ASSERT_FALSE(missing.has_value());
  EXPECT_TRUE(IsNotFound(missing.error()));
  EXPECT_EQ(missing.error().http_code, 404);
  ASSERT_FALSE(unauthorized.has_value());
  EXPECT_TRUE(IsUnauthorized(unauthorized.error()));
  EXPECT_FALSE(untrusted.has_value());
}

TEST_F(ClientTest, WritesKubeconfigThatClientsCanLoad) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "apiserver-client-test.kubeconfig";
  std::ofstream(path) << server_.Kubeconfig("secret-token");

  const auto config = clientcmd::LoadKubeconfig({path.string()}, "");

  std::filesystem::remove(path);
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->host, server_.url());
  EXPECT_EQ(config->tls.ca_data, server_.ca_pem());
  EXPECT_EQ(config->bearer_token, "secret-token");
  const rest::Config same = server_.Config("secret-token");
  EXPECT_EQ(same.host, config->host);
  EXPECT_EQ(same.tls.ca_data, config->tls.ca_data);
  EXPECT_EQ(same.bearer_token, config->bearer_token);
}

TEST(ServerTest, UsesGivenCertificateAndAcceptsClientsOfGivenCas) {
  const KeyPair serving_ca = MakeCa({.common_name = "serving-ca"}).value();
  const KeyPair client_ca = MakeCa({.common_name = "client-ca"}).value();
  Server server({.tokens = {{"secret-token", "jane"}},
                 .client_ca_pem = client_ca.cert_pem,
                 .serving = MakeLocalhostCertificate(serving_ca).value()});
  ASSERT_TRUE(server.Start());
  rest::Config config{.host = server.url()};
  config.tls.ca_data = serving_ca.cert_pem;
  const auto get = [&config](const KeyPair& pair) {
    config.tls.cert_data = pair.cert_pem;
    config.tls.key_data = pair.key_pem;
    return rest::Client::New(config).value()->GetRaw({}, "/api/v1/namespaces/default");
  };

  const auto of_given_ca =
      get(MakeCertificate(client_ca, {.common_name = "jane", .client_auth = true}).value());
  const auto of_own_ca = get(server.NewClientCertificate("jane", {}).value());
  const auto of_another =
      get(MakeCertificate(serving_ca, {.common_name = "jane", .client_auth = true}).value());

  EXPECT_TRUE(of_given_ca) << of_given_ca.error().message;
  EXPECT_TRUE(of_own_ca) << of_own_ca.error().message;
  ASSERT_FALSE(of_another);
  EXPECT_TRUE(IsUnauthorized(of_another.error())) << of_another.error().message;
}

// Without credentials, kubectl prompts for a user name.
TEST(ServerTest, WritesKubeconfigWithATokenWhenEveryRequestIsAllowed) {
  const Server allows_all;
  const Server with_tokens({.tokens = {{"secret-token", "admin"}}});

  EXPECT_THAT(allows_all.Kubeconfig(""), ::testing::HasSubstr("user: {token: any}\n"));
  EXPECT_THAT(with_tokens.Kubeconfig(""), ::testing::HasSubstr("user: {}\n"));
}

}  // namespace
}  // namespace capstan::testing::apiserver
