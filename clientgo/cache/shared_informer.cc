// SPDX-License-Identifier: Apache-2.0
#include "capstan/cache/shared_informer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "capstan/mutex.h"
#include "capstan/runtime/resource_version.h"
#include "clientgo/cache/processor_listener.h"

namespace capstan::cache {
namespace {

using ListenerPtr = std::shared_ptr<ProcessorListener>;

ReflectorOptions WithName(ReflectorOptions options, const runtime::ResourceType& type) {
  if (options.name.empty()) options.name = type.gvr.resource;
  if (options.resource.empty()) options.resource = type.gvr.resource;
  return options;
}

constexpr std::chrono::milliseconds kResyncMin = std::chrono::seconds(1);

}  // namespace

struct SharedInformer::Rep final : ReflectorStore {
  Rep(const runtime::ResourceType& type_in, std::unique_ptr<ListerWatcher> source_in,
      ReflectorOptions options_in)
      : type(type_in),
        source(std::move(source_in)),
        options(WithName(std::move(options_in), type_in)),
        reflector(*source, *this, options) {}
  ~Rep() override {
    StopListeners();
    if (reported_bytes != 0) ReportSize(0, 0);
  }

  void Upsert(runtime::ObjectPtr object) override;
  void Delete(runtime::ObjectPtr final_state) override;
  void Replace(std::vector<runtime::ObjectPtr> items, std::string resource_version) override;
  void Flush() override;
  runtime::ObjectPtr GetByKey(std::string_view key) const override { return indexer.GetByKey(key); }
  std::vector<runtime::ObjectPtr> List() const override { return indexer.List(); }

  void Distribute(const Change& change) CAPSTAN_REQUIRES(mu);
  void Resync(ProcessorListener& listener);
  void ReportSize() { ReportSize(indexer.Size(), indexer.ByteSize()); }
  void ReportSize(std::size_t objects, std::size_t bytes);
  void StopListeners();
  void NotifySyncObservers() CAPSTAN_EXCLUDES(mu, observers_mu);
  // Waits until `ready` is true for the store. `what` names that for messages.
  Expected<void> WaitUntil(const rest::CallOptions& call, const std::string& what,
                           const std::function<bool()>& ready) const;
  // Returns whether the store has all changes up to `wanted`.
  bool HasVersion(std::string_view wanted) const CAPSTAN_REQUIRES(mu);

  const runtime::ResourceType& type;
  const std::unique_ptr<ListerWatcher> source;
  const ReflectorOptions options;
  Indexer indexer;

  // Held while a change is added to the store and to every queue. So a handler that joins or
  // resyncs gets the store as of one point in the sequence of changes. Locked before the indexer
  // and the listeners. No handler runs under it, but predicates do.
  mutable Mutex mu;
  mutable CondVar changed;  // the store, `synced` or `stopped`
  bool synced CAPSTAN_GUARDED_BY(mu) = false;
  bool stopped CAPSTAN_GUARDED_BY(mu) = false;
  std::string listed_version CAPSTAN_GUARDED_BY(mu);  // of the last Replace
  std::vector<ListenerPtr> listeners CAPSTAN_GUARDED_BY(mu);
  // Listeners that were removed by their own callback. They still run, and another thread joins
  // them.
  std::vector<ListenerPtr> retired CAPSTAN_GUARDED_BY(mu);

  Mutex observers_mu;
  std::vector<std::weak_ptr<std::function<void()>>> observers CAPSTAN_GUARDED_BY(observers_mu);

  // The last values in the metrics. Used by the reflector's thread, then by the destructor.
  std::ptrdiff_t reported_objects = 0;
  std::ptrdiff_t reported_bytes = 0;

  Reflector reflector;
};

void SharedInformer::Rep::Distribute(const Change& change) {
  for (const ListenerPtr& listener : listeners) listener->Enqueue(change);
}

void SharedInformer::Rep::Upsert(runtime::ObjectPtr object) {
  MutexLock lock(mu);
  runtime::ObjectPtr old = indexer.Upsert(object);
  if (!old) {
    Distribute({Change::Type::kAdded, nullptr, std::move(object)});
  } else if (!old->HasSameVersion(*object)) {
    Distribute({Change::Type::kUpdated, std::move(old), std::move(object)});
  }
}

void SharedInformer::Rep::Delete(runtime::ObjectPtr final_state) {
  MutexLock lock(mu);
  indexer.Delete(final_state->key());
  // Also if the object is not in the store, as in client-go: the server reports that it is deleted.
  Distribute({Change::Type::kDeleted, std::move(final_state), nullptr});
}

void SharedInformer::Rep::Flush() {
  {
    MutexLock lock(mu);
    for (const ListenerPtr& listener : listeners) listener->Wake();
    changed.NotifyAll();
  }
  ReportSize();
}

void SharedInformer::Rep::Replace(std::vector<runtime::ObjectPtr> items, std::string version) {
  {
    MutexLock lock(mu);
    const auto changes = std::make_shared<const ChangeList>(indexer.Replace(std::move(items)));
    for (const ListenerPtr& listener : listeners) {
      listener->EnqueueReplaced(changes, !synced);
      listener->MarkInitialEnqueued();
    }
    synced = true;
    listed_version = std::move(version);
    changed.NotifyAll();
  }
  NotifySyncObservers();
  ReportSize();
}

void SharedInformer::Rep::NotifySyncObservers() {
  std::vector<std::shared_ptr<std::function<void()>>> called;
  {
    MutexLock lock(observers_mu);
    for (const auto& observer : observers) {
      if (auto notify = observer.lock()) called.push_back(std::move(notify));
    }
  }
  for (const auto& notify : called) (*notify)();
}

void SharedInformer::Rep::Resync(ProcessorListener& listener) {
  MutexLock lock(mu);
  listener.EnqueueResync(indexer.List());
}

void SharedInformer::Rep::ReportSize(std::size_t objects, std::size_t bytes) {
  if (options.metrics == nullptr) return;
  const auto objects_now = static_cast<std::ptrdiff_t>(objects);
  const auto bytes_now = static_cast<std::ptrdiff_t>(bytes);
  options.metrics->AddObjects(options.resource, objects_now - reported_objects,
                              bytes_now - reported_bytes);
  reported_objects = objects_now;
  reported_bytes = bytes_now;
}

void SharedInformer::Rep::StopListeners() {
  std::vector<ListenerPtr> running;
  {
    MutexLock lock(mu);
    stopped = true;
    running = listeners;  // they stay in the list, so that RemoveEventHandler also waits for them
    running.insert(running.end(), retired.begin(), retired.end());
    changed.NotifyAll();
  }
  for (const ListenerPtr& listener : running) listener->RequestStop();
  for (const ListenerPtr& listener : running) listener->StopAndJoin();
}

bool SharedInformer::Rep::HasVersion(std::string_view wanted) const {
  const auto reached = [&](const std::string& version) {
    const auto order = runtime::CompareResourceVersion(version, wanted);
    return order && *order >= 0;
  };
  // The reflector's version is set after the Replace of a list and before the Flush of events.
  return reached(listed_version) || reached(reflector.Status().resource_version);
}

Expected<void> SharedInformer::Rep::WaitUntil(const rest::CallOptions& call,
                                              const std::string& what,
                                              const std::function<bool()>& ready) const {
  bool done = false;
  MutexLock lock(mu);
  options.clock.WaitUntil(mu, changed, call.stop, call.deadline, [&]() CAPSTAN_REQUIRES(mu) {
    done = ready();
    return done || stopped;
  });
  if (done) return {};
  const std::string cache = "the cache of " + options.name;
  if (stopped) return Err(ErrorReason::kCanceled, cache + " has stopped");
  if (call.stop.stop_requested()) {
    return Err(ErrorReason::kCanceled, "the wait for " + cache + " was canceled");
  }
  std::string current = reflector.Status().resource_version;
  if (current.empty()) current = listed_version;
  return Err(
      ErrorReason::kDeadlineExceeded,
      cache + " does not have " + what + " yet: it is at resourceVersion \"" + current + "\"");
}

SharedInformer::SharedInformer(const runtime::ResourceType& type,
                               std::unique_ptr<ListerWatcher> source, ReflectorOptions options)
    : rep_(std::make_unique<Rep>(type, std::move(source), std::move(options))) {}
SharedInformer::~SharedInformer() = default;

const runtime::ResourceType& SharedInformer::type() const { return rep_->type; }
const StoreReader& SharedInformer::store() const { return rep_->indexer; }
ReflectorStatus SharedInformer::Status() const { return rep_->reflector.Status(); }

Expected<std::shared_ptr<HandlerRegistration>> SharedInformer::AddEventHandler(
    EventHandler handler, std::chrono::milliseconds resync_period) {
  Rep& rep = *rep_;
  if (resync_period.count() != 0) resync_period = std::max(resync_period, kResyncMin);
  auto listener = std::make_shared<ProcessorListener>(
      std::move(handler), rep.options.clock,
      ProcessorListener::Options{
          .name = "handler/" + rep.options.name,
          .resync_period = resync_period,
          .on_resync_due = [&rep](ProcessorListener& due) { rep.Resync(due); },
          .on_synced = [&rep] { rep.NotifySyncObservers(); }});
  std::vector<ListenerPtr> finished;  // joined after the lock is released
  MutexLock lock(rep.mu);
  if (rep.stopped) {
    return Err(ErrorReason::kInvalidArgument,
               "handler was not added to shared informer because it has stopped already");
  }
  const auto first_finished = std::partition(rep.retired.begin(), rep.retired.end(),
                                             [](const auto& l) { return !l->finished(); });
  finished.assign(first_finished, rep.retired.end());
  rep.retired.erase(first_finished, rep.retired.end());
  if (rep.synced) {
    listener->EnqueueInitial(rep.indexer.List());
    listener->MarkInitialEnqueued();
  }
  rep.listeners.push_back(listener);
  return listener;
}

void SharedInformer::RemoveEventHandler(const std::shared_ptr<HandlerRegistration>& registration) {
  const auto listener = std::dynamic_pointer_cast<ProcessorListener>(registration);
  if (!listener) return;
  listener->RequestStop();
  {
    MutexLock lock(rep_->mu);
    const bool removed = std::erase(rep_->listeners, listener) != 0;
    if (listener->IsCurrentThread()) {
      if (removed) rep_->retired.push_back(listener);
      return;
    }
  }
  listener->StopAndJoin();
}

Expected<void> SharedInformer::AddIndex(std::string name, IndexFunc func) {
  MutexLock lock(rep_->mu);
  if (rep_->stopped) {
    return Err(ErrorReason::kInvalidArgument,
               "index was not added to shared informer because it has stopped already");
  }
  return rep_->indexer.AddIndex(std::move(name), std::move(func));
}

void SharedInformer::Run(std::stop_token stop) {
  rep_->reflector.Run(std::move(stop));
  rep_->StopListeners();
  rep_->NotifySyncObservers();
}

std::shared_ptr<void> SharedInformer::OnSync(std::function<void()> notify) const {
  auto observer = std::make_shared<std::function<void()>>(std::move(notify));
  MutexLock lock(rep_->observers_mu);
  std::erase_if(rep_->observers, [](const auto& other) { return other.expired(); });
  rep_->observers.push_back(observer);
  return observer;
}

bool SharedInformer::HasSynced() const {
  MutexLock lock(rep_->mu);
  return rep_->synced;
}

bool SharedInformer::WaitForSync(std::stop_token stop) const {
  const Rep& rep = *rep_;
  MutexLock lock(rep.mu);
  rep.changed.Wait(rep.mu, std::move(stop),
                   [&]() CAPSTAN_REQUIRES(rep.mu) { return rep.synced || rep.stopped; });
  return rep.synced;
}

Expected<void> SharedInformer::WaitForVersion(const rest::CallOptions& call,
                                              std::string_view resource_version) const {
  const auto valid = runtime::CompareResourceVersion(resource_version, resource_version);
  if (!valid) return Err(valid.error());
  const Rep& rep = *rep_;
  return rep.WaitUntil(call, "resourceVersion \"" + std::string(resource_version) + "\"",
                       [&]() CAPSTAN_REQUIRES(rep.mu) { return rep.HasVersion(resource_version); });
}

Expected<void> SharedInformer::WaitForDeletion(const rest::CallOptions& call, std::string_view key,
                                               std::string_view uid,
                                               std::string_view seen_version) const {
  const Rep& rep = *rep_;
  const bool comparable = runtime::CompareResourceVersion(seen_version, seen_version).has_value();
  return rep.WaitUntil(call, "the deletion of " + std::string(key), [&]() CAPSTAN_REQUIRES(rep.mu) {
    if (!rep.synced || (comparable && !rep.HasVersion(seen_version))) return false;
    const runtime::ObjectPtr object = rep.indexer.GetByKey(key);
    return object == nullptr || object->uid() != uid;
  });
}

}  // namespace capstan::cache
