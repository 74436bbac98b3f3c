// SPDX-License-Identifier: Apache-2.0
// Fixtures for reflectors and informers: test objects, a store, metrics and a handler that record
// their calls, and a Reflector or SharedInformer on a thread with a FakeClock and a scripted
// server.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/cache/reflector.h"
#include "capstan/cache/shared_informer.h"
#include "capstan/mutex.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/thread.h"
#include "clientgo/cache/testing/fake_lister_watcher.h"
#include "clientgo/util/testing/journal.h"

namespace capstan::cache {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Requests of a Reflector, as FakeListerWatcher shows them.
inline constexpr char kFirstPage[] = "LIST rv=0 limit=500";
inline constexpr char kWatchAt10[] = "WATCH rv=10 bookmarks timeout=300";

inline runtime::ObjectPtr MakeObject(const std::string& name, int version,
                                     const std::string& uid = "") {
  const std::string resource_version = std::to_string(version);
  const std::string id = uid.empty() ? "uid-" + name : uid;
  return runtime::MakeObject<runtime::Object>(
      runtime::ObjectIdentity{"ns", name, id, resource_version});
}

// Returns the allocated heap bytes, including large mapped blocks. 0 with a sanitizer, which has
// its own heap.
inline std::size_t HeapBytesInUse() {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

inline FakePage Page(std::vector<runtime::ObjectPtr> items, std::string version,
                     std::string continue_token = "") {
  return {.items = std::move(items), .meta = {std::move(version), std::move(continue_token)}};
}

inline Error MakeError(ErrorReason reason, int http_code = 0) {
  return {.reason = reason, .http_code = http_code, .message = std::string(ToString(reason))};
}

inline FakePage FailedPage(Error error) { return {.error = std::move(error)}; }

inline Error TooLarge() {
  Error error = MakeError(ErrorReason::kTimeout, 504);
  error.resource_version_too_large = true;
  return error;
}

// Returns "ns/a=1", the form of an object in the records below.
inline std::string Show(const runtime::Object& object) {
  return std::string(object.key()) + "=" + object.resource_version();
}

class RecordingStore final : public ReflectorStore {
 public:
  void Upsert(runtime::ObjectPtr object) override {
    record.Write("upsert " + Show(*object));
    MutexLock lock(mu_);
    objects_[std::string(object->key())] = object;
  }
  void Delete(runtime::ObjectPtr final_state) override {
    record.Write("delete " + Show(*final_state));
    MutexLock lock(mu_);
    objects_.erase(std::string(final_state->key()));
  }
  void Replace(std::vector<runtime::ObjectPtr> items, std::string resource_version) override {
    std::map<std::string, runtime::ObjectPtr> objects;
    for (auto& item : items) objects[std::string(item->key())] = item;
    std::string line = "replace @" + resource_version;
    for (const auto& [key, object] : objects) line += " " + Show(*object);
    {
      MutexLock lock(mu_);
      objects_ = std::move(objects);
    }
    record.Write(std::move(line));
  }
  void Flush() override { ++flushes; }
  runtime::ObjectPtr GetByKey(std::string_view key) const override {
    MutexLock lock(mu_);
    const auto found = objects_.find(std::string(key));
    return found == objects_.end() ? nullptr : found->second;
  }
  std::vector<runtime::ObjectPtr> List() const override {
    MutexLock lock(mu_);
    std::vector<runtime::ObjectPtr> objects;
    for (const auto& [key, object] : objects_) objects.push_back(object);
    return objects;
  }

  Journal record;
  std::atomic<int> flushes = 0;

 private:
  mutable Mutex mu_;
  std::map<std::string, runtime::ObjectPtr> objects_ CAPSTAN_GUARDED_BY(mu_);
};

class RecordingMetrics final : public MetricsProvider {
 public:
  void AddObjects(std::string_view resource, std::ptrdiff_t objects,
                  std::ptrdiff_t bytes) override {
    MutexLock lock(mu_);
    objects_ += objects;
    bytes_ += bytes;
    sizes.Write(std::string(resource) + " " + std::to_string(objects_) +
                (bytes_ > 0 ? " some bytes" : " no bytes"));
  }
  void AddUndecodableObjects(std::string_view resource, std::ptrdiff_t objects) override {
    MutexLock lock(mu_);
    undecodable_ += objects;
    undecodable.Write(std::string(resource) + " " + std::to_string(undecodable_));
  }
  void OnWatchListFallback(std::string_view, std::string_view reason) override {
    fallbacks.Write(std::string(reason));
  }
  void OnList(std::string_view, bool success) override { lists.Write(success ? "ok" : "failed"); }
  void OnWatchStarted(std::string_view resource) override { watches.Write(std::string(resource)); }
  void OnWatchError(std::string_view, std::string_view reason) override {
    errors.Write(std::string(reason));
  }

  Journal sizes, undecodable, fallbacks, lists, watches, errors;

 private:
  Mutex mu_;
  std::ptrdiff_t objects_ CAPSTAN_GUARDED_BY(mu_) = 0;  // of all informers together
  std::ptrdiff_t bytes_ CAPSTAN_GUARDED_BY(mu_) = 0;
  std::ptrdiff_t undecodable_ CAPSTAN_GUARDED_BY(mu_) = 0;
};

struct ReflectorFixture : ::testing::Test {
  // Without jitter: delays are 0.8 s, 1.6 s, ... and a watch lasts 300 s.
  ReflectorOptions Options(bool watch_list) {
    ReflectorOptions options{.name = "secrets", .watch_list = watch_list, .clock = clock};
    options.random = [] { return 0.0; };
    options.metrics = &metrics;
    return options;
  }
  void Start(ReflectorOptions options) {
    reflector = std::make_unique<Reflector>(source, store, std::move(options));
    thread = StartThread("reflector", [this](std::stop_token stop) { reflector->Run(stop); });
  }
  // Returns when Run has.
  void Stop() { thread = std::jthread(); }
  // Waits for the request with this number, starting from 0, and returns it.
  std::string Request(std::size_t number) {
    return source.WaitForRequests(number + 1) ? source.Requests()[number] : "missing";
  }
  // Waits until the reflector backs off (or a timer runs), then moves the clock.
  bool Pass(Clock::Duration duration) {
    if (!clock.BlockUntilWaiters()) return false;
    clock.Step(duration);
    return true;
  }
  // Like Pass, but only for the backoff after this many requests. The deadline of a WATCH-LIST also
  // waits on the clock, and must not be mistaken for the backoff.
  bool PassBackoff(std::size_t requests, Clock::Duration duration) {
    if (!source.WaitForRequests(requests)) return false;
    const auto give_up = std::chrono::steady_clock::now() + seconds(10);
    while (reflector->Status().state != ReflectorState::kBackoff) {
      if (std::chrono::steady_clock::now() > give_up) return false;
      std::this_thread::yield();
    }
    return Pass(duration);
  }

  testing::FakeClock clock;
  FakeListerWatcher source{clock};
  RecordingStore store;
  RecordingMetrics metrics;
  std::unique_ptr<Reflector> reflector;
  std::jthread thread;
};

inline runtime::ResourceType MakeType(std::string kind, std::string plural) {
  return {.gvr = {"", "v1", std::move(plural)},
          .kind = std::move(kind),
          .namespaced = true,
          .metadata_only = false,
          .projection = runtime::Projection::All(),
          .decode = {}};
}

inline const runtime::ResourceType& SecretType() {
  static const runtime::ResourceType type = MakeType("Secret", "secrets");
  return type;
}

// ForwardingListerWatcher forwards to a FakeListerWatcher that outlives it, because an informer
// owns its ListerWatcher.
class ForwardingListerWatcher final : public ListerWatcher {
 public:
  explicit ForwardingListerWatcher(ListerWatcher& target) : target_(target) {}
  Expected<runtime::ListMeta> List(
      const rest::CallOptions& call, const rest::ListOptions& options,
      const std::function<void(runtime::ObjectPtr)>& on_item) override {
    return target_.List(call, options, on_item);
  }
  Expected<std::unique_ptr<rest::Watcher>> Watch(const rest::CallOptions& call,
                                                 const rest::ListOptions& options) override {
    return target_.Watch(call, options);
  }

 private:
  ListerWatcher& target_;
};

// Writes one line for each call: "add ns/a=1 initial", "update ns/a=1 ns/a=2", "delete ns/a=2
// unknown".
inline EventHandler RecordingHandler(Journal& record) {
  return {.on_add =
              [&record](const runtime::ObjectPtr& object, bool initial) {
                record.Write("add " + Show(*object) + (initial ? " initial" : ""));
              },
          .on_update =
              [&record](const runtime::ObjectPtr& before, const runtime::ObjectPtr& after) {
                record.Write("update " + Show(*before) + " " + Show(*after));
              },
          .on_delete =
              [&record](const runtime::ObjectPtr& object, bool final_state_unknown) {
                record.Write("delete " + Show(*object) + (final_state_unknown ? " unknown" : ""));
              }};
}

// Gate blocks handlers until the test opens it.
class Gate {
 public:
  void Open() {
    MutexLock lock(mu_);
    open_ = true;
    changed_.NotifyAll();
  }
  void Pass() {
    MutexLock lock(mu_);
    ++waiting_;
    changed_.NotifyAll();
    changed_.Wait(mu_, [&]() CAPSTAN_REQUIRES(mu_) { return open_; });
  }
  // Blocks (in real time, at most 10 s) until a handler waits at the gate.
  bool WaitForHandler() {
    MutexLock lock(mu_);
    return changed_.WaitUntil(mu_, std::stop_token(),
                              std::chrono::steady_clock::now() + seconds(10),
                              [&]() CAPSTAN_REQUIRES(mu_) { return waiting_ > 0; });
  }

 private:
  Mutex mu_;
  CondVar changed_;
  bool open_ CAPSTAN_GUARDED_BY(mu_) = false;
  int waiting_ CAPSTAN_GUARDED_BY(mu_) = 0;
};

struct InformerFixture : ::testing::Test {
  InformerFixture() {
    // A test may send many events without a step of the clock.
    ReflectorOptions options{.watch_list = false, .batch_wait = {}, .clock = clock};
    options.random = [] { return 0.0; };
    options.metrics = &metrics;
    informer = std::make_unique<SharedInformer>(
        SecretType(), std::make_unique<ForwardingListerWatcher>(source), std::move(options));
  }
  std::shared_ptr<HandlerRegistration> AddHandler(EventHandler handler,
                                                  milliseconds resync_period = {}) {
    auto registration = informer->AddEventHandler(std::move(handler), resync_period);
    EXPECT_TRUE(registration);
    return registration ? *registration : nullptr;
  }
  void Start() {
    thread = StartThread("informer", [this](std::stop_token stop) { informer->Run(stop); });
  }
  // Starts an informer that syncs with these objects at version 10. The test sends events through
  // the result.
  std::shared_ptr<FakeWatch> StartWith(std::vector<runtime::ObjectPtr> objects) {
    source.OnList(Page(std::move(objects), "10"));
    auto watch = source.OnWatch();
    Start();
    EXPECT_TRUE(informer->WaitForSync(std::stop_token()));
    return watch;
  }
  // The watch expires, and the list that follows holds these objects.
  void Relist(FakeWatch& watch, std::vector<runtime::ObjectPtr> objects) {
    source.OnList(Page(std::move(objects), "50"));
    const auto next = source.OnWatch();
    watch.SendError(MakeError(ErrorReason::kExpired, 410));
    ASSERT_TRUE(next->WaitUntilRead());
  }
  // Returns when Run has.
  void Stop() { thread = std::jthread(); }

  testing::FakeClock clock;
  FakeListerWatcher source{clock};
  RecordingMetrics metrics;
  Journal record;
  std::unique_ptr<SharedInformer> informer;
  std::jthread thread;
};

}  // namespace capstan::cache
