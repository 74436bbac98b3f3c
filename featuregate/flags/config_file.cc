// SPDX-License-Identifier: Apache-2.0
#include "capstan/flags/config_file.h"

#include <glog/logging.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "capstan/file.h"
#include "capstan/flags/value.h"
#include "capstan/logging.h"
#include "capstan/time.h"
#include "clientgo/yaml/documents.h"
#include "clientgo/yaml/parse.h"
#include "clientgo/yaml/value.h"

namespace capstan::flags {
namespace {

std::optional<std::string> AsString(const yaml::Value& value) {
  return value.IsString() ? std::optional(value.text) : std::nullopt;
}

std::optional<std::string> BoolOf(const yaml::Value& value) {
  if (value.type != yaml::Value::Type::kBool) return std::nullopt;
  return value.boolean ? "true" : "false";
}

std::optional<std::string> PathOf(const yaml::Value& value, const std::string& file) {
  auto path = AsString(value);
  if (path && !path->empty() && path->front() != '/') {
    path = (std::filesystem::absolute(file).parent_path() / *path).lexically_normal();
  }
  return path;
}

// The older form of metav1.Duration is a number of nanoseconds.
std::optional<std::string> DurationOf(const yaml::Value& value) {
  if (!value.IsNumber()) return AsString(value);
  const std::string& text = value.text;
  if (text.find_first_not_of("0123456789") != std::string::npos || text.size() > 18) {
    return std::nullopt;
  }
  return FormatDuration(std::chrono::nanoseconds(std::stoll(text)));
}

template <class Read>
std::optional<std::string> ListOf(const yaml::Value& list, Read read) {
  if (!list.IsList()) return std::nullopt;
  std::string out;
  for (const auto& item : list.items) {
    const std::optional<std::string> text = read(*item);
    if (!text) return std::nullopt;
    out += (out.empty() ? "" : ",") + *text;
  }
  return out;
}

std::optional<std::string> ModuleOf(const yaml::Value& item) {
  if (!item.IsMap() || item.members.size() != 2) return std::nullopt;
  const yaml::Value* pattern = item.Find("filePattern");
  const yaml::Value* verbosity = item.Find("verbosity");
  if (pattern == nullptr || !pattern->IsString() || verbosity == nullptr ||
      !verbosity->IsNumber()) {
    return std::nullopt;
  }
  return pattern->text + "=" + verbosity->text;
}

std::optional<std::string> MapOf(const yaml::Value& map) {
  if (!map.IsMap()) return std::nullopt;
  std::string out;
  for (const yaml::Member& member : map.members) {
    const auto value = BoolOf(*member.value);
    if (!value) return std::nullopt;
    out += (out.empty() ? "" : ",") + member.key + "=" + *value;
  }
  return out;
}

std::optional<std::string> JsonOf(const yaml::Value& value) {
  if (value.IsScalar()) return std::nullopt;
  auto json = ToJson(value);
  return json ? std::optional(*std::move(json)) : std::nullopt;
}

// Returns the value as the text of a flag of this type; nullopt: it has another type. A quoted
// scalar is a string. Paths are relative to `file`.
std::optional<std::string> TextOf(Type type, const yaml::Value& value, const std::string& file) {
  switch (type) {
    case Type::kBool:
      return BoolOf(value);
    case Type::kInt:
    case Type::kDouble:
      return value.IsNumber() ? std::optional(value.text) : std::nullopt;
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
      return JsonOf(value);
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

  Expected<void> Read(const yaml::Value& document) {
    if (!document.IsMap())
      return Fail(document.line, "", "expected a map with apiVersion and kind");
    if (auto ok = CheckHeader(document, "apiVersion", schema_.api_version); !ok) return ok;
    if (auto ok = CheckHeader(document, "kind", schema_.kind); !ok) return ok;
    return ReadMap(document, "");
  }

 private:
  tl::unexpected<Error> Fail(int line, const std::string& field, const std::string& why) const {
    return Err(ErrorReason::kInvalidArgument,
               yaml::FileAndLine(path_, line) + ": " + (field.empty() ? "" : field + ": ") + why);
  }

  Expected<void> CheckHeader(const yaml::Value& document, const std::string& name,
                             const std::string& expected) const {
    const yaml::Value* value = document.Find(name);
    if (value == nullptr) return Fail(document.line, name, "missing; expected " + expected);
    if (value->IsString() && value->text == expected) return {};
    const std::string found = value->IsString() ? Quoted(value->text) + " is unknown" : "wrong";
    return Fail(value->line, name, found + "; expected " + expected);
  }

  Expected<void> ReadMap(const yaml::Value& map, const std::string& prefix) {
    if (!map.repeats.empty()) {
      return Fail(map.repeats[0].line, prefix + map.repeats[0].key, "given twice");
    }
    for (const yaml::Member& member : map.members) {
      const std::string& name = member.key;
      if (prefix.empty() && (name == "apiVersion" || name == "kind")) continue;
      if (auto read = ReadField(member, prefix); !read) return read;
    }
    return {};
  }

  Expected<void> ReadField(const yaml::Member& member, const std::string& prefix) {
    const std::string path = prefix + member.key;
    const yaml::Value& value = *member.value;
    for (const ConfigField& field : schema_.fields) {
      if (field.path == path) return value.IsNull() ? Expected<void>() : Assign(field, value);
      if (!field.path.starts_with(path + ".")) continue;
      if (value.IsNull()) return {};
      if (!value.IsMap()) return Fail(value.line, path, "expected a map of fields");
      return ReadMap(value, path + ".");
    }
    return Unknown(member.line, prefix, member.key);
  }

  tl::unexpected<Error> Unknown(int line, const std::string& prefix,
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
    return Fail(line, where, "unknown field " + Quoted(name) + hint);
  }

  Expected<void> Assign(const ConfigField& field, const yaml::Value& value) {
    const Flag* flag = flags_.Find(field.flag);
    CHECK(flag != nullptr) << "flag " << field.flag;
    const auto text = TextOf(flag->type, value, path_);
    if (!text) {
      return Fail(value.line, field.path, "expected " + std::string(InfoOf(flag->type).in_file));
    }
    if (auto assigned = flags_.Assign(field.flag, *text); !assigned) {
      return Fail(value.line, field.path, assigned.error().message);
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
  auto text = ReadFile(path);
  if (!text) return Err(text.error().Wrap("--config"));
  const std::string utf8 = yaml::ToUtf8(*text);
  const auto documents = yaml::SplitDocuments(utf8, path);
  if (!documents) return Err(documents.error());
  std::vector<yaml::ValuePtr> values;
  for (const yaml::Document& document : *documents) {
    auto value = yaml::Parse(document.text, path, document.line);
    if (!value) return Err(std::move(value.error()));
    if (!(*value)->IsNull()) values.push_back(*std::move(value));
  }
  if (values.size() != 1) {
    return Err(ErrorReason::kInvalidArgument,
               path + ": expected one YAML document, found " + std::to_string(values.size()));
  }
  return Reader(path, schema, flags).Read(*values.front());
}

}  // namespace capstan::flags
