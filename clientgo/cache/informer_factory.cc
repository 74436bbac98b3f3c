// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/informer_factory.h"

#include <optional>
#include <thread>
#include <utility>

#include "clientgo/util/mutex.h"
#include "clientgo/util/thread.h"

namespace clientgo::cache {

struct SharedInformerFactory::Rep {
  Rep(ListerWatcherFunc sources_in, FactoryOptions options_in)
      : sources(std::move(sources_in)), options(std::move(options_in)) {}

  void StartOne(SharedInformer& informer) REQUIRES(mu);
  void Join();

  const ListerWatcherFunc sources;
  const FactoryOptions options;
  mutable util::Mutex mu;
  std::optional<std::stop_token> stop GUARDED_BY(mu);  // since Start
  bool shut_down GUARDED_BY(mu) = false;
  // A handful at most, in the order they were asked for. They live as long as the factory.
  std::vector<std::unique_ptr<SharedInformer>> informers GUARDED_BY(mu);
  std::vector<Scope> scopes GUARDED_BY(mu);  // of the informers
  std::vector<std::jthread> threads GUARDED_BY(mu);
};

void SharedInformerFactory::Rep::StartOne(SharedInformer& informer) {
  auto run = [&informer, outer = *stop](const std::stop_token& own) {
    util::LinkedStopSource both(outer);
    const std::stop_callback on_own(own, [&both] { both.RequestStop(); });
    informer.Run(both.token());
  };
  threads.push_back(util::StartThread("reflector/" + informer.type().gvr.resource, std::move(run)));
}

void SharedInformerFactory::Rep::Join() {
  std::vector<std::jthread> running;
  {
    util::MutexLock lock(mu);
    shut_down = true;
    running.swap(threads);
  }
  for (std::jthread& thread : running) thread.join();
}

SharedInformerFactory::SharedInformerFactory(ListerWatcherFunc sources, FactoryOptions options)
    : rep_(std::make_unique<Rep>(std::move(sources), std::move(options))) {}

SharedInformerFactory::~SharedInformerFactory() {
  {
    util::MutexLock lock(rep_->mu);
    for (std::jthread& thread : rep_->threads) thread.request_stop();
  }
  rep_->Join();
}

SharedInformer& SharedInformerFactory::ForType(const runtime::ResourceType& type) {
  return ForType(type, rep_->options.scope);
}

SharedInformer& SharedInformerFactory::ForType(const runtime::ResourceType& type,
                                               const Scope& scope) {
  util::MutexLock lock(rep_->mu);
  for (std::size_t i = 0; i < rep_->informers.size(); ++i) {
    SharedInformer& informer = *rep_->informers[i];
    if (&informer.type() == &type && rep_->scopes[i] == scope) return informer;
  }
  SharedInformerOptions options{.reflector = rep_->options.reflector};
  options.reflector.name = type.gvr.resource;
  if (!scope.namespace_.empty()) options.reflector.name += "/" + scope.namespace_;
  rep_->scopes.push_back(scope);
  rep_->informers.push_back(
      std::make_unique<SharedInformer>(type, rep_->sources(type, scope), std::move(options)));
  SharedInformer& informer = *rep_->informers.back();
  if (rep_->stop && !rep_->shut_down) rep_->StartOne(informer);
  return informer;
}

void SharedInformerFactory::Start(std::stop_token stop) {
  util::MutexLock lock(rep_->mu);
  if (rep_->stop || rep_->shut_down) return;
  rep_->stop = std::move(stop);
  for (const auto& informer : rep_->informers) rep_->StartOne(*informer);
}

bool SharedInformerFactory::WaitForCacheSync(std::stop_token stop) {
  for (const SharedInformer* informer : informers()) {
    if (!informer->WaitForSync(stop)) return false;
  }
  return true;
}

void SharedInformerFactory::Shutdown() { rep_->Join(); }

std::vector<SharedInformer*> SharedInformerFactory::informers() const {
  util::MutexLock lock(rep_->mu);
  std::vector<SharedInformer*> all;
  all.reserve(rep_->informers.size());
  for (const auto& informer : rep_->informers) all.push_back(informer.get());
  return all;
}

}  // namespace clientgo::cache
