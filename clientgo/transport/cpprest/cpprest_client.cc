// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/cpprest/cpprest_client.h"

#include <cpprest/http_client.h>
#include <cpprest/producerconsumerstream.h>
#include <netinet/in.h>
#include <poll.h>
#include <pplx/threadpool.h>
#include <pthread.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "clientgo/transport/compression.h"
#include "clientgo/transport/cpprest/cpprest_tls.h"
#include "clientgo/transport/socket.h"

namespace capstan::transport {
namespace {

using boost::asio::ip::tcp;
using concurrency::streams::streambuf;
using web::http::http_request;
using web::http::http_response;

// The first call starts the pool. Throws if the process has started it in another way.
boost::asio::io_service& Pool() {
  static const bool started = [] {
    crossplat::threadpool::initialize_with_threads(1);
    crossplat::threadpool::shared_instance().service().post(
        [] { pthread_setname_np(pthread_self(), "cpprest"); });
    return true;
  }();
  static_cast<void>(started);
  return crossplat::threadpool::shared_instance().service();
}

// UnsentRequest ends a request before it is sent, because its kept connection is closed.
struct UnsentRequest : std::exception {};
// AbandonedResponse ends a response that nobody reads any more.
struct AbandonedResponse : std::exception {};

// StreamBuffer is the base of our buffers. Its own memory is not used. It cannot seek: cpprestsdk
// sends a request again if it can seek in the body, and a POST must never be sent twice.
using StreamBuffer = concurrency::streams::details::basic_producer_consumer_buffer<std::uint8_t>;

class RequestBody final : public StreamBuffer {
 public:
  explicit RequestBody(std::string body) : StreamBuffer(1), body_(std::move(body)) {}
  pplx::task<std::size_t> getn(std::uint8_t* out, std::size_t size) override {
    size = std::min(size, body_.size() - sent_);
    std::memcpy(out, body_.data() + sent_, size);
    sent_ += size;
    return pplx::task_from_result(size);
  }

 private:
  const std::string body_;
  std::size_t sent_ = 0;
};

class Client;

// Exchange is CpprestExchange with cpprestsdk's types. Its functions On... run on the pool's
// thread.
class Exchange final : public CpprestExchange, public std::enable_shared_from_this<Exchange> {
 public:
  explicit Exchange(std::shared_ptr<Client> client) : client_(std::move(client)) {}

  void Start(http_request request, std::uint64_t body_size);
  void Resume() override {
    if (auto read = TakePendingRead()) {
      Pool().post([read = *read] { read.done.set(read.size); });
    }
  }
  void Cancel() override {
    Pool().post([self = shared_from_this()] { self->canceled_.cancel(); });
  }
  void Abandon() override;

  pplx::task<std::size_t> OnBytes(const std::uint8_t* bytes, std::size_t size);

 private:
  // PendingRead is the bytes that the reader has, or will get. cpprestsdk waits for `done`.
  struct PendingRead {
    pplx::task_completion_event<std::size_t> done = {};
    std::size_t size = 0;
  };

  std::optional<PendingRead> TakePendingRead() {
    MutexLock lock(mu_);
    if (arrived_) return std::nullopt;  // the reader has not taken them yet
    return std::exchange(pending_, std::nullopt);
  }
  void OnHead(const http_response& response);
  void OnEnd(std::exception_ptr failure);

  const std::shared_ptr<Client> client_;
  pplx::cancellation_token_source canceled_;
  std::optional<PendingRead> pending_ CAPSTAN_GUARDED_BY(mu_);
  std::optional<std::uint64_t> unread_ CAPSTAN_GUARDED_BY(mu_);  // if the head has the length
  bool abandoned_ CAPSTAN_GUARDED_BY(mu_) = false;
};

class ResponseBody final : public StreamBuffer {
 public:
  explicit ResponseBody(std::shared_ptr<Exchange> exchange)
      : StreamBuffer(1), exchange_(std::move(exchange)) {}
  pplx::task<std::size_t> putn_nocopy(const std::uint8_t* bytes, std::size_t size) override {
    return exchange_->OnBytes(bytes, size);
  }

 private:
  const std::shared_ptr<Exchange> exchange_;
};

class Client final : public CpprestClient, public std::enable_shared_from_this<Client> {
 public:
  Client(const Route& route, std::shared_ptr<const TlsMaterial> material);

  const std::shared_ptr<const TlsMaterial>& material() const override { return tls_.material(); }
  Expected<std::shared_ptr<CpprestExchange>> Send(const HttpRequest& request) override;

  // The pool's thread.
  pplx::task<http_response> Request(const http_request& request,
                                    const pplx::cancellation_token& canceled) {
    return client_.request(request, canceled);
  }
  Error Explain(const std::exception& failure);

 private:
  const ServerAddress& peer() const { return route_.proxy ? route_.proxy->address : route_.server; }
  web::http::client::http_client_config NewConfig();
  http_request Format(const HttpRequest& request) const;

  const Route route_;
  CpprestTls tls_;  // outlives the connections
  web::http::client::http_client client_;
};

void Exchange::Start(http_request request, std::uint64_t body_size) {
  request.set_progress_handler(
      [weak = weak_from_this(), body_size](web::http::message_direction::direction direction,
                                           std::uint64_t sent) {
        const auto self = weak.lock();
        if (!self || direction != web::http::message_direction::upload) return;
        MutexLock lock(self->mu_);
        ++self->progress_.steps;
        self->progress_.sent = sent == body_size;
        self->changed_.NotifyAll();
      });
  request.set_response_stream(
      streambuf<std::uint8_t>(std::make_shared<ResponseBody>(shared_from_this())).create_ostream());
  Pool().post([self = shared_from_this(), request] {
    try {
      // The last task takes every error. One that nobody takes would end the process.
      self->client_->Request(request, self->canceled_.get_token())
          .then([self](const http_response& response) {
            self->OnHead(response);
            return response.content_ready();
          })
          .then([self](const pplx::task<http_response>& end) {
            try {
              static_cast<void>(end.get());
              self->OnEnd(nullptr);
            } catch (...) {
              self->OnEnd(std::current_exception());
            }
          });
    } catch (...) {
      self->OnEnd(std::current_exception());
    }
  });
}

void Exchange::Abandon() {
  bool whole = false;
  {
    MutexLock lock(mu_);
    if (ended_) return;
    abandoned_ = true;
    arrived_.reset();  // cpprestsdk frees them
    whole = unread_ == 0U;
  }
  Pool().post([self = shared_from_this(), read = TakePendingRead(), whole] {
    if (!whole) self->canceled_.cancel();
    if (!read) return;
    if (whole) {
      read->done.set(read->size);
    } else {
      read->done.set_exception(AbandonedResponse());
    }
  });
  if (!whole) return;
  // The next request then finds the connection.
  MutexLock lock(mu_);
  Clock::Real().WaitUntil(mu_, changed_, {}, Clock::Real().After(std::chrono::seconds(1)),
                          [this]() CAPSTAN_REQUIRES(mu_) { return ended_; });
}

pplx::task<std::size_t> Exchange::OnBytes(const std::uint8_t* bytes, std::size_t size) {
  const PendingRead read{.size = size};
  pplx::task<std::size_t> done(read.done);
  MutexLock lock(mu_);
  if (abandoned_) return pplx::task_from_exception<std::size_t>(AbandonedResponse());
  arrived_.emplace(reinterpret_cast<const char*>(bytes), size);
  pending_ = read;
  if (unread_) *unread_ -= size;
  changed_.NotifyAll();
  return done;
}

void Exchange::OnHead(const http_response& response) {
  MutexLock lock(mu_);
  status_ = response.status_code();
  for (const auto& [name, value] : response.headers()) headers_.emplace_back(name, value);
  const auto length = FindHeader(headers_, "Content-Length");
  std::uint64_t bytes = 0;
  const auto parsed = std::from_chars(length.data(), length.data() + length.size(), bytes);
  if (!length.empty() && parsed.ec == std::errc()) {
    unread_ = bytes - (pending_ ? pending_->size : 0);
  }
  progress_.answered = true;
  changed_.NotifyAll();
}

void Exchange::OnEnd(std::exception_ptr failure) {
  std::optional<Error> error;
  bool unwritten = false;
  try {
    if (failure) std::rethrow_exception(std::move(failure));
  } catch (const std::exception& exception) {
    error = canceled_.get_token().is_canceled()
                ? Error{.reason = ErrorReason::kCanceled, .message = "the request was canceled"}
                : client_->Explain(exception);
    // The server has not received the whole head, so it has not processed the request. cpprestsdk
    // gets here after it refused to repeat a POST: it then writes on an unopened connection.
    unwritten = dynamic_cast<const UnsentRequest*>(&exception) != nullptr ||
                exception.what() == std::string_view("Failed to write request headers");
  }
  MutexLock lock(mu_);
  if (!progress_.answered) unsent_ = unwritten;
  ended_ = progress_.answered = true;
  error_ = std::move(error);
  changed_.NotifyAll();
}

// Runs before each request, on its connection. Throws if the server has closed it.
void CheckConnection(tcp::socket& socket, bool is_ipv4) {
  if (socket.is_open()) {
    pollfd input{.fd = socket.native_handle(), .events = POLLIN, .revents = 0};
    if (poll(&input, 1, 0) != 0) throw UnsentRequest();
    return;
  }
  // A new connection. Only an open socket has options, and its family must be that of the address.
  if (!is_ipv4) return;
  boost::system::error_code ignored;
  socket.open(tcp::v4(), ignored);
  EnableDeadPeerDetection(socket.native_handle());
}

web::web_proxy ProxyOf(const Proxy& proxy) {
  web::web_proxy made(web::uri("http://" + proxy.address.HostPort()));
  if (proxy.authorization.empty()) return made;
  constexpr std::string_view kBasic = "Basic ";
  const auto bytes = utility::conversions::from_base64(proxy.authorization.substr(kBasic.size()));
  const std::string text(bytes.begin(), bytes.end());
  const std::size_t colon = text.find(':');
  made.set_credentials(web::credentials(text.substr(0, colon), text.substr(colon + 1)));
  return made;
}

Client::Client(const Route& route, std::shared_ptr<const TlsMaterial> material)
    : route_(route),
      tls_(std::move(material), route.name_to_verify, route.insecure_skip_verify),
      client_((route.server.tls ? "https://" : "http://") + route.server.HostPort(), NewConfig()) {}

web::http::client::http_client_config Client::NewConfig() {
  web::http::client::http_client_config config;
  config.set_timeout(Socket::kNoTimeout);
  config.set_max_redirects(0);  // as in our transport
  config.set_validate_certificates(!route_.insecure_skip_verify);
  config.set_tlsext_sni_enabled(false);  // CpprestTls sends it
  config.set_ssl_context_callback(
      [this](boost::asio::ssl::context& context) { tls_.Configure(context.native_handle()); });
  if (route_.proxy) config.set_proxy(ProxyOf(*route_.proxy));
  // With a proxy, the handle is first a socket and later a session. It does not show which one.
  if (route_.proxy && route_.server.tls) return config;
  config.set_nativehandle_options([tls = route_.server.tls, ipv4 = peer().IsIpv4Literal()](
                                      web::http::client::native_handle handle) {
    if (!tls) return CheckConnection(*static_cast<tcp::socket*>(handle), ipv4);
    auto& session = *static_cast<boost::asio::ssl::stream<tcp::socket&>*>(handle);
    // Bytes after the last response would be taken for the next one.
    if (SSL_pending(session.native_handle()) > 0) throw UnsentRequest();
    CheckConnection(session.next_layer(), ipv4);
  });
  return config;
}

Expected<std::shared_ptr<CpprestExchange>> Client::Send(const HttpRequest& request) {
  if (auto sound = CheckRequest(request); !sound) return Err(std::move(sound.error()));
  for (auto header = request.headers.begin(); header != request.headers.end(); ++header) {
    const bool again = std::any_of(request.headers.begin(), header, [&](const auto& other) {
      return EqualIgnoringCase(other.first, header->first);
    });
    if (!again) continue;
    return Err(ErrorReason::kInvalidArgument,
               "cpprestsdk cannot send more than one header " + header->first);
  }
  try {
    auto exchange = std::make_shared<Exchange>(shared_from_this());
    exchange->Start(Format(request), request.body.size());
    return exchange;
  } catch (const std::exception& exception) {
    return Err(ErrorReason::kInvalidArgument,
               "cpprestsdk cannot send the request: " + std::string(exception.what()));
  }
}

http_request Client::Format(const HttpRequest& request) const {
  http_request formatted(request.method);
  formatted.set_request_uri(web::uri(route_.server.path_prefix + request.target));
  if (!request.body.empty() || request.method != "GET") {
    const streambuf<std::uint8_t> body(std::make_shared<RequestBody>(request.body));
    formatted.set_body(body.create_istream(), request.body.size());
    formatted.headers().remove("Content-Type");  // the request may have its own
  }
  std::optional<Endpoint> endpoint;  // known before the connection
  if (peer().IsIpv4Literal()) endpoint = Resolver().Resolve({}, peer().host, peer().port)->front();
  formatted.headers().add(
      "Accept-Encoding",
      std::string(AcceptEncoding(request.compression, endpoint, route_.proxy.has_value())));
  for (const auto& [name, value] : request.headers) formatted.headers().add(name, value);
  return formatted;
}

// Only cpprestsdk's texts tell its errors apart. The library is archived, so they do not change.
Error Client::Explain(const std::exception& failure) {
  const std::string text = failure.what();
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  Error error{.reason = ErrorReason::kUnexpectedEof, .message = "unexpected EOF (" + text + ")"};
  bool connects = false;
  if (auto tls = tls_.TakeFailure()) {
    error = *std::move(tls);
  } else if (has("Failed to connect")) {
    connects = true;
    const auto* const http = dynamic_cast<const web::http::http_exception*>(&failure);
    const int code = http == nullptr ? 0 : http->error_code().value();
    error.reason = ErrorReason::kTransport;
    error.message = "connect: " + (code == EHOSTUNREACH  // also for ECONNREFUSED
                                       ? "connection refused or no route to host"
                                       : std::system_category().message(code));
  } else if (has("resolv")) {
    connects = true;
    error.reason = ErrorReason::kNoSuchHost;
    error.message = "lookup " + peer().host + ": no such host";
  } else if (has("Expected a 200 response")) {  // "... from proxy, received: 407"
    error.message = "CONNECT refused: " + text.substr(text.rfind(' ') + 1) +
                    (has(" 407") ? "; set user and password in the proxy's URL" : "");
  } else if (has("handshake")) {
    error.reason = ErrorReason::kTransport;
    error.message = "tls: the connection broke during the handshake";
  } else if (has("Invalid")) {
    error.reason = ErrorReason::kTransport;
    error.message = "malformed HTTP response (" + text + ")";
  }
  if (has("proxy") || (connects && route_.proxy)) {
    error.reason = ErrorReason::kProxy;
    error.message.insert(0, "proxy " + peer().HostPort() + ": ");
  }
  error.message.insert(0, route_.server.HostPort() + ": ");
  return error;
}

}  // namespace

CpprestExchange::Progress CpprestExchange::progress() const {
  MutexLock lock(mu_);
  return progress_;
}

bool CpprestExchange::AwaitProgress(const std::stop_token& stop, Clock::TimePoint deadline,
                                    int steps) {
  MutexLock lock(mu_);
  return Clock::Real().WaitUntil(mu_, changed_, stop, deadline, [&]() CAPSTAN_REQUIRES(mu_) {
    return progress_.answered || progress_.steps != steps;
  });
}

bool CpprestExchange::AwaitBytes(const std::stop_token& stop, Clock::TimePoint deadline) {
  MutexLock lock(mu_);
  return Clock::Real().WaitUntil(mu_, changed_, stop, deadline, [this]() CAPSTAN_REQUIRES(mu_) {
    return arrived_.has_value() || ended_;
  });
}

Expected<std::string_view> CpprestExchange::Take() {
  MutexLock lock(mu_);
  if (const auto bytes = std::exchange(arrived_, std::nullopt)) return *bytes;
  if (error_) return Err(*error_);
  return std::string_view();
}

Expected<std::shared_ptr<CpprestClient>> CpprestClient::New(
    const Route& route, std::shared_ptr<const TlsMaterial> material) {
  try {
    Pool();
    return std::shared_ptr<CpprestClient>(
        std::shared_ptr<Client>(new Client(route, std::move(material)),
                                [](Client* client) { Pool().post([client] { delete client; }); }));
  } catch (const std::exception& exception) {
    return Err(ErrorReason::kTransport,
               "failed to start cpprestsdk: " + std::string(exception.what()));
  }
}

}  // namespace capstan::transport
