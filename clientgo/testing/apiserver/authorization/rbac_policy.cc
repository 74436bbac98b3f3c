// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authorization/rbac_policy.h"

#include <algorithm>
#include <utility>

#include "capstan/logging.h"

namespace capstan::testing::apiserver {
namespace {

RoleBinding ParseBinding(const runtime::JsonValue& object) {
  RoleBinding binding{.namespace_ = std::string(Metadata(object, "namespace")),
                      .name = std::string(Metadata(object, "name")),
                      .role = ParseRoleReference(object)};
  for (const runtime::JsonValue& json : ListAt(object, "subjects").GetArray()) {
    RoleBinding::Subject subject{.kind = std::string(runtime::GetString(json, "kind")),
                                 .name = std::string(runtime::GetString(json, "name")),
                                 .namespace_ = std::string(runtime::GetString(json, "namespace"))};
    if (subject.namespace_.empty()) subject.namespace_ = binding.namespace_;
    binding.subjects.push_back(std::move(subject));
  }
  return binding;
}

}  // namespace

RoleReference ParseRoleReference(const runtime::JsonValue& binding) {
  const runtime::JsonValue& role = ObjectAt(binding, "roleRef");
  return {.kind = std::string(runtime::GetString(role, "kind")),
          .name = std::string(runtime::GetString(role, "name"))};
}

bool RoleBinding::Subject::Includes(const UserInfo& user) const {
  if (kind == "User") return user.name == name;
  if (kind == "Group") return user.IsIn(name);
  if (kind != "ServiceAccount" || namespace_.empty()) return false;
  return user.name == ServiceAccountName{.namespace_ = namespace_, .name = name}.User();
}

std::string RoleBinding::Subject::Text() const {
  const bool account = kind == "ServiceAccount";
  return kind + " " + Quoted(account ? name + "/" + namespace_ : name);
}

const RoleBinding::Subject* RoleBinding::Find(const UserInfo& user) const {
  const auto found = std::find_if(subjects.begin(), subjects.end(),
                                  [&](const Subject& subject) { return subject.Includes(user); });
  return found == subjects.end() ? nullptr : &*found;
}

std::string RoleBinding::Text(const Subject& subject) const {
  const std::string what = namespace_.empty() ? "ClusterRoleBinding " + Quoted(name)
                                              : "RoleBinding " + Quoted(name + "/" + namespace_);
  return what + " of " + role.kind + " " + Quoted(role.name) + " to " + subject.Text();
}

bool RbacPolicy::IsStored(const Resource& resource) { return resource.group == kRbacGroup; }

void RbacPolicy::Update(const Resource& resource, const Event& event) {
  const bool role = resource.kind == "Role" || resource.kind == "ClusterRole";
  Rules& rules = resource.namespaced ? roles_ : cluster_roles_;
  Bindings& bindings = resource.namespaced ? role_bindings_ : cluster_role_bindings_;
  if (event.type == EventType::kDeleted) {
    if (role) {
      rules.erase(event.key);
    } else {
      bindings.erase(event.key);
    }
    return;
  }
  const auto object = ParseObject(*event.object);
  if (role) {
    rules.insert_or_assign(event.key, ParsePolicyRules(*object));
  } else {
    bindings.insert_or_assign(event.key, ParseBinding(*object));
  }
}

const std::vector<PolicyRule>* RbacPolicy::FindRules(const RoleReference& role,
                                                     std::string_view ns) const {
  const bool namespaced = role.kind == "Role";
  if (!namespaced && role.kind != "ClusterRole") return nullptr;
  const Rules& rules = namespaced ? roles_ : cluster_roles_;
  const auto found = rules.find(Key(namespaced ? ns : std::string_view(), role.name));
  return found == rules.end() ? nullptr : &found->second;
}

std::vector<const RoleBinding*> RbacPolicy::Visit(
    const UserInfo& user, std::string_view ns,
    const std::function<bool(const Grant&)>& visit) const {
  std::vector<const RoleBinding*> broken;
  // Returns false when `visit` wants no more rules.
  const auto visit_rules = [&](const RoleBinding& binding) {
    const RoleBinding::Subject* const subject = binding.Find(user);
    if (subject == nullptr) return true;
    const std::vector<PolicyRule>* const rules = FindRules(binding.role, binding.namespace_);
    if (rules == nullptr) {
      broken.push_back(&binding);
      return true;
    }
    return std::all_of(rules->begin(), rules->end(), [&](const PolicyRule& rule) {
      return visit({.rule = rule, .binding = binding, .subject = *subject});
    });
  };
  for (const auto& [key, binding] : cluster_role_bindings_) {
    if (!visit_rules(binding)) return broken;
  }
  if (ns.empty()) return broken;
  for (auto at = role_bindings_.lower_bound(std::string(ns) + "/");
       at != role_bindings_.end() && InNamespace(at->first, ns); ++at) {
    if (!visit_rules(at->second)) break;
  }
  return broken;
}

}  // namespace capstan::testing::apiserver
