// SPDX-License-Identifier: Apache-2.0
// How long a call may take: what has a limit, what has none, and what counts against it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "clientgo/rest/client_fixture_for_test.h"

namespace clientgo::rest {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::FakeEnd;
using testing::FakeResponse;
using ::testing::HasSubstr;
using util::ErrorReason;

constexpr char kSecret[] = R"({"kind":"Secret","metadata":{"name":"s","namespace":"ns"}})";
constexpr char kList[] = R"({"kind":"SecretList","metadata":{"resourceVersion":"9"},"items":[]})";

class ClientDeadlineTest : public ClientFixture {
 protected:
  // A server that takes so long to answer with `body`.
  void StartSlow(util::Clock::Duration delay, const std::string& body, Config config = {}) {
    handler_ = [this, delay, body](const transport::HttpRequest&) {
      clock_.Step(delay);
      return FakeResponse{.chunks = {body}};
    };
    Start(std::move(config));
  }
  util::Expected<runtime::ListMeta> List(const CallOptions& call = {}) {
    return client_->List(call, kSecretType, {}, [](const runtime::ObjectPtr&) {});
  }
  util::Expected<runtime::ObjectPtr> Get(const CallOptions& call = {}) {
    return client_->Get(call, kSecretType, {"ns", "s"});
  }
  CallOptions Within(util::Clock::Duration time) { return {{}, clock_.Now() + time}; }
};

TEST_F(ClientDeadlineTest, AListMayTakeFiveMinutesToAnswer) {
  StartSlow(minutes(5), kList);

  const auto listed = List();

  ASSERT_TRUE(listed.has_value()) << listed.error().message;
  EXPECT_EQ(listed->resource_version, "9");
}

TEST_F(ClientDeadlineTest, AGetThatIsNotAnsweredInTimeFailsAndIsNotRepeated) {
  StartSlow(kAnswerTimeout, kSecret);

  const auto object = Get();

  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_THAT(object.error().message,
              HasSubstr("GET \"https://10.0.0.1:6443/api/v1/namespaces/ns/secrets/s\": no answer"));
  EXPECT_EQ(transport_->requests().size(), 1U);
}

TEST_F(ClientDeadlineTest, TheCallersDeadlineEndsAListThatIsNotAnswered) {
  StartSlow(seconds(5), kList);

  const auto listed = List(Within(seconds(5)));

  ASSERT_FALSE(listed.has_value());
  EXPECT_EQ(listed.error().reason, ErrorReason::kDeadlineExceeded);
}

TEST_F(ClientDeadlineTest, TheDeadlineHoldsForTheBody) {
  Start();
  transport_->Push({.chunks = {R"({"kind":"Sec)"}, .end = FakeEnd::kHang});
  auto result = std::async(std::launch::async, [&] { return Get(Within(seconds(5))); });
  ASSERT_TRUE(clock_.BlockUntilWaiters());

  clock_.Step(seconds(5));

  EXPECT_EQ(result.get().error().reason, ErrorReason::kDeadlineExceeded);
}

TEST_F(ClientDeadlineTest, ACallSendsNothingAfterItsDeadline) {
  Start();

  const auto object = Get(Within(seconds(0)));

  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_TRUE(transport_->requests().empty());
}

TEST_F(ClientDeadlineTest, ARetryThatWouldOutlastTheDeadlineIsNotWaitedFor) {
  Start();
  transport_->Push({.status = 429, .headers = {{"Retry-After", "5"}}});

  const auto object = Get(Within(seconds(5)));

  ASSERT_FALSE(object.has_value());
  EXPECT_TRUE(util::IsTooManyRequests(object.error())) << "the server's answer says more";
  EXPECT_FALSE(clock_.HasWaiters());
}

TEST_F(ClientDeadlineTest, TheTimeoutOfAConfigEndsTheWholeCallAlsoAList) {
  StartSlow(seconds(10), kList, {.timeout = seconds(10)});

  const auto listed = List();

  ASSERT_FALSE(listed.has_value());
  EXPECT_EQ(listed.error().reason, ErrorReason::kDeadlineExceeded);
}

TEST_F(ClientDeadlineTest, TheTimeoutOfAConfigIsForAllRetriesTogether) {
  Start({.timeout = seconds(10)});
  transport_->Push({.status = 503, .headers = {{"Retry-After", "10"}}});

  const auto object = Get();

  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().http_code, 503);
  EXPECT_EQ(transport_->requests().size(), 1U);
}

TEST_F(ClientDeadlineTest, TheTimeoutOfAConfigLimitsTheAnswerOfAWatchAndNotItsLife) {
  Start({.timeout = seconds(10)});
  const auto body = std::make_shared<testing::FakeBody>();
  transport_->Push({.body = body});
  auto watcher = client_->Watch({}, kSecretType, {});
  ASSERT_TRUE(watcher.has_value()) << watcher.error().message;

  clock_.Step(minutes(1));
  body->End();

  EXPECT_EQ((*watcher)->Next().value(), std::nullopt);
  EXPECT_EQ(transport_->requests().front().answer_timeout, seconds(10));
}

TEST_F(ClientDeadlineTest, AReadOfAWatchHasALimitOfItsOwn) {
  Start();
  transport_->Push({.body = std::make_shared<testing::FakeBody>()});
  auto watcher = client_->Watch({}, kSecretType, {});
  ASSERT_TRUE(watcher.has_value()) << watcher.error().message;

  const auto next = (*watcher)->Next(util::Clock::Duration::zero());

  ASSERT_FALSE(next.has_value());
  EXPECT_EQ(next.error().reason, ErrorReason::kDeadlineExceeded);
}

TEST_F(ClientDeadlineTest, ThrottlingThatWouldOutlastTheDeadlineFailsAtOnce) {
  Start({.qps = 0.1, .burst = 1});
  transport_->Push({.chunks = {kSecret}});
  ASSERT_TRUE(Get().has_value());

  const auto object = Get(Within(seconds(5)));

  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_THAT(object.error().message, HasSubstr("throttling would exceed the deadline"));
}

}  // namespace
}  // namespace clientgo::rest
