// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/admission_expressions.h"

#include <initializer_list>
#include <utility>

#include "capstan/text.h"
#include "clientgo/cel/access_check.h"

namespace capstan::testing::apiserver {
namespace {

using cel::ParseType;
using cel::TypeKind;

// TypedField is a field of a variable's type, written as in cel::ParseType.
struct TypedField {
  const char* name;
  const char* type;
};

cel::ObjectFields ParseFields(std::initializer_list<TypedField> fields) {
  cel::ObjectFields parsed;
  for (const TypedField& field : fields) parsed.emplace(field.name, ParseType(field.type));
  return parsed;
}

cel::Type RequestType() {
  const cel::Type kind = cel::ObjectType(
      "kubernetes.GroupVersionKind",
      ParseFields({{"group", "string"}, {"version", "string"}, {"kind", "string"}}));
  const cel::Type resource = cel::ObjectType(
      "kubernetes.GroupVersionResource",
      ParseFields({{"group", "string"}, {"version", "string"}, {"resource", "string"}}));
  const cel::Type user =
      cel::ObjectType("kubernetes.UserInfo", ParseFields({{"username", "string"},
                                                          {"uid", "string"},
                                                          {"groups", "list(string)"},
                                                          {"extra", "map(string, list(string))"}}));
  cel::ObjectFields fields = ParseFields({{"subResource", "string"},
                                          {"requestSubResource", "string"},
                                          {"name", "string"},
                                          {"namespace", "string"},
                                          {"operation", "string"},
                                          {"dryRun", "bool"},
                                          {"options", "dyn"}});
  fields.emplace("kind", kind);
  fields.emplace("requestKind", kind);
  fields.emplace("resource", resource);
  fields.emplace("requestResource", resource);
  fields.emplace("userInfo", user);
  return cel::ObjectType("kubernetes.AdmissionRequest", std::move(fields));
}

cel::Type NamespaceType() {
  const cel::Type condition = cel::ObjectType("kubernetes.NamespaceCondition",
                                              ParseFields({{"status", "string"},
                                                           {"type", "string"},
                                                           {"lastTransitionTime", "timestamp"},
                                                           {"message", "string"},
                                                           {"reason", "string"}}));
  cel::ObjectFields status = ParseFields({{"phase", "string"}});
  status.emplace("conditions", cel::ListType(condition));
  const cel::Type metadata = cel::ObjectType("kubernetes.NamespaceMetadata",
                                             ParseFields({{"name", "string"},
                                                          {"generateName", "string"},
                                                          {"namespace", "string"},
                                                          {"labels", "map(string, string)"},
                                                          {"annotations", "map(string, string)"},
                                                          {"UID", "string"},
                                                          {"creationTimestamp", "timestamp"},
                                                          {"deletionGracePeriodSeconds", "int"},
                                                          {"deletionTimestamp", "timestamp"},
                                                          {"generation", "int"},
                                                          {"resourceVersion", "string"},
                                                          {"finalizers", "list(string)"}}));
  const cel::Type spec =
      cel::ObjectType("kubernetes.NamespaceSpec", ParseFields({{"finalizers", "list(string)"}}));
  return cel::ObjectType(
      "kubernetes.Namespace",
      {{"metadata", metadata},
       {"spec", spec},
       {"status", cel::ObjectType("kubernetes.NamespaceStatus", std::move(status))}});
}

cel::Variables VariablesOf(const ExpressionScope& scope) {
  static const cel::Type request = RequestType();
  static const cel::Type namespace_object = NamespaceType();
  const cel::Type dyn = cel::SimpleType(TypeKind::kDyn);
  cel::Variables variables = {{"object", dyn},
                              {"oldObject", dyn},
                              {"request", request},
                              {"namespaceObject", namespace_object}};
  if (scope.params) variables.emplace("params", dyn);
  if (scope.authorizer) {
    variables.emplace("authorizer", cel::OpaqueType(cel::kAuthorizerType));
    variables.emplace("authorizer.requestResource", cel::OpaqueType(cel::kResourceCheckType));
  }
  if (scope.composed) {
    variables.emplace("variables", cel::ObjectType("kubernetes.variables", *scope.composed));
  }
  return variables;
}

// Returns the type as cel-go's Type.String writes it: "list(dyn)", "google.protobuf.Timestamp".
std::string ExactTypeName(const cel::Type& type) {
  const bool named = type->kind == TypeKind::kObject || type->kind == TypeKind::kOpaque ||
                     type->kind == TypeKind::kParam;
  const std::string name(named ? type->name : cel::RuntimeName(type->kind));
  return type->params.empty() ? name : name + "(" + Join(type->params, ", ", ExactTypeName) + ")";
}

// Returns why an expression has the wrong type; empty: it does not.
std::string WrongType(const cel::Type& type, ExpressionType wanted) {
  switch (wanted) {
    case ExpressionType::kAny:
      break;
    case ExpressionType::kBool:
      if (type->kind == TypeKind::kBool) break;
      return "must evaluate to bool but got " + ExactTypeName(type);
    case ExpressionType::kText:
      if (type->kind == TypeKind::kString) break;
      return "must evaluate to string but got " + ExactTypeName(type);
    case ExpressionType::kTextOrNull:
      if (type->kind == TypeKind::kString || type->kind == TypeKind::kNull) break;
      return "must evaluate to one of [string null_type] but got " + ExactTypeName(type);
  }
  return {};
}

}  // namespace

CompiledExpression CompileExpression(std::string_view text, ExpressionType type,
                                     const ExpressionScope& scope) {
  return CompileExpression(text, type, VariablesOf(scope));
}

CompiledExpression CompileExpression(std::string_view text, ExpressionType type,
                                     const cel::Variables& variables) {
  CompiledExpression compiled{.text = std::string(text)};
  auto program = cel::Program::Compile(text, variables);
  if (!program) {
    compiled.error = program.error();
    return compiled;
  }
  compiled.error = WrongType(program->type(), type);
  if (compiled.error.empty()) compiled.program = *std::move(program);
  return compiled;
}

cel::Type ComposedType(const CompiledExpression& variable) {
  if (!variable.program) return cel::SimpleType(TypeKind::kDyn);
  const cel::Type& type = variable.program->type();
  switch (type->kind) {
    case TypeKind::kObject:
    case TypeKind::kOpaque:
    case TypeKind::kType:
    case TypeKind::kParam:
    case TypeKind::kError:
      return cel::SimpleType(TypeKind::kDyn);
    default:
      return type;
  }
}

}  // namespace capstan::testing::apiserver
