// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/http1_transport.h"

#include <chrono>
#include <optional>
#include <utility>

#include "clientgo/transport/connection.h"
#include "clientgo/transport/http1_response.h"
#include "clientgo/transport/proxy.h"
#include "clientgo/transport/server_address.h"

namespace clientgo::transport {
namespace {

using util::Err;
using util::ErrorReason;

class Http1Transport final : public HttpTransport {
 public:
  Http1Transport(std::shared_ptr<ConnectionPool> pool, const Http1Options& options)
      : pool_(std::move(pool)), options_(options) {}

  util::Expected<std::unique_ptr<HttpResponse>> RoundTrip(std::stop_token stop,
                                                          const HttpRequest& request) override {
    const Http1Limits limits(request);
    for (;;) {
      auto material = pool_->Material();
      if (!material) return Err(std::move(material.error()));
      auto connection = pool_->Take(*material);
      const bool reused = connection != nullptr;
      if (!reused) connection = std::make_unique<Connection>(pool_->route(), *material);
      auto response = std::make_unique<Http1Response>(pool_, std::move(connection), stop, limits);
      if (!reused) {
        if (auto opened = response->Open(); !opened) return Err(std::move(opened.error()));
      }
      const auto check =
          request.long_running ? options_.certificate_check_period : std::chrono::milliseconds(0);
      const auto before = std::chrono::steady_clock::now();
      auto started = response->Start(request, check);
      if (started) return response;
      // A reused connection may have been closed by the server while it was idle; only GET requests
      // are retried then. Silence for the whole idle timeout does not mean that it was closed.
      const bool was_closed = reused && !response->answered() &&
                              started.error().reason == ErrorReason::kUnexpectedEof &&
                              std::chrono::steady_clock::now() - before < request.idle_timeout;
      if (!was_closed || request.method != "GET") return Err(std::move(started.error()));
    }
  }

 private:
  const std::shared_ptr<ConnectionPool> pool_;
  const Http1Options options_;
};

util::Expected<void> CheckTls(const ServerAddress& server, const Config& config) {
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
util::Expected<std::optional<Proxy>> ChooseProxy(const ServerAddress& server,
                                                 const Config& config) {
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

util::Expected<std::unique_ptr<HttpTransport>> NewHttp1Transport(const Config& config,
                                                                 const Http1Options& options) {
  auto server = ParseServerAddress(config.host);
  if (!server) return Err(std::move(server.error()));
  if (auto sound = CheckTls(*server, config); !sound) return Err(std::move(sound.error()));
  auto proxy = ChooseProxy(*server, config);
  if (!proxy) return Err(std::move(proxy.error()));
  Route route{
      .server = *server,
      .proxy = std::move(*proxy),
      .name_to_verify = config.tls.server_name.empty() ? server->host : config.tls.server_name,
      .insecure_skip_verify = config.tls.insecure_skip_verify};
  auto pool = std::make_shared<ConnectionPool>(std::move(route), config,
                                               options.idle_connection_timeout, options.dial);
  if (auto material = pool->Material(); !material) return Err(std::move(material.error()));
  return std::make_unique<Http1Transport>(std::move(pool), options);
}

}  // namespace clientgo::transport
