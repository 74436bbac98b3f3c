// SPDX-License-Identifier: Apache-2.0
#include "capstan/metrics/metrics.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <utility>

#include "capstan/heap.h"
#include "capstan/metrics/process.h"
#include "metrics/controller_metrics.h"
#include "metrics/family.h"
#include "metrics/providers.h"
#include "metrics/webhook_metrics.h"

namespace capstan::metrics {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;

// A handle keeps the registry, which may otherwise end before it.
using SharedRegistry = std::shared_ptr<prometheus::Registry>;

class OwnCounter final : public Metrics::Counter {
 public:
  OwnCounter(SharedRegistry registry, FamilySpec spec)
      : registry_(std::move(registry)), family_(*registry_, std::move(spec)) {}
  void Add(const std::vector<std::string>& label_values, double by) override {
    family_.With(label_values, [&](prometheus::Counter& series) { series.Increment(by); });
  }

 private:
  SharedRegistry registry_;
  CounterFamily family_;
};

class OwnGauge final : public Metrics::Gauge {
 public:
  OwnGauge(SharedRegistry registry, FamilySpec spec, Overflow overflow)
      : registry_(std::move(registry)), family_(*registry_, std::move(spec), overflow) {}
  void Set(const std::vector<std::string>& label_values, double value) override {
    family_.Set({label_values.begin(), label_values.end()}, value);
  }
  void Add(const std::vector<std::string>& label_values, double delta) override {
    family_.Add({label_values.begin(), label_values.end()}, delta);
  }
  void Remove(const std::vector<std::string>& label_values) override {
    family_.Remove({label_values.begin(), label_values.end()});
  }

 private:
  SharedRegistry registry_;
  GaugeFamily family_;
};

class OwnHistogram final : public Metrics::Histogram {
 public:
  OwnHistogram(SharedRegistry registry, FamilySpec spec)
      : registry_(std::move(registry)), family_(*registry_, std::move(spec)) {}
  void Observe(const std::vector<std::string>& label_values, double value) override {
    family_.With(label_values, [&](prometheus::Histogram& series) { series.Observe(value); });
  }
  void Touch(const std::vector<std::string>& label_values) override {
    family_.With(label_values, [](prometheus::Histogram&) {});
  }

 private:
  SharedRegistry registry_;
  HistogramFamily family_;
};

// Returns "0" and "1" for "v0.1.0-rc1".
std::pair<std::string, std::string> MajorMinor(std::string_view version) {
  if (!version.empty() && version.front() == 'v') version.remove_prefix(1);
  const std::size_t dot = std::min(version.find('.'), version.size());
  const std::string_view rest = version.substr(std::min(dot + 1, version.size()));
  const std::string_view minor = rest.substr(0, rest.find_first_not_of("0123456789"));
  return {std::string(version.substr(0, dot)), std::string(minor)};
}

void AppendProcess(std::vector<MetricFamily>& families) {
  const auto add = [&](std::string name, std::string help, MetricType type,
                       std::optional<double> value) {
    if (!value) return;
    prometheus::ClientMetric metric;
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = *value;
    families.push_back({std::move(name), std::move(help), type, {std::move(metric)}});
  };
  const ProcessStats stats = ReadProcessStats();
  add("process_cpu_seconds_total", "Seconds of processor time, user and system.",
      MetricType::Counter, stats.cpu_seconds);
  add("process_open_fds", "Open file descriptors.", MetricType::Gauge, stats.open_fds);
  add("process_max_fds", "The most file descriptors that may be open.", MetricType::Gauge,
      stats.max_fds);
  add("process_virtual_memory_bytes", "Virtual memory in bytes.", MetricType::Gauge,
      stats.virtual_memory_bytes);
  add("process_virtual_memory_max_bytes", "The most virtual memory there may be, in bytes.",
      MetricType::Gauge, stats.virtual_memory_max_bytes);
  add("process_resident_memory_bytes", "Resident memory in bytes.", MetricType::Gauge,
      stats.resident_memory_bytes);
  if (const auto heap = ReadHeapStats()) {
    add("process_heap_bytes", "Bytes of the heap in use.", MetricType::Gauge,
        static_cast<double>(heap->in_use));
    add("process_heap_free_bytes", "Bytes of the heap that are free for the next blocks.",
        MetricType::Gauge, static_cast<double>(heap->free));
  }
  add("process_start_time_seconds", "When the process started, in seconds since the Unix epoch.",
      MetricType::Gauge, stats.start_time_seconds);
  add("process_network_receive_bytes_total", "Bytes received by the network namespace.",
      MetricType::Counter, stats.network_receive_bytes);
  add("process_network_transmit_bytes_total", "Bytes sent by the network namespace.",
      MetricType::Counter, stats.network_transmit_bytes);
}

}  // namespace

struct Metrics::Rep {
  prometheus::Registry registry;
  RestMetrics rest{registry};
  WorkqueueMetrics workqueue{registry};
  CacheMetrics cache{registry};
  LeaderElectionMetrics leader_election{registry};
  PrometheusControllerMetrics controllers{registry};
  PrometheusWebhookMetrics webhooks{registry};
  CertificateMetrics certificates{registry};
  GaugeFamily features{registry,
                       {.name = "kubernetes_feature_enabled",
                        .help = "1 for a feature gate that is on, 0 for one that is off, by "
                                "stage (empty: GA).",
                        .labels = {"name", "stage"}}};
  GaugeFamily build{
      registry,
      {.name = "kubernetes_build_info",
       .help = "Always 1; the labels are the version and how it was built.",
       .labels = {"major", "minor", "git_version", "git_commit", "compiler", "platform"}}};
};

Metrics::Metrics(const BuildInfo& build) : rep_(std::make_shared<Rep>()) {
  const auto [major, minor] = MajorMinor(build.version);
#if defined(__clang__)
  const std::string compiler = "clang";
#else
  const std::string compiler = "gcc";
#endif
#if defined(__x86_64__)
  const std::string platform = "linux/amd64";
#elif defined(__aarch64__)
  const std::string platform = "linux/arm64";
#else
  const std::string platform = "linux/unknown";
#endif
  rep_->build.Set({major, minor, build.version, build.commit, compiler, platform}, 1);
}

Metrics::~Metrics() = default;

rest::MetricsProvider& Metrics::rest() { return rep_->rest; }
workqueue::MetricsProvider& Metrics::workqueue() { return rep_->workqueue; }
cache::MetricsProvider& Metrics::cache() { return rep_->cache; }
leaderelection::MetricsProvider& Metrics::leader_election() { return rep_->leader_election; }

ControllerMetrics& Metrics::controllers() { return rep_->controllers; }

WebhookMetrics* Metrics::webhooks() { return &rep_->webhooks; }

void Metrics::RegisterServingCertificate() { rep_->certificates.Register(); }

void Metrics::OnServingCertificateRead(bool ok) { rep_->certificates.OnRead(ok); }

void Metrics::SetFeatureEnabled(std::string_view gate, std::string_view stage, bool enabled) {
  rep_->features.Set({gate, stage}, enabled ? 1 : 0);
}

std::unique_ptr<Metrics::Counter> Metrics::NewCounter(std::string name, std::string help,
                                                      std::vector<std::string> labels) {
  return std::make_unique<OwnCounter>(
      SharedRegistry(rep_, &rep_->registry),
      FamilySpec{std::move(name), std::move(help), std::move(labels)});
}

std::unique_ptr<Metrics::Gauge> Metrics::NewGauge(std::string name, std::string help,
                                                  std::vector<std::string> labels,
                                                  Overflow overflow) {
  return std::make_unique<OwnGauge>(SharedRegistry(rep_, &rep_->registry),
                                    FamilySpec{std::move(name), std::move(help), std::move(labels)},
                                    overflow);
}

std::unique_ptr<Metrics::Histogram> Metrics::NewHistogram(std::string name, std::string help,
                                                          std::vector<std::string> labels,
                                                          std::vector<double> buckets) {
  return std::make_unique<OwnHistogram>(
      SharedRegistry(rep_, &rep_->registry),
      FamilySpec{std::move(name), std::move(help), std::move(labels), std::move(buckets)});
}

std::string Metrics::Serialize() {
  rep_->workqueue.Refresh();
  rep_->rest.Refresh();
  std::vector<MetricFamily> families = rep_->registry.Collect();
  AppendProcess(families);
  std::sort(families.begin(), families.end(),
            [](const MetricFamily& a, const MetricFamily& b) { return a.name < b.name; });
  for (MetricFamily& family : families) {
    std::sort(family.metric.begin(), family.metric.end(),
              [](const auto& a, const auto& b) { return a.label < b.label; });
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace capstan::metrics
