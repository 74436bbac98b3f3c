// SPDX-License-Identifier: Apache-2.0
#include "capstan/flags/config_file.h"

#include <glog/logging.h>

#include <yaml-cpp/yaml.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "capstan/clientgo/util/file.h"
#include "capstan/clientgo/util/logging.h"
#include "capstan/clientgo/util/time_format.h"
#include "capstan/flags/value.h"

namespace capstan::flags {
namespace {

using clientgo::util::Err;
using clientgo::util::Error;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::Quoted;

constexpr int kJsonLevels = 16;

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

// The older form of metav1.Duration is a number of nanoseconds.
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

std::string JsonString(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20) {
      std::array<char, 8> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(byte));
      json += escaped.data();
    } else {
      json += c;
    }
  }
  return json + "\"";
}

// Returns the JSON of a scalar. A scalar without quotes becomes a boolean or a whole number if it
// reads as one. Every other scalar becomes a string.
std::string JsonScalar(const YAML::Node& value) {
  if (const auto flag = AsBool(value)) return *flag ? "true" : "false";
  const std::string& text = value.Scalar();
  const bool whole = IsNumber(value) && text.find_first_not_of("0123456789") == std::string::npos;
  return whole && (text == "0" || text.front() != '0') ? text : JsonString(text);
}

// Returns the JSON of a value; nullopt: it has more than `levels` levels, as one that contains
// itself by an alias, or a key that is not a scalar.
std::optional<std::string> JsonOf(const YAML::Node& value, int levels) {
  if (levels == 0) return std::nullopt;
  if (value.IsScalar()) return JsonScalar(value);
  if (!value.IsSequence() && !value.IsMap()) return "null";
  std::string json;
  for (const auto& entry : value) {
    const auto item = JsonOf(value.IsMap() ? entry.second : entry, levels - 1);
    if (!item || (value.IsMap() && !entry.first.IsScalar())) return std::nullopt;
    json += json.empty() ? "" : ",";
    if (value.IsMap()) json += JsonString(entry.first.Scalar()) + ":";
    json += *item;
  }
  return value.IsMap() ? "{" + json + "}" : "[" + json + "]";
}

// Returns the value as the text of a flag of this type; nullopt: it has another type. A quoted
// scalar is a string. Paths are relative to `file`.
std::optional<std::string> TextOf(Type type, const YAML::Node& value, const std::string& file) {
  switch (type) {
    case Type::kBool: {
      const auto flag = AsBool(value);
      return flag ? std::optional<std::string>(*flag ? "true" : "false") : std::nullopt;
    }
    case Type::kInt:
    case Type::kDouble:
      return IsNumber(value) ? std::optional(value.Scalar()) : std::nullopt;
    case Type::kStrings:
      return ListOf(value, AsString);
    case Type::kStringArray:  // not in configuration files
      return std::nullopt;
    case Type::kModules:
      return ListOf(value, ModuleOf);
    case Type::kMapStringBool:
      return MapOf(value);
    case Type::kDuration:
      return DurationOf(value);
    case Type::kPath:
      return PathOf(value, file);
    case Type::kJson:
      if (value.IsScalar()) return std::nullopt;
      return JsonOf(value, kJsonLevels);
    case Type::kString:
      break;
  }
  return AsString(value);
}

// Reader reads one document into a FlagSet. It stops at the first error.
class Reader {
 public:
  Reader(std::string path, const ConfigSchema& schema, FlagSet& flags)
      : path_(std::move(path)), schema_(schema), flags_(flags) {}

  Expected<void> Read(const YAML::Node& document) {
    if (!document.IsMap()) return Fail(document, "", "expected a map with apiVersion and kind");
    if (auto ok = CheckHeader(document, "apiVersion", schema_.api_version); !ok) return ok;
    if (auto ok = CheckHeader(document, "kind", schema_.kind); !ok) return ok;
    return ReadMap(document, "");
  }

 private:
  tl::unexpected<Error> Fail(const YAML::Node& at, const std::string& field,
                             const std::string& why) const {
    const YAML::Mark mark = at ? at.Mark() : YAML::Mark::null_mark();
    const std::string line = mark.is_null() ? "" : ":" + std::to_string(mark.line + 1);
    return Err(ErrorReason::kInvalidArgument,
               path_ + line + ": " + (field.empty() ? "" : field + ": ") + why);
  }

  Expected<void> CheckHeader(const YAML::Node& document, const std::string& name,
                             const std::string& expected) const {
    const YAML::Node value = document[name];
    if (!value) return Fail(document, name, "missing; expected " + expected);
    if (value.IsScalar() && value.Scalar() == expected) return {};
    const std::string found = value.IsScalar() ? Quoted(value.Scalar()) + " is unknown" : "wrong";
    return Fail(value, name, found + "; expected " + expected);
  }

  Expected<void> ReadMap(const YAML::Node& map, const std::string& prefix) {
    std::set<std::string> seen;
    for (const auto& entry : map) {
      if (!entry.first.IsScalar())
        return Fail(entry.first, prefix, "the name of a field must be text");
      const std::string& name = entry.first.Scalar();
      if (!seen.insert(name).second) return Fail(entry.first, prefix + name, "given twice");
      if (prefix.empty() && (name == "apiVersion" || name == "kind")) continue;
      if (auto read = ReadField(entry.first, entry.second, prefix, name); !read) return read;
    }
    return {};
  }

  Expected<void> ReadField(const YAML::Node& key, const YAML::Node& value,
                           const std::string& prefix, const std::string& name) {
    const std::string path = prefix + name;
    for (const ConfigField& field : schema_.fields) {
      if (field.path == path) return value.IsNull() ? Expected<void>() : Assign(field, value);
      if (!field.path.starts_with(path + ".")) continue;
      if (value.IsNull()) return {};
      if (!value.IsMap()) return Fail(value, path, "expected a map of fields");
      return ReadMap(value, path + ".");
    }
    return Unknown(key, prefix, name);
  }

  tl::unexpected<Error> Unknown(const YAML::Node& key, const std::string& prefix,
                                const std::string& name) const {
    std::set<std::string> siblings;
    if (prefix.empty()) siblings = {"apiVersion", "kind"};
    for (const ConfigField& field : schema_.fields) {
      if (!field.path.starts_with(prefix)) continue;
      siblings.insert(
          field.path.substr(prefix.size(), field.path.find('.', prefix.size()) - prefix.size()));
    }
    const auto nearest = Nearest(name, {siblings.begin(), siblings.end()});
    std::string hint = "; expected one of";
    for (const std::string& sibling : siblings) hint += " " + sibling;
    if (nearest) hint = "; did you mean " + *nearest + "?";
    const std::string where = prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1);
    return Fail(key, where, "unknown field " + Quoted(name) + hint);
  }

  Expected<void> Assign(const ConfigField& field, const YAML::Node& value) {
    const Flag* flag = flags_.Find(field.flag);
    CHECK(flag != nullptr) << "flag " << field.flag;
    const auto text = TextOf(flag->type, value, path_);
    if (!text) {
      return Fail(value, field.path, "expected " + std::string(InfoOf(flag->type).in_file));
    }
    if (auto assigned = flags_.Assign(field.flag, *text); !assigned) {
      return Fail(value, field.path, assigned.error().message);
    }
    return {};
  }

  const std::string path_;
  const ConfigSchema& schema_;
  FlagSet& flags_;
};

}  // namespace

Expected<void> ApplyConfigFile(const std::string& path, const ConfigSchema& schema,
                               FlagSet& flags) {
  auto text = clientgo::util::ReadFile(path);
  if (!text) return Err(text.error().Wrap("--config"));
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(*text);
    if (documents.size() != 1) {
      return Err(ErrorReason::kInvalidArgument,
                 path + ": expected one YAML document, found " + std::to_string(documents.size()));
    }
    return Reader(path, schema, flags).Read(documents.front());
  } catch (const YAML::Exception& e) {
    const std::string line = e.mark.is_null() ? "" : ":" + std::to_string(e.mark.line + 1);
    return Err(ErrorReason::kInvalidArgument, path + line + ": " + e.msg);
  }
}

}  // namespace capstan::flags
