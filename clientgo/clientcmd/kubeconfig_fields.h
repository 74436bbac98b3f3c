// SPDX-License-Identifier: Apache-2.0
// Fields: reading one map of a kubeconfig file, field by field. The first error is kept, with the
// file's name and line, the entry and the field, and what is read after it is empty: a reader asks
// for all it needs and looks at error() once. Internal to clientcmd. Not thread-safe.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/util/error.h"

namespace clientgo::clientcmd {

class Fields {
 public:
  // `file`: its path. `where`: "user \"admin\""; empty: the whole file.
  Fields(std::string file, const YAML::Node& map, std::string where);

  bool Has(const std::string& name) const;
  std::string String(const std::string& name);
  bool Bool(const std::string& name);
  std::vector<std::string> Strings(const std::string& name);
  // A map from names to lists of strings, in the file's order.
  std::vector<std::pair<std::string, std::vector<std::string>>> StringLists(
      const std::string& name);
  // Base64. The text itself may be a key: it is never repeated.
  std::string Data(const std::string& name);
  // Relative to the file it is written in.
  std::string Path(const std::string& name);
  std::string Absolute(std::string path) const;
  // The map in a field, and the maps in a list of them. Adopt() their errors.
  Fields Map(const std::string& name);
  std::vector<Fields> Maps(const std::string& name);
  // What it holds, as JSON: for what is passed on as it stands.
  std::string Json(const std::string& name);

  void Require(const std::string& name);
  // "file:line: where: why", with the line of the field, or of the map.
  void Fail(const std::string& name, const std::string& why);
  void Adopt(const Fields& part);
  const std::optional<util::Error>& error() const { return error_; }

  const std::string& where() const { return where_; }
  const YAML::Node& map() const { return map_; }

 private:
  std::string PartName(const std::string& name) const;
  void FailAt(const YAML::Node& at, const std::string& why);

  const std::string file_;
  const YAML::Node map_;  // not assignable: that would write through to the document
  const std::string where_;
  std::optional<util::Error> error_;
};

// The node as JSON. A scalar without quotes is a bool or a number when it looks like one.
// kInvalidArgument: more than 64 levels or 8 MiB. Aliases make that possible in a short document,
// also without an end.
util::Expected<std::string> ToJson(const YAML::Node& node);

// "path:line", or the path alone when the line is not known.
std::string FileAndLine(const std::string& path, const YAML::Mark& mark);

}  // namespace clientgo::clientcmd
