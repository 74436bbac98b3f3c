// SPDX-License-Identifier: Apache-2.0
#include "apiserver/request_log.h"

#include <tuple>
#include <utility>

namespace apiserver {

bool RequestMatch::Matches(const RequestMatch& request) const {
  return (verb.empty() || verb == request.verb) &&
         (resource.empty() || resource == request.resource) &&
         (subresource.empty() || subresource == request.subresource) &&
         (namespace_.empty() || namespace_ == request.namespace_) &&
         (name.empty() || name == request.name) &&
         (user_agent.empty() || request.user_agent.find(user_agent) != std::string::npos);
}

bool RequestLog::Key::operator<(const Key& other) const {
  return std::tie(verb, resource, subresource, user_agent, code) <
         std::tie(other.verb, other.resource, other.subresource, other.user_agent, other.code);
}

void RequestLog::Add(const RequestMatch& request, int code) {
  ++counts_[Key{.verb = request.verb,
                .resource = request.resource,
                .subresource = request.subresource,
                .user_agent = request.user_agent,
                .code = code}];
}

std::vector<RequestCount> RequestLog::Counts() const {
  std::vector<RequestCount> counts;
  counts.reserve(counts_.size());
  for (const auto& [key, count] : counts_) {
    counts.push_back({.request = {.verb = key.verb,
                                  .resource = key.resource,
                                  .user_agent = key.user_agent,
                                  .subresource = key.subresource},
                      .code = key.code,
                      .count = count});
  }
  return counts;
}

std::uint64_t RequestLog::Count(const RequestMatch& match) const {
  std::uint64_t total = 0;
  for (const RequestCount& row : Counts()) {
    if (match.Matches(row.request)) total += row.count;
  }
  return total;
}

}  // namespace apiserver
