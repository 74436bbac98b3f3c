// SPDX-License-Identifier: Apache-2.0
// RequestLog counts requests as the audit log of a real API server would list them, so that "no
// needless call" is a number. Lives on the server's thread. No upstream; the verbs are audit's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace apiserver {

// Which requests: an empty field matches all.
struct RequestMatch {
  std::string verb = {};         // get list watch create update patch delete deletecollection
  std::string resource = {};     // "secrets"; "" also matches what is no resource, as /healthz
  std::string user_agent = {};   // a part of it
  std::string subresource = {};  // "status"
  std::string namespace_ = {};
  std::string name = {};  // also of a list or watch with the field selector metadata.name=

  bool Matches(const RequestMatch& request) const;
};

struct RequestCount {
  RequestMatch request;  // without namespace and name
  int code = 0;          // 0: never answered
  std::uint64_t count = 0;
};

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

}  // namespace apiserver
