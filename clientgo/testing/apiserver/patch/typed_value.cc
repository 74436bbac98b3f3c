// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/patch/typed_value.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "clientgo/testing/apiserver/types/go_fields.h"

namespace capstan::testing::apiserver {
namespace {

using MergeForm = MergeType::Form;
using Scalar = MergeType::Scalar;

bool IsValidScalar(Scalar scalar, const runtime::JsonValue& value) {
  if (value.IsNull()) return true;
  switch (scalar) {
    case Scalar::kString:
      return value.IsString();
    case Scalar::kNumeric:
      return value.IsNumber();
    case Scalar::kBoolean:
      return value.IsBool();
    default:
      return IsScalar(value);
  }
}

// Returns a value as Go's %#v prints it.
std::string GoSyntax(const runtime::JsonValue& value) {
  if (value.IsNull()) return "interface {}(nil)";
  if (!value.IsObject() && !value.IsArray()) return runtime::ToJson(value);
  std::string inner;
  const auto add = [&](const std::string& text) { inner += (inner.empty() ? "" : ", ") + text; };
  if (value.IsArray()) {
    for (const runtime::JsonValue& item : value.GetArray()) add(GoSyntax(item));
  } else {
    for (const auto& member : value.GetObject()) {
      add(runtime::ToJson(member.name) + ":" + GoSyntax(member.value));
    }
  }
  return runtime::GoTypeName(value) + "{" + inner + "}";
}

// Returns a value as Go's %v prints a structured-merge-diff value.
std::string Shown(const runtime::JsonValue& value) { return "&{" + GoText(value) + "}"; }

std::string ScalarError(Scalar scalar, const runtime::JsonValue& value) {
  switch (scalar) {
    case Scalar::kString:
      return "expected string, got &value.valueUnstructured{Value:" + GoSyntax(value) + "}";
    case Scalar::kNumeric:
      return "expected numeric (int or float), got " + runtime::GoTypeName(value);
    case Scalar::kBoolean:
      return "expected boolean, got " + Shown(value);
    default:
      return "expected any scalar, got " + Shown(value);
  }
}

// MergeValidator collects the errors of a value.
class MergeValidator {
 public:
  void Validate(const runtime::JsonValue& value, const MergeType& type, const std::string& path) {
    switch (type.FormOf(&value)) {
      case MergeForm::kScalar:
        if (!IsValidScalar(type.scalar(), value)) Report(path, ScalarError(type.scalar(), value));
        return;
      case MergeForm::kMap:
        return ValidateMap(value, type, path);
      case MergeForm::kList:
        return ValidateList(value, type, path);
      case MergeForm::kNone:
        Report(path, "schema error: invalid atom: inlined");
    }
  }

  std::vector<std::string> Take() && { return std::move(errors_); }

 private:
  void Report(const std::string& path, const std::string& why) {
    errors_.push_back(path.empty() ? why : std::string(path).append(": ").append(why));
  }

  void ValidateMap(const runtime::JsonValue& value, const MergeType& type,
                   const std::string& path) {
    if (value.IsNull()) return;
    if (!value.IsObject()) return Report(path, "expected map, got " + Shown(value));
    for (const auto& member : value.GetObject()) {
      const std::string_view name = runtime::ToView(member.name);
      const MergeType inner = type.Member(name);
      const std::string at = path + "." + std::string(name);
      if (inner.FormOf(nullptr) == MergeForm::kNone) {
        return Report(at, "field not declared in schema");  // Go reads no further
      }
      Validate(member.value, inner, at);
    }
  }

  void ValidateList(const runtime::JsonValue& value, const MergeType& type,
                    const std::string& path) {
    if (value.IsNull()) return;
    if (!value.IsArray()) return Report(path, "expected list, got " + Shown(value));
    std::set<std::string> seen;
    for (std::size_t i = 0; i < value.Size(); ++i) {
      const runtime::JsonValue& item = value[static_cast<rapidjson::SizeType>(i)];
      std::string at = path + "[" + std::to_string(i) + "]";
      if (!type.IsAtomicList()) {
        const auto [element, error] = type.ItemElement(item);
        if (!error.empty()) {
          return Report(path, "element " + std::to_string(i) + ": " + error);
        }
        const std::string readable = ReadableElement(element);
        if (!seen.insert(element).second) {
          Report(path, "duplicate entries for key " + readable);
        }
        at = path + readable;
      }
      Validate(item, type.Items(), at);
    }
  }

  std::vector<std::string> errors_;
};

void CollectFields(const runtime::JsonValue& value, const MergeType& type, FieldSet& set);

void CollectItems(const runtime::JsonValue& list, const MergeType& type, FieldSet& set) {
  std::map<std::string, int> counts;
  for (const runtime::JsonValue& item : list.GetArray()) ++counts[type.ItemElement(item).path];
  for (const runtime::JsonValue& item : list.GetArray()) {
    const std::string element = type.ItemElement(item).path;
    FieldSet& child = set.children[element];
    child.member = true;
    if (counts[element] == 1) CollectFields(item, type.Items(), child);
  }
}

void CollectFields(const runtime::JsonValue& value, const MergeType& type, FieldSet& set) {
  switch (type.FormOf(&value)) {
    case MergeForm::kScalar:
      set.member = true;
      return;
    case MergeForm::kList:
      if (type.IsAtomicList()) {
        set.member = true;
      } else if (value.IsArray()) {
        CollectItems(value, type, set);
      }
      return;
    case MergeForm::kMap:
      break;
    case MergeForm::kNone:
      return;
  }
  if (type.IsAtomicMap()) {
    set.member = true;
    return;
  }
  if (!value.IsObject()) return;
  for (const auto& member : value.GetObject()) {
    const std::string_view name = runtime::ToView(member.name);
    FieldSet& child = set.children[FieldElement(name)];
    CollectFields(member.value, type.Member(name), child);
    const bool empty =
        member.value.IsNull() || (member.value.IsObject() && member.value.ObjectEmpty());
    if (empty || !type.Declares(name)) child.member = true;
  }
}

const runtime::JsonValue* IfObject(const runtime::JsonValue* value) {
  return value != nullptr && value->IsObject() && !value->ObjectEmpty() ? value : nullptr;
}

const runtime::JsonValue* IfArray(const runtime::JsonValue* value) {
  return value != nullptr && value->IsArray() && !value->Empty() ? value : nullptr;
}

// Items are the items of a list by their path elements.
struct Items {
  std::vector<std::string> order;
  std::map<std::string, std::vector<const runtime::JsonValue*>> found;

  Items(const runtime::JsonValue* list, const MergeType& type, std::string* error) {
    if (list == nullptr) return;
    for (std::size_t i = 0; i < list->Size(); ++i) {
      const runtime::JsonValue& item = (*list)[static_cast<rapidjson::SizeType>(i)];
      auto [element, why] = type.ItemElement(item);
      if (!why.empty()) {
        if (error->empty()) *error = "element " + std::to_string(i) + ": " + why;
        continue;
      }
      found[element].push_back(&item);
      order.push_back(std::move(element));
    }
  }

  bool Has(const std::string& element) const { return found.contains(element); }
  // Returns the only item; null: none. Several items are not merged with another one.
  const runtime::JsonValue* Only(const std::string& element) const {
    static const runtime::JsonValue null;
    const auto at = found.find(element);
    if (at == found.end()) return nullptr;
    return at->second.size() == 1 ? at->second.front() : &null;
  }
};

// TypedMerger merges two values. A missing value is a null pointer. A
// result of std::nullopt means that nothing is left.
class TypedMerger {
 public:
  explicit TypedMerger(JsonAllocator& allocator) : allocator_(allocator) {}

  using Result = std::optional<runtime::JsonValue>;

  Result Merge(const runtime::JsonValue* left, const runtime::JsonValue* right,
               const MergeType& type) {
    // Where the forms differ, that of the configuration decides.
    switch (type.FormOf(right != nullptr ? right : left)) {
      case MergeForm::kScalar:
        return Leaf(left, right);
      case MergeForm::kList: {
        const runtime::JsonValue* const old = IfArray(left);
        const runtime::JsonValue* const next = IfArray(right);
        const bool leaf = type.IsAtomicList() || (old == nullptr && next == nullptr);
        return leaf ? Leaf(left, right) : MergeLists(old, next, type);
      }
      case MergeForm::kMap: {
        const runtime::JsonValue* const old = IfObject(left);
        const runtime::JsonValue* const next = IfObject(right);
        const bool leaf = type.IsAtomicMap() || (old == nullptr && next == nullptr);
        return leaf ? Leaf(left, right) : MergeMaps(old, next, type);
      }
      case MergeForm::kNone:
        break;
    }
    return std::nullopt;
  }

 private:
  Result Leaf(const runtime::JsonValue* left, const runtime::JsonValue* right) {
    const runtime::JsonValue* const value = right != nullptr ? right : left;
    return Result(std::in_place, *value, allocator_);
  }

  Result MergeMaps(const runtime::JsonValue* left, const runtime::JsonValue* right,
                   const MergeType& type) {
    runtime::JsonValue out(rapidjson::kObjectType);
    const auto add = [&](const runtime::JsonValue& name, const runtime::JsonValue* old,
                         const runtime::JsonValue* next) {
      auto merged = Merge(old, next, type.Member(runtime::ToView(name)));
      if (merged)
        out.AddMember(runtime::JsonValue(name, allocator_), *std::move(merged), allocator_);
    };
    if (left != nullptr) {
      for (const auto& member : left->GetObject()) {
        const runtime::JsonValue* const next =
            right == nullptr ? nullptr : runtime::Find(*right, runtime::ToView(member.name));
        add(member.name, &member.value, next);
      }
    }
    if (right != nullptr) {
      for (const auto& member : right->GetObject()) {
        if (left != nullptr && runtime::Find(*left, runtime::ToView(member.name)) != nullptr)
          continue;
        add(member.name, nullptr, &member.value);
      }
    }
    if (out.ObjectEmpty()) return std::nullopt;
    return out;
  }

  // Follows visitListItems step by step, so that the order of the items is the same.
  Result MergeLists(const runtime::JsonValue* left, const runtime::JsonValue* right,
                    const MergeType& type) {
    std::string error;
    const Items old(left, type, &error);
    const Items next(right, type, &error);
    if (!error.empty()) return std::nullopt;
    runtime::JsonValue out(rapidjson::kArrayType);
    const auto add = [&](const runtime::JsonValue* lhs, const runtime::JsonValue* rhs) {
      auto merged = Merge(lhs, rhs, type.Items());
      if (merged) out.PushBack(*std::move(merged), allocator_);
    };
    std::vector<std::string> shared;
    for (const std::string& element : next.order) {
      if (old.Has(element)) shared.push_back(element);
    }
    auto wanted = shared.begin();
    std::set<std::string> merged;
    std::size_t l = 0;
    std::size_t r = 0;
    const auto merge_right = [&] {
      const std::string& element = next.order[r++];
      merged.insert(element);
      add(old.Only(element), next.Only(element));
      return element;
    };
    while (l < old.order.size() || r < next.order.size()) {
      if (l < old.order.size() && r < next.order.size()) {
        if (old.order[l] == next.order[r]) {
          merge_right();
          ++l;
          if (wanted != shared.end()) ++wanted;
          continue;
        }
        if (next.Has(old.order[l]) && wanted != shared.end() && *wanted != old.order[l]) {
          ++l;  // it comes later
          continue;
        }
      }
      if (l < old.order.size()) {
        if (!next.Has(old.order[l])) {
          add(&(*left)[static_cast<rapidjson::SizeType>(l++)], nullptr);
          continue;
        }
        if (merged.contains(old.order[l])) ++l;
      }
      if (r < next.order.size()) {
        const std::string element = merge_right();
        if (wanted != shared.end() && *wanted == element) ++wanted;
      }
    }
    if (out.Empty()) return std::nullopt;
    return out;
  }

  JsonAllocator& allocator_;
};

// Comparer collects what differs. A missing value is a null pointer. `changed` and `removed` are
// the parts of the results for the two values that are compared.
class Comparer {
 public:
  explicit Comparer(std::string& error) : error_(error) {}

  void Compare(const runtime::JsonValue* before, const runtime::JsonValue* after,
               const MergeType& type, FieldSet& changed, FieldSet& removed) {
    const MergeForm old_form = type.FormOf(before);
    const MergeForm new_form = type.FormOf(after);
    bool leaf = false;
    if (after == nullptr) {
      leaf = CompareAs(old_form, before, after, type, changed, removed);
    } else {
      if (before != nullptr && old_form != new_form) {
        CompareAs(old_form, before, after, type, changed, removed);
      }
      leaf = CompareAs(new_form, before, after, type, changed, removed);
    }
    if (leaf) return;
    if (before == nullptr) changed.member = true;
    if (before != nullptr && after == nullptr) removed.member = true;
  }

 private:
  // Returns whether the values are compared as a whole.
  bool CompareAs(MergeForm form, const runtime::JsonValue* before, const runtime::JsonValue* after,
                 const MergeType& type, FieldSet& changed, FieldSet& removed) {
    const bool is_map = form == MergeForm::kMap;
    const runtime::JsonValue* const old = is_map ? IfObject(before) : IfArray(before);
    const runtime::JsonValue* const next = is_map ? IfObject(after) : IfArray(after);
    const bool atomic =
        is_map ? type.IsAtomicMap() : form == MergeForm::kScalar || type.IsAtomicList();
    if (form == MergeForm::kNone) return false;
    if (atomic || (old == nullptr && next == nullptr)) {
      CompareLeaves(before, after, changed, removed);
      return true;
    }
    if (is_map) {
      CompareMaps(old, next, type, changed, removed);
    } else {
      CompareLists(old, next, type, changed, removed);
    }
    return false;
  }

  static void CompareLeaves(const runtime::JsonValue* before, const runtime::JsonValue* after,
                            FieldSet& changed, FieldSet& removed) {
    if (after == nullptr) {
      removed.member = true;
    } else if (before == nullptr || *before != *after) {
      changed.member = true;
    }
  }

  void CompareMaps(const runtime::JsonValue* before, const runtime::JsonValue* after,
                   const MergeType& type, FieldSet& changed, FieldSet& removed) {
    const auto compare = [&](std::string_view name, const runtime::JsonValue* old,
                             const runtime::JsonValue* next) {
      const std::string element = FieldElement(name);
      Compare(old, next, type.Member(name), changed.children[element], removed.children[element]);
    };
    if (before != nullptr) {
      for (const auto& member : before->GetObject()) {
        const std::string_view name = runtime::ToView(member.name);
        compare(name, &member.value, after == nullptr ? nullptr : runtime::Find(*after, name));
      }
    }
    if (after == nullptr) return;
    for (const auto& member : after->GetObject()) {
      const std::string_view name = runtime::ToView(member.name);
      if (before != nullptr && runtime::Find(*before, name) != nullptr) continue;
      compare(name, nullptr, &member.value);
    }
  }

  void CompareLists(const runtime::JsonValue* before, const runtime::JsonValue* after,
                    const MergeType& type, FieldSet& changed, FieldSet& removed) {
    const Items old(before, type, &error_);
    const Items next(after, type, &error_);
    std::set<std::string> elements(old.order.begin(), old.order.end());
    elements.insert(next.order.begin(), next.order.end());
    static const std::vector<const runtime::JsonValue*> none;
    for (const std::string& element : elements) {
      const auto& lefts = old.Has(element) ? old.found.at(element) : none;
      const auto& rights = next.Has(element) ? next.found.at(element) : none;
      FieldSet& more = changed.children[element];
      FieldSet& less = removed.children[element];
      const runtime::JsonValue* const left = lefts.empty() ? nullptr : lefts.front();
      const runtime::JsonValue* const right = rights.empty() ? nullptr : rights.front();
      if (lefts.size() <= 1 && rights.size() <= 1) {
        Compare(left, right, type.Items(), more, less);
      } else if (lefts.size() >= 2 && rights.size() >= 2) {
        const bool same = std::equal(lefts.begin(), lefts.end(), rights.begin(), rights.end(),
                                     [](const auto* a, const auto* b) { return *a == *b; });
        more.member = more.member || !same;
      } else if (lefts.size() >= 2) {
        if (right != nullptr) Compare(nullptr, right, type.Items(), more, less);
        less.member = true;
      } else {
        if (left != nullptr) Compare(left, nullptr, type.Items(), more, less);
        more.member = true;
      }
    }
  }

  std::string& error_;
};

}  // namespace

std::string TypeErrorText(const runtime::JsonValue& value, const MergeType& type) {
  MergeValidator validator;
  validator.Validate(value, type, "");
  const std::vector<std::string> errors = std::move(validator).Take();
  if (errors.size() == 1) return errors.front();
  std::string text;
  for (const std::string& error : errors) text += (text.empty() ? "errors:\n  " : "\n  ") + error;
  return text;
}

FieldSet FieldsOfTyped(const runtime::JsonValue& value, const MergeType& type) {
  FieldSet set;
  CollectFields(value, type, set);
  set.member = false;
  set.Prune();
  return set;
}

runtime::JsonValue MergeTyped(const runtime::JsonValue& value,
                              const runtime::JsonValue& configuration, const MergeType& type,
                              JsonAllocator& allocator) {
  auto merged = TypedMerger(allocator).Merge(&value, &configuration, type);
  return merged ? *std::move(merged) : runtime::JsonValue();
}

runtime::JsonValue RemoveTyped(const runtime::JsonValue& value, const MergeType& type,
                               const FieldSet& fields, JsonAllocator& allocator) {
  const MergeForm form = type.FormOf(&value);
  if (form == MergeForm::kScalar) return {value, allocator};
  if (form == MergeForm::kMap && value.IsObject() && !type.IsAtomicMap()) {
    runtime::JsonValue out(rapidjson::kObjectType);
    for (const auto& member : value.GetObject()) {
      const std::string_view name = runtime::ToView(member.name);
      const FieldSet* const below = fields.Below(FieldElement(name));
      if (below != nullptr && below->member) continue;
      out.AddMember(runtime::JsonValue(member.name, allocator),
                    below == nullptr
                        ? runtime::JsonValue(member.value, allocator)
                        : RemoveTyped(member.value, type.Member(name), *below, allocator),
                    allocator);
    }
    return out.ObjectEmpty() ? runtime::JsonValue() : std::move(out);
  }
  if (form != MergeForm::kList || !value.IsArray() || type.IsAtomicList()) return {};
  runtime::JsonValue out(rapidjson::kArrayType);
  for (const runtime::JsonValue& item : value.GetArray()) {
    const FieldSet* const below = fields.Below(type.ItemElement(item).path);
    if (below != nullptr && below->member) continue;
    out.PushBack(below == nullptr ? runtime::JsonValue(item, allocator)
                                  : RemoveTyped(item, type.Items(), *below, allocator),
                 allocator);
  }
  return out.Empty() ? runtime::JsonValue() : std::move(out);
}

Comparison CompareTyped(const runtime::JsonValue& before, const runtime::JsonValue& after,
                        const MergeType& type) {
  Comparison result;
  Comparer(result.error).Compare(&before, &after, type, result.changed, result.removed);
  for (FieldSet* const set : {&result.changed, &result.removed}) {
    set->member = false;
    set->Prune();
  }
  return result;
}

}  // namespace capstan::testing::apiserver
