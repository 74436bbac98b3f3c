// SPDX-License-Identifier: Apache-2.0
#include "cmd/controller-manager/status_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::cmd::controller_manager {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::SizeIs;

constexpr Clock::WallTime kNow{seconds(1'700'000'000)};
constexpr cainjector::CertificateTime kToday{seconds(1'700'000'000)};

cainjector::CaInjector::TargetStatus Of(std::string name, cainjector::Reason reason,
                                        cainjector::CertificateTime expires) {
  return {
      .outcome = {.kind = "APIService", .name = std::move(name), .reason = reason, .since = kNow},
      .source = "Secret ns/ca",
      .expires = expires};
}

TEST(TargetsTableTest, ListsFailingTargetsFirst) {
  const auto table = TargetsTable(
      {Of("a", cainjector::Reason::kUnchanged, cainjector::CertificateTime::max()),
       Of("b", cainjector::Reason::kNothingToInjectInto, cainjector::CertificateTime::max()),
       Of("c", cainjector::Reason::kNoCaData, cainjector::CertificateTime::max())},
      kNow);

  ASSERT_THAT(table.rows, SizeIs(3));
  EXPECT_EQ(table.rows[0][1].text, "c");
  EXPECT_EQ(table.rows[0][3].text, "failing");
  EXPECT_EQ(table.rows[1][3].text, "in sync");
  EXPECT_EQ(table.rows[2][3].text, "not injected");
}

TEST(TargetsTableTest, ColoursExpiryByRemainingTime) {
  const struct {
    cainjector::CertificateTime expires;
    std::string text;
    statusz::Level level;
  } cases[] = {{cainjector::CertificateTime::max(), "", statusz::Level::kNone},
               {kToday, "2023-11-14T22:13:20Z", statusz::Level::kBad},
               {kToday + hours(24), "2023-11-15T22:13:20Z", statusz::Level::kWarning},
               {kToday + hours(24 * 30), "2023-12-14T22:13:20Z", statusz::Level::kNone},
               {cainjector::CertificateTime(seconds(253402300799)), "9999-12-31T23:59:59Z",
                statusz::Level::kNone}};
  for (const auto& [expires, text, level] : cases) {
    const auto table = TargetsTable({Of("a", cainjector::Reason::kUnchanged, expires)}, kNow);
    EXPECT_EQ(table.rows[0][6].text, text);
    EXPECT_EQ(table.rows[0][6].level, level) << text;
  }
}

TEST(RecentTableTest, KeepsTheOrder) {
  const auto table =
      RecentTable({{"APIService", "late", cainjector::Reason::kInjected, "", kNow},
                   {"APIService", "early", cainjector::Reason::kNoCaData, "no ca.crt", kNow}});

  ASSERT_THAT(table.rows, SizeIs(2));
  EXPECT_EQ(table.rows[0][2].text, "late");
  EXPECT_EQ(table.rows[1][3].level, statusz::Level::kBad);
  EXPECT_EQ(table.rows[1][4].text, "no ca.crt");
}

TEST(RecentTableTest, DrawsWhenEachChangeHappened) {
  const auto at = [](int second) {
    return cainjector::TargetOutcome{"APIService", "a", cainjector::Reason::kInjected, "",
                                     kNow + std::chrono::seconds(second)};
  };

  const auto table = RecentTable({at(10), at(5), at(0)});

  ASSERT_THAT(table.rows, SizeIs(3));
  for (const auto& [row, begin] : {std::pair(0U, 1.0), {1U, 0.5}, {2U, 0.0}}) {
    ASSERT_TRUE(table.rows[row][0].bar.has_value());
    EXPECT_EQ(table.rows[row][0].bar->begin, begin);
  }
  EXPECT_FALSE(RecentTable({at(0)}).rows[0][0].bar) << "one moment is no line";
}

TEST(SystemCasTextTest, HasTheVersionAndTheNumber) {
  EXPECT_EQ(SystemCasText(std::nullopt), "not used");
  EXPECT_EQ(SystemCasText({{.version = "20230311", .certificates = 140}}),
            "20230311, 140 certificates");
  EXPECT_EQ(SystemCasText({{.certificates = 1}}), "unknown version, 1 certificates");
}

}  // namespace
}  // namespace capstan::cmd::controller_manager
