// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/testing/http2_server.h"

#include <fcntl.h>
#include <glog/logging.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/text.h"

namespace capstan::transport {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

// A handler waits while this much of its response is not sent.
constexpr std::size_t kQueueBytes = std::size_t{64} * 1024;

// "content-type" becomes "Content-Type", as in HTTP/1.1 text.
std::string Canonical(std::string name) {
  bool first = true;
  for (char& c : name) {
    if (first) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    first = c == '-';
  }
  return name;
}

struct Stream {
  std::string method = {};
  std::string path = {};
  std::string fields = {};  // as lines
  std::string body = {};
  std::string out = {};  // of the response's body
  bool out_ended = false;
  bool responded = false;
  bool closed = false;
};

class Server {
 public:
  explicit Server(const Http2Serving& serving)
      : serving_(serving), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    fcntl(serving.fd, F_SETFL, fcntl(serving.fd, F_GETFL) | O_NONBLOCK);
    const int on = 1;
    setsockopt(serving.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    SSL_set_mode(serving.ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    session_ = NewSession();
  }
  ~Server() {
    nghttp2_session_del(session_);
    close(wake_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void Run();

 private:
  friend class StreamConnection;

  nghttp2_session* NewSession();
  static int OnBeginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* self);
  static int OnHeader(nghttp2_session* session, const nghttp2_frame* frame,
                      const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                      std::size_t value_size, std::uint8_t flags, void* self);
  static int OnData(nghttp2_session* session, std::uint8_t flags, std::int32_t id,
                    const std::uint8_t* data, std::size_t size, void* self);
  static int OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* self);
  static int OnClose(nghttp2_session* session, std::int32_t id, std::uint32_t code, void* self);
  static ssize_t ReadBody(nghttp2_session* session, std::int32_t id, std::uint8_t* out,
                          std::size_t size, std::uint32_t* flags, nghttp2_data_source* source,
                          void* self);

  void Wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof(one));
  }
  void Handle(std::int32_t id, const std::shared_ptr<Stream>& stream);
  bool Exchange() CAPSTAN_REQUIRES(mu_);  // false: the connection is over
  bool Receive() CAPSTAN_REQUIRES(mu_);
  bool TakeFrames() CAPSTAN_REQUIRES(mu_);
  bool Send() CAPSTAN_REQUIRES(mu_);

  const Http2Serving serving_;
  const int wake_;
  std::atomic<bool> hangs_{false};
  Mutex mu_;
  CondVar changed_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, std::shared_ptr<Stream>> streams_ CAPSTAN_GUARDED_BY(mu_);
  std::string unsent_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<std::thread> handlers_ CAPSTAN_GUARDED_BY(mu_);
};

// StreamConnection is a handler's view of one stream.
class StreamConnection final : public LoopbackConnection {
 public:
  StreamConnection(Server& server, std::int32_t id, std::shared_ptr<Stream> stream)
      : LoopbackConnection(server.serving_.fd, server.serving_.ssl),
        server_(server),
        id_(id),
        stream_(std::move(stream)) {}

  bool Write(std::string_view bytes) override {
    MutexLock lock(server_.mu_);
    text_.append(bytes);
    while (!stream_->responded) {
      const std::size_t end = text_.find("\r\n\r\n");
      if (end == std::string::npos) return !stream_->closed;
      Respond(text_.substr(0, end + 2));
      text_.erase(0, end + 4);
    }
    return Queue(std::exchange(text_, {}));
  }
  bool WriteChunk(std::string_view chunk) override {
    MutexLock lock(server_.mu_);
    if (chunk.empty()) return Finish();
    return Queue(std::string(chunk));
  }
  bool AwaitClose() override {
    MutexLock lock(server_.mu_);
    server_.changed_.Wait(server_.mu_, [&] { return stream_->closed; });
    return true;
  }
  void End() override {
    MutexLock lock(server_.mu_);
    if (!stream_->responded) return ResetLocked(NGHTTP2_INTERNAL_ERROR);
    Finish();
  }
  void Reset(std::uint32_t code) override {
    MutexLock lock(server_.mu_);
    ResetLocked(code);
  }
  void GoAway(std::int32_t last_stream_id) override {
    MutexLock lock(server_.mu_);
    if (stream_->closed) return;
    const std::int32_t last = last_stream_id >= 0
                                  ? last_stream_id
                                  : nghttp2_session_get_last_proc_stream_id(server_.session_);
    nghttp2_submit_goaway(server_.session_, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, nullptr, 0);
    server_.Wake();
  }
  void Hang() override {
    server_.hangs_ = true;
    server_.Wake();
  }
  // Ends a response that its handler has left unfinished.
  void Break() {
    MutexLock lock(server_.mu_);
    if (!stream_->out_ended) ResetLocked(NGHTTP2_INTERNAL_ERROR);
  }

 private:
  void ResetLocked(std::uint32_t code) CAPSTAN_REQUIRES(server_.mu_) {
    if (stream_->closed) return;
    // What was queued before arrives first.
    server_.changed_.Wait(server_.mu_, [&] { return stream_->closed || stream_->out.empty(); });
    if (stream_->closed) return;
    nghttp2_submit_rst_stream(server_.session_, NGHTTP2_FLAG_NONE, id_, code);
    server_.Wake();
  }

  bool Finish() CAPSTAN_REQUIRES(server_.mu_) {
    if (stream_->closed) return false;
    stream_->out_ended = true;
    nghttp2_session_resume_data(server_.session_, id_);
    server_.Wake();
    return true;
  }

  bool Queue(std::string bytes) CAPSTAN_REQUIRES(server_.mu_) {
    if (stream_->closed) return false;
    if (bytes.empty()) return true;
    if (length_) bytes.resize(std::min(bytes.size(), *length_));
    stream_->out += bytes;
    if (length_ && (*length_ -= bytes.size()) == 0) return Finish();
    nghttp2_session_resume_data(server_.session_, id_);
    server_.Wake();
    server_.changed_.Wait(server_.mu_,
                          [&] { return stream_->closed || stream_->out.size() < kQueueBytes; });
    return !stream_->closed;
  }

  // Sends the head of a response in HTTP/1.1 text.
  void Respond(const std::string& head) CAPSTAN_REQUIRES(server_.mu_) {
    const std::string status = head.substr(sizeof "HTTP/1.1", 3);
    Fields fields = {{":status", status}};
    for (std::size_t begin = head.find("\r\n") + 2; begin < head.size();) {
      const std::size_t end = head.find("\r\n", begin);
      const std::size_t colon = head.find(':', begin);
      const std::string name = LowerAscii(head.substr(begin, colon - begin));
      const std::string value(Trim(head.substr(colon + 1, end - colon - 1), " "));
      begin = end + 2;
      if (name == "transfer-encoding" || name == "connection") continue;
      if (name == "content-length") length_ = std::strtoul(value.c_str(), nullptr, 10);
      fields.emplace_back(name, value);
    }
    std::vector<nghttp2_nv> list;
    for (auto& [name, value] : fields) {
      list.push_back({.name = reinterpret_cast<std::uint8_t*>(name.data()),
                      .value = reinterpret_cast<std::uint8_t*>(value.data()),
                      .namelen = name.size(),
                      .valuelen = value.size(),
                      .flags = NGHTTP2_NV_FLAG_NONE});
    }
    if (stream_->closed) {
      stream_->responded = true;
    } else if (status.front() == '1') {
      nghttp2_submit_headers(server_.session_, NGHTTP2_FLAG_NONE, id_, nullptr, list.data(),
                             list.size(), nullptr);
    } else {
      stream_->responded = true;
      const bool bodyless = stream_->method == "HEAD" || status == "204" || status == "304" ||
                            length_ == std::size_t{0};
      stream_->out_ended = bodyless;
      nghttp2_data_provider body{};
      body.source.ptr = stream_.get();
      body.read_callback = Server::ReadBody;
      nghttp2_submit_response(server_.session_, id_, list.data(), list.size(),
                              bodyless ? nullptr : &body);
    }
    server_.Wake();
  }

  Server& server_;
  const std::int32_t id_;
  const std::shared_ptr<Stream> stream_;
  std::string text_;                   // of a head that is not complete
  std::optional<std::size_t> length_;  // of the body that is left
};

nghttp2_session* Server::NewSession() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, OnBeginHeaders);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
  nghttp2_session* session = nullptr;
  CHECK_EQ(nghttp2_session_server_new(&session, callbacks, this), 0);
  nghttp2_session_callbacks_del(callbacks);
  const nghttp2_settings_entry max = {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
                                      serving_.script.max_streams};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &max, 1);
  if (serving_.script.goes_away) {
    nghttp2_submit_goaway(session, NGHTTP2_FLAG_NONE, 0, NGHTTP2_NO_ERROR, nullptr, 0);
  }
  return session;
}

int Server::OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame,
                           void* self) CAPSTAN_NO_THREAD_SAFETY_ANALYSIS {
  static_cast<Server*>(self)->streams_[frame->hd.stream_id] = std::make_shared<Stream>();
  return 0;
}

int Server::OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                     std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                     std::uint8_t, void* self) CAPSTAN_NO_THREAD_SAFETY_ANALYSIS {
  Stream& stream = *static_cast<Server*>(self)->streams_.at(frame->hd.stream_id);
  const std::string key(reinterpret_cast<const char*>(name), name_size);
  const std::string text(reinterpret_cast<const char*>(value), value_size);
  if (key == ":method") {
    stream.method = text;
  } else if (key == ":path") {
    stream.path = text;
  } else if (key == ":authority") {
    stream.fields.insert(0, "Host: " + text + "\r\n");
  } else if (key.front() != ':') {
    stream.fields += Canonical(key) + ": " + text + "\r\n";
  }
  return 0;
}

int Server::OnData(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                   std::size_t size, void* self) CAPSTAN_NO_THREAD_SAFETY_ANALYSIS {
  static_cast<Server*>(self)->streams_.at(id)->body.append(reinterpret_cast<const char*>(data),
                                                           size);
  return 0;
}

int Server::OnFrame(nghttp2_session*, const nghttp2_frame* frame,
                    void* self) CAPSTAN_NO_THREAD_SAFETY_ANALYSIS {
  auto& server = *static_cast<Server*>(self);
  if (frame->hd.type == NGHTTP2_PING) ++server.serving_.script.pings;
  const bool ends = (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
                    (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (!ends) return 0;
  const std::int32_t id = frame->hd.stream_id;
  server.handlers_.emplace_back(
      [&server, id, stream = server.streams_.at(id)] { server.Handle(id, stream); });
  return 0;
}

int Server::OnClose(nghttp2_session*, std::int32_t id, std::uint32_t,
                    void* self) CAPSTAN_NO_THREAD_SAFETY_ANALYSIS {
  auto& server = *static_cast<Server*>(self);
  const auto found = server.streams_.find(id);
  if (found == server.streams_.end()) return 0;
  found->second->closed = true;
  server.streams_.erase(found);
  server.changed_.NotifyAll();
  return 0;
}

ssize_t Server::ReadBody(nghttp2_session*, std::int32_t, std::uint8_t* out, std::size_t size,
                         std::uint32_t* flags, nghttp2_data_source* source, void* self) {
  auto& stream = *static_cast<Stream*>(source->ptr);
  const std::size_t count = std::min(size, stream.out.size());
  std::copy_n(stream.out.data(), count, out);
  stream.out.erase(0, count);
  static_cast<Server*>(self)->changed_.NotifyAll();
  if (stream.out.empty() && stream.out_ended) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
  } else if (count == 0) {
    return NGHTTP2_ERR_DEFERRED;
  }
  return static_cast<ssize_t>(count);
}

void Server::Handle(std::int32_t id, const std::shared_ptr<Stream>& stream) {
  serving_.on_request();
  StreamConnection connection(*this, id, stream);
  serving_.handler(connection, stream->method + " " + stream->path + " HTTP/1.1\r\n" +
                                   stream->fields + "\r\n" + stream->body);
  if (stream->path.find("/close") != std::string::npos) connection.Break();
}

bool Server::Receive() {
  std::array<char, 16384> piece{};
  for (;;) {
    const int count = SSL_read(serving_.ssl, piece.data(), static_cast<int>(piece.size()));
    if (count <= 0) return SSL_get_error(serving_.ssl, count) == SSL_ERROR_WANT_READ;
    const auto taken =
        nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(piece.data()),
                                 static_cast<std::size_t>(count));
    if (taken < 0) return false;
  }
}

// Takes frames until they fill a record. What is submitted at one time, such as SETTINGS and
// GOAWAY, reaches the client at one time.
bool Server::TakeFrames() {
  constexpr std::size_t kRecord = 16384;
  while (unsent_.size() < kRecord) {
    const std::uint8_t* data = nullptr;
    const ssize_t count = nghttp2_session_mem_send(session_, &data);
    if (count <= 0) return count == 0;
    unsent_.append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(count));
  }
  return true;
}

bool Server::Send() {
  for (;;) {
    if (unsent_.empty() && !TakeFrames()) return false;
    if (unsent_.empty()) return true;
    const int count = SSL_write(serving_.ssl, unsent_.data(), static_cast<int>(unsent_.size()));
    if (count <= 0) return SSL_get_error(serving_.ssl, count) == SSL_ERROR_WANT_WRITE;
    unsent_.erase(0, static_cast<std::size_t>(count));
  }
}

bool Server::Exchange() {
  if (!Receive() || !Send()) return false;
  return nghttp2_session_want_read(session_) != 0 || nghttp2_session_want_write(session_) != 0;
}

void Server::Run() {
  for (bool open = true; open;) {
    const bool hangs = serving_.script.hangs || hangs_;
    short events = 0;
    {
      MutexLock lock(mu_);
      if (!hangs) open = Exchange();
      events = static_cast<short>(hangs ? 0 : POLLIN | (unsent_.empty() ? 0 : POLLOUT));
    }
    // A hung server only notices that it is stopped (POLLHUP), or that it works again.
    std::array<pollfd, 2> polled{pollfd{.fd = serving_.fd, .events = events, .revents = 0},
                                 pollfd{.fd = wake_, .events = POLLIN, .revents = 0}};
    if (open) poll(polled.data(), polled.size(), hangs ? 10 : -1);
    if ((polled[0].revents & (POLLHUP | POLLERR)) != 0 && hangs) open = false;
    std::uint64_t woken = 0;
    [[maybe_unused]] const ssize_t taken = read(wake_, &woken, sizeof(woken));
  }
  std::vector<std::thread> handlers;
  {
    MutexLock lock(mu_);
    for (auto& [id, stream] : streams_) stream->closed = true;
    changed_.NotifyAll();
    handlers.swap(handlers_);
    shutdown(serving_.fd, SHUT_RDWR);
  }
  for (std::thread& handler : handlers) handler.join();
}

}  // namespace

void ServeHttp2(const Http2Serving& serving) { Server(serving).Run(); }

}  // namespace capstan::transport
