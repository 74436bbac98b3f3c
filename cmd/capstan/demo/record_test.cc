// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/demo/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cmd::capstan::demo {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RecordTest, SaysWhatWasShownAndHow) {
  Record record;
  record.Begin("Rotating");
  record.Add(Result::kShown, "all in sync");
  record.Begin("410");
  record.Add(Result::kSkipped, "not here");

  const std::string html = Html(record.ToPage(false));

  EXPECT_THAT(html, HasSubstr("<td>Rotating</td><td class=\"good\">ok</td><td>all in sync</td>"));
  EXPECT_THAT(html, HasSubstr("<td>410</td><td class=\"warning\">skip</td><td>not here</td>"));
}

TEST(RecordTest, AReportOfADemoThatWasKilledClaimsNothing) {
  const Record record;

  EXPECT_THAT(Html(record.ToPage(false)),
              AllOf(HasSubstr("<dd class=\"warning\">it still runs, or was killed</dd>"),
                    Not(HasSubstr("PASSED"))));
}

TEST(RecordTest, TheVerdictIsToldAsItIs) {
  Record record;
  record.End(false, "FAILED: why");

  EXPECT_THAT(Html(record.ToPage(false)), HasSubstr("<dd class=\"bad\">FAILED: why</dd>"));
}

TEST(RecordTest, ThePageLoadsItselfAgainUntilTheEnd) {
  Record record;
  record.Progress("500 of 1000");
  EXPECT_THAT(Html(record.ToPage(true)),
              AllOf(HasSubstr("http-equiv=\"refresh\""), HasSubstr("500 of 1000")));

  record.End(true, "PASSED");

  EXPECT_THAT(Html(record.ToPage(true)),
              AllOf(Not(HasSubstr("http-equiv")), Not(HasSubstr("500 of 1000"))));
}

TEST(RecordTest, WhatWasMendedIsToldBesideWhatWasBroken) {
  Record record;
  record.AddBroken("no consent", "NotAllowed", "message", "kubectl annotate");
  record.AddBroken("garbage", "InvalidBundle", "message", "kubectl patch");
  record.AddMended("InvalidBundle", "InSync");

  EXPECT_THAT(Html(record.ToPage(false)),
              AllOf(HasSubstr("<td>kubectl annotate</td><td></td>"),
                    HasSubstr("<td>kubectl patch</td><td class=\"good\">InSync</td>")));
}

TEST(RecordTest, AFactIsReplaced) {
  Record record;
  record.Fact("Peak", "1 MiB");
  record.Fact("Peak", "2 MiB");

  EXPECT_THAT(Html(record.ToPage(false)),
              AllOf(HasSubstr("<dt>Peak</dt><dd>2 MiB</dd>"), Not(HasSubstr("1 MiB"))));
}

}  // namespace
}  // namespace cmd::capstan::demo
