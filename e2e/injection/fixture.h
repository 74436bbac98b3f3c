// SPDX-License-Identifier: Apache-2.0
// InjectionTest: what CaInjector does to the targets of a cluster: the CaInjector of the program,
// in this process, against an API server over TLS. The same tests run against the embedded server
// and against a real kube-apiserver.
//
// The server is that of the folder $CAPSTAN_INJECTION_CLUSTER, which has the files kubeconfig.admin
// (the test's) and kubeconfig.capstan (that of the process under test, with its rights); without it
// each suite starts an embedded one. Each test has a namespace, names and a process of its own, and
// looks at no others: the suite may run again and again on one server, but not twice at once.
//
// A test calls its namespace "ns", further ones "ns-<name>", and its targets what it likes. What it
// reads (Events, metrics) has been translated back.
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
#include "e2e/injection/witness.h"

namespace injection {

using controllers::cainjector::Annotations;
using controllers::cainjector::CaInjectorOptions;
using controllers::cainjector::kAllowDirectInjection;
using controllers::cainjector::kCertificateName;
using controllers::cainjector::kInjectApiServerCa;
using controllers::cainjector::kInjectCaFrom;
using controllers::cainjector::kInjectCaFromConfigMap;
using controllers::cainjector::kInjectCaFromSecret;
using controllers::cainjector::NewCaPem;
using controllers::cainjector::Process;
using controllers::cainjector::SecretMetadataType;
using controllers::cainjector::StoredCertificate;
using controllers::cainjector::StoredCertificateSecret;
using controllers::cainjector::StoredConfigMap;
using controllers::cainjector::StoredSecret;
using controllers::cainjector::Target;

// Of all four kinds.
std::span<const Target* const> Targets();

class InjectionTest : public controllers::cainjector::ProcessSteps {
 protected:
  struct Cluster;  // the server under test

  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;
  void TearDown() override;

  std::string Own(const std::string& name) const override;
  std::string Moved(const std::string& object) const override;

  void Create(const std::vector<std::string>& objects);
  // The namespace ns-<name>.
  void CreateNamespace(const std::string& name);
  void CreateTarget(const Target& target, const std::string& name, const Annotations& annotations,
                    const std::string& bundle = "");
  // One of each kind.
  void CreateTargets(const std::string& name, const Annotations& annotations,
                     const std::string& bundle = "");

  testing::AssertionResult AllHold(const std::string& name, const std::string& bundle);
  testing::AssertionResult AllComeToHold(const std::string& name, const std::string& bundle);
  // Each kind's target `name` gets an Event with this text in it.
  testing::AssertionResult AllAreTold(Process& process, const std::string& name,
                                      const std::string& text);
  bool ComesToHold(const Target& target, const std::string& name, const std::string& bundle);
  bool IsTold(Process& process, const std::string& text);
  // Whatever was on its way when it was called has been looked at: what was created after it was
  // injected.
  void PassFence(Process& process);

  // About this test's targets.
  std::vector<std::string> Events(const Process& process) const;
  std::string Metrics(Process& process) const;
  // Returns how often the process under test has written to this test's targets. Writes that end in
  // a conflict do not count: a real server's own controllers also write APIServices and CRDs.
  std::uint64_t Writes() const;
  // Of single objects of a resource, "secrets".
  std::uint64_t Gets(const std::string& resource) const;

  Witness witness_;
  // Of the configuration of the process under test; canonical.
  std::string api_server_ca_;

 private:
  std::string Translated(std::string text) const;

  static std::unique_ptr<Cluster> suite_cluster;
  std::string id_;  // no other test's
  std::vector<std::pair<const Target*, std::string>> created_;
  int fences_ = 0;
};

}  // namespace injection
