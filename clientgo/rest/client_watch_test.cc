// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "clientgo/rest/client_fixture_for_test.h"

namespace clientgo::rest {
namespace {

using runtime::EventType;
using testing::FakeEnd;
using ::testing::HasSubstr;
using util::ErrorReason;

std::string Event(const std::string& type, const std::string& name, const std::string& version) {
  return R"({"type":")" + type + R"(","object":{"kind":"Secret","metadata":{"name":")" + name +
         R"(","resourceVersion":")" + version + R"("},"data":{"k":"dg=="}}})" + "\n";
}

class ClientWatchTest : public ClientFixture {
 protected:
  std::unique_ptr<Watcher> Open(const std::stop_token& stop = {}) {
    auto watcher = client_->Watch(stop, kSecretType, {});
    EXPECT_TRUE(watcher.has_value()) << watcher.error().message;
    return std::move(*watcher);
  }
  // "ADDED a 1"-like, "end", or the error's reason.
  static std::string Next(Watcher& watcher) {
    auto event = watcher.Next();
    if (!event) return std::string(ToString(event.error().reason));
    if (!*event) return "end";
    const runtime::WatchEvent& e = **event;
    return std::to_string(static_cast<int>(e.type)) + " " +
           (e.object ? std::string(e.object->key()) : "-") + " " + e.resource_version;
  }
};

TEST_F(ClientWatchTest, AsksForWhatItsOptionsSay) {
  Start();
  transport_->Push({});
  transport_->Push({});

  ASSERT_TRUE(client_
                  ->Watch({}, kSecretType,
                          {.namespace_ = "n",
                           .resource_version = "7",
                           .resource_version_match = "NotOlderThan",
                           .allow_watch_bookmarks = true,
                           .send_initial_events = true,
                           .timeout = std::chrono::seconds(420)})
                  .has_value());
  ASSERT_TRUE(client_->Watch({}, kSecretType, {}).has_value());

  const transport::HttpRequest full = transport_->requests().at(0);
  EXPECT_EQ(full.target,
            "/api/v1/namespaces/n/secrets?resourceVersion=7&resourceVersionMatch=NotOlderThan"
            "&watch=true&allowWatchBookmarks=true&sendInitialEvents=true&timeoutSeconds=420");
  EXPECT_TRUE(full.long_running);
  EXPECT_GT(full.idle_timeout, std::chrono::seconds(420));
  const transport::HttpRequest bare = transport_->requests().at(1);
  EXPECT_EQ(bare.target, "/api/v1/secrets?watch=true");
  EXPECT_GT(bare.idle_timeout, std::chrono::hours(1)) << "the server may choose an hour";
}

TEST_F(ClientWatchTest, EventsAreWholeHoweverTheBytesAreCut) {
  const std::string stream =
      Event("ADDED", "a", "1") + Event("MODIFIED", "\\u00e9\xc3\xa9", "2") +
      Event("DELETED", "a", "3") +
      R"({"type":"BOOKMARK","object":{"kind":"Secret","metadata":{"resourceVersion":"9"}}})"
      "\n";
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, stream.size()}) {
    Start();
    testing::FakeResponse response;
    for (std::size_t i = 0; i < stream.size(); i += size) {
      response.chunks.push_back(stream.substr(i, size));
    }
    transport_->Push(response);
    auto watcher = Open();

    EXPECT_EQ(Next(*watcher), "0 a 1");
    EXPECT_EQ(Next(*watcher), "1 \xc3\xa9\xc3\xa9 2");
    EXPECT_EQ(Next(*watcher), "2 a 3");
    EXPECT_EQ(Next(*watcher), "3 - 9");
    EXPECT_EQ(Next(*watcher), "end");
  }
}

TEST_F(ClientWatchTest, HalfAnEventIsNeverGivenOut) {
  Start();
  const std::string event = Event("ADDED", "b", "2");
  transport_->Push({.chunks = {Event("ADDED", "a", "1"), event.substr(0, event.size() - 3)}});
  transport_->Push({.chunks = {event.substr(0, 40)}, .end = FakeEnd::kError});

  auto clean = Open();
  EXPECT_EQ(Next(*clean), "0 a 1");
  EXPECT_EQ(Next(*clean), "UnexpectedEOF") << "an end in the middle is no proper end";

  auto broken = Open();
  EXPECT_EQ(Next(*broken), "UnexpectedEOF");
}

TEST_F(ClientWatchTest, GarbageIsADecodeError) {
  for (const char* body : {"<html>", "{\"type\":\"ADDED\"}\n", "[]\n",
                           "{\"kind\":\"Status\",\"message\":\"no watch\"}\n"}) {
    Start();
    transport_->Push({.chunks = {body}});
    auto watcher = Open();
    EXPECT_EQ(Next(*watcher), "Decode") << body;
  }
}

TEST_F(ClientWatchTest, InStreamErrorIsAnEvent) {
  Start();
  transport_->Push({.chunks = {R"({"type":"ERROR","object":{"kind":"Status","code":410,)"
                               R"("reason":"Expired","message":"too old resource version"}})"}});
  auto watcher = Open();

  auto event = watcher->Next();

  ASSERT_TRUE(event.has_value() && event->has_value());
  EXPECT_EQ((*event)->type, EventType::kError);
  EXPECT_TRUE(util::IsExpired((*event)->error));
}

TEST_F(ClientWatchTest, RefusedWatchIsTheServersErrorAndNotRetried) {
  Start();
  transport_->Push({.status = 429,
                    .headers = {{"Retry-After", "5"}},
                    .chunks = {"Too many requests, please try again later."}});

  auto watcher = client_->Watch({}, kSecretType, {});

  ASSERT_FALSE(watcher.has_value());
  EXPECT_TRUE(util::IsTooManyRequests(watcher.error()));
  EXPECT_EQ(watcher.error().retry_after, std::chrono::seconds(5));
  EXPECT_THAT(watcher.error().message, HasSubstr("Too many requests"));
  EXPECT_EQ(transport_->requests().size(), 1U);
  EXPECT_TRUE(metrics_.durations().empty()) << "a watch is not a latency";
}

TEST_F(ClientWatchTest, StopEndsItAndDestroyingClosesTheConnection) {
  Start();
  auto body = std::make_shared<testing::FakeBody>();
  body->Push(Event("ADDED", "a", "1"));
  transport_->Push({.body = body});
  std::stop_source stop;
  auto watcher = Open(stop.get_token());
  EXPECT_EQ(Next(*watcher), "0 a 1");

  stop.request_stop();
  EXPECT_EQ(Next(*watcher), "Canceled");
  EXPECT_FALSE(body->closed());
  watcher.reset();

  EXPECT_TRUE(body->closed());
}

}  // namespace
}  // namespace clientgo::rest
