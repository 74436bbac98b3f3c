// SPDX-License-Identifier: Apache-2.0
// Story: the demo itself, step by step: fill an API server, start the real manager against it,
// watch it inject, rotate the CA, break targets and mend them, let the node agent open gates, cut
// the watches, forget what they stood at, restart the server, stop the programs. The verdict counts
// what was read back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "clientgo/cache/informer_factory.h"
#include "clientgo/rest/client.h"
#include "clientgo/testing/apiserver/server.h"
#include "cmd/capstan/demo/breakage.h"
#include "cmd/capstan/demo/cluster.h"
#include "cmd/capstan/demo/console.h"
#include "cmd/capstan/demo/gated_pods.h"
#include "cmd/capstan/demo/live_page.h"
#include "cmd/capstan/demo/memory_curve.h"
#include "cmd/capstan/demo/program.h"
#include "cmd/capstan/demo/record.h"

namespace cmd::capstan::demo {

struct DemoOptions {
  std::string kubeconfig;     // empty: the embedded API server
  std::string manager;        // path of the program; empty: the one beside this program
  std::string node_agent;     // likewise
  std::string feature_gates;  // passed on to the manager
  int pods = 100;             // whose gates the node agent opens
  ClusterOptions cluster;
  bool plain = false;
  std::string report = "report.html";  // empty: none
  int crds = 200;  // up to how many the memory is measured with; of Secrets it is cluster.secrets
  bool peer = false;       // measure cainjector, too
  std::string peer_path;   // of its program; empty: there is none
  bool serve = false;      // the same live, on loopback, until Ctrl-C
  std::uint16_t port = 0;  // to serve on; 0: any free one
};

class Story {
 public:
  explicit Story(DemoOptions options);
  ~Story();
  Story(const Story&) = delete;
  Story& operator=(const Story&) = delete;

  // What can be wrong before anything is started: the kubeconfig, the report's file, the port.
  clientgo::util::Expected<void> Prepare();
  // True when every step was shown and every target read back as it must be. Cleans up after
  // itself, also when it fails or is stopped. With `serve` it returns when `stop` is requested.
  bool Run(const std::stop_token& stop);

 private:
  using Step = clientgo::util::Expected<void>;
  Step Connect();
  Step Fill(const std::stop_token& stop);
  Step StartManager(const std::stop_token& stop);
  Step FirstInjection(const std::stop_token& stop);
  Step Rotation(const std::stop_token& stop);
  Step BreakAndMend(const std::stop_token& stop);
  Step OpenGates(const std::stop_token& stop);
  Step CutWatches(const std::stop_token& stop);
  Step GoneWatches(const std::stop_token& stop);
  Step RestartServer(const std::stop_token& stop);
  Step StopPrograms(const std::stop_token& stop);
  Step Measure(const std::stop_token& stop);
  Step MeasureKind(const std::stop_token& stop, FillWith kind);
  Step Steps(const std::stop_token& stop);
  void CleanUp();

  // The explanation is printed; it has to name the reason, and so has the manager.
  Step ShowBroken(const std::stop_token& stop, const BrokenTarget& target);
  Step AwaitMended(const std::stop_token& stop, const BrokenTarget& target);
  Step AwaitOpen(const std::stop_token& stop);
  Step ReportAgentCalls(const std::stop_token& stop);
  Step AddPod(const std::stop_token& stop);
  // Watches of our programs are refused with that code until the faults are cleared.
  void RefuseWatches(int code);
  // The watches of that program that were answered with 410.
  double GoneCount(const std::stop_token& stop, const Program& program);
  // Waits until the informers see every target in sync; then reads each back and compares.
  Step AwaitInSync(const std::stop_token& stop, const std::string& what);
  // Looks until it is so; an error when a program ends, or after two minutes.
  Step Await(const std::stop_token& stop, const std::string& what,
             const std::function<clientgo::util::Expected<bool>()>& is_so,
             clientgo::util::Clock::Duration period = std::chrono::milliseconds(20));
  int InSync() const;
  // "20001 secrets cached, 50/50 targets in sync, manager RSS 9.1 MiB"
  std::string State(const std::stop_token& stop);
  void ReportCalls();
  void TellLogs();
  Step WriteReport() const;
  void Describe();                          // the facts of the report
  void Serve(const std::stop_token& stop);  // until `stop`

  DemoOptions options_;
  Record record_;
  Console console_;
  std::unique_ptr<LivePage> page_;
  std::string folder_;  // of the kubeconfig and the programs' logs; removed at the end
  std::string kubeconfig_;
  std::unique_ptr<clientgo::testing::apiserver::Server> server_;
  std::unique_ptr<clientgo::rest::Client> client_;
  std::unique_ptr<DemoCluster> cluster_;
  std::unique_ptr<Breakage> breakage_;
  std::unique_ptr<GatedPods> pods_;
  std::stop_source informers_stop_;
  std::unique_ptr<clientgo::cache::SharedInformerFactory> informers_;
  Program manager_;
  Program agent_;
  int verified_ = 0;  // targets that were read back and compared equal
};

// "1.25 s".
std::string Seconds(clientgo::util::Clock::Duration duration);

}  // namespace cmd::capstan::demo
