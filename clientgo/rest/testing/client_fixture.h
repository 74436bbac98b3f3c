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

#include "capstan/mutex.h"
#include "capstan/rest/client.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/fake_transport.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/text.h"
#include "capstan/time.h"

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

class RecordingMetrics final : public MetricsProvider {
 public:
  void OnRequest(std::string_view code, std::string_view method, std::string_view host) override {
    Add(requests_, Join(Words{code, method, host}, " "));
  }
  void OnRetry(std::string_view code, std::string_view method, std::string_view host) override {
    Add(retries_, Join(Words{code, method, host}, " "));
  }
  void OnDuration(std::string_view method, std::string_view,
                  std::chrono::nanoseconds duration) override {
    Add(durations_, Join(Words{method, FormatDuration(duration)}, " "));
  }
  void OnExecPluginCall(int code, std::string_view call_status) override {
    Add(plugin_calls_, Join(Words{std::to_string(code), call_status}, " "));
  }
  void SetClientCertificateExpiry(const void*, std::optional<std::chrono::sys_seconds>) override {}
  void OnClientCertificateRotation(std::chrono::seconds) override {}
  void SetServerReachable(bool reachable) override {
    Add(reachable_, reachable ? "reachable" : "unreachable");
  }
  std::vector<std::string> reachable() const { return Get(reachable_); }
  std::vector<std::string> plugin_calls() const { return Get(plugin_calls_); }
  std::vector<std::string> requests() const { return Get(requests_); }
  std::vector<std::string> retries() const { return Get(retries_); }
  std::vector<std::string> durations() const { return Get(durations_); }

 private:
  using Words = std::vector<std::string_view>;

  void Add(std::vector<std::string>& list, std::string text) {
    MutexLock lock(mu_);
    list.push_back(std::move(text));
  }
  std::vector<std::string> Get(const std::vector<std::string>& list) const {
    MutexLock lock(mu_);
    return list;
  }
  mutable Mutex mu_;
  std::vector<std::string> reachable_;
  std::vector<std::string> plugin_calls_;
  std::vector<std::string> requests_;
  std::vector<std::string> retries_;
  std::vector<std::string> durations_;
};

class ClientFixture : public ::testing::Test {
 protected:
  void Start(Config config = {}) {
    config.host = "https://10.0.0.1:6443/";
    auto transport = std::make_unique<testing::FakeTransport>(handler_, clock_);
    transport_ = transport.get();
    client_ = std::make_unique<Client>(std::move(config), std::move(transport),
                                       ClientOptions{.clock = clock_, .metrics = &metrics_});
  }
  testing::FakeTransport::Handler handler_;
  testing::FakeClock clock_;
  RecordingMetrics metrics_;
  testing::FakeTransport* transport_ = nullptr;
  std::unique_ptr<Client> client_;
};

}  // namespace capstan::rest
