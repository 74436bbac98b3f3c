// SPDX-License-Identifier: Apache-2.0
// cpprestsdk as an HttpPool. Its traps: a task whose exception nobody reads ends the process; the
// response's stream must not throw; the default body buffer has no bound, the pool 40 threads.
#include "clientgo/rest/cpprest_transport.h"

#include <cpprest/http_client.h>
#include <cpprest/producerconsumerstream.h>
#include <pplx/threadpool.h>
#include <pthread.h>

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "clientgo/rest/http_pool.h"
#include "clientgo/rest/pooled_transport.h"
#include "clientgo/rest/socket_options.h"
#include "clientgo/rest/transport_error.h"

namespace clientgo::rest {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using web::http::http_response;
using web::http::client::http_client;
using web::http::client::http_client_config;

asio::io_service& PoolThread() { return crossplat::threadpool::shared_instance().service(); }

struct CpprestClient final : PoolClient {
  explicit CpprestClient(PoolClientOptions client_options) : options(std::move(client_options)) {}

  http_client& Http() {
    if (!http) http.emplace(options.server.Url(), Configure());
    return *http;
  }

  // Calls back with an error number, or 0 when the server's address family is known: sockets are
  // opened before the library resolves the name itself.
  void Resolve(std::function<void(int)> done) {
    if (family_known || options.server.IsIpv4Literal()) return done(0);
    if (!resolver) resolver.emplace(PoolThread());
    resolver->async_resolve(
        options.server.host, options.server.port, tcp::resolver::address_configured,
        [this, done = std::move(done)](boost::system::error_code error,
                                       const tcp::resolver::results_type& addresses) {
          family_known = !error;
          if (!error) *family = addresses.begin()->endpoint().protocol();
          done(error.value());
        });
  }

  http_client_config Configure() const {
    http_client_config config;
    config.set_timeout(options.timeout);
    config.set_max_redirects(0);
    config.set_request_compressed_response(true);  // without this it would not decompress
    config.set_nativehandle_options([family = family, tls = options.server.tls](void* handle) {
      // What hides behind the handle depends on the scheme.
      auto& socket = tls ? static_cast<asio::ssl::stream<tcp::socket&>*>(handle)->next_layer()
                         : *static_cast<tcp::socket*>(handle);
      if (!socket.is_open()) socket.open(*family);  // of a new connection
      EnableDeadPeerDetection(socket.native_handle());
    });
    if (!options.server.tls) return config;
    config.set_validate_certificates(!options.insecure_skip_verify);
    config.set_tlsext_sni_enabled(options.send_sni);
    config.set_ssl_context_callback(
        [options = options, verification = verification](asio::ssl::context& context) {
          const bool applied = options.material->Apply(context.native_handle(),
                                                       options.name_to_verify, verification.get());
          if (!applied) throw std::runtime_error("tls: the client certificate cannot be used");
        });
    return config;
  }

  const PoolClientOptions options;
  // Why the last certificate was refused.
  const std::shared_ptr<std::string> verification = std::make_shared<std::string>();
  const std::shared_ptr<tcp> family = std::make_shared<tcp>(tcp::v4());
  bool family_known = false;
  std::optional<tcp::resolver> resolver;
  std::optional<http_client> http;
};

// The response's body stream as the library sees it. The library only calls putn_nocopy, and reads
// on when the task is done; the base class is there for the other 20 methods.
class Sink final
    : public concurrency::streams::details::basic_producer_consumer_buffer<std::uint8_t> {
 public:
  using Put = std::function<pplx::task<std::size_t>(std::string_view)>;  // does not throw
  struct Buffer final : concurrency::streams::streambuf<std::uint8_t> {
    explicit Buffer(Put put) : streambuf(std::make_shared<Sink>(std::move(put))) {}
  };

  explicit Sink(Put put) : basic_producer_consumer_buffer(0), put_(std::move(put)) {}
  pplx::task<std::size_t> putn_nocopy(const std::uint8_t* data,
                                      std::size_t size) noexcept override {
    return put_({reinterpret_cast<const char*>(data), size});
  }

 private:
  const Put put_;
};

// Members below `done_` are for the pool thread only.
class CpprestCall final : public PoolCall, public std::enable_shared_from_this<CpprestCall> {
 public:
  CpprestCall(HttpRequest request, std::function<void()> done)
      : request_(std::move(request)),
        exchange_([this](bool taken) {
          PoolThread().post([self = shared_from_this(), taken] { self->CompletePut(taken); });
        }),
        done_(std::move(done)) {}

  Exchange& exchange() override { return exchange_; }
  void Start(std::shared_ptr<PoolClient> client) override {
    client_ = std::static_pointer_cast<CpprestClient>(std::move(client));
    client_->Resolve([self = shared_from_this()](int error) {
      error != 0 ? self->Fail("Error resolving address", error) : self->Send();
    });
  }

  void Abort() override {
    exchange_.body().Cancel();
    cancel_.cancel();
  }

 private:
  // Whatever goes wrong, here or in the library, is this call's failure.
  template <class Work>
  void Guard(const Work& work) {
    try {
      work();
    } catch (const web::http::http_exception& e) {
      Fail(e.what(), e.error_code().value());
    } catch (const std::exception& e) {
      Fail(e.what(), 0);
    }
  }
  template <class Next>
  void Then(const pplx::task<http_response>& task, Next next) {
    task.then([self = shared_from_this(), next](const pplx::task<http_response>& done) {
      self->Guard([&] { next(done.get()); });
    });
  }

  void Send() {
    Guard([this] {
      Then(client_->Http().request(MakeRequest(), cancel_.get_token()),
           [this](const http_response& response) { OnHead(response); });
    });
  }

  web::http::http_request MakeRequest() {
    web::http::http_request http(request_.method);
    http.set_request_uri(web::uri(request_.target));
    // As bytes: of a string the library makes a stream of char, and then takes it for one of bytes.
    const std::string& body = request_.body;
    if (!body.empty()) http.set_body(std::vector<unsigned char>(body.begin(), body.end()));
    for (const auto& [name, value] : request_.headers) http.headers()[name] = value;
    http.set_response_stream(concurrency::streams::ostream(Sink::Buffer(
        [self = shared_from_this()](std::string_view bytes) { return self->Put(bytes); })));
    return http;
  }

  void OnHead(const http_response& response) {
    exchange_.OnHead({.status = response.status_code(),
                      .headers = {response.headers().begin(), response.headers().end()}});
    Then(response.content_ready(), [this](const http_response&) {
      exchange_.OnEnd();
      Done();
    });
  }

  pplx::task<std::size_t> Put(std::string_view bytes) {
    const auto result = exchange_.body().Write(bytes);
    using Result = BodyPipe::WriteResult;
    if (result == Result::kTaken) return pplx::task_from_result(bytes.size());
    if (result == Result::kClosed) return pplx::task_from_exception<std::size_t>(ReaderGone());
    put_size_ = bytes.size();
    return pplx::create_task(put_.emplace());
  }

  void CompletePut(bool taken) {
    const auto event = *std::exchange(put_, std::nullopt);
    taken ? event.set(put_size_) : event.set_exception(ReaderGone());
  }

  static std::runtime_error ReaderGone() { return std::runtime_error("the reader is gone"); }

  void Fail(std::string_view step, int code) {
    const std::string peer = client_->options.server.HostPort();
    exchange_.OnFailure(DescribeFailure(
        {.step = step, .code = code, .peer = peer, .verification = *client_->verification}));
    client_->family_known = false;  // the name may have moved
    Done();
  }

  void Done() {
    client_.reset();
    done_();
  }

  HttpRequest request_;
  Exchange exchange_;
  const std::function<void()> done_;
  std::shared_ptr<CpprestClient> client_;
  pplx::cancellation_token_source cancel_;
  std::optional<pplx::task_completion_event<std::size_t>> put_;  // the pending one
  std::size_t put_size_ = 0;
};

class CpprestPool final : public HttpPool {
 public:
  // False: somebody else has started the pool, with who knows how many threads.
  static bool Start() {
    SetUpOpenssl();  // first, so that it is torn down last: the pool needs it to the end
    try {
      crossplat::threadpool::initialize_with_threads(1);
    } catch (const std::exception&) {
      return false;
    }
    PoolThread().post([] { pthread_setname_np(pthread_self(), "http-pool"); });
    return true;
  }
  void Post(std::function<void()> work) override { PoolThread().post(std::move(work)); }
  std::shared_ptr<PoolCall> NewCall(HttpRequest request, std::function<void()> done) override {
    return std::make_shared<CpprestCall>(std::move(request), std::move(done));
  }
  std::shared_ptr<PoolClient> NewClient(PoolClientOptions options) override {
    return std::make_shared<CpprestClient>(std::move(options));
  }
};

}  // namespace

util::Expected<std::unique_ptr<HttpTransport>> NewCpprestTransport(const Config& config) {
  static const bool started = CpprestPool::Start();
  static CpprestPool pool;
  if (!started) {
    return util::Err(util::ErrorReason::kInvalidArgument, "cpprestsdk's pool was already running");
  }
  return NewPooledTransport(pool, config);
}

}  // namespace clientgo::rest
