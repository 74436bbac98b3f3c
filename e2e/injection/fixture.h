// SPDX-License-Identifier: Apache-2.0
// InjectionTest checks what CaInjector writes to the targets of a cluster. It runs the program's
// CaInjector in this process, with an API server over TLS. The same tests run with the embedded
// server and with a real kube-apiserver.
//
// The folder $CAPSTAN_INJECTION_CLUSTER has the server's kubeconfig.admin, for the test, and
// kubeconfig.capstan, for the process under test with its rights. Without it, each suite starts an
// embedded server. Each test has its own namespace, names and process. The suite can run repeatedly
// on one server, but not twice at the same time.
//
// A test names its namespace "ns", further namespaces "ns-<name>", and its targets freely. The
// fixture makes these names unique on the server and translates them back in Events and metrics.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"
#include "controllers/cainjector/testing/process.h"
#include "e2e/injection/request_recorder.h"

namespace capstan::injection {

// Returns the targets of all four kinds.
std::span<const cainjector::Target* const> Targets();

class InjectionTest : public cainjector::ProcessSteps {
 protected:
  struct Cluster;  // the server under test

  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;
  void TearDown() override;

  std::string Own(const std::string& name) const override;
  std::string Moved(const std::string& object) const override;

  void Create(const std::vector<std::string>& objects);
  // Creates a ClusterRole and its ClusterRoleBinding. Existing ones are not changed.
  void Grant(const std::string& role, const std::string& binding);
  // Creates the namespace ns-<name>.
  void CreateNamespace(const std::string& name);
  void CreateTarget(const cainjector::Target& target, const std::string& name,
                    const cainjector::Annotations& annotations, const std::string& bundle = "");
  // Creates one target of each kind.
  void CreateTargets(const std::string& name, const cainjector::Annotations& annotations,
                     const std::string& bundle = "");

  ::testing::AssertionResult AllHold(const std::string& name, const std::string& bundle);
  ::testing::AssertionResult AllComeToHold(const std::string& name, const std::string& bundle);
  // Waits until the target `name` of each kind has an Event that contains `text`.
  ::testing::AssertionResult AllGetEvent(cainjector::Process& process, const std::string& name,
                                         const std::string& text);
  bool ComesToHold(const cainjector::Target& target, const std::string& name,
                   const std::string& bundle);
  bool GetsEvent(cainjector::Process& process, const std::string& text);
  // Waits until the process has handled all earlier changes: it creates targets and waits until
  // they are injected.
  void PassFence(cainjector::Process& process);

  // Returns the Events about this test's targets.
  std::vector<std::string> Events(const cainjector::Process& process) const;
  std::string Metrics(cainjector::Process& process) const;
  // Returns how often the process under test has written to this test's targets. Writes that end in
  // a conflict do not count: a real server's own controllers also write APIServices and CRDs.
  std::uint64_t Writes() const;
  // Counts the GETs of single objects of a resource ("secrets").
  std::uint64_t Gets(const std::string& resource) const;

  RequestRecorder recorder_;
  // The canonical CA bundle in the configuration of the process under test.
  std::string api_server_ca_;

 private:
  std::string Translated(std::string text) const;

  static std::unique_ptr<Cluster> suite_cluster;
  std::string id_;  // unique on the server
  std::vector<std::pair<const cainjector::Target*, std::string>> created_;
  int fences_ = 0;
};

}  // namespace capstan::injection
