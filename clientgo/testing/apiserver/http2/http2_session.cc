// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http2/http2_session.h"

#include <glog/logging.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

// What is taken from nghttp2 at once. It is written before more is taken.
constexpr std::size_t kTakeBytes = 64U << 10U;
constexpr std::size_t kJoinBytes = 16U << 10U;  // small writes of a stream are joined
constexpr std::int32_t kConnectionWindowBytes = 4 << 20;
// The bodies of all unfinished requests have this many times the limit of one.
constexpr std::size_t kBodiesMax = 2;

// Reports whether HTTP/2 has no such header (RFC 9113, section 8.2.2).
bool IsOfHttp1(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {
      "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// Http2Exchange writes to a stream. It may outlive the stream, and then does nothing.
class Http2Exchange final : public httpserver::Exchange {
 public:
  Http2Exchange(std::shared_ptr<Http2Session> session, std::shared_ptr<Http2Stream> stream)
      : session_(std::move(session)), stream_(std::move(stream)) {}
  Http2Exchange(const Http2Exchange&) = delete;
  Http2Exchange& operator=(const Http2Exchange&) = delete;
  ~Http2Exchange() override {
    if (!stream_->finished) session_->Reset(*stream_);
  }

  void Respond(int status, std::string content_type, std::string body,
               httpserver::Headers headers) override {
    headers.emplace_back("Content-Length", std::to_string(body.size()));
    const bool has_body = !body.empty() && !stream_->is_head;
    session_->Begin(*stream_, status, content_type, headers, has_body);
    if (has_body) session_->Write(*stream_, std::move(body));
    session_->Finish(*stream_);
  }
  void Begin(int status, std::string content_type, httpserver::Headers headers) override {
    session_->Begin(*stream_, status, content_type, headers, !stream_->is_head);
  }
  void Write(std::string chunk) override {
    CHECK(stream_->begun && !stream_->finished) << "Write must be between Begin and End";
    if (!stream_->is_head) session_->Write(*stream_, std::move(chunk));
  }
  void End() override {
    CHECK(stream_->begun && !stream_->finished) << "End must follow Begin once";
    session_->Finish(*stream_);
  }
  void Abort() override { session_->Reset(*stream_); }
  void Truncate() override { session_->Truncate(*stream_); }
  std::size_t PendingBytes() const override { return stream_->pending; }
  void WhenDrained(std::function<void()> callback) override {
    if (stream_->closed) return;
    stream_->on_drained = std::move(callback);
    session_->Wake();
  }
  void OnClose(std::function<void()> callback) override {
    if (stream_->closed) return callback();
    stream_->on_closed = std::move(callback);
  }

 private:
  const std::shared_ptr<Http2Session> session_;
  const std::shared_ptr<Http2Stream> stream_;
};

void NotifyClosed(Http2Stream& stream) {
  stream.closed = true;
  stream.on_drained = nullptr;
  if (const auto callback = std::exchange(stream.on_closed, nullptr)) callback();
}

bool EndsStream(const nghttp2_frame& frame) {
  const bool may = frame.hd.type == NGHTTP2_DATA || frame.hd.type == NGHTTP2_HEADERS;
  return may && (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}

bool IsRequestHead(const nghttp2_frame& frame) {
  return frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST;
}

std::string_view ViewOf(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

// The names are those of nghttp2's callbacks.
struct Http2Session::Callbacks {
  static Http2Session& Self(void* session) { return *static_cast<Http2Session*>(session); }

  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    if (!IsRequestHead(*frame)) return 0;
    auto stream = std::make_shared<Http2Stream>();
    stream->id = frame->hd.stream_id;
    stream->progress_at = std::chrono::steady_clock::now();
    Self(self).streams_.emplace(stream->id, std::move(stream));
    return 0;
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* self) {
    const auto stream = Self(self).Find(frame->hd.stream_id);
    if (stream == nullptr || !IsRequestHead(*frame)) return 0;  // trailers are not used
    Self(self).OnHeader(*stream, ViewOf(name, name_size), ViewOf(value, value_size));
    return 0;
  }

  static int OnFrameReceived(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    if (frame->hd.type == NGHTTP2_SETTINGS) Self(self).greeted_ = true;
    const auto stream = Self(self).Find(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    if (IsRequestHead(*frame)) Self(self).OnHead(stream);
    if (EndsStream(*frame)) Self(self).OnRequest(stream);
    return 0;
  }

  static int OnData(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                    std::size_t size, void* self) {
    if (const auto stream = Self(self).Find(id)) Self(self).OnBody(stream, ViewOf(data, size));
    return 0;
  }

  static int OnStreamClosed(nghttp2_session*, std::int32_t id, std::uint32_t, void* self) {
    Self(self).OnClosed(id);
    return 0;
  }

  static ssize_t ReadBody(nghttp2_session*, std::int32_t, std::uint8_t* out, std::size_t size,
                          std::uint32_t* flags, nghttp2_data_source* source, void*) {
    auto& stream = *static_cast<Http2Stream*>(source->ptr);
    std::size_t count = 0;
    while (count < size && !stream.output.empty()) {
      const std::string& front = stream.output.front();
      const std::size_t part = std::min(size - count, front.size() - stream.offset);
      std::copy_n(front.data() + stream.offset, part, out + count);
      count += part;
      stream.offset += part;
      if (stream.offset < front.size()) break;
      stream.output.pop_front();
      stream.offset = 0;
    }
    stream.pending -= count;
    if (count > 0) stream.progress_at = std::chrono::steady_clock::now();
    if (stream.pending == 0 && stream.finished && !stream.truncated) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
    } else if (count == 0) {
      // The first one resets the stream.
      return stream.truncated ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE : NGHTTP2_ERR_DEFERRED;
    }
    return static_cast<ssize_t>(count);
  }

  static nghttp2_session* New(Http2Session* self) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_option* option = nullptr;
    CHECK_EQ(nghttp2_session_callbacks_new(&callbacks), 0);
    CHECK_EQ(nghttp2_option_new(&option), 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, OnBeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrameReceived);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnStreamClosed);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_session* session = nullptr;
    CHECK_EQ(nghttp2_session_server_new2(&session, callbacks, self, option), 0);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return session;
  }
};

std::shared_ptr<httpserver::Protocol> Http2Session::New(httpserver::ProtocolContext context) {
  return std::make_shared<Http2Session>(std::move(context));
}

Http2Session::Http2Session(httpserver::ProtocolContext context)
    : context_(std::move(context)), session_(Callbacks::New(this)) {
  const auto header_bytes_max = static_cast<std::uint32_t>(context_.options.header_bytes_max);
  const std::array<nghttp2_settings_entry, 3> settings = {{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kStreamsMax},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(kWindowBytes)},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, header_bytes_max},
  }};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindowBytes);
}

Http2Session::~Http2Session() { nghttp2_session_del(session_); }

Http2Session::StreamPtr Http2Session::Find(std::int32_t id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second;
}

void Http2Session::Receive(std::string_view bytes) {
  const ssize_t count = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  failed_ = failed_ || count < 0;
  for (const StreamPtr& stream : std::exchange(ready_, {})) {
    if (Find(stream->id) != nullptr) Dispatch(stream);  // the client has not reset it
  }
}

void Http2Session::OnHeader(Http2Stream& stream, std::string_view name, std::string_view value) {
  constexpr std::size_t kEntryBytes = 32;  // as RFC 9113 counts for SETTINGS_MAX_HEADER_LIST_SIZE
  stream.header_bytes += name.size() + value.size() + kEntryBytes;
  if (stream.header_bytes > context_.options.header_bytes_max) {
    stream.refusal = 431;
    return;
  }
  if (name == ":method") {
    stream.request.method = value;
    stream.is_head = value == "HEAD";
  } else if (name == ":path") {
    stream.request.target = value;
  } else if (name == ":authority") {
    stream.request.headers.emplace_back("Host", value);
  } else if (!name.starts_with(':')) {
    stream.request.headers.emplace_back(name, value);
  }
}

void Http2Session::OnHead(const StreamPtr& stream) {
  stream->body_bytes_max = BodyBytesMax(context_.options, stream->request.target);
  // nghttp2 has checked that it is a number, and resets a stream with another length.
  const std::string_view text = stream->request.Header("content-length");
  std::size_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  if (length > stream->body_bytes_max) stream->refusal = 413;
  if (stream->refusal != 0) OnRequest(stream);
}

void Http2Session::OnBody(const StreamPtr& stream, std::string_view bytes) {
  if (stream->received) return;
  if (stream->request.body.size() + bytes.size() > stream->body_bytes_max) {
    stream->refusal = 413;
    return OnRequest(stream);
  }
  if (BodyBytes() + bytes.size() > kBodiesMax * context_.options.body_bytes_max) {
    stream->received = true;
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_ENHANCE_YOUR_CALM);
    return;
  }
  stream->request.body += bytes;
}

std::size_t Http2Session::BodyBytes() const {
  std::size_t bytes = 0;
  for (const auto& [id, stream] : streams_) {
    if (!stream->received) bytes += stream->request.body.size();
  }
  return bytes;
}

void Http2Session::OnRequest(const StreamPtr& stream) {
  if (std::exchange(stream->received, true)) return;
  stream->progress_at = std::chrono::steady_clock::now();
  ready_.push_back(stream);
}

void Http2Session::Dispatch(const StreamPtr& stream) {
  httpserver::Request request = std::exchange(stream->request, {});
  const auto exchange = std::make_shared<Http2Exchange>(shared_from_this(), stream);
  const auto refuse = [&](int code, const char* text) {
    exchange->Respond(code, "text/plain; charset=utf-8", text, {});
  };
  if (stream->refusal == 431) return refuse(431, "request header fields too large\n");
  if (stream->refusal != 0) return refuse(stream->refusal, "request entity too large\n");
  const std::string target = std::exchange(request.target, {});
  if (!ParseTarget(target, request)) return refuse(400, "malformed request target\n");
  request.client = context_.client();
  request.from_loopback = context_.from_loopback;
  context_.handler(std::move(request), exchange);
}

std::string Http2Session::Collect(std::size_t bytes_max) {
  std::string bytes;
  while (bytes.size() < bytes_max && !failed_) {
    const std::uint8_t* data = nullptr;
    const ssize_t count = nghttp2_session_mem_send(session_, &data);
    failed_ = failed_ || count < 0;
    if (count <= 0) break;
    bytes += ViewOf(data, static_cast<std::size_t>(count));
  }
  return bytes;
}

std::string Http2Session::Take() {
  std::string bytes = std::exchange(early_, {});
  bytes += Collect(kTakeBytes);
  // What the callbacks write belongs to the same bytes.
  while (Notify() && bytes.size() < kTakeBytes) bytes += Collect(kTakeBytes - bytes.size());
  return bytes;
}

bool Http2Session::Notify() {
  std::vector<std::function<void()>> drained;
  for (const auto& [id, stream] : streams_) {
    if (stream->pending > 0 || !stream->on_drained) continue;
    drained.push_back(std::exchange(stream->on_drained, nullptr));
  }
  const auto closed = std::exchange(closed_, {});
  for (const StreamPtr& stream : closed) NotifyClosed(*stream);
  for (const auto& callback : drained) callback();
  return !drained.empty();
}

bool Http2Session::Ended() const {
  return failed_ ||
         (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0);
}

void Http2Session::Drain() {
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

std::string Http2Session::Close() {
  Drain();
  std::string last = std::exchange(early_, {});
  last += Collect(kJoinBytes);  // GOAWAY goes before the data of responses
  failed_ = true;               // nghttp2 must not use the streams again
  for (const auto& [id, stream] : std::exchange(streams_, {})) closed_.push_back(stream);
  for (const StreamPtr& stream : std::exchange(closed_, {})) NotifyClosed(*stream);
  return last;
}

void Http2Session::OnClosed(std::int32_t id) {
  const auto stream = Find(id);
  if (stream == nullptr) return;
  streams_.erase(id);
  waiting_since_ = std::chrono::steady_clock::now();
  closed_.push_back(stream);
}

Http2Session::TimePoint Http2Session::DeadlineOf(const Http2Stream& stream) const {
  const auto& options = context_.options;
  if (!stream.received) return stream.progress_at + options.read_timeout;
  if (stream.pending > 0) return stream.progress_at + options.idle_timeout;
  // The client may still send a body that is not needed. Some do not read the response before.
  if (stream.finished) return stream.progress_at + options.read_timeout;
  return TimePoint::max();  // the handler works on it
}

Http2Session::TimePoint Http2Session::Deadline() const {
  const auto& options = context_.options;
  if (streams_.empty()) {
    return waiting_since_ + (greeted_ ? options.idle_timeout : options.read_timeout);
  }
  TimePoint deadline = TimePoint::max();
  for (const auto& [id, stream] : streams_) deadline = std::min(deadline, DeadlineOf(*stream));
  return deadline;
}

void Http2Session::OnDeadline() {
  const TimePoint now = std::chrono::steady_clock::now();
  if (streams_.empty()) {
    if (Deadline() <= now) nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
    return;
  }
  for (const auto& [id, stream] : streams_) {
    if (DeadlineOf(*stream) > now) continue;
    const bool sent = stream->finished && stream->pending == 0;
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id,
                              sent ? NGHTTP2_NO_ERROR : NGHTTP2_CANCEL);
  }
}

std::optional<Http2Session::TimePoint> Http2Session::WaitingSince() const {
  const bool working = std::any_of(streams_.begin(), streams_.end(), [](const auto& each) {
    return each.second->received && !each.second->finished;
  });
  if (working) return std::nullopt;
  return waiting_since_;
}

std::size_t Http2Session::PendingBytes() const {
  std::size_t bytes = early_.size();
  for (const auto& [id, stream] : streams_) bytes += stream->pending;
  return bytes;
}

void Http2Session::Begin(Http2Stream& stream, int status, const std::string& content_type,
                         const httpserver::Headers& headers, bool has_body) {
  CHECK(!stream.begun) << "the request already has a response";
  stream.begun = true;
  if (stream.closed) return;
  httpserver::Headers fields = {{":status", std::to_string(status)}};
  if (!content_type.empty()) fields.emplace_back("content-type", content_type);
  for (const auto& [name, value] : headers) {
    if (value.find_first_of("\r\n") != std::string::npos) continue;  // no input may add a header
    std::string lower = LowerAscii(name);
    if (!IsOfHttp1(lower)) fields.emplace_back(std::move(lower), value);
  }
  const auto bytes = [](std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); };
  std::vector<nghttp2_nv> list;
  for (auto& [name, value] : fields) {
    list.push_back({.name = bytes(name),
                    .value = bytes(value),
                    .namelen = name.size(),
                    .valuelen = value.size(),
                    .flags = NGHTTP2_NV_FLAG_NONE});
  }
  nghttp2_data_provider body{};
  body.source.ptr = &stream;
  body.read_callback = Callbacks::ReadBody;
  // nghttp2 would send a head before the data of other streams that was written earlier, such as
  // the event of what this response confirms.
  if (early_.size() < kTakeBytes) early_ += Collect(kTakeBytes - early_.size());
  nghttp2_submit_response(session_, stream.id, list.data(), list.size(),
                          has_body ? &body : nullptr);
  Wake();
}

void Http2Session::Write(Http2Stream& stream, std::string bytes) {
  if (stream.closed || bytes.empty()) return;
  if (stream.pending == 0) stream.progress_at = std::chrono::steady_clock::now();
  stream.pending += bytes.size();
  if (!stream.output.empty() && stream.output.back().size() + bytes.size() <= kJoinBytes) {
    stream.output.back() += bytes;
  } else {
    stream.output.push_back(std::move(bytes));
  }
  nghttp2_session_resume_data(session_, stream.id);
  Wake();
}

void Http2Session::Finish(Http2Stream& stream) {
  stream.finished = true;
  waiting_since_ = std::chrono::steady_clock::now();
  if (stream.pending == 0) stream.progress_at = waiting_since_;
  if (stream.closed) return;
  nghttp2_session_resume_data(session_, stream.id);
  Wake();
}

void Http2Session::Truncate(Http2Stream& stream) {
  stream.truncated = true;
  Finish(stream);
}

void Http2Session::Reset(Http2Stream& stream) {
  stream.finished = true;
  stream.truncated = true;
  if (stream.closed) return;
  stream.output.clear();
  stream.offset = 0;
  stream.pending = 0;
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id, NGHTTP2_INTERNAL_ERROR);
  NotifyClosed(stream);
  Wake();
}

}  // namespace capstan::testing::apiserver
