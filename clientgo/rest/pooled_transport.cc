// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/pooled_transport.h"

#include <glog/logging.h>

#include <future>
#include <map>
#include <utility>

#include "clientgo/util/logging.h"
#include "clientgo/util/mutex.h"

namespace clientgo::rest {
namespace {

using util::Err;
using util::ErrorReason;

// What the calls of one transport share; they keep it alive.
struct Shared {
  Shared(HttpPool& pool_in, ServerAddress address, const Config& config)
      : pool(pool_in),
        server(std::move(address)),
        server_name(server.tls ? config.tls.server_name : ""),
        insecure(config.tls.insecure_skip_verify),
        tls(config.tls, config.source) {}

  // Pool thread only.
  std::shared_ptr<PoolClient> ClientFor(bool long_running, std::chrono::milliseconds timeout,
                                        const std::shared_ptr<const TlsMaterial>& material);
  void OnStart();
  void OnDone();

  HttpPool& pool;
  const ServerAddress server;
  const std::string server_name;
  const bool insecure;
  TlsSource tls;

  // Pool thread only. Unary requests share a client for each timeout they ask for: one or two.
  std::map<std::chrono::milliseconds, std::shared_ptr<PoolClient>> unary;
  std::shared_ptr<const TlsMaterial> unary_material;

  util::Mutex mu;
  util::CondVar changed;
  int live GUARDED_BY(mu) = 0;  // calls that are not done
};

std::shared_ptr<PoolClient> Shared::ClientFor(bool long_running, std::chrono::milliseconds timeout,
                                              const std::shared_ptr<const TlsMaterial>& material) {
  const PoolClientOptions options{
      .server = server,
      .timeout = timeout,
      .material = material,
      .name_to_verify = server_name.empty() ? server.host : server_name,
      .send_sni = !server_name.empty() || !server.IsIpv4Literal(),  // an address is not a valid SNI
      .insecure_skip_verify = insecure};
  if (long_running) return pool.NewClient(options);
  // New credentials: the pooled connections were made with the old ones.
  if (std::exchange(unary_material, material) != material) unary.clear();
  auto& client = unary[timeout];
  if (!client) client = pool.NewClient(options);
  return client;
}

void Shared::OnStart() {
  util::MutexLock lock(mu);
  ++live;
}

void Shared::OnDone() {
  util::MutexLock lock(mu);
  --live;
  changed.NotifyAll();
}

class PooledTransport final : public HttpTransport {
 public:
  explicit PooledTransport(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  ~PooledTransport() override;
  util::Expected<std::unique_ptr<HttpResponse>> RoundTrip(std::stop_token stop,
                                                          const HttpRequest& request) override;

 private:
  const std::shared_ptr<Shared> shared_;
};

PooledTransport::~PooledTransport() {
  {
    // What is left are aborted calls. Only a name server that does not answer can hold one up.
    util::MutexLock lock(shared_->mu);
    const auto idle = [this]() REQUIRES(shared_->mu) { return shared_->live == 0; };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    if (!shared_->changed.WaitUntil(shared_->mu, std::stop_token(), deadline, idle)) {
      LOG(WARNING) << util::Kv("Requests still running at the end", "count", shared_->live);
    }
  }
  std::promise<void> gone;
  shared_->pool.Post([this, &gone] {
    shared_->unary.clear();
    gone.set_value();
  });
  gone.get_future().wait();
}

util::Expected<std::unique_ptr<HttpResponse>> PooledTransport::RoundTrip(
    std::stop_token stop, const HttpRequest& request) {
  std::shared_ptr<const TlsMaterial> material;
  if (shared_->server.tls) {
    auto current = shared_->tls.Current();
    if (!current) return Err(std::move(current.error()));
    material = std::move(*current);
  }
  HttpRequest prepared = request;
  // The library holds a whole chunk of a response, and a server may send a whole list as one. What
  // it compresses comes in chunks of a few KiB; what is too small to compress is small as a chunk,
  // too (docs/decisions). Of watches each event is a chunk, and compressing them breaks clients.
  const bool may_be_long = request.method == "GET" && !request.long_running;
  prepared.headers.emplace_back("Accept-Encoding", may_be_long ? "gzip" : "identity");
  // The library takes this header for SNI, verification and the choice of a connection, too.
  if (!shared_->server_name.empty()) prepared.headers.emplace_back("Host", shared_->server_name);

  HttpPool& pool = shared_->pool;
  shared_->OnStart();
  auto call = pool.NewCall(std::move(prepared), [shared = shared_] { shared->OnDone(); });
  pool.Post([shared = shared_, call, material, long_running = request.long_running,
             timeout = request.idle_timeout] {
    call->Start(shared->ClientFor(long_running, timeout, material));
  });
  return AwaitResponse(std::move(stop), std::shared_ptr<Exchange>(call, &call->exchange()),
                       [&pool, call] { pool.Post([call] { call->Abort(); }); });
}

}  // namespace

util::Expected<std::unique_ptr<HttpTransport>> NewPooledTransport(HttpPool& pool,
                                                                  const Config& config) {
  const auto invalid = [](std::string message) {
    return Err(ErrorReason::kInvalidArgument, std::move(message));
  };
  auto server = ParseServerAddress(config.host);
  if (!server) return Err(std::move(server.error()));
  if (server->IsIpv6Literal()) {
    return invalid("server \"" + config.host +
                   "\": an IPv6 address is not supported, use a host name that resolves to it");
  }
  const TlsConfig& tls = config.tls;
  if (!server->tls && !(tls.cert_data.empty() && tls.cert_file.empty())) {
    return invalid("server \"" + config.host + "\": a client certificate needs https://");
  }
  if (tls.insecure_skip_verify && !(tls.ca_data.empty() && tls.ca_file.empty())) {
    return invalid("specifying a root certificates file with the insecure flag is not allowed");
  }
  auto shared = std::make_shared<Shared>(pool, std::move(*server), config);
  auto material = shared->tls.Current();
  if (!material) return Err(std::move(material.error()));
  return std::make_unique<PooledTransport>(std::move(shared));
}

}  // namespace clientgo::rest
