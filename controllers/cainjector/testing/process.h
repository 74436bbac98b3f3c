// SPDX-License-Identifier: Apache-2.0
// Tests of CaInjector with the real REST client, informers, controllers and Manager, over HTTP.
// ProcessSteps is the steps of a test on any API server. ProcessTest adds an embedded API server
// with a request log and injected faults.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/eventually.h"
#include "controllers/cainjector/ca_injector.h"
#include "controllers/cainjector/testing/fakes.h"
#include "controllers/runtime/testing/running.h"

namespace capstan::cainjector {

// Connection is how the process under test reaches its API server.
struct Connection {
  rest::Config config = {};
  NewClientFunc new_client = rest::Client::New;
};

// Process is the process under test.
class Process {
 public:
  explicit Process(const Connection& connection, CaInjectorOptions options = {},
                   ManagerOptions manager = {});
  bool Ready() { return manager_->readyz().Handle("").status == 200; }
  bool Leads() const { return manager_->IsLeader(); }
  std::string ReadyText() { return manager_->readyz().Handle("", {{"verbose", ""}}).body; }
  std::string Metrics() { return metrics_.Serialize(); }

  record::EventLines events;

 private:
  metrics::Metrics metrics_{{.version = "0", .commit = "0"}};
  std::unique_ptr<Manager> manager_;
  std::optional<CaInjector> injector_;
  std::optional<RunningRunnable> running_;  // last: it uses the others
};

class ProcessSteps : public ::testing::Test {
 protected:
  // Updates a Secret in namespace ns.
  void Update(const std::string& name, const std::string& secret);
  void Delete(const runtime::ResourceType& type, const std::string& key);
  void MergePatch(const Target& target, const std::string& name, const std::string& patch);
  // Returns the bundles of the target, or the error's text when it cannot be read.
  std::vector<std::string> BundlesOf(const Target& target, const std::string& name);
  // Returns true when the bundle is in every place.
  bool Holds(const Target& target, const std::string& name, const std::string& bundle);
  // Waits until the process has reconciled every existing target.
  static bool Settled(Process& process) {
    return testing::Eventually([&] { return process.Ready(); });
  }
  // Returns the name that a target, or the namespace ns, has on the server.
  virtual std::string Own(const std::string& name) const { return name; }
  // Replaces these names within an object.
  virtual std::string Moved(const std::string& object) const { return object; }

  const std::string ca_ = NewCaPem();
  Connection connection_;                   // of the process under test
  std::unique_ptr<rest::Client> observer_;  // of the test
};

class ProcessTest : public ProcessSteps {
 protected:
  ProcessTest();

  void Create(std::vector<std::string> objects);
  std::uint64_t Writes() const {
    return server_.CountRequests({.verb = "patch", .user_agent = "under-test"});
  }
  std::uint64_t Gets(const std::string& resource) const {
    return server_.CountRequests({.verb = "get", .resource = resource, .user_agent = "under-test"});
  }

  testing::apiserver::Server server_{{.tls = false}};
};

}  // namespace capstan::cainjector
