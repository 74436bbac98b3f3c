// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/pod_output.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include "capstan/runtime/json_writer.h"
#include "capstan/time.h"
#include "controllers/readinessgate/gates/protocol.h"

namespace capstan::readinessgate {
namespace {

void WriteIdentity(runtime::JsonWriter& writer, const PatchTarget& target) {
  runtime::WriteField(writer, "uid", target.uid);
  runtime::WriteField(writer, "resourceVersion", target.resource_version);
}

void WriteDifference(runtime::JsonWriter& writer, std::string_view key,
                     const std::optional<std::string>& held,
                     const std::optional<std::string>& wanted) {
  if (held == wanted) return;
  writer.Key(key);
  if (wanted) {
    writer.String(*wanted);
  } else {
    writer.Null();
  }
}

std::optional<std::uint64_t> ToNumber(std::string_view version) {
  std::uint64_t number = 0;
  const char* const end = version.data() + version.size();
  const auto [rest, error] = std::from_chars(version.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

}  // namespace

PodOutput HeldBy(const Pod& pod, OutputKinds kinds) {
  PodOutput held;
  if (kinds.annotation) {
    held.ready = pod.Annotation(kReadyKey);
    held.status = pod.Annotation(kStatusKey);
  }
  if (!kinds.condition) return held;
  const auto* condition = pod.FindCondition(kCertGatesCondition);
  if (condition != nullptr) held.condition = condition->status;
  return held;
}

bool Opens(const PodOutput& held, const PodOutput& wanted) {
  return (wanted.ready && held.ready != wanted.ready) ||
         (wanted.condition == "True" && held.condition != "True");
}

std::string MetadataPatch(const PatchTarget& target, const PodOutput& held,
                          const PodOutput& wanted) {
  runtime::JsonWriter writer;
  writer.StartObject();
  writer.Key("metadata");
  writer.StartObject();
  WriteIdentity(writer, target);
  writer.Key("annotations");
  writer.StartObject();
  WriteDifference(writer, kReadyKey, held.ready, wanted.ready);
  WriteDifference(writer, kStatusKey, held.status, wanted.status);
  writer.EndObject();
  writer.EndObject();
  writer.EndObject();
  return std::move(writer).Take();
}

std::string ConditionPatch(const PatchTarget& target, const PodOutput& wanted,
                           Clock::WallTime now) {
  runtime::JsonWriter writer;
  writer.StartObject();
  writer.Key("metadata");
  writer.StartObject();
  WriteIdentity(writer, target);
  writer.EndObject();
  writer.Key("status");
  writer.StartObject();
  writer.Key("conditions");
  writer.StartArray();
  writer.StartObject();
  runtime::WriteField(writer, "type", kCertGatesCondition);
  runtime::WriteField(writer, "status", wanted.condition);
  runtime::WriteField(writer, "reason", wanted.condition == "True" ? "GatesOpen" : "GatesPending");
  runtime::WriteField(writer, "lastTransitionTime", FormatTime(ToTime(now)));
  writer.EndObject();
  writer.EndArray();
  writer.EndObject();
  writer.EndObject();
  return std::move(writer).Take();
}

bool IsOlderVersion(std::string_view a, std::string_view b) {
  const auto first = ToNumber(a);
  const auto second = ToNumber(b);
  return first && second && *first < *second;
}

}  // namespace capstan::readinessgate
