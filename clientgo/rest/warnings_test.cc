// SPDX-License-Identifier: Apache-2.0
#include "capstan/rest/warnings.h"

#include <glog/logging.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clientgo/rest/testing/client_fixture.h"

namespace capstan::rest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kSecretWithWarnings[] =
    R"({"kind":"Secret","metadata":{"namespace":"ns","name":"s","uid":"u","resourceVersion":"1"}})";

struct RecordingHandler final : WarningHandler {
  void HandleWarning(int code, std::string_view agent, std::string_view text) override {
    lines.push_back(std::to_string(code) + " " + std::string(agent) + " " + std::string(text));
  }
  std::vector<std::string> lines;
};

// LogRecord records the warnings in the log while it lives.
class LogRecord final : public google::LogSink {
 public:
  LogRecord() { google::AddLogSink(this); }
  ~LogRecord() override { google::RemoveLogSink(this); }
  LogRecord(const LogRecord&) = delete;
  LogRecord& operator=(const LogRecord&) = delete;
  std::vector<std::string> lines;

 private:
  using google::LogSink::send;
  void send(google::LogSeverity severity, const char* /*full_filename*/,
            const char* /*base_filename*/, int /*line*/, const google::LogMessageTime& /*time*/,
            const char* message, std::size_t size) override {
    if (severity == google::GLOG_WARNING) lines.emplace_back(message, size);
  }
};

struct WarningsTest : ClientFixture {
  void StartWith(WarningHandler* handler) {
    auto transport = std::make_unique<testing::FakeTransport>(handler_, clock_);
    transport_ = transport.get();
    client_ = std::make_unique<Client>(Config{.host = "https://10.0.0.1"}, std::move(transport),
                                       ClientOptions{.clock = clock_, .warning_handler = handler});
  }
  void Get(const std::vector<std::string>& warnings, int status = 200) {
    testing::FakeResponse response{.status = status, .chunks = {kSecretWithWarnings}};
    for (const std::string& warning : warnings) response.headers.emplace_back("warning", warning);
    transport_->Push(std::move(response));
    EXPECT_EQ(client_->Get({}, kSecretType, {"ns", "s"}).has_value(), status == 200);
  }
};

TEST_F(WarningsTest, HandlerGetsEachWarningOfEachResponse) {
  RecordingHandler handler;
  StartWith(&handler);

  Get({R"(299 - "one", 299 - "two")", R"(199 agent "three")"});
  Get({R"(299 - "one")"}, 404);

  EXPECT_THAT(handler.lines, ElementsAre("299 - one", "299 - two", "199 agent three", "299 - one"));
}

TEST_F(WarningsTest, HandlerGetsWarningsOfWatch) {
  RecordingHandler handler;
  StartWith(&handler);
  transport_->Push({.headers = {{"Warning", R"(299 - "deprecated")"}}});

  ASSERT_TRUE(client_->Watch({}, kSecretType, {}).has_value());

  EXPECT_THAT(handler.lines, ElementsAre("299 - deprecated"));
}

TEST_F(WarningsTest, LogsEachTextOnceByDefault) {
  StartWith(nullptr);
  const LogRecord log;

  Get({R"(299 - "one")"});
  Get({R"(299 - "one")", R"(299 - "two")", R"(199 - "not logged")"});

  EXPECT_THAT(log.lines, ElementsAre(R"("Warning of the API server" text="one")",
                                     R"("Warning of the API server" text="two")"));
}

TEST_F(WarningsTest, NoWarningsLogsNothing) {
  NoWarnings none;
  StartWith(&none);
  const LogRecord log;

  Get({R"(299 - "one")"});

  EXPECT_THAT(log.lines, IsEmpty());
}

TEST_F(WarningsTest, LoggerForgetsOldestOfManyTexts) {
  WarningLogger logger;
  const LogRecord log;
  const auto warn = [&](int number) {
    logger.HandleWarning(299, "-", "text " + std::to_string(number));
  };

  for (int i = 0; i < 257; ++i) warn(i);
  warn(256);
  EXPECT_EQ(log.lines.size(), 257U);
  warn(0);

  EXPECT_EQ(log.lines.size(), 258U);
}

}  // namespace
}  // namespace capstan::rest
