// SPDX-License-Identifier: Apache-2.0
#include "clientgo/auth/exec_plugin.h"

#include <optional>
#include <string_view>
#include <utility>

#include "capstan/log.h"
#include "capstan/thread.h"
#include "capstan/time.h"
#include "clientgo/auth/subprocess.h"
#include "clientgo/transport/tls_material.h"

namespace capstan::auth {

struct ExecPlugin::Fresh {
  Credential credential;
  Clock::WallTime expires;
  std::optional<transport::TlsMaterial::Validity> certificate_validity;
};

namespace {

// Counts a run as client-go does. A run that this process canceled is not counted.
void CountCall(MetricsProvider& metrics, const Expected<ProcessResult>& result) {
  constexpr std::string_view kFailed = "plugin_execution_error";
  constexpr int kKilled = -1;
  if (result) {
    const int code = result->signal != 0 ? kKilled : result->exit_code;
    metrics.OnExecPluginCall(code, code == 0 ? "no_error" : kFailed);
  } else if (IsNotFound(result.error())) {
    metrics.OnExecPluginCall(1, "plugin_not_found_error");
  } else if (result.error().reason == ErrorReason::kDeadlineExceeded) {
    metrics.OnExecPluginCall(kKilled, kFailed);
  } else if (!IsCanceled(result.error())) {
    metrics.OnExecPluginCall(1, "client_internal_error");
  }
}

bool SameCertificate(const std::shared_ptr<const transport::ClientCertificate>& a,
                     const std::shared_ptr<const transport::ClientCertificate>& b) {
  return a && b && a->cert_pem == b->cert_pem && a->key_pem == b->key_pem;
}

}  // namespace

ExecPlugin::ExecPlugin(ExecConfig config, Options options)
    : config_(std::move(config)),
      clock_(options.clock),
      timeout_(options.timeout),
      metrics_(options.metrics) {}

ExecPlugin::~ExecPlugin() {
  {
    std::jthread last;
    MutexLock lock(mu_);
    last = std::move(thread_);
  }  // stops and joins without the lock, because the thread needs it to finish
  if (metrics_ != nullptr) metrics_->SetClientCertificateExpiry(this, std::nullopt);
}

std::string ExecPlugin::Describe() const {
  std::string text = "exec plugin " + config_.command;
  return config_.origin.empty() ? text : text + " (" + config_.origin + ")";
}

Error ExecPlugin::Failed(const std::string& why) const {
  return Error{.reason = ErrorReason::kCredentials, .message = Describe() + ": " + why};
}

Expected<void> ExecPlugin::Check() {
  const auto path = FindCommand(config_.command);
  if (path) return {};
  const std::string hint = OneLine(config_.install_hint);
  return Err(Failed(path.error().message + "; " +
                    (hint.empty() ? "install it, or correct the kubeconfig" : hint)));
}

std::shared_ptr<const transport::ClientCertificate> ExecPlugin::Certificate() {
  MutexLock lock(mu_);
  return certificate_;
}

void ExecPlugin::OnUnauthorized(const CredentialPtr& refused) {
  MutexLock lock(mu_);
  if (refused == credential_) credential_ = nullptr;
}

Expected<CredentialPtr> ExecPlugin::Current(std::stop_token stop, Clock::TimePoint deadline) {
  MutexLock lock(mu_);
  if (credential_ != nullptr && clock_.WallNow() < expires_) return credential_;
  if (!execution_) {
    execution_ = std::make_shared<Execution>();
    // An earlier thread no longer uses the lock.
    thread_ = StartThread("exec-plugin", [this, started = execution_](const auto& stopped) {
      Finish(*started, Execute(stopped));
    });
  }
  const std::shared_ptr<Execution> execution = execution_;
  const auto done = [&]() CAPSTAN_REQUIRES(mu_) { return execution->done; };
  if (!clock_.WaitUntil(mu_, done_, stop, deadline, done)) {
    if (stop.stop_requested()) {
      return Err(ErrorReason::kCanceled, "canceled while waiting for " + Describe());
    }
    return Err(ErrorReason::kDeadlineExceeded, "no credential in time from " + Describe());
  }
  return execution->result;
}

void ExecPlugin::Report(const Fresh& fresh) {
  if (metrics_ == nullptr) return;
  std::optional<std::chrono::sys_seconds> expiry;
  if (fresh.certificate_validity) expiry = fresh.certificate_validity->not_after;
  metrics_->SetClientCertificateExpiry(this, expiry);
  std::optional<std::chrono::sys_seconds> replaced;
  {
    MutexLock lock(mu_);
    if (certificate_ && !SameCertificate(certificate_, fresh.credential.certificate)) {
      replaced = not_before_;
    }
  }
  if (!replaced) return;
  const auto now = std::chrono::floor<std::chrono::seconds>(clock_.WallNow());
  metrics_->OnClientCertificateRotation(now - *replaced);
}

void ExecPlugin::Finish(Execution& execution, Expected<Fresh> fresh) {
  if (fresh) Report(*fresh);
  MutexLock lock(mu_);
  if (fresh) {
    // An equal certificate keeps the same object, so that its connections stay open.
    auto& certificate = fresh->credential.certificate;
    if (SameCertificate(certificate, certificate_)) certificate = certificate_;
    certificate_ = certificate;
    not_before_ = fresh->certificate_validity ? fresh->certificate_validity->not_before
                                              : std::chrono::sys_seconds();
    expires_ = fresh->expires;
    credential_ = std::make_shared<const Credential>(std::move(fresh->credential));
    execution.result = credential_;
  } else {
    execution.result = Err(std::move(fresh.error()));
  }
  execution.done = true;
  execution_ = nullptr;
  done_.NotifyAll();
}

// Checks the certificate here, because the transport would keep using the old one.
Expected<void> ExecPlugin::UseCertificate(const ExecStatus& status, Fresh& fresh) const {
  const auto usable = transport::TlsMaterial::Parse({}, {status.cert_pem, "clientCertificateData"},
                                                    {status.key_pem, "clientKeyData"});
  if (!usable) return Err(usable.error());
  fresh.certificate_validity = (*usable)->ClientValidity();
  fresh.credential.certificate =
      std::make_shared<const transport::ClientCertificate>(transport::ClientCertificate{
          .cert_pem = status.cert_pem, .key_pem = status.key_pem, .origin = Describe()});
  return {};
}

Expected<ExecPlugin::Fresh> ExecPlugin::Execute(const std::stop_token& stop) const {
  ProcessOptions options{
      .command = config_.command, .args = config_.args, .env = config_.env, .timeout = timeout_};
  options.env.emplace_back("KUBERNETES_EXEC_INFO", ExecInfo(config_));
  V(1).InfoS("Running an exec plugin", "command", config_.command);
  const auto result = RunProcess(stop, options);
  if (metrics_ != nullptr) CountCall(*metrics_, result);
  if (!result) {
    if (IsCanceled(result.error())) return Err(result.error().Wrap(Describe()));
    const bool missing = IsNotFound(result.error());
    const std::string hint = missing ? OneLine(config_.install_hint) : "";
    return Err(Failed(result.error().message + (hint.empty() ? "" : "; " + hint)));
  }
  const std::string out = ExecOutputAsJson(config_, result->out);
  if (result->signal != 0 || result->exit_code != 0) {
    const std::string how = result->signal != 0
                                ? "it was ended by signal " + std::to_string(result->signal)
                                : "exit code " + std::to_string(result->exit_code);
    const std::string text = ReadableStderr(result->err, out);
    return Err(Failed(how + (text.empty() ? ", and its stderr is empty" : ": " + text)));
  }
  auto status = ParseExecCredential(out, config_.api_version);
  if (!status) return Err(Failed(status.error().message));
  Fresh fresh{
      .credential = {}, .expires = Clock::WallTime::max(), .certificate_validity = std::nullopt};
  if (status->expiration) {
    fresh.expires = *status->expiration;
    if (fresh.expires <= clock_.WallNow()) {
      return Err(Failed("its credentials expired at " + FormatTime(ToTime(fresh.expires)) +
                        ", before they were used; check the clock"));
    }
  }
  if (!status->token.empty()) fresh.credential.authorization = BearerAuthorization(status->token);
  if (!status->cert_pem.empty()) {
    const auto used = UseCertificate(*status, fresh);
    if (!used) return Err(Failed(used.error().message));
  }
  return fresh;
}

}  // namespace capstan::auth
