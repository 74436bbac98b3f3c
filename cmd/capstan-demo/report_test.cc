// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/transport/http1_transport.h"

namespace capstan::cmd::capstan_demo {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ReportTest : public ::testing::Test {
 protected:
  ~ReportTest() override { std::fclose(out_); }

  std::FILE* const out_ = std::fopen("/dev/null", "w");
  Report report_{out_, true};
};

TEST_F(ReportTest, ShowsStepsAndResults) {
  report_.Heading("Rotating");
  report_.Good("all in sync");
  report_.Heading("410");
  report_.Skip("not here");

  const std::string html = Html(report_.ToPage(false));

  EXPECT_THAT(html, HasSubstr("<td>Rotating</td><td class=\"good\">ok</td><td>all in sync</td>"));
  EXPECT_THAT(html, HasSubstr("<td>410</td><td class=\"warning\">skip</td><td>not here</td>"));
}

TEST_F(ReportTest, DrawsCostsBesideEachOther) {
  report_.Compare({{"ours", 10, 0.5}, {"theirs", 100, 1}});

  EXPECT_THAT(
      Html(report_.ToPage(false)),
      AllOf(HasSubstr("<td>10.0 MiB<div class=\"bar\"><i style=\"margin-left:0.0%;width:10.0%"),
            HasSubstr("<td>1.00 s<div class=\"bar\"><i style=\"margin-left:0.0%;width:100.0%")));
}

TEST_F(ReportTest, HasNoVerdictBeforeEnd) {
  EXPECT_THAT(
      Html(report_.ToPage(false)),
      AllOf(HasSubstr("<dd class=\"warning\">no verdict: the demo is running or was killed</dd>"),
            Not(HasSubstr("PASSED"))));
}

TEST_F(ReportTest, ShowsVerdict) {
  report_.End(false, "FAILED: why");

  EXPECT_THAT(Html(report_.ToPage(false)), HasSubstr("<dd class=\"bad\">FAILED: why</dd>"));
}

TEST_F(ReportTest, LivePageReloadsUntilEnd) {
  report_.Progress("500 of 1000");
  EXPECT_THAT(Html(report_.ToPage(true)),
              AllOf(HasSubstr("http-equiv=\"refresh\""), HasSubstr("500 of 1000")));

  report_.End(true, "PASSED");

  EXPECT_THAT(Html(report_.ToPage(true)),
              AllOf(Not(HasSubstr("http-equiv")), Not(HasSubstr("500 of 1000"))));
}

TEST_F(ReportTest, ShowsFixedStateBesideBrokenTarget) {
  report_.AddBroken("no consent", "NotAllowed", "message", "kubectl annotate");
  report_.AddBroken("garbage", "InvalidBundle", "message", "kubectl patch");
  report_.AddFixed("InvalidBundle", "InSync");

  EXPECT_THAT(Html(report_.ToPage(false)),
              AllOf(HasSubstr("<td>kubectl annotate</td><td></td>"),
                    HasSubstr("<td>kubectl patch</td><td class=\"good\">InSync</td>")));
}

class LivePageTest : public ReportTest {
 protected:
  void SetUp() override {
    report_.Heading("Rotating");
    report_.Good("all in sync");
    auto page = ServePage(report_, 0);
    ASSERT_TRUE(page) << page.error().message;
    page_ = *std::move(page);
    auto transport =
        transport::NewHttp1Transport({.host = page_.url.substr(0, page_.url.size() - 1)});
    ASSERT_TRUE(transport);
    transport_ = *std::move(transport);
  }
  // Returns the status and the body.
  std::pair<int, std::string> Request(const std::string& method, const std::string& target) {
    auto response = transport_->RoundTrip({}, {.method = method, .target = target});
    if (!response) return {0, response.error().message};
    std::string body;
    for (auto piece = (*response)->Read(); piece && !piece->empty(); piece = (*response)->Read()) {
      body += *piece;
    }
    return {(*response)->status(), body};
  }

  LivePage page_;
  std::unique_ptr<transport::HttpTransport> transport_;
};

TEST_F(LivePageTest, ShowsCurrentReport) {
  EXPECT_EQ(Request("GET", "/").first, 200);
  EXPECT_THAT(Request("GET", "/").second, HasSubstr("<td>all in sync</td>"));

  report_.Good("more");

  EXPECT_THAT(Request("GET", "/").second, HasSubstr("<td>more</td>"));
  EXPECT_THAT(Request("GET", "/?format=json").second, HasSubstr(R"("what":"all in sync")"));
}

TEST_F(LivePageTest, IsOneReadOnlyPage) {
  EXPECT_EQ(Request("GET", "/kubeconfig").first, 404);
  EXPECT_EQ(Request("POST", "/").first, 405);
}

TEST_F(LivePageTest, ListensOnLoopback) { EXPECT_THAT(page_.url, HasSubstr("http://127.0.0.1:")); }

}  // namespace
}  // namespace capstan::cmd::capstan_demo
