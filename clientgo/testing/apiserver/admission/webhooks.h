// SPDX-License-Identifier: Apache-2.0
// Webhooks are the admission webhooks of the stored configurations, and the rules that decide which
// of them a request calls. They do not depend on HTTP.
// Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/{configuration,generic,predicates}.
//
// Differs: only custom kinds have several versions, so for others matchPolicy Equivalent is the
// same as Exact. matchConditions are not evaluated: a webhook is called as if they were true.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/storage/selectors.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

// AdmissionAttributes is the part of a request that webhooks see.
struct AdmissionAttributes {
  std::string_view operation = {};      // "CREATE", "UPDATE" or "DELETE"
  const Resource* resource = nullptr;   // in the version of the objects
  const Resource* requested = nullptr;  // in that of the request; null: it is the same
  std::string_view subresource = {};
  const Resource* kind = nullptr;    // of the object; null: that of the resource
  std::string_view namespace_ = {};  // a Namespace is in itself
  std::string_view name = {};
  const runtime::JsonValue* object = nullptr;      // null for DELETE
  const runtime::JsonValue* old_object = nullptr;  // null for CREATE
};

struct WebhookRule {
  std::vector<std::string> operations = {};
  std::vector<std::string> groups = {};
  std::vector<std::string> versions = {};
  std::vector<std::string> resources = {};  // "pods", "pods/status", "pods/*", "*", "*/*"
  std::string scope = {};                   // empty: any

  bool Matches(const AdmissionAttributes& attributes) const;
};

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
  std::vector<WebhookRule> rules = {};
  std::vector<LabelRequirement> namespace_selector = {};
  std::vector<LabelRequirement> object_selector = {};
  bool exact = false;           // matchPolicy Exact
  bool ignore_failure = false;  // failurePolicy Ignore
  bool reinvoke = false;        // reinvocationPolicy IfNeeded
  bool accepts_v1 = true;       // admissionReviewVersions has v1
  int timeout_seconds = 10;
  std::string url = {};
  Service service = {};
  std::string ca_pem = {};

  bool MatchesRules(const AdmissionAttributes& attributes) const;
  // Returns the version in which the webhook gets the objects of the request: that of the request,
  // or with matchPolicy Equivalent another one that its rules name. Null: no rule matches.
  const Resource* FindVersion(const AdmissionAttributes& attributes) const;
};

// Sets the members that a clientConfig has.
void ReadClientConfig(const runtime::JsonValue& client_config, Webhook& webhook);

// Returns the webhooks of a valid configuration in their order.
std::vector<Webhook> ParseWebhooks(const runtime::JsonValue& configuration, bool mutating);

// Returns the requirements of a metav1.LabelSelector. All of them must match.
std::vector<LabelRequirement> ParseLabelSelector(const runtime::JsonValue& selector);

// Webhooks follows the configurations in the storage.
class Webhooks {
 public:
  using List = std::vector<std::shared_ptr<const Webhook>>;

  // Reports whether objects of this resource are configurations of webhooks. No webhook is called
  // for them.
  static bool IsConfiguration(const Resource& resource);
  // REQUIRES: IsConfiguration(resource).
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

// Reports whether the request calls the webhook. `namespace_labels` returns the labels of the
// namespace of the request. It is called only if they matter.
bool Matches(const Webhook& webhook, const AdmissionAttributes& attributes,
             const std::function<const runtime::JsonValue&()>& namespace_labels);

}  // namespace capstan::testing::apiserver
