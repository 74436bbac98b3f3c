// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/patch/patch_type.h"

#include <string>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

// Reports whether Go's decoder takes `name` for the field. The letters K and S have a third form.
bool IsFoldedName(std::string_view field, std::string_view name) {
  while (!field.empty() && !name.empty()) {
    const char letter = LowerAscii(field.front());
    const std::string_view third = letter == 'k'   ? std::string_view("\u212a")
                                   : letter == 's' ? std::string_view("\u017f")
                                                   : std::string_view();
    const bool is_third = !third.empty() && name.starts_with(third);
    if (!is_third && LowerAscii(name.front()) != letter) return false;
    field.remove_prefix(1);
    name.remove_prefix(is_third ? third.size() : 1);
  }
  return field.empty() && name.empty();
}

const runtime::Field* FindFolded(const runtime::Message& message, std::string_view name) {
  for (const runtime::Field& field : message.fields()) {
    if (!field.name.empty() && IsFoldedName(field.name, name)) return &field;
    const runtime::Field* const inlined =
        field.name.empty() ? FindFolded(*field.message, name) : nullptr;
    if (inlined != nullptr) return inlined;
  }
  return nullptr;
}

PatchType TypeOfOne(const runtime::Field& field) {
  if (field.message != nullptr) return {.message = field.message};
  switch (field.type) {
    case runtime::FieldType::kString:
      return {.kind = "string"};
    case runtime::FieldType::kBytes:
      return {.kind = "slice"};
    case runtime::FieldType::kInt32:
      return {.kind = "int32"};
    case runtime::FieldType::kInt64:
      return {.kind = "int64"};
    case runtime::FieldType::kBool:
      return {.kind = "bool"};
    case runtime::FieldType::kDouble:
      return {.kind = "float64"};
    default:
      return {};
  }
}

}  // namespace

Result<const runtime::Field*> FindField(const PatchType& type, std::string_view name) {
  if (type.kind != "struct") {
    return tl::unexpected(
        InternalError("merging an object in json but data type is not struct, instead is: " +
                      std::string(type.kind)));
  }
  const runtime::Field* field = type.message == nullptr ? nullptr : type.message->Find(name);
  if (field == nullptr && type.message != nullptr) field = FindFolded(*type.message, name);
  if (field != nullptr) return field;
  const std::string_view full = type.message == nullptr ? "" : type.message->name();
  return tl::unexpected(InternalError("unable to find api field in struct " +
                                      std::string(full.substr(full.rfind('.') + 1)) +
                                      " for the json field " + Quote(name)));
}

PatchType TypeOf(const runtime::Field& field) {
  if (field.shape == runtime::Field::Shape::kList) return {.kind = "slice"};
  if (field.shape == runtime::Field::Shape::kMap) return {.kind = "map"};
  return TypeOfOne(field);
}

Result<PatchListField> FindListField(const PatchType& type, std::string_view name) {
  const auto field = FindField(type, name);
  if (!field) return tl::unexpected(field.error());
  const bool is_list =
      (*field)->shape == runtime::Field::Shape::kList || TypeOf(**field).kind == "slice";
  if (!is_list && !(*field)->pointer) {
    return tl::unexpected(
        InternalError("expected slice or array type, but got: " + std::string(type.kind)));
  }
  return PatchListField{.items = TypeOfOne(**field),
                        .key = (*field)->merge_key,
                        .merged = (*field)->patch_strategy.find("merge") != std::string_view::npos};
}

}  // namespace capstan::testing::apiserver
