// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/conversions.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/testing/apiserver/decoding/fields.h"

namespace capstan::testing::apiserver {
namespace {

// The names of the same fields in the core group and in events.k8s.io.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kEventFields = {
    {{"involvedObject", "regarding"},
     {"message", "note"},
     {"source", "deprecatedSource"},
     {"firstTimestamp", "deprecatedFirstTimestamp"},
     {"lastTimestamp", "deprecatedLastTimestamp"},
     {"count", "deprecatedCount"},
     {"reportingComponent", "reportingController"}}};

void Rename(const Fields& object, std::string_view from, std::string_view to) {
  if (!object.Has(from)) return;
  object.Put(to, object.Value(from));
  object.Drop(from);
}

void DropEmptyText(const Fields& object, std::string_view key) {
  if (object.Has(key) && object.Text(key).empty()) object.Drop(key);
}

constexpr const char* kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr const char* kBehavior = "autoscaling.alpha.kubernetes.io/behavior";
constexpr const char* kConditions = "autoscaling.alpha.kubernetes.io/conditions";
constexpr const char* kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";

// Reports whether this is the utilization of the CPU, for which version 1 has a field.
bool IsCpuUtilization(const runtime::JsonValue& metric, std::string_view part) {
  const runtime::JsonValue& resource = ObjectAt(metric, "resource");
  return runtime::GetString(metric, "type") == "Resource" &&
         runtime::GetString(resource, "name") == "cpu" &&
         runtime::Find(ObjectAt(resource, part), "averageUtilization") != nullptr;
}

// Moves the metrics of a list to a field of version 1 and to an annotation.
void MoveMetrics(const Fields& part, std::string_view list, std::string_view member,
                 std::string_view field, const Fields& annotations, const char* annotation) {
  std::vector<Json> others;
  for (const runtime::JsonValue& metric : ListAt(part.value(), list).GetArray()) {
    if (IsCpuUtilization(metric, member) && !part.Has(field)) {
      const runtime::JsonValue& value = ObjectAt(ObjectAt(metric, "resource"), member);
      part.Put(field, *runtime::Find(value, "averageUtilization"));
    } else {
      others.emplace_back(metric);
    }
  }
  if (!others.empty()) annotations.Put(annotation, Json::List(others).text());
  part.Drop(list);
}

// The opposite.
void RestoreMetrics(const Fields& part, std::string_view list, std::string_view member,
                    std::string_view field, const Fields& annotations, const char* annotation) {
  std::vector<Json> metrics;
  if (part.Has(field)) {
    const Json utilization = part.Value(field);
    const Json value = member == "target"
                           ? Json{{"type", "Utilization"}, {"averageUtilization", utilization}}
                           : Json{{"averageUtilization", utilization}};
    metrics.push_back({{"type", "Resource"}, {"resource", {{"name", "cpu"}, {member, value}}}});
  }
  std::string error;
  const auto others = ParseJson(annotations.Text(annotation), &error);
  if (others != nullptr && others->IsArray()) {
    for (const runtime::JsonValue& metric : others->GetArray()) metrics.emplace_back(metric);
  }
  part.Drop(field);
  annotations.Drop(annotation);
  if (!metrics.empty()) part.Put(list, Json::List(metrics));
}

void ToAnnotation(const Fields& part, std::string_view member, const Fields& annotations,
                  const char* annotation) {
  if (!part.Has(member)) return;
  if (part.Value(member).text() != "null") {
    annotations.Put(annotation, part.Value(member).text());
  }
  part.Drop(member);
}

void FromAnnotation(const Fields& part, std::string_view member, const Fields& annotations,
                    const char* annotation) {
  std::string error;
  const auto value = ParseJson(annotations.Text(annotation), &error);
  if (value != nullptr) part.Put(member, *value);
  annotations.Drop(annotation);
}

void DropEmptyAnnotations(const Fields& metadata) {
  if (ObjectAt(metadata.value(), "annotations").ObjectEmpty()) metadata.Drop("annotations");
}

}  // namespace

void CoreEventToEvent(runtime::JsonDocument& event) {
  const Fields fields(event);
  for (const auto& [core, other] : kEventFields) Rename(fields, core, other);
  DropEmptyText(fields, "reportingController");
  DropEmptyText(fields, "reportingInstance");
}

void EventToCoreEvent(runtime::JsonDocument& event) {
  const Fields fields(event);
  for (const auto& [core, other] : kEventFields) Rename(fields, other, core);
  fields.Default({{"reportingComponent", ""}, {"reportingInstance", ""}});
}

void AutoscalerToVersion1(runtime::JsonDocument& autoscaler) {
  const Fields object(autoscaler);
  const Fields metadata = object["metadata"];
  const Fields annotations = metadata["annotations"];
  const Fields spec = object["spec"];
  const Fields status = object["status"];
  MoveMetrics(spec, "metrics", "target", "targetCPUUtilizationPercentage", annotations, kMetrics);
  MoveMetrics(status, "currentMetrics", "current", "currentCPUUtilizationPercentage", annotations,
              kCurrentMetrics);
  ToAnnotation(spec, "behavior", annotations, kBehavior);
  ToAnnotation(status, "conditions", annotations, kConditions);
  DropEmptyAnnotations(metadata);
  status.Default({{"currentReplicas", 0}, {"desiredReplicas", 0}});
}

void AutoscalerToVersion2(runtime::JsonDocument& autoscaler) {
  const Fields object(autoscaler);
  const Fields metadata = object["metadata"];
  const Fields annotations = metadata["annotations"];
  const Fields spec = object["spec"];
  const Fields status = object["status"];
  RestoreMetrics(spec, "metrics", "target", "targetCPUUtilizationPercentage", annotations,
                 kMetrics);
  RestoreMetrics(status, "currentMetrics", "current", "currentCPUUtilizationPercentage",
                 annotations, kCurrentMetrics);
  FromAnnotation(spec, "behavior", annotations, kBehavior);
  FromAnnotation(status, "conditions", annotations, kConditions);
  DropEmptyAnnotations(metadata);
}

}  // namespace capstan::testing::apiserver
