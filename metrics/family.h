// SPDX-License-Identifier: Apache-2.0
// Family: one metric name with its series by label values. A thin layer over prometheus::Family
// that registers on first use, bounds the number of series, and finds a series without building a
// map of labels. Of counters and histograms, the series beyond the limit count as one, under
// kExceeded; for gauges see gauge_family.h. Internal to this folder. Thread-safe.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "clientgo/util/logging.h"
#include "clientgo/util/mutex.h"
#include "metrics/metrics.h"

namespace metrics {

// The value of every label of the series that stands for those beyond kSeriesMax.
inline constexpr std::string_view kExceeded = "exceeded_cardinality_limit";

struct FamilySpec {
  std::string name;
  std::string help;
  std::vector<std::string> labels;
  std::vector<double> buckets = {};  // histograms only
};

// `T` is prometheus::Counter, Gauge or Histogram.
template <class T>
class Family {
 public:
  // `registry` outlives the family.
  Family(prometheus::Registry& registry, FamilySpec spec)
      : registry_(registry), spec_(std::move(spec)) {}

  // Calls `use` with the series of `values`, which is made when it is new. The series is valid
  // until Remove; `use` must not call the family.
  template <class Values, class Use>
  void With(const Values& values, Use use) {
    CHECK_EQ(values.size(), spec_.labels.size()) << "label values of " << spec_.name;
    clientgo::util::MutexLock lock(mu_);
    use(Find(values));
  }
  template <class Use>
  void With(std::initializer_list<std::string_view> values, Use use) {
    With<std::initializer_list<std::string_view>, Use>(values, std::move(use));
  }

  // As With, but does nothing and returns false when the series is new and there is no room for it.
  template <class Values, class Use>
  bool WithOwn(const Values& values, Use use) {
    clientgo::util::MutexLock lock(mu_);
    if (series_.size() >= kSeriesMax && !series_.contains(Key(values))) return false;
    use(Find(values));
    return true;
  }

  template <class Values>
  void Remove(const Values& values) {
    clientgo::util::MutexLock lock(mu_);
    const auto found = series_.find(Key(values));
    if (found == series_.end()) return;
    family_->Remove(found->second);
    series_.erase(found);
  }

  const FamilySpec& spec() const { return spec_; }

  // Label values end to end, each ended by a byte that is in no UTF-8 text.
  template <class Values>
  static std::string Key(const Values& values) {
    std::string key;
    for (const auto& value : values) (key += value) += '\xff';
    return key;
  }

 private:
  template <class Values>
  T& Find(const Values& values) REQUIRES(mu_) {
    std::string key = Key(values);
    if (const auto found = series_.find(key); found != series_.end()) return *found->second;
    if (series_.size() >= kSeriesMax) {
      const std::vector<std::string_view> exceeded(spec_.labels.size(), kExceeded);
      key = Key(exceeded);
      if (const auto found = series_.find(key); found != series_.end()) return *found->second;
      return Make(std::move(key), exceeded);
    }
    return Make(std::move(key), values);
  }

  template <class Values>
  T& Make(std::string key, const Values& values) REQUIRES(mu_) {
    if (family_ == nullptr) family_ = &Register();
    prometheus::Labels labels;
    auto name = spec_.labels.begin();
    for (const auto& value : values) labels.emplace(*name++, value);
    T* made = nullptr;
    if constexpr (std::is_same_v<T, prometheus::Histogram>) {
      made = &family_->Add(labels, spec_.buckets);
    } else {
      made = &family_->Add(labels);
    }
    return *series_.emplace(std::move(key), made).first->second;
  }

  prometheus::Family<T>& Register() {
    if constexpr (std::is_same_v<T, prometheus::Counter>) {
      return prometheus::BuildCounter().Name(spec_.name).Help(spec_.help).Register(registry_);
    } else if constexpr (std::is_same_v<T, prometheus::Gauge>) {
      return prometheus::BuildGauge().Name(spec_.name).Help(spec_.help).Register(registry_);
    } else {
      return prometheus::BuildHistogram().Name(spec_.name).Help(spec_.help).Register(registry_);
    }
  }

  prometheus::Registry& registry_;
  const FamilySpec spec_;
  clientgo::util::Mutex mu_;
  prometheus::Family<T>* family_ GUARDED_BY(mu_) = nullptr;  // the registry's
  std::map<std::string, T*> series_ GUARDED_BY(mu_);
};

using CounterFamily = Family<prometheus::Counter>;
using HistogramFamily = Family<prometheus::Histogram>;

}  // namespace metrics
