// SPDX-License-Identifier: Apache-2.0
#include "cmd/test-server/etcd.h"

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "capstan/file.h"
#include "capstan/flags/flag_set.h"
#include "capstan/httpserver/server.h"
#include "capstan/log.h"
#include "capstan/runnable.h"
#include "capstan/signals.h"
#include "capstan/text.h"
#include "cmd/test-server/known_arguments.h"

namespace capstan::cmd::test_server {
namespace {

using flags::Bind;
using httpserver::Exchange;
using httpserver::Request;

constexpr char kEtcdVersion[] = "3.6.5";  // the one that Kubernetes 1.34 is tested with

struct EtcdOptions {
  std::string data_dir = "default.etcd";
  std::vector<std::string> listen_client_urls = {"http://localhost:2379"};
  std::string cert_file;
  std::string key_file;
};

flags::FlagSet NewFlagSet(EtcdOptions& options) {
  flags::FlagSet set({.name = "etcd",
                      .description =
                          "This is capstan-test-server under the name etcd. It listens, reports\n"
                          "that it is healthy, and stores nothing: kube-apiserver beside it has\n"
                          "its objects in memory. All other flags of etcd are ignored.",
                      .version = kEtcdVersion});
  set.AddSection("Member",
                 {Bind("data-dir", &options.data_dir, "Folder to create. It stays empty."),
                  Bind("listen-client-urls", &options.listen_client_urls, "URLs to listen on."),
                  Bind("cert-file", &options.cert_file, "Certificate for https URLs."),
                  Bind("key-file", &options.key_file, "Key for https URLs.")});
  set.AddSection("Logs", flags::LogFlags("Verbosity of the log."));
  return set;
}

// Endpoint is one client URL.
struct Endpoint {
  bool tls = false;
  std::string address = {};
  std::uint16_t port = 0;
};

Expected<Endpoint> ParseUrl(const std::string& url) {
  constexpr std::string_view kHttp = "http://";
  constexpr std::string_view kHttps = "https://";
  Endpoint endpoint{.tls = url.starts_with(kHttps)};
  std::string_view rest = url;
  if (endpoint.tls || rest.starts_with(kHttp)) {
    rest.remove_prefix(endpoint.tls ? kHttps.size() : kHttp.size());
    rest = rest.substr(0, rest.find('/'));
    const std::size_t colon = rest.rfind(':');
    if (colon != std::string_view::npos) {
      const std::string_view port = rest.substr(colon + 1);
      const auto [end, error] =
          std::from_chars(port.data(), port.data() + port.size(), endpoint.port);
      endpoint.address = rest.substr(0, colon);
      if (error == std::errc() && end == port.data() + port.size()) return endpoint;
    }
  }
  return flags::InvalidArgument(url, "listen-client-urls", "expected http://ADDRESS:PORT");
}

void Answer(const Request& request, Exchange& exchange) {
  constexpr char kJson[] = "application/json";
  const std::string version = kEtcdVersion;
  if (request.path == "/health") {
    return exchange.Respond(200, kJson, R"({"health":"true","reason":""})");
  }
  if (request.path == "/version") {
    return exchange.Respond(200, kJson,
                            R"({"etcdserver":")" + version + R"(","etcdcluster":"3.6.0"})");
  }
  if (request.path == "/livez" || request.path == "/readyz") {
    return exchange.Respond(200, "text/plain; charset=utf-8", "ok\n");
  }
  exchange.Respond(404, "text/plain; charset=utf-8",
                   "capstan-test-server stores nothing in etcd\n");
}

Expected<std::unique_ptr<httpserver::TlsFiles>> ReadTls(const EtcdOptions& options) {
  auto cert = ReadFile(options.cert_file);
  if (!cert) return Err(cert.error().Wrap("--cert-file"));
  auto key = ReadFile(options.key_file);
  if (!key) return Err(key.error().Wrap("--key-file"));
  return std::make_unique<httpserver::TlsFiles>(
      httpserver::TlsFiles{.cert_pem = *std::move(cert), .key_pem = *std::move(key)});
}

Expected<std::unique_ptr<httpserver::Server>> Listen(const EtcdOptions& options,
                                                     const std::string& url) {
  auto endpoint = ParseUrl(url);
  if (!endpoint) return Err(std::move(endpoint.error()));
  httpserver::ServerOptions http{
      .name = "etcd", .address = std::move(endpoint->address), .port = endpoint->port};
  if (endpoint->tls) {
    auto files = ReadTls(options);
    if (!files) return Err(std::move(files.error()));
    http.tls = *std::move(files);
  }
  auto server = std::make_unique<httpserver::Server>(
      std::move(http), [](const Request& request, const std::shared_ptr<Exchange>& exchange) {
        Answer(request, *exchange);
      });
  if (auto started = server->Start(); !started) return Err(std::move(started.error()));
  InfoS("Serving", "server", "etcd", "url", url, "port", server->port());
  return server;
}

// As programs with Go's package flag, etcd accepts each flag also with one dash.
std::vector<std::string> WithTwoDashes(std::vector<std::string> arguments) {
  for (std::string& argument : arguments) {
    if (argument.size() > 2 && argument[0] == '-' && argument[1] != '-') argument.insert(0, "-");
  }
  return arguments;
}

}  // namespace

Expected<void> RunEtcd(const std::vector<std::string>& arguments) {
  EtcdOptions options;
  flags::FlagSet set = NewFlagSet(options);
  const KnownArguments split = SplitKnown(set, WithTwoDashes(arguments));
  const auto runs = set.ParseOrPrint(split.known);
  if (!runs) return Err(runs.error());
  if (!*runs) return {};
  const SignalWaiter signals;
  if (!split.unknown.empty()) {
    V(1).InfoS("Ignored unknown flags", "flags", Join(split.unknown, " "));
  }
  std::error_code failed;
  std::filesystem::create_directories(options.data_dir, failed);
  if (failed) {
    return Err(ErrorReason::kInvalidArgument,
               "failed to create --data-dir=" + options.data_dir + ": " + failed.message());
  }
  std::vector<std::unique_ptr<httpserver::Server>> servers;
  for (const std::string& url : options.listen_client_urls) {
    auto server = Listen(options, url);
    if (!server) return Err(std::move(server.error()));
    servers.push_back(*std::move(server));
  }
  WaitForStop(signals.token());
  return {};
}

}  // namespace capstan::cmd::test_server
