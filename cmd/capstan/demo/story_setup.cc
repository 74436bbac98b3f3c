// SPDX-License-Identifier: Apache-2.0
// Story's ends: connecting, starting the manager, measuring, cleaning up.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "clientgo/clientcmd/config.h"
#include "cmd/capstan/demo/private_file.h"
#include "cmd/capstan/demo/story.h"
#include "controllers/cainjector/api/objects.h"

namespace cmd::capstan::demo {

using clientgo::util::Err;
using clientgo::util::ErrorReason;

namespace {

constexpr char kToken[] = "demo";  // of a server that lives as long as the demo, on loopback
constexpr char kUserAgent[] = "capstan-demo";

}  // namespace

Story::Story(DemoOptions options)
    : options_(std::move(options)), console_(stdout, options_.plain, record_) {}

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

Story::Step Story::StartManager(const std::stop_token& /*stop*/) {
  console_.Heading("Starting capstan-controller-manager against it");
  if (server_) server_->ResetRequests();
  std::vector<std::string> arguments = {"--kubeconfig=" + kubeconfig_, "-v=2",
                                        "--leader-election-namespace=" + options_.cluster.ns};
  // On somebody's cluster: no Secret but the demo's own is read, nothing else is injected.
  if (!server_) arguments.push_back("--namespace=" + options_.cluster.ns);
  if (!options_.feature_gates.empty()) {
    arguments.push_back("--feature-gates=" + options_.feature_gates);
  }
  const auto started = manager_.Start({.name = "capstan-controller-manager",
                                       .path = options_.manager,
                                       .arguments = std::move(arguments),
                                       .log_path = folder_ + "/manager.log"});
  if (!started) return Err(started.error());
  console_.Good(*started);
  return {};
}

int Story::InSync() const {
  int in_sync = 0;
  for (const auto* informer : informers_->informers()) {
    for (const auto& object : informer->store().List()) {
      const auto& configuration =
          static_cast<const controllers::cainjector::api::WebhookConfiguration&>(*object);
      if (cluster_->IsInSync(configuration)) ++in_sync;
    }
  }
  return in_sync;
}

std::string Story::State(const std::stop_token& stop) {
  const auto secrets = manager_.Metric(stop, "capstan_cache_objects", R"(resource="secrets")");
  return std::to_string(static_cast<long>(secrets.value_or(0))) + " Secrets cached, " +
         std::to_string(InSync()) + "/" + std::to_string(cluster_->expected_configurations()) +
         " targets in sync, manager RSS " + manager_.Memory("VmRSS");
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

void Story::TellLogs() {
  for (const Program* program : {&manager_, &agent_}) {
    const auto last = program->LastLines();
    if (last.empty()) continue;
    console_.Line(std::string("\nthe last lines of the ") +
                  (program == &manager_ ? "manager:" : "node agent:"));
    for (const std::string& line : last) console_.Line("  " + line);
  }
}

void Story::CleanUp() {
  for (Program* program : {&agent_, &manager_}) {
    if (program->Running()) program->Stop();
  }
  informers_stop_.request_stop();
  if (informers_) informers_->Shutdown();
  informers_.reset();
  if (cluster_ && !server_) {
    console_.Line("\ncleaning up");
    Step cleaned = breakage_ ? breakage_->CleanUp({}) : Step();
    if (auto gone = pods_ ? pods_->CleanUp({}) : Step(); cleaned) cleaned = std::move(gone);
    if (auto rest = cluster_->CleanUp({}); cleaned) cleaned = std::move(rest);
    if (!cleaned) {
      console_.Line("  note  not everything could be deleted: " + cleaned.error().message);
    }
  }
  breakage_.reset();
  pods_.reset();
  cluster_.reset();
  client_.reset();
  if (server_) server_->Stop();
  server_.reset();
  std::error_code ignored;  // nothing is left to do about it
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  folder_.clear();
}

}  // namespace cmd::capstan::demo
