// SPDX-License-Identifier: Apache-2.0
#include "capstan/flags/value.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <system_error>

#include "capstan/logging.h"
#include "capstan/text.h"
#include "capstan/time.h"

namespace capstan::flags {
namespace {

// Accepts C notation, as pflag: 10, -1, 0x10.
bool IsInt32(const std::string& text) {
  if (text.empty() || text.front() == ' ') return false;
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text.c_str(), &end, 0);
  return errno == 0 && *end == '\0' && value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

// Accepts a decimal number, in any locale.
std::optional<double> ParseDouble(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || parsed != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

constexpr char kArrayEnd = '\x1e';  // ends each string of a kStringArray

bool IsModule(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  const std::string_view level = text.substr(equals + 1);
  return !level.empty() && level.size() <= 4 &&
         level.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns the Levenshtein distance.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i] == b[j] ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

const TypeInfo& InfoOf(Type type) {
  static const std::map<Type, TypeInfo> types = {
      {Type::kBool, {"bool", "", "true or false", "true or false, without quotes"}},
      {Type::kString, {"string", "string", "text", "a string; put it in quotes"}},
      {Type::kPath, {"string", "string", "text", "a string; put it in quotes"}},
      {Type::kInt, {"int32", "int", "a whole number", "a whole number, without quotes"}},
      {Type::kDouble, {"double", "float", "a number", "a number, without quotes"}},
      {Type::kDuration,
       {"string", "duration", "a duration such as 30s or 1m30s, not negative",
        "a duration such as 30s"}},
      {Type::kStrings, {"string", "strings", "text", "a list of strings"}},
      {Type::kStringArray, {"string", "stringArray", "text", "a list of strings"}},
      {Type::kMapStringBool,
       {"string", "mapStringBool", "text", "a map of names to true or false"}},
      {Type::kModules,
       {"string", "pattern=N,...", "pattern=N, separated by commas",
        "a list of {filePattern: PATTERN, verbosity: N}"}},
      {Type::kJson, {"string", "json", "JSON", "a list or a map"}},
  };
  return types.at(type);
}

std::optional<std::string> Canonical(Type type, const std::string& value) {
  if (type == Type::kBool) {
    const std::optional<bool> parsed = ParseBool(value);
    return parsed ? std::optional(*parsed ? "true" : "false") : std::nullopt;
  }
  if (type == Type::kInt && !IsInt32(value)) return std::nullopt;
  if (type == Type::kDouble && !ParseDouble(value)) return std::nullopt;
  if (type == Type::kDuration) {
    const auto duration = ParseDuration(value);
    if (!duration || duration->count() < 0) return std::nullopt;
  }
  if (type == Type::kModules) {
    const std::vector<std::string> modules = SplitList(value);
    if (!std::all_of(modules.begin(), modules.end(), IsModule)) return std::nullopt;
  }
  if (type == Type::kStringArray) {
    if (value.find(kArrayEnd) != std::string::npos) return std::nullopt;
    return value + kArrayEnd;
  }
  return value;
}

namespace {

// The functions for each type of variable. They are overloads, so that a new one cannot be
// forgotten.
Type TypeOf(const bool* /*variable*/) { return Type::kBool; }
Type TypeOf(const std::int32_t* /*variable*/) { return Type::kInt; }
Type TypeOf(const double* /*variable*/) { return Type::kDouble; }
Type TypeOf(const std::string* /*variable*/) { return Type::kString; }
Type TypeOf(const std::chrono::nanoseconds* /*variable*/) { return Type::kDuration; }
Type TypeOf(const std::vector<std::string>* /*variable*/) { return Type::kStrings; }
Type TypeOf(const CustomVariable& field) { return field.type; }
Type TypeOf(std::monostate /*none*/) { return Type::kString; }

std::string TextOf(const bool* variable, Type /*type*/) { return *variable ? "true" : "false"; }
std::string TextOf(const std::int32_t* variable, Type /*type*/) {
  return std::to_string(*variable);
}
std::string TextOf(const double* variable, Type /*type*/) {
  std::array<char, 32> text{};  // the shortest text of a double has at most 24 characters
  const auto written = std::to_chars(text.data(), text.data() + text.size(), *variable);
  return {text.data(), written.ptr};
}
std::string TextOf(const std::string* variable, Type /*type*/) { return *variable; }
std::string TextOf(const std::chrono::nanoseconds* variable, Type /*type*/) {
  return FormatDuration(*variable);
}
std::string TextOf(const std::vector<std::string>* variable, Type type) {
  std::string text;
  for (const std::string& item : *variable) {
    if (type == Type::kStringArray) {
      text += item + kArrayEnd;
    } else {
      text += (text.empty() ? "" : ",") + item;
    }
  }
  return text;
}
std::string TextOf(const CustomVariable& field, Type /*type*/) { return field.text; }
std::string TextOf(std::monostate /*none*/, Type /*type*/) { return {}; }

void SetTo(bool* variable, Type /*type*/, const std::string& text) { *variable = text == "true"; }
void SetTo(std::int32_t* variable, Type /*type*/, const std::string& text) {
  *variable = static_cast<std::int32_t>(std::strtol(text.c_str(), nullptr, 0));
}
void SetTo(double* variable, Type /*type*/, const std::string& text) {
  *variable = ParseDouble(text).value_or(*variable);
}
void SetTo(std::string* variable, Type /*type*/, const std::string& text) { *variable = text; }
void SetTo(std::chrono::nanoseconds* variable, Type /*type*/, const std::string& text) {
  *variable = ParseDuration(text).value_or(*variable);
}
void SetTo(std::vector<std::string>* variable, Type type, const std::string& text) {
  *variable = type == Type::kStringArray ? SplitArray(text) : SplitList(text);
}
void SetTo(const CustomVariable& /*field*/, Type /*type*/, const std::string& /*text*/) {}
void SetTo(std::monostate /*none*/, Type /*type*/, const std::string& /*text*/) {}

}  // namespace

Type VariableType(const Variable& variable, Type type) {
  const Type usual = std::visit([](const auto& each) { return TypeOf(each); }, variable);
  const bool fits = (std::holds_alternative<CustomVariable>(variable) && type != Type::kString) ||
                    (usual == Type::kString && InfoOf(type).variable == "string") ||
                    (usual == Type::kStrings && type == Type::kStringArray);
  return fits ? type : usual;
}

std::string VariableText(const Variable& variable, Type type) {
  return std::visit([&](const auto& each) { return TextOf(each, type); }, variable);
}

void SetVariable(const Variable& variable, Type type, const std::string& canonical) {
  std::visit([&](const auto& each) { SetTo(each, type, canonical); }, variable);
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> items;
  for (const std::string_view part : Split(text, ',')) {
    const std::string_view item = Trim(part, " ");
    if (!item.empty()) items.emplace_back(item);
  }
  return items;
}

std::vector<std::string> SplitArray(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const std::size_t end = text.find(kArrayEnd);
    items.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end, text.size() - 1) + 1);
  }
  return items;
}

tl::unexpected<Error> InvalidArgument(std::string_view value, std::string_view flag,
                                      std::string_view why) {
  return Err(ErrorReason::kInvalidArgument, "invalid argument " + Quoted(value) + " for --" +
                                                std::string(flag) + ": " + std::string(why));
}

std::optional<std::string> Nearest(std::string_view name, const std::vector<std::string>& known) {
  std::optional<std::string> nearest;
  std::size_t best = name.size() / 3 + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = EditDistance(name, candidate);
    if (distance >= best) continue;
    best = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace capstan::flags
