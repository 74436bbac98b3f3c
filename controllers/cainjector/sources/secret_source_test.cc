// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/secret_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "capstan/thread.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class SecretSourceTest : public ::testing::Test {
 protected:
  SecretSource NewSource(CaCertLoaderOptions options = {}, const NamespaceScope& scope = {}) {
    loader_ = std::make_unique<CaCertLoader>(*cluster_.client, cluster_.secrets, options);
    return {*loader_, {.scope = scope}};
  }
  static Failure FailureOf(SecretSource& source, std::string_view value) {
    const auto outcome = source.Get({}, value);
    if (outcome.has_value()) return {.reason = Reason::kInjected};
    return outcome.error();
  }

  FakeCluster cluster_;
  std::unique_ptr<CaCertLoader> loader_;
  const std::string ca_ = NewCaPem();
};

TEST_F(SecretSourceTest, ReturnsTheCertificatesOfCaCrt) {
  cluster_.PutSecret("ns/ca", {.ca_crt = ca_});
  SecretSource source = NewSource();

  const auto bundle = source.Get({}, "ns/ca");

  ASSERT_TRUE(bundle.has_value()) << bundle.error().message;
  EXPECT_EQ(EncodeBundle((*bundle)->certificates), ca_);
}

TEST_F(SecretSourceTest, SendsOneGetPerVersion) {
  cluster_.PutSecret("ns/ca", {.ca_crt = ca_});
  SecretSource source = NewSource();
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(source.Get({}, "ns/ca").has_value());
  EXPECT_EQ(cluster_.Count("GET"), 1U);

  const std::string rotated = NewCaPem();
  cluster_.PutSecret("ns/ca", {.ca_crt = rotated, .version = "2"});
  for (int i = 0; i < 400; ++i) {
    EXPECT_EQ(EncodeBundle(source.Get({}, "ns/ca").value()->certificates), rotated);
  }
  EXPECT_EQ(cluster_.Count("GET"), 2U);
}

TEST_F(SecretSourceTest, SharesOneGetBetweenConcurrentCallers) {
  cluster_.PutSecret("ns/ca", {.ca_crt = ca_});
  auto body = std::make_shared<testing::FakeBody>();  // the GET hangs until the body is pushed
  cluster_.transport->Push({.headers = {{"Content-Type", "application/json"}}, .body = body});
  SecretSource source = NewSource();
  std::latch started(8);
  std::atomic<int> succeeded = 0;
  {
    std::vector<std::jthread> workers;
    workers.reserve(8);
    for (int i = 0; i < 8; ++i) {
      workers.push_back(StartThread("worker", [&](const std::stop_token&) {
        started.count_down();
        if (source.Get({}, "ns/ca").has_value()) ++succeeded;
      }));
    }
    started.wait();
    ASSERT_TRUE(cluster_.transport->BlockUntilRequests(1));
    body->Push(SecretJson("ns/ca", {.ca_crt = ca_}));
    body->End();
  }

  EXPECT_EQ(succeeded, 8);
  EXPECT_EQ(cluster_.Count("GET"), 1U);
}

TEST_F(SecretSourceTest, UsesAnAnswerNewerThanTheCacheForTheNextVersion) {
  cluster_.PutSecret("ns/ca", {.ca_crt = ca_, .version = "1"});
  cluster_.PutSecretUnseen("ns/ca", {.ca_crt = ca_, .version = "2"});
  SecretSource source = NewSource();

  ASSERT_TRUE(source.Get({}, "ns/ca").has_value());
  ASSERT_TRUE(source.Get({}, "ns/ca").has_value());
  cluster_.PutSecret("ns/ca", {.ca_crt = ca_, .version = "2"});
  ASSERT_TRUE(source.Get({}, "ns/ca").has_value());

  EXPECT_EQ(cluster_.Count("GET"), 1U);
}

TEST_F(SecretSourceTest, SendsNoGetForAMissingOrForbiddenSecret) {
  cluster_.PutSecret("ns/no-opt-in", {.ca_crt = ca_, .allow = ""});
  cluster_.PutSecret("ns/opt-out", {.ca_crt = ca_, .allow = "false"});
  cluster_.PutSecret("ns/capital", {.ca_crt = ca_, .allow = "True"});
  SecretSource source = NewSource();

  EXPECT_EQ(FailureOf(source, "ns/absent").reason, Reason::kSourceNotFound);
  EXPECT_EQ(FailureOf(source, "ns/absent").message, "Secret ns/absent does not exist");
  EXPECT_EQ(FailureOf(source, "ns/no-opt-in").reason, Reason::kNotAllowed);
  EXPECT_EQ(FailureOf(source, "ns/opt-out").reason, Reason::kNotAllowed);
  EXPECT_EQ(FailureOf(source, "ns/capital").reason, Reason::kNotAllowed);
  EXPECT_THAT(FailureOf(source, "ns/capital").message,
              HasSubstr("cert-manager.io/allow-direct-injection: \"true\""));
  EXPECT_EQ(cluster_.Count("GET"), 0U);
}

TEST_F(SecretSourceTest, ChecksTheOptInOfTheLoadedSecret) {
  cluster_.PutSecret("ns/ca", {.ca_crt = ca_});
  cluster_.PutSecretUnseen("ns/ca", {.ca_crt = ca_, .allow = "false", .version = "2"});
  SecretSource source = NewSource();

  EXPECT_EQ(FailureOf(source, "ns/ca").reason, Reason::kNotAllowed);
}

TEST_F(SecretSourceTest, RejectsInvalidReferencesWithoutARequest) {
  SecretSource source = NewSource();

  for (const std::string value :
       {"", "/", "name", "/name", "ns/", "ns/a/b", "//", "a//b", "./ca", "../ca", "ns/.", "ns/..",
        "ns/Ca", "ns.x/ca", " ns/ca", "ns/ca ", "ns/%2e%2e", "ns/ca,metadata.namespace=other"}) {
    const Failure failure = FailureOf(source, value);
    EXPECT_EQ(failure.reason, Reason::kBadAnnotation) << value;
    EXPECT_THAT(failure.message, AllOf(HasSubstr("\"" + value + "\""),
                                       HasSubstr("must be \"namespace/name\" of a Secret")));
  }
  EXPECT_LT(FailureOf(source, std::string(10'000, 'x')).message.size(), 300U);
  EXPECT_EQ(cluster_.Count(""), 0U);
}

TEST_F(SecretSourceTest, RejectsSecretsOutsideItsNamespaces) {
  cluster_.PutSecret("ns/ca", {.ca_crt = ca_});
  SecretSource source = NewSource({}, {.namespaces = {"ns"}});

  EXPECT_TRUE(source.Get({}, "ns/ca").has_value());
  EXPECT_EQ(FailureOf(source, "other/ca").reason, Reason::kOutsideNamespace);
  EXPECT_THAT(FailureOf(source, "other/ca").message, HasSubstr("--namespace"));
}

TEST_F(SecretSourceTest, ReadsMetadataEachTimeWhenTheSecretIsNotWatched) {
  CacheResolver labelled(
      cluster_.secret_cache,
      resolver::NewResolver(SecretMetadataType(), {.client = cluster_.client.get()}));
  CaCertLoader loader(*cluster_.client, labelled);
  SecretSource source(loader, {});
  cluster_.PutSecretUnseen("ns/ca", {.ca_crt = ca_});
  cluster_.PutSecretUnseen("ns/closed", {.ca_crt = ca_, .allow = ""});

  const auto first = source.Get({}, "ns/ca");
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_FALSE((*first)->watched);
  EXPECT_FALSE(source.Get({}, "ns/ca").value()->watched);
  EXPECT_EQ(cluster_.Count("GET"), 3U);  // one of them for the content
  EXPECT_FALSE(FailureOf(source, "ns/closed").watched);
  EXPECT_EQ(FailureOf(source, "ns/absent").reason, Reason::kSourceNotFound);
  EXPECT_FALSE(FailureOf(source, "ns/absent").watched);

  cluster_.PutSecret("ns/ca", {.ca_crt = ca_});  // with the label
  EXPECT_TRUE(source.Get({}, "ns/ca").value()->watched);
}

TEST_F(SecretSourceTest, ReportsInvalidContentWithOneGet) {
  const std::string key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
  cluster_.PutSecret("ns/none", {.has_ca_crt = false});
  cluster_.PutSecret("ns/empty", {.ca_crt = ""});
  cluster_.PutSecret("ns/garbage", {.ca_crt = "garbage"});
  cluster_.PutSecret("ns/key", {.ca_crt = ca_ + key});
  SecretSource source = NewSource();

  EXPECT_EQ(FailureOf(source, "ns/none").reason, Reason::kNoCaData);
  EXPECT_EQ(FailureOf(source, "ns/empty").reason, Reason::kNoCaData);
  EXPECT_EQ(FailureOf(source, "ns/garbage").reason, Reason::kInvalidBundle);
  EXPECT_THAT(FailureOf(source, "ns/garbage").message,
              HasSubstr("ca.crt of Secret ns/garbage: there is no PEM block"));
  EXPECT_EQ(FailureOf(source, "ns/key").reason, Reason::kInvalidBundle);
  EXPECT_THAT(FailureOf(source, "ns/key").message, HasSubstr("PEM block 2 is a private key"));
  EXPECT_EQ(cluster_.Count("GET"), 4U);  // failures are held too
}

TEST_F(SecretSourceTest, DoesNotHoldServerErrors) {
  cluster_.PutSecret("ns/ca", {.ca_crt = ca_});
  SecretSource source = NewSource();
  cluster_.Fail("GET", 403, "Forbidden", "secrets is forbidden");
  EXPECT_EQ(FailureOf(source, "ns/ca").reason, Reason::kForbidden);
  EXPECT_THAT(FailureOf(source, "ns/ca").message, HasSubstr("failed to get Secret ns/ca"));
  cluster_.FailNoMore();
  cluster_.Fail("GET", 500, "InternalError", "etcd is sad");
  EXPECT_EQ(FailureOf(source, "ns/ca").reason, Reason::kError);
  EXPECT_EQ(loader_->Size(), 0U);

  cluster_.FailNoMore();
  EXPECT_TRUE(source.Get({}, "ns/ca").has_value());
}

TEST_F(SecretSourceTest, ForgetsDeletedSecrets) {
  cluster_.PutSecret("ns/a", {.ca_crt = ca_});
  cluster_.PutSecret("ns/b", {.ca_crt = ca_});
  SecretSource source = NewSource();
  ASSERT_TRUE(source.Get({}, "ns/a").has_value());
  ASSERT_TRUE(source.Get({}, "ns/b").has_value());
  EXPECT_EQ(loader_->Size(), 2U);

  cluster_.DeleteSecret("ns/a");
  EXPECT_EQ(FailureOf(source, "ns/a").reason, Reason::kSourceNotFound);
  EXPECT_EQ(loader_->Size(), 1U);
  loader_->Forget("ns/b", loader_->Uses());
  EXPECT_EQ(loader_->Size(), 0U);
}

TEST_F(SecretSourceTest, KeepsASecretThatWasLoadedAfterAnotherWorkerSawNone) {
  SecretSource source = NewSource();
  const auto uses = loader_->Uses();
  cluster_.PutSecret("ns/a", {.ca_crt = ca_});
  ASSERT_TRUE(source.Get({}, "ns/a").has_value());

  loader_->Forget("ns/a", uses);

  ASSERT_TRUE(source.Get({}, "ns/a").has_value());
  EXPECT_EQ(cluster_.Count("GET"), 1U);
}

TEST_F(SecretSourceTest, DropsSecretsThatNothingRefersTo) {
  cluster_.PutSecret("ns/a", {.ca_crt = ca_});
  cluster_.PutSecret("ns/b", {.ca_crt = ca_});
  SecretSource source = NewSource();
  ASSERT_TRUE(source.Get({}, "ns/a").has_value());
  ASSERT_TRUE(source.Get({}, "ns/b").has_value());

  loader_->DropUnreferenced([](std::string_view key) { return key == "ns/b"; });

  EXPECT_EQ(loader_->Size(), 1U);
  ASSERT_TRUE(source.Get({}, "ns/b").has_value());
  EXPECT_EQ(cluster_.Count("GET"), 2U);
}

TEST_F(SecretSourceTest, DropsTheLeastRecentlyUsedSecretAtTheLimit) {
  SecretSource source = NewSource({.entries_max = 2});
  for (const std::string key : {"ns/a", "ns/b", "ns/a", "ns/c"}) {
    cluster_.PutSecret(key, {.ca_crt = ca_});
    ASSERT_TRUE(source.Get({}, key).has_value());
  }
  EXPECT_EQ(loader_->Size(), 2U);

  ASSERT_TRUE(source.Get({}, "ns/a").has_value());
  EXPECT_EQ(cluster_.Count("GET /api/v1/namespaces/ns/secrets/a"), 1U);
  ASSERT_TRUE(source.Get({}, "ns/b").has_value());
  EXPECT_EQ(cluster_.Count("GET /api/v1/namespaces/ns/secrets/b"), 2U);
}

TEST_F(SecretSourceTest, StopsWhileItWaits) {
  cluster_.PutSecret("ns/ca", {.ca_crt = ca_});
  cluster_.transport->Push({.hang_before_head = true});
  SecretSource source = NewSource();
  const std::jthread first = StartThread(
      "first", [&](std::stop_token stop) { (void)source.Get(std::move(stop), "ns/ca"); });
  ASSERT_TRUE(cluster_.transport->BlockUntilRequests(1));
  std::stop_source stopped;
  stopped.request_stop();

  const auto outcome = source.Get(stopped.get_token(), "ns/ca");

  ASSERT_FALSE(outcome.has_value());
  EXPECT_TRUE(IsCanceled(outcome.error().error));
}

}  // namespace
}  // namespace capstan::cainjector
