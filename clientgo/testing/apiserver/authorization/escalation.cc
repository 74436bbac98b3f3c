// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authorization/escalation.h"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kCertificates = "certificates.k8s.io";

bool IsTrustBundle(const Resource& resource) {
  return resource.group == kCertificates && resource.kind == "ClusterTrustBundle";
}

// Returns a right on a role.
AccessAttributes OnRole(std::string_view verb, std::string_view plural, std::string_view ns,
                        std::string_view name) {
  return {.verb = std::string(verb),
          .group = std::string(kRbacGroup),
          .version = "*",
          .resource = std::string(plural),
          .namespace_ = std::string(ns),
          .name = std::string(name)};
}

// The rights of a cluster administrator.
const std::vector<PolicyRule>& Everything() {
  static const std::vector<PolicyRule> rules = {
      {.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}}, {.verbs = {"*"}, .urls = {"*"}}};
  return rules;
}

bool Aggregates(const runtime::JsonValue& role) {
  return !ListAt(ObjectAt(role, "aggregationRule"), "clusterRoleSelectors").Empty();
}

// Reports whether a write changes only what the garbage collector changes.
bool ChangesOnlyReferences(const runtime::JsonValue& live, const runtime::JsonValue& next) {
  runtime::JsonDocument before;
  runtime::JsonDocument after;
  before.CopyFrom(live, before.GetAllocator());
  after.CopyFrom(next, after.GetAllocator());
  for (runtime::JsonDocument* const object : {&before, &after}) {
    runtime::JsonValue& metadata = Ensure(*object, "metadata", object->GetAllocator());
    for (const char* const key : {"ownerReferences", "finalizers", "managedFields"}) {
      Remove(metadata, key);
    }
  }
  return before == after;
}

// kube-apiserver names the resource of the request, not that of the role.
Status NoSuchRole(const Resource& binding, const RoleReference& role) {
  if (role.kind == "Role" || role.kind == "ClusterRole") return NotFound(binding, role.name);
  return InternalError("unsupported role reference kind: " + Quoted(role.kind));
}

}  // namespace

bool EscalationCheck::Concerns(const Authorizer& authorizer, const Resource& resource) {
  return authorizer.policy() != nullptr &&
         (RbacPolicy::IsStored(resource) || IsTrustBundle(resource));
}

std::optional<Status> EscalationCheck::Check(const Resource& resource, std::string_view ns,
                                             const runtime::JsonValue* live,
                                             const runtime::JsonValue& next) const {
  if (user_.IsIn(kMastersGroup)) return std::nullopt;
  if (live != nullptr && ChangesOnlyReferences(*live, next)) return std::nullopt;
  const bool role = resource.kind == "Role" || resource.kind == "ClusterRole";
  auto refusal = IsTrustBundle(resource) ? CheckTrustBundle(resource, next)
                 : role                  ? CheckRole(resource, ns, live, next)
                                         : CheckBinding(resource, ns, next);
  if (authorizer_.reviews().pending()) return Status{};  // the write is repeated
  return refusal;
}

std::optional<Status> EscalationCheck::CheckRole(const Resource& resource, std::string_view ns,
                                                 const runtime::JsonValue* live,
                                                 const runtime::JsonValue& next) const {
  if (May(OnRole("escalate", resource.plural, ns, name_))) return std::nullopt;
  const std::string_view name = Metadata(next, "name");
  if (const std::string why = WhyNotHeld(ns, ParsePolicyRules(next)); !why.empty()) {
    return ForbiddenBecause(resource, name, why);
  }
  const bool aggregates = Aggregates(next) || (live != nullptr && Aggregates(*live));
  if (!aggregates || WhyNotHeld(ns, Everything()).empty()) return std::nullopt;
  return ForbiddenBecause(resource, name,
                          "must have cluster-admin privileges to use the aggregationRule");
}

std::optional<Status> EscalationCheck::CheckBinding(const Resource& resource, std::string_view ns,
                                                    const runtime::JsonValue& next) const {
  const RoleReference role = ParseRoleReference(next);
  const std::string_view plural = role.kind == "Role" ? "roles" : "clusterroles";
  if (May(OnRole("bind", plural, ns, role.name))) return std::nullopt;
  const std::vector<PolicyRule>* const rules = authorizer_.policy()->FindRules(role, ns);
  if (rules == nullptr) return NoSuchRole(resource, role);
  const std::string why = WhyNotHeld(ns, *rules);
  if (why.empty()) return std::nullopt;
  return ForbiddenBecause(resource, Metadata(next, "name"), why);
}

std::optional<Status> EscalationCheck::CheckTrustBundle(const Resource& resource,
                                                        const runtime::JsonValue& next) const {
  const std::string signer(runtime::GetString(ObjectAt(next, "spec"), "signerName"));
  if (signer.empty()) return std::nullopt;
  // A right on "example.com/*" is one on all signers of the domain.
  const std::string all = signer.substr(0, signer.find('/')) + "/*";
  for (const std::string& name : {signer, all}) {
    const bool may = May({.verb = "attest",
                          .group = std::string(kCertificates),
                          .version = "*",
                          .resource = "signers",
                          .name = name});
    if (may) return std::nullopt;
  }
  return ForbiddenBecause(resource, Metadata(next, "name"),
                          "user not permitted to attest for signerName " + Quoted(signer));
}

bool EscalationCheck::May(AccessAttributes right) const {
  right.user = user_;
  return authorizer_.Authorize(right).allowed;
}

std::string EscalationCheck::WhyNotHeld(std::string_view ns,
                                        const std::vector<PolicyRule>& rules) const {
  const Authorizer::UserRules held = authorizer_.RulesFor(user_, ns);
  const std::vector<PolicyRule> missing = FindUncovered(held.rules, rules);
  if (missing.empty()) return {};
  std::set<std::string> texts;
  for (const PolicyRule& rule : missing) texts.insert(rule.Text());
  std::string why =
      "user " + Quoted(user_.name) + " (groups=[" +
      Join(user_.groups, " ", [](const std::string& group) { return Quoted(group); }) +
      "]) is attempting to grant RBAC permissions not currently held:\n" + Join(texts, "\n");
  if (!held.error.empty()) why += "; resolution errors: " + held.error;
  return why;
}

}  // namespace capstan::testing::apiserver
