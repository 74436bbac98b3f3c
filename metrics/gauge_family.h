// SPDX-License-Identifier: Apache-2.0
// GaugeFamily: a Family of gauges whose members beyond kSeriesMax share one series, with the value
// that their Overflow makes of them: the sum, the smallest or the largest. Each member's value is
// kept, so that a change or a removal is right. Internal to this folder. Thread-safe.
#pragma once

#include <prometheus/gauge.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "clientgo/util/mutex.h"
#include "metrics/family.h"
#include "metrics/metrics.h"

namespace metrics {

// Of one family. A member costs 40 bytes, and 70 more for each value that no other one has, unless
// the overflow is the sum. Those after the first kOverflowMembersMax are left out.
inline constexpr std::size_t kOverflowMembersMax = 100'000;

// The members of one family beyond the limit, by a hash of their labels. Two with the same hash
// count as one: with 100,000 members the odds are one to 10^9. Not thread-safe.
class OverflowMembers {
 public:
  explicit OverflowMembers(Overflow overflow) : overflow_(overflow) {}
  bool Contains(std::uint64_t member) const { return values_.contains(member); }
  bool Empty() const { return values_.empty(); }
  double Of(std::uint64_t member) const;  // 0: not known
  // False: there are too many.
  bool Set(std::uint64_t member, double value);
  void Remove(std::uint64_t member);
  // Not of an empty one.
  double Value() const;

 private:
  const Overflow overflow_;
  std::unordered_map<std::uint64_t, double> values_;
  double sum_ = 0;                        // kSum
  std::map<double, std::size_t> counts_;  // kMin, kMax: how many have that value
};

class GaugeFamily {
 public:
  // `registry` outlives the family.
  GaugeFamily(prometheus::Registry& registry, FamilySpec spec, Overflow overflow = Overflow::kSum)
      : family_(registry, std::move(spec)), members_(overflow) {}

  using Values = std::vector<std::string_view>;
  void Set(const Values& values, double value);
  void Add(const Values& values, double delta);
  void Remove(const Values& values);

 private:
  void Write(const Values& values, const std::function<double(double)>& change);
  void Publish() REQUIRES(mu_);
  Values Exceeded() const;

  Family<prometheus::Gauge> family_;
  clientgo::util::Mutex mu_;
  OverflowMembers members_ GUARDED_BY(mu_);
  bool told_full_ GUARDED_BY(mu_) = false;
};

}  // namespace metrics
