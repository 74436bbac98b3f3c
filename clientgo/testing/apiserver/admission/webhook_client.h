// SPDX-License-Identifier: Apache-2.0
// WebhookClient sends reviews to webhooks over HTTPS, on threads of its own. The first call starts
// the first thread, and there are at most kThreadsMax. An answer of 429 or 5xx with a Retry-After
// is retried ten times, within the timeout of the call. Thread-safe.
// Mirrors k8s.io/apiserver/pkg/util/webhook.ClientManager. Differs: the certificate of a service's
// address must be valid for that address, as with envtest, and not for the name of the service.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/mutex.h"
#include "capstan/transport/http_transport.h"
#include "clientgo/testing/apiserver/admission/webhook_call.h"

namespace capstan::testing::apiserver {

class WebhookClient {
 public:
  static constexpr std::size_t kThreadsMax = 32;

  // `services` has the address ("127.0.0.1:9443") of a service ("namespace/name:port").
  explicit WebhookClient(std::map<std::string, std::string> services)
      : services_(std::move(services)) {}
  // Ends the calls in progress. Their `done` is not called.
  ~WebhookClient();

  // Calls the webhook with the review that has this uid. `done` is called with the reply on another
  // thread.
  void Send(HookCall call, std::string uid, std::function<void(HookReply)> done);

 private:
  using Transport = std::shared_ptr<transport::HttpTransport>;
  struct Job {
    HookCall call;
    std::string uid;
    std::function<void(HookReply)> done;
  };

  void Run(const std::stop_token& stop);
  HookReply Execute(const std::stop_token& stop, const Job& job);
  Expected<Transport> TransportTo(const std::string& host, const std::string& ca_pem);

  const std::map<std::string, std::string> services_;
  Mutex mu_;
  CondVar changed_;
  std::deque<Job> jobs_ CAPSTAN_GUARDED_BY(mu_);
  std::size_t idle_ CAPSTAN_GUARDED_BY(mu_) = 0;
  std::map<std::string, Transport> transports_ CAPSTAN_GUARDED_BY(mu_);  // by host and CA
  std::vector<std::jthread> threads_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::testing::apiserver
