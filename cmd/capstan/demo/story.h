// SPDX-License-Identifier: Apache-2.0
// Story: the demo itself, step by step: fill an API server, start the real manager against it,
// watch it inject, rotate the CA, cut the watches, stop it. The verdict counts what was read back.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "apiserver/server.h"
#include "clientgo/cache/informer_factory.h"
#include "clientgo/rest/client.h"
#include "cmd/capstan/demo/cluster.h"
#include "cmd/capstan/demo/console.h"
#include "cmd/capstan/demo/manager_process.h"

namespace cmd::capstan::demo {

struct DemoOptions {
  std::string kubeconfig;     // empty: the embedded API server
  std::string manager;        // path of the program; empty: the one beside this program
  std::string feature_gates;  // passed on
  ClusterOptions cluster;
  bool plain = false;
};

class Story {
 public:
  explicit Story(DemoOptions options);
  ~Story();
  Story(const Story&) = delete;
  Story& operator=(const Story&) = delete;

  // True when every step was shown and every target read back as it must be. Cleans up after
  // itself, also when it fails or is stopped.
  bool Run(std::stop_token stop);

 private:
  using Step = clientgo::util::Expected<void>;
  Step Connect();
  Step Fill(std::stop_token stop);
  Step StartManager(std::stop_token stop);
  Step FirstInjection(std::stop_token stop);
  Step Rotation(std::stop_token stop);
  Step CutWatches(std::stop_token stop);
  Step StopManager();
  Step Steps(std::stop_token stop);
  void CleanUp();

  // Waits until the informers see every target in sync; then reads each back and compares.
  Step AwaitInSync(std::stop_token stop, const std::string& what);
  int InSync() const;
  // "20001 secrets cached, 50/50 targets in sync, manager RSS 9.1 MiB"
  std::string State(std::stop_token stop);
  std::string Memory(const std::string& field) const;
  // A series of the manager's /metrics; nullopt while it does not serve.
  std::optional<double> Series(std::stop_token stop, const std::string& name);
  void ReportCalls();
  // The last lines of the manager's log: where to look when a step failed.
  void TellManagerLog();

  DemoOptions options_;
  Console console_;
  std::string folder_;  // of the kubeconfig and the manager's log; removed at the end
  std::string kubeconfig_;
  std::unique_ptr<apiserver::Server> server_;
  std::unique_ptr<clientgo::rest::Client> client_;
  std::unique_ptr<DemoCluster> cluster_;
  std::stop_source informers_stop_;
  std::unique_ptr<clientgo::cache::SharedInformerFactory> informers_;
  ManagerProcess manager_;
  std::unique_ptr<clientgo::transport::HttpTransport> metrics_;
  int verified_ = 0;  // targets that were read back and compared equal
};

}  // namespace cmd::capstan::demo
