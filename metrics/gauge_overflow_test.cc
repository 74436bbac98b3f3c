// SPDX-License-Identifier: Apache-2.0
// Gauges with more series than a family may have: what the one series for the rest says.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "metrics/gauge_family.h"
#include "metrics/metrics.h"

namespace metrics {
namespace {

class GaugeOverflowTest : public ::testing::Test {
 protected:
  // A family that is full, each of its series with the value 1.
  void Fill(Overflow overflow) {
    gauge_ = metrics_.NewGauge("capstan_many", "Many.", {"name"}, overflow);
    for (std::size_t i = 0; i < kSeriesMax; ++i) gauge_->Set({"own-" + std::to_string(i)}, 1);
  }
  // Of the series with that name; nullopt: there is none.
  std::optional<double> Value(const std::string& name) {
    const std::string series = "capstan_many{name=\"" + name + "\"} ";
    std::istringstream lines(metrics_.Serialize());
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(series)) return std::stod(line.substr(series.size()));
    }
    return std::nullopt;
  }
  std::optional<double> Rest() { return Value("exceeded_cardinality_limit"); }

  Metrics metrics_{{}};
  std::unique_ptr<Metrics::Gauge> gauge_;
};

TEST_F(GaugeOverflowTest, SumsWhatItsMembersHold) {
  Fill(Overflow::kSum);
  gauge_->Set({"a"}, 2);
  gauge_->Set({"b"}, 3);
  EXPECT_EQ(Rest(), 5);

  gauge_->Set({"a"}, 10);
  EXPECT_EQ(Rest(), 13);
  gauge_->Add({"b"}, -1);
  EXPECT_EQ(Rest(), 12);
  gauge_->Remove({"a"});
  EXPECT_EQ(Rest(), 2);
  gauge_->Remove({"b"});
  EXPECT_EQ(Rest(), std::nullopt) << "without members there is no series";
}

TEST_F(GaugeOverflowTest, HoldsTheSmallestValueOfItsMembers) {
  Fill(Overflow::kMin);
  gauge_->Set({"right"}, 1);
  gauge_->Set({"wrong"}, 0);
  gauge_->Set({"also-right"}, 1);
  EXPECT_EQ(Rest(), 0) << "not what was written last";

  gauge_->Set({"wrong"}, 1);
  EXPECT_EQ(Rest(), 1);
  gauge_->Set({"right"}, 0);
  gauge_->Remove({"right"});
  EXPECT_EQ(Rest(), 1);
}

TEST_F(GaugeOverflowTest, HoldsTheLargestValueOfItsMembers) {
  Fill(Overflow::kMax);
  gauge_->Set({"old"}, 300);
  gauge_->Set({"young"}, 5);
  EXPECT_EQ(Rest(), 300);

  gauge_->Remove({"old"});
  EXPECT_EQ(Rest(), 5);
}

TEST_F(GaugeOverflowTest, RemovingWhatWasNeverThereChangesNothing) {
  Fill(Overflow::kSum);
  gauge_->Set({"a"}, 2);

  gauge_->Remove({"b"});

  EXPECT_EQ(Rest(), 2);
}

TEST_F(GaugeOverflowTest, AMemberGetsASeriesOfItsOwnOnceThereIsRoom) {
  Fill(Overflow::kSum);
  gauge_->Set({"a"}, 2);
  gauge_->Set({"b"}, 3);
  gauge_->Remove({"own-0"});
  gauge_->Remove({"own-1"});

  gauge_->Add({"a"}, 1);

  EXPECT_EQ(Value("a"), 3) << "what it held as a member counts";
  EXPECT_EQ(Rest(), 3) << "b alone";
}

TEST_F(GaugeOverflowTest, MembersAreBounded) {
  Fill(Overflow::kSum);
  for (std::size_t i = 0; i < kOverflowMembersMax + 10; ++i) gauge_->Set({std::to_string(i)}, 1);
  EXPECT_EQ(Rest(), kOverflowMembersMax);

  gauge_->Set({"0"}, 5);
  EXPECT_EQ(Rest(), kOverflowMembersMax + 4) << "those that are known go on changing";
}

}  // namespace
}  // namespace metrics
