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

TEST(RecordTest, ShowsStepsAndResults) {
  Record record;
  record.Begin("Rotating");
  record.Add({"ok", statusz::Level::kGood}, "all in sync");
  record.Begin("410");
  record.Add({"skip", statusz::Level::kWarning}, "not here");

  const std::string html = Html(record.ToPage(false));

  EXPECT_THAT(html, HasSubstr("<td>Rotating</td><td class=\"good\">ok</td><td>all in sync</td>"));
  EXPECT_THAT(html, HasSubstr("<td>410</td><td class=\"warning\">skip</td><td>not here</td>"));
}

TEST(RecordTest, HasNoVerdictBeforeEnd) {
  const Record record;

  EXPECT_THAT(
      Html(record.ToPage(false)),
      AllOf(HasSubstr("<dd class=\"warning\">no verdict: the demo is running or was killed</dd>"),
            Not(HasSubstr("PASSED"))));
}

TEST(RecordTest, ShowsVerdict) {
  Record record;
  record.End(false, "FAILED: why");

  EXPECT_THAT(Html(record.ToPage(false)), HasSubstr("<dd class=\"bad\">FAILED: why</dd>"));
}

TEST(RecordTest, LivePageReloadsUntilEnd) {
  Record record;
  record.Progress("500 of 1000");
  EXPECT_THAT(Html(record.ToPage(true)),
              AllOf(HasSubstr("http-equiv=\"refresh\""), HasSubstr("500 of 1000")));

  record.End(true, "PASSED");

  EXPECT_THAT(Html(record.ToPage(true)),
              AllOf(Not(HasSubstr("http-equiv")), Not(HasSubstr("500 of 1000"))));
}

TEST(RecordTest, ShowsFixedStateBesideBrokenTarget) {
  Record record;
  record.AddBroken("no consent", "NotAllowed", "message", "kubectl annotate");
  record.AddBroken("garbage", "InvalidBundle", "message", "kubectl patch");
  record.AddFixed("InvalidBundle", "InSync");

  EXPECT_THAT(Html(record.ToPage(false)),
              AllOf(HasSubstr("<td>kubectl annotate</td><td></td>"),
                    HasSubstr("<td>kubectl patch</td><td class=\"good\">InSync</td>")));
}

class LivePageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    record_.Begin("Rotating");
    record_.Add({"ok", statusz::Level::kGood}, "all in sync");
    const auto started = page_.Start();
    ASSERT_TRUE(started) << started.error().message;
    auto transport =
        transport::NewHttp1Transport({.host = page_.url().substr(0, page_.url().size() - 1)});
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

  Record record_;
  LivePage page_{record_, 0};
  std::unique_ptr<transport::HttpTransport> transport_;
};

TEST_F(LivePageTest, ShowsCurrentRecord) {
  EXPECT_EQ(Request("GET", "/").first, 200);
  EXPECT_THAT(Request("GET", "/").second, HasSubstr("<td>all in sync</td>"));

  record_.Add({"ok", statusz::Level::kGood}, "more");

  EXPECT_THAT(Request("GET", "/").second, HasSubstr("<td>more</td>"));
  EXPECT_THAT(Request("GET", "/?format=json").second, HasSubstr(R"("what":"all in sync")"));
}

TEST_F(LivePageTest, IsOneReadOnlyPage) {
  EXPECT_EQ(Request("GET", "/kubeconfig").first, 404);
  EXPECT_EQ(Request("POST", "/").first, 405);
}

TEST_F(LivePageTest, ListensOnLoopback) {
  EXPECT_THAT(page_.url(), HasSubstr("http://127.0.0.1:"));
}

}  // namespace
}  // namespace capstan::cmd::capstan_demo
