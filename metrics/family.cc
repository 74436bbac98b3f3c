// SPDX-License-Identifier: Apache-2.0
#include "metrics/family.h"

#include <glog/logging.h>

#include <utility>

#include "capstan/log.h"

namespace capstan::metrics {
namespace {

std::uint64_t MemberOf(const GaugeFamily::Values& values) {
  return std::hash<std::string>{}(Family<prometheus::Gauge>::Key(values));
}

}  // namespace

double OverflowMembers::Of(std::uint64_t member) const {
  const auto found = values_.find(member);
  return found == values_.end() ? 0 : found->second;
}

bool OverflowMembers::Set(std::uint64_t member, double value) {
  Remove(member);
  if (values_.size() >= kOverflowMembersMax) return false;
  values_.emplace(member, value);
  if (overflow_ == Overflow::kSum) {
    sum_ += value;
  } else {
    ++counts_[value];
  }
  return true;
}

void OverflowMembers::Remove(std::uint64_t member) {
  const auto found = values_.find(member);
  if (found == values_.end()) return;
  if (overflow_ == Overflow::kSum) {
    sum_ -= found->second;
  } else if (const auto count = counts_.find(found->second); --count->second == 0) {
    counts_.erase(count);
  }
  values_.erase(found);
}

double OverflowMembers::Value() const {
  switch (overflow_) {
    case Overflow::kSum:
      break;
    case Overflow::kMin:
      return counts_.begin()->first;
    case Overflow::kMax:
      return counts_.rbegin()->first;
  }
  return sum_;
}

void GaugeFamily::Set(const Values& values, double value) {
  Write(values, [value](double) { return value; });
}

void GaugeFamily::Add(const Values& values, double delta) {
  Write(values, [delta](double value) { return value + delta; });
}

void GaugeFamily::Write(const Values& values, const std::function<double(double)>& change) {
  CHECK_EQ(values.size(), family_.spec().labels.size())
      << "label values of " << family_.spec().name;
  const std::uint64_t member = MemberOf(values);
  bool full = false;
  {
    const MutexLock lock(mu_);
    const bool was_member = members_.Contains(member);
    const double before = members_.Of(member);
    const bool own = family_.WithOwn(values, [&](prometheus::Gauge& series) {
      series.Set(change(was_member ? before : series.Value()));
    });
    if (own && !was_member) return;
    if (own) {
      members_.Remove(member);
    } else if (!members_.Set(member, change(before))) {
      full = !std::exchange(reported_full_, true);
    }
    Publish();
  }
  if (full) {
    WarningS("A metric has too many series, dropping some", "metric", family_.spec().name, "limit",
             kSeriesMax + kOverflowMembersMax);
  }
}

void GaugeFamily::Remove(const Values& values) {
  const std::uint64_t member = MemberOf(values);
  const MutexLock lock(mu_);
  if (!members_.Contains(member)) return family_.Remove(values);
  members_.Remove(member);
  Publish();
}

void GaugeFamily::Publish() {
  if (members_.Empty()) return family_.Remove(Exceeded());
  const double value = members_.Value();
  family_.With(Exceeded(), [value](prometheus::Gauge& series) { series.Set(value); });
}

GaugeFamily::Values GaugeFamily::Exceeded() const {
  Values values(family_.spec().labels.size(), kExceeded);
  return values;
}

}  // namespace capstan::metrics
