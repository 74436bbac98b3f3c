// SPDX-License-Identifier: Apache-2.0
// RequestMatch selects requests, Fault is what goes wrong with them, and RequestLog counts them.
// There is no upstream; the faults are those that clients meet in production clusters.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "httpserver/server.h"

namespace clientgo::testing::apiserver {

// RequestMatch selects requests. An empty field matches every request.
struct RequestMatch {
  std::string verb = {};         // get list watch create update patch delete deletecollection
  std::string resource = {};     // "secrets"; "" also matches non-resource paths
  std::string user_agent = {};   // any substring
  std::string subresource = {};  // "status"
  std::string namespace_ = {};
  std::string name = {};  // also of a list or watch with the field selector metadata.name=

  bool Matches(const RequestMatch& request) const;
};

struct RequestCount {
  RequestMatch request;  // without namespace and name
  int code = 0;          // 0: no answer
  std::uint64_t count = 0;
};

// RequestLog counts requests as the audit log of kube-apiserver would list them.
class RequestLog {
 public:
  void Add(const RequestMatch& request, int code);
  std::vector<RequestCount> Counts() const;
  std::uint64_t Count(const RequestMatch& match) const;
  void Clear() { counts_.clear(); }

 private:
  struct Key {
    std::string verb, resource, subresource, user_agent;
    int code = 0;
    bool operator<(const Key& other) const;
  };
  std::map<Key, std::uint64_t> counts_;
};

enum class FaultAction {
  kStatus,             // answer `code` with a Status, and Retry-After when given
  kPlainText,          // answer `code` with plain text, as a load balancer does
  kErrorEvent,         // a watch: 200, then an ERROR event with that Status
  kDelay,              // serve the request after `delay`
  kCut,                // serve it, but break the connection after `bytes` of the body
  kClose,              // break the connection without an answer
  kHang,               // never answer
  kGarbage,            // 200, and a body that is not JSON
  kWithholdBookmarks,  // a watch: no bookmark, also not initial-events-end
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

// Faults holds the injected faults. A request takes the first one that matches it.
class Faults {
 public:
  void Inject(Fault fault) { faults_.push_back(std::move(fault)); }
  void Clear() { faults_.clear(); }
  std::optional<Fault> Take(const RequestMatch& request);

 private:
  std::list<Fault> faults_;
};

// Answers the request with the fault. Returns false when the server must answer it instead
// (kDelay, kCut, kWithholdBookmarks).
bool AnswerFault(const Fault& fault, const std::shared_ptr<httpserver::Exchange>& exchange);
// Returns the code for the request log; 0: no answer.
int LoggedCode(const Fault& fault);
// Returns an exchange that breaks the connection after `bytes` of the body.
std::shared_ptr<httpserver::Exchange> CutAfter(std::shared_ptr<httpserver::Exchange> exchange,
                                               std::size_t bytes);

}  // namespace clientgo::testing::apiserver
