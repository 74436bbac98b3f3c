// SPDX-License-Identifier: Apache-2.0
#include "capstan/patch.h"

#include <algorithm>

#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/runtime/parsed_json.h"
#include "capstan/text.h"

namespace capstan::detail {
namespace {

const runtime::JsonValue& EmptyObject() {
  static const auto empty = *runtime::ParsedJson::Parse("{}");
  return empty.root();
}

// Place is a value in the JSON of a kind.
struct Place {
  const ValueLayout* value = nullptr;
  bool removable = false;  // in a std::optional or a map, so that a caller removes all of it

  bool IsListOfStructs() const {
    const ValueLayout* inner = value;
    while (inner->element != nullptr) inner = inner->element;
    return value->form == ValueLayout::Form::kList && inner->form == ValueLayout::Form::kStruct;
  }
  bool IsStruct() const { return value->form == ValueLayout::Form::kStruct; }
};

// Returns nullopt for a path that the kind does not declare, or that leads through a list.
std::optional<Place> Locate(const StructLayout& layout, const Path& path) {
  const StructLayout* fields = &layout;
  Place place;
  for (const std::string& name : path) {
    if (fields != nullptr) {
      std::size_t next = 0;
      const FieldLayout* const field = fields->Find(name, next);
      if (field == nullptr) return std::nullopt;
      place = {.value = field->value};
    } else if (place.value->form == ValueLayout::Form::kMap) {
      place = {.value = place.value->element, .removable = true};
    } else {
      return std::nullopt;
    }
    while (place.value->form == ValueLayout::Form::kOptional) {
      place = {.value = place.value->element, .removable = true};
    }
    fields = FieldsOf(*place.value);
  }
  return place;
}

// MergePatchMaker compares two objects. It keeps the first list that a patch must not replace, and
// the first change that is too deep.
class MergePatchMaker {
 public:
  // So deep, values are compared as a whole. The stack and the time must not depend on the nesting.
  static constexpr std::size_t kDepthMax = 128;

  explicit MergePatchMaker(const StructLayout* partial) : partial_(partial) {}

  // Returns the object with what differs, "{}" for no difference.
  std::string Difference(const runtime::JsonValue& original, const runtime::JsonValue& modified) {
    runtime::JsonWriter patch;
    patch.StartObject();
    for (const auto& [name, value] : runtime::JsonMembers(modified)) {
      path_.emplace_back(name);
      const auto text = Change(runtime::Find(original, name), value);
      path_.pop_back();
      if (!text) continue;
      patch.Key(name);
      patch.RawValue(*text);
    }
    for (const auto& [name, value] : runtime::JsonMembers(original)) {
      if (runtime::Find(modified, name) != nullptr) continue;
      path_.emplace_back(name);
      patch.Key(name);
      patch.RawValue(Removal(value));
      path_.pop_back();
    }
    patch.EndObject();
    return std::move(patch).Take();
  }
  const std::optional<std::string>& refused() const { return refused_; }
  bool is_too_deep() const { return is_too_deep_; }

 private:
  std::optional<std::string> Change(const runtime::JsonValue* before,
                                    const runtime::JsonValue& value) {
    const bool are_objects =
        before != nullptr && runtime::IsJsonObject(*before) && runtime::IsJsonObject(value);
    if (are_objects && path_.size() < kDepthMax) {
      std::string text = Difference(*before, value);
      if (text == "{}") return std::nullopt;
      return text;
    }
    std::string text = runtime::ToJson(value);
    if (before == nullptr) return text;
    const std::string old = runtime::ToJson(*before);
    if (old == text) return std::nullopt;
    is_too_deep_ = is_too_deep_ || are_objects;  // a patch cannot replace an object
    if (old == "[]" || text == "[]" || refused_) return text;
    const auto place = PlaceOfPath();
    if (place && place->IsListOfStructs()) refused_ = Join(path_, ".");
    return text;
  }
  // The server may have more fields of a struct of which all declared fields are gone.
  std::string Removal(const runtime::JsonValue& value) {
    if (!runtime::IsJsonObject(value)) return "null";
    const auto place = PlaceOfPath();
    if (!place || place->removable || !place->IsStruct()) return "null";
    return Difference(value, EmptyObject());
  }
  std::optional<Place> PlaceOfPath() const {
    return partial_ == nullptr ? std::nullopt : Locate(*partial_, path_);
  }

  const StructLayout* const partial_;
  Path path_;
  std::optional<std::string> refused_;
  bool is_too_deep_ = false;
};

}  // namespace

Patch CreateMergePatch(std::string_view original, std::string_view modified,
                       const StructLayout* partial) {
  const auto before = runtime::ParsedJson::Parse(original);
  const auto after = runtime::ParsedJson::Parse(modified);
  if (!before || !after) {
    const Error& cause = before ? after.error() : before.error();
    return Patch::Invalid({.reason = ErrorReason::kInvalidArgument,
                           .message = "MergeFrom: an object is not valid JSON: " + cause.message});
  }
  MergePatchMaker maker(partial);
  std::string body = maker.Difference(before->root(), after->root());
  if (maker.is_too_deep()) {
    return Patch::Invalid(
        {.reason = ErrorReason::kInvalidArgument,
         .message = "MergeFrom cannot change a member that is nested deeper than " +
                    std::to_string(MergePatchMaker::kDepthMax) +
                    " levels; use Apply or Patch::Json"});
  }
  if (!maker.refused()) return Patch::Merge(std::move(body));
  return Patch::Invalid(
      {.reason = ErrorReason::kInvalidArgument,
       .message = "MergeFrom cannot change " + *maker.refused() +
                  " of a Partial() kind: the patch would replace the list and remove the fields "
                  "of its elements that the kind does not declare; use Apply, Patch::Json or "
                  "Patch::StrategicMerge"});
}

Patch CreateLockedMergePatch(std::string_view original, std::string_view modified,
                             std::string_view version, const StructLayout* partial) {
  if (version.empty()) {
    return Patch::Invalid({.reason = ErrorReason::kInvalidArgument,
                           .message = "MergeFrom cannot use optimistic_lock: the original has no "
                                      "resourceVersion; use an object that was read"});
  }
  Patch patch = CreateMergePatch(original, modified, partial);
  runtime::JsonWriter precondition;
  precondition.StartObject();
  precondition.Key("metadata");
  precondition.StartObject();
  precondition.Key("resourceVersion");
  precondition.String(version);
  precondition.EndObject();
  precondition.EndObject();
  return patch.body() == precondition.text() ? Patch::Merge("{}") : patch;
}

}  // namespace capstan::detail
