// SPDX-License-Identifier: Apache-2.0
// ClientFixture has a Client with a FakeTransport, a FakeClock and RecordingMetrics.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capstan/rest/client.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/fake_transport.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/text.h"
#include "capstan/time.h"
#include "clientgo/util/testing/journal.h"

namespace capstan::rest {

inline runtime::ResourceType SecretType(bool metadata_only) {
  return {.gvr = {"", "v1", "secrets"},
          .kind = "Secret",
          .namespaced = true,
          .metadata_only = metadata_only,
          .projection = {{"metadata", "name"}},
          .decode = [](const runtime::ObjectIdentity& meta,
                       const runtime::JsonValue&) -> Expected<runtime::ObjectPtr> {
            return runtime::MakeObject<runtime::Object>(meta);
          }};
}

inline const runtime::ResourceType kSecretType = SecretType(false);
inline const runtime::ResourceType kMetadataType = SecretType(true);

inline constexpr char kSecret[] =
    R"({"kind":"Secret","metadata":{"namespace":"ns","name":"s","uid":"u","resourceVersion":"1"}})";

class RecordingMetrics final : public MetricsProvider {
 public:
  void OnRequest(std::string_view code, std::string_view method, std::string_view host) override {
    requests_.Write(Join(Words{code, method, host}, " "));
  }
  void OnRetry(std::string_view code, std::string_view method, std::string_view host) override {
    retries_.Write(Join(Words{code, method, host}, " "));
  }
  void OnDuration(std::string_view method, std::string_view,
                  std::chrono::nanoseconds duration) override {
    durations_.Write(Join(Words{method, FormatDuration(duration)}, " "));
  }
  void OnContentTypeRefused(std::string_view resource) override {
    refused_.Write(std::string(resource));
  }
  void OnExecPluginCall(int code, std::string_view call_status) override {
    plugin_calls_.Write(Join(Words{std::to_string(code), call_status}, " "));
  }
  void SetClientCertificateExpiry(const void*, std::optional<std::chrono::sys_seconds>) override {}
  void OnClientCertificateRotation(std::chrono::seconds) override {}
  void SetServerReachable(bool reachable) override {
    reachable_.Write(reachable ? "reachable" : "unreachable");
  }
  std::vector<std::string> reachable() const { return reachable_.lines(); }
  std::vector<std::string> plugin_calls() const { return plugin_calls_.lines(); }
  std::vector<std::string> refused() const { return refused_.lines(); }
  std::vector<std::string> requests() const { return requests_.lines(); }
  std::vector<std::string> retries() const { return retries_.lines(); }
  std::vector<std::string> durations() const { return durations_.lines(); }

 private:
  using Words = std::vector<std::string_view>;

  Journal reachable_, plugin_calls_, refused_, requests_, retries_, durations_;
};

class ClientFixture : public ::testing::Test {
 protected:
  void Start(Config config = {}, WarningHandler* warning_handler = nullptr) {
    config.host = "https://10.0.0.1:6443/";
    auto transport = std::make_unique<testing::FakeTransport>(handler_, clock_);
    transport_ = transport.get();
    client_ = std::make_unique<Client>(
        std::move(config), std::move(transport),
        ClientOptions{.clock = clock_, .metrics = &metrics_, .warning_handler = warning_handler});
  }
  // Returns "METHOD target body" of the last request.
  std::string Last() const {
    const transport::HttpRequest request = transport_->requests().back();
    return request.method + " " + request.target + " " + request.body;
  }

  testing::FakeTransport::Handler handler_;
  testing::FakeClock clock_;
  RecordingMetrics metrics_;
  testing::FakeTransport* transport_ = nullptr;
  std::unique_ptr<Client> client_;
};

}  // namespace capstan::rest
