// SPDX-License-Identifier: Apache-2.0
// What the controller keeps of Secrets and namespaces. The values of Secrets are never in a cache.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "capstan/kind.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"

// The group of a source, and of a namespace that wants the sources of this group.
inline constexpr char kGroupLabel[] = "example.com/mirror-group";
// A copy has this label, and the annotation with the "namespace/name" of its source.
inline constexpr char kCopyLabel[] = "example.com/mirror-copy";
inline constexpr char kSourceAnnotation[] = "example.com/mirror-of";

// DataDigest is all that a cache keeps of the data of a Secret: 8 bytes, by which two are compared.
struct DataDigest {
  std::size_t value = 0;
  friend bool operator==(const DataDigest&, const DataDigest&) = default;
};
template <>
struct capstan::Codec<DataDigest> {
  static constexpr ValueType kType = ValueType::kOther;
  // The sum is the same in any order of the keys.
  static bool Decode(const runtime::JsonValue& json, DataDigest& to, DecodeProblem& problem) {
    if (!runtime::IsJsonObject(json)) return problem.Set("not an object");
    to.value = 0;
    for (const auto& [key, value] : runtime::JsonMembers(json)) {
      const auto text = runtime::AsString(value);
      if (!text) return problem.Set("not a string");
      to.value += std::hash<std::string>()(std::string(key).append(1, '\0').append(*text));
    }
    return true;
  }
  static void Encode(runtime::JsonWriter& writer, const DataDigest&) { writer.Null(); }
  static bool IsEmpty(const DataDigest&) { return true; }
  static std::size_t HeapBytes(const DataDigest&) { return 0; }
  static void WriteSchema(runtime::JsonWriter&) {}
};

// A Secret with the label kGroupLabel.
struct SourceSecret {
  struct Labels {
    std::string group;
  };
  struct Metadata {
    Labels labels;
    std::optional<capstan::Time> deletion_timestamp;
  } metadata;
  std::string type;
  DataDigest data;
};
template <>
inline constexpr auto capstan::kKind<SourceSecret> =
    Kind("", "v1", "Secret", "secrets")
        .Namespaced()
        .Partial()
        .Metadata(Field("labels", &SourceSecret::Metadata::labels,
                        Field(kGroupLabel, &SourceSecret::Labels::group)),
                  Field("deletionTimestamp", &SourceSecret::Metadata::deletion_timestamp))
        .Fields(Field("type", &SourceSecret::type), Field("data", &SourceSecret::data));

// A Secret with the label kCopyLabel.
struct SecretCopy {
  struct Annotations {
    std::string source;
  };
  struct Metadata {
    Annotations annotations;
  } metadata;
  std::string type;
  DataDigest data;
};
template <>
inline constexpr auto capstan::kKind<SecretCopy> =
    Kind("", "v1", "Secret", "secrets")
        .Namespaced()
        .Partial()
        .Metadata(Field("annotations", &SecretCopy::Metadata::annotations,
                        Field(kSourceAnnotation, &SecretCopy::Annotations::source)))
        .Fields(Field("type", &SecretCopy::type), Field("data", &SecretCopy::data));

// A namespace with the label kGroupLabel.
struct Namespace {
  struct Labels {
    std::string group;
  };
  struct Metadata {
    Labels labels;
    std::optional<capstan::Time> deletion_timestamp;
  } metadata;
};
template <>
inline constexpr auto capstan::kKind<Namespace> =
    Kind("", "v1", "Namespace", "namespaces")
        .ClusterScoped()
        .MetadataOnly()
        .Metadata(Field("labels", &Namespace::Metadata::labels,
                        Field(kGroupLabel, &Namespace::Labels::group)),
                  Field("deletionTimestamp", &Namespace::Metadata::deletion_timestamp));

// A whole Secret. It is read when a copy has to be written, and it is in no cache.
struct Secret {
  capstan::ObjectMeta metadata;
  std::string type;
  std::map<std::string, std::string> data;  // in base64
  std::optional<bool> immutable;
};
template <>
inline constexpr auto capstan::kKind<Secret> = Kind("", "v1", "Secret", "secrets")
                                                   .Namespaced()
                                                   .Whole()
                                                   .Fields(Field("type", &Secret::type),
                                                           Field("data", &Secret::data),
                                                           Field("immutable", &Secret::immutable));
