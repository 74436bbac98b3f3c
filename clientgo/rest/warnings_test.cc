// SPDX-License-Identifier: Apache-2.0
#include "capstan/rest/warnings.h"

#include <glog/logging.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clientgo/rest/testing/client_fixture.h"
#include "clientgo/util/testing/log_lines.h"

namespace capstan::rest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct RecordingHandler final : WarningHandler {
  void HandleWarning(int code, std::string_view agent, std::string_view text) override {
    lines.push_back(std::to_string(code) + " " + std::string(agent) + " " + std::string(text));
  }
  std::vector<std::string> lines;
};

struct WarningsTest : ClientFixture {
  void Get(const std::vector<std::string>& warnings, int status = 200) {
    testing::FakeResponse response{.status = status, .chunks = {kSecret}};
    for (const std::string& warning : warnings) response.headers.emplace_back("warning", warning);
    transport_->Push(std::move(response));
    EXPECT_EQ(client_->Get({}, kSecretType, {"ns", "s"}).has_value(), status == 200);
  }
};

TEST_F(WarningsTest, HandlerGetsEachWarningOfEachResponse) {
  RecordingHandler handler;
  Start({}, &handler);

  Get({R"(299 - "one", 299 - "two")", R"(199 agent "three")"});
  Get({R"(299 - "one")"}, 404);

  EXPECT_THAT(handler.lines, ElementsAre("299 - one", "299 - two", "199 agent three", "299 - one"));
}

TEST_F(WarningsTest, HandlerGetsWarningsOfWatch) {
  RecordingHandler handler;
  Start({}, &handler);
  transport_->Push({.headers = {{"Warning", R"(299 - "deprecated")"}}});

  ASSERT_TRUE(client_->Watch({}, kSecretType, {}).has_value());

  EXPECT_THAT(handler.lines, ElementsAre("299 - deprecated"));
}

TEST_F(WarningsTest, LogsEachTextOnceByDefault) {
  Start({}, nullptr);
  const LogLines log(google::GLOG_WARNING);

  Get({R"(299 - "one")"});
  Get({R"(299 - "one")", R"(299 - "two")", R"(199 - "not logged")"});

  EXPECT_THAT(log.lines(), ElementsAre(R"("Warning of the API server" text="one")",
                                       R"("Warning of the API server" text="two")"));
}

TEST_F(WarningsTest, NoWarningsLogsNothing) {
  NoWarnings none;
  Start({}, &none);
  const LogLines log(google::GLOG_WARNING);

  Get({R"(299 - "one")"});

  EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(WarningsTest, LoggerForgetsOldestOfManyTexts) {
  WarningLogger logger;
  const LogLines log(google::GLOG_WARNING);
  const auto warn = [&](int number) {
    logger.HandleWarning(299, "-", "text " + std::to_string(number));
  };

  for (int i = 0; i < 257; ++i) warn(i);
  warn(256);
  EXPECT_EQ(log.lines().size(), 257U);
  warn(0);

  EXPECT_EQ(log.lines().size(), 258U);
}

}  // namespace
}  // namespace capstan::rest
