// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/demo/live_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/transport/http1_transport.h"

namespace cmd::capstan::demo {
namespace {

using ::testing::HasSubstr;

class LivePageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    record_.Begin("Rotating");
    record_.Add(Result::kShown, "all in sync");
    const auto started = page_.Start();
    ASSERT_TRUE(started) << started.error().message;
    auto transport = clientgo::transport::NewHttp1Transport(
        {.host = page_.url().substr(0, page_.url().size() - 1)});
    ASSERT_TRUE(transport);
    transport_ = *std::move(transport);
  }
  // The status, and the body.
  std::pair<int, std::string> Ask(const std::string& method, const std::string& target) {
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
  std::unique_ptr<clientgo::transport::HttpTransport> transport_;
};

TEST_F(LivePageTest, ShowsTheRecordAsItIsNow) {
  EXPECT_EQ(Ask("GET", "/").first, 200);
  EXPECT_THAT(Ask("GET", "/").second, HasSubstr("<td>all in sync</td>"));

  record_.Add(Result::kShown, "more");

  EXPECT_THAT(Ask("GET", "/").second, HasSubstr("<td>more</td>"));
  EXPECT_THAT(Ask("GET", "/?format=json").second, HasSubstr(R"("what":"all in sync")"));
}

TEST_F(LivePageTest, IsOnePageAndOnlyRead) {
  EXPECT_EQ(Ask("GET", "/kubeconfig").first, 404);
  EXPECT_EQ(Ask("POST", "/").first, 405);
}

TEST_F(LivePageTest, IsOnLoopback) { EXPECT_THAT(page_.url(), HasSubstr("http://127.0.0.1:")); }

}  // namespace
}  // namespace cmd::capstan::demo
