// SPDX-License-Identifier: Apache-2.0
// EndpointVerifierTest runs an EndpointVerifier with targets and servers that a test sets.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <thread>

#include "capstan/metrics/metrics.h"
#include "capstan/testing/certificates.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/fake_recorder.h"
#include "controllers/cainjector/endpoints/service_addresses.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/testing/fakes.h"

#include "controllers/cainjector/endpoints/endpoint_verifier.h"

namespace capstan::cainjector {

using std::chrono::minutes;
using std::chrono::seconds;

inline const ServerReference kOrders{.service = {.namespace_ = "shop", .name = "orders"}};
inline const ServerReference kPrices{.service = {.namespace_ = "shop", .name = "prices"}};
inline const ServerReference kUrl{.host = "hooks.example.com"};

class EndpointVerifierTest : public ::testing::Test {
 protected:
  EndpointVerifierTest()
      : verifier_({.events = events_, .metrics = metrics_, .clock = clock_},
                  {.period = minutes(10), .retire_after = minutes(30)},
                  {.read = std::bind_front(&EndpointVerifierTest::Read, this),
                   .ask = std::bind_front(&EndpointVerifierTest::Ask, this)}),
        thread_(Started()) {
    clock_.StepWall(std::chrono::system_clock::now() - clock_.WallNow());
    Serves(kOrders, ca_);
    Serves(kPrices, ca_);
    Serves(kUrl, ca_);
  }

  std::jthread Started() {
    return std::jthread([this](std::stop_token stop) { (void)verifier_.Start(std::move(stop)); });
  }
  // This process no longer leads.
  void Stop() {
    thread_.request_stop();
    thread_.join();
  }
  Expected<std::vector<TargetServersPtr>> Read(const std::stop_token& /*stop*/,
                                               const std::string& resource,
                                               const std::vector<std::string>& names) {
    if (const auto meanwhile = std::exchange(on_read_, nullptr)) meanwhile();
    const MutexLock lock(mu_);
    reads_.push_back(resource);
    if (unreadable_) return Err(ErrorReason::kForbidden, "no");
    std::vector<TargetServersPtr> all;
    for (const std::string& name : names) {
      const std::string version = std::to_string(version_);
      std::vector<TargetServer> servers = servers_[name];
      if (servers.empty()) servers = {{.place = "webhook \"w\"", .reference = kOrders}};
      for (TargetServer& server : servers) server.ca_bundle = bundle_;
      all.push_back(runtime::MakeObject<TargetServers>(
          {.namespace_ = "", .name = name, .uid = "", .resource_version = version},
          std::move(servers)));
    }
    return all;
  }
  ServerAnswers Ask(const std::stop_token& /*stop*/, const ServerReference& server,
                    std::size_t replicas_max) {
    if (const auto meanwhile = std::exchange(on_ask_, nullptr)) meanwhile();
    const MutexLock lock(mu_);
    asked_.push_back(server.ServerName());
    replicas_max_ = replicas_max;
    return answers_[server.Key()];
  }
  // The server presents a certificate of `ca`.
  void Serves(const ServerReference& server, const testing::KeyPair& ca) {
    const auto leaf =
        testing::MakeCertificate(ca, {.common_name = "x", .dns_names = {server.ServerName()}});
    const Certificate certificate = ParseBundle(leaf->cert_pem)->front();
    Answers(server, {.all_replicas = !server.service.name.empty(),
                     .answers = {{"10.0.0.7:9443", std::vector<std::string>{certificate.der}}}});
    const MutexLock lock(mu_);
    expires_ = std::min(expires_, certificate.not_after);
  }
  void Refuses(const ServerReference& server) {
    Answers(server, {.answers = {{"10.0.0.7:9443", Err(ErrorReason::kConnectionRefused, "no")}}});
  }
  // The Service cannot be read.
  void IsUnknown(const ServerReference& server) {
    Answers(server, {.no_address = ServerVerdict{.outcome = EndpointOutcome::kUnknown,
                                                 .message = "forbidden"}});
  }
  void Answers(const ServerReference& server, ServerAnswers answers) {
    const MutexLock lock(mu_);
    answers_[server.Key()] = std::move(answers);
  }
  void HasServers(const std::string& target, const std::vector<ServerReference>& references) {
    const MutexLock lock(mu_);
    for (const ServerReference& reference : references) {
      servers_[target].push_back(
          {.place = "webhook \"" + reference.ServerName() + "\"", .reference = reference});
    }
  }
  // The target's version in the API server, and its bundle.
  void Holds(int version, const std::vector<const testing::KeyPair*>& cas) {
    const MutexLock lock(mu_);
    version_ = version;
    std::string bundle;
    for (const testing::KeyPair* ca : cas) bundle += ca->cert_pem;
    bundle_ = std::make_shared<const std::string>(bundle);
  }
  std::size_t Asks() const {
    const MutexLock lock(mu_);
    return asked_.size();
  }
  std::size_t Reads() const {
    const MutexLock lock(mu_);
    return reads_.size();
  }
  runtime::ObjectPtr TargetNamed(const std::string& name, const std::string& version = "1") const {
    return Decode(target_.type(), WebhookJson(target_, name, "ns/ca", {"x"}, version));
  }
  void Observe(const std::string& name, bool written) {
    verifier_.Observe(target_.type(), *TargetNamed(name), written);
  }
  // Returns when all workers wait, so that everything is recorded.
  void AwaitIdle() { ASSERT_TRUE(clock_.BlockUntilAnyWaiters(kVerifyWorkers)); }
  void Step(Clock::Duration duration) {
    AwaitIdle();
    clock_.Step(duration);
  }
  bool AwaitAsks(std::size_t count) const {
    return testing::Eventually([&] { return Asks() >= count; });
  }
  // Observes a write of the target, and waits until its only server is verified.
  void VerifyForTheFirstTime(const std::string& name) {
    Observe(name, true);
    Step(kVerifyAfterWrite);
    ASSERT_TRUE(AwaitAsks(1));
  }
  // Lets a period pass, and waits until as many verifications as `servers` were made.
  void NextPeriod(std::size_t servers = 1) {
    AwaitIdle();
    const std::size_t before = Asks();
    clock_.Step(minutes(11));
    ASSERT_TRUE(AwaitAsks(before + servers));
    AwaitIdle();
  }
  std::vector<std::string> Reasons() const {
    std::vector<std::string> all;
    for (const auto& event : events_.events()) all.push_back(event.reason);
    return all;
  }
  // The target holds both CAs, and its source ca_ alone.
  void ObserveBothCas(const std::string& name = "t") {
    verifier_.ObserveCas(target_.type(), *TargetNamed(name), *ParseBundle(ca_.cert_pem),
                         *ParseBundle(former_ca_.cert_pem));
  }
  // A rotation from former_ca_ to ca_ begins.
  void Rotate(const std::string& name = "t") {
    verifier_.ObserveCas(target_.type(), *TargetNamed(name), *ParseBundle(former_ca_.cert_pem), {});
    ObserveBothCas(name);
    Holds(1, {&ca_, &former_ca_});
    Observe(name, true);
    Step(kVerifyAfterWrite);
  }

  const testing::KeyPair ca_ = *testing::MakeCa({.common_name = "ca"});
  const testing::KeyPair former_ca_ = *testing::MakeCa({.common_name = "former"});
  testing::FakeClock clock_;
  testing::FakeRecorder events_;
  metrics::Metrics metrics_{{}};
  const Target& target_ = ValidatingWebhookTarget();
  mutable Mutex mu_;
  std::map<std::string, std::vector<TargetServer>> servers_;  // by target
  int version_ = 1;
  std::shared_ptr<const std::string> bundle_ = std::make_shared<const std::string>(ca_.cert_pem);
  bool unreadable_ = false;
  std::map<std::string, ServerAnswers> answers_;      // by server
  CertificateTime expires_ = CertificateTime::max();  // of the certificate that expires first
  std::vector<std::string> reads_;
  std::vector<std::string> asked_;
  std::size_t replicas_max_ = 0;
  std::function<void()> on_ask_;
  std::function<void()> on_read_;
  EndpointVerifier verifier_;
  std::jthread thread_;
};

}  // namespace capstan::cainjector
