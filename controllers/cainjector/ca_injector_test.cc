// SPDX-License-Identifier: Apache-2.0
// CaInjector with everything real but the cluster: the REST client, informers, controllers and
// Manager, over HTTP against the embedded API server, whose request log is the witness.
#include "controllers/cainjector/ca_injector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <thread>

#include "apiserver/server.h"
#include "clientgo/api/webhook_configuration.h"
#include "clientgo/util/base64.h"
#include "clientgo/util/thread.h"
#include "controllers/cainjector/annotations.h"
#include "controllers/cainjector/fakes_for_test.h"
#include "controllers/cainjector/webhook_target.h"

namespace controllers::cainjector {
namespace {

using clientgo::util::Base64Encode;
using clientgo::util::Clock;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kSecretKey = "ns/ca";

std::string StoredSecret(const std::string& ca_crt, const std::string& name = "ca") {
  return R"({"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"ns","name":")" + name +
         R"(","annotations":{")" + std::string(kAllowDirectInjection) +
         R"(":"true"}},"data":{"ca.crt":")" + Base64Encode(ca_crt) + R"("}})";
}

std::string StoredWebhook(const Target& target, const std::string& name,
                          const std::string& annotation, const std::string& bundle) {
  return R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":")" + target.type().kind +
         R"(","metadata":{"name":")" + name + R"(","annotations":{")" +
         std::string(kInjectCaFromSecret) + R"(":")" + annotation +
         R"("}},"webhooks":[{"name":"w.example.com","sideEffects":"None",)"
         R"("admissionReviewVersions":["v1"],"clientConfig":{"url":"https://x.example.com")" +
         (bundle.empty() ? "" : R"(,"caBundle":")" + Base64Encode(bundle) + "\"") + "}}]}";
}

// The process under test: dies and starts again as a whole.
class Process {
 public:
  explicit Process(clientgo::rest::Client& client)
      : informers_(client, clientgo::cache::FactoryOptions{}),
        manager_(informers_, client, {}),
        injector_(
            {.client = client, .informers = informers_, .events = events, .metrics = metrics_},
            {}) {
    injector_.AddTo(manager_);
    thread_ = clientgo::util::StartThread("manager", [this](std::stop_token stop) {
      EXPECT_TRUE(manager_.Start(std::move(stop)).has_value());
    });
  }
  bool Ready() { return manager_.readyz().Handle("", "").status == 200; }
  std::string ReadyText() { return manager_.readyz().Handle("", "").body; }

  FakeRecorder events;

 private:
  metrics::Metrics metrics_{{.version = "0", .commit = "0"}};
  clientgo::cache::SharedInformerFactory informers_;
  runtime::Manager manager_;
  CaInjector injector_;
  std::jthread thread_;  // last: stopped and joined first
};

class CaInjectorTest : public ::testing::Test {
 protected:
  CaInjectorTest() {
    EXPECT_TRUE(server_.Start().has_value());
    auto client = clientgo::rest::Client::New({.host = server_.url(), .user_agent = "under-test"});
    EXPECT_TRUE(client.has_value());
    client_ = *std::move(client);
    auto observer = clientgo::rest::Client::New({.host = server_.url(), .user_agent = "observer"});
    EXPECT_TRUE(observer.has_value());
    observer_ = *std::move(observer);
  }

  void Create(std::vector<std::string> objects) {
    const auto created = server_.CreateObjects(std::move(objects));
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }
  void Rotate(const std::string& ca_crt) {
    const auto updated =
        observer_->Update({}, SecretMetadataType(), {"ns", "ca"}, StoredSecret(ca_crt));
    ASSERT_TRUE(updated.has_value()) << updated.error().message;
  }
  // Polls in real time, at most 20 s.
  static bool Eventually(const std::function<bool()>& condition) {
    const auto deadline = Clock::Real().Now() + std::chrono::seconds(20);
    while (!condition()) {
      if (Clock::Real().Now() > deadline) return false;
      Clock::Real().SleepFor({}, std::chrono::milliseconds(5));
    }
    return true;
  }
  std::string BundleOf(const Target& target, const std::string& name) {
    const auto object = observer_->Get({}, target.type(), {"", name});
    if (!object) return object.error().message;
    return target.Bundles(**object).at(0);
  }
  std::uint64_t Writes() const {
    return server_.CountRequests({.verb = "patch", .user_agent = "under-test"});
  }
  std::uint64_t SecretGets() const {
    return server_.CountRequests(
        {.verb = "get", .resource = "secrets", .user_agent = "under-test"});
  }

  apiserver::Server server_{{.tls = false}};
  std::unique_ptr<clientgo::rest::Client> client_;
  std::unique_ptr<clientgo::rest::Client> observer_;
  const Target& validating_ = ValidatingWebhookTarget();
  const Target& mutating_ = MutatingWebhookTarget();
  const std::string ca_ = NewCaPem();
};

TEST_F(CaInjectorTest, InjectsBothKindsWithOneGetOfTheirSecret) {
  Create({StoredSecret(ca_), StoredWebhook(validating_, "v", kSecretKey, ""),
          StoredWebhook(mutating_, "m", kSecretKey, "")});
  Process process(*client_);

  ASSERT_TRUE(Eventually([&] { return process.Ready(); }));

  EXPECT_EQ(BundleOf(validating_, "v"), ca_);
  EXPECT_EQ(BundleOf(mutating_, "m"), ca_);
  EXPECT_EQ(SecretGets(), 1U);
  EXPECT_THAT(process.events.events(),
              Contains(HasSubstr("Normal Injected MutatingWebhookConfiguration/m")));
}

TEST_F(CaInjectorTest, ARotationWith400TargetsIsOneGetAnd400Writes) {
  std::vector<std::string> objects = {StoredSecret(ca_)};
  for (int i = 0; i < 200; ++i) {
    const std::string name = "t" + std::to_string(i);
    objects.push_back(StoredWebhook(validating_, name, kSecretKey, ca_));
    objects.push_back(StoredWebhook(mutating_, name, kSecretKey, ca_));
  }
  Create(std::move(objects));
  Process process(*client_);
  ASSERT_TRUE(Eventually([&] { return process.Ready(); }));
  EXPECT_EQ(Writes(), 0U);  // a start with nothing to do
  EXPECT_EQ(SecretGets(), 1U);
  server_.ResetRequests();
  const std::string rotated = NewCaPem();

  Rotate(rotated);
  ASSERT_TRUE(Eventually([&] { return Writes() >= 400; }));
  ASSERT_TRUE(Eventually([&] {
    for (int i = 0; i < 200; ++i) {
      const std::string name = "t" + std::to_string(i);
      if (BundleOf(validating_, name) != ca_ + rotated) return false;
      if (BundleOf(mutating_, name) != ca_ + rotated) return false;
    }
    return true;
  }));

  EXPECT_EQ(Writes(), 400U);
  EXPECT_EQ(SecretGets(), 1U);
}

TEST_F(CaInjectorTest, ASecretThatComesLateIsInjected) {
  Create({StoredWebhook(validating_, "v", kSecretKey, "")});
  Process process(*client_);
  ASSERT_TRUE(Eventually([&] { return process.Ready(); }));
  EXPECT_THAT(process.events.events(), Contains(HasSubstr("Warning SourceNotFound")));

  Create({StoredSecret(ca_)});

  EXPECT_TRUE(Eventually([&] { return BundleOf(validating_, "v") == ca_; }));
}

TEST_F(CaInjectorTest, ATargetThatComesLateIsInjected) {
  Create({StoredSecret(ca_)});
  Process process(*client_);
  ASSERT_TRUE(Eventually([&] { return process.Ready(); }));
  EXPECT_EQ(SecretGets(), 0U);  // nobody refers to it

  Create({StoredWebhook(mutating_, "m", kSecretKey, "")});

  EXPECT_TRUE(Eventually([&] { return BundleOf(mutating_, "m") == ca_; }));
}

TEST_F(CaInjectorTest, ACutWatchLosesNothing) {
  Create({StoredSecret(ca_), StoredWebhook(validating_, "v", kSecretKey, "")});
  Process process(*client_);
  ASSERT_TRUE(Eventually([&] { return process.Ready(); }));
  const std::string rotated = NewCaPem();

  server_.CutWatches();
  Rotate(rotated);

  EXPECT_TRUE(Eventually([&] { return BundleOf(validating_, "v") == ca_ + rotated; }));
}

TEST_F(CaInjectorTest, AServerErrorIsRetriedUntilTheWriteSucceeds) {
  Create({StoredSecret(ca_), StoredWebhook(validating_, "v", kSecretKey, "")});
  server_.InjectFault({.match = {.verb = "patch"}, .code = 500, .count = 3});
  Process process(*client_);

  EXPECT_TRUE(Eventually([&] { return BundleOf(validating_, "v") == ca_; }));
  EXPECT_EQ(Writes(), 4U);
}

TEST_F(CaInjectorTest, WithoutRightsForSecretsItSaysSoWritesNothingAndRecovers) {
  Create({StoredSecret(ca_), StoredWebhook(validating_, "v", kSecretKey, "")});
  for (const std::string verb : {"list", "watch"}) {
    server_.InjectFault({.match = {.verb = verb, .resource = "secrets"},
                         .code = 403,
                         .message = "secrets is forbidden: no RBAC",
                         .count = -1});
  }
  Process process(*client_);

  EXPECT_TRUE(Eventually([&] {
    return process.ReadyText().find("secrets is forbidden: no RBAC") != std::string::npos;
  }));
  EXPECT_THAT(process.ReadyText(), HasSubstr("[-]caches-secrets failed"));
  EXPECT_EQ(Writes(), 0U);
  EXPECT_EQ(SecretGets(), 0U);

  server_.ClearFaults();
  EXPECT_TRUE(Eventually([&] { return BundleOf(validating_, "v") == ca_; }));
}

TEST_F(CaInjectorTest, GarbageNeverOverwritesAGoodBundle) {
  Create({StoredSecret("garbage"), StoredSecret(ca_, "good"),
          StoredWebhook(validating_, "bad", kSecretKey, ca_),
          StoredWebhook(validating_, "good", "ns/good", "")});
  Process process(*client_);
  ASSERT_TRUE(Eventually([&] { return process.Ready(); }));

  EXPECT_EQ(BundleOf(validating_, "bad"), ca_);
  EXPECT_EQ(BundleOf(validating_, "good"), ca_);
  EXPECT_THAT(process.events.events(),
              Contains(HasSubstr("Warning InvalidBundle ValidatingWebhookConfiguration/bad")));
}

TEST_F(CaInjectorTest, ApplyingToADeletedObjectDoesNotCreateIt) {
  Create({StoredWebhook(validating_, "v", kSecretKey, "")});
  const auto object = observer_->Get({}, validating_.type(), {"", "v"});
  ASSERT_TRUE(object.has_value());
  ASSERT_TRUE(observer_->Delete({}, validating_.type(), {"", "v"}).has_value());

  const auto applied =
      observer_->Patch({}, validating_.type(), {"", "v"}, clientgo::rest::PatchType::kApply,
                       validating_.ApplyConfiguration(**object, {ca_}),
                       {.field_manager = std::string(kFieldManager), .force = true});

  ASSERT_FALSE(applied.has_value());
  EXPECT_TRUE(IsConflict(applied.error())) << applied.error().message;
}

}  // namespace
}  // namespace controllers::cainjector
