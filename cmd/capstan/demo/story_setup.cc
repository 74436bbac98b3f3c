// SPDX-License-Identifier: Apache-2.0
// Story's ends: connecting, starting the manager, measuring, cleaning up.
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>

#include "clientgo/api/webhook_configuration.h"
#include "clientgo/clientcmd/config.h"
#include "clientgo/transport/http1_transport.h"
#include "cmd/capstan/demo/private_file.h"
#include "cmd/capstan/demo/story.h"

namespace cmd::capstan::demo {

using clientgo::util::Err;
using clientgo::util::ErrorReason;

namespace {

constexpr char kToken[] = "demo";  // of a server that lives as long as the demo, on loopback
constexpr char kUserAgent[] = "capstan-demo";

}  // namespace

Story::Story(DemoOptions options)
    : options_(std::move(options)), console_(stdout, options_.plain) {}

Story::~Story() { CleanUp(); }

Story::Step Story::Connect() {
  std::string pattern = (std::filesystem::temp_directory_path() / "capstan-demo-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return Err(ErrorReason::kUnknown, pattern + ": " + std::strerror(errno));
  }
  folder_ = pattern;
  kubeconfig_ = options_.kubeconfig;
  if (kubeconfig_.empty()) {
    console_.Heading("An API server inside this process, over TLS");
    server_ = std::make_unique<apiserver::Server>(
        apiserver::Options{.tokens = {{kToken, "capstan-demo"}}});
    if (auto started = server_->Start(); !started) return started;
    kubeconfig_ = folder_ + "/kubeconfig";
    if (auto written = WritePrivateFile(kubeconfig_, server_->Kubeconfig(kToken)); !written) {
      return written;
    }
    console_.Good(server_->url());
  }
  auto config = clientgo::clientcmd::LoadConfig({.kubeconfig = kubeconfig_});
  if (!config) return Err(config.error());
  config->user_agent = kUserAgent;
  if (!server_) console_.Heading("The API server of " + kubeconfig_ + ": " + config->host);
  auto client = clientgo::rest::Client::New(*config);
  if (!client) return Err(client.error());
  client_ = std::move(*client);
  cluster_ = std::make_unique<DemoCluster>(*client_, options_.cluster);
  return {};
}

Story::Step Story::StartManager(std::stop_token /*stop*/) {
  console_.Heading("Starting capstan-controller-manager against it");
  auto port = FreePort();
  if (!port) return Err(port.error());
  const std::string address = "127.0.0.1:" + std::to_string(*port);
  if (server_) server_->ResetRequests();
  std::vector<std::string> arguments = {"--kubeconfig=" + kubeconfig_,
                                        "--metrics-listen-address=" + address, "-v=2",
                                        "--leader-election-namespace=" + options_.cluster.ns};
  // On somebody's cluster: no Secret but the demo's own is read, nothing else is injected.
  if (!server_) arguments.push_back("--namespace=" + options_.cluster.ns);
  if (!options_.feature_gates.empty()) {
    arguments.push_back("--feature-gates=" + options_.feature_gates);
  }
  const std::string program =
      options_.manager.empty() ? SiblingProgram("capstan-controller-manager") : options_.manager;
  if (auto started = manager_.Start(program, arguments, folder_ + "/manager.log"); !started) {
    return started;
  }
  auto transport = clientgo::transport::NewHttp1Transport({.host = "http://" + address});
  if (!transport) return Err(transport.error());
  metrics_ = std::move(*transport);
  std::string line = program;
  for (const std::string& argument : arguments) line += " " + argument;
  console_.Good(line);
  return {};
}

int Story::InSync() const {
  int in_sync = 0;
  for (const auto* informer : informers_->informers()) {
    for (const auto& object : informer->store().List()) {
      const auto& configuration = static_cast<const clientgo::api::WebhookConfiguration&>(*object);
      if (cluster_->IsInSync(configuration)) ++in_sync;
    }
  }
  return in_sync;
}

std::optional<double> Story::Series(std::stop_token stop, const std::string& name) {
  if (!metrics_) return {};
  auto response = metrics_->RoundTrip(stop, {.target = "/metrics"});
  if (!response || (*response)->status() != 200) return {};
  std::string text = "\n";
  for (auto piece = (*response)->Read(); piece && !piece->empty(); piece = (*response)->Read()) {
    text += *piece;
  }
  const std::size_t at = text.find("\n" + name + " ");
  if (at == std::string::npos) return {};
  return std::strtod(text.c_str() + at + 1 + name.size(), nullptr);
}

std::string Story::State(std::stop_token stop) {
  const auto secrets = Series(stop, R"(capstan_cache_objects{resource="secrets"})");
  return std::to_string(static_cast<long>(secrets.value_or(0))) + " Secrets cached, " +
         std::to_string(InSync()) + "/" + std::to_string(cluster_->expected_configurations()) +
         " targets in sync, manager RSS " + Memory("VmRSS");
}

std::string Story::Memory(const std::string& field) const {
  const auto kib = manager_.MemoryKib(field);
  if (!kib) return "unknown";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f MiB", static_cast<double>(*kib) / 1024);
  return text.data();
}

void Story::ReportCalls() {
  if (!server_) return;
  const std::string agent = "capstan-controller-manager";
  const auto gets =
      server_->CountRequests({.verb = "get", .resource = "secrets", .user_agent = agent});
  std::uint64_t writes = 0;
  for (const char* resource :
       {"validatingwebhookconfigurations", "mutatingwebhookconfigurations"}) {
    writes += server_->CountRequests({.verb = "patch", .resource = resource, .user_agent = agent});
  }
  console_.Line("        the manager needed " + std::to_string(gets) + " GET of a Secret and " +
                std::to_string(writes) + " writes");
}

void Story::TellManagerLog() {
  constexpr std::size_t kLines = 15;
  std::ifstream log(folder_ + "/manager.log");
  std::deque<std::string> last;
  for (std::string line; std::getline(log, line);) {
    last.push_back(std::move(line));
    if (last.size() > kLines) last.pop_front();
  }
  if (last.empty()) return;
  console_.Line("\nthe manager's last lines:");
  for (const std::string& line : last) console_.Line("  " + line);
}

void Story::CleanUp() {
  if (manager_.Running() && metrics_) manager_.Stop(std::chrono::seconds(10));
  informers_stop_.request_stop();
  if (informers_) informers_->Shutdown();
  informers_.reset();
  if (cluster_ && !server_) {
    console_.Line("\ncleaning up");
    if (auto cleaned = cluster_->CleanUp({}); !cleaned) {
      console_.Line("  note  not everything could be deleted: " + cleaned.error().message);
    }
  }
  cluster_.reset();
  client_.reset();
  metrics_.reset();
  if (server_) server_->Stop();
  server_.reset();
  std::error_code ignored;  // nothing is left to do about it
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  folder_.clear();
}

}  // namespace cmd::capstan::demo
