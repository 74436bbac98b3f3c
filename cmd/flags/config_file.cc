// SPDX-License-Identifier: Apache-2.0
#include "cmd/flags/config_file.h"

#include <yaml-cpp/yaml.h>

#include <set>
#include <utility>

#include "clientgo/util/file.h"
#include "clientgo/util/logging.h"
#include "cmd/flags/config_value.h"
#include "cmd/flags/suggest.h"

namespace cmd::flags {
namespace {

using clientgo::util::Err;
using clientgo::util::Error;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::Quoted;

// Reads one document into a FlagSet; stops at the first error.
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
    const std::string found = value.IsScalar() ? Quoted(value.Scalar()) + " is not known" : "wrong";
    return Fail(value, name, found + "; expected " + expected);
  }

  Expected<void> ReadMap(const YAML::Node& map, const std::string& prefix) {
    std::set<std::string> seen;
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) return Fail(entry.first, prefix, "a field's name is text");
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
    if (!text) return Fail(value, field.path, "expected " + ShapeOf(flag->type));
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

}  // namespace cmd::flags
