// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authorization/bootstrap_policy.h"

#include <string>
#include <string_view>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/authorization/policy_rule.h"
#include "clientgo/testing/apiserver/types/json.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kRead = "get,list,watch";
constexpr std::string_view kWrite = "create,delete,deletecollection,patch,update";
constexpr std::string_view kReadWrite =
    "create,delete,deletecollection,get,list,patch,update,watch";

// RuleRow is a rule whose lists are separated by ','. With resources, the default group is the core
// group.
struct RuleRow {
  std::string_view verbs;
  std::string_view group = {};
  std::string_view resources = {};
  std::string_view urls = {};
};

struct RoleRow {
  std::string_view name;
  std::vector<RuleRow> rules = {};
  std::string_view part_of = {};     // the role whose selector finds this one
  std::string_view aggregates = {};  // the role that its selector is for: itself
};

// BindingRow binds the ClusterRole of its name.
struct BindingRow {
  std::string_view name;
  std::string_view groups;
};

std::vector<RuleRow> ViewRules() {
  return {
      {kRead, "",
       "configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,"
       "replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,"
       "services/status"},
      {kRead, "",
       "bindings,events,limitranges,namespaces/status,pods/log,pods/status,"
       "replicationcontrollers/status,resourcequotas,resourcequotas/status"},
      {kRead, "", "namespaces"},
      {kRead, "discovery.k8s.io", "endpointslices"},
      {kRead, "apps",
       "controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,"
       "deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,"
       "statefulsets/scale,statefulsets/status"},
      {kRead, "autoscaling", "horizontalpodautoscalers,horizontalpodautoscalers/status"},
      {kRead, "batch", "cronjobs,cronjobs/status,jobs,jobs/status"},
      {kRead, "extensions",
       "daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,"
       "ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,"
       "replicationcontrollers/scale"},
      {kRead, "policy", "poddisruptionbudgets,poddisruptionbudgets/status"},
      {kRead, "networking.k8s.io", "ingresses,ingresses/status,networkpolicies"},
      {kRead, "resource.k8s.io", "resourceclaims,resourceclaims/status,resourceclaimtemplates"}};
}

std::vector<RuleRow> EditRules() {
  return {
      {kRead, "", "pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy"},
      {"impersonate", "", "serviceaccounts"},
      {kWrite, "", "pods,pods/attach,pods/exec,pods/portforward,pods/proxy"},
      {"create", "", "pods/eviction"},
      {kWrite, "",
       "configmaps,events,persistentvolumeclaims,replicationcontrollers,"
       "replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy"},
      {"create", "", "serviceaccounts/token"},
      {kWrite, "apps",
       "daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,"
       "replicasets/scale,statefulsets,statefulsets/scale"},
      {kWrite, "autoscaling", "horizontalpodautoscalers"},
      {kWrite, "batch", "cronjobs,jobs"},
      {kWrite, "extensions",
       "daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,"
       "replicasets,replicasets/scale,replicationcontrollers/scale"},
      {kWrite, "policy", "poddisruptionbudgets"},
      {kWrite, "networking.k8s.io", "ingresses,networkpolicies"},
      {kReadWrite, "coordination.k8s.io", "leases"},
      {kWrite, "resource.k8s.io", "resourceclaims,resourceclaimtemplates"}};
}

std::vector<RoleRow> Roles() {
  return {
      {.name = "cluster-admin", .rules = {{"*", "*", "*"}, {.verbs = "*", .urls = "*"}}},
      {.name = "system:discovery",
       .rules = {{.verbs = "get",
                  .urls = "/api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,"
                          "/version,/version/"}}},
      {.name = "system:monitoring",
       .rules = {{.verbs = "get",
                  .urls = "/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,"
                          "/readyz/*"},
                 {"get", "", "nodes/metrics"}}},
      {.name = "system:basic-user",
       .rules = {{"create", "authorization.k8s.io",
                  "selfsubjectaccessreviews,selfsubjectrulesreviews"},
                 {"create", "authentication.k8s.io", "selfsubjectreviews"}}},
      {.name = "system:public-info-viewer",
       .rules = {{.verbs = "get", .urls = "/healthz,/livez,/readyz,/version,/version/"}}},
      {.name = "admin", .aggregates = "admin"},
      {.name = "edit", .part_of = "admin", .aggregates = "edit"},
      {.name = "view", .part_of = "edit", .aggregates = "view"},
      {.name = "system:aggregate-to-admin",
       .rules = {{"create", "authorization.k8s.io", "localsubjectaccessreviews"},
                 {kReadWrite, kRbacGroup, "rolebindings,roles"}},
       .part_of = "admin"},
      {.name = "system:aggregate-to-edit", .rules = EditRules(), .part_of = "edit"},
      {.name = "system:aggregate-to-view", .rules = ViewRules(), .part_of = "view"},
      {.name = "system:node-bootstrapper",
       .rules = {{"create,get,list,watch", "certificates.k8s.io", "certificatesigningrequests"}}},
      {.name = "system:auth-delegator",
       .rules = {{"create", "authentication.k8s.io", "tokenreviews"},
                 {"create", "authorization.k8s.io", "subjectaccessreviews"}}},
      {.name = "system:kube-aggregator", .rules = {{kRead, "", "endpoints,services"}}},
      {.name = "system:service-account-issuer-discovery",
       .rules = {{.verbs = "get",
                  .urls = "/.well-known/openid-configuration,/.well-known/openid-configuration/,"
                          "/openid/v1/jwks,/openid/v1/jwks/"}}}};
}

constexpr BindingRow kBindings[] = {
    {"cluster-admin", "system:masters"},
    {"system:monitoring", "system:monitoring"},
    {"system:discovery", "system:authenticated"},
    {"system:basic-user", "system:authenticated"},
    {"system:public-info-viewer", "system:authenticated,system:unauthenticated"},
    {"system:service-account-issuer-discovery", "system:serviceaccounts"}};

std::vector<std::string> ListOf(std::string_view texts) {
  const auto parts = Split(texts, ',');
  return {parts.begin(), parts.end()};
}

PolicyRule RuleOf(const RuleRow& row) {
  PolicyRule rule{
      .verbs = ListOf(row.verbs), .resources = ListOf(row.resources), .urls = ListOf(row.urls)};
  if (!rule.resources.empty()) rule.groups = {std::string(row.group)};
  return rule;
}

Json MetadataOf(std::string_view name, std::string_view part_of) {
  Json labels = {{"kubernetes.io/bootstrapping", "rbac-defaults"}};
  if (!part_of.empty()) {
    labels.Add(std::string(kRbacGroup) + "/aggregate-to-" + std::string(part_of), "true");
  }
  return {{"name", name},
          {"labels", labels},
          {"annotations", {{"rbac.authorization.kubernetes.io/autoupdate", "true"}}}};
}

std::string RoleJson(const RoleRow& row) {
  Json role = {{"metadata", MetadataOf(row.name, row.part_of)}};
  std::vector<Json> rules;
  for (const RuleRow& rule : row.rules) rules.push_back(RuleOf(rule).ToJson());
  role.Add("rules", rules.empty() ? Json(nullptr) : Json::List(rules));
  if (row.aggregates.empty()) return role.text();
  Json labels;
  labels.Add(std::string(kRbacGroup) + "/aggregate-to-" + std::string(row.aggregates), "true");
  const Json selector = {{"matchLabels", labels}};
  const Json aggregation = {{"clusterRoleSelectors", Json::List({selector})}};
  role.Add("aggregationRule", aggregation);
  return role.text();
}

std::string BindingJson(const BindingRow& row) {
  std::vector<Json> subjects;
  for (const std::string_view group : Split(row.groups, ',')) {
    subjects.push_back({{"kind", "Group"}, {"apiGroup", kRbacGroup}, {"name", group}});
  }
  return Json(
             {{"metadata", MetadataOf(row.name, "")},
              {"subjects", Json::List(subjects)},
              {"roleRef", {{"apiGroup", kRbacGroup}, {"kind", "ClusterRole"}, {"name", row.name}}}})
      .text();
}

}  // namespace

std::vector<BootstrapObject> BootstrapPolicy() {
  std::vector<BootstrapObject> objects;
  for (const RoleRow& row : Roles()) {
    objects.push_back({.plural = "clusterroles", .json = RoleJson(row)});
  }
  for (const BindingRow& row : kBindings) {
    objects.push_back({.plural = "clusterrolebindings", .json = BindingJson(row)});
  }
  return objects;
}

}  // namespace capstan::testing::apiserver
