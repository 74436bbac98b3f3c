// SPDX-License-Identifier: Apache-2.0
// kubeconfig files with yaml-cpp, whose exceptions end here. Mirrors tools/clientcmd.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "clientgo/rest/config.h"
#include "clientgo/rest/read_file.h"
#include "clientgo/rest/server_address.h"
#include "clientgo/util/base64.h"

namespace clientgo::rest {
namespace {

using util::Err;
using util::Error;
using util::ErrorReason;
using util::Expected;

struct File {
  std::string path;
  YAML::Node root;
};

tl::unexpected<Error> Invalid(std::string message) {
  return Err(ErrorReason::kInvalidArgument, std::move(message));
}

std::string Line(const std::string& path, const YAML::Mark& mark) {
  return mark.is_null() ? path : path + ":" + std::to_string(mark.line + 1);
}

// Reads the fields of one map. The first error is kept, and what is read after it is empty.
class Fields {
 public:
  // `where`: "user \"admin\"".
  Fields(const File& file, const YAML::Node& map, std::string where)
      : path_(file.path), map_(map), where_(std::move(where)) {
    if (map_ && !map_.IsNull() && !map_.IsMap()) Fail(map_, "must be a map");
  }

  bool Has(const std::string& name) const {
    if (error_ || !map_ || !map_.IsMap()) return false;
    const YAML::Node value = map_[name];
    return value && !value.IsNull();
  }
  std::string String(const std::string& name) {
    if (!Has(name)) return {};
    const YAML::Node value = map_[name];
    if (value.IsScalar()) return value.Scalar();
    Fail(value, name + " must be a string");
    return {};
  }
  bool Bool(const std::string& name) {
    bool result = false;
    if (Has(name) && !YAML::convert<bool>::decode(map_[name], result)) {
      Fail(map_[name], name + " must be true or false");
    }
    return result;
  }
  // Base64. The text itself may be a key: it is never repeated.
  std::string Data(const std::string& name) {
    const std::string text = String(name);
    auto data = util::Base64Decode(text);
    if (data && (text.empty() || !data->empty())) return std::move(*data);
    Fail(map_[name], name + " is not valid base64");
    return {};
  }
  // Relative to the file it is written in.
  std::string Path(const std::string& name) {
    std::string text = String(name);
    if (text.empty() || text.front() == '/') return text;
    return (std::filesystem::absolute(path_).parent_path() / text).lexically_normal();
  }
  // What would change the outcome and is not implemented.
  void Refuse(const std::string& name) {
    if (Has(name)) Fail(map_[name], name + " is not supported yet");
  }
  void Require(const std::string& name) {
    if (!error_ && String(name).empty()) Fail(map_, name + " is missing");
  }
  void Fail(const YAML::Node& at, const std::string& why) {
    if (error_) return;
    const YAML::Mark mark = at ? at.Mark() : YAML::Mark::null_mark();
    error_ = Error{.reason = ErrorReason::kInvalidArgument,
                   .message = Line(path_, mark) + ": " + where_ + ": " + why};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const std::string path_;
  const YAML::Node map_;
  const std::string where_;
  std::optional<Error> error_;
};

Expected<File> Parse(const std::string& path) {
  auto text = ReadFile(path);
  if (!text) return Err(text.error().Wrap("failed to load kubeconfig"));
  File file{.path = path, .root = {}};
  try {
    file.root = YAML::Load(*text);
  } catch (const YAML::Exception& e) {
    return Invalid(Line(path, e.mark) + ": invalid YAML: " + e.msg);
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
Expected<Fields> FindEntry(const std::vector<File>& files, const std::string& list,
                           const std::string& field, const std::string& name) {
  const std::string where = field + " \"" + name + "\"";
  for (const File& file : files) {
    if (!file.root.IsMap()) continue;
    const YAML::Node entries = file.root[list];
    if (!entries || entries.IsNull()) continue;
    if (!entries.IsSequence()) {
      return Invalid(Line(file.path, entries.Mark()) + ": " + list + " must be a list");
    }
    for (const YAML::Node& entry : entries) {
      Fields named(file, entry, list);
      if (named.String("name") == name && !named.error()) return Fields(file, entry[field], where);
      if (named.error()) return Err(*named.error());
    }
  }
  return Invalid(Join(files) + ": " + where + " does not exist");
}

std::string FirstScalar(const std::vector<File>& files, const std::string& name) {
  for (const File& file : files) {
    std::string value = Fields(file, file.root, "kubeconfig").String(name);
    if (!value.empty()) return value;
  }
  return {};
}

// Data beats the file of the same name.
void ReadPem(Fields& fields, const std::string& name, std::string& data, std::string& path) {
  data = fields.Data(name + "-data");
  if (data.empty()) path = fields.Path(name);
}

std::optional<Error> ReadCluster(Fields& cluster, Config& config) {
  cluster.Require("server");
  cluster.Refuse("proxy-url");
  config.host = cluster.String("server");
  config.tls.server_name = cluster.String("tls-server-name");
  config.tls.insecure_skip_verify = cluster.Bool("insecure-skip-tls-verify");
  ReadPem(cluster, "certificate-authority", config.tls.ca_data, config.tls.ca_file);
  const bool has_ca = !config.tls.ca_data.empty() || !config.tls.ca_file.empty();
  if (config.tls.insecure_skip_verify && has_ca) {
    cluster.Fail({}, "certificate-authority and insecure-skip-tls-verify exclude each other");
  }
  if (cluster.error()) return cluster.error();
  const auto address = ParseServerAddress(config.host);
  if (!address) cluster.Fail({}, address.error().message);
  return cluster.error();
}

std::optional<Error> ReadUser(Fields& user, Config& config) {
  for (const char* field :
       {"exec", "auth-provider", "as", "as-uid", "as-groups", "as-user-extra"}) {
    user.Refuse(field);
  }
  ReadPem(user, "client-certificate", config.tls.cert_data, config.tls.cert_file);
  ReadPem(user, "client-key", config.tls.key_data, config.tls.key_file);
  config.bearer_token = user.String("token");
  if (config.bearer_token.empty()) config.bearer_token_file = user.Path("tokenFile");
  config.username = user.String("username");
  config.password = user.String("password");
  const bool has_token = !config.bearer_token.empty() || !config.bearer_token_file.empty();
  if (has_token && !config.username.empty()) {
    user.Fail({}, "a token and a username exclude each other");
  }
  return user.error();
}

Expected<Config> ReadConfig(const std::vector<File>& files, std::string context_name) {
  const std::string source = Join(files);
  if (context_name.empty()) context_name = FirstScalar(files, "current-context");
  if (context_name.empty()) {
    return Invalid(source + ": current-context is not set, so no cluster is chosen");
  }
  auto context = FindEntry(files, "contexts", "context", context_name);
  if (!context) return Err(std::move(context.error()));
  context->Require("cluster");
  const std::string cluster_name = context->String("cluster");
  const std::string user_name = context->String("user");
  if (context->error()) return Err(*context->error());

  Config config;
  config.source = source;
  auto cluster = FindEntry(files, "clusters", "cluster", cluster_name);
  if (!cluster) return Err(std::move(cluster.error()));
  if (auto error = ReadCluster(*cluster, config)) return Err(std::move(*error));
  if (user_name.empty()) return config;  // anonymous
  auto user = FindEntry(files, "users", "user", user_name);
  if (!user) return Err(std::move(user.error()));
  if (auto error = ReadUser(*user, config)) return Err(std::move(*error));
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
    return Invalid(Line(Join(files), e.mark) + ": " + e.msg);
  }
}

}  // namespace clientgo::rest
