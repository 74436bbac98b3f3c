// SPDX-License-Identifier: Apache-2.0
// kubeconfig files with yaml-cpp, whose exceptions end here. Mirrors tools/clientcmd.
#include <yaml-cpp/yaml.h>

#include <optional>
#include <utility>

#include "clientgo/clientcmd/config.h"
#include "clientgo/clientcmd/kubeconfig_entries.h"
#include "clientgo/clientcmd/kubeconfig_fields.h"
#include "clientgo/util/read_file.h"

namespace clientgo::clientcmd {
namespace {

using rest::Config;
using util::Err;
using util::Error;
using util::ErrorReason;
using util::Expected;
using util::ReadFile;

struct File {
  std::string path;
  YAML::Node root;
};

tl::unexpected<Error> Invalid(std::string message) {
  return Err(ErrorReason::kInvalidArgument, std::move(message));
}

// What yaml-cpp found wrong, without what it quotes of the text: that may be a credential.
std::string Problem(const YAML::Exception& e) { return e.msg.substr(0, e.msg.find(':')); }

Expected<File> Parse(const std::string& path) {
  auto text = ReadFile(path);
  if (!text) return Err(text.error().Wrap("failed to load kubeconfig"));
  File file{.path = path, .root = {}};
  try {
    file.root = YAML::Load(*text);
  } catch (const YAML::Exception& e) {
    return Invalid(FileAndLine(path, e.mark) + ": invalid YAML: " + Problem(e));
  }
  if (!file.root.IsMap() && !file.root.IsNull()) {
    return Invalid(path + ": not a kubeconfig: a YAML map is expected");
  }
  return file;
}

std::string Join(const std::vector<File>& files) {
  std::string out;
  for (const File& file : files) out += (out.empty() ? "" : ":") + file.path;
  return out;
}

// The entry of that name in the first file that has one: {name: ..., <field>: {...}}.
Expected<std::optional<Fields>> FindEntry(const std::vector<File>& files, const std::string& list,
                                          const std::string& field, const std::string& name) {
  for (const File& file : files) {
    Fields root(file.path, file.root, "");
    std::optional<Fields> found;
    for (Fields& named : root.Maps(list)) {
      const bool same = named.String("name") == name;
      if (same && found) named.Fail("name", "duplicate name \"" + name + "\"");
      if (named.error()) return Err(*named.error());
      if (same) found.emplace(named.Map(field));
    }
    if (root.error()) return Err(*root.error());
    if (found) {
      // Messages say "user \"admin\"", not where the lists put it.
      std::string where = field + " \"";
      where.append(name).append("\"");
      return Fields(file.path, found->map(), std::move(where));
    }
  }
  return std::nullopt;
}

std::string FirstScalar(const std::vector<File>& files, const std::string& name) {
  for (const File& file : files) {
    std::string value = Fields(file.path, file.root, "").String(name);
    if (!value.empty()) return value;
  }
  return {};
}

// The cluster or user that a context names.
Expected<Fields> Referred(const std::vector<File>& files, Fields& context,
                          const std::string& field) {
  const std::string name = context.String(field);
  if (context.error()) return Err(*context.error());
  auto entry = FindEntry(files, field + "s", field, name);
  if (!entry) return Err(std::move(entry.error()));
  if (*entry) return std::move(**entry);
  context.Fail(field, field + " \"" + name + "\" does not exist");
  return Err(*context.error());
}

Expected<Config> ReadConfig(const std::vector<File>& files, std::string context_name) {
  const std::string source = Join(files);
  if (context_name.empty()) context_name = FirstScalar(files, "current-context");
  if (context_name.empty()) {
    return Invalid(
        source +
        ": current-context is not set, so no cluster is chosen; set it to the name of a context");
  }
  auto context = FindEntry(files, "contexts", "context", context_name);
  if (!context) return Err(std::move(context.error()));
  if (!*context) return Invalid(source + ": context \"" + context_name + "\" does not exist");
  Fields& chosen = **context;
  chosen.Require("cluster");

  Config config;
  config.source = source;
  auto cluster = Referred(files, chosen, "cluster");
  if (!cluster) return Err(std::move(cluster.error()));
  ReadCluster(*cluster, config);
  if (cluster->error()) return Err(*cluster->error());
  if (chosen.String("user").empty()) return config;  // anonymous
  auto user = Referred(files, chosen, "user");
  if (!user) return Err(std::move(user.error()));
  config.user = user->where();
  ReadUser(*user, *cluster, config);
  if (cluster->error()) return Err(*cluster->error());
  if (user->error()) return Err(*user->error());
  return config;
}

}  // namespace

Expected<Config> LoadKubeconfig(const std::vector<std::string>& paths, std::string_view context) {
  std::vector<File> files;
  for (const std::string& path : paths) {
    auto file = Parse(path);
    if (!file) return Err(std::move(file.error()));
    files.push_back(std::move(*file));
  }
  try {
    return ReadConfig(files, std::string(context));
  } catch (const YAML::Exception& e) {
    return Invalid(FileAndLine(Join(files), e.mark) + ": " + Problem(e));
  }
}

}  // namespace clientgo::clientcmd
