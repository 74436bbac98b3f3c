// SPDX-License-Identifier: Apache-2.0
#include "controllers/runtime/program/manifests.h"

#include <initializer_list>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "capstan/text.h"
#include "capstan/webhook/builder.h"

namespace capstan::program {
namespace {

using detail::Use;
using Names = std::set<std::string>;

// The rights of a group and a resource. The groups of Kubernetes come first.
struct Resource {
  bool is_custom = false;
  std::string group;
  std::string name;
  bool operator<(const Resource& other) const {
    return std::tie(is_custom, group, name) < std::tie(other.is_custom, other.group, other.name);
  }
};
using Rules = std::map<Resource, Names>;

bool IsCustom(const std::string& group) {
  return group.find('.') != std::string::npos && !group.ends_with(".k8s.io");
}

Names WordsOf(std::string_view text) {
  Names words;
  for (const std::string_view word : Split(text, ' ')) words.emplace(word);
  return words;
}

// Returns "[]" with the texts, which are names, in it.
std::string FlowList(const Names& names) { return "[" + Join(names, ", ") + "]"; }

std::string GroupText(const std::string& group) { return group.empty() ? R"("")" : group; }

// Returns a document with a head that all kinds have.
std::string Document(const std::string& api_version, const std::string& kind,
                     const std::string& name, const std::string& ns = "") {
  return "---\napiVersion: " + api_version + "\nkind: " + kind + "\nmetadata:\n  name: " + name +
         "\n" + (ns.empty() ? "" : "  namespace: " + ns + "\n");
}

std::string Binding(const std::string& kind, const std::string& role, const std::string& name,
                    const std::string& ns) {
  return Document("rbac.authorization.k8s.io/v1", kind, name, ns) +
         "roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: " + role + "\n  name: " + name +
         "\nsubjects:\n  - kind: ServiceAccount\n    name: " + name + "\n    namespace: " + name +
         "\n";
}

std::string Rule(const std::string& group, const std::string& resource, const Names& verbs,
                 const std::string& name = "") {
  return "  - apiGroups: [" + GroupText(group) + "]\n    resources: [" + resource + "]\n" +
         (name.empty() ? "" : "    resourceNames: [" + name + "]\n") +
         "    verbs: " + FlowList(verbs) + "\n";
}

constexpr char kOnlyForOwners[] =
    "  # Only with the admission plugin OwnerReferencesPermissionEnforcement, which OpenShift "
    "enables:\n";

// Returns the lines of a rule as comments.
std::string Commented(std::string_view rules) {
  std::string text;
  while (!rules.empty()) {
    const std::size_t size = rules.find('\n') + 1;
    text.append("  # ").append(rules.substr(2, size - 2));
    rules.remove_prefix(size);
  }
  return text;
}

Rules RulesOf(const Use* uses) {
  Rules rules;
  for (const Use* use = uses; use != nullptr; use = use->next) {
    if (use->type != Use::Type::kRequest) continue;
    std::string resource(use->kind.plural);
    if (!use->subresource.empty()) resource.append("/").append(use->subresource);
    const std::string group(use->kind.group);
    rules[{IsCustom(group), group, resource}].merge(WordsOf(use->words));
  }
  rules[{false, "", "events"}].merge(Names{"create", "patch"});
  return rules;
}

struct Webhook {
  const KindInfo* kind = nullptr;
  Names operations;
};

// By type and path.
std::map<std::pair<Use::Type, std::string>, Webhook> WebhooksOf(const Use* uses) {
  std::map<std::pair<Use::Type, std::string>, Webhook> webhooks;
  for (const Use* use = uses; use != nullptr; use = use->next) {
    if (use->type == Use::Type::kRequest) continue;
    const bool mutates = use->type == Use::Type::kMutatingWebhook;
    Webhook& one =
        webhooks[{use->type, webhook::WebhookPath(mutates ? "/mutate" : "/validate", use->kind)}];
    one.kind = &use->kind;
    one.operations.merge(WordsOf(use->words));
  }
  return webhooks;
}

}  // namespace

std::string RbacManifest(const std::string& program, const std::string& lease, const Use* uses) {
  std::string text = Document("v1", "Namespace", program) +
                     Document("v1", "ServiceAccount", program, program) +
                     Binding("ClusterRoleBinding", "ClusterRole", program, "") +
                     Document("rbac.authorization.k8s.io/v1", "ClusterRole", program) + "rules:\n";
  std::string of_owners;
  for (const auto& [resource, verbs] : RulesOf(uses)) {
    std::string rule = Rule(resource.group, resource.name, verbs);
    (resource.name.ends_with("/finalizers") ? of_owners : text) += rule;
  }
  if (!of_owners.empty()) text += kOnlyForOwners + Commented(of_owners);
  if (!lease.empty()) {
    const std::string group = "coordination.k8s.io";
    text += Binding("RoleBinding", "Role", program, program) +
            Document("rbac.authorization.k8s.io/v1", "Role", program, program) + "rules:\n" +
            Rule(group, "leases", {"get", "update"}, lease) +
            "  # resourceNames cannot restrict create.\n" + Rule(group, "leases", {"create"});
  }
  return text;
}

std::string WebhookManifest(const std::string& program, const Use* uses) {
  std::string text;
  const auto add = [&](std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) text += part;
  };
  auto before = Use::Type::kRequest;
  for (const auto& [key, one] : WebhooksOf(uses)) {
    const auto& [type, path] = key;
    const KindInfo& kind = *one.kind;
    const bool mutates = type == Use::Type::kMutatingWebhook;
    if (type != before) {
      add({Document("admissionregistration.k8s.io/v1",
                    mutates ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration",
                    program),
           "  annotations:\n    cert-manager.io/inject-ca-from: ", program, "/", program,
           "-webhook\nwebhooks:\n"});
    }
    before = type;
    // As kubebuilder names it: the name of a webhook is a domain with three parts.
    add({"  - name: ",
         mutates ? "m" : "v",
         LowerAscii(kind.kind),
         "-",
         kind.version,
         ".",
         program,
         ".webhook\n    admissionReviewVersions: [v1]\n    sideEffects: None\n    clientConfig:\n",
         "      service:\n        name: ",
         program,
         "-webhook\n        namespace: ",
         program,
         "\n        path: ",
         path,
         "\n    rules:\n      - apiGroups: [",
         GroupText(std::string(kind.group)),
         "]\n        apiVersions: [",
         kind.version,
         "]\n        resources: [",
         kind.plural,
         "]\n        operations: ",
         FlowList(one.operations),
         "\n"});
  }
  return text;
}

}  // namespace capstan::program
