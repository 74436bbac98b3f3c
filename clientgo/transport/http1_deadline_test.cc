// SPDX-License-Identifier: Apache-2.0
// How long an exchange may take: the deadline of each step, and what has no limit.
#include <future>

#include "clientgo/transport/dropping_listener_for_test.h"
#include "clientgo/transport/http1_fixture_for_test.h"

namespace clientgo::transport {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShort{30};

// The error of a request that has kShort for its answer.
util::Error Late(const Config& config) {
  auto response = Connect(config)->RoundTrip({}, {.target = "/", .answer_timeout = kShort});
  return response ? util::Error{.message = "it answered"} : response.error();
}

std::string HostPort(const std::string& url) { return url.substr(url.find("//") + 2); }

void Hang(LoopbackConnection& connection, const std::string&) { connection.AwaitClose(); }

TEST(Http1DeadlineTest, NamesTheServerAndTheStepThatTookTooLong) {
  const DroppingListener dropping;
  LoopbackServer mute(Hang);
  const std::string tls_url = "https://" + HostPort(mute.url());
  struct Case {
    Config config;
    std::string step;
  };
  const std::vector<Case> cases = {
      {{.host = dropping.url()}, "connecting"},
      {{.host = tls_url, .tls = {.insecure_skip_verify = true}}, "TLS handshake"},
      {{.host = "https://api.test:443", .proxy_url = mute.url()}, "the proxy's CONNECT"},
      {{.host = mute.url()}, "waiting for the answer"},
  };
  for (const Case& each : cases) {
    const util::Error error = Late(each.config);

    EXPECT_EQ(error.reason, ErrorReason::kDeadlineExceeded) << each.step;
    EXPECT_THAT(error.message,
                ::testing::StartsWith("no answer from " + HostPort(each.config.host) + " within "));
    EXPECT_THAT(error.message, ::testing::EndsWith("ms (" + each.step + ")"));
  }
}

TEST(Http1DeadlineTest, TheTimeoutHoldsForTheBody) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    connection.WriteChunk("half");
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());

  EXPECT_EQ(Fetch(*transport, {.target = "/", .timeout = kShort}), "half<DeadlineExceeded>");
}

TEST(Http1DeadlineTest, AnAnswerInTimeMayHaveABodyThatTakesLonger) {
  std::promise<void> passed;
  LoopbackServer server([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    connection.WriteChunk("first ");
    passed.get_future().wait();
    connection.WriteChunk("second");
    connection.WriteChunk("");
  });
  auto transport = Connect(server.url());
  auto response = transport->RoundTrip({}, {.target = "/", .answer_timeout = milliseconds(400)});
  ASSERT_TRUE(response.has_value()) << response.error().message;
  EXPECT_EQ((*response)->Read().value(), "first ");
  const DroppingListener dropping;
  ASSERT_FALSE(Dialer().Dial({dropping.endpoint()}, {.timeout = milliseconds(450)},
                             util::Clock::TimePoint::max()));

  passed.set_value();

  EXPECT_EQ(ReadAll(**response), "second");
}

TEST(Http1DeadlineTest, AReadHasALimitOfItsOwn) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200);
    connection.WriteChunk("event");
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());
  auto response = transport->RoundTrip({}, {.target = "/", .long_running = true});
  ASSERT_TRUE(response.has_value());

  EXPECT_EQ((*response)->Read(std::chrono::minutes(1)).value(), "event");
  const auto silent = (*response)->Read(kShort);

  ASSERT_FALSE(silent.has_value());
  EXPECT_EQ(silent.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_THAT(silent.error().message, HasSubstr(HostPort(server.url())));
}

TEST(Http1DeadlineTest, AnAnswerMayTakeLongerThanTheIdleTimeout) {
  std::promise<void> passed;
  LoopbackServer server([&](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/slow") != std::string::npos) {
      passed.get_future().wait();
      return Answer(connection, request);
    }
    connection.WriteHead(200);
    connection.WriteChunk("some");
    connection.AwaitClose();
  });
  auto transport = Connect(server.url());
  auto slow = std::async(std::launch::async, [&] {
    return Fetch(*transport, {.target = "/slow", .idle_timeout = kShort});
  });
  // The time passes while others find out that their bodies stopped.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Fetch(*transport, {.target = "/stops", .idle_timeout = kShort}),
              "some<UnexpectedEOF>");
  }

  passed.set_value();

  EXPECT_EQ(slow.get(), "ok");
}

TEST(Http1DeadlineTest, AServerThatDoesNotAnswerLosesItsIdleConnections) {
  LoopbackServer server([](LoopbackConnection& connection, const std::string& request) {
    if (request.find("/hang") != std::string::npos) return Hang(connection, request);
    Answer(connection, request);
  });
  auto transport = Connect(server.url());
  {
    auto one = transport->RoundTrip({}, {.target = "/"});
    auto two = transport->RoundTrip({}, {.target = "/"});
    ASSERT_TRUE(one && two);
    ReadAll(**one);
    ReadAll(**two);
  }
  ASSERT_EQ(server.connections(), 2);

  EXPECT_EQ(Fetch(*transport, {.target = "/hang", .answer_timeout = kShort}), "<DeadlineExceeded>");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "ok");

  EXPECT_EQ(server.connections(), 3) << "a balancer would have led to the same server";
}

}  // namespace
}  // namespace clientgo::transport
