// SPDX-License-Identifier: Apache-2.0
#include "capstan/cluster.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "capstan/mutex.h"
#include "capstan/text.h"

namespace capstan {
namespace {

// Returns the host name for source.host of Events; empty when it is unknown.
std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

class Caches final : public BackgroundRunnable {
 public:
  explicit Caches(cache::SharedInformerFactory& informers) : informers_(informers) {}
  Expected<void> Begin(std::stop_token stop) override {
    informers_.Start(std::move(stop));
    return {};
  }
  void End() override { informers_.Shutdown(); }
  std::string name() const override { return "caches"; }

 private:
  cache::SharedInformerFactory& informers_;
};

class EventSender final : public Runnable {
 public:
  explicit EventSender(record::EventBroadcaster& events) : events_(events) {}
  Expected<void> Start(std::stop_token stop) override {
    events_.Run(std::move(stop));
    return {};
  }
  std::string name() const override { return "events"; }

 private:
  record::EventBroadcaster& events_;
};

// NamedClusterMetrics reports everything except what has no label for the server.
class NamedClusterMetrics final : public rest::MetricsProvider {
 public:
  explicit NamedClusterMetrics(rest::MetricsProvider& all) : all_(all) {}
  void OnRequest(std::string_view code, std::string_view method, std::string_view host) override {
    all_.OnRequest(code, method, host);
  }
  void OnRetry(std::string_view code, std::string_view method, std::string_view host) override {
    all_.OnRetry(code, method, host);
  }
  void OnDuration(std::string_view method, std::string_view host,
                  std::chrono::nanoseconds duration) override {
    all_.OnDuration(method, host, duration);
  }
  void OnContentTypeRefused(std::string_view resource) override {
    all_.OnContentTypeRefused(resource);
  }
  void SetServerReachable(bool /*reachable*/) override {}
  void OnExecPluginCall(int code, std::string_view call_status) override {
    all_.OnExecPluginCall(code, call_status);
  }
  void SetClientCertificateExpiry(const void* plugin,
                                  std::optional<std::chrono::sys_seconds> expiry) override {
    all_.SetClientCertificateExpiry(plugin, expiry);
  }
  void OnClientCertificateRotation(std::chrono::seconds age) override {
    all_.OnClientCertificateRotation(age);
  }

 private:
  rest::MetricsProvider& all_;
};

}  // namespace

struct Cluster::Rep {
  explicit Rep(Clock& the_clock) : clock(the_clock) {}
  Rep(const Rep&) = delete;
  Rep& operator=(const Rep&) = delete;
  ~Rep() {
    if (cache_metrics == nullptr) return;
    event_sender.reset();
    caches.reset();
    informers.reset();  // reports that its caches are empty
    cache_metrics->RemovePrefix(name + "/");
  }

  Clock& clock;
  std::string name;
  std::atomic<bool> claimed = false;
  cache::MetricsProvider* cache_metrics = nullptr;  // of a named Cluster
  std::optional<NamedClusterMetrics> metrics;
  std::unique_ptr<rest::Client> client;
  std::optional<restmapper::DynamicRestMapper> rest_mapper;
  // Before the caches, which use the types.
  mutable Mutex mu;
  std::map<runtime::GroupVersionKind, runtime::ResourceType> types
      CAPSTAN_GUARDED_BY(mu);  // its nodes do not move
  std::optional<cache::SharedInformerFactory> informers;
  std::optional<record::EventBroadcaster> events;
  std::optional<Caches> caches;
  std::optional<EventSender> event_sender;
};

Cluster::Cluster(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}

Cluster::Cluster(Cluster&& other) noexcept = default;

Cluster::~Cluster() = default;

Expected<std::unique_ptr<Cluster>> Cluster::New(rest::Config config, ClusterOptions options) {
  if (!options.name.empty() && !IsDnsSubdomain(options.name)) {
    return Err(ErrorReason::kInvalidArgument,
               "\"" + options.name +
                   "\" is not the name of a Cluster; use lower-case letters, digits, '-' and '.'");
  }
  Clock& clock = options.clock != nullptr ? *options.clock : Clock::Real();
  auto rep = std::make_unique<Rep>(clock);
  rep->name = options.name;
  rest::MetricsProvider* rest = nullptr;
  if (options.metrics != nullptr) {
    rest = &options.metrics->rest();
    if (!rep->name.empty()) rest = &rep->metrics.emplace(*rest);
  }
  if (config.user_agent.empty() && !options.component.empty()) {
    config.user_agent = rest::DefaultUserAgent(options.component, {});
  }
  auto made = options.new_client(std::move(config), {.clock = clock,
                                                     .metrics = rest,
                                                     .credentials = options.credentials,
                                                     .recovery_spread = options.recovery_spread});
  if (!made) return Err(std::move(made.error()));
  rep->client = *std::move(made);
  rep->rest_mapper.emplace(*rep->client, restmapper::DynamicRestMapperOptions{.clock = clock});
  cache::FactoryOptions cache = std::move(options.cache);
  if (cache.reflector.metrics == nullptr && options.metrics != nullptr) {
    cache.reflector.metrics = &options.metrics->cache();
  }
  if (!rep->name.empty()) {
    cache.reflector.name = rep->name;
    rep->cache_metrics = cache.reflector.metrics;
    if (rep->cache_metrics != nullptr) rep->cache_metrics->AddPrefix(rep->name + "/");
  }
  rep->informers.emplace(*rep->client, std::move(cache));
  rep->caches.emplace(*rep->informers);
  rep->events.emplace(*rep->client,
                      record::EventBroadcasterOptions{
                          .component = options.component,
                          .host = options.event_host.empty() ? HostName() : options.event_host,
                          .clock = clock});
  rep->event_sender.emplace(*rep->events);
  return std::unique_ptr<Cluster>(new Cluster(std::move(rep)));
}

std::string Cluster::name() const { return rep_->name; }
rest::Client& Cluster::client() const { return *rep_->client; }
cache::SharedInformerFactory& Cluster::informers() const { return *rep_->informers; }
record::EventRecorder& Cluster::events() const { return *rep_->events; }
restmapper::RestMapper& Cluster::rest_mapper() const { return *rep_->rest_mapper; }
bool Cluster::Claim() { return !rep_->claimed.exchange(true); }
Clock& Cluster::clock() const { return rep_->clock; }
Runnable& Cluster::caches() const { return *rep_->caches; }
Runnable& Cluster::event_sender() const { return *rep_->event_sender; }

Expected<const runtime::ResourceType*> Cluster::TypeFor(
    const rest::CallOptions& call, const runtime::GroupVersionKind& kind) const {
  {
    const MutexLock lock(rep_->mu);
    const auto known = rep_->types.find(kind);
    if (known != rep_->types.end()) return &known->second;
  }
  auto type = restmapper::UnstructuredTypeFor(call, *rep_->rest_mapper, kind);
  if (!type) return Err(std::move(type.error()));
  runtime::GroupVersionKind full = kind;
  full.version = type->gvr.version;
  const MutexLock lock(rep_->mu);
  return &rep_->types.try_emplace(std::move(full), *std::move(type)).first->second;
}

Expected<void> Cluster::Start(std::stop_token stop) {
  if (auto begun = rep_->caches->Begin(stop); !begun) return begun;
  auto sent = rep_->event_sender->Start(std::move(stop));
  rep_->caches->End();
  return sent;
}

}  // namespace capstan
