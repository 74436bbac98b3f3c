// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/webhook_calls.h"

namespace capstan::testing::apiserver {

void WebhookCalls::Run(const std::vector<HookCall>& calls, std::function<void()> resume) {
  const std::uint64_t id = ++last_id_;
  waiting_[id] = {.resume = std::move(resume), .missing = calls.size()};
  const MutexLock lock(mu_);
  if (stopped_) return;
  if (client_ == nullptr) client_ = std::make_unique<WebhookClient>(parts_.services);
  for (const HookCall& call : calls) {
    const std::string uid = parts_.new_uid();
    client_->Send(call, uid, [this, id, call, uid](HookReply reply) {
      parts_.post(
          [this, id, call, uid, reply = std::move(reply)] { Answer(id, call, uid, reply); });
    });
  }
}

void WebhookCalls::Answer(std::uint64_t id, const HookCall& call, std::string_view uid,
                          const HookReply& reply) {
  const auto at = waiting_.find(id);
  if (at == waiting_.end()) return;
  call.answer(uid, reply);
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
