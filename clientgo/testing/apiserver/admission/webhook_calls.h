// SPDX-License-Identifier: Apache-2.0
// WebhookCalls makes the pending calls of a request and continues it when all of them are answered.
// Only the server's thread uses it; the calls themselves run on the threads of a WebhookClient,
// which the first call starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/testing/apiserver/admission/webhook_call.h"
#include "clientgo/testing/apiserver/admission/webhook_client.h"

namespace capstan::testing::apiserver {

class WebhookCalls {
 public:
  struct Parts {
    std::map<std::string, std::string> services;  // as for WebhookClient
    std::function<std::string()> new_uid;
    // Runs a task on the server's thread. It is called on other threads, too.
    std::function<void(std::function<void()>)> post;
  };
  explicit WebhookCalls(Parts parts) : parts_(std::move(parts)) {}

  // Makes the calls, and then calls `resume`, which keeps alive what the calls refer to.
  void Run(const std::vector<HookCall>& calls, std::function<void()> resume);
  // Stop ends the calls. It must be called before the server's thread ends. After Start, requests
  // can call webhooks again. Both are thread-safe.
  void Stop();
  void Start();
  // Forgets the requests that wait. REQUIRES: the server's thread has ended.
  void Clear() { waiting_.clear(); }

 private:
  struct Waiting {
    std::function<void()> resume;
    std::size_t missing = 0;
  };

  void Answer(std::uint64_t id, const HookCall& call, std::string_view uid, const HookReply& reply);

  const Parts parts_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, Waiting> waiting_;
  Mutex mu_;
  std::unique_ptr<WebhookClient> client_ CAPSTAN_GUARDED_BY(mu_);  // null until the first call
  bool stopped_ CAPSTAN_GUARDED_BY(mu_) = false;
};

}  // namespace capstan::testing::apiserver
