// SPDX-License-Identifier: Apache-2.0
#include "capstan/detail/layout.h"

#include <glog/logging.h>

#include <algorithm>
#include <string>
#include <utility>

#include "capstan/field.h"
#include "capstan/heap.h"
#include "capstan/logging.h"
#include "capstan/runtime/parsed_json.h"

namespace capstan::detail {
namespace {

using Form = ValueLayout::Form;

const void* At(const void* value, const FieldLayout& field) {
  return static_cast<const char*>(value) + field.offset;
}
void* At(void* value, const FieldLayout& field) { return static_cast<char*>(value) + field.offset; }

// Calls `call` with the address of each element of a list.
template <class Call>
void ForEach(const ValueLayout& layout, const void* list, const Call& call) {
  const auto [first, size, capacity] = layout.list->elements(list);
  for (std::size_t i = 0; i < size; ++i) {
    call(static_cast<const char*>(first) + i * layout.element->size);
  }
}

// Calls `call` with each key of a map and the address of its value.
template <class Call>
void ForEachEntry(const ValueLayout& layout, const void* map, Call call) {
  layout.map->visit(
      map,
      [](void* context, const std::string& key, const void* value) {
        (*static_cast<Call*>(context))(key, value);
      },
      &call);
}

bool DecodeList(const ValueLayout& layout, const runtime::JsonValue& json, void* to,
                DecodeProblem& problem) {
  if (!runtime::IsJsonArray(json)) return problem.Set("not an array");
  const runtime::JsonElements elements(json);
  layout.list->reset(to, elements.size());
  std::size_t index = 0;
  for (const runtime::JsonValue& element : elements) {
    void* const value = layout.list->append(to);
    if (runtime::TypeOfJson(element) != runtime::JsonType::kNull &&
        !DecodeValue(*layout.element, element, value, problem)) {
      return problem.At(index);
    }
    ++index;
  }
  return true;
}

bool DecodeMap(const ValueLayout& layout, const runtime::JsonValue& json, void* to,
               DecodeProblem& problem) {
  if (!runtime::IsJsonObject(json)) return problem.Set("not an object");
  layout.map->clear(to);
  for (const auto& [name, member] : runtime::JsonMembers(json)) {
    void* const value = layout.map->insert(to, name);
    if (runtime::TypeOfJson(member) == runtime::JsonType::kNull) continue;
    if (!DecodeValue(*layout.element, member, value, problem)) return problem.At(name);
  }
  return true;
}

void Set(const ValueLayout& layout, const Literal& literal, void* to) {
  if (layout.form == Form::kOptional) {
    Set(*layout.element, literal, layout.optional->emplace(to));
  } else {
    layout.scalar->set(literal, to);
  }
}

// Sets each field that `json` lacks and that has a default.
void SetDefaults(const StructLayout& layout, const runtime::JsonValue& json, void* to) {
  for (const FieldLayout& field : layout.fields()) {
    if (field.default_value == nullptr || runtime::FindNonNull(json, field.name) != nullptr) {
      continue;
    }
    const Attribute& value = *field.default_value;
    if (value.key == Attribute::Key::kDefault) {
      Set(*field.value, value.value, At(to, field));
      continue;
    }
    DecodeProblem problem;
    const auto parsed = runtime::ParsedJson::Parse(value.value.text);
    const bool decoded =
        parsed && DecodeValue(*field.value, parsed->root(), At(to, field), problem);
    CHECK(decoded) << "DefaultJson() of " << field.name << ": " << problem.message();
  }
}

// Reports whether the field is left out of the JSON of its object.
bool IsOmitted(const FieldLayout& field, const void* object, Purpose purpose) {
  const void* const value = At(object, field);
  const ScalarLayout* const scalar = field.value->scalar;
  const bool has_zero = scalar != nullptr && scalar->is_zero != nullptr;
  if (field.value->form == Form::kOptional) return field.value->optional->get(value) == nullptr;
  if (purpose == Purpose::kApply) {
    if (field.part == FieldLayout::Part::kStatus) return true;
    if (!has_zero) return IsEmptyValue(*field.value, value, purpose);
  }
  if (field.required || field.default_value != nullptr) return false;
  if (field.omit_zero && has_zero) return scalar->is_zero(value);
  return field.part != FieldLayout::Part::kSpec && IsEmptyValue(*field.value, value, purpose);
}

std::size_t HeapBytesOfValue(const ValueLayout& layout, const void* value) {
  switch (layout.form) {
    case Form::kScalar:
      return layout.scalar->heap_bytes(value);
    case Form::kOptional: {
      const void* const inner = layout.optional->get(value);
      if (inner == nullptr) return 0;
      return layout.optional->heap_bytes + HeapBytesOfValue(*layout.element, inner);
    }
    case Form::kList: {
      const std::size_t capacity = layout.list->elements(value).capacity;
      std::size_t bytes = capacity == 0 ? 0 : HeapBlockBytes(capacity * layout.element->size);
      ForEach(layout, value,
              [&](const void* element) { bytes += HeapBytesOfValue(*layout.element, element); });
      return bytes;
    }
    case Form::kMap: {
      std::size_t bytes = 0;
      ForEachEntry(layout, value, [&](const std::string& key, const void* element) {
        bytes +=
            layout.map->node_bytes + HeapBytesOf(key) + HeapBytesOfValue(*layout.element, element);
      });
      return bytes;
    }
    case Form::kStruct:
    case Form::kUnion:
      return HeapBytesOfStruct(*FieldsOf(layout), value);
  }
  return 0;
}

bool AreEqualValues(const ValueLayout& layout, const void* a, const void* b) {
  switch (layout.form) {
    case Form::kScalar:
      return layout.scalar->equal(a, b);
    case Form::kOptional: {
      const void* const left = layout.optional->get(a);
      const void* const right = layout.optional->get(b);
      if (left == nullptr || right == nullptr) return left == right;
      return AreEqualValues(*layout.element, left, right);
    }
    case Form::kList: {
      const auto left = layout.list->elements(a);
      const auto right = layout.list->elements(b);
      if (left.size != right.size) return false;
      for (std::size_t offset = 0; offset < left.size * layout.element->size;
           offset += layout.element->size) {
        if (!AreEqualValues(*layout.element, static_cast<const char*>(left.first) + offset,
                            static_cast<const char*>(right.first) + offset)) {
          return false;
        }
      }
      return true;
    }
    case Form::kMap: {
      if (layout.map->size(a) != layout.map->size(b)) return false;
      bool equal = true;
      ForEachEntry(layout, a, [&](const std::string& key, const void* value) {
        const void* const other = equal ? layout.map->find(b, key) : nullptr;
        equal = other != nullptr && AreEqualValues(*layout.element, value, other);
      });
      return equal;
    }
    case Form::kStruct:
    case Form::kUnion:
      return AreEqual(*FieldsOf(layout), a, b);
  }
  return false;
}

// Collects the paths of values. `inside_` are the structs around the value.
class PathCollector {
 public:
  explicit PathCollector(std::vector<Path>& paths) : paths_(paths) {}

  void AddStruct(const StructLayout& layout, const Path& prefix) {
    const bool is_inside = std::find(inside_.begin(), inside_.end(), &layout) != inside_.end();
    if (is_inside || layout.fields().empty()) {
      paths_.push_back(prefix);
      return;
    }
    inside_.push_back(&layout);
    for (const FieldLayout& field : layout.fields()) {
      Path path = prefix;
      path.emplace_back(field.name);
      AddValue(*field.value, std::move(path));
    }
    inside_.pop_back();
  }

 private:
  void AddValue(const ValueLayout& layout, Path path) {
    switch (layout.form) {
      case Form::kScalar:
        if (layout.scalar->paths == nullptr) {
          paths_.push_back(std::move(path));
          return;
        }
        for (const Path& below : layout.scalar->paths()) {
          Path whole = path;
          whole.insert(whole.end(), below.begin(), below.end());
          paths_.push_back(std::move(whole));
        }
        return;
      case Form::kMap:
        // A map of plain values is read as a whole.
        if (InnermostOf(layout).form == Form::kScalar) return paths_.push_back(std::move(path));
        path.emplace_back("*");
        return AddValue(*layout.element, std::move(path));
      case Form::kOptional:
      case Form::kList:
        return AddValue(*layout.element, std::move(path));
      case Form::kStruct:
        return AddStruct(*FieldsOf(layout), path);
      case Form::kUnion:
        return paths_.push_back(std::move(path));
    }
  }

  static const ValueLayout& InnermostOf(const ValueLayout& layout) {
    return layout.element == nullptr ? layout : InnermostOf(*layout.element);
  }

  std::vector<Path>& paths_;
  std::vector<const StructLayout*> inside_;
};

}  // namespace

StructLayout::StructLayout(std::vector<FieldLayout> fields)
    : owned_(std::move(fields)), fields_(owned_) {}

const FieldLayout* StructLayout::Find(std::string_view name, std::size_t& next) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const std::size_t at = next + i < fields_.size() ? next + i : next + i - fields_.size();
    if (fields_[at].name == name) {
      next = at + 1;
      return &fields_[at];
    }
  }
  return nullptr;
}

const StructLayout* FieldsOf(const ValueLayout& layout) {
  if (layout.own_fields != nullptr) return layout.own_fields;
  return layout.fields == nullptr ? nullptr : &layout.fields();
}

bool DecodeValue(const ValueLayout& layout, const runtime::JsonValue& json, void* to,
                 DecodeProblem& problem) {
  switch (layout.form) {
    case Form::kScalar:
      return layout.scalar->decode(json, to, problem);
    case Form::kOptional:
      return DecodeValue(*layout.element, json, layout.optional->emplace(to), problem);
    case Form::kList:
      return DecodeList(layout, json, to, problem);
    case Form::kMap:
      return DecodeMap(layout, json, to, problem);
    case Form::kStruct:
      return DecodeStruct(*FieldsOf(layout), json, to, problem);
    case Form::kUnion: {
      const FieldLayout& field = FieldsOf(layout)->fields()[runtime::IsJsonObject(json) ? 0 : 1];
      return DecodeValue(*field.value, json, At(to, field), problem);
    }
  }
  return false;
}

bool DecodeStruct(const StructLayout& layout, const runtime::JsonValue& json, void* to,
                  DecodeProblem& problem) {
  if (!runtime::IsJsonObject(json)) return problem.Set("not an object");
  if (!problem.Enter()) return false;
  SetDefaults(layout, json, to);
  std::size_t next = 0;
  for (const auto& [name, value] : runtime::JsonMembers(json)) {
    if (runtime::TypeOfJson(value) == runtime::JsonType::kNull) continue;
    const FieldLayout* const field = layout.Find(name, next);
    if (field == nullptr) continue;
    if (!DecodeValue(*field->value, value, At(to, *field), problem)) return problem.At(name);
  }
  problem.Leave();
  return true;
}

bool IsEmptyValue(const ValueLayout& layout, const void* value, Purpose purpose) {
  switch (layout.form) {
    case Form::kScalar:
      return layout.scalar->is_empty(value);
    case Form::kOptional:
      return layout.optional->get(value) == nullptr;
    case Form::kList:
      return layout.list->elements(value).size == 0;
    case Form::kMap:
      return layout.map->size(value) == 0;
    case Form::kStruct: {
      const auto fields = FieldsOf(layout)->fields();
      return std::all_of(fields.begin(), fields.end(), [&](const FieldLayout& field) {
        return IsOmitted(field, value, purpose);
      });
    }
    case Form::kUnion:
      return false;
  }
  return false;
}

void EncodeValue(const ValueLayout& layout, runtime::JsonWriter& writer, const void* from,
                 Purpose purpose) {
  const auto encode_element = [&](const void* element) {
    EncodeValue(*layout.element, writer, element, purpose);
  };
  switch (layout.form) {
    case Form::kScalar:
      return layout.scalar->encode(writer, from);
    case Form::kOptional:
      if (const void* const value = layout.optional->get(from)) return encode_element(value);
      return writer.Null();
    case Form::kList:
      writer.StartArray();
      ForEach(layout, from, encode_element);
      return writer.EndArray();
    case Form::kMap:
      writer.StartObject();
      ForEachEntry(layout, from, [&](const std::string& key, const void* value) {
        writer.Key(key);
        encode_element(value);
      });
      return writer.EndObject();
    case Form::kStruct:
      writer.StartObject();
      for (const FieldLayout& field : FieldsOf(layout)->fields()) {
        EncodeField(field, writer, from, purpose);
      }
      return writer.EndObject();
    case Form::kUnion: {
      const auto fields = FieldsOf(layout)->fields();
      const FieldLayout& field = fields[IsOmitted(fields[0], from, purpose) ? 1 : 0];
      return EncodeValue(*field.value, writer, At(from, field), purpose);
    }
  }
}

void EncodeField(const FieldLayout& field, runtime::JsonWriter& writer, const void* object,
                 Purpose purpose) {
  if (IsOmitted(field, object, purpose)) return;
  writer.Key(field.name);
  EncodeValue(*field.value, writer, At(object, field), purpose);
}

bool AreEqual(const StructLayout& layout, const void* a, const void* b) {
  const auto fields = layout.fields();
  return std::all_of(fields.begin(), fields.end(), [&](const FieldLayout& field) {
    return AreEqualValues(*field.value, At(a, field), At(b, field));
  });
}

std::size_t HeapBytesOfStruct(const StructLayout& layout, const void* value) {
  std::size_t bytes = 0;
  for (const FieldLayout& field : layout.fields()) {
    bytes += HeapBytesOfValue(*field.value, At(value, field));
  }
  return bytes;
}

void AddPaths(const StructLayout& layout, const Path& prefix, std::vector<Path>& paths) {
  PathCollector(paths).AddStruct(layout, prefix);
}

}  // namespace capstan::detail
