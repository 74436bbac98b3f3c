// SPDX-License-Identifier: Apache-2.0
// ExecPlugin: credentials that another program knows: it is run, and tells a token or a client
// certificate, which are used until they expire or the server refuses them.
//
// One execution at a time, on a thread of its own ("exec-plugin"), whatever number of requests wait
// for it; a request that is stopped leaves, the execution goes on for the others and for the next
// request. Destroying this ends it. Thread-safe. Tokens and keys are in no message, and what looks
// like one in the program's stderr is hidden.
// Mirrors client-go's plugin/pkg/client/auth/exec. Differs: an execution may take a minute, where
// upstream waits forever; never interactive; credentials that are expired when they arrive are an
// error and not sent; after a 401 the program runs when the next request needs it, not at once.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "clientgo/auth/credentials.h"
#include "clientgo/auth/exec_config.h"
#include "clientgo/auth/exec_credential.h"
#include "clientgo/auth/metrics.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace clientgo::auth {

class ExecPlugin final : public Credentials {
 public:
  struct Options {
    util::Clock& clock = util::Clock::Real();  // says what is expired
    std::chrono::milliseconds timeout = std::chrono::minutes(1);
    MetricsProvider* metrics = nullptr;  // not owned; outlives the plugin
  };
  ExecPlugin(ExecConfig config, Options options);
  ~ExecPlugin() override;

  using Credentials::Current;
  util::Expected<CredentialPtr> Current(std::stop_token stop,
                                        util::Clock::TimePoint deadline) override;
  void OnUnauthorized(const CredentialPtr& refused) override;
  util::Expected<void> Check() override;
  std::shared_ptr<const transport::ClientCertificate> Certificate() override;
  std::string Describe() const override;

 private:
  struct Fresh;
  // One execution; those who wait for it share its outcome.
  struct Execution {
    bool done = false;
    util::Expected<CredentialPtr> result = CredentialPtr();
  };
  bool IsUsable() const REQUIRES(mu_);
  std::shared_ptr<Execution> StartExecution() REQUIRES(mu_);
  void Finish(Execution& execution, util::Expected<Fresh> fresh) EXCLUDES(mu_);
  util::Expected<Fresh> Execute(const std::stop_token& stop) const;
  void Report(const Fresh& fresh) EXCLUDES(mu_);
  util::Expected<void> UseCertificate(const ExecStatus& status, Fresh& fresh) const;
  util::Error Failed(const std::string& why) const;

  const ExecConfig config_;
  util::Clock& clock_;
  const std::chrono::milliseconds timeout_;
  MetricsProvider* const metrics_;

  mutable util::Mutex mu_;
  util::CondVar done_;
  CredentialPtr credential_ GUARDED_BY(mu_);  // null: none, or refused
  util::Clock::WallTime expires_ GUARDED_BY(mu_);
  // Stays while the next one is being asked for: requests on their way still need it.
  std::shared_ptr<const transport::ClientCertificate> certificate_ GUARDED_BY(mu_);
  std::chrono::sys_seconds not_before_ GUARDED_BY(mu_) = {};  // the certificate's
  std::shared_ptr<Execution> execution_ GUARDED_BY(mu_);      // the one that runs
  std::jthread thread_ GUARDED_BY(mu_);
};

}  // namespace clientgo::auth
