// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/demo.h"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/clientcmd/config.h"
#include "capstan/clock.h"
#include "capstan/flags/version.h"
#include "capstan/rest/client.h"
#include "capstan/runnable.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/require.h"
#include "capstan/text.h"
#include "cmd/capstan-demo/breakage.h"
#include "cmd/capstan-demo/gated_pods.h"
#include "cmd/capstan-demo/namespace.h"
#include "cmd/capstan-demo/program.h"
#include "cmd/capstan-demo/report.h"
#include "cmd/capstan-demo/targets.h"
#include "cmd/capstan/inspect/explain.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"

namespace capstan::cmd::capstan_demo {
namespace {

using testing::Require;
using testing::Value;

constexpr char kToken[] = "demo";  // of the embedded server
constexpr const char* kManager = "capstan-controller-manager";
constexpr const char* kAgent = "capstan-node-agent";
constexpr const char* kIndent = "        ";
constexpr auto kTimeout = std::chrono::minutes(2);
constexpr int kFilledAtOnce = 500;
// The agent may write this often to a pod: its status and its gates, each with one retry.
constexpr int kWritesEachMax = 4;
// The agent may list and watch this often in total, with retries.
constexpr int kReadsMax = 20;

// Demo is what the steps share. Programs end before what they use.
struct Demo {
  const DemoOptions& options;
  const std::stop_token stop;
  Report report{stdout, options.plain};
  LivePage page = {};
  std::string folder = {};  // for the kubeconfig and the logs; removed at the end
  std::string kubeconfig = options.kubeconfig;
  std::unique_ptr<testing::apiserver::Server> server = {};  // null: the one of the kubeconfig
  rest::Config config = {};
  std::unique_ptr<rest::Client> client = {};
  std::unique_ptr<Namespace> ns = {};
  std::unique_ptr<Targets> targets = {};
  std::unique_ptr<Breakage> breakage = {};
  std::unique_ptr<GatedPods> pods = {};
  bool created_namespace = false;
  Program manager = {};
  Program agent = {};
  Clock::TimePoint manager_started = {};
  Clock::TimePoint since = {};  // the start of the step, or of what it measures
  int verified = 0;             // targets that were read back and equal

  std::array<std::pair<std::string, Program*>, 2> Programs() {
    return {{{"the manager", &manager}, {"the node agent", &agent}}};
  }
};

// Step is a part of the demo. It fails with an exception.
struct Step {
  std::string title;
  void (*run)(Demo& demo);
  bool injects_faults = false;  // so it needs the embedded server
};

// Returns the parts as one text. A floating-point number has two digits after the point.
template <class... Parts>
std::string Text(const Parts&... parts) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2);
  (text << ... << parts);
  return text.str();
}

std::string Since(Clock::TimePoint start) {
  return Text(std::chrono::duration<double>(Clock::Real().Now() - start).count(), " s");
}

// Returns "20001 Secrets cached, 50/50 targets in sync, manager RSS 9.1 MiB".
std::string State(const Demo& demo) {
  const auto secrets = demo.manager.Metric("capstan_cache_objects", R"(resource="secrets")");
  return Text(static_cast<long>(secrets.value_or(0)), " Secrets cached, ",
              demo.targets->Read().in_sync, "/", demo.targets->count(),
              " targets in sync, manager RSS ", demo.manager.Memory("VmRSS"));
}

// Waits until the condition is true. Fails when a program ended, or after two minutes.
void Await(Demo& demo, const std::string& what, const std::function<bool()>& condition) {
  Clock::TimePoint next_progress = Clock::Real().Now();
  const auto seen = [&] {
    if (condition()) return true;
    Require(!demo.stop.stop_requested(), "interrupted");
    for (const auto& [name, program] : demo.Programs()) {
      Require(!program->Ended(), Text(name, " ended during: ", what));
    }
    if (Clock::Real().Now() >= next_progress) {
      demo.report.Progress(State(demo));
      next_progress = Clock::Real().After(std::chrono::milliseconds(200));
    }
    // Each look is two lists. A user's API server has other work.
    if (!demo.server) Clock::Real().SleepFor(demo.stop, std::chrono::milliseconds(200));
    return false;
  };
  if (testing::Eventually(seen, kTimeout)) return;
  throw std::runtime_error(Text(what, " took more than two minutes: ", State(demo),
                                ", first wrong target: ", demo.targets->Read().first_wrong));
}

// Waits until each target was read back and compared equal. The plot shows how many were, when.
void AwaitInSync(Demo& demo, const std::string& what, statusz::Plot* plot = nullptr) {
  const int count = demo.targets->count();
  Await(demo, what, [&] {
    const int in_sync = demo.targets->Read().in_sync;
    if (plot != nullptr) plot->samples.push_back({Clock::Real().WallNow(), 1.0 * in_sync});
    return in_sync == count;
  });
  demo.verified += count;
  demo.report.Lines(State(demo), kIndent);
  demo.report.Good(Text("read back and compared: ", count * Targets::kWebhooksEach, " webhooks in ",
                        count, " configurations"));
}

void AwaitOpen(Demo& demo) {
  Await(demo, "opening the gates of all pods",
        [&] { return demo.pods->Count().open == demo.pods->count(); });
}

void ReportCalls(Demo& demo) {
  if (!demo.server) return;
  const auto count = [&](const char* verb, const char* resource) {
    return demo.server->CountRequests({.verb = verb, .resource = resource, .user_agent = kManager});
  };
  const auto writes = count("patch", "validatingwebhookconfigurations") +
                      count("patch", "mutatingwebhookconfigurations");
  demo.report.Lines(Text("the manager needed ", count("get", "secrets"), " GET of a Secret and ",
                         writes, " writes"),
                    kIndent);
}

void Connect(Demo& demo) {
  std::string pattern = (std::filesystem::temp_directory_path() / "capstan-demo-XXXXXX").string();
  Require(mkdtemp(pattern.data()) != nullptr, pattern + ": " + std::strerror(errno));
  demo.folder = pattern;
  if (demo.kubeconfig.empty()) {
    demo.server = std::make_unique<testing::apiserver::Server>(
        testing::apiserver::Options{.tokens = {{kToken, "capstan-demo"}}});
    Value(demo.server->Start(), "failed to start the API server");
    demo.kubeconfig = demo.folder + "/kubeconfig";
    Value(WritePrivateFile(demo.kubeconfig, demo.server->Kubeconfig(kToken)), "the kubeconfig");
    demo.config = demo.server->Config(kToken);
    demo.report.Good(demo.server->url());
  }
  demo.config.user_agent = "capstan-demo";
  demo.client = Value(rest::Client::New(demo.config), "failed to connect");
  demo.ns = std::make_unique<Namespace>(Namespace{*demo.client, "capstan-demo", demo.stop});
  demo.targets = std::make_unique<Targets>(*demo.ns);
  demo.breakage = std::make_unique<Breakage>(*demo.ns);
  demo.pods = std::make_unique<GatedPods>(*demo.ns);
}

void Fill(Demo& demo) {
  const Namespace& ns = *demo.ns;
  // An existing namespace is an error, because the demo deletes it.
  Require(!ns.client.Get(demo.stop, NamespaceType(), {"", ns.name}),
          "the namespace " + ns.name + " exists; if an earlier demo left it, run kubectl delete " +
              "namespace " + ns.name);
  ns.Create(NamespaceType(), ns.name);
  demo.created_namespace = true;
  demo.targets->RotateCa();
  for (int i = 0; i < demo.options.configurations; ++i) demo.targets->Add(i % 2 == 0);
  const std::string data = DataMember("blob", std::string(5U << 10U, 'x'));
  const int total = demo.options.secrets;
  for (int first = 0; first < total; first += kFilledAtOnce) {
    const int count = std::min(kFilledAtOnce, total - first);
    ForEach(demo.stop, count, [&](int i) {
      ns.Create(cainjector::SecretMetadataType(), Numbered("secret-", first + i), data);
    });
    demo.report.Progress(Text(first + count, " of ", total, " Secrets"));
  }
  demo.report.Good("filled in " + Since(demo.since));
}

void StartManager(Demo& demo) {
  if (demo.server) demo.server->ResetRequests();
  std::vector<std::string> arguments = {"--kubeconfig=" + demo.kubeconfig, "-v=2",
                                        "--leader-election-namespace=" + demo.ns->name};
  // On a real cluster the manager reads and injects only the objects of the demo.
  if (!demo.server) arguments.push_back("--namespace=" + demo.ns->name);
  if (!demo.options.feature_gates.empty()) {
    arguments.push_back("--feature-gates=" + demo.options.feature_gates);
  }
  demo.manager_started = Clock::Real().Now();
  demo.report.Good(Value(demo.manager.Start({.name = kManager,
                                             .path = demo.options.manager,
                                             .arguments = std::move(arguments),
                                             .log_path = demo.folder + "/manager.log"}),
                         "the manager"));
}

// What cainjector needed with as many Secrets (of 1 KiB) and targets on a real kube-apiserver.
// hack/bench/run injector measures it, and a test compares these figures with docs/performance.md.
constexpr int kMeasuredSecrets = 20'000;
constexpr int kMeasuredTargets = 50;
const Report::Cost kCainjector = {
    "cainjector 1.21.2 on kube-apiserver, as measured for docs/performance.md", 109.5, 1.10};

void Inject(Demo& demo) {
  statusz::Plot plot{.name = "injection", .title = "After the start of the manager"};
  AwaitInSync(demo, "first injection", &plot);
  demo.report.Plot(std::move(plot));
  const std::chrono::duration<double> took = Clock::Real().Now() - demo.manager_started;
  if (demo.options.secrets == kMeasuredSecrets && demo.options.configurations == kMeasuredTargets) {
    const double peak = std::strtod(demo.manager.Memory("VmHWM").c_str(), nullptr);
    const char* const server = demo.server ? "the embedded API server" : "this API server";
    demo.report.Compare(
        {{Text("capstan-controller-manager, now, on ", server), peak, took.count()}, kCainjector});
  }
  demo.report.Good(Text("all in sync ", took.count(),
                        " s after the manager was started; its peak memory so far is ",
                        demo.manager.Memory("VmHWM")));
  ReportCalls(demo);
}

void Rotate(Demo& demo) {
  if (demo.server) demo.server->ResetRequests();
  demo.targets->RotateCa();
  statusz::Plot plot{.name = "rotation", .title = "After the rotation of the CA"};
  AwaitInSync(demo, "rotation", &plot);
  demo.report.Plot(std::move(plot));
  demo.report.Good("every target held the new bundle after " + Since(demo.since));
  ReportCalls(demo);
}

// Prints each explanation and checks its reason against the reason of the manager.
void Break(Demo& demo) {
  demo.breakage->Create();
  if (!demo.breakage->serves_certificates()) {
    demo.report.Skip("a wrong certificate-name: this API server has no Certificates");
  }
  for (const BrokenTarget& target : demo.breakage->targets()) {
    demo.report.Lines("\n" + std::string(kIndent) + target.broken + ":");
    const auto explanation = demo.breakage->Explain(target);
    demo.report.Lines(ToText(explanation, demo.report.terminal()), kIndent);
    demo.report.AddBroken(target.broken, explanation.reason, explanation.message, explanation.fix);
    Require(explanation.reason == target.reason, target.name + " must be " + target.reason +
                                                     ", but explain reports " + explanation.reason +
                                                     ": " + explanation.message);
    Await(demo, "counting the reason of " + target.name, [&] {
      return demo.manager.Metric("capstan_injection_total", "result=\"" + target.reason + '"') >
             0.0;
    });
    Require(demo.breakage->Holds(target, false), target.name + " is broken but has a bundle");
    demo.report.Good(target.reason + "; the manager counts the same reason and wrote nothing");
  }
}

void Fix(Demo& demo) {
  for (const BrokenTarget& target : demo.breakage->targets()) {
    demo.breakage->Fix(target);
    demo.since = Clock::Real().Now();
    Await(demo, "fixing " + target.name, [&] { return demo.breakage->Holds(target, true); });
    const auto explanation = demo.breakage->Explain(target);
    Require(explanation.all_well(),
            target.name + " is fixed, but explain reports " + explanation.message);
    ++demo.verified;
    demo.report.AddFixed(target.reason, explanation.state);
    demo.report.Good(target.name + ": " + target.fixed + "; " + explanation.state + " after " +
                     Since(demo.since));
  }
}

// Counts the calls in the embedded server, or in the metrics of the agent.
void ReportAgentCalls(Demo& demo) {
  std::map<std::string, int> calls;
  if (demo.server) {
    for (const auto& [request, code, count] : demo.server->Requests()) {
      if (request.user_agent.find(kAgent) == std::string::npos) continue;
      calls[request.verb] += static_cast<int>(count);
    }
  } else {
    for (const char* method : {"GET", "PATCH", "POST", "PUT"}) {
      const auto count =
          demo.agent.Metric("rest_client_requests_total", "method=\"" + std::string(method) + '"');
      if (count) calls[LowerAscii(method)] = static_cast<int>(*count);
    }
  }
  int all = 0;
  std::string each;
  for (const auto& [verb, count] : calls) {
    all += count;
    each += Text(each.empty() ? "" : ", ", count, " ", verb);
  }
  const int pods = demo.pods->count();
  const int patches = calls["patch"];
  const int reads = calls["get"] + calls["list"] + calls["watch"];
  Require(patches >= pods && patches <= pods * kWritesEachMax && reads <= kReadsMax,
          Text("the node agent made these calls for ", pods, " pods: ", each));
  demo.report.Good(Text("the agent made ", all, " API calls (", each, "): ", std::setprecision(1),
                        1.0 * patches / pods, " writes a pod, without polling"));
}

void OpenGates(Demo& demo) {
  GatedPods& pods = *demo.pods;
  pods.Create(demo.options.pods);
  if (demo.server) demo.server->ResetRequests();
  demo.report.Good(Value(demo.agent.Start({.name = kAgent,
                                           .path = demo.options.node_agent,
                                           .arguments = {"--kubeconfig=" + demo.kubeconfig,
                                                         "--node-id=" + std::string(kDemoNode),
                                                         "--pod-readiness-gate=pod-ip:any", "-v=2"},
                                           .log_path = demo.folder + "/agent.log"}),
                         "the node agent"));
  Await(demo, "writing the status of every pod",
        [&] { return pods.Count().waiting == pods.count(); });
  const int open = pods.Count().open;
  Require(open == 0, Text(open, " pods without an address have open gates"));
  demo.report.Good("each pod waits for an address, and its gates are closed");

  const auto started = Clock::Real().Now();
  pods.GiveAddresses();
  const std::string giving = Since(started);
  demo.since = Clock::Real().Now();
  AwaitOpen(demo);
  demo.report.Good(Text(pods.count(), " pods got addresses in ", giving, "; all were open ",
                        Since(demo.since), " later; the agent's peak memory is ",
                        demo.agent.Memory("VmHWM")));
  ReportAgentCalls(demo);
}

// Cuts all watches, and rejects new ones of the programs with this code until the faults are
// cleared.
void RejectWatches(Demo& demo, int code) {
  for (const char* program : {kManager, kAgent}) {
    demo.server->InjectFault({.match = {.verb = "watch", .user_agent = program},
                              .code = code,
                              .message = "the demo rejects watches",
                              .count = -1});
  }
  demo.server->CutWatches();
}

// Changes what both programs must see.
void RotateAndAddPod(Demo& demo) {
  demo.targets->RotateCa();
  demo.pods->Create(1);
  demo.pods->GiveAddresses();
}

void CutWatches(Demo& demo) {
  RejectWatches(demo, 503);
  RotateAndAddPod(demo);
  demo.targets->Add(true);
  demo.targets->DeleteFirst();
  demo.since = Clock::Real().Now();
  demo.server->ClearFaults();
  AwaitInSync(demo, "recovery");
  AwaitOpen(demo);
  demo.report.Good("no change was lost: in sync " + Since(demo.since) +
                   " after the network recovered");
}

void ExpireWatches(Demo& demo) {
  // Returns the number of watches of the program that ended with 410.
  const auto gone = [](const Program& program) {
    const auto count =
        program.Metric("capstan_reflector_watch_errors_total", R"(reason="Expired")");
    return static_cast<int>(count.value_or(0));
  };
  const int manager_before = gone(demo.manager);
  const int agent_before = gone(demo.agent);
  RejectWatches(demo, 429);  // clients then retry from the same resourceVersion
  RotateAndAddPod(demo);
  demo.server->CompactWatchWindow();
  demo.since = Clock::Real().Now();
  demo.server->ClearFaults();
  Await(demo, "410 Gone for both programs",
        [&] { return gone(demo.manager) > manager_before && gone(demo.agent) > agent_before; });
  AwaitInSync(demo, "recovery from 410 Gone");
  AwaitOpen(demo);
  demo.report.Good(Text(gone(demo.manager) - manager_before, " watches of the manager and ",
                        gone(demo.agent) - agent_before,
                        " of the agent ended with 410 Gone; the programs listed again and missed "
                        "nothing: ",
                        Since(demo.since)));
}

void RestartServer(Demo& demo) {
  demo.server->Stop();
  Require(Clock::Real().SleepFor(demo.stop, std::chrono::seconds(1)), "interrupted");
  Value(demo.server->Start(), "failed to restart the API server");
  demo.since = Clock::Real().Now();
  RotateAndAddPod(demo);
  AwaitInSync(demo, "recovery from the restart");
  AwaitOpen(demo);
  demo.report.Good("the same processes went on: they handled a rotation and a new pod " +
                   Since(demo.since) + " after the restart");
}

void StopPrograms(Demo& demo) {
  for (const auto& [name, program] : demo.Programs()) {
    const std::string peak = program->Memory("VmHWM");
    const double cpu = program->Metric("process_cpu_seconds_total").value_or(0);
    const int code = program->Stop();
    Require(code == 0, Text(name, " ended with code ", code));
    demo.report.Good(Text(name, ": exit code 0, peak memory ", peak, ", CPU ", cpu, " s"));
    demo.report.Fact("Peak memory of " + name, peak);
  }
}

std::string Contents(const DemoOptions& options) {
  return Text(options.secrets, " Secrets of 5 KiB, ", options.configurations,
              " webhook configurations");
}

std::vector<Step> Steps(const Demo& demo) {
  const DemoOptions& options = demo.options;
  return {
      {options.kubeconfig.empty()
           ? "Starting an embedded API server, over TLS"
           : "The API server of " + options.kubeconfig + ": " + demo.config.host,
       &Connect},
      {"Filling the API server: " + Contents(options), &Fill},
      {"Starting capstan-controller-manager", &StartManager},
      {"Injecting the bundle of the Secret into every webhook", &Inject},
      {"Rotating the CA; the old CA stays in the bundle until it expires", &Rotate},
      {"Breaking three targets, explained by capstan explain", &Break},
      {"Fixing them as capstan explain proposes", &Fix},
      {Text("Opening the readiness gates of ", options.pods, " pods"), &OpenGates},
      {"Cutting all watches, then rotating, adding and deleting", &CutWatches, true},
      {"410 Gone: the API server expires the resourceVersions of the watches", &ExpireWatches,
       true},
      {"Restarting the API server; it is down for a second", &RestartServer, true},
      {"Stopping the programs", &StopPrograms},
  };
}

void Walk(Demo& demo) {
  for (const Step& step : Steps(demo)) {
    demo.report.Heading(step.title);
    demo.since = Clock::Real().Now();
    if (step.injects_faults && !demo.server) {
      demo.report.Skip("not possible on a real API server");
      continue;
    }
    step.run(demo);
    Require(!demo.stop.stop_requested(), "interrupted");
  }
}

void PrintLogs(Demo& demo) {
  for (const auto& [name, program] : demo.Programs()) {
    const auto last = program->LastLines();
    if (!last.empty()) demo.report.Lines("\nlast log lines of " + name + ":");
    for (const std::string& line : last) demo.report.Lines(line, "  ");
  }
}

void CleanUp(Demo& demo) {
  demo.agent.Stop();
  demo.manager.Stop();
  if (demo.created_namespace && !demo.server) {
    demo.report.Lines("\ncleaning up");
    // The Secrets of the targets are few.
    const auto cleaned = demo.ns->CleanUp(demo.options.secrets + 10);
    if (!cleaned) {
      demo.report.Lines("  note  failed to delete everything: " + cleaned.error().message);
    }
  }
  demo.server.reset();  // the page may be served for a long time
  std::error_code ignored;
  if (!demo.folder.empty()) std::filesystem::remove_all(demo.folder, ignored);
}

void Describe(Demo& demo) {
  utsname machine{};
  uname(&machine);
  demo.report.Fact("Version", flags::VersionText());
  demo.report.Fact("Machine", Text(std::thread::hardware_concurrency(), " CPUs, ", machine.sysname,
                                   " ", machine.release, ", ", machine.machine));
  demo.report.Fact("API server",
                   demo.kubeconfig.empty() ? "embedded, over TLS" : "from the kubeconfig");
  demo.report.Fact("Filled with", Text(Contents(demo.options), ", ", demo.options.pods, " pods"));
}

Expected<void> WriteReport(const Demo& demo) {
  if (demo.options.report.empty()) return {};
  return WritePrivateFile(demo.options.report, Html(demo.report.ToPage(false)));
}

Expected<void> Prepare(Demo& demo) {
  if (!demo.kubeconfig.empty()) {
    auto config = clientcmd::LoadConfig({.kubeconfig = demo.kubeconfig});
    if (!config) return Err(std::move(config.error()));
    demo.config = *std::move(config);
  }
  Describe(demo);
  // Written now to find errors early, and to have a report when the demo is killed.
  if (auto written = WriteReport(demo); !written) return written;
  if (!demo.options.serve) return {};
  auto page = ServePage(demo.report, demo.options.port);
  if (!page) return Err(std::move(page.error()));
  demo.page = *std::move(page);
  demo.report.Lines("live: " + demo.page.url);
  return {};
}

}  // namespace

Expected<bool> RunDemo(const DemoOptions& options, const std::stop_token& stop) {
  Demo demo{.options = options, .stop = stop};
  if (auto prepared = Prepare(demo); !prepared) return Err(std::move(prepared.error()));
  const auto started = Clock::Real().Now();
  std::string failure;
  try {
    Walk(demo);
  } catch (const std::exception& error) {
    failure = stop.stop_requested() ? "interrupted" : error.what();
    PrintLogs(demo);
  }
  CleanUp(demo);
  const std::string took = Since(started);
  demo.report.Fact("Took", took);
  const std::string verdict =
      failure.empty()
          ? Text("PASSED: ", demo.verified,
                 " webhook configurations were read back and every bundle in them compared equal")
          : "FAILED: " + failure;
  if (!failure.empty()) demo.report.Bad(failure);
  demo.report.End(failure.empty(), verdict);
  const auto written = WriteReport(demo);
  if (!written) demo.report.Bad(written.error().message);
  const bool passed = failure.empty() && written;
  if (!options.report.empty()) demo.report.Lines("\nreport: " + options.report);
  demo.report.Lines("\nverdict: " + (passed ? verdict + " (" + took + ")" : "FAILED"));
  if (demo.page.server && !stop.stop_requested()) {
    demo.report.Lines("served until Ctrl-C: " + demo.page.url);
    WaitForStop(stop);
  }
  return passed;
}

}  // namespace capstan::cmd::capstan_demo
