// SPDX-License-Identifier: Apache-2.0
#include "capstan/record/event_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/testing/fake_clock.h"
#include "capstan/testing/fake_transport.h"
#include "capstan/thread.h"
#include "clientgo/runtime/json.h"

namespace capstan::record {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

const api::ObjectReference kWebhook{.api_version = "admissionregistration.k8s.io/v1",
                                    .kind = "ValidatingWebhookConfiguration",
                                    .name = "hook",
                                    .uid = "uid-1",
                                    .resource_version = "42"};
const api::ObjectReference kSecret{
    .api_version = "v1", .kind = "Secret", .namespace_ = "ns", .name = "ca", .uid = "uid-2"};

// Returns the response of an API server that stores every request.
testing::FakeResponse Stored(const transport::HttpRequest& request) {
  const bool created = request.method == "POST";
  return {.status = created ? 201 : 200,
          .headers = {{"Content-Type", "application/json"}},
          .chunks = {R"({"kind":"Event","apiVersion":"v1","metadata":{"namespace":"default",)"
                     R"("name":"e","uid":"u","resourceVersion":"1"}})"}};
}

testing::FakeResponse Failure(int code, const std::string& reason) {
  return {.status = code,
          .headers = {{"Content-Type", "application/json"}},
          .chunks = {R"({"kind":"Status","status":"Failure","message":"no","reason":")" + reason +
                     R"(","code":)" + std::to_string(code) + "}"}};
}

const testing::FakeResponse kNoAnswer{
    .fail = Error{.reason = ErrorReason::kConnectionRefused, .message = "connection refused"}};

class EventBroadcasterTest : public ::testing::Test {
 protected:
  EventBroadcasterTest() {
    auto transport = std::make_unique<testing::FakeTransport>(Stored);
    transport_ = transport.get();
    rest::Config config;
    config.host = "https://api.test";
    client_ = std::make_unique<rest::Client>(std::move(config), std::move(transport),
                                             rest::ClientOptions{.clock = clock_});
    broadcaster_ = std::make_unique<EventBroadcaster>(
        *client_,
        EventBroadcasterOptions{.component = "cainjector", .host = "pod-1", .clock = clock_});
  }

  void Start() {
    run_ = StartThread("events", [this](std::stop_token stop) {
      broadcaster_->Run(std::move(stop));
      returned_ = true;
    });
  }
  // Sends queued events, then returns.
  void StopAndJoin() {
    run_.request_stop();
    run_ = {};
  }
  bool BlockUntilReturned() const {
    const auto patience = std::chrono::steady_clock::now() + seconds(10);
    while (!returned_ && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
    return returned_;
  }
  std::vector<std::string> Methods() const {
    std::vector<std::string> methods;
    for (const auto& request : transport_->requests()) methods.push_back(request.method);
    return methods;
  }

  testing::FakeClock clock_;
  testing::FakeTransport* transport_ = nullptr;
  std::unique_ptr<rest::Client> client_;
  std::unique_ptr<EventBroadcaster> broadcaster_;
  std::atomic<bool> returned_ = false;
  std::jthread run_;
};

TEST_F(EventBroadcasterTest, CreatesEventInNamespaceOfItsObject) {
  Start();
  broadcaster_->Event(kSecret, kEventTypeWarning, "InvalidBundle", "not a PEM bundle");
  StopAndJoin();

  const auto requests = transport_->requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(requests[0].target, "/api/v1/namespaces/ns/events");
  runtime::JsonDocument event;
  event.Parse(requests[0].body.data(), requests[0].body.size());
  ASSERT_FALSE(event.HasParseError());
  EXPECT_EQ(runtime::GetString(event, "kind"), "Event");
  EXPECT_EQ(runtime::GetString(event["metadata"], "namespace"), "ns");
  EXPECT_EQ(runtime::GetString(event["metadata"], "name"), "ca.1886c0e67f490000");
  EXPECT_EQ(runtime::GetString(event["involvedObject"], "uid"), "uid-2");
  EXPECT_EQ(runtime::GetString(event["involvedObject"], "kind"), "Secret");
  EXPECT_EQ(runtime::GetString(event, "type"), "Warning");
  EXPECT_EQ(runtime::GetString(event, "reason"), "InvalidBundle");
  EXPECT_EQ(runtime::GetString(event, "message"), "not a PEM bundle");
  EXPECT_EQ(runtime::GetString(event["source"], "component"), "cainjector");
  EXPECT_EQ(runtime::GetString(event["source"], "host"), "pod-1");
  EXPECT_EQ(runtime::GetString(event, "firstTimestamp"), "2026-01-02T00:00:00Z");
  EXPECT_EQ(runtime::GetString(event, "lastTimestamp"), "2026-01-02T00:00:00Z");
  EXPECT_EQ(event["count"].GetInt(), 1);
}

TEST_F(EventBroadcasterTest, CreatesEventOfClusterScopedObjectInDefault) {
  Start();
  broadcaster_->Event(kWebhook, kEventTypeNormal, "Injected", "done");
  StopAndJoin();

  ASSERT_EQ(transport_->requests().size(), 1U);
  EXPECT_EQ(transport_->requests()[0].target, "/api/v1/namespaces/default/events");
}

TEST_F(EventBroadcasterTest, CreatesFirstOfEqualEventsAndPatchesIt) {
  Start();
  for (int i = 0; i < 3; ++i) broadcaster_->Event(kWebhook, "Normal", "Injected", "done");
  StopAndJoin();

  const auto requests = transport_->requests();
  EXPECT_THAT(Methods(), ElementsAre("POST", "PATCH", "PATCH"));
  EXPECT_EQ(requests[2].target, "/api/v1/namespaces/default/events/hook.1886c0e67f490000");
  EXPECT_EQ(requests[2].body,
            R"({"count":3,"lastTimestamp":"2026-01-02T00:00:00Z","message":"done"})");
}

TEST_F(EventBroadcasterTest, CreatesExpiredEventAgainWithItsCount) {
  transport_->Push(Stored({.method = "POST"}));
  transport_->Push(Failure(404, "NotFound"));
  Start();
  broadcaster_->Event(kWebhook, "Normal", "Injected", "done");
  broadcaster_->Event(kWebhook, "Normal", "Injected", "done");
  StopAndJoin();

  EXPECT_THAT(Methods(), ElementsAre("POST", "PATCH", "POST"));
  EXPECT_THAT(transport_->requests()[2].body, ::testing::HasSubstr(R"("count":2)"));
}

TEST_F(EventBroadcasterTest, GivesSimultaneousEventsDifferentNames) {
  Start();
  broadcaster_->Event(kWebhook, "Normal", "Injected", "one");
  broadcaster_->Event(kWebhook, "Normal", "Injected", "two");
  StopAndJoin();

  EXPECT_THAT(transport_->requests()[0].body, ::testing::HasSubstr("hook.1886c0e67f490000"));
  EXPECT_THAT(transport_->requests()[1].body, ::testing::HasSubstr("hook.1886c0e67f490001"));
}

TEST_F(EventBroadcasterTest, TruncatesLongMessage) {
  Start();
  broadcaster_->Event(kWebhook, "Normal", "Injected", std::string(5000, 'x'));
  StopAndJoin();

  runtime::JsonDocument event;
  const std::string body = transport_->requests().at(0).body;
  event.Parse(body.data(), body.size());
  EXPECT_EQ(runtime::GetString(event, "message").size(), 1024U);
}

TEST_F(EventBroadcasterTest, DoesNotRetryRejectedEvent) {
  for (const auto& rejection :
       {Failure(403, "Forbidden"), Failure(422, "Invalid"), Failure(409, "AlreadyExists")}) {
    transport_->Push(rejection);
  }
  Start();
  broadcaster_->Event(kWebhook, "Normal", "One", "one");
  broadcaster_->Event(kWebhook, "Normal", "Two", "two");
  broadcaster_->Event(kWebhook, "Normal", "Three", "three");
  broadcaster_->Event(kWebhook, "Normal", "Four", "four");
  StopAndJoin();

  EXPECT_THAT(Methods(), ElementsAre("POST", "POST", "POST", "POST"));
}

TEST_F(EventBroadcasterTest, TriesTwelveTimesTenSecondsApartWithoutResponse) {
  for (int i = 0; i < 12; ++i) transport_->Push(kNoAnswer);
  Start();
  broadcaster_->Event(kWebhook, "Normal", "Lost", "lost");
  broadcaster_->Event(kWebhook, "Normal", "Next", "next");
  for (std::size_t tries = 1; tries <= 11; ++tries) {
    ASSERT_TRUE(transport_->BlockUntilRequests(tries));
    ASSERT_TRUE(clock_.BlockUntilWaiters());
    EXPECT_EQ(transport_->requests().size(), tries);
    clock_.Step(seconds(10));
    if (tries > 1) continue;
    // The first wait is for the server, which responds to the probe, and for a part of the spread.
    ASSERT_TRUE(clock_.BlockUntilWaiters());
    clock_.Step(milliseconds(200));
  }
  ASSERT_TRUE(transport_->BlockUntilRequests(13));
  StopAndJoin();

  const auto requests = transport_->requests();
  ASSERT_EQ(requests.size(), 13U);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_THAT(requests[i].body, ::testing::HasSubstr(R"("reason":"Lost")"));
  }
  EXPECT_THAT(requests[12].body, ::testing::HasSubstr(R"("reason":"Next")"));
}

TEST_F(EventBroadcasterTest, RetriesAfterServerError) {
  transport_->Push(Failure(503, "ServiceUnavailable"));
  Start();
  broadcaster_->Event(kWebhook, "Normal", "Injected", "done");
  ASSERT_TRUE(transport_->BlockUntilRequests(1));
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  clock_.Step(seconds(10));
  ASSERT_TRUE(transport_->BlockUntilRequests(2));
  StopAndJoin();

  EXPECT_THAT(Methods(), ElementsAre("POST", "POST"));
}

TEST_F(EventBroadcasterTest, DropsAndCountsWithoutBlockingWhenQueueIsFull) {
  for (int i = 0; i < 1500; ++i) {
    broadcaster_->Event({.kind = "Secret", .namespace_ = "ns", .name = std::to_string(i)}, "Normal",
                        "Injected", "done");
  }
  EXPECT_EQ(broadcaster_->dropped(), 500U);

  Start();
  StopAndJoin();
  EXPECT_EQ(transport_->requests().size(), 1000U);
  EXPECT_EQ(broadcaster_->dropped(), 500U);
}

TEST_F(EventBroadcasterTest, SendsBurstAndThenAtLimitedRate) {
  for (int i = 0; i < 40; ++i) {
    broadcaster_->Event({.kind = "Secret", .namespace_ = "ns", .name = std::to_string(i)}, "Normal",
                        "Injected", "done");
  }
  Start();
  ASSERT_TRUE(transport_->BlockUntilRequests(25));
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  EXPECT_EQ(transport_->requests().size(), 25U);

  clock_.Step(milliseconds(20));
  ASSERT_TRUE(transport_->BlockUntilRequests(26));
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  EXPECT_EQ(transport_->requests().size(), 26U);

  StopAndJoin();
  EXPECT_EQ(transport_->requests().size(), 40U);
}

TEST_F(EventBroadcasterTest, StopLeavesTwoSecondsForRequestInProgress) {
  transport_->Push({.hang_before_head = true});
  Start();
  broadcaster_->Event(kWebhook, "Normal", "One", "one");
  broadcaster_->Event(kWebhook, "Normal", "Two", "two");
  ASSERT_TRUE(transport_->BlockUntilRequests(1));

  run_.request_stop();
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  clock_.Step(seconds(1));
  EXPECT_FALSE(returned_);
  clock_.Step(seconds(1));

  EXPECT_TRUE(BlockUntilReturned());
  EXPECT_EQ(transport_->requests().size(), 1U);
  EXPECT_EQ(broadcaster_->dropped(), 1U);
}

TEST_F(EventBroadcasterTest, StopEndsWaitBetweenTries) {
  transport_->Push(kNoAnswer);
  transport_->Push(kNoAnswer);
  Start();
  broadcaster_->Event(kWebhook, "Normal", "One", "one");
  ASSERT_TRUE(transport_->BlockUntilRequests(1));
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  clock_.Step(seconds(10));
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  clock_.Step(milliseconds(200));  // the part of the spread
  ASSERT_TRUE(transport_->BlockUntilRequests(2));
  ASSERT_TRUE(clock_.BlockUntilWaiters());

  run_.request_stop();

  EXPECT_TRUE(BlockUntilReturned());
  EXPECT_EQ(transport_->requests().size(), 2U);
  EXPECT_EQ(broadcaster_->dropped(), 1U);
}

// A tenant has a webhook for the Events of its namespace.
TEST_F(EventBroadcasterTest, SendsEventsOfOtherNamespacesWhileOneHoldsItsEvents) {
  transport_->Push({.hang_before_head = true});
  Start();
  for (int i = 0; i < 5; ++i) {
    broadcaster_->Event(
        {.kind = "Secret", .namespace_ = "slow", .name = std::to_string(i), .uid = "u"}, "Normal",
        "Injected", "done");
  }
  ASSERT_TRUE(transport_->BlockUntilRequests(1));

  broadcaster_->Event(kSecret, "Normal", "Injected", "done");

  EXPECT_TRUE(transport_->BlockUntilRequests(2));
  EXPECT_THAT(transport_->requests().at(1).body, ::testing::HasSubstr(R"("name":"ca")"));
  run_.request_stop();
  ASSERT_TRUE(clock_.BlockUntilWaiters());
  clock_.Step(seconds(2));
  EXPECT_TRUE(BlockUntilReturned());
}

TEST_F(EventBroadcasterTest, SendsOtherEventsBetweenTheTriesOfOne) {
  transport_->Push(Failure(500, "InternalError"));
  Start();
  broadcaster_->Event(kWebhook, "Normal", "Failing", "one");
  ASSERT_TRUE(transport_->BlockUntilRequests(1));

  broadcaster_->Event(kSecret, "Normal", "Injected", "done");

  EXPECT_TRUE(transport_->BlockUntilRequests(2));
  EXPECT_THAT(transport_->requests().at(1).body, ::testing::HasSubstr(R"("name":"ca")"));
}

TEST_F(EventBroadcasterTest, FullQueueDropsEventsOfTheNamespaceWithMost) {
  for (int i = 0; i < 1500; ++i) {
    broadcaster_->Event({.kind = "Secret", .namespace_ = "noisy", .name = std::to_string(i)},
                        "Normal", "Injected", "done");
  }
  broadcaster_->Event(kSecret, "Normal", "Injected", "done");
  EXPECT_EQ(broadcaster_->dropped(), 501U);

  Start();
  StopAndJoin();

  const auto requests = transport_->requests();
  EXPECT_EQ(requests.size(), 1000U);
  EXPECT_TRUE(std::any_of(requests.begin(), requests.end(), [](const auto& request) {
    return request.body.find(R"("name":"ca")") != std::string::npos;
  }));
}

}  // namespace
}  // namespace capstan::record
