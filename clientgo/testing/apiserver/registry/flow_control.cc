// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/flow_control.h"

#include <glog/logging.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "capstan/log.h"
#include "clientgo/testing/apiserver/registry/first_flow_schemas.h"

namespace capstan::testing::apiserver {
namespace {

using Value = runtime::JsonValue;

constexpr const char* kFlowControlGroup = "flowcontrol.apiserver.k8s.io";

const Resource& FlowSchemas() {
  static const Resource& schemas = *FindResource(kFlowControlGroup, "v1", "flowschemas");
  return schemas;
}

const Resource& PriorityLevels() {
  static const Resource& levels =
      *FindResource(kFlowControlGroup, "v1", "prioritylevelconfigurations");
  return levels;
}

// Reports whether a request to the subresource lasts as long as the client wants.
bool IsLongRunning(std::string_view subresource) {
  return subresource == "attach" || subresource == "exec" || subresource == "log" ||
         subresource == "portforward" || subresource == "proxy";
}

// Reports whether the FlowSchema has the condition, with whatever time.
bool HasCondition(const Value& schema, const Json& wanted) {
  runtime::JsonDocument condition;
  condition.Parse(wanted.text().data(), wanted.text().size());
  const Value& conditions = ListAt(ObjectAt(schema, "status"), "conditions");
  return std::any_of(conditions.Begin(), conditions.End(), [&](const Value& one) {
    const auto same = [&](const char* key) {
      return runtime::GetString(one, key) == runtime::GetString(condition, key);
    };
    return same("type") && same("status") && same("reason") && same("message");
  });
}

}  // namespace

httpserver::Headers FlowControl::Flow::Headers() const {
  return {{"X-Kubernetes-Pf-Flowschema-Uid", schema_uid},
          {"X-Kubernetes-Pf-Prioritylevel-Uid", level_uid}};
}

void FlowControl::CreateFirstObjects(Storage& storage) {
  const auto create = [&](const Resource& resource, const std::string& text) {
    std::string error;
    const auto object = ParseJson(text, &error, Repeats::kKeepAll);
    CHECK(object != nullptr) << error;
    SetMetadata(*object, "uid", registry_.NewFields().uid);
    storage.Write(resource, Metadata(*object, "name"),
                  MakeObject(resource, *object, storage.NextVersion()));
  };
  const std::string time = NowText();
  for (const std::string& level : FirstPriorityLevels(time)) create(PriorityLevels(), level);
  for (const std::string& schema : FirstFlowSchemas(time)) create(FlowSchemas(), schema);
}

void FlowControl::Observe(const Resource& resource, const Event& event) {
  if (&resource == &PriorityLevels()) ObserveLevel(event);
  if (&resource == &FlowSchemas()) ObserveSchema(event);
}

void FlowControl::ObserveLevel(const Event& event) {
  if (event.type == EventType::kDeleted) {
    level_uids_.erase(event.key);
  } else {
    const auto level = ParseObject(*event.object);
    level_uids_.insert_or_assign(event.key, std::string(Metadata(*level, "uid")));
  }
  for (const FlowSchema& schema : schemas_) {
    if (schema.priority_level == event.key) Add({.resource = &FlowSchemas(), .key = schema.name});
  }
}

void FlowControl::ObserveSchema(const Event& event) {
  std::erase_if(schemas_, [&](const FlowSchema& one) { return one.name == event.key; });
  if (event.type == EventType::kDeleted) return;
  schemas_.push_back(ParseFlowSchema(*ParseObject(*event.object)));
  std::sort(schemas_.begin(), schemas_.end(), [](const FlowSchema& a, const FlowSchema& b) {
    return std::tie(a.precedence, a.name) < std::tie(b.precedence, b.name);
  });
  Add({.resource = &FlowSchemas(), .key = event.key});
}

std::optional<FlowControl::Flow> FlowControl::Classify(const AccessAttributes& request) const {
  if (IsLongRunning(request.subresource)) return std::nullopt;
  for (const FlowSchema& schema : schemas_) {
    if (!schema.Matches(request)) continue;
    const auto level = level_uids_.find(schema.priority_level);
    if (level == level_uids_.end()) continue;
    return Flow{.schema_uid = schema.uid, .level_uid = level->second};
  }
  return std::nullopt;
}

void FlowControl::Process(const Item& item) {
  const ObjectPtr object = storage_.Get(FlowSchemas(), item.key);
  if (object == nullptr) return;
  const auto document = ParseObject(*object);
  const FlowSchema schema = ParseFlowSchema(*document);
  const Json condition = DanglingCondition(schema.priority_level,
                                           level_uids_.contains(schema.priority_level), NowText());
  if (HasCondition(*document, condition)) return;
  const WriteRequest request{.resource = &FlowSchemas(),
                             .name = item.key,
                             .subresource = "status",
                             .field_manager = std::string(kFlowConsumer),
                             .force = true,
                             .in_process = true};
  const Json applied = {{"apiVersion", std::string(kFlowControlGroup) + "/v1"},
                        {"kind", "FlowSchema"},
                        {"metadata", {{"name", item.key}}},
                        {"status", {{"conditions", Json::List({condition})}}}};
  const auto written = registry_.Patch(request, PatchKind::kApply, applied.text());
  if (written) return;
  WarningS("Failed to set the status of a FlowSchema", "name", item.key, "err",
           written.error().message);
}

}  // namespace capstan::testing::apiserver
