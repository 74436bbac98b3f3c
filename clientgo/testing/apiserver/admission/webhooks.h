// SPDX-License-Identifier: Apache-2.0
// Webhooks are the admission webhooks of the stored configurations, and the rules that decide which
// of them a request calls. They do not depend on HTTP.
// Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/{configuration,generic}.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/admission/match_conditions.h"
#include "clientgo/testing/apiserver/admission/matching.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

struct Webhook {
  // The service of clientConfig. An empty name means that it has a URL.
  struct Service {
    std::string namespace_ = {};
    std::string name = {};
    int port = 443;
    std::string path = {};
  };

  std::string configuration = {};
  std::string name = {};
  bool mutating = false;
  MatchResources match = {};
  MatchConditions conditions = {};
  bool ignore_failure = false;        // failurePolicy Ignore
  bool reinvoke = false;              // reinvocationPolicy IfNeeded
  std::string review_version = "v1";  // of the AdmissionReview: "v1" or "v1beta1"
  int timeout_seconds = 10;
  std::string url = {};
  Service service = {};
  std::string ca_pem = {};
};

// Returns the first version of reviews in a member of a webhook that this server knows, "v1" or
// "v1beta1". A valid webhook has one.
std::string ReviewVersion(const runtime::JsonValue& webhook, std::string_view member);
// Sets the members that a clientConfig has.
void ReadClientConfig(const runtime::JsonValue& client_config, Webhook& webhook);

// Returns the webhooks of a valid configuration in their order.
std::vector<Webhook> ParseWebhooks(const runtime::JsonValue& configuration, bool mutating);

// Webhooks follows the configurations in the storage.
class Webhooks {
 public:
  using List = std::vector<std::shared_ptr<const Webhook>>;

  // Follows a change of an object of group admissionregistration.k8s.io.
  void Update(const Resource& resource, const Event& event);

  // Reports whether a webhook has a rule that may match a write of this resource.
  bool MayMatch(const Resource& resource) const;
  // Return the webhooks in the order in which they are called: by the name of the configuration,
  // then in the order of the configuration.
  const List& mutating() const { return mutating_; }
  const List& validating() const { return validating_; }

 private:
  std::map<std::string, List, std::less<>> configurations_;  // by resource and name
  List mutating_;
  List validating_;
};

}  // namespace capstan::testing::apiserver
