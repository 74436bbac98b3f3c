// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/rest/testing/client_fixture.h"

namespace capstan::rest {
namespace {

using ::testing::HasSubstr;

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
  // Returns the next event, such as "0 a 1", or "end", or the error's reason.
  static std::string Next(Watcher& watcher) {
    auto event = watcher.Next();
    if (!event) return std::string(ToString(event.error().reason));
    if (!*event) return "end";
    const runtime::WatchEvent& e = **event;
    return std::to_string(static_cast<int>(e.type)) + " " +
           (e.object ? std::string(e.object->key()) : "-") + " " + e.resource_version;
  }
};

TEST_F(ClientWatchTest, SendsItsOptions) {
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

TEST_F(ClientWatchTest, ReturnsWholeEventsForEverySplit) {
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

TEST_F(ClientWatchTest, KnowsWhetherTheNextEventWasReceived) {
  using Backlog = Watcher::Backlog;
  const std::string first = Event("ADDED", "a", "1");
  const std::string second = Event("ADDED", "b", "2");
  Start();
  transport_->Push({.chunks = {first + second + first.substr(0, 9), first.substr(9)}});
  auto watcher = Open();

  EXPECT_EQ(Next(*watcher), "0 a 1");
  EXPECT_EQ(watcher->CheckBacklog(), Backlog::kReceived);
  EXPECT_EQ(watcher->CheckBacklog(), Backlog::kReceived) << "checking has no effect";
  EXPECT_EQ(Next(*watcher), "0 b 2");
  EXPECT_EQ(watcher->CheckBacklog(), Backlog::kNone) << "a part is not an event";
  EXPECT_EQ(Next(*watcher), "0 a 1");
  EXPECT_EQ(watcher->CheckBacklog(), Backlog::kNone);
  EXPECT_EQ(Next(*watcher), "end");
}

TEST_F(ClientWatchTest, DoesNotKnowTheBacklogAfterALargeRead) {
  std::string chunk;
  while (chunk.size() < std::size_t{15} * 1024) chunk += Event("ADDED", "a", "1");
  Start();
  transport_->Push({.chunks = {chunk, Event("ADDED", "b", "2")}});
  auto watcher = Open();

  do {
    ASSERT_EQ(Next(*watcher), "0 a 1");
  } while (watcher->CheckBacklog() == Watcher::Backlog::kReceived);

  EXPECT_EQ(watcher->CheckBacklog(), Watcher::Backlog::kUnknown);
  EXPECT_EQ(Next(*watcher), "0 b 2");
}

TEST_F(ClientWatchTest, ReturnsErrorThatCheckBacklogHasFound) {
  Start();
  transport_->Push({.chunks = {Event("ADDED", "a", "1") + "<html>"}});
  auto watcher = Open();

  EXPECT_EQ(Next(*watcher), "0 a 1");
  EXPECT_EQ(watcher->CheckBacklog(), Watcher::Backlog::kReceived);
  EXPECT_EQ(Next(*watcher), "Decode");
}

TEST_F(ClientWatchTest, NeverReturnsIncompleteEvent) {
  Start();
  const std::string event = Event("ADDED", "b", "2");
  transport_->Push({.chunks = {Event("ADDED", "a", "1"), event.substr(0, event.size() - 3)}});
  transport_->Push({.chunks = {event.substr(0, 40)}, .end = testing::FakeEnd::kError});

  auto clean = Open();
  EXPECT_EQ(Next(*clean), "0 a 1");
  EXPECT_EQ(Next(*clean), "UnexpectedEOF") << "the stream ended inside an event";

  auto broken = Open();
  EXPECT_EQ(Next(*broken), "UnexpectedEOF");
}

TEST_F(ClientWatchTest, RejectsBytesThatAreNotEvents) {
  for (const char* body : {"<html>", "{\"type\":\"ADDED\"}\n", "[]\n",
                           "{\"kind\":\"Status\",\"message\":\"no watch\"}\n"}) {
    Start();
    transport_->Push({.chunks = {body}});
    auto watcher = Open();
    EXPECT_EQ(Next(*watcher), "Decode") << body;
  }
}

TEST_F(ClientWatchTest, ReturnsErrorEvent) {
  Start();
  transport_->Push({.chunks = {R"({"type":"ERROR","object":{"kind":"Status","code":410,)"
                               R"("reason":"Expired","message":"too old resource version"}})"}});
  auto watcher = Open();

  auto event = watcher->Next();

  ASSERT_TRUE(event.has_value() && event->has_value());
  EXPECT_EQ((*event)->type, runtime::EventType::kError);
  EXPECT_TRUE(IsExpired((*event)->error));
}

TEST_F(ClientWatchTest, DoesNotRetryRejectedWatch) {
  Start();
  transport_->Push({.status = 429,
                    .headers = {{"Retry-After", "5"}},
                    .chunks = {"Too many requests, please try again later."}});

  auto watcher = client_->Watch({}, kSecretType, {});

  ASSERT_FALSE(watcher.has_value());
  EXPECT_TRUE(IsTooManyRequests(watcher.error()));
  EXPECT_EQ(watcher.error().retry_after, std::chrono::seconds(5));
  EXPECT_THAT(watcher.error().message, HasSubstr("Too many requests"));
  EXPECT_EQ(transport_->requests().size(), 1U);
  EXPECT_TRUE(metrics_.durations().empty()) << "a watch has no latency";
}

TEST_F(ClientWatchTest, StopEndsWatchAndDestructorClosesConnection) {
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

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::size_t Below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine_);
  }
  template <class Choices>
  auto OneOf(const Choices& choices) {
    return *(std::begin(choices) + static_cast<std::ptrdiff_t>(Below(std::size(choices))));
  }
  template <class List>
  void Shuffle(List& list) {
    std::shuffle(list.begin(), list.end(), engine_);
  }

 private:
  std::mt19937 engine_;
};

// StreamWriter writes a random watch stream and the events that a reader should get.
class StreamWriter {
 public:
  explicit StreamWriter(unsigned seed) : random_(seed) {}

  void Add() {
    switch (random_.Below(8)) {
      case 0:
        return AddBookmark();
      case 1:
        return AddError();
      case 2:
        return AddUndecodable();
      default:
        return AddChange();
    }
  }
  const std::string& stream() const { return stream_; }
  const std::vector<std::string>& events() const { return events_; }
  Random& random() { return random_; }

 private:
  // a key without quotes, and a value as JSON text
  using Member = std::pair<std::string, std::string>;

  std::string Space() {
    constexpr const char* kSpaces[] = {"", "", "", "", " ", "\n", "\t", "\r\n  "};
    return random_.OneOf(kSpaces);
  }

  // Returns a random string literal. `value` is its meaning.
  std::string Text(std::string* value = nullptr) {
    constexpr std::pair<const char*, const char*> kPieces[] = {
        {"a", "a"},
        {"\\u0062", "b"},
        {"}{][:,", "}{][:,"},
        {"\\\"", "\""},
        {"\\\\", "\\"},
        {"\\/", "/"},
        {"\\n\\t", "\n\t"},
        {"\xc3\xa9", "\xc3\xa9"},
        {"\\u00e9", "\xc3\xa9"},
        {"\xe4\xb8\xad", "\xe4\xb8\xad"},
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
        {"\\uD83D\\uDE00x", "\xf0\x9f\x98\x80x"},
    };
    std::string text = "\"";
    for (std::size_t i = 1 + random_.Below(6); i > 0; --i) {
      const auto& [spelling, meaning] = random_.OneOf(kPieces);
      text += spelling;
      if (value != nullptr) *value += meaning;
    }
    return text + "\"";
  }

  std::string Array(std::size_t depth) {
    std::string text = "[";
    for (std::size_t i = random_.Below(4); i > 0; --i) {
      text += Space() + Junk(depth) + Space() + (i > 1 ? "," : "");
    }
    return text + "]";
  }

  // Returns a value that the projection drops.
  std::string Junk(std::size_t depth = 0) {
    constexpr const char* kScalars[] = {"true", "false", "null", "-0", "1.5e+30", "123456789012"};
    switch (random_.Below(depth > 4 ? 2 : 4)) {
      case 0:
        return random_.OneOf(kScalars);
      case 1:
        return Text();
      case 2:
        return Array(depth + 1);
      default:
        // Below the top level, these keys have no special meaning.
        return Object({{"type", Junk(depth + 1)}, {"metadata", Junk(depth + 1)}}, depth);
    }
  }

  // Returns an object with the members in random order, and others between them.
  std::string Object(std::vector<Member> members, std::size_t depth = 0) {
    constexpr const char* kJunkKeys[] = {"spec",
                                         "tyPe",
                                         "objects",
                                         "nam",
                                         "managedFields",
                                         "\xf0\x9f\x98\x80",
                                         "\\\"\\ud83d\\ude00"};
    for (std::size_t i = random_.Below(3); i > 0; --i) {
      members.emplace_back(random_.OneOf(kJunkKeys), Junk(depth + 1));
    }
    random_.Shuffle(members);
    std::string text = "{" + Space();
    for (std::size_t i = 0; i < members.size(); ++i) {
      text += (i > 0 ? "," : "") + Space() + "\"" + members[i].first + "\"" + Space() + ":" +
              Space() + members[i].second + Space();
    }
    return text + "}";
  }

  void Write(const std::string& type, const std::string& object, std::string expected) {
    stream_ += Space() + Object({{"type", "\"" + type + "\""}, {"object", object}});
    events_.push_back(std::move(expected));
  }

  std::string Version() { return std::to_string(++version_); }

  void AddChange() {
    constexpr std::pair<const char*, const char*> kTypes[] = {
        {"ADDED", "0 "}, {"MODIFIED", "1 "}, {"DELETED", "2 "}};
    const auto& [type, number] = random_.OneOf(kTypes);
    const std::string version = Version();
    std::string name;
    const std::string metadata =
        Object({{"name", Text(&name)}, {"resourceVersion", "\"" + version + "\""}});
    Write(type, Object({{"kind", "\"Secret\""}, {"metadata", metadata}, {"data", Junk()}}),
          number + name + " " + version);
  }
  // The object has no name, so the event has no object. The watch continues.
  void AddUndecodable() {
    const std::string version = Version();
    const std::string metadata = Object({{"resourceVersion", "\"" + version + "\""}});
    Write("ADDED", Object({{"kind", "\"Secret\""}, {"metadata", metadata}}), "0 - " + version);
  }
  void AddBookmark() {
    const std::string version = Version();
    const bool end = random_.Below(2) == 0;
    const std::string annotations =
        Object({{"k8s.io/initial-events-end", end ? "\"true\"" : "\"false\""}});
    const std::string metadata =
        Object({{"resourceVersion", "\"" + version + "\""}, {"annotations", annotations}});
    Write("BOOKMARK", Object({{"kind", "\"Secret\""}, {"metadata", metadata}}),
          "3 - " + version + (end ? " end" : ""));
  }
  void AddError() {
    std::string message;
    std::string text = Text(&message);
    text.insert(1, "<").insert(text.size() - 1, ">");  // The decoder trims space around a message.
    Write("ERROR", Object({{"kind", "\"Status\""}, {"code", "410"}, {"message", text}}),
          "4 - Gone 410 <" + message + ">");
  }

  Random random_;
  std::string stream_;
  std::vector<std::string> events_;
  int version_ = 0;
};

class ClientWatchPropertyTest : public ClientFixture {
 protected:
  // Returns all events of a watch with this response, then "end" or the error's reason.
  std::vector<std::string> Events(const testing::FakeResponse& response) {
    Start();
    transport_->Push(response);
    auto watcher = client_->Watch({}, kSecretType, {});
    if (!watcher) return {watcher.error().message};
    std::vector<std::string> events;
    for (;;) {
      auto event = (*watcher)->Next();
      if (!event) return events.emplace_back(ToString(event.error().reason)), events;
      if (!*event) return events.emplace_back("end"), events;
      events.push_back(Describe(**event));
    }
  }

  // Splits the stream into chunks of 1 to `longest` bytes.
  static std::vector<std::string> Cut(std::string_view stream, std::size_t longest,
                                      Random& random) {
    std::vector<std::string> chunks;
    while (!stream.empty()) {
      chunks.emplace_back(stream.substr(0, 1 + random.Below(longest)));
      stream.remove_prefix(chunks.back().size());
    }
    return chunks;
  }

 private:
  static std::string Describe(const runtime::WatchEvent& event) {
    std::string text = std::to_string(static_cast<int>(event.type)) + " ";
    if (event.type == runtime::EventType::kError) {
      return text + "- " + std::string(ToString(event.error.reason)) + " " +
             std::to_string(event.error.http_code) + " " + event.error.message;
    }
    text += (event.object ? std::string(event.object->name()) : "-") + " " + event.resource_version;
    return text + (event.initial_events_end ? " end" : "");
  }
};

TEST_F(ClientWatchPropertyTest, ReturnsWrittenEventsForEverySplitOfRandomStreams) {
  for (unsigned seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    StreamWriter writer(seed);
    for (int i = 0; i < 12; ++i) writer.Add();
    std::vector<std::string> expected = writer.events();
    expected.emplace_back("end");

    ASSERT_EQ(Events({.chunks = {writer.stream()}}), expected) << writer.stream();
    for (const std::size_t longest : {1U, 2U, 5U, 17U, 300U, 4096U}) {
      ASSERT_EQ(Events({.chunks = Cut(writer.stream(), longest, writer.random())}), expected)
          << "chunks of up to " << longest << " bytes of " << writer.stream();
    }
  }
}

// A broken body gives the events that are complete, then an error.
TEST_F(ClientWatchPropertyTest, ReturnsCompleteEventsAndErrorWhenStreamBreaksAnywhere) {
  StreamWriter writer(1);
  std::vector<std::size_t> ends;  // of the events
  for (int i = 0; i < 4; ++i) {
    writer.Add();
    ends.push_back(writer.stream().size());
  }
  for (std::size_t cut = 0; cut < writer.stream().size(); ++cut) {
    const auto complete = std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin();
    std::vector<std::string> expected(writer.events().begin(), writer.events().begin() + complete);
    expected.emplace_back("UnexpectedEOF");

    testing::FakeResponse broken;
    if (cut > 0) broken.chunks = {writer.stream().substr(0, cut)};
    broken.end = testing::FakeEnd::kError;
    EXPECT_EQ(Events(broken), expected) << "cut at " << cut << " of " << writer.stream();
  }
}

}  // namespace
}  // namespace capstan::rest
