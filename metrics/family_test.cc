// SPDX-License-Identifier: Apache-2.0
// Gauges with more series than the limit.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "capstan/metrics/metrics.h"
#include "metrics/family.h"

namespace capstan::metrics {
namespace {

class GaugeOverflowTest : public ::testing::Test {
 protected:
  // Creates a family with the maximum number of series, each with the value 1.
  void Fill(Overflow overflow) {
    gauge_ = metrics_.NewGauge("capstan_many", "Many.", {"name"}, overflow);
    for (std::size_t i = 0; i < kSeriesMax; ++i) gauge_->Set({"own-" + std::to_string(i)}, 1);
  }
  // Returns the value of the series with that name, or nullopt.
  std::optional<double> Value(const std::string& name) {
    const std::string series = "capstan_many{name=\"" + name + "\"} ";
    std::istringstream lines(metrics_.Serialize());
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(series)) return std::stod(line.substr(series.size()));
    }
    return std::nullopt;
  }
  std::optional<double> Shared() { return Value("exceeded_cardinality_limit"); }

  Metrics metrics_{{}};
  std::unique_ptr<Metrics::Gauge> gauge_;
};

TEST_F(GaugeOverflowTest, SumsValuesOfMembers) {
  Fill(Overflow::kSum);
  gauge_->Set({"a"}, 2);
  gauge_->Set({"b"}, 3);
  EXPECT_EQ(Shared(), 5);

  gauge_->Set({"a"}, 10);
  EXPECT_EQ(Shared(), 13);
  gauge_->Add({"b"}, -1);
  EXPECT_EQ(Shared(), 12);
  gauge_->Remove({"a"});
  EXPECT_EQ(Shared(), 2);
  gauge_->Remove({"b"});
  EXPECT_EQ(Shared(), std::nullopt) << "the series stays without members";
}

TEST_F(GaugeOverflowTest, HoldsSmallestValueOfMembers) {
  Fill(Overflow::kMin);
  gauge_->Set({"right"}, 1);
  gauge_->Set({"wrong"}, 0);
  gauge_->Set({"also-right"}, 1);
  EXPECT_EQ(Shared(), 0) << "holds the last written value";

  gauge_->Set({"wrong"}, 1);
  EXPECT_EQ(Shared(), 1);
  gauge_->Set({"right"}, 0);
  gauge_->Remove({"right"});
  EXPECT_EQ(Shared(), 1);
}

TEST_F(GaugeOverflowTest, HoldsLargestValueOfMembers) {
  Fill(Overflow::kMax);
  gauge_->Set({"old"}, 300);
  gauge_->Set({"young"}, 5);
  EXPECT_EQ(Shared(), 300);

  gauge_->Remove({"old"});
  EXPECT_EQ(Shared(), 5);
}

TEST_F(GaugeOverflowTest, IgnoresRemovalOfUnknownMember) {
  Fill(Overflow::kSum);
  gauge_->Set({"a"}, 2);

  gauge_->Remove({"b"});

  EXPECT_EQ(Shared(), 2);
}

TEST_F(GaugeOverflowTest, MemberGetsOwnSeriesWhenThereIsRoom) {
  Fill(Overflow::kSum);
  gauge_->Set({"a"}, 2);
  gauge_->Set({"b"}, 3);
  gauge_->Remove({"own-0"});
  gauge_->Remove({"own-1"});

  gauge_->Add({"a"}, 1);

  EXPECT_EQ(Value("a"), 3) << "lost its value as a member";
  EXPECT_EQ(Shared(), 3) << "counts more than b";
}

TEST_F(GaugeOverflowTest, LimitsMembers) {
  Fill(Overflow::kSum);
  for (std::size_t i = 0; i < kOverflowMembersMax + 10; ++i) gauge_->Set({std::to_string(i)}, 1);
  EXPECT_EQ(Shared(), kOverflowMembersMax);

  gauge_->Set({"0"}, 5);
  EXPECT_EQ(Shared(), kOverflowMembersMax + 4) << "ignored a change of a known member";
}

}  // namespace
}  // namespace capstan::metrics
