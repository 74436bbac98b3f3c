// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/story.h"

#include <sys/utsname.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/clientcmd/config.h"
#include "capstan/flags/version.h"
#include "capstan/runnable.h"
#include "capstan/text.h"
#include "cmd/capstan-demo/cluster.h"
#include "cmd/capstan-demo/report.h"
#include "cmd/capstan/inspect/explain.h"
#include "controllers/cainjector/api/objects.h"

namespace capstan::cmd::capstan_demo {
namespace {

constexpr char kToken[] = "demo";  // of the embedded server
constexpr char kUserAgent[] = "capstan-demo";

constexpr auto kTimeout = std::chrono::minutes(2);
constexpr auto kStorePollPeriod = std::chrono::milliseconds(5);

constexpr const char* kAgent = "capstan-node-agent";
// Writes allowed for a pod: its status and its gates, each with one retry.
constexpr int kWritesEachMax = 4;
// Lists and watches allowed in total, with retries.
constexpr int kReadsMax = 20;

// Returns "1.25" for format "%.2f".
std::string Printed(const char* format, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string Since(Clock::TimePoint start) {
  return Printed("%.2f s", std::chrono::duration<double>(Clock::Real().Now() - start).count());
}

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
    console_.Heading("Starting an embedded API server, over TLS");
    server_ = std::make_unique<testing::apiserver::Server>(
        testing::apiserver::Options{.tokens = {{kToken, "capstan-demo"}}});
    if (auto started = server_->Start(); !started) return started;
    kubeconfig_ = folder_ + "/kubeconfig";
    if (auto written = WritePrivateFile(kubeconfig_, server_->Kubeconfig(kToken)); !written) {
      return written;
    }
    console_.Good(server_->url());
  }
  auto config = clientcmd::LoadConfig({.kubeconfig = kubeconfig_});
  if (!config) return Err(config.error());
  config->user_agent = kUserAgent;
  if (!server_) console_.Heading("The API server of " + kubeconfig_ + ": " + config->host);
  auto client = rest::Client::New(*config);
  if (!client) return Err(client.error());
  client_ = std::move(*client);
  cluster_ = std::make_unique<DemoCluster>(*client_, options_.cluster);
  return {};
}

Story::Step Story::StartManager(const std::stop_token& /*stop*/) {
  console_.Heading("Starting capstan-controller-manager");
  if (server_) server_->ResetRequests();
  std::vector<std::string> arguments = {"--kubeconfig=" + kubeconfig_, "-v=2",
                                        "--leader-election-namespace=" + options_.cluster.ns};
  // On a real cluster the manager reads and injects only the objects of the demo.
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
      const auto& configuration = static_cast<const cainjector::Injectable&>(*object);
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

void Story::PrintLogs() {
  for (const Program* program : {&manager_, &agent_}) {
    const auto last = program->LastLines();
    if (last.empty()) continue;
    console_.Line(std::string("\nlast log lines of the ") +
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
      console_.Line("  note  failed to delete everything: " + cleaned.error().message);
    }
  }
  breakage_.reset();
  pods_.reset();
  cluster_.reset();
  client_.reset();
  if (server_) server_->Stop();
  server_.reset();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  folder_.clear();
}

bool Story::Run(const std::stop_token& stop) {
  const auto started = Clock::Real().Now();
  Step result = Steps(stop);
  if (!result) PrintLogs();
  CleanUp();
  const std::string took = Since(started);
  record_.Fact("Took", took);
  const std::string verdict =
      result ? "PASSED: " + std::to_string(verified_) +
                   " webhook configurations were read back and every bundle in them compared equal"
             : "FAILED: " + result.error().message;
  if (!result) console_.Bad(result.error().message);
  record_.End(result.has_value(), verdict);
  if (auto written = WriteReport(); !written) {
    console_.Bad(written.error().message);
    result = std::move(written);
  }
  if (!options_.report.empty()) console_.Line("\nreport: " + options_.report);
  console_.Line("\nverdict: " + (result ? verdict + " (" + took + ")" : "FAILED"));
  if (page_ != nullptr && !stop.stop_requested()) {
    console_.Line("served until Ctrl-C: " + page_->url());
    WaitForStop(stop);
  }
  return result.has_value();
}

Story::Step Story::Steps(const std::stop_token& stop) {
  if (auto step = Connect(); !step) return step;
  using Method = Step (Story::*)(const std::stop_token&);
  for (const Method method :
       {&Story::Fill, &Story::StartManager, &Story::FirstInjection, &Story::Rotation,
        &Story::BreakAndFix, &Story::OpenGates, &Story::CutWatches, &Story::GoneWatches,
        &Story::RestartServer, &Story::StopPrograms}) {
    if (auto step = (this->*method)(stop); !step) return step;
    if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "interrupted");
  }
  return {};
}

Story::Step Story::Fill(const std::stop_token& stop) {
  const int total = options_.cluster.secrets;
  console_.Heading("Filling the API server: " + std::to_string(total) + " Secrets of " +
                   std::to_string(options_.cluster.secret_bytes / 1024) + " KiB, " +
                   std::to_string(options_.cluster.configurations) + " webhook configurations");
  const auto started = Clock::Real().Now();
  std::mutex console_mutex;
  auto filled = cluster_->Fill(stop, [&](int created) {
    if (created % 500 != 0) return;
    const std::lock_guard lock(console_mutex);
    console_.Progress(std::to_string(created) + " of " + std::to_string(total) + " Secrets");
  });
  if (!filled) return filled;
  console_.Good("filled in " + Since(started));

  informers_ = std::make_unique<cache::SharedInformerFactory>(*client_, cache::FactoryOptions{});
  for (const bool validating : {true, false}) informers_->ForType(ConfigurationType(validating));
  informers_->Start(informers_stop_.get_token());
  if (!informers_->WaitForCacheSync(stop)) return Err(ErrorReason::kCanceled, "interrupted");
  return {};
}

Story::Step Story::FirstInjection(const std::stop_token& stop) {
  console_.Heading("Injecting the bundle of the Secret into every webhook");
  const auto started = Clock::Real().Now();
  if (auto step = AwaitInSync(stop, "first injection"); !step) return step;
  console_.Good("all in sync " + Since(started) +
                " after the manager was started; its peak memory so far is " +
                manager_.Memory("VmHWM"));
  ReportCalls();
  return {};
}

Story::Step Story::Rotation(const std::stop_token& stop) {
  console_.Heading("Rotating the CA; the old CA stays in the bundle until it expires");
  if (server_) server_->ResetRequests();
  const auto started = Clock::Real().Now();
  if (auto rotated = cluster_->RotateCa(stop); !rotated) return rotated;
  if (auto step = AwaitInSync(stop, "rotation"); !step) return step;
  console_.Good("every target held the new bundle after " + Since(started));
  ReportCalls();
  return {};
}

Story::Step Story::StopPrograms(const std::stop_token& /*stop*/) {
  console_.Heading("Stopping the programs");
  for (Program* program : {&manager_, &agent_}) {
    const char* const name = program == &manager_ ? "the manager" : "the node agent";
    const std::string peak = program->Memory("VmHWM");
    const auto cpu = program->CpuSeconds();
    const int code = program->Stop();
    if (code != 0) {
      return Err(ErrorReason::kUnknown,
                 std::string(name) + " ended with code " + std::to_string(code));
    }
    console_.Good(std::string(name) + ": exit code 0, peak memory " + peak + ", CPU " +
                  Printed("%.2f s", cpu.value_or(0)));
    record_.Fact(std::string("Peak memory of ") + name, peak);
  }
  return {};
}

Story::Step Story::AwaitInSync(const std::stop_token& stop, const std::string& what) {
  const int wanted = cluster_->expected_configurations();
  auto in_sync = Await(
      stop, what, [&]() -> Expected<bool> { return InSync() == wanted; }, kStorePollPeriod);
  if (!in_sync) return in_sync;
  auto read = cluster_->Read(stop);
  if (!read) return Err(read.error().Wrap("failed to read the targets back"));
  if (!read->AllInSync(wanted)) {
    return Err(ErrorReason::kUnknown,
               what + ": read back " + std::to_string(read->configurations) + " of " +
                   std::to_string(wanted) + " configurations, " + std::to_string(read->in_sync) +
                   " of " + std::to_string(read->webhooks) +
                   " webhooks in sync, first wrong: " + read->first_difference);
  }
  verified_ += read->configurations;
  console_.Line("        " + State(stop));
  console_.Good("read back and compared: " + std::to_string(read->webhooks) + " webhooks in " +
                std::to_string(read->configurations) + " configurations");
  return {};
}

Story::Step Story::Await(const std::stop_token& stop, const std::string& what,
                         const std::function<Expected<bool>()>& condition, Clock::Duration period) {
  auto& clock = Clock::Real();
  const auto deadline = clock.Now() + kTimeout;
  auto next_progress = clock.Now();
  for (;;) {
    auto done = condition();
    if (!done) return Err(done.error().Wrap(what));
    if (*done) return {};
    if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "interrupted");
    if (manager_.Ended() || agent_.Ended()) {
      const char* const name = manager_.Ended() ? "the manager" : "the node agent";
      return Err(ErrorReason::kUnknown, std::string(name) + " ended during: " + what);
    }
    if (clock.Now() > deadline) {
      return Err(ErrorReason::kTimeout, what + " took more than two minutes: " + State(stop));
    }
    if (clock.Now() >= next_progress) {
      console_.Progress(State(stop));
      next_progress = clock.Now() + std::chrono::milliseconds(200);
    }
    if (!clock.SleepFor(stop, period)) return Err(ErrorReason::kCanceled, "interrupted");
  }
}

Story::Step Story::OpenGates(const std::stop_token& stop) {
  const std::string pods = std::to_string(options_.pods) + " pods";
  console_.Heading("Opening the readiness gates of " + pods);
  pods_ = std::make_unique<GatedPods>(*client_, options_.cluster.ns);
  if (auto made = pods_->Create(stop, options_.pods); !made) return made;
  if (server_) server_->ResetRequests();
  const auto command = agent_.Start(
      {.name = kAgent,
       .path = options_.node_agent,
       .arguments = {"--kubeconfig=" + kubeconfig_, "--node-id=" + std::string(kDemoNode),
                     "--pod-readiness-gate=pod-ip:any", "-v=2"},
       .log_path = folder_ + "/agent.log"});
  if (!command) return Err(command.error());
  console_.Good(*command);
  auto waiting = Await(stop, "writing the status of every pod", [&]() -> Expected<bool> {
    const auto counts = pods_->Count(stop);
    if (!counts) return Err(counts.error());
    return counts->waiting == pods_->count();
  });
  if (!waiting) return waiting;
  const auto closed = pods_->Count(stop);
  if (!closed) return Err(closed.error());
  if (closed->open != 0) {
    return Err(ErrorReason::kUnknown,
               std::to_string(closed->open) + " pods without an address have open gates");
  }
  console_.Good("each pod waits for an address, and its gates are closed");

  const auto started = Clock::Real().Now();
  if (auto done = pods_->GiveAddresses(stop); !done) return done;
  const std::string giving = Since(started);
  const auto given = Clock::Real().Now();
  if (auto step = AwaitOpen(stop); !step) return step;
  console_.Good(pods + " got addresses in " + giving + "; all were open " + Since(given) +
                " later; the agent's peak memory is " + agent_.Memory("VmHWM"));
  return ReportAgentCalls(stop);
}

Story::Step Story::AwaitOpen(const std::stop_token& stop) {
  return Await(stop, "opening the gates of all pods", [&]() -> Expected<bool> {
    const auto counts = pods_->Count(stop);
    if (!counts) return Err(counts.error());
    return counts->open == pods_->count();
  });
}

// Counts the calls in the embedded server, or in the metrics of the agent.
Story::Step Story::ReportAgentCalls(const std::stop_token& stop) {
  std::map<std::string, int> calls;
  if (server_) {
    for (const auto& request : server_->Requests()) {
      if (request.request.user_agent.find(kAgent) == std::string::npos) continue;
      calls[request.request.verb] += static_cast<int>(request.count);
    }
  } else {
    for (const char* method : {"GET", "PATCH", "POST", "PUT"}) {
      const auto count = agent_.Metric(stop, "rest_client_requests_total",
                                       "method=\"" + std::string(method) + '"');
      if (count) calls[LowerAscii(method)] = static_cast<int>(*count);
    }
  }
  int all = 0;
  std::string each;
  for (const auto& [verb, count] : calls) {
    all += count;
    each += (each.empty() ? "" : ", ") + std::to_string(count) + " " + verb;
  }
  const int patches = calls["patch"];
  const int reads = calls["get"] + calls["list"] + calls["watch"];
  if (patches < options_.pods || patches > options_.pods * kWritesEachMax || reads > kReadsMax) {
    return Err(ErrorReason::kUnknown, "the node agent made these calls for " +
                                          std::to_string(options_.pods) + " pods: " + each);
  }
  console_.Good("the agent made " + std::to_string(all) + " API calls (" + each + "): " +
                Printed("%.1f", 1.0 * patches / options_.pods) + " writes a pod, without polling");
  return {};
}

Story::Step Story::BreakAndFix(const std::stop_token& stop) {
  console_.Heading("Breaking three targets, explained by capstan explain");
  breakage_ = std::make_unique<Breakage>(*client_, options_.cluster.ns);
  if (auto made = breakage_->Create(stop); !made) return made;
  if (!breakage_->serves_certificates()) {
    console_.Skip("a wrong certificate-name: this API server has no Certificates");
  }
  for (const BrokenTarget& target : breakage_->targets()) {
    if (auto step = ShowBroken(stop, target); !step) return step;
  }
  console_.Heading("Fixing them as capstan explain proposes");
  for (const BrokenTarget& target : breakage_->targets()) {
    if (auto fixed = breakage_->Fix(stop, target); !fixed) return fixed;
    if (auto step = AwaitFixed(stop, target); !step) return step;
  }
  return {};
}

Story::Step Story::ShowBroken(const std::stop_token& stop, const BrokenTarget& target) {
  const std::string reason(ToString(target.reason));
  console_.Line("\n        " + target.broken + ":");
  const auto explanation = breakage_->Explain(stop, target);
  if (!explanation) return Err(explanation.error());
  console_.Block(ToText(*explanation, console_.terminal()));
  record_.AddBroken(target.broken, explanation->reason, explanation->message, explanation->fix);
  if (explanation->reason != reason) {
    return Err(ErrorReason::kUnknown, target.name + " must be " + reason +
                                          ", but explain reports " + explanation->reason + ": " +
                                          explanation->message);
  }
  auto counted = Await(stop, "counting the reason of " + target.name, [&]() -> Expected<bool> {
    return manager_.Metric(stop, "capstan_injection_total", "result=\"" + reason + '"') > 0.0;
  });
  if (!counted) return counted;
  const auto untouched = breakage_->Holds(stop, target, false);
  if (!untouched) return Err(untouched.error());
  if (!*untouched) {
    return Err(ErrorReason::kUnknown, target.name + " is broken but has a bundle");
  }
  console_.Good(reason + "; the manager counts the same reason and wrote nothing");
  return {};
}

Story::Step Story::AwaitFixed(const std::stop_token& stop, const BrokenTarget& target) {
  const auto started = Clock::Real().Now();
  auto fixed =
      Await(stop, "fixing " + target.name, [&] { return breakage_->Holds(stop, target, true); });
  if (!fixed) return fixed;
  const auto explanation = breakage_->Explain(stop, target);
  if (!explanation) return Err(explanation.error());
  if (!explanation->all_well()) {
    return Err(ErrorReason::kUnknown,
               target.name + " is fixed, but explain reports " + explanation->message);
  }
  ++verified_;
  record_.AddFixed(std::string(ToString(target.reason)), explanation->state);
  console_.Good(target.name + ": " + target.fixed + "; " + explanation->state + " after " +
                Since(started));
  return {};
}

Story::Step Story::CutWatches(const std::stop_token& stop) {
  console_.Heading("Cutting all watches, then rotating, adding and deleting");
  if (SkipWithoutServer()) return {};
  RejectWatches(503);
  server_->CutWatches();
  for (const auto change : {&DemoCluster::RotateCa, &DemoCluster::AddConfiguration,
                            &DemoCluster::DeleteConfiguration}) {
    if (auto changed = ((*cluster_).*change)(stop); !changed) return changed;
  }
  if (auto more = AddPod(stop); !more) return more;
  const auto started = Clock::Real().Now();
  server_->ClearFaults();
  if (auto step = AwaitInSync(stop, "recovery"); !step) return step;
  if (auto step = AwaitOpen(stop); !step) return step;
  console_.Good("no change was lost: in sync " + Since(started) + " after the network recovered");
  return {};
}

bool Story::SkipWithoutServer() {
  if (!server_) console_.Skip("not possible on a real API server");
  return !server_;
}

void Story::RejectWatches(int code) {
  for (const char* program : {"capstan-controller-manager", "capstan-node-agent"}) {
    server_->InjectFault({.match = {.verb = "watch", .user_agent = program},
                          .code = code,
                          .message = "the demo rejects watches",
                          .count = -1});
  }
}

Story::Step Story::AddPod(const std::stop_token& stop) {
  if (auto created = pods_->Create(stop, 1); !created) return created;
  return pods_->GiveAddresses(stop);
}

double Story::GoneCount(const std::stop_token& stop, const Program& program) {
  return program.Metric(stop, "capstan_reflector_watch_errors_total", R"(reason="Expired")")
      .value_or(0);
}

Story::Step Story::GoneWatches(const std::stop_token& stop) {
  console_.Heading("410 Gone: the API server expires the resourceVersions of the watches");
  if (SkipWithoutServer()) return {};
  const double manager_before = GoneCount(stop, manager_);
  const double agent_before = GoneCount(stop, agent_);
  RejectWatches(429);  // clients then retry from the same resourceVersion
  server_->CutWatches();
  if (auto rotated = cluster_->RotateCa(stop); !rotated) return rotated;
  if (auto more = AddPod(stop); !more) return more;
  server_->CompactWatchWindow();
  const auto started = Clock::Real().Now();
  server_->ClearFaults();
  auto gone = Await(stop, "410 Gone for both programs", [&]() -> Expected<bool> {
    return GoneCount(stop, manager_) > manager_before && GoneCount(stop, agent_) > agent_before;
  });
  if (!gone) return gone;
  if (auto step = AwaitInSync(stop, "recovery from 410 Gone"); !step) return step;
  if (auto step = AwaitOpen(stop); !step) return step;
  console_.Good(
      Printed("%.0f watches of the manager and ", GoneCount(stop, manager_) - manager_before) +
      Printed("%.0f of the agent", GoneCount(stop, agent_) - agent_before) +
      " ended with 410 Gone; the programs listed again and missed nothing: " + Since(started));
  return {};
}

Story::Step Story::RestartServer(const std::stop_token& stop) {
  console_.Heading("Restarting the API server; it is down for a second");
  if (SkipWithoutServer()) return {};
  server_->Stop();
  if (!Clock::Real().SleepFor(stop, std::chrono::seconds(1))) {
    return Err(ErrorReason::kCanceled, "interrupted");
  }
  if (auto started = server_->Start(); !started) return started;
  const auto started = Clock::Real().Now();
  if (auto rotated = cluster_->RotateCa(stop); !rotated) return rotated;
  if (auto more = AddPod(stop); !more) return more;
  if (auto step = AwaitInSync(stop, "recovery from the restart"); !step) return step;
  if (auto step = AwaitOpen(stop); !step) return step;
  console_.Good("the same processes went on: they handled a rotation and a new pod " +
                Since(started) + " after the restart");
  return {};
}

Story::Step Story::Prepare() {
  if (!options_.kubeconfig.empty()) {
    auto config = clientcmd::LoadConfig({.kubeconfig = options_.kubeconfig});
    if (!config) return Err(std::move(config.error()));
  }
  Describe();
  // Written now to find errors early, and to have a report when the demo is killed.
  if (auto written = WriteReport(); !written) return written;
  if (!options_.serve) return {};
  page_ = std::make_unique<LivePage>(record_, options_.port);
  if (auto started = page_->Start(); !started) return started;
  console_.Line("live: " + page_->url());
  return {};
}

void Story::Describe() {
  utsname machine{};
  const bool known = uname(&machine) == 0;
  record_.Fact("Version", flags::VersionText());
  record_.Fact("Machine", std::to_string(std::thread::hardware_concurrency()) + " CPUs" +
                              (known ? std::string(", ") + machine.sysname + " " + machine.release +
                                           ", " + machine.machine
                                     : ""));
  record_.Fact("API server",
               options_.kubeconfig.empty() ? "embedded, over TLS" : "from the kubeconfig");
  record_.Fact("Filled with", std::to_string(options_.cluster.secrets) + " Secrets of 5 KiB, " +
                                  std::to_string(options_.cluster.configurations) +
                                  " webhook configurations, " + std::to_string(options_.pods) +
                                  " pods");
}

Story::Step Story::WriteReport() const {
  if (options_.report.empty()) return {};
  return WritePrivateFile(options_.report, Html(record_.ToPage(false)));
}

}  // namespace capstan::cmd::capstan_demo
