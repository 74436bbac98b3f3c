// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/first_flow_schemas.h"

#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kEvery = "*";
constexpr std::string_view kEverybody = "system:unauthenticated,system:authenticated";
constexpr std::string_view kExempt = "exempt";
constexpr int kQueueLengthLimit = 50;

// LevelRow is a level that limits requests.
struct LevelRow {
  std::string_view name;
  int shares;
  int lendable_percent;
  int queues = 0;  // 0: requests over the limit are rejected
  int hand_size = 0;
};

constexpr LevelRow kLevels[] = {{"catch-all", 5, 0},
                                {"global-default", 20, 50, 128, 6},
                                {"leader-election", 10, 0, 16, 4},
                                {"node-high", 40, 25, 64, 6},
                                {"system", 30, 33, 64, 6},
                                {"workload-high", 40, 50, 128, 6},
                                {"workload-low", 100, 90, 128, 6}};

// ResourceRow is a rule about resources in all namespaces. Lists are separated by ','.
struct ResourceRow {
  std::string_view verbs = kEvery;
  std::string_view group = kEvery;
  std::string_view resources = kEvery;
  bool cluster_scope = true;
};

struct SchemaRow {
  std::string_view name;
  std::string_view level;
  int precedence;
  std::string_view distinguisher = {};
  std::string_view users = {};
  std::string_view groups = {};
  bool system_accounts = false;  // the service accounts in kube-system
  // Empty: every resource and URL, unless there are `urls`.
  std::vector<ResourceRow> resources = {};
  std::string_view urls = {};  // to GET
};

std::vector<SchemaRow> SchemaRows() {
  constexpr std::string_view kByUser = "ByUser";
  constexpr std::string_view kByNamespace = "ByNamespace";
  constexpr std::string_view kManager = "system:kube-controller-manager";
  constexpr std::string_view kScheduler = "system:kube-scheduler";
  constexpr std::string_view kNodes = "system:nodes";
  constexpr std::string_view kLeaseGroup = "coordination.k8s.io";
  return {
      {.name = kExempt, .level = kExempt, .precedence = 1, .groups = "system:masters"},
      {.name = "probes",
       .level = kExempt,
       .precedence = 2,
       .groups = kEverybody,
       .urls = "/healthz,/readyz,/livez"},
      {.name = "system-leader-election",
       .level = "leader-election",
       .precedence = 100,
       .distinguisher = kByUser,
       .users = "system:kube-controller-manager,system:kube-scheduler",
       .system_accounts = true,
       .resources = {{"get,create,update", kLeaseGroup, "leases", false}}},
      {.name = "system-node-high",
       .level = "node-high",
       .precedence = 400,
       .distinguisher = kByUser,
       .groups = kNodes,
       .resources = {{kEvery, "", "nodes,nodes/status"}, {kEvery, kLeaseGroup, "leases", false}}},
      {"system-nodes", "system", 500, kByUser, "", kNodes},
      {"kube-controller-manager", "workload-high", 800, kByNamespace, kManager},
      {"kube-scheduler", "workload-high", 800, kByNamespace, kScheduler},
      {.name = "kube-system-service-accounts",
       .level = "workload-high",
       .precedence = 900,
       .distinguisher = kByNamespace,
       .system_accounts = true},
      {"service-accounts", "workload-low", 9000, kByUser, "", "system:serviceaccounts"},
      {"global-default", "global-default", 9900, kByUser, "", kEverybody},
      {"catch-all", "catch-all", 10000, kByUser, "", kEverybody}};
}

Json RuleList(std::string_view texts) {
  return texts.empty() ? Json::List({Json("")}) : Json::List(Split(texts, ','));
}

// Returns an entry of managedFields. `fields` is JSON.
Json ManagerEntry(std::string_view manager, std::string_view operation, std::string_view time,
                  std::string fields, std::string_view subresource = {}) {
  return {{"manager", manager},
          {"operation", operation},
          {"apiVersion", "flowcontrol.apiserver.k8s.io/v1"},
          {"time", time},
          {"fieldsType", "FieldsV1"},
          {"fieldsV1", Json::Raw(std::move(fields))},
          {"subresource", OmitEmpty(subresource)}};
}

// Returns the entry for an object whose creator set these fields of the spec, which are JSON.
Json CreatorEntry(std::string_view time, const std::string& spec) {
  return ManagerEntry(
      kFlowProducer, "Update", time,
      R"({"f:metadata":{"f:annotations":{".":{},"f:apf.kubernetes.io/autoupdate-spec":{}}},)"
      R"("f:spec":{)" +
          spec + "}}");
}

Json AutoUpdated(std::string_view name, std::string_view time, const Json& managers) {
  return {{"name", name},
          {"generation", 1},
          {"creationTimestamp", time},
          {"annotations", {{"apf.kubernetes.io/autoupdate-spec", "true"}}},
          {"managedFields", managers}};
}

std::string LevelJson(std::string_view name, std::string_view time, const Json& spec,
                      const std::string& fields) {
  return Json({{"metadata", AutoUpdated(name, time, Json::List({CreatorEntry(time, fields)}))},
               {"spec", spec},
               {"status", Json::Object()}})
      .text();
}

std::string LimitedLevel(const LevelRow& row, std::string_view time) {
  const bool queues = row.queues > 0;
  const Json queuing = {
      {"queues", row.queues}, {"handSize", row.hand_size}, {"queueLengthLimit", kQueueLengthLimit}};
  const Json response = {{"type", queues ? "Queue" : "Reject"},
                         {"queuing", queues ? queuing : Json()}};
  const Json limited = {{"nominalConcurrencyShares", row.shares},
                        {"limitResponse", response},
                        {"lendablePercent", row.lendable_percent}};
  const std::string fields =
      std::string(R"("f:limited":{".":{},"f:lendablePercent":{},"f:limitResponse":{".":{},)") +
      (queues ? R"("f:queuing":{".":{},"f:handSize":{},"f:queueLengthLimit":{},"f:queues":{}},)"
              : "") +
      R"("f:type":{}},"f:nominalConcurrencyShares":{}},"f:type":{})";
  return LevelJson(row.name, time, {{"type", "Limited"}, {"limited", limited}}, fields);
}

std::string ExemptLevel(std::string_view time) {
  const Json exempt = {{"nominalConcurrencyShares", 0}, {"lendablePercent", 0}};
  return LevelJson(
      kExempt, time, {{"type", "Exempt"}, {"exempt", exempt}},
      R"("f:exempt":{".":{},"f:lendablePercent":{},"f:nominalConcurrencyShares":{}},"f:type":{})");
}

std::vector<Json> FlowSubjects(const SchemaRow& row) {
  std::vector<Json> subjects;
  for (const std::string_view user : Split(row.users, ',')) {
    subjects.push_back({{"kind", "User"}, {"user", {{"name", user}}}});
  }
  for (const std::string_view group : Split(row.groups, ',')) {
    subjects.push_back({{"kind", "Group"}, {"group", {{"name", group}}}});
  }
  if (row.system_accounts) {
    subjects.push_back({{"kind", "ServiceAccount"},
                        {"serviceAccount", {{"namespace", "kube-system"}, {"name", kEvery}}}});
  }
  return subjects;
}

Json ResourceRule(const ResourceRow& row) {
  return {{"verbs", RuleList(row.verbs)},
          {"apiGroups", RuleList(row.group)},
          {"resources", RuleList(row.resources)},
          {"clusterScope", row.cluster_scope ? Json(true) : Json()},
          {"namespaces", RuleList(kEvery)}};
}

Json NonResourceRule(std::string_view verbs, std::string_view urls) {
  return {{"verbs", RuleList(verbs)}, {"nonResourceURLs", RuleList(urls)}};
}

Json FlowRule(const SchemaRow& row) {
  std::vector<Json> resources;
  std::vector<Json> non_resources;
  for (const ResourceRow& rule : row.resources) resources.push_back(ResourceRule(rule));
  if (!row.urls.empty()) non_resources.push_back(NonResourceRule("get", row.urls));
  if (resources.empty() && non_resources.empty()) {
    resources.push_back(ResourceRule({}));
    non_resources.push_back(NonResourceRule(kEvery, kEvery));
  }
  return {{"subjects", Json::List(FlowSubjects(row))},
          {"resourceRules", OmitEmptyList(resources)},
          {"nonResourceRules", OmitEmptyList(non_resources)}};
}

std::string SchemaJson(const SchemaRow& row, std::string_view time) {
  const bool distinguishes = !row.distinguisher.empty();
  const Json distinguisher = {{"type", row.distinguisher}};
  const std::string fields =
      std::string(distinguishes ? R"("f:distinguisherMethod":{".":{},"f:type":{}},)" : "") +
      R"("f:matchingPrecedence":{},"f:priorityLevelConfiguration":{"f:name":{}},"f:rules":{})";
  const Json managers = Json::List(
      {ManagerEntry(kFlowConsumer, "Apply", time,
                    R"({"f:status":{"f:conditions":{"k:{\"type\":\"Dangling\"}":{".":{},)"
                    R"("f:lastTransitionTime":{},"f:message":{},"f:reason":{},"f:status":{},)"
                    R"("f:type":{}}}}})",
                    "status"),
       CreatorEntry(time, fields)});
  const Json conditions = Json::List({DanglingCondition(row.level, true, time)});
  return Json({{"metadata", AutoUpdated(row.name, time, managers)},
               {"spec",
                {{"priorityLevelConfiguration", {{"name", row.level}}},
                 {"matchingPrecedence", row.precedence},
                 {"distinguisherMethod", distinguishes ? distinguisher : Json()},
                 {"rules", Json::List({FlowRule(row)})}}},
               {"status", {{"conditions", conditions}}}})
      .text();
}

}  // namespace

std::vector<std::string> FirstPriorityLevels(std::string_view time) {
  std::vector<std::string> levels = {ExemptLevel(time)};
  for (const LevelRow& row : kLevels) levels.push_back(LimitedLevel(row, time));
  return levels;
}

std::vector<std::string> FirstFlowSchemas(std::string_view time) {
  std::vector<std::string> schemas;
  for (const SchemaRow& row : SchemaRows()) schemas.push_back(SchemaJson(row, time));
  return schemas;
}

Json DanglingCondition(std::string_view level, bool found, std::string_view time) {
  const std::string object =
      "This FlowSchema references the PriorityLevelConfiguration object named " + Quoted(level);
  return {{"type", "Dangling"},
          {"status", found ? "False" : "True"},
          {"lastTransitionTime", time},
          {"reason", found ? "Found" : "NotFound"},
          {"message", object + (found ? " and it exists" : " but there is no such object")}};
}

}  // namespace capstan::testing::apiserver
