// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/webhook_calls.h"

#include <vector>

namespace capstan::testing::apiserver {
void WebhookCalls::Run(std::shared_ptr<Admission> admission, std::function<void()> resume) {
  const std::vector<Admission::Call> calls = admission->TakeCalls();
  const std::uint64_t id = ++last_id_;
  waiting_[id] = {
      .admission = std::move(admission), .resume = std::move(resume), .missing = calls.size()};
  const MutexLock lock(mu_);
  if (stopped_) return;
  if (client_ == nullptr) client_ = std::make_unique<WebhookClient>(parts_.services);
  for (const Admission::Call& call : calls) {
    client_->Send(call, parts_.new_uid(), [this, id, call](AdmissionResult result) {
      parts_.post([this, id, call, result = std::move(result)] { Answer(id, call, result); });
    });
  }
}

void WebhookCalls::Answer(std::uint64_t id, const Admission::Call& call, AdmissionResult result) {
  const auto at = waiting_.find(id);
  if (at == waiting_.end()) return;
  at->second.admission->Answer(call, std::move(result));
  if (--at->second.missing > 0) return;
  const Waiting done = std::move(at->second);
  waiting_.erase(at);
  done.resume();
}

void WebhookCalls::Stop() {
  std::unique_ptr<WebhookClient> client;
  {
    const MutexLock lock(mu_);
    stopped_ = true;
    client = std::move(client_);
  }
  client = nullptr;  // waits for its threads
}

void WebhookCalls::Start() {
  const MutexLock lock(mu_);
  stopped_ = false;
}

}  // namespace capstan::testing::apiserver
