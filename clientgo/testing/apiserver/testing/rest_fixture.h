// SPDX-License-Identifier: Apache-2.0
// RestFixture is a fixture with a running plain-HTTP Server and a rest::Client.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "capstan/rest/client.h"
#include "capstan/testing/apiserver/server.h"

namespace capstan::testing::apiserver {

class RestFixture : public ::testing::Test {
 protected:
  // The fixture sets whether the server has TLS, and the host of the client.
  explicit RestFixture(Options options = {}, rest::Config config = {},
                       rest::ClientOptions client = {})
      : server_(WithoutTls(std::move(options))) {
    const auto started = server_.Start();
    EXPECT_TRUE(started.has_value()) << started.error().message;
    Connect(std::move(config), std::move(client));
  }
  // Replaces the client.
  void Connect(rest::Config config, rest::ClientOptions options = {}) {
    config.host = server_.url();
    auto client = rest::Client::New(std::move(config), std::move(options));
    EXPECT_TRUE(client.has_value()) << client.error().message;
    client_ = *std::move(client);
  }
  void Create(std::string json) {
    const auto created = server_.CreateObjects({std::move(json)});
    EXPECT_TRUE(created.has_value()) << created.error().message;
  }
  void CreateNamespace(const std::string& name) {
    Create(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + R"("}})");
  }
  // Fails these requests from now on.
  void Refuse(const std::string& verb, const std::string& resource, int code,
              const std::string& message = "no") {
    server_.InjectFault({.match = {.verb = verb, .resource = resource},
                         .code = code,
                         .message = message,
                         .count = -1});
  }

  Server server_;
  std::unique_ptr<rest::Client> client_;

 private:
  static Options WithoutTls(Options options) {
    options.tls = false;
    return options;
  }
};

}  // namespace capstan::testing::apiserver
