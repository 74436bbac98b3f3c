// SPDX-License-Identifier: Apache-2.0
// All that cpprestsdk does happens on its one pool thread: requests are issued, canceled and
// finished there, and clients destroyed, because the library races with itself otherwise. What is
// marked "pool thread only" needs no lock for that reason.
#include "clientgo/rest/cpprest_transport.h"

#include <cpprest/http_client.h>
#include <cpprest/producerconsumerstream.h>
#include <glog/logging.h>
#include <pplx/threadpool.h>
#include <pthread.h>

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <future>
#include <map>
#include <optional>
#include <utility>

#include "clientgo/rest/exchange.h"
#include "clientgo/rest/server_address.h"
#include "clientgo/rest/socket_options.h"
#include "clientgo/rest/tls_material.h"
#include "clientgo/rest/transport_error.h"
#include "clientgo/util/logging.h"

namespace clientgo::rest {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using util::Err;
using util::ErrorReason;
using web::http::http_response;
using web::http::client::http_client;
using web::http::client::http_client_config;

asio::io_service& Pool() { return crossplat::threadpool::shared_instance().service(); }

// False: somebody else in this process has started the pool, with who knows how many threads.
bool StartPool() {
  static const bool started = [] {
    try {
      crossplat::threadpool::initialize_with_threads(1);
    } catch (const std::exception&) {
      return false;
    }
    Pool().post([] { pthread_setname_np(pthread_self(), "http-pool"); });
    return true;
  }();
  return started;
}

struct PoolClient {
  std::optional<http_client> http;
  std::shared_ptr<std::string> verification;  // why the last certificate was refused
};

// What the calls of one transport share; they keep it alive.
struct Shared {
  Shared(ServerAddress address, const Config& config)
      : server(std::move(address)),
        tls_config(config.tls),
        name_to_verify(tls_config.server_name.empty() ? server.host : tls_config.server_name),
        tls(tls_config, config.source) {}

  std::shared_ptr<PoolClient> NewClient(const std::shared_ptr<const TlsMaterial>& material,
                                        std::chrono::milliseconds timeout) const;
  std::shared_ptr<PoolClient> ClientFor(const HttpRequest& request,
                                        const std::shared_ptr<const TlsMaterial>& material);

  const ServerAddress server;
  const TlsConfig tls_config;
  const std::string name_to_verify;
  TlsSource tls;

  // Pool thread only. Unary requests share a client for each timeout they ask for: one or two.
  std::map<std::chrono::milliseconds, std::shared_ptr<PoolClient>> unary;
  std::shared_ptr<const TlsMaterial> unary_material;
  std::optional<tcp::resolver> resolver;
  bool family_known = false;
  std::shared_ptr<tcp> family = std::make_shared<tcp>(tcp::v4());

  util::Mutex mu;
  util::CondVar changed;
  int live GUARDED_BY(mu) = 0;  // calls that are not finished
};

// One request and its response.
struct Call : std::enable_shared_from_this<Call> {
  Call(std::shared_ptr<Shared> state, HttpRequest http_request,
       std::shared_ptr<const TlsMaterial> tls_material)
      : shared(std::move(state)),
        request(std::move(http_request)),
        material(std::move(tls_material)),
        exchange([this](bool taken) {
          Pool().post([self = shared_from_this(), taken] { self->CompletePut(taken); });
        }) {}

  void Start();
  void Send();
  void Abort();
  pplx::task<std::size_t> Put(const std::uint8_t* data, std::size_t size) noexcept;
  void CompletePut(bool taken);
  void OnHead(const http_response& response);
  void FailWithCurrentException();
  void Fail(std::string_view step, int code);
  void Done();

  const std::shared_ptr<Shared> shared;
  HttpRequest request;
  const std::shared_ptr<const TlsMaterial> material;
  Exchange exchange;
  // Pool thread only.
  std::shared_ptr<PoolClient> client;
  pplx::cancellation_token_source cancel;
  std::optional<pplx::task_completion_event<std::size_t>> put;
  std::size_t put_size = 0;
  bool aborted = false;
};

// The response's body stream as the library sees it. The library only calls putn_nocopy, and reads
// on when the task it got is done; the base class is there for the other 20 methods.
class Sink final
    : public concurrency::streams::details::basic_producer_consumer_buffer<std::uint8_t> {
 public:
  explicit Sink(std::shared_ptr<Call> call)
      : basic_producer_consumer_buffer(0), call_(std::move(call)) {}
  pplx::task<std::size_t> putn_nocopy(const std::uint8_t* data,
                                      std::size_t size) noexcept override {
    return call_->Put(data, size);
  }

 private:
  const std::shared_ptr<Call> call_;
};

struct SinkBuffer final : concurrency::streams::streambuf<std::uint8_t> {
  explicit SinkBuffer(std::shared_ptr<Call> call)
      : streambuf(std::make_shared<Sink>(std::move(call))) {}
};

// A new connection's socket is not open yet when the library shows it, and options need an open
// one.
void PrepareSocket(tcp::socket& socket, tcp family) {
  if (!socket.is_open()) socket.open(family);
  EnableDeadPeerDetection(socket.native_handle());
}

std::shared_ptr<PoolClient> Shared::NewClient(const std::shared_ptr<const TlsMaterial>& material,
                                              std::chrono::milliseconds timeout) const {
  http_client_config config;
  config.set_timeout(timeout);  // of each step: of silence, not of the request
  config.set_max_redirects(0);
  auto verification = std::make_shared<std::string>();
  // The handle's type depends on the scheme.
  if (server.tls) {
    config.set_validate_certificates(!tls_config.insecure_skip_verify);
    const bool is_name = tls_config.server_name.empty() ? !server.IsIpv4Literal() : true;
    config.set_tlsext_sni_enabled(is_name);  // an address is not a valid SNI
    config.set_ssl_context_callback(
        [material, verification, name = name_to_verify](asio::ssl::context& context) {
          if (material->Apply(context.native_handle(), name, verification.get())) return;
          throw std::runtime_error("tls: the client certificate cannot be used");
        });
    config.set_nativehandle_options([f = family](void* handle) {
      PrepareSocket(static_cast<asio::ssl::stream<tcp::socket&>*>(handle)->next_layer(), *f);
    });
  } else {
    config.set_nativehandle_options(
        [f = family](void* handle) { PrepareSocket(*static_cast<tcp::socket*>(handle), *f); });
  }
  const std::string base = (server.tls ? "https://" : "http://") + server.HostPort();
  auto client = std::make_shared<PoolClient>();
  client->verification = std::move(verification);
  client->http.emplace(base + server.path_prefix, config);
  return client;
}

std::shared_ptr<PoolClient> Shared::ClientFor(const HttpRequest& request,
                                              const std::shared_ptr<const TlsMaterial>& material) {
  if (request.long_running) return NewClient(material, request.idle_timeout);
  // New credentials: the pooled connections were made with the old ones.
  if (std::exchange(unary_material, material) != material) unary.clear();
  auto& client = unary[request.idle_timeout];
  if (!client) client = NewClient(material, request.idle_timeout);
  return client;
}

// The socket's address family has to be known before the library resolves the name itself.
void Call::Start() {
  if (shared->family_known || shared->server.IsIpv4Literal()) return Send();
  if (!shared->resolver) shared->resolver.emplace(Pool());
  shared->resolver->async_resolve(
      shared->server.host, shared->server.port, tcp::resolver::address_configured,
      [self = shared_from_this()](const boost::system::error_code& error,
                                  const tcp::resolver::results_type& results) {
        if (error) return self->Fail("Error resolving address", error.value());
        *self->shared->family = results.begin()->endpoint().protocol();
        self->shared->family_known = true;
        self->Send();
      });
}

void Call::Send() {
  try {
    web::http::http_request http(request.method);
    http.set_request_uri(web::uri(request.target));
    if (!request.body.empty()) http.set_body(std::move(request.body));
    http.headers()["Accept-Encoding"] = "identity";
    for (const auto& [name, value] : request.headers) http.headers()[name] = value;
    // Drives SNI and verification, too.
    const std::string& name = shared->tls_config.server_name;
    if (shared->server.tls && !name.empty()) http.headers()["Host"] = name;
    http.set_response_stream(concurrency::streams::ostream(SinkBuffer(shared_from_this())));
    client = shared->ClientFor(request, material);
    client->http->request(http, cancel.get_token())
        .then([self = shared_from_this()](const pplx::task<http_response>& task) {
          try {
            self->OnHead(task.get());
          } catch (...) {
            self->FailWithCurrentException();
          }
        });
  } catch (...) {
    FailWithCurrentException();
  }
}

void Call::OnHead(const http_response& response) {
  Exchange::Head head{.status = response.status_code()};
  for (const auto& [name, value] : response.headers()) head.headers.emplace_back(name, value);
  exchange.OnHead(std::move(head));
  response.content_ready().then([self = shared_from_this()](const pplx::task<http_response>& task) {
    try {
      task.get();
      self->exchange.OnEnd();
      self->Done();
    } catch (...) {
      self->FailWithCurrentException();
    }
  });
}

pplx::task<std::size_t> Call::Put(const std::uint8_t* data, std::size_t size) noexcept {
  switch (exchange.body().Write({reinterpret_cast<const char*>(data), size})) {
    case BodyPipe::WriteResult::kTaken:
      return pplx::task_from_result(size);
    case BodyPipe::WriteResult::kPending:
      put_size = size;
      return pplx::create_task(put.emplace());
    case BodyPipe::WriteResult::kClosed:
      break;
  }
  return pplx::task_from_exception<std::size_t>(std::runtime_error("the reader is gone"));
}

void Call::CompletePut(bool taken) {
  auto event = *std::exchange(put, std::nullopt);
  if (taken) {
    event.set(put_size);
  } else {
    event.set_exception(std::runtime_error("the reader is gone"));
  }
}

void Call::Abort() {
  aborted = true;
  exchange.body().Cancel();
  cancel.cancel();
}

void Call::FailWithCurrentException() {
  try {
    throw;
  } catch (const web::http::http_exception& e) {
    Fail(e.what(), e.error_code().value());
  } catch (const std::exception& e) {
    Fail(e.what(), 0);
  }
}

void Call::Fail(std::string_view step, int code) {
  const std::string peer = shared->server.HostPort();
  util::Error error = DescribeFailure({.step = step,
                                       .code = code,
                                       .peer = peer,
                                       .verification = client ? *client->verification : ""});
  if (aborted) error = {.reason = ErrorReason::kCanceled, .message = "the request was canceled"};
  if (util::IsConnectionRefused(error)) shared->family_known = false;  // it may have moved
  exchange.OnFailure(std::move(error));
  Done();
}

void Call::Done() {
  client.reset();
  util::MutexLock lock(shared->mu);
  --shared->live;
  shared->changed.NotifyAll();
}

class CpprestTransport final : public HttpTransport {
 public:
  explicit CpprestTransport(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  ~CpprestTransport() override;
  util::Expected<std::unique_ptr<HttpResponse>> RoundTrip(std::stop_token stop,
                                                          const HttpRequest& request) override;

 private:
  const std::shared_ptr<Shared> shared_;
};

CpprestTransport::~CpprestTransport() {
  {
    // What is left are canceled calls. Only a name server that does not answer can hold one up.
    util::MutexLock lock(shared_->mu);
    const auto idle = [this]() REQUIRES(shared_->mu) { return shared_->live == 0; };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    if (!shared_->changed.WaitUntil(shared_->mu, std::stop_token(), deadline, idle)) {
      LOG(WARNING) << util::Kv("Requests still running at the end", "count", shared_->live);
    }
  }
  std::promise<void> gone;
  Pool().post([this, &gone] {
    shared_->unary.clear();
    shared_->resolver.reset();
    gone.set_value();
  });
  gone.get_future().wait();
}

util::Expected<std::unique_ptr<HttpResponse>> CpprestTransport::RoundTrip(
    std::stop_token stop, const HttpRequest& request) {
  std::shared_ptr<const TlsMaterial> material;
  if (shared_->server.tls) {
    auto current = shared_->tls.Current();
    if (!current) return Err(std::move(current.error()));
    material = std::move(*current);
  }
  auto call = std::make_shared<Call>(shared_, request, std::move(material));
  {
    util::MutexLock lock(shared_->mu);
    ++shared_->live;
  }
  Pool().post([call] { call->Start(); });
  return AwaitResponse(std::move(stop), std::shared_ptr<Exchange>(call, &call->exchange),
                       [call] { Pool().post([call] { call->Abort(); }); });
}

}  // namespace

util::Expected<std::unique_ptr<HttpTransport>> NewCpprestTransport(const Config& config) {
  auto server = ParseServerAddress(config.host);
  if (!server) return Err(std::move(server.error()));
  const auto invalid = [](std::string message) {
    return Err(ErrorReason::kInvalidArgument, std::move(message));
  };
  if (server->IsIpv6Literal()) {
    return invalid("server \"" + config.host +
                   "\": an IPv6 address is not supported, use a host name that resolves to it");
  }
  if (!server->tls && (!config.tls.cert_data.empty() || !config.tls.cert_file.empty())) {
    return invalid("server \"" + config.host + "\": a client certificate needs https://");
  }
  if (config.tls.insecure_skip_verify &&
      (!config.tls.ca_data.empty() || !config.tls.ca_file.empty())) {
    return invalid("specifying a root certificates file with the insecure flag is not allowed");
  }
  if (!StartPool()) return invalid("cpprestsdk's thread pool was started before capstan's");
  auto shared = std::make_shared<Shared>(std::move(*server), config);
  auto material = shared->tls.Current();
  if (!material) return Err(std::move(material.error()));
  return std::make_unique<CpprestTransport>(std::move(shared));
}

}  // namespace clientgo::rest
