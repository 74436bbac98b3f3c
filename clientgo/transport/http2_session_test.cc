// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/http2_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "capstan/testing/fake_clock.h"
#include "clientgo/transport/testing/http2_frames.h"

namespace capstan::transport {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using StreamPtr = std::shared_ptr<Http2Stream>;

// Returns the bytes that WINDOW_UPDATE frames grant to each stream. `sent` holds whole frames.
std::map<std::uint32_t, std::size_t> WindowUpdates(std::string_view sent) {
  constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  constexpr std::size_t kHeadBytes = 9;
  if (sent.starts_with(kPreface)) sent.remove_prefix(kPreface.size());
  std::map<std::uint32_t, std::size_t> out;
  while (sent.size() >= kHeadBytes) {
    const std::size_t size = ReadUint32(sent.substr(0, 4)) >> 8U;
    if (sent[3] == static_cast<char>(FrameType::kWindowUpdate)) {
      out[ReadUint32(sent.substr(5))] += ReadUint32(sent.substr(kHeadBytes));
    }
    sent.remove_prefix(std::min(sent.size(), kHeadBytes + size));
  }
  return out;
}

class Http2SessionTest : public ::testing::Test {
 protected:
  Http2SessionTest() {
    Receive(SettingsFrame());
    Sent();
  }

  // Passes bytes to the session. Returns the error of the connection, or nothing.
  std::string Receive(const std::string& bytes) {
    const auto received = session_.Receive(bytes);
    if (!received) return received.error().message;
    Sent();
    const auto finished = session_.Finished();
    return finished ? "" : finished.error().message;
  }
  // Returns everything that the session sends now.
  std::string Sent() {
    std::string out;
    for (;;) {
      const auto bytes = session_.Send();
      if (!bytes || bytes->empty()) break;
      out.append(*bytes);
    }
    for (const auto& [stream, bytes] : WindowUpdates(out)) granted_[stream] += bytes;
    return out;
  }
  StreamPtr Submit(const HttpRequest& request = {.target = "/"}) {
    auto stream = session_.Submit(request).value();
    Sent();
    return stream;
  }
  static std::string Ok(const StreamPtr& stream, std::uint8_t flags = 0) {
    return HeadersFrame(Id(stream), flags, {{":status", "200"}});
  }
  static std::uint32_t Id(const StreamPtr& stream) {
    return static_cast<std::uint32_t>(stream->id);
  }

  testing::FakeClock clock_;
  std::map<std::uint32_t, std::size_t> granted_;  // the sum of WINDOW_UPDATE frames of a stream
  Http2Session session_{{.tls = true, .host = "10.0.0.1", .port = "6443", .path_prefix = "/prefix"},
                        clock_};
};

TEST_F(Http2SessionTest, ReceivesHeadBodyAndEnd) {
  const auto stream = Submit();

  Receive(HeadersFrame(Id(stream), 0, {{":status", "201"}, {"x-answer", "yes"}}));
  EXPECT_TRUE(stream->answered);
  EXPECT_EQ(stream->status, 201);
  EXPECT_EQ(FindHeader(stream->headers, "X-Answer"), "yes");
  EXPECT_FALSE(stream->ended);
  Receive(DataFrame(Id(stream), 0, "ab") + DataFrame(Id(stream), kEndStream, "c"));

  EXPECT_EQ(stream->received, "abc");
  EXPECT_TRUE(stream->ended);
  EXPECT_FALSE(stream->error);
  EXPECT_EQ(session_.open_streams(), 0U);
}

TEST_F(Http2SessionTest, ReceivesResponseInSingleBytes) {
  const auto stream = Submit();

  for (const char c : Ok(stream) + DataFrame(Id(stream), kEndStream, "abc")) {
    EXPECT_EQ(Receive(std::string(1, c)), "");
  }

  EXPECT_EQ(stream->received, "abc");
  EXPECT_TRUE(stream->ended);
}

TEST_F(Http2SessionTest, NeverBuffersMoreThanTheWindow) {
  const auto stream = Submit();
  Receive(Frame(FrameType::kSettings, kAck, 0, ""));  // the small window applies from here
  Receive(Ok(stream));
  const std::string piece(Http2Session::kWindowBytes / 4, 'x');
  for (int i = 0; i < 4; ++i) EXPECT_EQ(Receive(DataFrame(Id(stream), 0, piece)), "");
  EXPECT_FALSE(stream->error);

  // A server that ignores the window loses the stream, or the connection from nghttp2 1.70 on.
  std::string connection_error;
  for (int i = 0; i < 100; ++i) connection_error = Receive(DataFrame(Id(stream), 0, piece));

  EXPECT_THAT(stream->error ? stream->error->message : connection_error,
              AnyOf(HasSubstr("flow control"), HasSubstr("FLOW_CONTROL_ERROR")));
  EXPECT_LE(stream->received.size(), 2 * Http2Session::kWindowBytes);
}

TEST_F(Http2SessionTest, GivesServerMoreWindowOnlyForConsumedBytes) {
  const auto stream = Submit();
  Receive(Frame(FrameType::kSettings, kAck, 0, ""));
  Receive(Ok(stream));
  const std::string window_update = Frame(FrameType::kWindowUpdate, 0, Id(stream), "").substr(3);
  ASSERT_TRUE(session_.Receive(DataFrame(Id(stream), 0, std::string(10000, 'x'))));
  EXPECT_THAT(Sent(), Not(HasSubstr(window_update)));

  session_.Consume(*stream, 10000);

  EXPECT_THAT(Sent(), HasSubstr(window_update + Uint32(10000)));
}

class WindowGrowthTest : public Http2SessionTest {
 protected:
  static constexpr std::size_t kLong = std::size_t{16} * 1024 * 1024;

  // Returns the unread bytes of a reader that stops after `size` bytes, once the server has used up
  // its window.
  std::size_t WindowAfter(std::size_t size, std::size_t behind,
                          std::chrono::milliseconds round_trip) {
    Connect(round_trip);
    const auto stream = Read(size, behind);
    while (window_ > 0) Send(stream);
    EXPECT_FALSE(stream->error);
    return stream->received.size();
  }

  void Connect(std::chrono::milliseconds round_trip) {
    clock_.Step(round_trip);
    Receive(Frame(FrameType::kSettings, kAck, 0, ""));
  }

  // Returns an open stream. Its reader has consumed each piece of `size` bytes before the next one
  // arrives, except for the last `behind` bytes, of which it reads more when the window is used up.
  StreamPtr Read(std::size_t size, std::size_t behind = 0) {
    auto stream = Submit();
    window_ = Http2Session::kWindowBytes;
    Receive(Ok(stream));
    for (std::size_t sent = 0; sent < size;) {
      sent += Send(stream);
      Consume(stream, behind);
      if (window_ == 0) Consume(stream, 0);
    }
    return stream;
  }

  // Sends as much as the window allows, one piece at most. Returns its size.
  std::size_t Send(const StreamPtr& stream) {
    const std::size_t size = std::min(window_, std::size_t{8192});
    window_ -= size;
    EXPECT_EQ(Receive(DataFrame(Id(stream), 0, std::string(size, 'x'))), "");
    return size;
  }

  void Consume(const StreamPtr& stream, std::size_t behind) {
    const std::size_t unread = std::min(stream->received.size(), behind);
    const std::size_t consumed = stream->received.size() - unread;
    stream->received.resize(unread);
    session_.Consume(*stream, consumed);
    Sent();
    window_ += std::exchange(granted_[Id(stream)], 0);
  }

  std::size_t window_ = 0;  // what the server may send on the stream that was opened last
};

// Consumed bytes are returned when they are half a window.
TEST_F(WindowGrowthTest, GrowsForDistantServerWhileTheReaderKeepsUp) {
  EXPECT_GE(WindowAfter(kLong, 0, std::chrono::milliseconds(50)),
            Http2Session::kWindowBytesMax / 2);
}

TEST_F(WindowGrowthTest, BeginsSmallForDistantServer) {
  EXPECT_LE(WindowAfter(Http2Session::kWindowBytes, 0, std::chrono::milliseconds(50)),
            Http2Session::kNearWindowBytes);
}

// A busy server answers a WINDOW_UPDATE later than the first round trip tells.
TEST_F(WindowGrowthTest, GrowsForNearServerWhileTheReaderKeepsUp) {
  EXPECT_GE(WindowAfter(kLong, 0, std::chrono::milliseconds(0)), 128U * 1024);
}

TEST_F(WindowGrowthTest, StaysSmallForNearServer) {
  EXPECT_LE(WindowAfter(kLong, 0, std::chrono::milliseconds(0)), Http2Session::kNearWindowBytes);
}

TEST_F(WindowGrowthTest, StreamsOfAConnectionShareOneLimit) {
  Connect(std::chrono::milliseconds(50));

  std::size_t windows = 0;
  for (int i = 0; i < 4; ++i) windows += Read(kLong)->window;

  EXPECT_GE(windows, Http2Session::kWindowBytesMax);
  EXPECT_LE(windows, Http2Session::kWindowBytesMax + 3 * Http2Session::kNearWindowBytes);
}

TEST_F(WindowGrowthTest, StaysSmallWhileTheReaderIsBehind) {
  EXPECT_LE(WindowAfter(kLong, Http2Session::kWindowBytes * 3 / 4, std::chrono::milliseconds(50)),
            Http2Session::kNearWindowBytes);
}

TEST_F(Http2SessionTest, RefillsConnectionWindowWithoutReader) {
  Receive(Frame(FrameType::kSettings, kAck, 0, ""));
  const std::string piece(16384, 'x');
  // Each stream fills its window and is never read.
  for (int i = 0; i < 90; ++i) {
    const auto stream = Submit();
    ASSERT_EQ(Receive(Ok(stream) + DataFrame(Id(stream), 0, piece)), "") << i;
    EXPECT_EQ(stream->received.size(), piece.size());
  }
}

TEST_F(Http2SessionTest, FailsResponseWhoseHeadIsTooLarge) {
  const auto stream = Submit();
  const auto other = Submit();
  std::vector<std::pair<std::string, std::string>> fields = {{":status", "200"}};
  for (int i = 0; i < 5; ++i) fields.emplace_back("x-long", std::string(4000, 'x'));

  Receive(HeadersFrame(Id(stream), 0, fields));

  ASSERT_TRUE(stream->error);
  EXPECT_EQ(stream->error->message,
            "10.0.0.1:6443: malformed HTTP response: header limit exceeded");
  Receive(Ok(other, kEndStream));
  EXPECT_TRUE(other->ended) << "the other stream broke, too";
}

TEST_F(Http2SessionTest, FailsMalformedResponse) {
  const std::vector<std::vector<std::pair<std::string, std::string>>> heads = {
      {},
      {{":status", "2x0"}},
      {{":status", "200"}, {":status", "200"}},
      {{"x-before", "status"}, {":status", "200"}},
      {{":status", "200"}, {"content-length", "-1"}},
      {{":status", "200"}, {"connection", "close"}},
      {{":status", "101"}},
  };
  for (const auto& head : heads) {
    const auto stream = Submit();

    EXPECT_EQ(Receive(HeadersFrame(Id(stream), 0, head)), "");

    ASSERT_TRUE(stream->error) << ::testing::PrintToString(head);
    EXPECT_EQ(stream->error->reason, ErrorReason::kTransport);
    EXPECT_THAT(stream->error->message, HasSubstr(": malformed HTTP response: "));
  }
}

TEST_F(Http2SessionTest, FailsBodyThatIsNotAsLongAsAnnounced) {
  for (const std::string body : {"abc", "abcde"}) {
    const auto stream = Submit();
    Receive(HeadersFrame(Id(stream), 0, {{":status", "200"}, {"content-length", "4"}}));

    Receive(DataFrame(Id(stream), kEndStream, body));

    ASSERT_TRUE(stream->error) << body;
    EXPECT_EQ(stream->error->reason, ErrorReason::kTransport);
    EXPECT_FALSE(stream->ended);
  }
}

TEST_F(Http2SessionTest, LimitsInterimResponses) {
  const auto stream = Submit();
  const std::string interim = HeadersFrame(Id(stream), 0, {{":status", "103"}, {"link", "x"}});
  for (int i = 0; i < 5; ++i) Receive(interim);
  EXPECT_FALSE(stream->error);
  EXPECT_FALSE(stream->answered);

  Receive(interim);

  ASSERT_TRUE(stream->error);
  EXPECT_THAT(stream->error->message, HasSubstr("too many 1xx responses"));
}

TEST_F(Http2SessionTest, IgnoresTrailers) {
  const auto stream = Submit();

  Receive(Ok(stream) + DataFrame(Id(stream), 0, "abc") +
          HeadersFrame(Id(stream), kEndStream, {{"x-trailer", "yes"}}));

  EXPECT_TRUE(stream->ended);
  EXPECT_EQ(stream->received, "abc");
  EXPECT_EQ(FindHeader(stream->headers, "x-trailer"), "");
}

TEST_F(Http2SessionTest, EndsConnectionOnProtocolError) {
  const std::vector<std::string> wrong = {
      "HTTP/1.1 400 Bad Request\r\n\r\n",
      Frame(FrameType::kPushPromise, kEndHeaders, 1, Uint32(2)),
      Frame(FrameType::kData, 0, 0, "for no stream"),
      Frame(FrameType::kHeaders, kEndHeaders, 1, "\xff\xff\xff\xff\xff\xff\xff"),
      Frame(FrameType::kWindowUpdate, 0, 0, Uint32(0)),
  };
  for (const std::string& bytes : wrong) {
    Http2Session session({.tls = true, .host = "10.0.0.1", .port = "6443", .path_prefix = ""});
    const auto stream = session.Submit({.target = "/"}).value();
    const auto drain = [&] {
      for (auto sent = session.Send(); sent && !sent->empty(); sent = session.Send()) {
      }
    };
    drain();
    // From here no push is allowed.
    const std::string ack = Frame(FrameType::kSettings, kAck, 0, "");
    ASSERT_TRUE(session.Receive(SettingsFrame() + ack).has_value());

    const auto received = session.Receive(bytes);
    drain();

    const auto finished = session.Finished();
    ASSERT_FALSE(received.has_value() && finished.has_value()) << bytes;
    const Error& error = received ? finished.error() : received.error();
    EXPECT_EQ(error.reason, ErrorReason::kTransport);
    EXPECT_THAT(error.message, HasSubstr("10.0.0.1:6443: malformed HTTP/2 frame: "));
    EXPECT_FALSE(session.accepts_streams());
    session.Fail(error);
    EXPECT_TRUE(stream->error) << bytes;
  }
}

TEST_F(Http2SessionTest, RefusedStreamCanBeSentAgain) {
  const auto refused = Submit();
  const auto reset = Submit();

  Receive(RstStreamFrame(Id(refused), 7) + RstStreamFrame(Id(reset), 2));

  EXPECT_TRUE(refused->refused);
  EXPECT_FALSE(reset->refused);
  EXPECT_EQ(reset->error->message, "10.0.0.1:6443: the server reset the stream (INTERNAL_ERROR)");
}

TEST_F(Http2SessionTest, GoAwayRefusesLaterStreamsOnly) {
  const auto first = Submit();
  const auto second = Submit();

  Receive(GoAwayFrame(Id(first)));

  EXPECT_FALSE(session_.accepts_streams());
  EXPECT_FALSE(first->error);
  EXPECT_TRUE(second->refused);
  EXPECT_FALSE(session_.Finished().value());
  Receive(Ok(first, kEndStream));
  EXPECT_TRUE(first->ended);
  EXPECT_TRUE(session_.Finished().value());
}

TEST_F(Http2SessionTest, AcceptsAsManyStreamsAsServerAllows) {
  Receive(SettingsFrame(3, 2));
  Submit();
  EXPECT_TRUE(session_.accepts_streams());
  const auto last = Submit();
  EXPECT_FALSE(session_.accepts_streams());

  Receive(Ok(last, kEndStream));

  EXPECT_TRUE(session_.accepts_streams());
}

TEST_F(Http2SessionTest, RefusesQueuedRequestsWhenServerLowersItsLimit) {
  const auto sent = Submit();
  const auto queued = session_.Submit({.target = "/", .body = "{}"}).value();

  ASSERT_TRUE(session_.Receive(SettingsFrame(3, 1)));

  EXPECT_FALSE(sent->error);
  EXPECT_TRUE(queued->refused);
  EXPECT_EQ(session_.open_streams(), 1U);
  Receive(Ok(sent, kEndStream));
  EXPECT_EQ(session_.open_streams(), 0U);
  EXPECT_THAT(Sent(), Not(HasSubstr("{}")));
}

TEST_F(Http2SessionTest, AbandonResetsOpenStreamOnly) {
  const auto open = Submit();
  const auto ended = Submit();
  Receive(Ok(ended, kEndStream) + Ok(open) + DataFrame(Id(open), 0, "abc"));

  session_.Abandon(*open);
  session_.Abandon(*ended);

  EXPECT_THAT(Sent(), RstStreamFrame(Id(open), 8));
  EXPECT_EQ(session_.open_streams(), 0U);
  EXPECT_EQ(Receive(DataFrame(Id(open), 0, "still on its way")), "");
}

TEST_F(Http2SessionTest, SendsNoConnectionHeaders) {
  session_
      .Submit({.target = "/",
               .headers = {{"Connection", "close"}, {"Host", "evil"}, {"X-Own", "kept"}}})
      .value();

  const std::string sent = Sent();

  EXPECT_THAT(sent, Not(HasSubstr("connection")));
  EXPECT_THAT(sent, Not(HasSubstr("evil")));
}

TEST_F(Http2SessionTest, AnswersPing) {
  ASSERT_TRUE(session_.Receive(Frame(FrameType::kPing, 0, 0, "12345678")));

  EXPECT_EQ(Sent(), Frame(FrameType::kPing, kAck, 0, "12345678"));
}

}  // namespace
}  // namespace capstan::transport
