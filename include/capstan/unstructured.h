// SPDX-License-Identifier: Apache-2.0
// Unstructured is an object of a kind that is known at run time only. It has the metadata as
// values, and the rest as compact JSON text.
//
// Get parses the text, so a reader of many values uses Parse() once. A path is a list of member
// names; in an array, a decimal number is an index. A plain value: copies are independent, and
// threads may read one object.
// Mirrors unstructured.Unstructured. Differs: text instead of a tree of values, which needs more
// memory; managedFields are dropped.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/detail/layout.h"
#include "capstan/detail/layout_of.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/object_meta.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/runtime/parsed_json.h"
#include "capstan/runtime/resource_type.h"
#include "capstan/typed_object.h"

namespace capstan {

class CAPSTAN_EXPORT Unstructured {
 public:
  using Path = std::vector<std::string>;

  ObjectMeta metadata = {};

  Unstructured() = default;
  Unstructured(std::string api_version, std::string kind);
  // Fails with kDecode if `json` is not an object with a kind, or its metadata has a wrong type.
  static Expected<Unstructured> FromJson(std::string_view json);

  const std::string& api_version() const { return api_version_; }
  const std::string& kind() const { return kind_; }

  // Returns the value at `path`, or nullopt if it is missing or does not have the type T, which is
  // any type that a field of a declared kind may have. Get<RawJson> returns any value as text.
  //   object.Get<int>({"spec", "replicas"})
  template <class T>
  std::optional<T> Get(const Path& path) const {
    std::optional<T> found;
    Visit(path, [&](const runtime::JsonValue& value) {
      DecodeProblem problem;
      T decoded{};
      if (detail::DecodeValue(detail::kLayout<T>, value, &decoded, problem)) {
        found = std::move(decoded);
      }
    });
    return found;
  }

  // Sets the value at `path` and makes the objects on the way. Fails with kInvalidArgument if a
  // value on the way is not an object, an index is not in its array, or the new metadata has a
  // wrong type. An index equal to the size of the array appends. apiVersion and kind cannot be set.
  template <class T>
  Expected<void> Set(const Path& path, const T& value) {
    runtime::JsonWriter writer;
    detail::EncodeValue(detail::kLayout<T>, writer, &value);
    return SetJson(path, writer.text());
  }
  Expected<void> Set(const Path& path, const char* text) { return Set(path, std::string(text)); }
  // Removes the value at `path`. Does nothing if it is missing.
  void Remove(const Path& path);

  // Returns the members beside apiVersion, kind and metadata.
  runtime::ParsedJson Parse() const;
  // Returns the whole object.
  std::string ToJson() const;

  // Returns a type whose objects are TypedObject<Unstructured>. It must outlive its users.
  static runtime::ResourceType TypeFor(runtime::GroupVersionResource gvr, std::string kind,
                                       bool namespaced);

  std::size_t HeapBytes() const;
  friend bool operator==(const Unstructured&, const Unstructured&) = default;

 private:
  static Expected<Unstructured> FromValue(const runtime::JsonValue& value);
  using Visitor = std::function<void(const runtime::JsonValue&)>;
  // Calls `visit` with the value at `path`, unless it is missing or null.
  void Visit(const Path& path, const Visitor& visit) const;
  Expected<void> SetJson(const Path& path, std::string_view json);
  // Returns the metadata, or the other members, with another value at `path`, or without it.
  Expected<std::string> Edited(const Path& path, std::optional<std::string_view> replacement) const;
  Expected<void> Store(const Path& path, std::string json);

  std::string api_version_;
  std::string kind_;
  std::string json_ = "{}";  // an object
};

inline std::string ToJson(const Unstructured& object) { return object.ToJson(); }
inline std::string ToJson(const TypedObject<Unstructured>& object) { return object.ToJson(); }
// Returns the identity and the status.
CAPSTAN_EXPORT std::string StatusToJson(const Unstructured& object);

}  // namespace capstan
