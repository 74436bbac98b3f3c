// SPDX-License-Identifier: Apache-2.0
#include "capstan/object_meta.h"

#include "capstan/detail/layout.h"
#include "capstan/detail/layout_of.h"

namespace capstan {
namespace {

constexpr auto kFieldsOfMeta = std::tuple(
    Field("name", &ObjectMeta::name), Field("generateName", &ObjectMeta::generate_name),
    Field("namespace", &ObjectMeta::namespace_), Field("uid", &ObjectMeta::uid),
    Field("resourceVersion", &ObjectMeta::resource_version),
    Field("generation", &ObjectMeta::generation),
    Field("creationTimestamp", &ObjectMeta::creation_timestamp),
    Field("deletionTimestamp", &ObjectMeta::deletion_timestamp),
    Field("deletionGracePeriodSeconds", &ObjectMeta::deletion_grace_period_seconds),
    Field("labels", &ObjectMeta::labels), Field("annotations", &ObjectMeta::annotations),
    Field("ownerReferences", &ObjectMeta::owner_references,
          Field("apiVersion", &OwnerReference::api_version), Field("kind", &OwnerReference::kind),
          Field("name", &OwnerReference::name), Field("uid", &OwnerReference::uid),
          Field("controller", &OwnerReference::controller),
          Field("blockOwnerDeletion", &OwnerReference::block_owner_deletion)),
    Field("finalizers", &ObjectMeta::finalizers));

const detail::StructLayout& LayoutOfMeta() {
  static const auto& layout =
      *new detail::StructLayout(detail::MakeStructLayout<ObjectMeta>(kFieldsOfMeta));
  return layout;
}

void WriteTrue(runtime::JsonWriter& writer, std::string_view key, bool value) {
  if (!value) return;
  writer.Key(key);
  writer.Bool(true);
}

template <class T>
void WriteOptional(runtime::JsonWriter& writer, std::string_view key, const T& value) {
  if (detail::IsEmptyValue(detail::kLayout<T>, &value)) return;
  writer.Key(key);
  detail::EncodeValue(detail::kLayout<T>, writer, &value);
}

// Unlike the fields of a kind, zero and false are omitted, as in Go.
void Write(runtime::JsonWriter& writer, const OwnerReference& owner) {
  writer.StartObject();
  runtime::WriteField(writer, "apiVersion", owner.api_version);
  runtime::WriteField(writer, "kind", owner.kind);
  runtime::WriteField(writer, "name", owner.name);
  runtime::WriteField(writer, "uid", owner.uid);
  WriteTrue(writer, "controller", owner.controller);
  WriteTrue(writer, "blockOwnerDeletion", owner.block_owner_deletion);
  writer.EndObject();
}

}  // namespace

const std::vector<runtime::Projection::Path>& ObjectMetaPaths() {
  static const auto paths = [] {
    std::vector<runtime::Projection::Path> all;
    detail::AddPaths(LayoutOfMeta(), {}, all);
    return all;
  }();
  return paths;
}

bool DecodeObjectMeta(const runtime::JsonValue& metadata, ObjectMeta& to, DecodeProblem& problem) {
  return detail::DecodeStruct(LayoutOfMeta(), metadata, &to, problem);
}

void EncodeObjectMeta(runtime::JsonWriter& writer, const ObjectMeta& metadata) {
  writer.StartObject();
  runtime::WriteField(writer, "name", metadata.name);
  runtime::WriteField(writer, "generateName", metadata.generate_name);
  runtime::WriteField(writer, "namespace", metadata.namespace_);
  runtime::WriteField(writer, "uid", metadata.uid);
  runtime::WriteField(writer, "resourceVersion", metadata.resource_version);
  if (metadata.generation != 0) {
    writer.Key("generation");
    writer.Int64(metadata.generation);
  }
  WriteOptional(writer, "creationTimestamp", metadata.creation_timestamp);
  WriteOptional(writer, "deletionTimestamp", metadata.deletion_timestamp);
  WriteOptional(writer, "deletionGracePeriodSeconds", metadata.deletion_grace_period_seconds);
  WriteOptional(writer, "labels", metadata.labels);
  WriteOptional(writer, "annotations", metadata.annotations);
  if (!metadata.owner_references.empty()) {
    writer.Key("ownerReferences");
    writer.StartArray();
    for (const OwnerReference& owner : metadata.owner_references) Write(writer, owner);
    writer.EndArray();
  }
  WriteOptional(writer, "finalizers", metadata.finalizers);
  writer.EndObject();
}

std::size_t HeapBytesOf(const ObjectMeta& metadata) {
  return detail::HeapBytesOfStruct(LayoutOfMeta(), &metadata);
}

}  // namespace capstan
