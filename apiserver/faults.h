// SPDX-License-Identifier: Apache-2.0
// Faults: what goes wrong, for which requests, how often. A fault is taken by the first `count`
// requests that match it; faults are tried in the order in which they were injected.
// Lives on the server's thread. No upstream; the list is what production clusters do to clients.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/request_log.h"
#include "httpserver/server.h"

namespace apiserver {

enum class FaultAction {
  kStatus,             // answer `code` with a Status, and Retry-After when given
  kPlainText,          // answer `code` with a body that is no Status, as a load balancer does
  kErrorEvent,         // a watch: 200, then an ERROR event with that Status
  kDelay,              // do it, `delay` later
  kCut,                // do it, but break the connection after `bytes` of the body
  kClose,              // break the connection without an answer
  kHang,               // no answer, ever
  kGarbage,            // 200, and a body that is not JSON
  kWithholdBookmarks,  // a watch: no bookmark, not even the end of the initial events
};

struct Fault {
  RequestMatch match = {};
  FaultAction action = FaultAction::kStatus;
  int code = 500;
  std::optional<std::chrono::seconds> retry_after = {};
  std::string message = "injected fault";
  std::chrono::milliseconds delay{0};
  std::size_t bytes = 0;
  int count = 1;  // < 0: every request, until the faults are cleared
};

class Faults {
 public:
  void Inject(Fault fault) { faults_.push_back(std::move(fault)); }
  void Clear() { faults_.clear(); }
  // The fault that this request takes.
  std::optional<Fault> Take(const RequestMatch& request);

 private:
  std::list<Fault> faults_;
};

// Answers as the fault says. False: the fault leaves the answer to the server (kDelay, kCut,
// kWithholdBookmarks), which goes on with a wrapped exchange.
bool AnswerFault(const Fault& fault, const std::shared_ptr<httpserver::Exchange>& exchange);
// The code that the request log shows for it; 0: no answer.
int LoggedCode(const Fault& fault);
// An exchange that breaks off after `bytes` of body.
std::shared_ptr<httpserver::Exchange> CutAfter(std::shared_ptr<httpserver::Exchange> exchange,
                                               std::size_t bytes);

}  // namespace apiserver
