// SPDX-License-Identifier: Apache-2.0
// Tests of logs, exec and port-forward beside a server that speaks the kubelet's protocol.
// hack/e2e kind runs them against a kubelet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "capstan/remotecommand/exec.h"
#include "capstan/remotecommand/logs.h"
#include "capstan/remotecommand/port_forward.h"
#include "capstan/testing/fake_transport.h"
#include "clientgo/transport/testing/websocket_server.h"

namespace capstan::remotecommand {
namespace {

using ::testing::HasSubstr;
using transport::WebSocketServer;
using Peer = WebSocketServer::Peer;

constexpr char kV5[] = "v5.channel.k8s.io";
constexpr char kSucceeded[] = R"({"status":"Success"})";
constexpr char kExitCode7[] =
    R"({"status":"Failure","reason":"NonZeroExitCode","message":"command terminated",)"
    R"("details":{"causes":[{"reason":"ExitCode","message":"7"}]}})";
const runtime::ObjectKey kPod = {"ns", "a"};

std::unique_ptr<rest::Client> NewClient(const WebSocketServer& server) {
  rest::Config config;
  config.host = server.ServerConfig().host;
  return *rest::Client::New(config);
}

std::string OnChannel(char channel, const std::string& bytes) { return channel + bytes; }

TEST(ExecTest, RunsACommandWithInputAndReturnsItsExitCode) {
  std::string target;
  const WebSocketServer server(kV5, [&](const Peer& peer, const std::string& path) {
    target = path;
    std::string input;
    for (std::string message = peer.Read(); message.front() == 0; message = peer.Read()) {
      input += message.substr(1);
    }
    peer.Write(OnChannel(1, std::to_string(input.size())));
    peer.Write(OnChannel(2, "oh"));
    peer.Write(OnChannel(1, "\n"));
    peer.Write(OnChannel(3, kExitCode7));
  });
  const auto client = NewClient(server);
  std::string output;
  std::string error_output;
  const auto code =
      Exec(*client, {}, kPod,
           {.container = "c",
            .command = {"wc", "-c", "a b"},
            .input = std::string(100000, 'x'),
            .on_output = [&](std::string_view bytes) { output += bytes; },
            .on_error_output = [&](std::string_view bytes) { error_output += bytes; }});
  ASSERT_TRUE(code.has_value()) << code.error().message;
  EXPECT_EQ(*code, 7);
  EXPECT_EQ(output, "100000\n");
  EXPECT_EQ(error_output, "oh");
  EXPECT_EQ(target,
            "/api/v1/namespaces/ns/pods/a/exec?container=c&stdin=true&stdout=true&stderr=true"
            "&command=wc&command=-c&command=a%20b");
}

// The input is larger than what the sockets keep.
TEST(ExecTest, EndsWithACommandThatDoesNotReadItsInput) {
  const WebSocketServer server(kV5, [](const Peer& peer, const std::string&) {
    peer.Write(OnChannel(3, kSucceeded));
    peer.Read();
  });
  const auto client = NewClient(server);
  const auto code =
      Exec(*client, {}, kPod, {.command = {"true"}, .input = std::string(50 << 20, 'x')});
  ASSERT_TRUE(code.has_value()) << code.error().message;
  EXPECT_EQ(*code, 0);
}

TEST(ExecTest, ReportsWhatTheRuntimeSays) {
  const WebSocketServer server(kV5, [](const Peer& peer, const std::string&) {
    peer.Write(OnChannel(3, R"({"status":"Failure","message":"no such program"})"));
  });
  const auto client = NewClient(server);
  const auto code = Exec(*client, {}, kPod, {.command = {"nothing"}});
  ASSERT_FALSE(code.has_value());
  EXPECT_EQ(code.error().message, "failed to run a command in ns/a: no such program");
}

TEST(ExecTest, ReportsARefusal) {
  const WebSocketServer server("", {});
  const auto client = NewClient(server);
  const auto code = Exec(*client, {}, kPod, {.command = {"true"}});
  ASSERT_FALSE(code.has_value());
  EXPECT_EQ(code.error().reason, ErrorReason::kForbidden);
  EXPECT_THAT(code.error().message, HasSubstr("no exec for you"));
}

TEST(ExecTest, ReportsAConnectionThatEndsBeforeTheCommand) {
  const WebSocketServer server(kV5, [](const Peer&, const std::string&) {});
  const auto client = NewClient(server);
  const auto code = Exec(*client, {}, kPod, {.command = {"sleep"}});
  ASSERT_FALSE(code.has_value());
  EXPECT_EQ(code.error().reason, ErrorReason::kUnexpectedEof);
}

TEST(ExecTest, AnOldServerCannotEndTheInput) {
  const WebSocketServer server("v4.channel.k8s.io",
                               [](const Peer& peer, const std::string&) { peer.Read(); });
  const auto client = NewClient(server);
  const auto code = Exec(*client, {}, kPod, {.command = {"cat"}, .input = "x"});
  EXPECT_THAT(code.error().message, HasSubstr("it needs Kubernetes 1.30"));
}

TEST(PortForwardTest, CarriesBytesInBothDirections) {
  const std::string port = {'\x90', '\x1f'};  // 8080
  const WebSocketServer server("v4.channel.k8s.io", [&](const Peer& peer, const std::string& path) {
    peer.Write(OnChannel(0, port));
    peer.Write(OnChannel(1, port));
    peer.Write(OnChannel(0, path + " " + peer.Read().substr(1)));
  });
  const auto client = NewClient(server);
  const auto connection = PortForward(*client, {}, kPod, 8080);
  ASSERT_TRUE(connection.has_value()) << connection.error().message;
  ASSERT_TRUE((*connection)->Write("hello").has_value());
  EXPECT_EQ(*(*connection)->Read(), "/api/v1/namespaces/ns/pods/a/portforward?ports=8080 hello");
  EXPECT_EQ(*(*connection)->Read(), "");
}

TEST(PortForwardTest, ReportsWhatTheNodeSays) {
  const std::string port = {'\x01', '\x00'};
  const WebSocketServer server("v4.channel.k8s.io", [&](const Peer& peer, const std::string&) {
    peer.Write(OnChannel(1, port));
    peer.Write(OnChannel(1, "nothing listens on port 1"));
  });
  const auto client = NewClient(server);
  const auto connection = PortForward(*client, {}, kPod, 1);
  ASSERT_TRUE(connection.has_value()) << connection.error().message;
  EXPECT_EQ((*connection)->Read().error().message,
            "failed to connect to port 1 of ns/a: nothing listens on port 1");
  EXPECT_THAT(PortForward(*client, {}, kPod, 0).error().message, HasSubstr("ports are 1 to 65535"));
}

TEST(LogsTest, ReadsTheLogWithItsOptions) {
  auto transport = std::make_unique<testing::FakeTransport>();
  testing::FakeTransport& fake = *transport;
  fake.Push({.chunks = {"one\n", "two\n"}});
  rest::Client client({.host = "http://a"}, std::move(transport));
  std::string log;
  const auto read =
      Logs(client, {}, kPod,
           {.container = "c", .follow = true, .since = std::chrono::seconds(5), .tail_lines = 10},
           [&](std::string_view bytes) { log += bytes; });
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(log, "one\ntwo\n");
  EXPECT_EQ(fake.requests().front().target,
            "/api/v1/namespaces/ns/pods/a/log?container=c&follow=true&sinceSeconds=5&tailLines=10");
}

TEST(LogsTest, NamesThePodOfAnError) {
  auto transport = std::make_unique<testing::FakeTransport>();
  transport->Push(
      {.status = 400,
       .chunks = {R"({"kind":"Status","message":"a container name must be specified"})"}});
  rest::Client client({.host = "http://a"}, std::move(transport));
  const auto read = Logs(client, {}, kPod, {}, [](std::string_view) {});
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().message, HasSubstr("failed to read the log of ns/a: "));
  EXPECT_THAT(Logs(client, {}, {"", "a"}, {}, [](std::string_view) {}).error().message,
              HasSubstr("a pod has a namespace and a name"));
}

}  // namespace
}  // namespace capstan::remotecommand
