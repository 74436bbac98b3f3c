// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/connection_pool.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "capstan/time.h"
#include "clientgo/transport/proxy.h"

namespace capstan::transport {
namespace {

// client-go's MaxIdleConnsPerHost.
constexpr std::size_t kIdleMax = 25;
// Limits the proxy's CONNECT and the TLS handshake together. Each also ends when the peer is silent
// for ten seconds.
constexpr std::chrono::seconds kHandshakesTimeout{20};

Expected<void> CheckTls(const ServerAddress& server, const Config& config) {
  const auto invalid = [](std::string message) {
    return Err(ErrorReason::kInvalidArgument, std::move(message));
  };
  const TlsConfig& tls = config.tls;
  if (!server.tls && !(tls.cert_data.empty() && tls.cert_file.empty())) {
    return invalid("server \"" + config.host + "\": a client certificate needs https://");
  }
  if (tls.insecure_skip_verify && !(tls.ca_data.empty() && tls.ca_file.empty())) {
    return invalid("specifying a root certificates file with the insecure flag is not allowed");
  }
  return {};
}

// Chooses the proxy by the configuration or, when it names none, by the environment.
Expected<std::optional<Proxy>> ChooseProxy(const ServerAddress& server, const Config& config) {
  const bool by_environment = config.proxy_url.empty();
  const std::string url =
      by_environment ? ProxyFor(server, ProxyEnvironment::OfProcess()) : config.proxy_url;
  if (url.empty()) return std::nullopt;
  auto proxy = ParseProxyUrl(url);
  if (proxy) return std::move(*proxy);
  if (!by_environment) return Err(std::move(proxy.error()));
  return Err(proxy.error().Wrap(server.tls ? "HTTPS_PROXY" : "HTTP_PROXY"));
}

}  // namespace

ExchangeLimits::ExchangeLimits(const HttpRequest& request)
    : begin(std::chrono::steady_clock::now()),
      answer(Clock::Real().After(std::min(request.answer_timeout, request.timeout))),
      end(Clock::Real().After(request.timeout)) {}

std::string ExchangeLimits::Overrun(const std::string& server, bool answered,
                                    std::string_view step) const {
  const auto passed =
      std::chrono::round<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  return (answered ? "incomplete response from " : "no response from ") + server + " within " +
         FormatDuration(passed) + " (" + std::string(step) + ")";
}

Expected<Route> RouteOf(const Config& config) {
  const TlsConfig& tls = config.tls;
  const bool default_tls = tls.insecure_skip_verify || !tls.ca_data.empty() ||
                           !tls.ca_file.empty() || !tls.cert_data.empty() || !tls.cert_file.empty();
  auto server = ParseServerAddress(config.host, default_tls);
  if (!server) return Err(std::move(server.error()));
  if (auto sound = CheckTls(*server, config); !sound) return Err(std::move(sound.error()));
  auto proxy = ChooseProxy(*server, config);
  if (!proxy) return Err(std::move(proxy.error()));
  return Route{
      .server = *server,
      .proxy = std::move(*proxy),
      .name_to_verify = config.tls.server_name.empty() ? server->host : config.tls.server_name,
      .insecure_skip_verify = config.tls.insecure_skip_verify};
}

Expected<std::shared_ptr<ConnectionPool>> ConnectionPool::New(const Config& config,
                                                              const TransportOptions& options) {
  auto route = RouteOf(config);
  if (!route) return Err(std::move(route.error()));
  auto pool = std::make_shared<ConnectionPool>(std::move(*route), config, options);
  if (auto material = pool->Material(); !material) return Err(std::move(material.error()));
  return pool;
}

Expected<std::unique_ptr<Connection>> ConnectionPool::Open(
    const std::stop_token& stop, const std::shared_ptr<const TlsMaterial>& material,
    const Connection::OnStep& on_step, Http2 http2) {
  auto connection = std::make_unique<Connection>(route_, material, http2);
  const std::stop_callback on_stop(stop, [opening = connection.get()] { opening->Cancel(); });
  const auto limit = options_.dial.timeout + kHandshakesTimeout;
  connection->set_deadline(std::chrono::steady_clock::now() + limit);
  auto opened = connection->Open(stop, dialing_, on_step);
  if (opened) return connection;
  Error& error = opened.error();
  if (error.reason == ErrorReason::kDeadlineExceeded) {
    // It is not the caller's deadline.
    error.reason = ErrorReason::kUnexpectedEof;
    error.message = route_.server.HostPort() + ": no connection within " + FormatDuration(limit) +
                    " (" + std::string(connection->step()) + ")";
  }
  return Err(std::move(error));
}

Expected<std::unique_ptr<Connection>> ConnectionPool::OpenHttp1(const std::stop_token& stop) {
  const auto material = Material();
  if (!material) return Err(material.error());
  return Open(stop, *material, {}, Http2::kOff);
}

Expected<std::shared_ptr<const TlsMaterial>> ConnectionPool::Material() {
  if (!route_.server.tls) return nullptr;
  return tls_.Current();
}

std::unique_ptr<Connection> ConnectionPool::Take(
    const std::shared_ptr<const TlsMaterial>& material) {
  const auto now = std::chrono::steady_clock::now();
  std::vector<Idle> stale;  // closed after the lock is released
  MutexLock lock(mu_);
  std::unique_ptr<Connection> found;
  while (!idle_.empty() && !found) {
    Idle last = std::move(idle_.back());
    idle_.pop_back();
    const bool fit = last.connection->material() == material &&
                     now - last.since < options_.idle_connection_timeout &&
                     last.connection->IsQuiet();
    if (fit) {
      found = std::move(last.connection);
    } else {
      stale.push_back(std::move(last));
    }
  }
  return found;
}

void ConnectionPool::OnUnanswered(const std::optional<Endpoint>& endpoint, Clock::TimePoint since) {
  {
    MutexLock lock(mu_);
    const bool same = endpoint && answered_ && SameAddress(*endpoint, *answered_);
    if (same && answered_at_ >= since) return;
  }
  OnUnanswered(endpoint);
}

void ConnectionPool::OnAnswered(const std::optional<Endpoint>& endpoint) {
  const auto now = std::chrono::steady_clock::now();
  MutexLock lock(mu_);
  answered_ = endpoint;
  answered_at_ = now;
}

void ConnectionPool::OnUnanswered(const std::optional<Endpoint>& endpoint) {
  if (endpoint) dialing_.order.OnFailed(*endpoint);
  std::deque<Idle> idle;  // closed after the lock is released
  MutexLock lock(mu_);
  idle.swap(idle_);
}

void ConnectionPool::Put(std::unique_ptr<Connection> connection) {
  const auto now = std::chrono::steady_clock::now();
  std::vector<Idle> stale;  // closed after the lock is released
  MutexLock lock(mu_);
  // The oldest are at the front. Take prefers the newest and might never reach them.
  while (!idle_.empty() && now - idle_.front().since >= options_.idle_connection_timeout) {
    stale.push_back(std::move(idle_.front()));
    idle_.pop_front();
  }
  if (idle_.size() < kIdleMax) idle_.push_back({std::move(connection), now});
}

}  // namespace capstan::transport
