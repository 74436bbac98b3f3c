// SPDX-License-Identifier: Apache-2.0
#include "capstan/cache/informer_factory.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "capstan/log.h"
#include "capstan/mutex.h"
#include "capstan/thread.h"
#include "clientgo/cache/reflector_pool.h"

namespace capstan::cache {
namespace {

constexpr std::string_view kByName = "metadata.name=";

std::string NameOf(const runtime::ResourceType& type, const Scope& scope) {
  std::string name = type.gvr.resource;
  if (!scope.namespace_.empty()) name += "/" + scope.namespace_;
  if (scope.field_selector.starts_with(kByName)) {
    name += "/" + scope.field_selector.substr(kByName.size());
  }
  return name;
}

struct Entry {
  std::shared_ptr<SharedInformer> informer;  // shared with threads that wait for its sync
  Scope scope;
  std::jthread thread = {};  // last member: it uses the informer
};

}  // namespace

struct SharedInformerFactory::Rep {
  Rep(ListerWatcherFunc sources_in, FactoryOptions options_in)
      : sources(std::move(sources_in)),
        options(std::move(options_in)),
        pool(options.reflector.clock) {}

  void StartOne(Entry& entry) CAPSTAN_REQUIRES(mu);
  void Join();
  std::vector<std::shared_ptr<SharedInformer>> Informers() const;
  bool Holds(const SharedInformer& informer) const;
  SharedInformer& ForType(const runtime::ResourceType& type, const Scope& scope)
      CAPSTAN_REQUIRES(mu);
  // Returns the options of a reflector, whose names have the prefix of the factory's.
  ReflectorOptions OptionsFor(const runtime::ResourceType& type, const Scope& scope) const {
    ReflectorOptions made = options.reflector;
    const std::string prefix = made.name.empty() ? "" : made.name + "/";
    made.name = prefix + NameOf(type, scope);
    made.resource = prefix + type.gvr.resource;
    return made;
  }
  // The scopes of ViewOf(type).
  std::vector<Scope> ScopesOf(const runtime::ResourceType& type) const;

  // Reports whether this is the first call for the type since Start.
  bool IsFirstUnsyncedRead(const runtime::ResourceType& type) {
    MutexLock lock(mu);
    return stop && unsynced_reads.insert(&type).second;
  }

  const ListerWatcherFunc sources;
  const FactoryOptions options;
  mutable Mutex mu;
  std::vector<std::shared_ptr<const void>> kept CAPSTAN_GUARDED_BY(mu);  // before its users
  ReflectorPool pool;                                                    // of `watches`
  CondVar removed;
  std::set<const runtime::ResourceType*> unsynced_reads CAPSTAN_GUARDED_BY(mu);
  std::optional<std::stop_token> stop CAPSTAN_GUARDED_BY(mu);  // since Start
  bool shut_down CAPSTAN_GUARDED_BY(mu) = false;
  int removing CAPSTAN_GUARDED_BY(mu) =
      0;  // calls of RemoveInformer that wait for an informer to stop
  // In the order of creation. An entry lives until it is removed, or as long as the factory.
  std::vector<Entry> entries CAPSTAN_GUARDED_BY(mu);
  std::vector<std::weak_ptr<ObjectWatch>> watches
      CAPSTAN_GUARDED_BY(mu);  // in the order of creation
  std::map<const runtime::ResourceType*, InformerView> views CAPSTAN_GUARDED_BY(mu);
};

void SharedInformerFactory::Rep::StartOne(Entry& entry) {
  auto run = [&informer = *entry.informer, outer = *stop](const std::stop_token& own) {
    LinkedStopSource both(outer);
    const std::stop_callback on_own(own, [&both] { both.RequestStop(); });
    informer.Run(both.token());
  };
  entry.thread = StartThread("reflector/" + entry.informer->type().gvr.resource, std::move(run));
}

void SharedInformerFactory::Rep::Join() {
  std::vector<std::jthread> running;
  {
    MutexLock lock(mu);
    shut_down = true;
    for (Entry& entry : entries) running.push_back(std::move(entry.thread));
    removed.Wait(mu, [&]() CAPSTAN_REQUIRES(mu) { return removing == 0; });
  }
  for (std::jthread& thread : running) {
    if (thread.joinable()) thread.join();
  }
  pool.Join();
}

std::vector<std::shared_ptr<SharedInformer>> SharedInformerFactory::Rep::Informers() const {
  MutexLock lock(mu);
  std::vector<std::shared_ptr<SharedInformer>> all;
  all.reserve(entries.size());
  for (const Entry& entry : entries) all.push_back(entry.informer);
  return all;
}

bool SharedInformerFactory::Rep::Holds(const SharedInformer& informer) const {
  MutexLock lock(mu);
  return std::any_of(entries.begin(), entries.end(),
                     [&](const Entry& entry) { return entry.informer.get() == &informer; });
}

SharedInformerFactory::SharedInformerFactory(ListerWatcherFunc sources, FactoryOptions options)
    : rep_(std::make_unique<Rep>(std::move(sources), std::move(options))) {}

SharedInformerFactory::~SharedInformerFactory() {
  {
    MutexLock lock(rep_->mu);
    for (Entry& entry : rep_->entries) entry.thread.request_stop();
  }
  rep_->Join();
}

SharedInformer& SharedInformerFactory::ForType(const runtime::ResourceType& type) {
  return ForType(type, rep_->options.scope);
}

SharedInformer& SharedInformerFactory::ForType(const runtime::ResourceType& type,
                                               const Scope& scope) {
  MutexLock lock(rep_->mu);
  return rep_->ForType(type, scope);
}

SharedInformer& SharedInformerFactory::Rep::ForType(const runtime::ResourceType& type,
                                                    const Scope& scope) {
  for (const Entry& entry : entries) {
    if (&entry.informer->type() == &type && entry.scope == scope) return *entry.informer;
  }
  entries.push_back({.informer = std::make_shared<SharedInformer>(type, sources(type, scope),
                                                                  OptionsFor(type, scope)),
                     .scope = scope});
  Entry& entry = entries.back();
  if (stop && !shut_down) StartOne(entry);
  return *entry.informer;
}

std::vector<Scope> SharedInformerFactory::Rep::ScopesOf(const runtime::ResourceType& type) const {
  const auto own = options.by_object.find(&type);
  const bool has_own = own != options.by_object.end();
  if (!has_own && (options.namespaces.empty() || !type.namespaced)) return {options.scope};
  Scope scope = has_own ? Scope{.label_selector = own->second.label_selector,
                                .field_selector = own->second.field_selector}
                        : options.scope;
  const bool own_namespaces = has_own && own->second.namespaces.has_value();
  std::vector<std::string> namespaces =
      own_namespaces ? *own->second.namespaces : options.namespaces;
  // An informer of all namespaces has the objects of each.
  const bool all = std::find(namespaces.begin(), namespaces.end(), "") != namespaces.end();
  if (namespaces.empty() || all || !type.namespaced) namespaces = {std::string()};
  std::vector<Scope> scopes;
  for (std::string& ns : namespaces) {
    scope.namespace_ = std::move(ns);
    if (std::find(scopes.begin(), scopes.end(), scope) == scopes.end()) scopes.push_back(scope);
  }
  return scopes;
}

const InformerView& SharedInformerFactory::ViewOf(const runtime::ResourceType& type) {
  MutexLock lock(rep_->mu);
  if (const auto known = rep_->views.find(&type); known != rep_->views.end()) return known->second;
  std::vector<InformerView::NamespacedInformer> informers;
  for (const Scope& scope : rep_->ScopesOf(type)) {
    informers.emplace_back(scope.namespace_, &rep_->ForType(type, scope));
  }
  return rep_->views.try_emplace(&type, std::move(informers)).first->second;
}

const StoreReader& SharedInformerFactory::StoreFor(const runtime::ResourceType& type) {
  const InformerView& view = ViewOf(type);
  if (!view.HasSynced() && rep_->IsFirstUnsyncedRead(type)) {
    WarningS("Read of a cache before its first list: it finds nothing", "type", type.gvr.resource,
             "fix", "watch the type in the controller (Owns, Watches), or WaitForCacheSync first");
  }
  return view.store();
}

void SharedInformerFactory::RemoveInformer(SharedInformer& informer) {
  Entry entry;
  {
    MutexLock lock(rep_->mu);
    const auto found =
        std::find_if(rep_->entries.begin(), rep_->entries.end(),
                     [&](const Entry& each) { return each.informer.get() == &informer; });
    if (rep_->shut_down || found == rep_->entries.end()) return;
    entry = std::move(*found);
    rep_->entries.erase(found);
    std::erase_if(rep_->views, [&](const auto& view) {
      const std::vector<SharedInformer*>& used = view.second.informers();
      return std::find(used.begin(), used.end(), &informer) != used.end();
    });
    ++rep_->removing;
  }
  entry.thread.request_stop();
  if (entry.thread.joinable()) entry.thread.join();
  entry.informer.reset();
  MutexLock lock(rep_->mu);
  --rep_->removing;
  rep_->removed.NotifyAll();
}

std::shared_ptr<ObjectWatch> SharedInformerFactory::WatchObject(const runtime::ResourceType& type,
                                                                const runtime::ObjectKey& key,
                                                                ObjectWatch::OnChange on_change) {
  const Scope scope{.namespace_ = key.namespace_,
                    .field_selector = std::string(kByName) + key.name};
  auto watch = std::make_shared<ObjectWatch>(rep_->pool, rep_->sources(type, scope),
                                             rep_->OptionsFor(type, scope), std::move(on_change));
  MutexLock lock(rep_->mu);
  std::erase_if(rep_->watches, [](const auto& each) { return each.expired(); });
  rep_->watches.push_back(watch);
  return watch;
}

void SharedInformerFactory::KeepAlive(std::shared_ptr<const void> owner) {
  MutexLock lock(rep_->mu);
  rep_->kept.push_back(std::move(owner));
}

void SharedInformerFactory::Start(std::stop_token stop) {
  MutexLock lock(rep_->mu);
  if (rep_->stop || rep_->shut_down) return;
  rep_->pool.Start(stop);
  rep_->stop = std::move(stop);
  for (Entry& entry : rep_->entries) rep_->StartOne(entry);
}

bool SharedInformerFactory::WaitForCacheSync(std::stop_token stop) {
  for (const auto& informer : rep_->Informers()) {
    if (!informer->WaitForSync(stop) && rep_->Holds(*informer)) return false;
  }
  return true;
}

void SharedInformerFactory::Shutdown() { rep_->Join(); }

std::vector<SharedInformerFactory::CacheStatus> SharedInformerFactory::Statuses() const {
  std::vector<std::pair<std::string, std::shared_ptr<SharedInformer>>> informers;
  std::vector<std::shared_ptr<ObjectWatch>> watches;
  {
    MutexLock lock(rep_->mu);
    for (const Entry& entry : rep_->entries) {
      informers.emplace_back(NameOf(entry.informer->type(), entry.scope), entry.informer);
    }
    for (const auto& watch : rep_->watches) watches.push_back(watch.lock());
  }
  std::vector<CacheStatus> all;
  all.reserve(informers.size());
  for (const auto& [name, informer] : informers) {
    all.push_back({.name = name,
                   .reflector = informer->Status(),
                   .synced = informer->HasSynced(),
                   .objects = informer->store().Size(),
                   .bytes = informer->store().ByteSize()});
  }
  for (const auto& watch : watches) {
    if (!watch) continue;
    const runtime::ObjectPtr object = watch->Get();
    all.push_back({.name = watch->name(),
                   .reflector = watch->Status(),
                   .synced = watch->HasSynced(),
                   .objects = object ? 1U : 0U,
                   .bytes = object ? object->ByteSize() : 0U});
  }
  return all;
}

std::vector<SharedInformer*> SharedInformerFactory::informers() const {
  std::vector<SharedInformer*> all;
  for (const auto& informer : rep_->Informers()) all.push_back(informer.get());
  return all;
}

}  // namespace capstan::cache
