// SPDX-License-Identifier: Apache-2.0
#include "apiserver/metadata_validation.h"

#include <algorithm>

#include "apiserver/metadata_edit.h"
#include "apiserver/names.h"

namespace apiserver {
namespace {

void ValidateKeys(const JsonValue* map, const std::string& field,
                  std::vector<std::string> (*errors_of)(std::string_view),
                  std::vector<Cause>& causes) {
  if (map == nullptr || !map->IsObject()) return;
  for (const auto& member : map->GetObject()) {
    AddInvalid(causes, field, ToView(member.name), errors_of(ToView(member.name)));
  }
}

void ValidateFinalizers(const JsonValue& metadata, std::vector<Cause>& causes) {
  const JsonValue* const finalizers = Find(metadata, "finalizers");
  if (finalizers == nullptr || !finalizers->IsArray()) return;
  for (const JsonValue& finalizer : finalizers->GetArray()) {
    AddInvalid(causes, "metadata.finalizers", ToView(finalizer),
               QualifiedNameErrors(ToView(finalizer)));
  }
  for (rapidjson::SizeType i = 0; i < finalizers->Size(); ++i) {
    const std::string_view name = ToView((*finalizers)[i]);
    const bool standard = name == "foregroundDeletion" || name == "orphan" || name == "kubernetes";
    if (standard || name.find('/') != std::string_view::npos) continue;
    causes.push_back(InvalidValue("metadata.finalizers[" + std::to_string(i) + "]", name,
                                  "name is neither a standard finalizer name nor is it fully "
                                  "qualified"));
  }
}

// What finalizers has `next` that `live` has not: as Go prints a []string.
std::string NewFinalizers(const JsonValue& live, const JsonValue& next) {
  std::string text;
  const JsonValue* const before = FindPath(live, {"metadata", "finalizers"});
  const JsonValue* const after = FindPath(next, {"metadata", "finalizers"});
  if (after == nullptr || !after->IsArray()) return text;
  for (const JsonValue& finalizer : after->GetArray()) {
    const bool known = before != nullptr && before->IsArray() &&
                       std::find(before->Begin(), before->End(), finalizer) != before->End();
    if (!known) text += (text.empty() ? "\"" : ", \"") + std::string(ToView(finalizer)) + "\"";
  }
  return text;
}

}  // namespace

void AddInvalid(std::vector<Cause>& causes, const std::string& field, std::string_view value,
                const std::vector<std::string>& errors) {
  for (const std::string& error : errors) causes.push_back(InvalidValue(field, value, error));
}

void ValidateMetadata(const JsonValue& object, std::vector<Cause>& causes) {
  static const JsonValue nothing(rapidjson::kObjectType);
  const JsonValue* const found = Find(object, "metadata");
  const JsonValue& metadata = found == nullptr ? nothing : *found;
  const std::string_view generate_name = GetString(metadata, "generateName");
  if (!generate_name.empty()) {
    // What follows it may make it right: "x-" is a good beginning.
    const auto errors = SubdomainErrors(std::string(generate_name) + "x");
    AddInvalid(causes, "metadata.generateName", generate_name, errors);
  }
  const std::string_view name = GetString(metadata, "name");
  if (name.empty()) {
    causes.push_back(Required("metadata.name", "name or generateName is required"));
  } else {
    AddInvalid(causes, "metadata.name", name, SubdomainErrors(name));
  }
  const JsonValue* const labels = Find(metadata, "labels");
  ValidateKeys(labels, "metadata.labels", QualifiedNameErrors, causes);
  if (labels != nullptr && labels->IsObject()) {
    for (const auto& member : labels->GetObject()) {
      AddInvalid(causes, "metadata.labels", ToView(member.value),
                 LabelValueErrors(ToView(member.value)));
    }
  }
  ValidateKeys(Find(metadata, "annotations"), "metadata.annotations", QualifiedNameErrors, causes);
  ValidateFinalizers(metadata, causes);
}

void ValidateMetadataUpdate(const JsonValue& live, const JsonValue& next,
                            std::vector<Cause>& causes) {
  const std::string added = NewFinalizers(live, next);
  if (!added.empty() && !Metadata(live, "deletionTimestamp").empty()) {
    causes.push_back(ForbiddenField("metadata.finalizers",
                                    "no new finalizers can be added if the object is being "
                                    "deleted, found new finalizers []string{" +
                                        added + "}"));
  }
  for (const char* const key : {"uid", "creationTimestamp"}) {
    const std::string_view value = Metadata(next, key);
    if (value.empty() || value == Metadata(live, key)) continue;
    causes.push_back(InvalidValue(std::string("metadata.") + key, value, "field is immutable"));
  }
}

}  // namespace apiserver
