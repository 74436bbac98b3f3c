// SPDX-License-Identifier: Apache-2.0
// ExecPlugin runs another program for credentials. The program returns a token or a client
// certificate, which is used until it expires or the server refuses it.
//
// There is one execution at a time, on its own thread ("exec-plugin"), for all waiting requests.
// When a request is stopped, the execution continues for the others and for the next request. The
// destructor ends it. Thread-safe. Messages contain no tokens or keys, and words like them in the
// program's stderr are hidden.
//
// Mirrors client-go's plugin/pkg/client/auth/exec. Differs: an execution may take a minute, where
// upstream waits forever. It is never interactive. Expired credentials are an error and not sent.
// After a 401 the program runs when the next request needs it, not at once.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "capstan/auth/credentials.h"
#include "capstan/auth/exec_credential.h"
#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/mutex.h"

namespace capstan::auth {

class ExecPlugin final : public Credentials {
 public:
  struct Options {
    Clock& clock = Clock::Real();  // decides what has expired
    std::chrono::milliseconds timeout = std::chrono::minutes(1);
    MetricsProvider* metrics = nullptr;  // must outlive the plugin
  };
  ExecPlugin(ExecConfig config, Options options);
  ~ExecPlugin() override;

  using Credentials::Current;
  Expected<CredentialPtr> Current(std::stop_token stop, Clock::TimePoint deadline) override;
  void OnUnauthorized(const CredentialPtr& refused) override;
  Expected<void> Check() override;
  std::shared_ptr<const transport::ClientCertificate> Certificate() override;
  std::string Describe() const override;

 private:
  struct Fresh;
  // Execution is one run of the program. All requests that wait for it share its result.
  struct Execution {
    bool done = false;
    Expected<CredentialPtr> result = CredentialPtr();
  };
  void Finish(Execution& execution, Expected<Fresh> fresh) CAPSTAN_EXCLUDES(mu_);
  Expected<Fresh> Execute(const std::stop_token& stop) const;
  void Report(const Fresh& fresh) CAPSTAN_EXCLUDES(mu_);
  Expected<void> UseCertificate(const ExecStatus& status, Fresh& fresh) const;
  Error Failed(const std::string& why) const;

  const ExecConfig config_;
  Clock& clock_;
  const std::chrono::milliseconds timeout_;
  MetricsProvider* const metrics_;

  mutable Mutex mu_;
  CondVar done_;
  CredentialPtr credential_ CAPSTAN_GUARDED_BY(mu_);  // null: none, or refused
  Clock::WallTime expires_ CAPSTAN_GUARDED_BY(mu_);
  // Stays until the next one arrives, because requests in progress still need it.
  std::shared_ptr<const transport::ClientCertificate> certificate_ CAPSTAN_GUARDED_BY(mu_);
  std::chrono::sys_seconds not_before_ CAPSTAN_GUARDED_BY(mu_) = {};  // the certificate's
  std::shared_ptr<Execution> execution_ CAPSTAN_GUARDED_BY(mu_);      // the one in progress
  std::jthread thread_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::auth
