// SPDX-License-Identifier: Apache-2.0
// Story runs the demo step by step: fill an API server, start the real manager, inject, rotate the
// CA, break and fix targets, let the node agent open gates, cut the watches, expire them, restart
// the server, and stop the programs. The verdict counts the targets that were read back.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "capstan/cache/informer_factory.h"
#include "capstan/rest/client.h"
#include "capstan/testing/apiserver/server.h"
#include "cmd/capstan-demo/breakage.h"
#include "cmd/capstan-demo/cluster.h"
#include "cmd/capstan-demo/gated_pods.h"
#include "cmd/capstan-demo/program.h"
#include "cmd/capstan-demo/report.h"

namespace capstan::cmd::capstan_demo {

struct DemoOptions {
  std::string kubeconfig;     // empty: the embedded API server
  std::string manager;        // path; empty: the program beside this one
  std::string node_agent;     // likewise
  std::string feature_gates;  // of the manager
  int pods = 100;             // whose gates the node agent opens
  ClusterOptions cluster;
  bool plain = false;
  std::string report = "report.html";  // empty: none
  bool serve = false;                  // serve the live page on loopback until Ctrl-C
  std::uint16_t port = 0;              // of the live page; 0: any free port
};

class Story {
 public:
  explicit Story(DemoOptions options);
  ~Story();
  Story(const Story&) = delete;
  Story& operator=(const Story&) = delete;

  // Checks the kubeconfig, the file of the report and the port.
  Expected<void> Prepare();
  // Returns true when every step passed. Cleans up, also after a failure or `stop`. With `serve` it
  // returns when `stop` is requested.
  bool Run(const std::stop_token& stop);

 private:
  using Step = Expected<void>;
  Step Connect();
  Step Fill(const std::stop_token& stop);
  Step StartManager(const std::stop_token& stop);
  Step FirstInjection(const std::stop_token& stop);
  Step Rotation(const std::stop_token& stop);
  Step BreakAndFix(const std::stop_token& stop);
  Step OpenGates(const std::stop_token& stop);
  Step CutWatches(const std::stop_token& stop);
  Step GoneWatches(const std::stop_token& stop);
  Step RestartServer(const std::stop_token& stop);
  Step StopPrograms(const std::stop_token& stop);
  Step Steps(const std::stop_token& stop);
  void CleanUp();

  // Prints the explanation and checks its reason against the reason of the manager.
  Step ShowBroken(const std::stop_token& stop, const BrokenTarget& target);
  Step AwaitFixed(const std::stop_token& stop, const BrokenTarget& target);
  Step AwaitOpen(const std::stop_token& stop);
  Step ReportAgentCalls(const std::stop_token& stop);
  Step AddPod(const std::stop_token& stop);
  // Reports a skipped step, and returns true, when the server is not the embedded one.
  bool SkipWithoutServer();
  // Rejects watches of the programs with this code until the faults are cleared.
  void RejectWatches(int code);
  // Returns the number of watches of the program that ended with 410.
  double GoneCount(const std::stop_token& stop, const Program& program);
  // Waits until the informers see every target in sync. Then reads back and compares each target.
  Step AwaitInSync(const std::stop_token& stop, const std::string& what);
  // Waits until the condition is true. Errors: a program ended, or two minutes passed.
  Step Await(const std::stop_token& stop, const std::string& what,
             const std::function<Expected<bool>()>& condition,
             Clock::Duration period = std::chrono::milliseconds(20));
  int InSync() const;
  // "20001 secrets cached, 50/50 targets in sync, manager RSS 9.1 MiB"
  std::string State(const std::stop_token& stop);
  void ReportCalls();
  void PrintLogs();
  Step WriteReport() const;
  void Describe();  // sets the facts of the report

  DemoOptions options_;
  Record record_;
  Console console_;
  std::unique_ptr<LivePage> page_;
  std::string folder_;  // for the kubeconfig and the logs; removed at the end
  std::string kubeconfig_;
  std::unique_ptr<testing::apiserver::Server> server_;
  std::unique_ptr<rest::Client> client_;
  std::unique_ptr<DemoCluster> cluster_;
  std::unique_ptr<Breakage> breakage_;
  std::unique_ptr<GatedPods> pods_;
  std::stop_source informers_stop_;
  std::unique_ptr<cache::SharedInformerFactory> informers_;
  Program manager_;
  Program agent_;
  int verified_ = 0;  // targets that were read back and equal
};

}  // namespace capstan::cmd::capstan_demo
