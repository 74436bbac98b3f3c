// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/schema_validator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"
#include "clientgo/cel/number_text.h"
#include "clientgo/cel/utf8.h"
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/schema.h"
#include "clientgo/testing/apiserver/types/string_formats.h"

namespace capstan::testing::apiserver {
namespace {

std::string_view GoSchemaType(const runtime::JsonValue& value) {
  if (value.IsObject()) return "object";
  if (value.IsArray()) return "array";
  if (value.IsString()) return "string";
  if (value.IsBool()) return "boolean";
  return IsFloat(value) ? "number" : "integer";
}

// Returns the number without its fraction, as Go converts it on amd64.
std::int64_t Truncate(double number) {
  constexpr double kLimit = 0x1p63;
  if (!(number >= -kLimit && number < kLimit)) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(number);
}

// Mirrors IsFloat64AJSONInteger of github.com/go-openapi/swag.
bool IsWhole(double number) {
  constexpr double kSafeMax = 9007199254740991;
  constexpr double kEpsilon = 1e-9;
  if (!std::isfinite(number) || std::abs(number) > kSafeMax) return false;
  if (number == std::trunc(number)) return true;
  const double whole = number < 0 ? 0x1p64 + std::trunc(number) : std::trunc(number);
  if (whole == 0) return false;
  return std::abs(number - whole) / (std::abs(number) + std::abs(whole)) < kEpsilon;
}

std::int64_t CharacterCount(std::string_view text) {
  return static_cast<std::int64_t>(cel::ToCharacters(text).size());
}

// Returns a limit of a schema that is a whole number.
std::optional<std::int64_t> Limit(const runtime::JsonValue& schema, std::string_view key) {
  const runtime::JsonValue* const limit = runtime::Find(schema, key);
  if (limit == nullptr || !limit->IsNumber()) return std::nullopt;
  return limit->IsInt64() ? limit->GetInt64() : Truncate(limit->GetDouble());
}

// Mirrors the conversion with which an enum compares: a number may be a character's.
bool EqualsAllowed(const runtime::JsonValue& value, const runtime::JsonValue& allowed) {
  if (allowed.IsNull() || value.IsNull()) return false;
  if (allowed.IsString() && value.IsInt64()) {
    const std::int64_t code = value.GetInt64();
    constexpr std::int64_t kNoCharacter = 0xffff'ffff;
    std::string character;
    cel::AppendUtf8(
        static_cast<std::uint32_t>(code < 0 || code > kNoCharacter ? kNoCharacter : code),
        character);
    return character == runtime::ToView(allowed);
  }
  if (allowed.IsNumber() && value.IsNumber()) {
    if (!IsFloat(allowed)) {
      const std::int64_t whole = IsFloat(value) ? Truncate(value.GetDouble()) : value.GetInt64();
      return whole == allowed.GetInt64();
    }
    return value.GetDouble() == allowed.GetDouble();
  }
  return DeepEqual(value, allowed);
}

}  // namespace

void SchemaValidator::Result::Add(Error error) {
  const bool known = std::any_of(errors.begin(), errors.end(),
                                 [&](const Error& other) { return other.text == error.text; });
  if (!known) errors.push_back(std::move(error));
}

void SchemaValidator::Result::Merge(Result other) {
  for (Error& error : other.errors) Add(std::move(error));
  matches += other.matches;
}

std::string SchemaValidator::FieldOf(std::string_view path) const {
  if (path.starts_with('.')) path.remove_prefix(1);
  if (path.empty()) return field_.empty() ? "<nil>" : field_;
  return field_.empty() ? std::string(path) : field_ + "." + std::string(path);
}

SchemaValidator::Error SchemaValidator::InvalidBody(const At& at, const std::string& shown,
                                                    const std::string& what) const {
  std::string text = at.path + " in body " + what;
  Cause cause{.reason = "FieldValueInvalid",
              .message = "Invalid value: " + shown + ": " + text,
              .field = FieldOf(at.path)};
  return {.text = std::move(text), .cause = std::move(cause)};
}

SchemaValidator::Error SchemaValidator::WrongType(const At& at, const std::string& type,
                                                  std::string_view actual) const {
  const std::string shown = Quoted(actual);
  Error error = InvalidBody(at, shown, "must be of type " + type + ": " + shown);
  error.cause.reason = "FieldValueTypeInvalid";
  return error;
}

SchemaValidator::Error SchemaValidator::Unmatched(const At& at, const std::string& what) const {
  std::string text = Quoted(at.path) + " " + what;
  Cause cause{.reason = "FieldValueInvalid",
              .message = "Invalid value: \"\": " + text,
              .field = FieldOf("")};
  return {.text = std::move(text), .cause = std::move(cause)};
}

SchemaValidator::Error SchemaValidator::TooMany(const At& at, std::size_t size, std::int64_t most,
                                                const std::string& what) const {
  const std::string count = std::to_string(most);
  return {.text = at.path + " in body should have at most " + count + " " + what,
          .cause = {.reason = "FieldValueTooMany",
                    .message = "Too many: " + std::to_string(size) + ": must have at most " +
                               count + (most == 1 ? " item" : " items"),
                    .field = FieldOf(at.path)}};
}

std::string_view SchemaValidator::FormatOf(const runtime::JsonValue& schema) const {
  const std::string_view format = runtime::GetString(schema, "format");
  return structural_ || IsKnownFormat(format) ? format : std::string_view();
}

std::vector<Cause> SchemaValidator::Validate(const runtime::JsonValue& schema,
                                             const runtime::JsonValue& value,
                                             const Correlation* correlation) {
  const std::string path;
  Result result = CheckChild(schema, {.value = value, .path = path, .correlation = correlation});
  std::vector<Cause> causes;
  for (Error& error : result.errors) causes.push_back(std::move(error.cause));
  return causes;
}

// Errors of a value that an update does not change are dropped. Go makes warnings of them, which
// nobody reads.
SchemaValidator::Result SchemaValidator::CheckChild(const runtime::JsonValue& schema,
                                                    const At& child) {
  const bool correlated = child.correlation != nullptr && child.correlation->IsCorrelated();
  Result result = Check(schema, {.value = child.value,
                                 .path = child.path,
                                 .correlation = correlated ? child.correlation : nullptr});
  if (correlated && !result.IsValid() && child.correlation->IsUnchanged()) result.errors.clear();
  return result;
}

// The order of the checks is that of NewSchemaValidator. Each that applies is a match.
SchemaValidator::Result SchemaValidator::Check(const runtime::JsonValue& schema, const At& at) {
  const runtime::JsonValue& value = at.value;
  Result result;
  const auto merge = [&](Result part) {
    result.Merge(std::move(part));
    ++result.matches;
  };
  if (value.IsNull()) {
    result.Merge(CheckType(schema, at));
    result.Merge(CheckEnum(schema, at));
    return result;
  }
  const bool int_or_string = !structural_ && IsSet(schema, "x-kubernetes-int-or-string");
  const bool typed = int_or_string || !runtime::GetString(schema, "type").empty();
  if (typed || !FormatOf(schema).empty()) merge(CheckType(schema, at));
  merge(CheckJunctors(schema, at));
  if (value.IsString()) {
    merge(CheckString(schema, at));
    const std::string_view format = FormatOf(schema);
    if (IsKnownFormat(format)) {
      const std::string_view text = runtime::ToView(value);
      Result wrong;
      if (!HasFormat(format, text)) wrong.Add(WrongType(at, std::string(format), text));
      merge(std::move(wrong));
    }
  }
  if (value.IsNumber()) merge(CheckNumber(schema, at));
  if (value.IsArray()) merge(CheckList(schema, at));
  merge(CheckEnum(schema, at));
  if (value.IsObject()) merge(CheckObject(schema, at));
  ++result.matches;
  return result;
}

SchemaValidator::Result SchemaValidator::CheckType(const runtime::JsonValue& schema,
                                                   const At& at) const {
  const bool int_or_string = !structural_ && IsSet(schema, "x-kubernetes-int-or-string");
  const std::string type =
      int_or_string ? "integer,string" : std::string(runtime::GetString(schema, "type"));
  const auto allows = [&](std::string_view name) {
    return type == name || (int_or_string && (name == "integer" || name == "string"));
  };
  const auto wrong = [&](const std::string& expected, std::string_view actual) {
    Result result;
    result.Add(WrongType(at, expected, actual));
    return result;
  };
  const auto right = [] { return Result{.matches = 1}; };
  const runtime::JsonValue& value = at.value;
  if (value.IsNull()) {
    return type.empty() || IsSet(schema, "nullable") || allows("null") ? right()
                                                                       : wrong(type, "null");
  }
  const std::string_view actual = GoSchemaType(value);
  const bool fits = allows(actual) ||
                    (IsFloat(value) && allows("integer") && IsWhole(value.GetDouble())) ||
                    (actual == "integer" && allows("number"));
  const std::string format(FormatOf(schema));
  const bool text_or_list = value.IsString() || value.IsArray();
  if (!format.empty() && !text_or_list && !fits) {
    const std::string_view actual_format =
        IsFloat(value) ? "float64" : (value.IsNumber() ? "int64" : "");
    if (actual_format != format) return wrong(format, actual_format);
  }
  if (!format.empty() && text_or_list && !allows("number") && !allows("integer")) return right();
  return fits ? right() : wrong(type, actual);
}

SchemaValidator::Result SchemaValidator::CheckJunctors(const runtime::JsonValue& schema,
                                                       const At& at) {
  Result result;
  // The parts of alternatives are not ratcheted.
  const At plain{.value = at.value, .path = at.path, .correlation = nullptr};
  const auto list = [&](const char* key) -> const runtime::JsonValue& {
    return ListAt(schema, key);
  };
  if (!list("anyOf").Empty()) CheckAnyOf(list("anyOf"), plain, result);
  if (!list("oneOf").Empty()) CheckOneOf(list("oneOf"), plain, result);
  if (!list("allOf").Empty()) CheckAllOf(list("allOf"), plain, result);
  const runtime::JsonValue* const excluded = runtime::Find(schema, "not");
  if (excluded != nullptr && excluded->IsObject() && Check(*excluded, plain).IsValid()) {
    result.Add(Unmatched(at, "must not validate the schema (not)"));
  }
  ++result.matches;
  return result;
}

void SchemaValidator::CheckAnyOf(const runtime::JsonValue& list, const At& at, Result& result) {
  std::optional<Result> best;
  for (const runtime::JsonValue& schema : list.GetArray()) {
    Result part = Check(schema, at);
    if (part.IsValid()) return result.Merge(std::move(part));
    if (!best || part.matches > best->matches) best = std::move(part);
  }
  result.Add(Unmatched(at, "must validate at least one schema (anyOf)"));
  if (best) result.Merge(*std::move(best));
}

void SchemaValidator::CheckOneOf(const runtime::JsonValue& list, const At& at, Result& result) {
  std::optional<Result> best;
  std::optional<Result> first;
  int valid = 0;
  for (const runtime::JsonValue& schema : list.GetArray()) {
    Result part = Check(schema, at);
    if (part.IsValid()) {
      ++valid;
      best.reset();
      if (!first) first = std::move(part);
    } else if (valid == 0 && (!best || part.matches > best->matches)) {
      best = std::move(part);
    }
  }
  if (valid == 1) return result.Merge(*std::move(first));
  const std::string found =
      valid == 0 ? "Found none valid" : "Found " + std::to_string(valid) + " valid alternatives";
  result.Add(Unmatched(at, "must validate one and only one schema (oneOf). " + found));
  if (best) result.Merge(*std::move(best));
}

void SchemaValidator::CheckAllOf(const runtime::JsonValue& list, const At& at, Result& result) {
  rapidjson::SizeType valid = 0;
  for (const runtime::JsonValue& schema : list.GetArray()) {
    Result part = Check(schema, at);
    if (part.IsValid()) ++valid;
    result.Merge(std::move(part));
  }
  if (valid == list.Size()) return;
  result.Add(Unmatched(at, std::string("must validate all the schemas (allOf)") +
                               (valid == 0 ? ". None validated" : "")));
}

// Only the first mistake is reported.
SchemaValidator::Result SchemaValidator::CheckString(const runtime::JsonValue& schema,
                                                     const At& at) {
  Result result;
  const std::string text(runtime::ToView(at.value));
  const auto most = Limit(schema, "maxLength");
  const auto least = Limit(schema, "minLength");
  const std::string pattern(runtime::GetString(schema, "pattern"));
  if (most && CharacterCount(text) > *most) {
    const std::string count = std::to_string(*most);
    result.Add({.text = at.path + " in body should be at most " + count + " chars long",
                .cause = {.reason = "FieldValueTooLong",
                          .message = "Too long: may not be more than " + count +
                                     (*most == 1 ? " byte" : " bytes"),
                          .field = FieldOf(at.path)}});
  } else if (least && CharacterCount(text) < *least) {
    result.Add(InvalidBody(at, Quoted(text),
                           "should be at least " + std::to_string(*least) + " chars long"));
  } else if (!pattern.empty() &&
             !patterns_.try_emplace(pattern, pattern).first->second.Matches(text)) {
    result.Add(InvalidBody(at, Quoted(text), "should match '" + pattern + "'"));
  }
  return result;
}

// A limit loses its fraction when the value has none.
SchemaValidator::Result SchemaValidator::CheckNumber(const runtime::JsonValue& schema,
                                                     const At& at) const {
  Result result{.matches = 1};
  const bool whole = !IsFloat(at.value);
  const auto limit = [&](const char* key) -> std::optional<double> {
    const runtime::JsonValue* const found = runtime::Find(schema, key);
    if (found == nullptr || !found->IsNumber()) return std::nullopt;
    return found->GetDouble();
  };
  const auto text = [&](double number) {
    return whole ? std::to_string(Truncate(number)) : cel::GoFloatText(number);
  };
  const std::string shown = ShownValue(at.value);
  if (const auto unit = limit("multipleOf")) {
    const std::int64_t whole_unit = Truncate(*unit);
    if (whole ? whole_unit <= 0 : *unit <= 0) {
      Error error = InvalidBody(at, text(*unit), "");
      error.text =
          "factor MultipleOf declared for " + at.path + " must be positive: " + text(*unit);
      error.cause.message = "Invalid value: " + text(*unit) + ": " + error.text;
      result.Add(std::move(error));
    } else {
      const double number = at.value.GetDouble();
      const bool multiple = whole ? at.value.GetInt64() % whole_unit == 0
                                  : IsWhole(*unit < 1 ? 1 / *unit * number : number / *unit);
      if (!multiple) result.Add(InvalidBody(at, shown, "should be a multiple of " + text(*unit)));
    }
  }
  const auto compare = [&](double edge) {
    if (whole) {
      const std::int64_t number = at.value.GetInt64();
      return number < Truncate(edge) ? -1 : (number > Truncate(edge) ? 1 : 0);
    }
    const double number = at.value.GetDouble();
    return number < edge ? -1 : (number > edge ? 1 : 0);
  };
  const auto check = [&](const char* key, const char* exclusive, int outside) {
    const auto edge = limit(key);
    if (!edge) return;
    const bool open = IsSet(schema, exclusive);
    const int order = compare(*edge);
    if (order != outside && !(open && order == 0)) return;
    result.Add(InvalidBody(at, shown,
                           std::string("should be ") + (outside < 0 ? "greater" : "less") +
                               " than " + (open ? "" : "or equal to ") + text(*edge)));
  };
  check("minimum", "exclusiveMinimum", -1);
  check("maximum", "exclusiveMaximum", 1);
  return result;
}

SchemaValidator::Result SchemaValidator::CheckList(const runtime::JsonValue& schema, const At& at) {
  Result result{.matches = 1};
  const runtime::JsonValue& list = at.value;
  const runtime::JsonValue* const items = runtime::Find(schema, "items");
  for (rapidjson::SizeType i = 0; items != nullptr && items->IsObject() && i < list.Size(); ++i) {
    const std::string path = at.path + "[" + std::to_string(i) + "]";
    std::optional<Correlation> correlation;
    if (at.correlation != nullptr) correlation = at.correlation->Item(i);
    result.Merge(CheckChild(
        *items,
        {.value = list[i], .path = path, .correlation = correlation ? &*correlation : nullptr}));
  }
  const auto size = static_cast<std::int64_t>(list.Size());
  const auto least = Limit(schema, "minItems");
  const auto most = Limit(schema, "maxItems");
  if (least && size < *least) {
    result.Add(InvalidBody(at, std::to_string(size),
                           "should have at least " + std::to_string(*least) + " items"));
  }
  if (most && size > *most) result.Add(TooMany(at, list.Size(), *most, "items"));
  if (!IsSet(schema, "uniqueItems")) return result;
  for (const runtime::JsonValue* item = list.Begin(); item != list.End(); ++item) {
    const bool repeated = std::any_of(list.Begin(), item, [&](const runtime::JsonValue& before) {
      return DeepEqual(before, *item);
    });
    if (repeated) result.Add(InvalidBody(at, "\"\"", "shouldn't contain duplicates"));
  }
  return result;
}

SchemaValidator::Result SchemaValidator::CheckEnum(const runtime::JsonValue& schema,
                                                   const At& at) const {
  Result result;
  const runtime::JsonValue& allowed = ListAt(schema, "enum");
  const bool found =
      std::any_of(allowed.Begin(), allowed.End(),
                  [&](const runtime::JsonValue& one) { return EqualsAllowed(at.value, one); });
  if (allowed.Empty() || found) return result;
  const std::string values = Join(allowed.GetArray(), ", ", [](const runtime::JsonValue& one) {
    return Quoted(one.IsString() ? std::string(runtime::ToView(one)) : MarshalJson(one));
  });
  // An empty text stands for null.
  const std::string shown = at.value.IsNull() ? "null" : ShownValue(at.value);
  result.Add({.text = at.path + " in body should be one of " + values,
              .cause = NotSupported(FieldOf(at.path), shown, values)});
  return result;
}

SchemaValidator::Result SchemaValidator::CheckObject(const runtime::JsonValue& schema,
                                                     const At& at) {
  Result result;
  const auto size = static_cast<std::int64_t>(at.value.MemberCount());
  const auto least = Limit(schema, "minProperties");
  const auto most = Limit(schema, "maxProperties");
  if (least && size < *least) {
    result.Add(InvalidBody(at, std::to_string(size),
                           "should have at least " + std::to_string(*least) + " properties"));
  }
  if (most && size > *most) result.Add(TooMany(at, at.value.MemberCount(), *most, "properties"));
  result.Merge(CheckMembers(schema, at));
  for (const runtime::JsonValue& name : ListAt(schema, "required").GetArray()) {
    if (!name.IsString() || runtime::Find(at.value, runtime::ToView(name)) != nullptr) continue;
    const std::string path = at.path + "." + std::string(runtime::ToView(name));
    result.Add({.text = path + " in body is required", .cause = Required(FieldOf(path), "")});
  }
  return result;
}

// Members without a schema come first.
SchemaValidator::Result SchemaValidator::CheckMembers(const runtime::JsonValue& schema,
                                                      const At& at) {
  Result result;
  const runtime::JsonValue& properties = ObjectAt(schema, "properties");
  const runtime::JsonValue* const additional = runtime::Find(schema, "additionalProperties");
  const bool closed = additional != nullptr && additional->IsFalse();
  const bool declared = additional != nullptr && additional->IsObject();
  const auto check = [&](const runtime::JsonValue& part, const auto& member,
                         const std::string& path) {
    std::optional<Correlation> correlation;
    if (at.correlation != nullptr) {
      correlation = at.correlation->Member(runtime::ToView(member.name));
    }
    result.Merge(CheckChild(part, {.value = member.value,
                                   .path = path,
                                   .correlation = correlation ? &*correlation : nullptr}));
  };
  for (const auto& member : at.value.GetObject()) {
    const std::string name(runtime::ToView(member.name));
    if (runtime::Find(properties, name) != nullptr) continue;
    if (declared) check(*additional, member, at.path + "." + name);
    if (!closed) continue;
    Error error = InvalidBody(at, Quoted(name), "");
    error.text = at.path + "." + name + " in body is a forbidden property";
    error.cause.message = "Invalid value: " + Quoted(name) + ": " + error.text;
    result.Add(std::move(error));
  }
  for (const auto& member : at.value.GetObject()) {
    const std::string name(runtime::ToView(member.name));
    const runtime::JsonValue* const property = runtime::Find(properties, name);
    if (property != nullptr) check(*property, member, MemberPath(at.path, name));
  }
  return result;
}

}  // namespace capstan::testing::apiserver
