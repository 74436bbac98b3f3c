// SPDX-License-Identifier: Apache-2.0
// AccessReviews are the questions of one request that webhooks answer (SubjectAccessReview), and
// their answers. Nothing here blocks: a question without an answer becomes a pending call, and the
// request fails without an effect. The owner makes the calls elsewhere and repeats the request from
// its beginning, which then finds the answers. Only the server's thread uses it.
#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "clientgo/testing/apiserver/authorization/access_attributes.h"

namespace capstan::testing::apiserver {

struct AccessDecision {
  bool allowed = false;
  bool denied = false;          // no other authorizer decides; neither of both: no opinion
  std::string reason = {};      // may be empty
  std::string evaluation = {};  // the error of the evaluation; empty: there is none
};

// The body of a response, or the error of the call.
using AccessReviewReply = tl::expected<std::string, std::string>;

struct AccessReviewCall {
  std::function<AccessReviewReply(const std::stop_token& stop)> send;  // blocks, on any thread
  std::function<void(const AccessReviewReply& reply)> answer;          // on the server's thread
};

class AccessReviews {
 public:
  // Returns the answer to a question; null: it is not known.
  const AccessDecision* Find(const std::string& question) const;
  // Adds a call that finds the answer. `decide` makes it of the reply.
  void Add(const std::string& question,
           std::function<AccessReviewReply(const std::stop_token& stop)> send,
           std::function<AccessDecision(const AccessReviewReply& reply)> decide);

  // Reports whether an answer is missing.
  bool pending() const { return !calls_.empty(); }
  // Returns the calls. They refer to this object.
  std::vector<AccessReviewCall> TakeCalls() { return std::exchange(calls_, {}); }

 private:
  std::map<std::string, AccessDecision> answers_;
  std::vector<AccessReviewCall> calls_;
};

// Returns the spec of a SubjectAccessReview about this. The version is "v1" or "v1beta1".
Json AccessReviewSpec(const AccessAttributes& attributes, std::string_view version);

}  // namespace capstan::testing::apiserver
