// SPDX-License-Identifier: Apache-2.0
#include "cmd/flags/config_value.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "clientgo/util/time_format.h"

namespace cmd::flags {
namespace {

bool IsPlain(const YAML::Node& node) { return node.IsScalar() && node.Tag() == "?"; }

std::optional<bool> AsBool(const YAML::Node& node) {
  bool value = false;
  if (!IsPlain(node) || !YAML::convert<bool>::decode(node, value)) return std::nullopt;
  return value;
}

bool IsNumber(const YAML::Node& node) {
  if (!IsPlain(node) || node.Scalar().empty()) return false;
  char* end = nullptr;
  std::strtod(node.Scalar().c_str(), &end);
  return *end == '\0';
}

std::optional<std::string> AsString(const YAML::Node& node) {
  if (!node.IsScalar() || IsNumber(node) || AsBool(node)) return std::nullopt;
  return node.Scalar();
}

std::optional<std::string> PathOf(const YAML::Node& value, const std::string& file) {
  auto path = AsString(value);
  if (path && !path->empty() && path->front() != '/') {
    path = (std::filesystem::absolute(file).parent_path() / *path).lexically_normal();
  }
  return path;
}

// metav1.Duration's older form is a number of nanoseconds.
std::optional<std::string> DurationOf(const YAML::Node& value) {
  if (!IsNumber(value)) return AsString(value);
  const std::string& text = value.Scalar();
  if (text.find_first_not_of("0123456789") != std::string::npos || text.size() > 18) {
    return std::nullopt;
  }
  return clientgo::util::FormatDuration(std::chrono::nanoseconds(std::stoll(text)));
}

template <class Read>
std::optional<std::string> ListOf(const YAML::Node& list, Read read) {
  if (!list.IsSequence()) return std::nullopt;
  std::string out;
  for (const YAML::Node& item : list) {
    const std::optional<std::string> text = read(item);
    if (!text) return std::nullopt;
    out += (out.empty() ? "" : ",") + *text;
  }
  return out;
}

std::optional<std::string> ModuleOf(const YAML::Node& item) {
  if (!item.IsMap() || item.size() != 2) return std::nullopt;
  const YAML::Node pattern = item["filePattern"];
  const YAML::Node verbosity = item["verbosity"];
  if (!pattern || !pattern.IsScalar() || !verbosity || !IsNumber(verbosity)) return std::nullopt;
  return pattern.Scalar() + "=" + verbosity.Scalar();
}

std::optional<std::string> MapOf(const YAML::Node& map) {
  if (!map.IsMap()) return std::nullopt;
  std::string out;
  for (const auto& entry : map) {
    const auto value = AsBool(entry.second);
    if (!entry.first.IsScalar() || !value) return std::nullopt;
    out += (out.empty() ? "" : ",") + entry.first.Scalar() + (*value ? "=true" : "=false");
  }
  return out;
}

}  // namespace

std::optional<std::string> TextOf(Type type, const YAML::Node& value, const std::string& file) {
  switch (type) {
    case Type::kBool: {
      const auto flag = AsBool(value);
      return flag ? std::optional<std::string>(*flag ? "true" : "false") : std::nullopt;
    }
    case Type::kInt:
      return IsNumber(value) ? std::optional(value.Scalar()) : std::nullopt;
    case Type::kStrings:
      return ListOf(value, AsString);
    case Type::kStringArray:  // no configuration file has one
      return std::nullopt;
    case Type::kModules:
      return ListOf(value, ModuleOf);
    case Type::kMapStringBool:
      return MapOf(value);
    case Type::kDuration:
      return DurationOf(value);
    case Type::kPath:
      return PathOf(value, file);
    case Type::kString:
      break;
  }
  return AsString(value);
}

std::string ShapeOf(Type type) {
  switch (type) {
    case Type::kBool:
      return "true or false, without quotes";
    case Type::kInt:
      return "a whole number, without quotes";
    case Type::kStrings:
    case Type::kStringArray:
      return "a list of texts";
    case Type::kMapStringBool:
      return "a map of names to true or false";
    case Type::kModules:
      return "a list of {filePattern: PATTERN, verbosity: N}";
    case Type::kDuration:
      return "a duration such as 30s";
    case Type::kString:
    case Type::kPath:
      break;
  }
  return "text; put it in quotes";
}

}  // namespace cmd::flags
