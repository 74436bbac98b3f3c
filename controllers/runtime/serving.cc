// SPDX-License-Identifier: Apache-2.0
#include "capstan/serving.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "capstan/httpserver/tls_options.h"
#include "capstan/log.h"
#include "capstan/logging.h"

namespace capstan {
namespace {

constexpr std::string_view kPlainText = "text/plain; charset=utf-8";
constexpr std::string_view kMetricsText = "text/plain; version=0.0.4; charset=utf-8";

std::vector<std::pair<std::string, std::string>> NotStored() {
  return {{"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-store"}};
}

tl::unexpected<Error> BadAddress(std::string_view text, std::string_view cause) {
  return Err(ErrorReason::kInvalidArgument,
             "listen address " + Quoted(text) + ": " + std::string(cause) +
                 "; use host:port, :port for all interfaces, or 0 for off");
}

}  // namespace

Expected<std::optional<BindAddress>> ParseBindAddress(std::string_view text) {
  if (text.empty() || text == "0") return std::nullopt;
  const std::size_t colon = text.rfind(':');
  const std::size_t bracket = text.rfind(']');
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) {
    return BadAddress(text, "missing port");
  }
  std::string_view host = text.substr(0, colon);
  const std::string_view port_text = text.substr(colon + 1);
  if (!host.empty() && host.front() == '[') {
    if (host.back() != ']') return BadAddress(text, "missing ']'");
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return BadAddress(text, "an IPv6 address needs [brackets]");
  }
  std::uint16_t port = 0;
  const char* end = port_text.data() + port_text.size();
  const auto [parsed_to, error] = std::from_chars(port_text.data(), end, port);
  if (error != std::errc() || parsed_to != end) {
    return BadAddress(text, "the port is not a number from 0 to 65535");
  }
  return BindAddress{std::string(host), port};
}

void UseServingTls(const ServingTls& tls, MetricsProvider* metrics,
                   httpserver::ServerOptions& server) {
  auto files = std::make_shared<httpserver::TlsFileSource>(tls.cert_file, tls.key_file, tls.options,
                                                           tls.client_ca_file);
  server.tls_source = [files] { return files->Current(); };
  if (metrics == nullptr) return;
  metrics->RegisterServingCertificate();
  server.on_tls_changed = [metrics](bool ok) { metrics->OnServingCertificateRead(ok); };
}

EndpointServer::EndpointServer(EndpointServerOptions options)
    : options_(std::move(options)),
      server_(std::make_unique<httpserver::Server>(
          ServerOptions(), [this](const httpserver::Request& request,
                                  const std::shared_ptr<httpserver::Exchange>& exchange) {
            Answer(request, *exchange);
          })) {}

httpserver::ServerOptions EndpointServer::ServerOptions() {
  httpserver::ServerOptions server{.name = options_.name,
                                   .address = options_.address.host,
                                   .port = options_.address.port,
                                   .body_bytes_max = 0,
                                   .connections_max = 64,
                                   .unsent_bytes_max = 2U << 20U,
                                   .send_buffer_bytes = 32 << 10};
  for (const EndpointPage& page : options_.pages) {
    if (page.takes_put) server.body_bytes_max = kPutBytesMax;
  }
  if (options_.tls) UseServingTls(*options_.tls, options_.metrics, server);
  return server;
}

Expected<void> EndpointServer::Listen() {
  if (listening_) return {};
  if (const auto started = server_->Start(); !started) {
    return Err(started.error().Wrap(options_.name + " server"));
  }
  listening_ = true;
  if (options_.periodic) server_->Post([this] { RunPeriodic(); });
  InfoS("Serving", "server", options_.name, "address", options_.address.host, "port",
        server_->port(), "tls", options_.tls.has_value());
  return {};
}

Expected<void> EndpointServer::Begin(std::stop_token /*stop*/) { return Listen(); }

void EndpointServer::End() { server_->Stop(); }

void EndpointServer::RunPeriodic() {
  options_.periodic();
  server_->PostAfter(options_.period, [this] { RunPeriodic(); });
}

void EndpointServer::Answer(const httpserver::Request& request,
                            httpserver::Exchange& exchange) const {
  const auto page = std::find_if(options_.pages.begin(), options_.pages.end(),
                                 [&](const EndpointPage& p) { return p.path == request.path; });
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const bool takes_put = page != options_.pages.end() && page->takes_put;
  if (!reads && !(request.method == "PUT" && takes_put)) {
    exchange.Respond(405, std::string(kPlainText), "method not allowed\n",
                     {{"Allow", takes_put ? "GET, HEAD, PUT" : "GET, HEAD"}});
    return;
  }
  if (page != options_.pages.end()) return AnswerPage(*page, request, exchange);
  if (request.path == "/metrics" && options_.metrics != nullptr) {
    exchange.Respond(200, std::string(kMetricsText), options_.metrics->Serialize());
    return;
  }
  if (AnswerHealth(request, exchange)) return;
  exchange.Respond(404, std::string(kPlainText), "404 page not found\n");
}

bool EndpointServer::AnswerHealth(const httpserver::Request& request,
                                  httpserver::Exchange& exchange) const {
  const std::string_view path = request.path;
  const std::array<std::pair<std::string_view, const HealthChecks*>, 3> endpoints = {
      {{"/healthz", options_.healthz}, {"/livez", options_.livez}, {"/readyz", options_.readyz}}};
  for (const auto& [prefix, checks] : endpoints) {
    if (checks == nullptr || path.substr(0, prefix.size()) != prefix) continue;
    const std::string_view subpath = path.substr(prefix.size());
    if (!subpath.empty() && subpath.front() != '/') continue;
    HealthChecks::Answer answer = checks->Handle(subpath, request.query);
    exchange.Respond(answer.status, std::string(kPlainText), std::move(answer.body), NotStored());
    return true;
  }
  return false;
}

void EndpointServer::AnswerPage(const EndpointPage& page, const httpserver::Request& request,
                                httpserver::Exchange& exchange) const {
  if (!request.from_loopback && !options_.pages_for_everybody) {
    exchange.Respond(403, std::string(kPlainText),
                     page.path +
                         " is for this machine only: use kubectl port-forward, or start "
                         "the program with --status-pages=all\n");
    return;
  }
  EndpointPage::Answer answer = page.answer(request);
  exchange.Respond(answer.status, std::move(answer.content_type), std::move(answer.body),
                   NotStored());
}

}  // namespace capstan
