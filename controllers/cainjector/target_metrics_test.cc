// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/target_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace controllers::cainjector {
namespace {

using ::testing::HasSubstr;

constexpr char kRest[] =
    "{kind=\"exceeded_cardinality_limit\",name=\"exceeded_cardinality_limit\"} ";

// What the alerts CapstanOutOfSync and CapstanCABundleExpiring compare.
TEST(TargetMetricsTest, OneTargetOfVeryManyThatIsWrongIsSeen) {
  metrics::Metrics metrics({});
  const TargetMetrics targets(metrics);
  for (std::size_t i = 0; i < metrics::kSeriesMax + 100; ++i) {
    targets.in_sync->Set({"APIService", std::to_string(i)}, 1);
    targets.expiration->Set({"APIService", std::to_string(i)}, 5000);
    targets.last_expiration->Set({"APIService", std::to_string(i)}, 9000);
  }
  targets.in_sync->Set({"APIService", "2050"}, 0);
  targets.expiration->Set({"APIService", "2050"}, 4000);
  targets.last_expiration->Set({"APIService", "2050"}, 8000);
  targets.in_sync->Set({"APIService", "2051"}, 1);  // of which nothing is wrong, and last

  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("capstan_injectable_in_sync" + std::string(kRest) + "0\n"));
  EXPECT_THAT(text, HasSubstr("capstan_cabundle_expiration_timestamp_seconds" + std::string(kRest) +
                              "4000\n"));
  EXPECT_THAT(text, HasSubstr("capstan_cabundle_last_expiration_timestamp_seconds" +
                              std::string(kRest) + "8000\n"));

  targets.in_sync->Remove({"APIService", "2050"});
  EXPECT_THAT(metrics.Serialize(),
              HasSubstr("capstan_injectable_in_sync" + std::string(kRest) + "1\n"));
}

}  // namespace
}  // namespace controllers::cainjector
