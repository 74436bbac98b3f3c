// SPDX-License-Identifier: Apache-2.0
// Type is a type of CEL as the checker sees it. Types are immutable and shared. Mirrors cel-go's
// common/types/types.go. Differs: there are no wrappers and no messages of protobuf, because
// objects in Kubernetes have neither.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::cel {

enum class TypeKind : std::uint8_t {
  kDyn,
  kError,  // of an expression with an error, so that one mistake is reported once
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kList,
  kMap,
  kObject,
  kOpaque,  // optional_type and the types of Kubernetes' libraries
  kType,
  kParam,  // a type parameter: "A", or one that the checker made
};

struct TypeNode;
using Type = std::shared_ptr<const TypeNode>;

// ObjectFields are the fields of a kObject by their escaped names.
using ObjectFields = std::map<std::string, Type, std::less<>>;

struct TypeNode {
  TypeKind kind = TypeKind::kDyn;
  std::string name = {};  // of an object, an opaque type or a parameter
  std::vector<Type> params = {};
  std::shared_ptr<const ObjectFields> fields = {};
};

Type SimpleType(TypeKind kind);
Type ListType(Type element);
Type MapType(Type key, Type value);
Type OptionalType(Type value);
Type OpaqueType(std::string name, std::vector<Type> params = {});
Type TypeType(Type of);  // the type of a type
Type ParamType(std::string name);
Type ObjectType(std::string name, ObjectFields fields);

inline constexpr std::string_view kOptionalTypeName = "optional_type";

bool IsDyn(const Type& type);
bool IsDynOrError(const Type& type);
bool IsOptional(const Type& type);
bool SameType(const Type& a, const Type& b);

// Returns the type as error texts show it: "map(string, int)".
std::string TypeText(const Type& type);
// Returns the name of a type at run time: "map", "google.protobuf.Timestamp".
std::string_view RuntimeName(TypeKind kind);

// Parses the text of a type: "list(A)", "optional_type(string)", "net.IP". A capital letter is a
// parameter. REQUIRES: the text is one of our own declarations.
Type ParseType(std::string_view text);

}  // namespace capstan::cel
