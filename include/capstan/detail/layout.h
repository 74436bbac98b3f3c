// SPDX-License-Identifier: Apache-2.0
// A layout says how a value of a C++ type lies in memory, and what it is in JSON. The functions at
// the end read, write and describe any value by its layout, so a program has their code once, and
// for each field a row of a table. Only the library and generated types use this header.
//
// Layouts are constant or made once, and any thread may read them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/codec.h"
#include "capstan/export.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/runtime/projection.h"

namespace capstan {

struct Attribute;
struct Literal;

namespace detail {

using Path = runtime::Projection::Path;

class StructLayout;

// ScalarLayout has the functions of Codec<T>.
struct CAPSTAN_EXPORT ScalarLayout {
  bool (*decode)(const runtime::JsonValue& json, void* to, DecodeProblem& problem);
  void (*encode)(runtime::JsonWriter& writer, const void* from);
  bool (*is_empty)(const void* value);
  bool (*is_zero)(const void* value);  // a number or boolean; null: another type
  bool (*equal)(const void* a, const void* b);
  std::size_t (*heap_bytes)(const void* value);
  void (*write_schema)(runtime::JsonWriter& writer);
  void (*set)(const Literal& literal, void* to);  // null: the type has no literals
  // The paths of its members; null: all of the value is read.
  const std::vector<Path>& (*paths)();
};

// A std::optional or a Boxed.
struct CAPSTAN_EXPORT OptionalLayout {
  void* (*emplace)(void* optional);
  const void* (*get)(const void* optional);  // null: it has no value
  std::size_t heap_bytes;                    // of its own block
};

struct CAPSTAN_EXPORT ListLayout {
  struct Elements {
    const void* first = nullptr;
    std::size_t size = 0;
    std::size_t capacity = 0;
  };
  void (*reset)(void* list, std::size_t capacity);
  void* (*append)(void* list);
  Elements (*elements)(const void* list);
};

struct CAPSTAN_EXPORT MapLayout {
  using Visit = void (*)(void* context, const std::string& key, const void* value);
  void (*clear)(void* map);
  void* (*insert)(void* map, std::string_view key);
  const void* (*find)(const void* map, const std::string& key);
  void (*visit)(const void* map, Visit visit, void* context);
  std::size_t (*size)(const void* map);
  std::size_t node_bytes;  // of the heap
};

// ValueLayout is of one C++ type. Of the pointers, those of its form are set.
struct CAPSTAN_EXPORT ValueLayout {
  // A kUnion is a struct of two fields. In JSON it is the first one, which is an object, or the
  // second one.
  enum class Form : std::uint8_t { kScalar, kOptional, kList, kMap, kStruct, kUnion };

  Form form = Form::kScalar;
  std::size_t size = 0;  // sizeof
  const ScalarLayout* scalar = nullptr;
  const OptionalLayout* optional = nullptr;
  const ListLayout* list = nullptr;
  const MapLayout* map = nullptr;
  const ValueLayout* element = nullptr;       // of an optional, a list or a map
  const StructLayout& (*fields)() = nullptr;  // of a struct
  const StructLayout* own_fields = nullptr;   // of a struct whose fields follow its member
};

struct CAPSTAN_EXPORT FieldLayout {
  enum class Part : std::uint8_t {
    kField,
    kMetadata,
    kSpec,   // always written
    kStatus  // of a kind with this subresource
  };

  std::string_view name = {};
  const ValueLayout* value = nullptr;
  std::size_t offset = 0;
  std::span<const Attribute> attributes = {};
  bool required = false;
  bool omit_zero = false;  // a number that is 0, or a boolean that is false, is omitted
  Part part = Part::kField;
  const Attribute* default_value = nullptr;
};

// StructLayout has the fields of a struct in the order in which they are written.
class CAPSTAN_EXPORT StructLayout {
 public:
  using Fields = std::span<const FieldLayout>;

  StructLayout() = default;
  explicit StructLayout(std::vector<FieldLayout> fields);
  // `fields` is constant.
  constexpr explicit StructLayout(Fields fields) : fields_(fields) {}
  StructLayout(StructLayout&&) = default;
  StructLayout& operator=(StructLayout&&) = default;

  Fields fields() const { return fields_; }
  // Returns null for an unknown name. The search begins at `next` and sets it behind the field,
  // because members mostly come in the order of the fields.
  const FieldLayout* Find(std::string_view name, std::size_t& next) const;

 private:
  std::vector<FieldLayout> owned_;
  Fields fields_;
};

// What JSON is for.
enum class Purpose : std::uint8_t {
  kObject,  // a whole object: a required field is always written
  kApply    // server-side apply: empty texts, lists, maps and structs are left out, and so is the
            // status, which has its own request
};

// Returns the fields of a struct; null: another form.
CAPSTAN_EXPORT const StructLayout* FieldsOf(const ValueLayout& layout);

// Each function takes the address of a value of the layout's type.

// Reads a value that is not null. Returns false and sets the problem if it has a wrong type.
CAPSTAN_EXPORT bool DecodeValue(const ValueLayout& layout, const runtime::JsonValue& json, void* to,
                                DecodeProblem& problem);
CAPSTAN_EXPORT bool DecodeStruct(const StructLayout& layout, const runtime::JsonValue& json,
                                 void* to, DecodeProblem& problem);
CAPSTAN_EXPORT void EncodeValue(const ValueLayout& layout, runtime::JsonWriter& writer,
                                const void* from, Purpose purpose = Purpose::kObject);
// Writes a field of the struct with its name, unless it is omitted.
CAPSTAN_EXPORT void EncodeField(const FieldLayout& field, runtime::JsonWriter& writer,
                                const void* object, Purpose purpose);
CAPSTAN_EXPORT bool IsEmptyValue(const ValueLayout& layout, const void* value,
                                 Purpose purpose = Purpose::kObject);
CAPSTAN_EXPORT bool AreEqual(const StructLayout& layout, const void* a, const void* b);
// Returns the heap bytes of the values in a struct.
CAPSTAN_EXPORT std::size_t HeapBytesOfStruct(const StructLayout& layout, const void* value);
// Adds the JSON paths of the fields, for a Projection. Lists have no step of their own, and "*" is
// any key of a map. A struct inside of itself and one without fields are read as a whole.
CAPSTAN_EXPORT void AddPaths(const StructLayout& layout, const Path& prefix,
                             std::vector<Path>& paths);

// Reports whether T is a generated type, which has its layout: a function LayoutOf(const T*).
template <class T>
concept HasLayout = requires(const T* object) {
  { LayoutOf(object) } -> std::same_as<const StructLayout&>;
};

}  // namespace detail
}  // namespace capstan
