// SPDX-License-Identifier: Apache-2.0
#include "capstan/api/lease.h"

#include <array>
#include <memory>
#include <utility>

#include "capstan/api/gvr.h"
#include "capstan/heap.h"
#include "capstan/runtime/json_writer.h"
#include "clientgo/runtime/json.h"

namespace capstan::api {
namespace {

constexpr std::array<std::string_view, 4> kCarried = {"labels", "annotations", "ownerReferences",
                                                      "finalizers"};

std::vector<runtime::Projection::Path> Paths() {
  std::vector<runtime::Projection::Path> paths = {{"spec"}};
  for (const std::string_view field : kCarried) paths.push_back({"metadata", std::string(field)});
  return paths;
}

int GetInt(const runtime::JsonValue& object, std::string_view key) {
  const runtime::JsonValue* value = runtime::Find(object, key);
  return value != nullptr && value->IsInt() ? value->GetInt() : 0;
}

LeaseSpec DecodeSpec(const runtime::JsonValue& spec) {
  return {.holder_identity = std::string(runtime::GetString(spec, "holderIdentity")),
          .lease_duration_seconds = GetInt(spec, "leaseDurationSeconds"),
          .acquire_time = std::string(runtime::GetString(spec, "acquireTime")),
          .renew_time = std::string(runtime::GetString(spec, "renewTime")),
          .lease_transitions = GetInt(spec, "leaseTransitions"),
          .strategy = std::string(runtime::GetString(spec, "strategy")),
          .preferred_holder = std::string(runtime::GetString(spec, "preferredHolder"))};
}

void WriteSpec(runtime::JsonWriter& writer, const LeaseSpec& spec) {
  writer.Key("spec");
  writer.StartObject();
  writer.Key("holderIdentity");  // An empty value releases the Lease.
  writer.String(spec.holder_identity);
  writer.Key("leaseDurationSeconds");
  writer.Int(spec.lease_duration_seconds);
  runtime::WriteField(writer, "acquireTime", spec.acquire_time);
  runtime::WriteField(writer, "renewTime", spec.renew_time);
  writer.Key("leaseTransitions");
  writer.Int(spec.lease_transitions);
  runtime::WriteField(writer, "strategy", spec.strategy);
  runtime::WriteField(writer, "preferredHolder", spec.preferred_holder);
  writer.EndObject();
}

// Writes a Lease up to the open object metadata. The caller closes both.
void BeginLease(runtime::JsonWriter& writer, std::string_view ns, std::string_view name) {
  writer.StartObject();
  runtime::WriteField(writer, "apiVersion", LeasesResource().ApiVersion());
  runtime::WriteField(writer, "kind", "Lease");
  writer.Key("metadata");
  writer.StartObject();
  runtime::WriteField(writer, "namespace", ns);
  runtime::WriteField(writer, "name", name);
}

}  // namespace

const runtime::ResourceType& Lease::Type() {
  static const runtime::ResourceType type = {
      .gvr = LeasesResource(),
      .kind = "Lease",
      .namespaced = true,
      .projection = runtime::Projection(Paths()),
      .decode = [](const runtime::ObjectIdentity& meta, const runtime::JsonValue& value)
          -> Expected<runtime::ObjectPtr> { return runtime::MakeObject<Lease>(meta, value); }};
  return type;
}

Lease::Lease(const runtime::ObjectIdentity& meta, const runtime::JsonValue& value) : Object(meta) {
  if (const runtime::JsonValue* spec = runtime::Find(value, "spec"); spec != nullptr) {
    spec_ = DecodeSpec(*spec);
    raw_spec_ = runtime::ToJson(*spec);
  }
  for (const std::string_view field : kCarried) {
    const runtime::JsonValue* carried = runtime::FindPath(value, {"metadata", field});
    if (carried != nullptr) carried_.emplace_back(field, runtime::ToJson(*carried));
  }
}

std::size_t Lease::ByteSize() const {
  std::size_t bytes = BlockBytes() + HeapBytesOf(raw_spec_) + HeapBytesOf(spec_.holder_identity) +
                      HeapBytesOf(spec_.acquire_time) + HeapBytesOf(spec_.renew_time);
  for (const auto& [field, json] : carried_) {
    bytes += HeapBytesOf(field) + HeapBytesOf(json);
  }
  return bytes;
}

std::string CreateJson(const runtime::ObjectKey& key,
                       const std::vector<std::pair<std::string, std::string>>& labels,
                       const LeaseSpec& spec) {
  runtime::JsonWriter writer;
  BeginLease(writer, key.namespace_, key.name);
  if (!labels.empty()) {
    writer.Key("labels");
    writer.StartObject();
    for (const auto& [label, value] : labels) {
      writer.Key(label);
      writer.String(value);
    }
    writer.EndObject();
  }
  writer.EndObject();
  WriteSpec(writer, spec);
  writer.EndObject();
  return std::move(writer).Take();
}

std::string UpdateJson(const Lease& current, const LeaseSpec& spec) {
  runtime::JsonWriter writer;
  BeginLease(writer, current.namespace_(), current.name());
  runtime::WriteField(writer, "uid", current.uid());
  runtime::WriteField(writer, "resourceVersion", current.resource_version());
  for (const auto& [field, json] : current.carried_) {
    writer.Key(field);
    writer.RawValue(json);
  }
  writer.EndObject();
  WriteSpec(writer, spec);
  writer.EndObject();
  return std::move(writer).Take();
}

}  // namespace capstan::api
