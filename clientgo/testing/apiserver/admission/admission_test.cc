// SPDX-License-Identifier: Apache-2.0
// Tests of admission webhooks beside those of the contract suite: what only this server has.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "capstan/testing/eventually.h"
#include "clientgo/testing/apiserver/testing/server_fixture.h"
#include "clientgo/testing/apiserver/testing/webhook_server.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kAllow = R"("allowed":true)";

class AdmissionTest : public ServerTest {
 protected:
  // Creates the configuration "w" with one webhook for ConfigMaps.
  void Configure(const std::string& client_config, const std::string& more = "") {
    const Answer created = client_->Post(
        kWebhooks,
        R"({"metadata":{"name":"w"},"webhooks":[{"name":"a.x.io","sideEffects":"None",)"
        R"("admissionReviewVersions":["v1"],"rules":[{"operations":["*"],"apiGroups":[""],)"
        R"("apiVersions":["v1"],"resources":["configmaps"]}],"clientConfig":{)" +
            client_config + "}" + more + "}]}");
    ASSERT_EQ(created.code, 201) << created.body;
  }
  Answer Create(const std::string& name) {
    return client_->Post(kConfigMaps, R"({"metadata":{"name":")" + name + "\"}}");
  }
};

TEST_F(AdmissionTest, CallsAServiceAtItsConfiguredAddress) {
  WebhookServer webhook([](std::string_view, const runtime::JsonValue&,
                           const WebhookServer::Respond& respond) { respond(kAllow); });
  Start({.webhook_services = {{"d/s:8443", webhook.address()}}});
  Configure(R"("service":{"namespace":"d","name":"s","port":8443,"path":"/check"},"caBundle":")" +
            webhook.ca_bundle() + "\"");

  EXPECT_EQ(Create("a").code, 201);
  EXPECT_THAT(webhook.Targets(), ElementsAre("/check?timeout=10s"));
}

TEST_F(AdmissionTest, CleansThePathOfAUrl) {
  WebhookServer webhook([](std::string_view, const runtime::JsonValue&,
                           const WebhookServer::Respond& respond) { respond(kAllow); });
  Configure(webhook.ClientConfig("//a/./b/../check/"));

  EXPECT_EQ(Create("a").code, 201);
  EXPECT_THAT(webhook.Targets(), ElementsAre("/a/check?timeout=10s"));
}

TEST_F(AdmissionTest, FollowsATemporaryRedirect) {
  WebhookServer webhook([](std::string_view, const runtime::JsonValue&,
                           const WebhookServer::Respond& respond) { respond(kAllow); });
  Configure(webhook.ClientConfig("/old"));
  webhook.FailNext({{.code = 307, .headers = {{"Location", "/new"}}}});

  EXPECT_EQ(Create("a").code, 201);
  EXPECT_THAT(webhook.Targets(), ElementsAre("/old?timeout=10s", "/new"));
}

TEST_F(AdmissionTest, StopsAfterTenRedirects) {
  WebhookServer webhook([](std::string_view, const runtime::JsonValue&,
                           const WebhookServer::Respond& respond) { respond(kAllow); });
  Configure(webhook.ClientConfig("/loop"));
  webhook.FailNext(
      std::vector<WebhookServer::Failure>(20, {.code = 307, .headers = {{"Location", "/loop"}}}));

  const Answer created = Create("a");

  EXPECT_EQ(created.code, 500);
  EXPECT_THAT(std::string(created.message()), HasSubstr("stopped after 10 redirects"));
}

TEST_F(AdmissionTest, RejectsRequestsForAServiceWithoutAnAddress) {
  Configure(R"("service":{"namespace":"d","name":"s","path":"/check"})");

  const Answer created = Create("a");

  EXPECT_EQ(created.code, 500);
  EXPECT_EQ(created.message(),
            "Internal error occurred: failed calling webhook \"a.x.io\": failed to call webhook: "
            "Post \"https://s.d.svc:443/check?timeout=10s\": service \"s\" not found; "
            "Options::webhook_services has no address for \"d/s:443\"");
}

TEST_F(AdmissionTest, RejectsAnInvalidBundleWhenItIsUsed) {
  Configure(R"("url":"https://127.0.0.1:1","caBundle":"eA==")");

  EXPECT_EQ(Create("a").message(),
            "Internal error occurred: failed calling webhook \"a.x.io\": could not get REST "
            "client: unable to load root certificates: unable to parse bytes as PEM block");
}

TEST_F(AdmissionTest, RetriesAWebhookAfterItsRetryAfter) {
  WebhookServer webhook([](std::string_view, const runtime::JsonValue&,
                           const WebhookServer::Respond& respond) { respond(kAllow); });
  Configure(webhook.ClientConfig());
  const WebhookServer::Failure busy{.code = 429, .headers = {{"Retry-After", "0"}}};
  const WebhookServer::Failure down{.code = 503, .headers = {{"Retry-After", "0"}}};
  webhook.FailNext({busy, down, busy});

  EXPECT_EQ(Create("a").code, 201);
  EXPECT_EQ(webhook.Requests().size(), 4U);

  webhook.Forget();
  webhook.FailNext(std::vector(11, busy));
  EXPECT_EQ(Create("b").message(),
            "Internal error occurred: failed calling webhook \"a.x.io\": failed to call webhook: "
            "the server has received too many requests and has asked us to try again later");
  EXPECT_EQ(webhook.Requests().size(), 11U);
}

TEST_F(AdmissionTest, RetriesAWebhookOnlyInItsTime) {
  WebhookServer webhook([](std::string_view, const runtime::JsonValue&,
                           const WebhookServer::Respond& respond) { respond(kAllow); });
  Configure(webhook.ClientConfig(), R"(,"timeoutSeconds":1)");
  webhook.FailNext({{.code = 429, .headers = {{"Retry-After", "3600"}}}});

  EXPECT_EQ(Create("a").message(),
            "Internal error occurred: failed calling webhook \"a.x.io\": failed to call webhook: "
            "Post \"https://" +
                webhook.address() + "/?timeout=1s\": context deadline exceeded");
  EXPECT_EQ(webhook.Requests().size(), 1U);
}

TEST_F(AdmissionTest, CallsAWebhookOnlyIfItsMatchConditionsAreTrue) {
  WebhookServer webhook([](std::string_view, const runtime::JsonValue&,
                           const WebhookServer::Respond& respond) { respond(kAllow); });
  Configure(webhook.ClientConfig(),
            R"(,"matchConditions":[{"name":"a","expression":"object.metadata.name != 'a'"}])");

  EXPECT_EQ(Create("a").code, 201);
  EXPECT_EQ(Create("b").code, 201);

  EXPECT_THAT(webhook.Requests(), ElementsAre("CREATE b"));
}

TEST_F(AdmissionTest, ServesOtherRequestsWhileAWebhookIsCalled) {
  std::vector<WebhookServer::Respond> waiting;
  std::atomic<int> calls = 0;
  WebhookServer webhook(
      [&](std::string_view, const runtime::JsonValue&, WebhookServer::Respond respond) {
        waiting.push_back(std::move(respond));
        ++calls;
      });
  Configure(webhook.ClientConfig());
  Answer created[2];
  {
    std::jthread first([&] {
      created[0] = ApiClient(server_->port()).Post(kConfigMaps, R"({"metadata":{"name":"a"}})");
    });
    std::jthread second([&] {
      created[1] = ApiClient(server_->port()).Post(kConfigMaps, R"({"metadata":{"name":"a"}})");
    });
    EXPECT_TRUE(Eventually([&] { return calls == 2; }));
    EXPECT_EQ(client_->Get(kConfigMaps).items(), 0U);
    for (const auto& respond : waiting) respond(kAllow);
  }

  EXPECT_EQ(created[0].code + created[1].code, 201 + 409);
}

TEST_F(AdmissionTest, StopsWhileAWebhookIsCalled) {
  std::atomic<int> calls = 0;
  std::vector<WebhookServer::Respond> waiting;
  WebhookServer webhook(
      [&](std::string_view, const runtime::JsonValue&, WebhookServer::Respond respond) {
        waiting.push_back(std::move(respond));
        ++calls;
      });
  Configure(webhook.ClientConfig(), R"(,"timeoutSeconds":30)");
  Answer created;
  {
    std::jthread request([&] {
      created = ApiClient(server_->port()).Post(kConfigMaps, R"({"metadata":{"name":"a"}})");
    });
    EXPECT_TRUE(Eventually([&] { return calls == 1; }));
    server_->Stop();
  }

  EXPECT_EQ(created.code, 0);
  ASSERT_TRUE(server_->Start());
  EXPECT_EQ(client_->Get(kConfigMaps).items(), 0U);
}

TEST_F(AdmissionTest, CreatesObjectsInProcessWithoutWebhooks) {
  Configure(R"("url":"https://127.0.0.1:1")");

  EXPECT_TRUE(server_->CreateObjects(
      {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}})"}));
}

TEST_F(AdmissionTest, CollectsObjectsThatWereCreatedBeforeTheStart) {
  Options options;
  options.tls = false;
  Server server(std::move(options));
  ASSERT_TRUE(server.CreateObjects(
      {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default",)"
       R"("ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"b","uid":"x"}]}})"}));
  ASSERT_TRUE(server.Start());
  ApiClient client(server.port());

  EXPECT_TRUE(Eventually([&] { return client.Get(kConfigMaps).items() == 0; }));
}

TEST_F(AdmissionTest, KeepsEverythingWithoutGarbageCollection) {
  Start({.garbage_collection = false});
  const Answer created = client_->Post(
      kConfigMaps,
      R"({"metadata":{"name":"a",)"
      R"("ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"b","uid":"x"}]}})");
  ASSERT_EQ(created.code, 201);
  client_->Post("/api/v1/namespaces", R"({"metadata":{"name":"n"}})");
  client_->Delete("/api/v1/namespaces/n");

  const Answer ns = client_->Get("/api/v1/namespaces/n");

  EXPECT_EQ(runtime::GetString(ns.json["status"], "phase"), "Terminating");
  EXPECT_EQ(client_->Get(kConfigMaps).items(), 1U);
}

}  // namespace
}  // namespace capstan::testing::apiserver
