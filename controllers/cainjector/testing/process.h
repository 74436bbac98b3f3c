// SPDX-License-Identifier: Apache-2.0
// CaInjector with everything real but the cluster: the REST client, informers, controllers and
// Manager, over HTTP against the embedded API server, whose request log is the witness. And objects
// for that server, by the kinds of targets.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apiserver/server.h"
#include "controllers/cainjector/ca_injector.h"
#include "controllers/cainjector/testing/fakes.h"

namespace controllers::cainjector {

// For the names of tests over kinds.
inline void PrintTo(const Target* target, std::ostream* out) { *out << target->type().kind; }

using Annotations = std::vector<std::pair<std::string_view, std::string>>;

// The Secret ns/<name>, with ca.crt and these annotations.
std::string StoredSecret(const std::string& ca_crt, const std::string& name = "ca",
                         const Annotations& annotations = {
                             {"cert-manager.io/allow-direct-injection", "true"}});
// The Secret that cert-manager keeps for the Certificate ns/<certificate>.
std::string StoredCertificateSecret(const std::string& ca_crt, const std::string& certificate,
                                    const std::string& name);
std::string StoredCertificate(const std::string& name, const std::string& secret_name);
std::string StoredConfigMap(const std::string& name, bool labelled, const std::string& data_key,
                            const std::string& value);
// A target called `name`, in its kind's way, with `bundle` in every place: a webhook configuration
// has one webhook with a url, and one with a service.
std::string StoredTarget(const Target& target, const std::string& name,
                         const Annotations& annotations, const std::string& bundle = "");
// The name of that object: "name", "v1.name.example.com", "names.example.com".
std::string TargetName(const Target& target, const std::string& name);

// The process under test: dies and starts again as a whole.
class Process {
 public:
  explicit Process(clientgo::rest::Client& client, CaInjectorOptions options = {});
  bool Ready() { return manager_.readyz().Handle("", "").status == 200; }
  std::string ReadyText() { return manager_.readyz().Handle("", "verbose").body; }
  std::string Metrics() { return metrics_.Serialize(); }

  FakeRecorder events;

 private:
  metrics::Metrics metrics_{{.version = "0", .commit = "0"}};
  clientgo::cache::SharedInformerFactory informers_;
  runtime::Manager manager_;
  CaInjector injector_;
  std::jthread thread_;  // last: stopped and joined first
};

class ProcessTest : public ::testing::Test {
 protected:
  ProcessTest();

  void Create(std::vector<std::string> objects);
  // Of a Secret in namespace ns.
  void Update(const std::string& name, const std::string& secret);
  void Delete(const clientgo::runtime::ResourceType& type, const std::string& key);
  void MergePatch(const Target& target, const std::string& name, const std::string& patch);
  // Polls in real time, at most 20 s.
  static bool Eventually(const std::function<bool()>& condition);
  // What the target's places hold; the error's text when it cannot be read.
  std::vector<std::string> BundlesOf(const Target& target, const std::string& name);
  // The bundle is in every place.
  bool Holds(const Target& target, const std::string& name, const std::string& bundle);
  std::uint64_t Writes() const {
    return server_.CountRequests({.verb = "patch", .user_agent = "under-test"});
  }
  std::uint64_t Gets(const std::string& resource) const {
    return server_.CountRequests({.verb = "get", .resource = resource, .user_agent = "under-test"});
  }
  // The process started and all that was there has been looked at.
  static bool Settled(Process& process) {
    return Eventually([&] { return process.Ready(); });
  }

  apiserver::Server server_{{.tls = false}};
  const std::string ca_ = NewCaPem();
  // The CA in its configuration, which plain HTTP has no use for: just data to inject.
  const std::string api_server_ca_ = NewCaPem();
  std::unique_ptr<clientgo::rest::Client> client_;
  std::unique_ptr<clientgo::rest::Client> observer_;
};

}  // namespace controllers::cainjector
