// SPDX-License-Identifier: Apache-2.0
// Metric families with a bounded number of series: Family for counters and histograms, GaugeFamily
// for gauges. Internal to this folder. Thread-safe.
#pragma once

#include <glog/logging.h>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "capstan/logging.h"
#include "capstan/metrics/metrics.h"
#include "capstan/mutex.h"

namespace capstan::metrics {

// The value of every label of the series for everything beyond kSeriesMax.
inline constexpr std::string_view kExceeded = "exceeded_cardinality_limit";

struct FamilySpec {
  std::string name;
  std::string help;
  std::vector<std::string> labels;
  std::vector<double> buckets = {};  // histograms only
};

// Family is one metric name with its series by label values. It is a thin layer over
// prometheus::Family that registers on first use, limits the number of series, and finds a series
// without building a map of labels. All series beyond the limit count as one, under kExceeded. `T`
// is prometheus::Counter, Gauge or Histogram.
template <class T>
class Family {
 public:
  // `registry` must outlive the family.
  Family(prometheus::Registry& registry, FamilySpec spec)
      : registry_(registry), spec_(std::move(spec)) {}

  // Calls `use` with the series of `values`, and creates it first when it is new. The series is
  // valid until Remove. `use` must not call the family.
  template <class Values, class Use>
  void With(const Values& values, Use use) {
    CHECK_EQ(values.size(), spec_.labels.size()) << "label values of " << spec_.name;
    MutexLock lock(mu_);
    use(Find(values));
  }
  template <class Use>
  void With(std::initializer_list<std::string_view> values, Use use) {
    With<std::initializer_list<std::string_view>, Use>(values, std::move(use));
  }

  // Like With, but does nothing and returns false when the series is new and the limit is reached.
  template <class Values, class Use>
  bool WithOwn(const Values& values, Use use) {
    MutexLock lock(mu_);
    if (series_.size() >= kSeriesMax && !series_.contains(Key(values))) return false;
    use(Find(values));
    return true;
  }

  template <class Values>
  void Remove(const Values& values) {
    MutexLock lock(mu_);
    const auto found = series_.find(Key(values));
    if (found == series_.end()) return;
    family_->Remove(found->second);
    series_.erase(found);
  }

  // Removes the series whose first label begins with `prefix`.
  void RemovePrefix(std::string_view prefix) {
    MutexLock lock(mu_);
    auto at = series_.lower_bound(std::string(prefix));
    while (at != series_.end() && at->first.starts_with(prefix)) {
      family_->Remove(at->second);
      at = series_.erase(at);
    }
  }

  const FamilySpec& spec() const { return spec_; }

  // Returns the concatenated label values, each with a final byte that no UTF-8 text contains.
  template <class Values>
  static std::string Key(const Values& values) {
    std::string key;
    for (const auto& value : values) (key += value) += '\xff';
    return key;
  }

 private:
  template <class Values>
  T& Find(const Values& values) CAPSTAN_REQUIRES(mu_) {
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
  T& Make(std::string key, const Values& values) CAPSTAN_REQUIRES(mu_) {
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
  Mutex mu_;
  prometheus::Family<T>* family_ CAPSTAN_GUARDED_BY(mu_) = nullptr;  // the registry's
  std::map<std::string, T*> series_ CAPSTAN_GUARDED_BY(mu_);
};

using CounterFamily = Family<prometheus::Counter>;
using HistogramFamily = Family<prometheus::Histogram>;

// Limits the members of one family beyond kSeriesMax; later ones are left out. A member costs 40
// bytes. Unless the overflow is the sum, each distinct value costs 70 more.
inline constexpr std::size_t kOverflowMembersMax = 100'000;

// OverflowMembers holds the members of one family beyond kSeriesMax by a hash of their labels. Two
// with the same hash count as one; with 100,000 members the odds are 1 in 10^9. Not thread-safe.
class OverflowMembers {
 public:
  explicit OverflowMembers(Overflow overflow) : overflow_(overflow) {}
  bool Contains(std::uint64_t member) const { return values_.contains(member); }
  bool Empty() const { return values_.empty(); }
  double Of(std::uint64_t member) const;  // 0 when unknown
  // Returns false when there are too many.
  bool Set(std::uint64_t member, double value);
  void Remove(std::uint64_t member);
  // REQUIRES: !Empty().
  double Value() const;

 private:
  const Overflow overflow_;
  std::unordered_map<std::uint64_t, double> values_;
  double sum_ = 0;                        // kSum
  std::map<double, std::size_t> counts_;  // kMin, kMax: the number of members with each value
};

// GaugeFamily is a Family of gauges. Members beyond kSeriesMax share one series, whose value
// depends on the Overflow: their sum, smallest or largest value. It keeps each member's value, so
// that the shared value stays correct after changes and removals.
class GaugeFamily {
 public:
  // `registry` must outlive the family.
  GaugeFamily(prometheus::Registry& registry, FamilySpec spec, Overflow overflow = Overflow::kSum)
      : family_(registry, std::move(spec)), members_(overflow) {}

  using Values = std::vector<std::string_view>;
  void Set(const Values& values, double value);
  void Add(const Values& values, double delta);
  void Remove(const Values& values);
  // Removes the series whose first label begins with `prefix`. Members beyond kSeriesMax stay, so
  // set them to 0 before.
  void RemovePrefix(std::string_view prefix) { family_.RemovePrefix(prefix); }

 private:
  void Write(const Values& values, const std::function<double(double)>& change);
  void Publish() CAPSTAN_REQUIRES(mu_);
  Values Exceeded() const;

  Family<prometheus::Gauge> family_;
  Mutex mu_;
  OverflowMembers members_ CAPSTAN_GUARDED_BY(mu_);
  bool reported_full_ CAPSTAN_GUARDED_BY(mu_) = false;
};

}  // namespace capstan::metrics
