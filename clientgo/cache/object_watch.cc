// SPDX-License-Identifier: Apache-2.0
#include "capstan/cache/object_watch.h"

#include <utility>
#include <vector>

#include "capstan/cache/store.h"
#include "capstan/mutex.h"
#include "clientgo/cache/reflector_pool.h"

namespace capstan::cache {

struct ObjectWatch::Rep final : ReflectorStore {
  Rep(ReflectorPool& the_pool, std::unique_ptr<ListerWatcher> the_source, ReflectorOptions options,
      OnChange callback)
      : pool(the_pool),
        source(std::move(the_source)),
        name(options.name),
        resource(options.resource),
        metrics(options.metrics),
        on_change(std::move(callback)),
        task(pool, reflector),
        reflector(*source, *this, std::move(options)) {}

  void Upsert(runtime::ObjectPtr next) override { Set(std::move(next)); }
  void Delete(runtime::ObjectPtr /*final_state*/) override { Set(nullptr); }
  void Replace(std::vector<runtime::ObjectPtr> items, std::string /*version*/) override {
    Set(items.empty() ? nullptr : std::move(items.front()));
  }
  runtime::ObjectPtr GetByKey(std::string_view key) const override {
    MutexLock lock(mu);
    return object && object->key() == key ? object : nullptr;
  }
  std::vector<runtime::ObjectPtr> List() const override {
    MutexLock lock(mu);
    return object ? std::vector<runtime::ObjectPtr>{object} : std::vector<runtime::ObjectPtr>();
  }

  void Set(runtime::ObjectPtr next);
  void ReportSize(const runtime::Object* before, const runtime::Object* after) const;

  ReflectorPool& pool;
  const std::unique_ptr<ListerWatcher> source;
  const std::string name;
  const std::string resource;
  MetricsProvider* const metrics;
  const OnChange on_change;

  mutable Mutex mu;
  runtime::ObjectPtr object CAPSTAN_GUARDED_BY(mu);
  bool synced CAPSTAN_GUARDED_BY(mu) = false;

  ReflectorPool::Task task;  // outlives the reflector
  Reflector reflector;
};

void ObjectWatch::Rep::Set(runtime::ObjectPtr next) {
  runtime::ObjectPtr before;
  {
    MutexLock lock(mu);
    synced = true;
    before = std::exchange(object, next);
  }
  ReportSize(before.get(), next.get());
  if (before == next || (before && next && before->HasSameVersion(*next))) return;
  on_change(next ? next : before);
}

void ObjectWatch::Rep::ReportSize(const runtime::Object* before,
                                  const runtime::Object* after) const {
  if (metrics == nullptr || before == after) return;
  const auto count = [](const runtime::Object* each) { return each == nullptr ? 0 : 1; };
  const auto bytes = [](const runtime::Object* each) {
    return each == nullptr ? 0 : static_cast<std::ptrdiff_t>(each->ByteSize());
  };
  metrics->AddObjects(resource, count(after) - count(before), bytes(after) - bytes(before));
}

ObjectWatch::ObjectWatch(ReflectorPool& pool, std::unique_ptr<ListerWatcher> source,
                         ReflectorOptions options, OnChange on_change)
    : rep_(std::make_unique<Rep>(pool, std::move(source), std::move(options),
                                 std::move(on_change))) {
  pool.Add(rep_->task);
}

ObjectWatch::~ObjectWatch() {
  Stop();
  rep_->ReportSize(Get().get(), nullptr);
}

void ObjectWatch::Stop() { rep_->pool.Remove(rep_->task); }

bool ObjectWatch::HasSynced() const {
  MutexLock lock(rep_->mu);
  return rep_->synced;
}

runtime::ObjectPtr ObjectWatch::Get() const {
  MutexLock lock(rep_->mu);
  return rep_->object;
}

ReflectorStatus ObjectWatch::Status() const { return rep_->reflector.Status(); }
const std::string& ObjectWatch::name() const { return rep_->name; }

}  // namespace capstan::cache
