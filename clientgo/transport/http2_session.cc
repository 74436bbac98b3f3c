// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/http2_session.h"

#include <glog/logging.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include "capstan/text.h"

namespace capstan::transport {
namespace {

// Limits what all streams together may have in flight. It is refilled on arrival.
constexpr std::int32_t kConnectionWindowBytes = 16 << 20;
// The window of a stream grows by this factor, after the reader has kept up for two windows.
constexpr std::size_t kWindowGrowth = 4;
constexpr std::size_t kGrowAfterWindows = 2;
// 1 Gbit/s. Faster networks are rare between data centers, and a larger window costs memory. The
// round trip is that of the first frames: while the server is busy, it is longer, so the window of
// a near server may grow to kNearWindowBytes. A small one made kube-apiserver end watches that have
// large events, because it could not send them in time.
constexpr double kBytesPerSecond = 125e6;

// Reports whether HTTP/2 has no such header (RFC 9113, section 8.2.2), or the session adds it.
bool IsReserved(std::string_view name) {
  constexpr std::array<std::string_view, 8> kReserved = {"connection", "content-length",   "host",
                                                         "keep-alive", "proxy-connection", "te",
                                                         "upgrade",    "transfer-encoding"};
  return std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end();
}

using Fields = std::vector<std::pair<std::string, std::string>>;

Fields FieldsOf(const HttpRequest& request, const ServerAddress& server,
                std::string_view accept_encoding) {
  Fields fields = {{":method", request.method},
                   {":scheme", server.tls ? "https" : "http"},
                   {":authority", server.Authority()},
                   {":path", server.path_prefix + request.target},
                   {"accept-encoding", std::string(accept_encoding)}};
  for (const auto& [name, value] : request.headers) {
    std::string lower = LowerAscii(name);
    if (!IsReserved(lower)) fields.emplace_back(std::move(lower), value);
  }
  if (!request.body.empty() || request.method != "GET") {
    fields.emplace_back("content-length", std::to_string(request.body.size()));
  }
  return fields;
}

std::vector<nghttp2_nv> ToNghttp2(Fields& fields) {
  const auto bytes = [](std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); };
  std::vector<nghttp2_nv> out;
  out.reserve(fields.size());
  for (auto& [name, value] : fields) {
    // A compression table must not keep credentials (RFC 7541, section 7.1.3).
    const bool secret = name == "authorization";
    out.push_back({.name = bytes(name),
                   .value = bytes(value),
                   .namelen = name.size(),
                   .valuelen = value.size(),
                   .flags = static_cast<std::uint8_t>(secret ? NGHTTP2_NV_FLAG_NO_INDEX
                                                             : NGHTTP2_NV_FLAG_NONE)});
  }
  return out;
}

bool EndsStream(const nghttp2_frame& frame) {
  const bool may = frame.hd.type == NGHTTP2_DATA || frame.hd.type == NGHTTP2_HEADERS;
  return may && (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}

}  // namespace

// The names are those of nghttp2's callbacks.
struct Http2Session::Callbacks {
  static Http2Session& Self(void* session) { return *static_cast<Http2Session*>(session); }

  static ssize_t ReadBody(nghttp2_session*, std::int32_t, std::uint8_t* out, std::size_t size,
                          std::uint32_t* flags, nghttp2_data_source* source, void* self) {
    auto& stream = *static_cast<Http2Stream*>(source->ptr);
    const std::size_t count = std::min(size, stream.body.size() - stream.body_sent);
    std::copy_n(stream.body.data() + stream.body_sent, count, out);
    stream.body_sent += count;
    stream.progress_at = Self(self).clock_.Now();
    if (stream.body_sent == stream.body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  }

  static int OnFrameSend(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    const auto stream = Self(self).Find(frame->hd.stream_id);
    if (!stream) return 0;
    stream->head_sent = true;
    if (!EndsStream(*frame)) return 0;
    stream->sent = true;
    stream->body = std::string();
    stream->body_sent = 0;
    return 0;
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* self) {
    const auto stream = Self(self).Find(frame->hd.stream_id);
    if (!stream || stream->answered || stream->error) return 0;  // trailers are not used
    const std::string_view key(reinterpret_cast<const char*>(name), name_size);
    std::string text(reinterpret_cast<const char*>(value), value_size);
    stream->header_bytes += name_size + value_size;
    if (stream->header_bytes > kHeadBytesMax) {
      stream->error = Self(self).MakeError(ErrorReason::kTransport,
                                           "malformed HTTP response: header limit exceeded");
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    if (key == ":status") {
      // nghttp2 has checked that these are three digits.
      stream->status = std::atoi(text.c_str());
    } else {
      stream->headers.emplace_back(key, std::move(text));
    }
    return 0;
  }

  static int OnFrameReceived(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    if (frame->hd.type == NGHTTP2_GOAWAY) Self(self).goaway_ = true;
    if (frame->hd.type == NGHTTP2_SETTINGS) {
      if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
        Self(self).has_settings_ = true;
      } else {
        Self(self).OnSettingsAnswered();
      }
    }
    const auto stream = Self(self).Find(frame->hd.stream_id);
    if (!stream) return 0;
    if (frame->hd.type == NGHTTP2_RST_STREAM) stream->reset = true;
    if (frame->hd.type == NGHTTP2_HEADERS) Self(self).OnHead(*stream);
    if (EndsStream(*frame) && !stream->error) {
      stream->ended = true;
      stream->Notify();
    }
    return 0;
  }

  static int OnData(nghttp2_session* session, std::uint8_t, std::int32_t id,
                    const std::uint8_t* data, std::size_t size, void* self) {
    const auto stream = Self(self).Find(id);
    if (!stream || stream->abandoned) return nghttp2_session_consume(session, id, size);
    if (stream->received.size() + size > stream->BufferMax()) {
      // nghttp2 has reset the stream, but still passes on what is beyond the window.
      stream->error =
          Self(self).MakeError(ErrorReason::kTransport, "the server ignores flow control");
      return nghttp2_session_consume(session, id, size);
    }
    stream->received.append(reinterpret_cast<const char*>(data), size);
    stream->Notify();
    return nghttp2_session_consume_connection(session, size);
  }

  static int OnInvalidFrame(nghttp2_session*, const nghttp2_frame* frame, int code, void* self) {
    const auto stream = Self(self).Find(frame->hd.stream_id);
    if (stream && !stream->error) {
      stream->error =
          Self(self).MakeError(ErrorReason::kTransport,
                               std::string("malformed HTTP response: ") + nghttp2_strerror(code));
    }
    return 0;
  }

  // nghttp2 reports the server's protocol errors here before it sends GOAWAY.
  static int OnError(nghttp2_session*, int, const char* text, std::size_t size, void* self) {
    VLOG(2) << "nghttp2: " << Self(self).server_.HostPort() << ": " << std::string_view(text, size);
    return 0;
  }

  static int OnFrameSendOrGoaway(nghttp2_session* session, const nghttp2_frame* frame, void* self) {
    if (frame->hd.type == NGHTTP2_GOAWAY && frame->goaway.error_code != NGHTTP2_NO_ERROR) {
      Self(self).protocol_error_ = Self(self).MakeError(
          ErrorReason::kTransport, std::string("malformed HTTP/2 frame: ") +
                                       nghttp2_http2_strerror(frame->goaway.error_code));
    }
    return OnFrameSend(session, frame, self);
  }

  static int OnStreamClose(nghttp2_session*, std::int32_t id, std::uint32_t code, void* self) {
    Self(self).OnClose(id, code);
    return 0;
  }

  static nghttp2_session* New(Http2Session* self) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_option* option = nullptr;
    CHECK_EQ(nghttp2_session_callbacks_new(&callbacks), 0);
    CHECK_EQ(nghttp2_option_new(&option), 0);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, OnFrameSendOrGoaway);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrameReceived);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnStreamClose);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, OnInvalidFrame);
    nghttp2_session_callbacks_set_error_callback2(callbacks, OnError);
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_session* session = nullptr;
    CHECK_EQ(nghttp2_session_client_new2(&session, callbacks, self, option), 0);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return session;
  }
};

Http2Session::Http2Session(ServerAddress server, Clock& clock)
    : server_(std::move(server)),
      clock_(clock),
      begin_(clock.Now()),
      session_(Callbacks::New(this)) {
  const std::array<nghttp2_settings_entry, 3> settings = {{
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kWindowBytes},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kHeadBytesMax},
  }};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindowBytes);
}

Http2Session::~Http2Session() { nghttp2_session_del(session_); }

Error Http2Session::MakeError(ErrorReason reason, std::string_view what) const {
  return {.reason = reason, .message = server_.HostPort() + ": " + std::string(what)};
}

std::shared_ptr<Http2Stream> Http2Session::Find(std::int32_t id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second;
}

bool Http2Session::accepts_streams(std::size_t reserved) const {
  const std::uint32_t max =
      nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  return !goaway_ && !protocol_error_ && streams_.size() + reserved < max &&
         nghttp2_session_check_request_allowed(session_) != 0;
}

Expected<std::shared_ptr<Http2Stream>> Http2Session::Submit(const HttpRequest& request,
                                                            std::string_view accept_encoding) {
  auto stream = std::make_shared<Http2Stream>();
  stream->body = request.body;
  stream->window = kWindowBytes;
  stream->progress_at = clock_.Now();
  Fields fields = FieldsOf(request, server_, accept_encoding);
  const auto list = ToNghttp2(fields);
  nghttp2_data_provider body{};
  body.source.ptr = stream.get();
  body.read_callback = Callbacks::ReadBody;
  const std::int32_t id = nghttp2_submit_request(session_, nullptr, list.data(), list.size(),
                                                 request.body.empty() ? nullptr : &body, nullptr);
  if (id < 0) return Err(MakeError(ErrorReason::kTransport, nghttp2_strerror(id)));
  stream->id = id;
  streams_.emplace(id, stream);
  return stream;
}

void Http2Stream::Notify() {
  changed.NotifyAll();
  if (Waker* suspended = std::exchange(waker, nullptr)) suspended->Wake();
}

std::size_t Http2Stream::BufferMax() const {
  // A server that does not have our SETTINGS yet uses the default.
  return std::max<std::size_t>(window, NGHTTP2_INITIAL_WINDOW_SIZE);
}

void Http2Session::Consume(Http2Stream& stream, std::size_t bytes) {
  if (bytes == 0 || !streams_.contains(stream.id)) return;
  nghttp2_session_consume_stream(session_, stream.id, bytes);
  // A larger window does not help a reader that is slower than the server. It would only hold more
  // unread bytes.
  const bool behind = stream.received.size() > stream.window / 2;
  stream.kept_up = behind ? 0 : stream.kept_up + bytes;
  if (stream.kept_up < kGrowAfterWindows * stream.window) return;
  stream.kept_up = 0;
  const std::size_t window = std::min(stream.window * kWindowGrowth, WindowMax(stream));
  if (window <= stream.window) return;
  stream.window = window;
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, stream.id,
                                        static_cast<std::int32_t>(stream.window));
}

std::size_t Http2Session::WindowMax(const Http2Stream& stream) const {
  std::size_t others = 0;
  for (const auto& [id, other] : streams_) {
    if (other.get() != &stream && other->window > kNearWindowBytes) others += other->window;
  }
  const std::size_t rest = others < window_max_ ? window_max_ - others : 0;
  return std::max(rest, kNearWindowBytes);
}

// The session begins with our SETTINGS, so this is after the first round trip.
void Http2Session::OnSettingsAnswered() {
  const std::chrono::duration<double> round_trip = clock_.Now() - begin_;
  const auto bytes = static_cast<std::size_t>(round_trip.count() * kBytesPerSecond);
  window_max_ = std::clamp(bytes, kNearWindowBytes, kWindowBytesMax);
}

void Http2Session::Abandon(Http2Stream& stream) {
  if (stream.abandoned || !streams_.contains(stream.id)) return;
  stream.abandoned = true;
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id, NGHTTP2_CANCEL);
  stream.received = std::string();
  // nghttp2 drops a queued request only once the server allows another stream.
  if (!stream.head_sent) canceled_.insert(streams_.extract(stream.id));
}

void Http2Session::Ping() { nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr); }

Expected<void> Http2Session::Receive(std::string_view bytes) {
  const ssize_t count = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  if (count < 0) {
    return Err(MakeError(ErrorReason::kTransport, std::string("malformed HTTP/2 frame: ") +
                                                      nghttp2_strerror(static_cast<int>(count))));
  }
  RefuseQueued();
  return {};
}

// The server's limit may become smaller while a request waits to be sent. It would wait for the end
// of a watch, so another connection sends it.
void Http2Session::RefuseQueued() {
  const std::uint32_t max =
      nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  if (streams_.size() <= max) return;
  std::vector<std::shared_ptr<Http2Stream>> queued;
  for (const auto& [id, stream] : streams_) {
    if (!stream->head_sent) queued.push_back(stream);
  }
  for (const auto& stream : queued) {
    Abandon(*stream);
    stream->refused = true;
    stream->error = MakeError(ErrorReason::kUnexpectedEof, "the server allows no more streams");
    stream->Notify();
  }
}

Expected<std::string_view> Http2Session::Send() {
  const std::uint8_t* data = nullptr;
  const ssize_t count = nghttp2_session_mem_send(session_, &data);
  if (count < 0) {
    return Err(MakeError(ErrorReason::kTransport, nghttp2_strerror(static_cast<int>(count))));
  }
  return std::string_view(reinterpret_cast<const char*>(data), static_cast<std::size_t>(count));
}

Expected<bool> Http2Session::Finished() const {
  if (nghttp2_session_want_read(session_) != 0 || nghttp2_session_want_write(session_) != 0) {
    return false;
  }
  if (protocol_error_) return Err(*protocol_error_);
  return true;
}

void Http2Session::Fail(const Error& error) {
  for (const auto& [id, stream] : std::exchange(streams_, {})) {
    stream->disconnected = true;
    if (!stream->ended && !stream->error) stream->error = error;
    stream->Notify();
  }
}

void Http2Session::OnHead(Http2Stream& stream) {
  if (stream.answered || stream.error) return;
  if (stream.status >= 200) {
    stream.answered = true;
    stream.Notify();
    return;
  }
  stream.headers.clear();
  stream.header_bytes = 0;
  if (++stream.interim_heads <= kInterimHeadsMax) return;
  stream.error = MakeError(ErrorReason::kTransport, "too many 1xx responses without a final one");
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id, NGHTTP2_CANCEL);
  stream.Notify();
}

void Http2Session::OnClose(std::int32_t id, std::uint32_t code) {
  canceled_.erase(id);
  const auto stream = Find(id);
  if (!stream) return;
  streams_.erase(id);
  stream->Notify();
  if (stream->ended || stream->error) return;
  const std::string name = nghttp2_http2_strerror(code);
  if (code == NGHTTP2_REFUSED_STREAM || !stream->head_sent) {
    stream->refused = true;
    stream->error = MakeError(ErrorReason::kUnexpectedEof, "the server refused the stream");
  } else if (stream->reset || code == NGHTTP2_NO_ERROR) {
    stream->error =
        MakeError(ErrorReason::kUnexpectedEof, "the server reset the stream (" + name + ")");
  } else {
    stream->error = MakeError(ErrorReason::kTransport, "malformed HTTP response: " + name);
  }
}

}  // namespace capstan::transport
