// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/referenced_secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <latch>
#include <thread>

#include "capstan/testing/fake_clock.h"
#include "clientgo/cache/testing/informer_fixture.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

runtime::ObjectPtr Secret(const std::string& key, const std::string& version) {
  return Decode(SecretMetadataType(), SecretJson(key, {.version = version}));
}

Error Forbidden() {
  return {.reason = ErrorReason::kForbidden, .http_code = 403, .message = "secrets is forbidden"};
}

// FakeLive is the API server. A Secret that is not set does not exist.
class FakeLive final : public resolver::Resolver {
 public:
  resolver::Resolution Get(std::stop_token /*stop*/, const runtime::ObjectKey& key) override {
    ++calls;
    if (error) return {.object = Err(*error), .watched = false};
    const auto found = secrets.find(key.String());
    if (found != secrets.end()) return {.object = found->second, .watched = false};
    return {.object = Err(ErrorReason::kNotFound, "no such Secret"), .watched = false};
  }
  std::map<std::string, runtime::ObjectPtr> secrets;
  std::optional<Error> error;
  int calls = 0;
};

class ReferencedSecretsTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kWatchesMax = 2;
  ReferencedSecretsTest() {
    channel_.Subscribe(
        [this](const runtime::Object& secret) { changes_.Write(std::string(secret.key())); });
    auto live = std::make_unique<FakeLive>();
    live_ = live.get();
    secrets_ = std::make_unique<ReferencedSecrets>(
        ReferencedSecrets::Collaborators{
            .informers = informers_,
            .live = std::move(live),
            .changes = channel_,
            .is_referenced =
                [this](std::string_view key) { return referenced_.contains(std::string(key)); }},
        kWatchesMax);
    informers_.Start(stop_.get_token());
  }
  ~ReferencedSecretsTest() override {
    stop_.request_stop();
    informers_.Shutdown();
  }

  cache::FakeListerWatcher& Server(const std::string& key) {
    const MutexLock lock(mu_);
    auto& server = servers_[key];
    if (server == nullptr) server = std::make_unique<cache::FakeListerWatcher>();
    return *server;
  }
  struct Found {
    runtime::ObjectPtr object;  // null: it does not exist
    bool watched;
  };
  Found Get(const std::string& key) {
    const auto [object, watched] = secrets_->Get({}, runtime::ObjectKey::Parse(key));
    EXPECT_TRUE(object || IsNotFound(object.error()));
    return {object.value_or(nullptr), watched};
  }
  // Reads the Secret and waits until its watch has synced.
  std::shared_ptr<cache::FakeWatch> Watched(const std::string& key,
                                            std::vector<runtime::ObjectPtr> listed) {
    Server(key).OnList({.items = std::move(listed), .meta = {"10", ""}});
    auto watch = Server(key).OnWatch();
    Get(key);
    EXPECT_TRUE(watch->WaitUntilRead());
    return watch;
  }
  std::vector<std::string> WaitForChanges(std::size_t count) {
    changes_.WaitForLines(count);
    return changes_.lines();
  }

  testing::FakeClock clock_;
  Channel channel_;
  Mutex mu_;
  std::map<std::string, std::unique_ptr<cache::FakeListerWatcher>> servers_ CAPSTAN_GUARDED_BY(mu_);
  Journal changes_;
  std::set<std::string> referenced_;
  std::vector<std::string> scopes_;
  FakeLive* live_ = nullptr;
  std::stop_source stop_;
  cache::SharedInformerFactory informers_{
      [this](const runtime::ResourceType& /*type*/, const cache::Scope& scope) {
        const std::string name = scope.field_selector.substr(scope.field_selector.find('=') + 1);
        scopes_.push_back(scope.namespace_ + ": " + scope.field_selector);
        return std::make_unique<cache::ForwardingListerWatcher>(
            Server(scope.namespace_ + "/" + name));
      },
      {.reflector = {.watch_list = false, .clock = clock_, .random = [] { return 0.0; }}}};
  std::unique_ptr<ReferencedSecrets> secrets_;
};

TEST_F(ReferencedSecretsTest, SendsRequestsUntilTheWatchHasSynced) {
  live_->secrets["ns/ca"] = Secret("ns/ca", "1");

  const auto at_once = Get("ns/ca");

  ASSERT_NE(at_once.object, nullptr);
  EXPECT_EQ(at_once.object->resource_version(), "1");
  EXPECT_FALSE(at_once.watched);
  EXPECT_THAT(scopes_, ElementsAre("ns: metadata.name=ca"));

  Get("ns/ca");
  EXPECT_EQ(scopes_.size(), 1U);
  EXPECT_EQ(live_->calls, 2);
}

TEST_F(ReferencedSecretsTest, SendsChangesAndNoRequestsOnceSynced) {
  const auto watch = Watched("ns/ca", {Secret("ns/ca", "1")});
  const int calls = live_->calls;

  EXPECT_EQ(Get("ns/ca").object->resource_version(), "1");
  EXPECT_TRUE(Get("ns/ca").watched);
  watch->Modify(Secret("ns/ca", "12"));
  ASSERT_TRUE(watch->WaitUntilRead());

  EXPECT_EQ(Get("ns/ca").object->resource_version(), "12");
  EXPECT_EQ(live_->calls, calls);
  EXPECT_THAT(WaitForChanges(2), ElementsAre("ns/ca", "ns/ca"));
}

TEST_F(ReferencedSecretsTest, WatchesMissingSecrets) {
  const auto watch = Watched("ns/late", {});
  EXPECT_EQ(Get("ns/late").object, nullptr);
  EXPECT_TRUE(Get("ns/late").watched);

  watch->Add(Secret("ns/late", "12"));

  EXPECT_THAT(WaitForChanges(1), ElementsAre("ns/late"));
  EXPECT_NE(Get("ns/late").object, nullptr);
}

TEST_F(ReferencedSecretsTest, EndsWatchesOfUnreferencedSecrets) {
  const auto watch = Watched("ns/ca", {Secret("ns/ca", "1")});
  referenced_ = {"ns/ca"};
  secrets_->Sweep();
  EXPECT_EQ(secrets_->Summarize().watched, 1U);
  ASSERT_THAT(WaitForChanges(1), ElementsAre("ns/ca"));

  referenced_.clear();
  secrets_->Sweep();

  EXPECT_EQ(secrets_->Summarize().watched, 0U);
  EXPECT_THAT(informers_.Statuses(), IsEmpty());
  EXPECT_EQ(WaitForChanges(2).size(), 2U);
  Watched("ns/ca", {Secret("ns/ca", "20")});
  EXPECT_EQ(Get("ns/ca").object->resource_version(), "20");
}

TEST_F(ReferencedSecretsTest, ReadsForbiddenSecretsByRequestAndNamesThem) {
  Server("ns/closed").OnList({.error = Forbidden()});
  live_->secrets["ns/closed"] = Secret("ns/closed", "1");
  Watched("ns/open", {Secret("ns/open", "1")});
  Get("ns/closed");
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (secrets_->Summarize().failing == 0 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }

  EXPECT_NE(Get("ns/closed").object, nullptr);
  EXPECT_FALSE(Get("ns/closed").watched);
  EXPECT_TRUE(Get("ns/open").watched);
  EXPECT_THAT(secrets_->Note(), StartsWith("1 of 2 Secrets cannot be watched: ns/closed: "));
  EXPECT_THAT(secrets_->Note(), HasSubstr("secrets is forbidden"));
}

TEST_F(ReferencedSecretsTest, ReportsAForbiddenRequest) {
  live_->error = Forbidden();

  const auto known = secrets_->Get({}, {"ns", "closed"});

  ASSERT_FALSE(known.object.has_value());
  EXPECT_TRUE(IsForbidden(known.object.error()));
  const Failure failure = LookupFailure("Secret ns/closed", known);
  EXPECT_EQ(failure.reason, Reason::kForbidden);
  EXPECT_FALSE(failure.watched);
}

TEST_F(ReferencedSecretsTest, ReadsSecretsBeyondTheLimitByRequest) {
  Watched("ns/a", {});
  Watched("ns/b", {});
  live_->secrets["ns/c"] = Secret("ns/c", "1");
  referenced_ = {"ns/a", "ns/b", "ns/c"};

  EXPECT_NE(Get("ns/c").object, nullptr);
  EXPECT_FALSE(Get("ns/c").watched);
  secrets_->Sweep();
  EXPECT_THAT(secrets_->Note(),
              "1 Secrets are beyond the limit of 2 watches, and their targets are reconciled every "
              "ten minutes");
  EXPECT_EQ(secrets_->Summarize().watched, 2U);
  EXPECT_EQ(secrets_->Summarize().beyond_limit, 1U);

  referenced_.erase("ns/a");
  secrets_->Sweep();

  EXPECT_THAT(WaitForChanges(2), ElementsAre("ns/a", "ns/c"));
  Watched("ns/c", {Secret("ns/c", "2")});
  EXPECT_EQ(Get("ns/c").object->resource_version(), "2");
  EXPECT_EQ(secrets_->Note(), "");
}

// /statusz and /readyz?verbose call Summarize on the thread that answers /livez.
TEST_F(ReferencedSecretsTest, SummarizesWhileAWatchStarts) {
  std::latch making(1);
  std::latch go_on(1);
  cache::SharedInformerFactory informers(
      [&](const runtime::ResourceType& /*type*/, const cache::Scope& /*scope*/) {
        making.count_down();
        go_on.wait();
        return std::make_unique<cache::ForwardingListerWatcher>(Server("ns/ca"));
      },
      {.reflector = {.watch_list = false, .clock = clock_}});
  ReferencedSecrets secrets({.informers = informers,
                             .live = std::make_unique<FakeLive>(),
                             .changes = channel_,
                             .is_referenced = [](std::string_view) { return true; }},
                            kWatchesMax);
  std::jthread worker([&] {
    const auto object = secrets.Get({}, {"ns", "ca"}).object;
    EXPECT_TRUE(object || IsNotFound(object.error()));
  });
  making.wait();

  auto summary = std::async(std::launch::async, [&] { return secrets.Summarize(); });
  const bool answered = summary.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  go_on.count_down();

  EXPECT_TRUE(answered);
  EXPECT_EQ(summary.get().watched, 0U);
  worker.join();
  EXPECT_EQ(secrets.Summarize().waiting, 1U);
}

TEST_F(ReferencedSecretsTest, ForgetsUnreferencedSecretsBeyondTheLimit) {
  Watched("ns/a", {});
  Watched("ns/b", {});
  Get("ns/c");
  referenced_ = {"ns/a", "ns/b"};

  secrets_->Sweep();

  EXPECT_EQ(secrets_->Note(), "");
}

}  // namespace
}  // namespace capstan::cainjector
