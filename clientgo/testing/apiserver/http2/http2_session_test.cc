// SPDX-License-Identifier: Apache-2.0
// Tests of HTTP/2 with a client of nghttp2, without sockets.
#include "clientgo/testing/apiserver/http2/http2_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace capstan::testing::apiserver {
namespace {

using httpserver::Exchange;
using httpserver::Request;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// Received is what a client has received of a response.
struct Received {
  HeaderList headers;
  std::string body;
  bool ended = false;
  std::optional<std::uint32_t> closed;  // the code

  std::string Header(const std::string& name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return {};
  }
};

// Http2Client has no I/O. It gives no window for what it has received unless `reads`.
class Http2Client {
 public:
  explicit Http2Client(bool reads = true) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_option* option = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_option_new(&option);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
    nghttp2_option_set_no_auto_window_update(option, reads ? 0 : 1);
    nghttp2_session_client_new2(&session_, callbacks, this, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
    // The windows of the streams limit the server.
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, 1 << 24);
  }
  ~Http2Client() { nghttp2_session_del(session_); }
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;

  // Returns the stream. With `open`, more of the body may follow, and does not.
  std::int32_t Send(std::string method, std::string path, std::string body = {},
                    HeaderList more = {}, bool open = false) {
    HeaderList fields = {{":method", std::move(method)},
                         {":scheme", "https"},
                         {":authority", "server"},
                         {":path", std::move(path)}};
    fields.insert(fields.end(), more.begin(), more.end());
    std::vector<nghttp2_nv> list;
    for (auto& [name, value] : fields) {
      list.push_back({.name = reinterpret_cast<std::uint8_t*>(name.data()),
                      .value = reinterpret_cast<std::uint8_t*>(value.data()),
                      .namelen = name.size(),
                      .valuelen = value.size(),
                      .flags = 0});
    }
    bodies_.push_back(std::make_unique<Body>(Body{std::move(body), open}));
    nghttp2_data_provider provider{};
    provider.source.ptr = bodies_.back().get();
    provider.read_callback = ReadBody;
    const bool has_body = open || !bodies_.back()->bytes.empty();
    return nghttp2_submit_request(session_, nullptr, list.data(), list.size(),
                                  has_body ? &provider : nullptr, nullptr);
  }
  void Reset(std::int32_t id) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  }
  void Read(std::int32_t id) {
    nghttp2_session_consume_stream(session_, id, received[id].body.size());
  }
  std::string Take() {
    std::string bytes;
    const std::uint8_t* data = nullptr;
    for (ssize_t n = 0; (n = nghttp2_session_mem_send(session_, &data)) > 0;) {
      bytes.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(n));
    }
    return bytes;
  }
  void Receive(const std::string& bytes) {
    const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    EXPECT_EQ(nghttp2_session_mem_recv(session_, data, bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
  std::uint32_t StreamsMax() const {
    return nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  }

  std::map<std::int32_t, Received> received;
  std::vector<std::int32_t> order;      // the streams of the heads and parts of bodies
  std::optional<std::uint32_t> goaway;  // its code

 private:
  struct Body {
    std::string bytes;
    bool open;
  };
  static Http2Client& Self(void* self) { return *static_cast<Http2Client*>(self); }
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* self) {
    Self(self).received[frame->hd.stream_id].headers.emplace_back(
        std::string(reinterpret_cast<const char*>(name), name_size),
        std::string(reinterpret_cast<const char*>(value), value_size));
    return 0;
  }
  static int OnData(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                    std::size_t size, void* self) {
    Self(self).received[id].body.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    if (frame->hd.type == NGHTTP2_GOAWAY) Self(self).goaway = frame->goaway.error_code;
    const bool may = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (may) Self(self).order.push_back(frame->hd.stream_id);
    if (may && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      Self(self).received[frame->hd.stream_id].ended = true;
    }
    return 0;
  }
  static int OnClose(nghttp2_session*, std::int32_t id, std::uint32_t code, void* self) {
    Self(self).received[id].closed = code;
    return 0;
  }
  static ssize_t ReadBody(nghttp2_session*, std::int32_t, std::uint8_t* out, std::size_t size,
                          std::uint32_t* flags, nghttp2_data_source* source, void*) {
    auto& body = *static_cast<Body*>(source->ptr);
    const std::size_t count = std::min(size, body.bytes.size());
    std::copy_n(body.bytes.data(), count, out);
    body.bytes.erase(0, count);
    if (body.bytes.empty() && !body.open) *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (count == 0 && body.open) return NGHTTP2_ERR_DEFERRED;
    return static_cast<ssize_t>(count);
  }

  nghttp2_session* session_ = nullptr;
  std::vector<std::unique_ptr<Body>> bodies_;
};

class Http2ServerSessionTest : public ::testing::Test {
 protected:
  struct Call {
    Request request;
    std::shared_ptr<Exchange> exchange;
  };

  // Passes bytes in both directions until there are none.
  void Transfer() {
    while (true) {
      const std::string request = client_->Take();
      if (!request.empty()) session_->Receive(request);
      const std::string response = session_->Take();
      if (!response.empty()) client_->Receive(response);
      if (request.empty() && response.empty()) return;
    }
  }
  void Begin(const Call& call, std::string chunk = {}) {
    call.exchange->Begin(200, "application/json", {});
    if (!chunk.empty()) call.exchange->Write(std::move(chunk));
    Transfer();
  }
  const Received& Of(std::int32_t id) { return client_->received[id]; }

  httpserver::ServerOptions options_{.body_bytes_max = 1000};
  std::vector<Call> calls_;
  const httpserver::Handler handler_ = [this](Request request, auto exchange) {
    calls_.push_back({std::move(request), std::move(exchange)});
  };
  std::shared_ptr<httpserver::Protocol> session_ =
      Http2Session::New({.options = options_,
                         .handler = handler_,
                         .client = [] { return httpserver::ClientIdentity{.common_name = "jane"}; },
                         .from_loopback = true,
                         .wake = [] {}});
  std::unique_ptr<Http2Client> client_ = std::make_unique<Http2Client>();
};

TEST_F(Http2ServerSessionTest, PassesOnRequestsAndTheirResponses) {
  const auto post = client_->Send("POST", "/api/v1/x?a=b%20c", "the body", {{"accept", "text"}});
  Transfer();
  const auto head = client_->Send("HEAD", "/x");
  Transfer();

  ASSERT_THAT(calls_, SizeIs(2));
  const Request& request = calls_[0].request;
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/api/v1/x");
  EXPECT_EQ(request.Query("a"), "b c");
  EXPECT_EQ(request.Header("Accept"), "text");
  EXPECT_EQ(request.Header("Host"), "server");
  EXPECT_EQ(request.body, "the body");
  EXPECT_EQ(request.client->common_name, "jane");
  EXPECT_TRUE(request.from_loopback);
  EXPECT_EQ(session_->WaitingSince(), std::nullopt);
  calls_[0].exchange->Respond(201, "text/plain", "done",
                              {{"Warning", "w"}, {"Connection", "close"}, {"X", "a\r\nb"}});
  calls_[1].exchange->Respond(200, "text/plain", "not sent", {});
  Transfer();
  EXPECT_EQ(Of(post).headers, (HeaderList{{":status", "201"},
                                          {"content-type", "text/plain"},
                                          {"warning", "w"},
                                          {"content-length", "4"}}));
  EXPECT_EQ(Of(post).body, "done");
  EXPECT_EQ(Of(post).closed, NGHTTP2_NO_ERROR);
  EXPECT_EQ(Of(head).Header("content-length"), "8");
  EXPECT_EQ(Of(head).body, "");
  EXPECT_TRUE(Of(head).ended);
  EXPECT_NE(session_->WaitingSince(), std::nullopt);
}

TEST_F(Http2ServerSessionTest, StreamsUntilTheEnd) {
  const auto id = client_->Send("GET", "/watch");
  Transfer();
  bool closed = false;
  calls_[0].exchange->OnClose([&] { closed = true; });

  Begin(calls_[0]);
  EXPECT_EQ(Of(id).Header(":status"), "200");
  calls_[0].exchange->Write("one");
  Transfer();
  EXPECT_EQ(Of(id).body, "one");
  calls_[0].exchange->Write("two");
  calls_[0].exchange->End();
  EXPECT_FALSE(closed);
  Transfer();

  EXPECT_EQ(Of(id).body, "onetwo");
  EXPECT_TRUE(Of(id).ended);
  EXPECT_TRUE(closed);
}

// A client that reads its cache after a write finds the object there more often.
TEST_F(Http2ServerSessionTest, SendsTheEventBeforeTheResponseThatIsWrittenAfterIt) {
  const auto watch = client_->Send("GET", "/watch");
  Transfer();
  Begin(calls_[0]);
  const auto post = client_->Send("POST", "/x");
  Transfer();
  client_->order.clear();

  calls_[0].exchange->Write("event");
  calls_[1].exchange->Respond(201, "text/plain", "created", {});
  Transfer();

  EXPECT_EQ(client_->order, (std::vector<std::int32_t>{watch, post, post}));
  EXPECT_EQ(Of(watch).body, "event");
  EXPECT_EQ(Of(post).body, "created");
}

TEST_F(Http2ServerSessionTest, KeepsWhatASlowReaderHasNoWindowFor) {
  client_ = std::make_unique<Http2Client>(/*reads=*/false);
  const auto slow = client_->Send("GET", "/slow");
  const auto other = client_->Send("GET", "/other");
  Transfer();
  const std::size_t window = NGHTTP2_INITIAL_WINDOW_SIZE;
  int drained = 0;

  Begin(calls_[0], std::string(window + 10, 'x'));
  calls_[0].exchange->WhenDrained([&] { ++drained; });
  Begin(calls_[1], "y");

  EXPECT_EQ(Of(slow).body.size(), window);
  EXPECT_EQ(calls_[0].exchange->PendingBytes(), 10U);
  EXPECT_EQ(session_->PendingBytes(), 10U);
  EXPECT_EQ(Of(other).body, "y");
  EXPECT_EQ(drained, 0);
  client_->Read(slow);
  Transfer();
  EXPECT_EQ(Of(slow).body.size(), window + 10);
  EXPECT_EQ(drained, 1);
  EXPECT_EQ(session_->PendingBytes(), 0U);
}

TEST_F(Http2ServerSessionTest, ResetsTheStreamOfAClientThatReadsNothing) {
  client_ = std::make_unique<Http2Client>(/*reads=*/false);
  const auto slow = client_->Send("GET", "/slow");
  const auto quiet = client_->Send("GET", "/quiet");
  Transfer();
  bool closed = false;
  calls_[0].exchange->OnClose([&] { closed = true; });
  Begin(calls_[0], std::string(NGHTTP2_INITIAL_WINDOW_SIZE + 1, 'x'));
  Begin(calls_[1], "y");

  session_->OnDeadline();
  Transfer();
  EXPECT_FALSE(closed);
  options_.idle_timeout = std::chrono::milliseconds(0);
  session_->OnDeadline();
  Transfer();

  EXPECT_TRUE(closed);
  EXPECT_EQ(Of(slow).closed, NGHTTP2_CANCEL);
  EXPECT_FALSE(Of(quiet).closed);
}

TEST_F(Http2ServerSessionTest, EndsAWatchThatItsClientResets) {
  const auto id = client_->Send("GET", "/watch");
  Transfer();
  bool closed = false;
  calls_[0].exchange->OnClose([&] { closed = true; });
  Begin(calls_[0], "one");

  client_->Reset(id);
  Transfer();

  EXPECT_TRUE(closed);
  calls_[0].exchange->Write("two");
  calls_[0].exchange->End();
  Transfer();
  EXPECT_EQ(Of(id).body, "one");
  EXPECT_FALSE(session_->Ended());
}

TEST_F(Http2ServerSessionTest, BreaksOneRequestAlone) {
  const auto aborted = client_->Send("GET", "/aborted");
  const auto truncated = client_->Send("GET", "/truncated");
  const auto dropped = client_->Send("GET", "/dropped");
  const auto other = client_->Send("GET", "/other");
  Transfer();
  Begin(calls_[0], "a");
  Begin(calls_[3], "d");

  calls_[0].exchange->Write("not sent");
  calls_[0].exchange->Abort();
  Begin(calls_[1], "b");
  calls_[1].exchange->Write("c");
  calls_[1].exchange->Truncate();
  calls_[2].exchange = nullptr;
  Transfer();

  EXPECT_EQ(Of(aborted).body, "a");
  EXPECT_FALSE(Of(aborted).ended);
  EXPECT_EQ(Of(aborted).closed, NGHTTP2_INTERNAL_ERROR);
  EXPECT_EQ(Of(truncated).body, "bc");
  EXPECT_FALSE(Of(truncated).ended);
  EXPECT_EQ(Of(truncated).closed, NGHTTP2_INTERNAL_ERROR);
  EXPECT_EQ(Of(dropped).closed, NGHTTP2_INTERNAL_ERROR);
  EXPECT_FALSE(Of(other).closed);
}

TEST_F(Http2ServerSessionTest, LimitsConcurrentStreams) {
  for (std::uint32_t i = 0; i <= Http2Session::kStreamsMax; ++i) client_->Send("GET", "/");
  Transfer();

  EXPECT_EQ(client_->StreamsMax(), Http2Session::kStreamsMax);
  EXPECT_THAT(calls_, SizeIs(Http2Session::kStreamsMax));
  calls_[0].exchange->Respond(200, "", "", {});
  Transfer();
  EXPECT_THAT(calls_, SizeIs(Http2Session::kStreamsMax + 1));
}

TEST_F(Http2ServerSessionTest, RejectsLargeHeaders) {
  const auto id = client_->Send("GET", "/", "", {{"x", std::string(20'000, 'x')}});
  Transfer();

  EXPECT_EQ(Of(id).Header(":status"), "431");
  EXPECT_TRUE(calls_.empty());
}

TEST_F(Http2ServerSessionTest, RejectsLargeBodies) {
  const std::string large(1001, 'x');
  const auto unknown = client_->Send("POST", "/", large, {}, /*open=*/true);
  const auto announced =
      client_->Send("POST", "/", "", {{"content-length", "1001"}}, /*open=*/true);
  const auto full = client_->Send("POST", "/", std::string(1000, 'x'));
  Transfer();

  EXPECT_EQ(Of(unknown).Header(":status"), "413");
  EXPECT_EQ(Of(announced).Header(":status"), "413");
  ASSERT_THAT(calls_, SizeIs(1));
  EXPECT_EQ(calls_[0].request.body.size(), 1000U);
  EXPECT_FALSE(Of(unknown).closed) << "curl does not read the response of a reset stream";
  options_.read_timeout = std::chrono::milliseconds(0);
  session_->OnDeadline();
  Transfer();
  EXPECT_EQ(Of(unknown).closed, NGHTTP2_NO_ERROR);
  EXPECT_EQ(Of(announced).closed, NGHTTP2_NO_ERROR);
  EXPECT_FALSE(Of(full).closed);
}

TEST_F(Http2ServerSessionTest, LimitsTheBodiesOfUnfinishedRequests) {
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 3; ++i) {
    ids.push_back(client_->Send("POST", "/", std::string(900, 'x'), {}, /*open=*/true));
  }
  Transfer();

  EXPECT_FALSE(Of(ids[1]).closed);
  EXPECT_EQ(Of(ids[2]).closed, NGHTTP2_ENHANCE_YOUR_CALM);
}

TEST_F(Http2ServerSessionTest, ResetsARequestThatDoesNotArrive) {
  const auto id = client_->Send("POST", "/", "part", {}, /*open=*/true);
  Transfer();

  options_.read_timeout = std::chrono::milliseconds(0);
  EXPECT_LE(session_->Deadline(), std::chrono::steady_clock::now());
  session_->OnDeadline();
  Transfer();

  EXPECT_EQ(Of(id).closed, NGHTTP2_CANCEL);
  EXPECT_TRUE(calls_.empty());
}

TEST_F(Http2ServerSessionTest, RejectsTargetsThatAreNoPath) {
  const auto id = client_->Send("GET", "/%zz");
  Transfer();

  EXPECT_EQ(Of(id).Header(":status"), "400");
}

TEST_F(Http2ServerSessionTest, DrainsOpenRequests) {
  const auto id = client_->Send("GET", "/watch");
  Transfer();
  Begin(calls_[0], "one");

  session_->Drain();
  Transfer();
  EXPECT_EQ(client_->goaway, NGHTTP2_NO_ERROR);
  EXPECT_FALSE(session_->Ended());
  calls_[0].exchange->End();
  Transfer();

  EXPECT_TRUE(Of(id).ended);
  EXPECT_TRUE(session_->Ended());
}

TEST_F(Http2ServerSessionTest, SaysGoodbyeWhenItCloses) {
  client_->Send("GET", "/watch");
  Transfer();
  bool closed = false;
  calls_[0].exchange->OnClose([&] { closed = true; });
  Begin(calls_[0], "one");

  client_->Receive(session_->Close());

  EXPECT_EQ(client_->goaway, NGHTTP2_NO_ERROR);
  EXPECT_TRUE(closed);
  calls_[0].exchange->Write("two");
  calls_[0].exchange->End();
  EXPECT_EQ(session_->Take(), "");
}

TEST_F(Http2ServerSessionTest, EndsAnIdleConnection) {
  Transfer();
  session_->OnDeadline();
  EXPECT_FALSE(session_->Ended());

  options_.idle_timeout = std::chrono::milliseconds(0);
  session_->OnDeadline();
  Transfer();

  EXPECT_EQ(client_->goaway, NGHTTP2_NO_ERROR);
  EXPECT_TRUE(session_->Ended());
}

TEST_F(Http2ServerSessionTest, EndsWithAClientOfAnotherProtocol) {
  session_->Receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n");

  EXPECT_TRUE(session_->Ended());
  EXPECT_TRUE(calls_.empty());
}

}  // namespace
}  // namespace capstan::testing::apiserver
