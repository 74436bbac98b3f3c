// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/compression.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "capstan/testing/fake_transport.h"
#include "capstan/testing/gzip.h"
#include "clientgo/transport/testing/transport_fixture.h"

namespace capstan::transport {
namespace {

// The header of a gzip member, RFC 1952: 10 bytes.
constexpr std::size_t kHeaderBytes = 10;
constexpr std::size_t kReadBytesMax = std::size_t{16} * 1024;

// Returns text that compresses like a list: equal fields, different names.
std::string ListText(std::size_t items) {
  std::string text = R"({"kind":"List","items":[)";
  for (std::size_t i = 0; i < items; ++i) {
    text += R"({"metadata":{"name":"s-)" + std::to_string(i * 7919) +
            R"(","managedFields":[{"manager":"e2e"}]}},)";
  }
  return text + "]}";
}

std::vector<std::string> Pieces(const std::string& text, std::size_t size) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size(); at += size) pieces.push_back(text.substr(at, size));
  return pieces;
}

class DecodeBodyTest : public ::testing::Test {
 protected:
  std::unique_ptr<HttpResponse> Open(testing::FakeResponse response,
                                     const std::string& encoding = "gzip") {
    if (!encoding.empty()) response.headers.emplace_back("Content-Encoding", encoding);
    transport_.Push(std::move(response));
    auto opened = transport_.RoundTrip({}, {});
    EXPECT_TRUE(opened.has_value());
    return DecodeBody(std::move(*opened), "server:6443");
  }
  std::unique_ptr<HttpResponse> OpenBody(const std::string& body) {
    return Open({.chunks = {body}});
  }

  struct Result {
    std::string text = {};
    std::optional<Error> error = {};
    std::size_t largest_read = 0;
  };
  static Result ReadAll(HttpResponse& response) {
    Result result;
    for (;;) {
      auto bytes = response.Read();
      if (!bytes) {
        result.error = std::move(bytes.error());
        return result;
      }
      if (bytes->empty()) return result;
      result.largest_read = std::max(result.largest_read, bytes->size());
      result.text += *bytes;
    }
  }
  Result Decode(const std::string& body) { return ReadAll(*OpenBody(body)); }

  testing::FakeTransport transport_;
};

TEST_F(DecodeBodyTest, DecodesBodyForEverySizeOfReads) {
  const std::string text = ListText(3000);
  const std::string body = testing::Gzip(text);
  ASSERT_LT(body.size() * 3, text.size());
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, kReadBytesMax, body.size()}) {
    const Result result = ReadAll(*Open({.chunks = Pieces(body, size)}));
    EXPECT_FALSE(result.error) << result.error->message;
    EXPECT_TRUE(result.text == text) << "reads of " << size << " bytes";
  }
}

TEST_F(DecodeBodyTest, DecodesSeveralMembersForEverySplit) {
  const std::string body = testing::Gzip("first ") + testing::Gzip("") + testing::Gzip("second ") +
                           testing::Gzip("third");
  for (std::size_t size = 1; size <= body.size(); ++size) {
    const Result result = ReadAll(*Open({.chunks = Pieces(body, size)}));
    EXPECT_FALSE(result.error) << result.error->message;
    EXPECT_EQ(result.text, "first second third") << "reads of " << size << " bytes";
  }
}

TEST_F(DecodeBodyTest, ReturnsBytesOfMemberBeforeNextOneArrives) {
  auto body = std::make_shared<testing::FakeBody>();
  const auto response = Open({.body = body});
  for (const std::string event : {"ADDED", "BOOKMARK", "DELETED"}) {
    body->Push(testing::Gzip(event));
    EXPECT_EQ(response->Read(), event);
  }
  body->End();
  EXPECT_EQ(response->Read(), "");
}

// After a small read, the reader of a busy watch assumes that nothing else has arrived.
TEST_F(DecodeBodyTest, ReturnsAllReceivedMembersTogether) {
  const std::string event(300, 'e');
  std::string members;
  for (int i = 0; i < 20; ++i) members += testing::Gzip(event);
  const auto response = OpenBody(members);

  const auto bytes = response->Read();

  ASSERT_TRUE(bytes.has_value());
  EXPECT_EQ(bytes->size(), 20 * event.size());
}

TEST_F(DecodeBodyTest, KeepsStatusAndHeaders) {
  const auto response = Open({.status = 202, .chunks = {testing::Gzip("x")}});
  EXPECT_EQ(response->status(), 202);
  EXPECT_EQ(FindHeader(response->headers(), "content-encoding"), "gzip");
}

TEST_F(DecodeBodyTest, ReturnsIdentityAsItIs) {
  EXPECT_EQ(ReadAll(*Open({.chunks = {"plain"}}, "")).text, "plain");
  EXPECT_EQ(ReadAll(*Open({.chunks = {"plain"}}, "identity")).text, "plain");
}

TEST_F(DecodeBodyTest, EndsAtOnceForEmptyBody) {
  const Result result = ReadAll(*Open({.chunks = {}}));
  EXPECT_FALSE(result.error);
  EXPECT_EQ(result.text, "");
}

TEST_F(DecodeBodyTest, ReportsTruncationAtEveryByte) {
  const std::string body = testing::Gzip(ListText(20));
  for (std::size_t size = 1; size < body.size(); ++size) {
    const Result result = Decode(body.substr(0, size));
    ASSERT_TRUE(result.error) << size << " of " << body.size() << " bytes";
    EXPECT_EQ(result.error->reason, ErrorReason::kUnexpectedEof);
    EXPECT_EQ(result.error->message, "server:6443: unexpected EOF in the gzip body");
  }
}

TEST_F(DecodeBodyTest, ReportsHeaderWithoutData) {
  const Result result = Decode(testing::Gzip("x").substr(0, kHeaderBytes));
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->reason, ErrorReason::kUnexpectedEof);
}

TEST_F(DecodeBodyTest, ReportsTruncationInLaterMember) {
  const std::string second = testing::Gzip("second");
  const Result result = Decode(testing::Gzip("first") + second.substr(0, second.size() - 1));
  EXPECT_EQ(result.text, "firstsecond");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->reason, ErrorReason::kUnexpectedEof);
}

TEST_F(DecodeBodyTest, NeverEndsWellWithChangedText) {
  const std::string text = ListText(20);
  const std::string body = testing::Gzip(text);
  for (std::size_t at = 0; at < body.size(); ++at) {
    std::string changed = body;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    const Result result = Decode(changed);
    if (!result.error) {
      EXPECT_LT(at, kHeaderBytes) << "only the header has bytes without a meaning";
      EXPECT_EQ(result.text, text);
    }
  }
}

TEST_F(DecodeBodyTest, ReportsCorruptBody) {
  for (const std::string& body :
       {std::string(R"({"kind":"List"})"), testing::Gzip("member") + R"({"kind":"List"})"}) {
    const Result result = Decode(body);
    ASSERT_TRUE(result.error);
    EXPECT_EQ(result.error->reason, ErrorReason::kDecode);
    EXPECT_EQ(result.error->message, "server:6443: corrupt gzip body: incorrect header check");
  }
  std::string wrong_sum = testing::Gzip("member");
  wrong_sum[wrong_sum.size() - 5] ^= 1;
  EXPECT_EQ(Decode(wrong_sum).error->message,
            "server:6443: corrupt gzip body: incorrect data check");
}

TEST_F(DecodeBodyTest, RepeatsItsError) {
  const auto corrupt = OpenBody("no gzip at all");
  EXPECT_EQ(corrupt->Read().error().reason, ErrorReason::kDecode);
  EXPECT_EQ(corrupt->Read().error().reason, ErrorReason::kDecode);
}

TEST_F(DecodeBodyTest, ReturnsErrorsOfTheConnection) {
  const std::string body = testing::Gzip("text");
  const auto response = Open({.chunks = {body.substr(0, body.size() - 1)},
                              .end = testing::FakeEnd::kError,
                              .error = {.reason = ErrorReason::kCanceled, .message = "stopped"}});
  const Result result = ReadAll(*response);
  EXPECT_EQ(result.text, "text");
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->message, "stopped");
}

// Returns the bytes of the heap in use; 0 in builds that replace malloc.
std::size_t HeapBytes() { return mallinfo2().uordblks; }

TEST_F(DecodeBodyTest, HoldsLittleMemoryWhateverTheBodyHolds) {
  constexpr std::size_t kSize = std::size_t{64} << 20U;
  constexpr std::size_t kMemoryMax = std::size_t{56} * 1024;
  const auto response = OpenBody(testing::Gzip(std::string(kSize, '\0')));
  const std::size_t before = HeapBytes();
  std::size_t total = 0;
  std::size_t most = 0;
  for (;;) {
    const auto bytes = response->Read();
    ASSERT_TRUE(bytes.has_value());
    if (bytes->empty()) break;
    EXPECT_LE(bytes->size(), kReadBytesMax);
    total += bytes->size();
    if (total > kReadBytesMax) most = std::max(most, HeapBytes());
  }
  EXPECT_EQ(total, kSize);
  EXPECT_LE(most, before + kMemoryMax);
}

TEST_F(DecodeBodyTest, HoldsNothingWhileItWaitsBetweenMembers) {
  // The first round fills malloc's own cache, which mallinfo2 counts as used.
  for (const bool measured : {false, true}) {
    auto body = std::make_shared<testing::FakeBody>();
    const auto response = Open({.body = body});
    body->Push(testing::Gzip(ListText(100)));
    const std::size_t before = HeapBytes();
    std::size_t total = 0;
    while (total < ListText(100).size()) {
      const auto bytes = response->Read(std::chrono::seconds(10));
      ASSERT_TRUE(bytes.has_value());
      total += bytes->size();
    }
    EXPECT_EQ(response->Read(std::chrono::milliseconds(0)).error().reason,
              ErrorReason::kDeadlineExceeded);
    if (measured) {
      EXPECT_LE(HeapBytes(), before);
    }
  }
}

class CompressedResponseTest : public HttpTransportTest {};

TEST_P(CompressedResponseTest, ReturnsCompressedBodyOfRequestThatAllowsIt) {
  std::vector<std::string> requests;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    requests.push_back(request);
    connection.WriteHead(200, "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n");
    connection.WriteChunk(testing::Gzip(R"({"kind":"List"})"));
    connection.WriteChunk("");
  });
  auto transport = Connect(server.url());

  for (int i = 0; i < 2; ++i) {
    auto response = transport->RoundTrip({}, {.target = "/", .compression = Compression::kOn});
    ASSERT_TRUE(response.has_value()) << response.error().message;
    EXPECT_EQ(ReadAll(*DecodeBody(std::move(*response), "server")), R"({"kind":"List"})");
  }

  EXPECT_EQ(server.connections(), 1) << "a decoded body leaves its connection usable";
  EXPECT_THAT(requests, ::testing::Each(HasHeader("Accept-Encoding", "gzip")));
}

TEST_P(CompressedResponseTest, RequestsIdentityFromServerOnThisHost) {
  std::string seen;
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string& request) {
    seen = request;
    ReplyOk(connection, request);
  });
  auto transport = Connect(server.url());

  EXPECT_EQ(Fetch(*transport, {.target = "/", .compression = Compression::kAuto}), "ok");

  EXPECT_THAT(seen, HasHeader("Accept-Encoding", "identity"));
}

TEST_P(CompressedResponseTest, RejectsEncodingOtherThanGzip) {
  LoopbackServer server = Serve([&](LoopbackConnection& connection, const std::string&) {
    connection.WriteHead(200, "Content-Encoding: br\r\nContent-Length: 2\r\n");
    connection.Write("ok");
  });
  auto transport = Connect(server.url());

  auto response = transport->RoundTrip({}, {.target = "/", .compression = Compression::kOn});

  ASSERT_FALSE(response.has_value());
  EXPECT_THAT(response.error().message, HasSubstr("encoded as br, which was not requested"));
}

INSTANTIATE_TEST_SUITE_P(Transports, CompressedResponseTest, EachTransportAndCpprestTls(), NameOf);

Endpoint Ipv4(const char* text) {
  Endpoint endpoint{.size = sizeof(sockaddr_in)};
  auto& address = reinterpret_cast<sockaddr_in&>(endpoint.address);
  address.sin_family = AF_INET;
  EXPECT_EQ(inet_pton(AF_INET, text, &address.sin_addr), 1);
  return endpoint;
}

TEST(AcceptEncodingTest, RequestsGzipFromAnotherHostOnly) {
  const Endpoint remote = Ipv4("192.0.2.1");  // from the range for documentation
  EXPECT_EQ(AcceptEncoding(Compression::kOff, remote, false), "identity");
  EXPECT_EQ(AcceptEncoding(Compression::kAuto, remote, false), "gzip");
  EXPECT_EQ(AcceptEncoding(Compression::kAuto, Loopback(6443), false), "identity");
  EXPECT_EQ(AcceptEncoding(Compression::kAuto, Loopback(3128), true), "gzip");
  EXPECT_EQ(AcceptEncoding(Compression::kAuto, std::nullopt, false), "identity");
  EXPECT_EQ(AcceptEncoding(Compression::kOn, Loopback(6443), false), "gzip");
}

TEST(CheckEncodingTest, RejectsWhatTheRequestDoesNotAllow) {
  const Headers gzip = {{"Content-Encoding", "gzip"}};
  const Headers brotli = {{"Content-Encoding", "br"}};
  const Headers identity = {{"Content-Encoding", "identity"}};
  EXPECT_TRUE(CheckEncoding({}, Compression::kOff, "server").has_value());
  EXPECT_TRUE(CheckEncoding(identity, Compression::kOn, "server").has_value());
  EXPECT_TRUE(CheckEncoding(gzip, Compression::kOn, "server").has_value());
  EXPECT_TRUE(CheckEncoding(gzip, Compression::kAuto, "server").has_value());
  EXPECT_FALSE(CheckEncoding(gzip, Compression::kOff, "server").has_value());
  EXPECT_EQ(CheckEncoding(brotli, Compression::kOn, "server").error().message,
            "server: the response is encoded as br, which was not requested");
}

}  // namespace
}  // namespace capstan::transport
