// SPDX-License-Identifier: Apache-2.0
// SchemaValidator validates values with a schema of OpenAPI. Mirrors
// k8s.io/kube-openapi/pkg/validation/validate, the conversion of its errors in
// k8s.io/apiextensions-apiserver/pkg/apiserver/validation, and the ratcheting there: an update may
// keep an invalid value that it does not change. Causes are in the order of the members, which is
// random in Go. Differs: numbers are never checked against formats, as in 1.34; patternProperties,
// dependencies and lists of schemas as items are ignored, because definitions cannot have them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cel/go_regexp.h"
#include "clientgo/runtime/json.h"
#include "clientgo/testing/apiserver/types/correlation.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

using Patterns = std::map<std::string, cel::GoRegexp>;  // by their text

class SchemaValidator {
 public:
  // kube-apiserver validates defaults with the structural form of a schema. There unknown formats
  // are not removed, and x-kubernetes-int-or-string does not set a type.
  enum class Form { kPublished, kStructural };

  // The fields of causes begin with `field`. The texts of errors name fields without it.
  SchemaValidator(std::string_view field, Form form, Patterns& patterns)
      : field_(field), structural_(form == Form::kStructural), patterns_(patterns) {}

  // `correlation` is the value with what it was before an update; null: it is new.
  std::vector<Cause> Validate(const runtime::JsonValue& schema, const runtime::JsonValue& value,
                              const Correlation* correlation);

 private:
  struct Error {
    std::string text;
    Cause cause;
  };
  // Result is what was found in one value. Of alternatives that all fail, the one with the most
  // matches is reported.
  struct Result {
    std::vector<Error> errors = {};
    int matches = 0;

    bool IsValid() const { return errors.empty(); }
    // Adds an error, unless one has the same text.
    void Add(Error error);
    void Merge(Result other);
  };
  // At is a value at a path.
  struct At {
    const runtime::JsonValue& value;
    const std::string& path;
    const Correlation* correlation;
  };

  Result Check(const runtime::JsonValue& schema, const At& at);
  Result CheckChild(const runtime::JsonValue& schema, const At& child);
  Result CheckType(const runtime::JsonValue& schema, const At& at) const;
  Result CheckJunctors(const runtime::JsonValue& schema, const At& at);
  void CheckAnyOf(const runtime::JsonValue& list, const At& at, Result& result);
  void CheckOneOf(const runtime::JsonValue& list, const At& at, Result& result);
  void CheckAllOf(const runtime::JsonValue& list, const At& at, Result& result);
  Result CheckString(const runtime::JsonValue& schema, const At& at);
  Result CheckNumber(const runtime::JsonValue& schema, const At& at) const;
  Result CheckList(const runtime::JsonValue& schema, const At& at);
  Result CheckEnum(const runtime::JsonValue& schema, const At& at) const;
  Result CheckObject(const runtime::JsonValue& schema, const At& at);
  Result CheckMembers(const runtime::JsonValue& schema, const At& at);

  // Returns the format of a schema; empty: it is not checked.
  std::string_view FormatOf(const runtime::JsonValue& schema) const;

  std::string FieldOf(std::string_view path) const;
  // "Invalid value: <shown>: <path> in body <what>". `shown` is JSON.
  Error InvalidBody(const At& at, const std::string& shown, const std::string& what) const;
  Error WrongType(const At& at, const std::string& type, std::string_view actual) const;
  // An error about alternatives, which names no field.
  Error Unmatched(const At& at, const std::string& what) const;
  Error TooMany(const At& at, std::size_t size, std::int64_t most, const std::string& what) const;

  std::string field_;
  bool structural_;
  Patterns& patterns_;
};

}  // namespace capstan::testing::apiserver
