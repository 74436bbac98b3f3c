// SPDX-License-Identifier: Apache-2.0
// MatchResources are the rules and selectors that decide whether a request concerns a webhook, a
// policy or a binding. Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/predicates and
// plugin/policy/matching. Differs: only custom kinds have several versions, so for others
// matchPolicy Equivalent is the same as Exact.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/storage/selectors.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

// AdmissionAttributes is the part of a request that webhooks and policies see.
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

struct AdmissionRule {
  std::vector<std::string> operations = {};
  std::vector<std::string> groups = {};
  std::vector<std::string> versions = {};
  std::vector<std::string> resources = {};  // "pods", "pods/status", "pods/*", "*", "*/*"
  std::vector<std::string> names = {};      // of objects; empty: any
  std::string scope = {};                   // empty: any

  bool Matches(const AdmissionAttributes& attributes) const;
};

struct MatchResources {
  // Returns the labels of the namespace of a request. It is called only if they matter.
  using NamespaceLabels = std::function<const runtime::JsonValue&()>;

  std::vector<AdmissionRule> rules = {};
  std::vector<AdmissionRule> excluded = {};
  std::vector<LabelRequirement> namespace_selector = {};
  std::vector<LabelRequirement> object_selector = {};
  bool exact = false;  // matchPolicy Exact

  bool MatchesRules(const AdmissionAttributes& attributes) const;
  // Returns the version in which the objects of a request that matches are seen: that of the
  // request, or with matchPolicy Equivalent another one that the rules name. Null: no rule matches.
  const Resource* FindVersion(const AdmissionAttributes& attributes) const;
  bool MatchesSelectors(const AdmissionAttributes& attributes, const NamespaceLabels& labels) const;
  // Returns the version if the request matches everything, and no excluded rule; null otherwise.
  // Without rules every resource matches, as for a binding.
  const Resource* Match(const AdmissionAttributes& attributes, const NamespaceLabels& labels) const;
  // Reports whether a rule may match a write of this resource.
  bool MayMatch(const Resource& resource) const;
};

// Reads the members of a webhook. `rules` is "rules", or "resourceRules" of a policy.
MatchResources ParseMatchResources(const runtime::JsonValue& json, std::string_view rules);

// Returns the requirements of a metav1.LabelSelector. All of them must match.
std::vector<LabelRequirement> ParseLabelSelector(const runtime::JsonValue& selector);

// Reports whether objects of this resource configure admission. They pass no webhook or policy.
bool IsAdmissionConfiguration(const Resource& resource);

}  // namespace capstan::testing::apiserver
