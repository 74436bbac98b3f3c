// SPDX-License-Identifier: Apache-2.0
// What happens to connections when the client's certificate, or the CA, is replaced.
#include <future>
#include <thread>

#include "clientgo/testing/temp_dir.h"
#include "clientgo/transport/http1_fixture_for_test.h"

namespace clientgo::transport {
namespace {

using std::chrono::milliseconds;

constexpr Http1Options kCheckOften{.certificate_check_period = milliseconds(5)};

// Answers with the name of the client; a watch gets it as its only event.
void AnswerName(LoopbackConnection& connection, const std::string& request) {
  const std::string name = connection.ClientName();
  if (request.find("/watch") != std::string::npos) {
    connection.WriteHead(200);
    connection.WriteChunk(name);
    connection.AwaitClose();
    return;
  }
  connection.WriteHead(200, "Content-Length: " + std::to_string(name.size()) + "\r\n");
  connection.Write(name);
}

class Http1RotationTest : public Http1TransportTlsTest {
 protected:
  void WriteClient(const std::string& name) {
    const KeyPair client = NewClientCertificate(ca_, name);
    dir_.Write("tls.key", client.key_pem);
    dir_.Write("tls.crt", client.cert_pem);
  }
  Config FilesConfig() {
    return {.host = server_.url(),
            .tls = {.ca_file = dir_.Write("ca.crt", ca_.cert_pem),
                    .cert_file = dir_.Path("tls.crt"),
                    .key_file = dir_.Path("tls.key")}};
  }
  // A watch that has got its first event and that a thread reads from now on: all it gets.
  static std::future<std::string> Watch(HttpTransport& transport, std::stop_token stop = {}) {
    auto response =
        transport.RoundTrip(std::move(stop), {.target = "/watch", .long_running = true});
    if (!response) {
      ADD_FAILURE() << response.error().message;
      return {};
    }
    auto first = (*response)->Read();
    return std::async(std::launch::async,
                      [body = first ? std::string(*first) : "", response = std::move(*response)] {
                        return body + ReadAll(*response);
                      });
  }

  const testing::TempDir dir_;
  const LoopbackServer::Tls mutual_ = Mutual();
  LoopbackServer server_{AnswerName, &mutual_};
};

TEST_F(Http1RotationTest, ASilentWatchBreaksOffAndComesAgainWithTheNewCertificate) {
  WriteClient("client-1");
  auto transport = Connect(FilesConfig(), kCheckOften);
  auto watch = Watch(*transport);

  WriteClient("client-2");

  EXPECT_EQ(watch.get(), "client-1<UnexpectedEOF>");
  EXPECT_TRUE(server_.AwaitOpen(0));
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "client-2");
}

TEST_F(Http1RotationTest, ACertificateFromAPluginIsFollowedToo) {
  util::Mutex mu;
  auto current = std::make_shared<const ClientCertificate>();
  const auto use = [&](const std::string& name) {
    KeyPair pair = NewClientCertificate(ca_, name);
    util::MutexLock lock(mu);
    current = std::make_shared<const ClientCertificate>(
        ClientCertificate{std::move(pair.cert_pem), std::move(pair.key_pem), "exec plugin x"});
  };
  use("plugin-1");
  auto transport = Connect(Config{.host = server_.url(),
                                  .tls = {.ca_data = ca_.cert_pem},
                                  .get_client_certificate =
                                      [&] {
                                        util::MutexLock lock(mu);
                                        return current;
                                      }},
                           kCheckOften);
  auto watch = Watch(*transport);

  use("plugin-2");

  EXPECT_EQ(watch.get(), "plugin-1<UnexpectedEOF>");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "plugin-2");
}

TEST_F(Http1RotationTest, IdleConnectionsOfTheOldCertificateAreDropped) {
  WriteClient("client-1");
  auto transport = Connect(FilesConfig());
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "client-1");
  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "client-1");
  EXPECT_EQ(server_.connections(), 1);

  WriteClient("client-2");

  EXPECT_EQ(Fetch(*transport, {.target = "/"}), "client-2");
  EXPECT_TRUE(server_.AwaitOpen(1)) << "the old one is closed";
}

TEST_F(Http1RotationTest, ANewCaLeavesRunningWatchesAlone) {
  WriteClient("client-1");
  const KeyPair client = NewClientCertificate(ca_, "client-1");
  auto certificate = std::make_shared<const ClientCertificate>(
      ClientCertificate{client.cert_pem, client.key_pem, "exec plugin x"});
  std::atomic<int> looks{0};
  Config config = FilesConfig();
  config.get_client_certificate = [&] {
    ++looks;
    return certificate;
  };
  auto transport = Connect(config, kCheckOften);
  std::stop_source stop;
  auto watch = Watch(*transport, stop.get_token());

  dir_.Write("ca.crt", ca_.cert_pem + NewCa("another").cert_pem);
  for (const int enough = looks + 3; looks < enough;) std::this_thread::yield();
  stop.request_stop();

  EXPECT_EQ(watch.get(), "client-1<Canceled>");
}

TEST_F(Http1RotationTest, WatchingTheCertificateKeepsTheIdleTimeout) {
  WriteClient("client-1");
  auto transport = Connect(FilesConfig(), kCheckOften);

  EXPECT_EQ(Fetch(*transport,
                  {.target = "/watch", .idle_timeout = milliseconds(200), .long_running = true}),
            "client-1<UnexpectedEOF>");
}

}  // namespace
}  // namespace clientgo::transport
