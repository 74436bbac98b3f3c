// SPDX-License-Identifier: Apache-2.0
// Fakes for the tests of Controller and Manager: a Reconciler that a test scripts and waits for,
// metrics that count lines, an informer over a scripted server, and Runnables that write a journal.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/cache/shared_informer.h"
#include "capstan/controller.h"
#include "capstan/mutex.h"
#include "capstan/runnable.h"
#include "capstan/thread.h"
#include "clientgo/cache/testing/informer_fixture.h"
#include "clientgo/util/testing/journal.h"

namespace capstan {

// FakeReconciler runs `script` for every key and records the keys in order.
class FakeReconciler final : public Reconciler {
 public:
  using Answer = tl::expected<Result, ReconcileError>;
  using Script = std::function<Answer(std::stop_token, const Request&)>;

  explicit FakeReconciler(Script script = {}) : script_(std::move(script)) {}

  Answer Reconcile(std::stop_token stop, const Request& request) override {
    Answer answer = script_ ? script_(std::move(stop), request) : Answer(Result{});
    keys_.Write(request.String());
    return answer;
  }
  std::vector<std::string> keys() const { return keys_.lines(); }
  bool WaitForKeys(std::size_t count) const { return keys_.WaitForLines(count); }

 private:
  const Script script_;
  Journal keys_;
};

// FakeControllerMetrics counts each call as a line, such as "result success" or "timeout".
class FakeControllerMetrics final : public ControllerMetrics {
 public:
  void Register(std::string_view, int max_concurrent_reconciles) override {
    calls_.Write("workers " + std::to_string(max_concurrent_reconciles));
  }
  void OnReconcile(std::string_view, ReconcileResult result, std::chrono::nanoseconds,
                   bool terminal) override {
    const std::vector<std::string> names = {"success", "error", "requeue", "requeue_after"};
    if (terminal) calls_.Write("terminal");
    calls_.Write("result " + names.at(static_cast<std::size_t>(result)));
  }
  void OnPanic(std::string_view) override { calls_.Write("panic"); }
  void OnTimeout(std::string_view) override { calls_.Write("timeout"); }
  void AddActiveWorkers(std::string_view, int delta) override {
    calls_.Write(delta > 0 ? "worker busy" : "worker idle");
  }
  void OnCacheSyncTimeout(std::string_view controller, std::string_view resource) override {
    calls_.Write("timeout " + std::string(controller) + " " + std::string(resource));
  }

  std::ptrdiff_t Of(const std::string& line) const { return calls_.Count(line); }
  bool WaitFor(const std::string& line, std::ptrdiff_t count) const {
    return calls_.WaitFor(line, count);
  }

 private:
  Journal calls_;
};

// Returns what a Reconciler returns when it fails.
inline tl::unexpected<ReconcileError> Failure(ErrorReason reason = ErrorReason::kUnknown,
                                              bool terminal = false) {
  return tl::unexpected(
      ReconcileError{.error = {.reason = reason, .message = "no"}, .terminal = terminal});
}

inline runtime::ObjectPtr MakeObject(std::string_view name, std::string_view version = "1") {
  return runtime::MakeObject<runtime::Object>(runtime::ObjectIdentity{
      .namespace_ = "ns", .name = name, .uid = name, .resource_version = version});
}

inline std::vector<Request> OwnKey(const runtime::Object& object) {
  return {Request::Parse(object.key())};
}

// FakeCache is an informer of Secrets (LIST, then WATCH) and its server. It runs from Run until it
// is destroyed.
class FakeCache {
 public:
  explicit FakeCache(Clock& clock = Clock::Real())
      : informer_(cache::SecretType(), std::make_unique<cache::ForwardingListerWatcher>(server_),
                  {.name = "secrets", .watch_list = false, .clock = clock}) {}
  ~FakeCache() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

  void Run() {
    thread_ =
        StartThread("informer", [this](std::stop_token stop) { informer_.Run(std::move(stop)); });
  }
  // Makes the server list `objects` and then accept a watch.
  std::shared_ptr<cache::FakeWatch> Serve(std::vector<runtime::ObjectPtr> objects) {
    server_.OnList(
        {.items = std::move(objects), .meta = {.resource_version = "10", .continue_token = ""}});
    return server_.OnWatch();
  }
  cache::FakeListerWatcher& server() { return server_; }
  cache::SharedInformer& informer() { return informer_; }

 private:
  cache::FakeListerWatcher server_;
  cache::SharedInformer informer_;
  std::jthread thread_;
};

// FakeRunnable writes to the journal when it starts and when it ends.
class FakeRunnable final : public Runnable {
 public:
  FakeRunnable(std::string name, Journal& journal) : name_(std::move(name)), journal_(journal) {}

  Expected<void> Start(std::stop_token stop) override {
    journal_.Write(name_ + " starts");
    {
      MutexLock lock(mu_);
      const auto released = [&]() CAPSTAN_REQUIRES(mu_) { return released_ || error_.has_value(); };
      changed_.Wait(mu_, std::move(stop), released);
      stopping_ = true;
      changed_.NotifyAll();
      if (stubborn_) changed_.Wait(mu_, released);
    }
    journal_.Write(name_ + " ends");
    MutexLock lock(mu_);
    if (error_) return Err(*error_);
    return {};
  }
  std::string name() const override { return name_; }

  // Makes it ignore the stop token until Release. Before Start.
  void BeStubborn() {
    MutexLock lock(mu_);
    stubborn_ = true;
  }
  void WaitForStop() {
    MutexLock lock(mu_);
    changed_.Wait(mu_, [this]() CAPSTAN_REQUIRES(mu_) { return stopping_; });
  }
  void Release() {
    MutexLock lock(mu_);
    released_ = true;
    changed_.NotifyAll();
  }
  void Fail(std::string message) {
    MutexLock lock(mu_);
    error_ = Error{.message = std::move(message)};
    changed_.NotifyAll();
  }

 private:
  const std::string name_;
  Journal& journal_;
  Mutex mu_;
  CondVar changed_;
  bool stubborn_ CAPSTAN_GUARDED_BY(mu_) = false;
  bool stopping_ CAPSTAN_GUARDED_BY(mu_) = false;
  bool released_ CAPSTAN_GUARDED_BY(mu_) = false;
  std::optional<Error> error_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan
