// SPDX-License-Identifier: Apache-2.0
// A whole client on a scripted server: SharedInformer, Reflector, rest::Client and FakeTransport. A
// test scripts the bytes of the server, and asserts the requests, the content of the store and the
// calls of the handler. Requests without a scripted response fail, as if the server were down.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capstan/testing/fake_transport.h"
#include "clientgo/cache/testing/informer_fixture.h"
#include "clientgo/rest/testing/client_fixture.h"

namespace capstan::cache {

// The requests without jitter.
inline constexpr char kFirstList[] = "/api/v1/secrets?resourceVersion=0&limit=500";
inline constexpr char kNewestList[] = "/api/v1/secrets?limit=500";
inline constexpr char kFirstWatchList[] =
    "/api/v1/secrets?resourceVersionMatch=NotOlderThan&watch=true&allowWatchBookmarks=true"
    "&sendInitialEvents=true&timeoutSeconds=300";

inline std::string ListAt(const std::string& version) {
  return "/api/v1/secrets?resourceVersion=" + version;
}
inline std::string WatchAt(const std::string& version) {
  return ListAt(version) + "&watch=true&allowWatchBookmarks=true&timeoutSeconds=300";
}
inline std::string WatchListAt(const std::string& version) {
  return ListAt(version) +
         "&resourceVersionMatch=NotOlderThan&watch=true&allowWatchBookmarks=true"
         "&sendInitialEvents=true&timeoutSeconds=300";
}

// The JSON of a server. `version` is text because resourceVersions are opaque.
inline std::string Json(const std::string& name, const std::string& version,
                        const std::string& uid = "", const std::string& more = "") {
  return R"({"kind":"Secret","apiVersion":"v1","metadata":{"namespace":"ns","name":")" + name +
         R"(","uid":")" + (uid.empty() ? "uid-" + name : uid) + R"(","resourceVersion":")" +
         version + "\"}" + more + "}";
}
inline std::string ListJson(const std::string& version, const std::vector<std::string>& items,
                            const std::string& continue_token = "") {
  std::string text = R"({"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":")" +
                     version + R"(","continue":")" + continue_token + R"("},"items":[)";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "" : ",") + items[i];
  return text + "]}\n";
}
inline std::string EventJson(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}
inline std::string Added(const std::string& name, const std::string& version) {
  return EventJson("ADDED", Json(name, version));
}
inline std::string Modified(const std::string& name, const std::string& version) {
  return EventJson("MODIFIED", Json(name, version));
}
inline std::string Deleted(const std::string& name, const std::string& version) {
  return EventJson("DELETED", Json(name, version));
}
// `end` is the value of the annotation that ends the initial events. If it is empty, there is
// no annotation.
inline std::string BookmarkJson(const std::string& version, const std::string& end = "") {
  const std::string annotations =
      end.empty() ? "" : R"(,"annotations":{"k8s.io/initial-events-end":")" + end + "\"}";
  return EventJson("BOOKMARK",
                   R"({"kind":"Secret","apiVersion":"v1","metadata":{"resourceVersion":")" +
                       version + "\"" + annotations + "}}");
}
inline std::string StatusJson(int code, const std::string& reason, const std::string& message,
                              const std::string& details = "{}") {
  return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" +
         message + R"(","reason":")" + reason + R"(","details":)" + details + R"(,"code":)" +
         std::to_string(code) + "}\n";
}

// Server responds to requests that the test has not scripted.
struct Server {
  std::atomic<bool> is_up = true;
  std::atomic<int> probes = 0;
  testing::FakeResponse Answer(const transport::HttpRequest& request) {
    const bool is_probe = request.target == "/readyz";
    if (is_probe) ++probes;
    if (is_probe && is_up) return {.chunks = {"ok"}};
    return {.fail =
                Error{.reason = ErrorReason::kConnectionRefused, .message = "connection refused"}};
  }
};

struct ScenarioOptions {
  bool watch_list = false;
  Scope scope = {};
  rest::Config config = {};
};

struct ScenarioFixture : ::testing::Test {
  // Starts the informer, without waiting for its sync. After Stop it starts a new one, for the next
  // case of a loop.
  void Start(ScenarioOptions options = {}) {
    informer.reset();
    auto fake = std::make_unique<testing::FakeTransport>(
        [this](const transport::HttpRequest& request) { return server.Answer(request); }, clock);
    transport = fake.get();
    for (testing::FakeResponse& response : script) transport->Push(std::move(response));
    script.clear();
    options.config.host = "https://api";
    client =
        std::make_unique<rest::Client>(options.config, std::move(fake),
                                       rest::ClientOptions{.clock = clock, .recovery_spread = {}});
    ReflectorOptions reflector{.watch_list = options.watch_list, .clock = clock};
    reflector.random = [] { return 0.0; };
    reflector.metrics = &metrics;
    record = std::make_unique<Journal>();
    informer = std::make_unique<SharedInformer>(
        type, NewListerWatcher(*client, type, options.scope), std::move(reflector));
    ASSERT_TRUE(informer->AddEventHandler(RecordingHandler(*record)));
    thread = StartThread("informer", [this](std::stop_token stop) { informer->Run(stop); });
  }
  // Starts with these objects, listed at version 10, and waits until the watch is read.
  std::shared_ptr<testing::FakeBody> StartWith(const std::vector<std::string>& items,
                                               ScenarioOptions options = {}) {
    OnList(ListJson("10", items));
    auto watch = OnWatch();
    Start(std::move(options));
    EXPECT_TRUE(watch->BlockUntilDrained());
    EXPECT_TRUE(record->WaitForLines(items.size()));
    return watch;
  }

  // Returns when Run has.
  void Stop() { thread = std::jthread(); }

  // Scripts the response to the next request. Call it before or after Start.
  void On(testing::FakeResponse response) {
    if (thread.joinable()) {
      transport->Push(std::move(response));
    } else {
      script.push_back(std::move(response));
    }
  }
  void OnList(std::string body) { On({.chunks = {std::move(body)}}); }
  void OnStatus(int code, const std::string& reason, const std::string& message) {
    On({.status = code, .chunks = {StatusJson(code, reason, message)}});
  }
  std::shared_ptr<testing::FakeBody> OnWatch() {
    auto body = std::make_shared<testing::FakeBody>();
    On({.body = body});
    return body;
  }

  // Waits until a backoff or retry waits on the clock, then moves the clock.
  bool Pass(Clock::Duration duration) {
    if (!clock.BlockUntilWaiters()) return false;
    clock.Step(duration);
    return true;
  }
  std::vector<std::string> Requests() const {
    std::vector<std::string> targets;
    for (const auto& request : transport->requests()) targets.push_back(request.target);
    return targets;
  }
  // Returns the store's objects as "ns/a=1", sorted.
  std::vector<std::string> Stored() const {
    std::vector<std::string> shown;
    for (const auto& object : informer->store().List()) shown.push_back(Show(*object));
    std::sort(shown.begin(), shown.end());
    return shown;
  }
  // Returns the handler's calls after the first `skip`. Waits until there are `count` of them.
  std::vector<std::string> CallsAfter(std::size_t skip, std::size_t count) const {
    EXPECT_TRUE(record->WaitForLines(skip + count));
    const auto lines = record->lines();
    return {lines.begin() + static_cast<std::ptrdiff_t>(std::min(skip, lines.size())), lines.end()};
  }

  testing::FakeClock clock;
  Server server;
  runtime::ResourceType type = rest::SecretType(false);
  std::vector<testing::FakeResponse> script;  // until Start
  RecordingMetrics metrics;
  testing::FakeTransport* transport = nullptr;
  std::unique_ptr<rest::Client> client;
  std::unique_ptr<Journal> record;
  std::unique_ptr<SharedInformer> informer;
  std::jthread thread;
};

}  // namespace capstan::cache
