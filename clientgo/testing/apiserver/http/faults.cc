// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/apiserver/faults.h"

#include <algorithm>

#include "capstan/error.h"
#include "clientgo/testing/apiserver/http/forwarding_exchange.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

class CutExchange final : public ForwardingExchange {
 public:
  CutExchange(std::shared_ptr<httpserver::Exchange> exchange, std::size_t bytes)
      : ForwardingExchange(std::move(exchange)), left_(bytes) {}

  // Always chunked, so that the client does not expect a Content-Length.
  void Respond(int status, std::string content_type, std::string body, Headers headers) override {
    Begin(status, std::move(content_type), std::move(headers));
    Write(std::move(body));
    if (!cut_) End();
  }
  void Write(std::string chunk) override {
    if (cut_) return;
    cut_ = chunk.size() > left_;
    chunk.resize(std::min(chunk.size(), left_));
    left_ -= chunk.size();
    exchange().Write(std::move(chunk));
    if (cut_) exchange().Truncate();
  }
  void End() override {
    if (!cut_) exchange().End();
  }
  void WhenDrained(std::function<void()> callback) override {
    if (!cut_) exchange().WhenDrained(std::move(callback));
  }

 private:
  std::size_t left_;
  bool cut_ = false;
};

Status InjectedStatus(const Fault& fault) {
  Status status{.code = fault.code,
                .reason = std::string(ToString(ReasonFromHttpCode(fault.code))),
                .message = fault.message};
  if (fault.retry_after) {
    status.has_details = true;
    status.retry_after = static_cast<int>(fault.retry_after->count());
  }
  return status;
}

Headers RetryAfterHeader(const Fault& fault) {
  if (!fault.retry_after) return {};
  return {{"Retry-After", std::to_string(fault.retry_after->count())}};
}

}  // namespace

bool RequestMatch::Matches(const RequestMatch& request) const {
  return (verb.empty() || verb == request.verb) &&
         (resource.empty() || resource == request.resource) &&
         (subresource.empty() || subresource == request.subresource) &&
         (namespace_.empty() || namespace_ == request.namespace_) &&
         (name.empty() || name == request.name) &&
         (user_agent.empty() || request.user_agent.find(user_agent) != std::string::npos);
}

void RequestLog::Add(const RequestMatch& request, int code) {
  RequestMatch counted = request;
  counted.namespace_.clear();
  counted.name.clear();
  ++counts_[{std::move(counted), code}];
}

std::vector<RequestCount> RequestLog::Counts() const {
  std::vector<RequestCount> counts;
  counts.reserve(counts_.size());
  for (const auto& [key, count] : counts_) {
    counts.push_back({.request = key.first, .code = key.second, .count = count});
  }
  return counts;
}

std::uint64_t RequestLog::Count(const RequestMatch& match) const {
  std::uint64_t total = 0;
  for (const auto& [key, count] : counts_) {
    if (match.Matches(key.first)) total += count;
  }
  return total;
}

std::optional<Fault> Faults::Take(const RequestMatch& request) {
  for (auto fault = faults_.begin(); fault != faults_.end(); ++fault) {
    if (!fault->match.Matches(request)) continue;
    Fault taken = *fault;
    if (fault->count > 0 && --fault->count == 0) faults_.erase(fault);
    return taken;
  }
  return std::nullopt;
}

std::optional<int> RespondWithFault(const Fault& fault,
                                    const std::shared_ptr<httpserver::Exchange>& exchange) {
  switch (fault.action) {
    case FaultAction::kStatus:
      exchange->Respond(fault.code, "application/json", InjectedStatus(fault).ToJson().text(),
                        RetryAfterHeader(fault));
      return fault.code;
    case FaultAction::kPlainText:
      exchange->Respond(fault.code, "text/plain; charset=utf-8", fault.message,
                        RetryAfterHeader(fault));
      return fault.code;
    case FaultAction::kErrorEvent:
      exchange->Begin(200, "application/json");
      exchange->Write(Json({{"type", "ERROR"}, {"object", InjectedStatus(fault).ToJson()}}).text() +
                      "\n");
      exchange->End();
      return 200;
    case FaultAction::kGarbage:
      exchange->Respond(200, "application/json", "{\"kind\": <html>this is not JSON</html>\n");
      return 200;
    case FaultAction::kClose:
      exchange->Abort();
      return 0;
    case FaultAction::kHang:
      exchange->OnClose([exchange] {});  // keeps the exchange until the client closes
      return 0;
    default:
      return std::nullopt;
  }
}

std::shared_ptr<httpserver::Exchange> CutAfter(std::shared_ptr<httpserver::Exchange> exchange,
                                               std::size_t bytes) {
  return std::make_shared<CutExchange>(std::move(exchange), bytes);
}

}  // namespace capstan::testing::apiserver
