// SPDX-License-Identifier: Apache-2.0
// ServerTest is a fixture with a running plain-HTTP Server and a client.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "capstan/testing/apiserver/server.h"
#include "clientgo/testing/apiserver/testing/api_client.h"

namespace capstan::testing::apiserver {

inline constexpr std::string_view kSecrets = "/api/v1/namespaces/default/secrets";
inline constexpr std::string_view kConfigMaps = "/api/v1/namespaces/default/configmaps";
inline constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
inline constexpr std::string_view kJobs = "/apis/batch/v1/namespaces/default/jobs";
inline constexpr std::string_view kDeployments = "/apis/apps/v1/namespaces/default/deployments";
inline constexpr std::string_view kDefinitions =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
inline constexpr std::string_view kWebhooks =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

class ServerTest : public ::testing::Test {
 protected:
  void Start(Options options = {}) {
    options.tls = false;
    server_ = std::make_unique<Server>(std::move(options));
    const auto started = server_->Start();
    ASSERT_TRUE(started.has_value()) << started.error().message;
    client_ = std::make_unique<ApiClient>(server_->port());
    client_->SetHeaders("User-Agent: tester/1.0\r\n");
  }
  void SetUp() override { Start(); }

  static std::string Path(std::string_view collection, std::string_view rest) {
    return std::string(collection) + std::string(rest);
  }
  // Creates default/<name>, with the label app=<label> if given. Returns its resourceVersion.
  std::string CreateConfigMap(const std::string& name, const std::string& label = "") {
    const std::string labels = label.empty() ? "" : R"(,"labels":{"app":")" + label + "\"}";
    const Answer answer =
        client_->Post(kConfigMaps, R"({"metadata":{"name":")" + name + "\"" + labels + "}}");
    EXPECT_EQ(answer.code, 201) << answer.body;
    return std::string(answer.meta("resourceVersion"));
  }
  // Creates a valid webhook configuration "w" with webhooks a.x.io and b.x.io.
  Answer CreateWebhooks() {
    return client_->Post(kWebhooks, R"({"metadata":{"name":"w"},"webhooks":[)"
                                    R"({"name":"a.x.io","sideEffects":"None",)"
                                    R"("admissionReviewVersions":["v1"],)"
                                    R"("clientConfig":{"service":{"name":"s","namespace":"d"}}},)"
                                    R"({"name":"b.x.io","sideEffects":"None",)"
                                    R"("admissionReviewVersions":["v1"],)"
                                    R"("clientConfig":{"url":"https://b"}}]})");
  }
  // Waits until the server has closed all watches. The timeout of the test limits the wait.
  void WaitForNoWatcher() {
    while (server_->WatcherCount() > 0) std::this_thread::yield();
  }
  WatchStream Watch(std::string_view query, std::string_view collection = kConfigMaps) {
    return {server_->port(), Path(collection, "?watch=1&" + std::string(query))};
  }

  std::unique_ptr<Server> server_;
  std::unique_ptr<ApiClient> client_;
};

}  // namespace capstan::testing::apiserver
