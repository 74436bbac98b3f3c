// SPDX-License-Identifier: Apache-2.0
// What the informer tests share: a handler that keeps a record, and a SharedInformer on a thread
// with a FakeClock and a scripted server. Test code only.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "clientgo/cache/reflector_testing.h"
#include "clientgo/cache/shared_informer.h"

namespace clientgo::cache {

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

// Passes everything on to a FakeListerWatcher that outlives it: an informer owns its source.
class ForwardingListerWatcher final : public ListerWatcher {
 public:
  explicit ForwardingListerWatcher(ListerWatcher& target) : target_(target) {}
  util::Expected<runtime::ListMeta> List(
      const rest::CallOptions& call, const rest::ListOptions& options,
      const std::function<void(runtime::ObjectPtr)>& on_item) override {
    return target_.List(call, options, on_item);
  }
  util::Expected<std::unique_ptr<rest::Watcher>> Watch(const rest::CallOptions& call,
                                                       const rest::ListOptions& options) override {
    return target_.Watch(call, options);
  }

 private:
  ListerWatcher& target_;
};

// Writes one line a call: "add ns/a=1 initial", "update ns/a=1 ns/a=2", "delete ns/a=2 unknown".
inline EventHandler RecordingHandler(Record& record) {
  return {.on_add =
              [&record](const runtime::ObjectPtr& object, bool initial) {
                record.Add("add " + Show(*object) + (initial ? " initial" : ""));
              },
          .on_update =
              [&record](const runtime::ObjectPtr& before, const runtime::ObjectPtr& after) {
                record.Add("update " + Show(*before) + " " + Show(*after));
              },
          .on_delete =
              [&record](const runtime::ObjectPtr& object, bool final_state_unknown) {
                record.Add("delete " + Show(*object) + (final_state_unknown ? " unknown" : ""));
              }};
}

// A door that handlers wait at until the test opens it.
class Gate {
 public:
  void Open() {
    util::MutexLock lock(mu_);
    open_ = true;
    changed_.NotifyAll();
  }
  void Pass() {
    util::MutexLock lock(mu_);
    ++waiting_;
    changed_.NotifyAll();
    changed_.Wait(mu_, [&]() REQUIRES(mu_) { return open_; });
  }
  // Blocks (in real time, at most 10 s) until somebody has come to the door.
  bool WaitForVisitor() {
    util::MutexLock lock(mu_);
    return changed_.WaitUntil(mu_, std::stop_token(),
                              std::chrono::steady_clock::now() + seconds(10),
                              [&]() REQUIRES(mu_) { return waiting_ > 0; });
  }

 private:
  util::Mutex mu_;
  util::CondVar changed_;
  bool open_ GUARDED_BY(mu_) = false;
  int waiting_ GUARDED_BY(mu_) = 0;
};

struct InformerFixture : ::testing::Test {
  InformerFixture() {
    ReflectorOptions options{.watch_list = false, .clock = clock};
    options.random = [] { return 0.0; };
    options.metrics = &metrics;
    informer = std::make_unique<SharedInformer>(
        SecretType(), std::make_unique<ForwardingListerWatcher>(source),
        SharedInformerOptions{.reflector = std::move(options)});
  }
  std::shared_ptr<HandlerRegistration> AddHandler(EventHandler handler,
                                                  milliseconds resync_period = {}) {
    auto registration = informer->AddEventHandler(std::move(handler), resync_period);
    EXPECT_TRUE(registration);
    return registration ? *registration : nullptr;
  }
  void Start() {
    thread = util::StartThread("informer", [this](std::stop_token stop) { informer->Run(stop); });
  }
  // Synced with these objects at version 10; the rest is what the test sends.
  std::shared_ptr<testing::FakeWatch> StartWith(std::vector<runtime::ObjectPtr> objects) {
    source.OnList(Page(std::move(objects), "10"));
    auto watch = source.OnWatch();
    Start();
    EXPECT_TRUE(informer->WaitForSync(std::stop_token()));
    return watch;
  }
  // The watch expires, and the list that follows holds these objects.
  void Relist(testing::FakeWatch& watch, std::vector<runtime::ObjectPtr> objects) {
    source.OnList(Page(std::move(objects), "50"));
    const auto next = source.OnWatch();
    watch.SendError(MakeError(ErrorReason::kExpired, 410));
    ASSERT_TRUE(next->WaitUntilRead());
  }
  // Returns when Run has.
  void Stop() { thread = std::jthread(); }

  FakeClock clock;
  testing::FakeListerWatcher source{clock};
  RecordingMetrics metrics;
  Record record;
  std::unique_ptr<SharedInformer> informer;
  std::jthread thread;
};

}  // namespace clientgo::cache
