// SPDX-License-Identifier: Apache-2.0
// WebhookAuthorizer asks a server about each request, with a SubjectAccessReview to the URL of a
// kubeconfig. It remembers the answers for the times of its options. Mirrors
// k8s.io/apiserver/plugin/pkg/authorizer/webhook. Differs: selectors of the request are not sent, a
// Retry-After is not read, and a full cache is emptied.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/rest/config.h"
#include "capstan/transport/http_transport.h"
#include "clientgo/testing/apiserver/authorization/access_review.h"
#include "clientgo/testing/apiserver/authorization/review_conditions.h"

namespace capstan::testing::apiserver {

struct WebhookAuthorizerOptions {
  std::string name = {};
  rest::Config server = {};
  std::string version = "v1";  // of the SubjectAccessReview: "v1" or "v1beta1"
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
  bool deny_on_failure = false;  // otherwise a failure is no opinion
  Clock::Duration authorized_ttl{0};
  Clock::Duration unauthorized_ttl{0};
  ReviewConditions conditions = {};
};

class WebhookAuthorizer {
 public:
  // kInvalidArgument: the kubeconfig has unusable certificates or credentials.
  static Expected<std::shared_ptr<WebhookAuthorizer>> New(WebhookAuthorizerOptions options);

  // Returns the decision. If that needs a call, it is added to `reviews`, and the result does not
  // count. The calls must end before this object does.
  AccessDecision Authorize(const AccessAttributes& attributes, AccessReviews& reviews);

 private:
  struct Remembered {
    AccessDecision decision;
    Clock::TimePoint until;
  };

  WebhookAuthorizer(WebhookAuthorizerOptions options,
                    std::unique_ptr<transport::HttpTransport> transport);

  AccessReviewReply Send(const std::stop_token& stop, const std::string& spec) const;
  AccessDecision Decide(const AccessReviewReply& reply) const;
  AccessDecision Failure(std::string why) const;
  void Remember(const std::string& question, const AccessDecision& decision);

  const WebhookAuthorizerOptions options_;
  const std::unique_ptr<transport::HttpTransport> transport_;
  const std::shared_ptr<auth::Credentials> credentials_;
  std::map<std::string, Remembered> remembered_;  // by question
};

}  // namespace capstan::testing::apiserver
