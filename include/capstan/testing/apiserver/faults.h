// SPDX-License-Identifier: Apache-2.0
// The faults that the server injects, and its request log. There is no upstream. The faults are
// those that clients meet in production clusters. All requests of a client share one
// connection of HTTP/2, so a fault that breaks the connection resets only the stream of its request
// (RST_STREAM, INTERNAL_ERROR).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capstan/export.h"
#include "capstan/httpserver/server.h"

namespace capstan::testing::apiserver {

// RequestMatch selects requests. An empty field matches every request.
struct CAPSTAN_EXPORT RequestMatch {
  std::string verb = {};         // get list watch create update patch delete deletecollection
  std::string resource = {};     // "secrets"; "" also matches non-resource paths
  std::string user_agent = {};   // any substring
  std::string subresource = {};  // "status"
  std::string namespace_ = {};
  std::string name = {};  // also of a list or watch with the field selector metadata.name=

  bool Matches(const RequestMatch& request) const;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes <=> for a null pointer.
  friend auto operator<=>(const RequestMatch&, const RequestMatch&) = default;
};

struct CAPSTAN_EXPORT RequestCount {
  RequestMatch request;  // without namespace and name
  int code = 0;          // 0: no response
  std::uint64_t count = 0;
};

// RequestLog counts requests like the entries of kube-apiserver's audit log.
class CAPSTAN_EXPORT RequestLog {
 public:
  void Add(const RequestMatch& request, int code);
  std::vector<RequestCount> Counts() const;
  std::uint64_t Count(const RequestMatch& match) const;
  void Clear() { counts_.clear(); }

 private:
  std::map<std::pair<RequestMatch, int>, std::uint64_t> counts_;  // by request and code
};

enum class FaultAction {
  kStatus,             // return `code` with a Status, and Retry-After when given
  kPlainText,          // return `code` with plain text, as a load balancer does
  kErrorEvent,         // a watch: return 200, then an ERROR event with that Status
  kDelay,              // serve the request after `delay`
  kCut,                // serve it, but break the connection after `bytes` of the body
  kClose,              // break the connection without a response
  kHang,               // never respond
  kGarbage,            // return 200 and a body that is not JSON
  kWithholdBookmarks,  // a watch: send no bookmark, also not initial-events-end
};

struct CAPSTAN_EXPORT Fault {
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
class CAPSTAN_EXPORT Faults {
 public:
  void Inject(Fault fault) { faults_.push_back(std::move(fault)); }
  void Clear() { faults_.clear(); }
  std::optional<Fault> Take(const RequestMatch& request);

 private:
  std::list<Fault> faults_;
};

// Responds with the fault and returns the code for the request log; 0: no response. Returns nullopt
// when the server must serve the request (kDelay, kCut, kWithholdBookmarks).
CAPSTAN_EXPORT std::optional<int> RespondWithFault(
    const Fault& fault, const std::shared_ptr<httpserver::Exchange>& exchange);
// Returns an exchange that breaks the connection after `bytes` of the body.
CAPSTAN_EXPORT std::shared_ptr<httpserver::Exchange> CutAfter(
    std::shared_ptr<httpserver::Exchange> exchange, std::size_t bytes);

}  // namespace capstan::testing::apiserver
