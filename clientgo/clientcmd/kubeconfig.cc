// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientcmd/kubeconfig.h"

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "capstan/auth/exec_credential.h"
#include "capstan/base64.h"
#include "capstan/file.h"
#include "capstan/rest/config.h"
#include "capstan/text.h"
#include "clientgo/transport/proxy.h"
#include "clientgo/transport/server_address.h"
#include "clientgo/yaml/parse.h"
#include "clientgo/yaml/value.h"

namespace capstan::clientcmd {
namespace {

// Fields reads one map of a kubeconfig file, field by field. The first error is kept, with the
// file's name and line, the entry and the field. All Fields of a configuration share it. All reads
// after an error return empty values, so a caller reads all fields and checks the error once.
class Fields {
 public:
  // `file` is the file's path. `map` is null for a missing map. `where` is the entry,
  // "user \"admin\"", or empty for the whole file. `map` and `error` must outlive the Fields.
  Fields(std::string file, const yaml::Value* map, std::string where, std::optional<Error>& error)
      : file_(std::move(file)), map_(map), where_(std::move(where)), error_(error) {
    if (map_ != nullptr && !map_->IsNull() && !map_->IsMap()) FailAt(map_, "must be a map");
  }

  bool Has(const std::string& name) const { return Get(name) != nullptr; }

  std::string String(const std::string& name) const {
    const yaml::Value* value = Get(name);
    if (value == nullptr) return {};
    if (value->IsString()) return value->text;
    FailAt(value, name + (value->IsScalar() ? " must be a string; put it in quotes"
                                            : " must be a string"));
    return {};
  }

  bool Bool(const std::string& name) const {
    const yaml::Value* value = Get(name);
    if (value == nullptr) return false;
    if (value->type != yaml::Value::Type::kBool) Fail(name, name + " must be true or false");
    return value->boolean;
  }

  std::vector<std::string> Strings(const std::string& name) const {
    std::vector<std::string> texts;
    const yaml::Value* list = Get(name);
    if (list == nullptr) return texts;
    if (!list->IsList()) FailAt(list, name + " must be a list of strings");
    for (const yaml::ValuePtr& item : list->items) {
      if (!item->IsString() && !item->IsNull()) {
        FailAt(item.get(), name + " must be a list of strings");
      }
      texts.push_back(item->text);
    }
    if (error_) texts.clear();
    return texts;
  }

  // Reads a map from names to lists of strings, in the file's order.
  std::vector<std::pair<std::string, std::vector<std::string>>> StringLists(
      const std::string& name) const {
    std::vector<std::pair<std::string, std::vector<std::string>>> lists;
    const Fields map = Map(name);
    if (!Has(name)) return lists;
    for (const yaml::Member& member : Get(name)->members) {
      lists.emplace_back(member.key, map.Strings(member.key));
    }
    return lists;
  }

  void CheckStringMap(const std::string& name) const {
    const Fields map = Map(name);
    if (!Has(name)) return;
    for (const yaml::Member& member : Get(name)->members) (void)map.String(member.key);
  }

  // Decodes base64. Errors do not quote the text, because it may be a key.
  std::string Data(const std::string& name) const {
    const std::string text = String(name);
    auto data = Base64Decode(text);
    if (data && (text.empty() || !data->empty())) return std::move(*data);
    Fail(name, name + " is not valid base64");
    return {};
  }

  // Reads a path, which is relative to the kubeconfig file.
  std::string Path(const std::string& name) const { return Absolute(String(name)); }
  std::string Absolute(std::string path) const {
    if (path.empty() || path.front() == '/') return path;
    path = (std::filesystem::absolute(file_).parent_path() / path).lexically_normal();
    if (path.ends_with('/') && path.size() > 1) path.pop_back();  // as Go's filepath.Join
    return path;
  }

  // Return the map in a field, and the maps in a list.
  Fields Map(const std::string& name) const { return Map(name, Qualified(name)); }
  Fields Map(const std::string& name, std::string where) const {
    return {file_, Get(name), std::move(where), error_};
  }
  std::vector<Fields> Maps(const std::string& name) const {
    std::vector<Fields> maps;
    const yaml::Value* list = Get(name);
    if (list == nullptr) return maps;
    if (!list->IsList()) FailAt(list, name + " must be a list");
    for (const yaml::ValuePtr& item : list->items) {
      maps.emplace_back(file_, item.get(), Qualified(name), error_);
    }
    if (error_) maps.clear();
    return maps;
  }

  // Returns the field's value as JSON.
  std::string Json(const std::string& name) const {
    const yaml::Value* value = Get(name);
    if (value == nullptr) return {};
    auto json = ToJson(*value);
    if (json) return std::move(*json);
    Fail(name, name + ": " + json.error().message);
    return {};
  }

  void Require(const std::string& name) const {
    if (String(name).empty()) Fail(name, name + " is missing");
  }
  // Records the error "file:line: where: why", with the line of the field or of the map.
  void Fail(const std::string& name, const std::string& why) const {
    FailAt(Has(name) ? Get(name) : map_, why);
  }

  const std::string& where() const { return where_; }
  const yaml::Value* map() const { return map_; }

 private:
  // Returns null after an error, and for a field that is missing or null.
  const yaml::Value* Get(const std::string& name) const {
    const yaml::Value* value = error_ || map_ == nullptr ? nullptr : map_->Find(name);
    return value == nullptr || value->IsNull() ? nullptr : value;
  }
  std::string Qualified(const std::string& name) const {
    return where_.empty() ? name : where_ + ": " + name;
  }
  void FailAt(const yaml::Value* at, const std::string& why) const {
    if (error_) return;
    error_ = Error{.reason = ErrorReason::kInvalidArgument,
                   .message = (at == nullptr ? file_ : yaml::FileAndLine(file_, at->line)) + ": " +
                              Qualified(why)};
  }

  const std::string file_;
  const yaml::Value* const map_;
  const std::string where_;
  std::optional<Error>& error_;
};

// A cluster's extension with this name configures the plugin for that cluster.
constexpr char kExecExtension[] = "client.authentication.k8s.io/exec";

// Reads a PEM field: the data, or the path of a file.
void ReadPem(const Fields& fields, const std::string& name, std::string& data, std::string& path) {
  data = fields.Data(name + "-data");
  path = fields.Path(name);
  if (data.empty() || path.empty()) return;
  fields.Fail(name, name + " and " + name + "-data exclude each other; remove one of them");
}

void CheckProxy(const Fields& cluster, const std::string& url) {
  if (url.empty()) return;
  if (transport::SchemeOf(url).empty()) {
    cluster.Fail("proxy-url", "proxy-url must start with http://");
    return;
  }
  const auto proxy = transport::ParseProxyUrl(url);
  if (!proxy) cluster.Fail("proxy-url", "proxy-url: " + proxy.error().message);
}

std::string ReadExecExtension(const Fields& cluster) {
  for (const Fields& extension : cluster.Maps("extensions")) {
    if (extension.String("name") != kExecExtension) continue;
    if (std::string json = extension.Json("extension"); !json.empty()) return json;
  }
  return {};
}

auth::ExecCluster DescribeCluster(const Fields& exec, const Fields& cluster,
                                  const rest::Config& config) {
  auth::ExecCluster described{.server = config.host,
                              .tls_server_name = config.tls.server_name,
                              .insecure_skip_tls_verify = config.tls.insecure_skip_verify,
                              .ca_data = config.tls.ca_data,
                              .proxy_url = config.proxy_url,
                              .disable_compression = cluster.Bool("disable-compression"),
                              .config = ReadExecExtension(cluster)};
  if (described.ca_data.empty() && !config.tls.ca_file.empty()) {
    const auto text = ReadFile(config.tls.ca_file);
    if (!text) exec.Fail("provideClusterInfo", "certificate-authority: " + text.error().message);
    described.ca_data = text.value_or("");
  }
  return described;
}

Expected<std::string> YamlToJson(std::string_view text) {
  const auto value = yaml::Parse(text, "output");
  return value ? ToJson(**value) : Err(value.error());
}

bool IsPlainHttp(const rest::Config& config) {
  const auto address = transport::ParseServerAddress(config.host);
  return address && !address->tls;
}

// Mirrors SetDefaults_ExecConfig.
bool HasDefaultMode(std::string_view api_version) {
  return api_version == "client.authentication.k8s.io/v1beta1" ||
         api_version == "client.authentication.k8s.io/v1alpha1";
}

void CheckExecMode(const Fields& exec, const std::string& api_version, bool is_run) {
  const std::string mode = exec.String("interactiveMode");
  if (mode == "Always") {
    if (!is_run) return;
    exec.Fail("interactiveMode",
              "interactiveMode Always needs a terminal, which this program does not have; set "
              "IfAvailable or Never if the command supports it");
  } else if (mode.empty() && !HasDefaultMode(api_version)) {
    exec.Fail("interactiveMode",
              "interactiveMode must be specified in " + api_version + ": IfAvailable or Never");
  } else if (!mode.empty() && mode != "Never" && mode != "IfAvailable") {
    exec.Fail("interactiveMode",
              "invalid interactiveMode \"" + mode + "\"; set IfAvailable or Never");
  }
}

auth::ExecConfig ReadExec(const Fields& exec, const Fields& cluster, const rest::Config& config) {
  exec.Require("command");
  exec.Require("apiVersion");
  auth::ExecConfig result{.api_version = exec.String("apiVersion"),
                          .command = exec.String("command"),
                          .args = exec.Strings("args"),
                          .install_hint = exec.String("installHint"),
                          .provide_cluster_info = exec.Bool("provideClusterInfo"),
                          .origin = config.user + " of " + config.source,
                          .yaml_to_json = &YamlToJson};
  if (!auth::IsExecApiVersion(result.api_version) && !IsPlainHttp(config)) {
    exec.Fail("apiVersion", "invalid apiVersion \"" + result.api_version +
                                "\"; client.authentication.k8s.io/v1 and v1beta1 are supported");
  }
  CheckExecMode(exec, result.api_version, !IsPlainHttp(config));
  if (result.command.find('/') != std::string::npos) result.command = exec.Absolute(result.command);
  for (const Fields& variable : exec.Maps("env")) {
    variable.Require("name");
    result.env.emplace_back(variable.String("name"), variable.String("value"));
  }
  if (result.provide_cluster_info) result.cluster = DescribeCluster(exec, cluster, config);
  return result;
}

void ReadImpersonation(const Fields& user, rest::ImpersonationConfig& impersonate) {
  impersonate = {.user_name = user.String("as"),
                 .uid = user.String("as-uid"),
                 .groups = user.Strings("as-groups"),
                 .extra = user.StringLists("as-user-extra")};
  const auto headers = rest::ImpersonationHeaders(impersonate);
  if (!headers) user.Fail("as", headers.error().message);
}

void ReadCluster(const Fields& cluster, rest::Config& config) {
  cluster.Require("server");
  config.host = cluster.String("server");
  config.proxy_url = cluster.String("proxy-url");
  config.tls.server_name = cluster.String("tls-server-name");
  config.tls.insecure_skip_verify = cluster.Bool("insecure-skip-tls-verify");
  if (cluster.Bool("disable-compression")) config.list_compression = transport::Compression::kOff;
  ReadPem(cluster, "certificate-authority", config.tls.ca_data, config.tls.ca_file);
  const bool has_ca = !config.tls.ca_data.empty() || !config.tls.ca_file.empty();
  if (config.tls.insecure_skip_verify && has_ca) {
    cluster.Fail("insecure-skip-tls-verify",
                 "certificate-authority and insecure-skip-tls-verify exclude each other; remove "
                 "insecure-skip-tls-verify");
  }
  CheckProxy(cluster, config.proxy_url);
  const auto address = transport::ParseServerAddress(config.host);
  if (!address) cluster.Fail("server", address.error().message);
}

// A key without a certificate is ignored, as in client-go.
void ReadClientCertificate(const Fields& user, transport::TlsConfig& tls) {
  ReadPem(user, "client-certificate", tls.cert_data, tls.cert_file);
  if (tls.cert_data.empty() && tls.cert_file.empty()) return;
  ReadPem(user, "client-key", tls.key_data, tls.key_file);
  if (!tls.key_data.empty() || !tls.key_file.empty()) return;
  user.Fail(tls.cert_data.empty() ? "client-certificate" : "client-certificate-data",
            "client-key-data or client-key is missing, which belongs to the certificate");
}

// Names only known plugins, because the text may be a credential in the wrong place.
void CheckAuthProvider(const Fields& user) {
  if (!user.Has("auth-provider")) return;
  const std::string name = user.Map("auth-provider").String("name");
  const bool removed = name == "gcp" || name == "azure";
  const std::string quoted = removed || name == "oidc" ? " \"" + name + "\"" : "";
  user.Fail("auth-provider",
            "auth-provider" + quoted +
                (removed ? " was removed from Kubernetes' clients in 1.26" : " is not supported") +
                "; use exec with the provider's credential plugin");
}

// Call it after ReadCluster, because an exec plugin may need the cluster.
void ReadUser(const Fields& user, const Fields& cluster, rest::Config& config) {
  const bool plain_http = IsPlainHttp(config);
  if (!plain_http || user.Has("exec")) CheckAuthProvider(user);
  ReadClientCertificate(user, config.tls);
  config.bearer_token = user.String("token");
  config.bearer_token_file = user.Path("tokenFile");
  config.username = user.String("username");
  config.password = user.String("password");
  // As in client-go, a password without a username is not sent, but excludes a token.
  const bool has_basic = !config.username.empty() || !config.password.empty();
  if ((!config.bearer_token.empty() && has_basic) ||
      (!config.bearer_token_file.empty() && !config.username.empty() && !plain_http)) {
    user.Fail("username", "a token and a username exclude each other; remove one of them");
  }
  ReadImpersonation(user, config.impersonate);
  if (user.Has("exec")) config.exec = ReadExec(user.Map("exec"), cluster, config);
}

// client-go and kubectl send no credentials over plain HTTP, where anybody could read them, and
// ignore what only TLS needs. Impersonation stays.
void KeepWhatPlainHttpMayUse(rest::Config& config) {
  if (!IsPlainHttp(config)) return;
  config.tls = {};
  config.bearer_token.clear();
  config.bearer_token_file.clear();
  config.username.clear();
  config.password.clear();
  config.exec.reset();
}

struct File {
  std::string path;
  yaml::ValuePtr root;
};

// FieldType is the type of a field in client-go's clientcmd/api/v1.
enum class FieldType { kString, kBool, kData, kStrings, kStringMap, kStringLists, kMap, kMaps };

struct FieldRule {
  const char* name;
  FieldType type;
  std::span<const FieldRule> fields = {};  // of kMap and kMaps
};

constexpr FieldRule kExtensionRules[] = {{"name", FieldType::kString}};
constexpr FieldRule kExtensions = {"extensions", FieldType::kMaps, kExtensionRules};
constexpr FieldRule kClusterRules[] = {
    {"server", FieldType::kString},
    {"tls-server-name", FieldType::kString},
    {"insecure-skip-tls-verify", FieldType::kBool},
    {"certificate-authority", FieldType::kString},
    {"certificate-authority-data", FieldType::kData},
    {"proxy-url", FieldType::kString},
    {"disable-compression", FieldType::kBool},
    kExtensions,
};
constexpr FieldRule kContextRules[] = {
    {"cluster", FieldType::kString},
    {"user", FieldType::kString},
    {"namespace", FieldType::kString},
    kExtensions,
};
constexpr FieldRule kVariableRules[] = {{"name", FieldType::kString},
                                        {"value", FieldType::kString}};
constexpr FieldRule kExecRules[] = {
    {"command", FieldType::kString},           {"args", FieldType::kStrings},
    {"env", FieldType::kMaps, kVariableRules}, {"apiVersion", FieldType::kString},
    {"installHint", FieldType::kString},       {"provideClusterInfo", FieldType::kBool},
    {"interactiveMode", FieldType::kString},
};
constexpr FieldRule kAuthProviderRules[] = {{"name", FieldType::kString},
                                            {"config", FieldType::kStringMap}};
constexpr FieldRule kUserRules[] = {
    {"client-certificate", FieldType::kString},
    {"client-certificate-data", FieldType::kData},
    {"client-key", FieldType::kString},
    {"client-key-data", FieldType::kData},
    {"token", FieldType::kString},
    {"tokenFile", FieldType::kString},
    {"as", FieldType::kString},
    {"as-uid", FieldType::kString},
    {"as-groups", FieldType::kStrings},
    {"as-user-extra", FieldType::kStringLists},
    {"username", FieldType::kString},
    {"password", FieldType::kString},
    {"auth-provider", FieldType::kMap, kAuthProviderRules},
    {"exec", FieldType::kMap, kExecRules},
    kExtensions,
};
constexpr FieldRule kPreferencesRules[] = {{"colors", FieldType::kBool}, kExtensions};
constexpr FieldRule kFileRules[] = {
    {"current-context", FieldType::kString},
    {"preferences", FieldType::kMap, kPreferencesRules},
    kExtensions,
};

// The recursion is as deep as the rules.
void CheckTypes(const Fields& map, std::span<const FieldRule> rules) {
  for (const FieldRule& rule : rules) {
    switch (rule.type) {
      case FieldType::kString:
        (void)map.String(rule.name);
        break;
      case FieldType::kBool:
        (void)map.Bool(rule.name);
        break;
      case FieldType::kData:
        (void)map.Data(rule.name);
        break;
      case FieldType::kStrings:
        (void)map.Strings(rule.name);
        break;
      case FieldType::kStringMap:
        map.CheckStringMap(rule.name);
        break;
      case FieldType::kStringLists:
        (void)map.StringLists(rule.name);
        break;
      case FieldType::kMap:
        CheckTypes(map.Map(rule.name), rule.fields);
        break;
      case FieldType::kMaps:
        for (const Fields& each : map.Maps(rule.name)) CheckTypes(each, rule.fields);
        break;
    }
  }
}

// Checks the entries of a list, {name: ..., <field>: {...}}, also those that no context uses.
void CheckEntries(const Fields& root, const std::string& field, std::span<const FieldRule> rules) {
  std::set<std::string> names;
  for (const Fields& named : root.Maps(field + "s")) {
    const std::string name = named.String("name");
    if (!names.insert(name).second) named.Fail("name", "duplicate name \"" + name + "\"");
    std::string where = field;
    where.append(" \"").append(name).append("\"");
    CheckTypes(named.Map(field, std::move(where)), rules);
  }
}

// client-go decodes all of a file, so it refuses a wrong type anywhere.
void CheckFile(const Fields& root) {
  CheckTypes(root, kFileRules);
  CheckEntries(root, "cluster", kClusterRules);
  CheckEntries(root, "context", kContextRules);
  CheckEntries(root, "user", kUserRules);
}

tl::unexpected<Error> Invalid(std::string message) {
  return Err(ErrorReason::kInvalidArgument, std::move(message));
}

Expected<File> Parse(const std::string& path) {
  auto text = ReadFile(path);
  if (!text) return Err(text.error().Wrap("failed to load kubeconfig"));
  auto root = yaml::Parse(*text, path);
  if (!root) return Err(std::move(root.error()));
  if (!(*root)->IsMap() && !(*root)->IsNull()) {
    return Invalid(path + ": not a kubeconfig: a YAML map is expected");
  }
  const std::pair<const char*, std::set<std::string_view>> fields[] = {
      {"apiVersion", {"", "/", "v1", "/v1"}}, {"kind", {"", "Config"}}};
  for (const auto& [field, accepted] : fields) {
    const yaml::Value* value = (*root)->Find(field);
    if (value == nullptr || value->IsNull()) continue;
    if (value->IsString() && accepted.contains(value->text)) continue;
    return Invalid(yaml::FileAndLine(path, value->line) +
                   ": not a kubeconfig: apiVersion must be v1 and kind Config");
  }
  return File{.path = path, .root = *std::move(root)};
}

// Returns the entry with that name, {name: ..., <field>: {...}}, from the first file that has one.
std::optional<Fields> FindEntry(const std::vector<File>& files, const std::string& list,
                                const std::string& field, const std::string& name,
                                std::optional<Error>& error) {
  for (const File& file : files) {
    const Fields root(file.path, file.root.get(), "", error);
    std::optional<Fields> found;
    for (const Fields& named : root.Maps(list)) {
      if (named.String("name") != name) continue;
      if (found) named.Fail("name", "duplicate name \"" + name + "\"");
      found.emplace(named.Map(field));
    }
    if (error) return std::nullopt;
    if (!found) continue;
    // Messages name the entry, "user \"admin\"", not its position in the list.
    std::string where = field;
    where.append(" \"").append(name).append("\"");
    return Fields(file.path, found->map(), std::move(where), error);
  }
  return std::nullopt;
}

std::string FirstString(const std::vector<File>& files, const std::string& name,
                        std::optional<Error>& error) {
  for (const File& file : files) {
    std::string value = Fields(file.path, file.root.get(), "", error).String(name);
    if (!value.empty()) return value;
  }
  return {};
}

// Returns the cluster or user that a context names. A context that names none has the entry without
// a name, if there is one. nullopt: `error` is set, or there is no entry and no name.
std::optional<Fields> Referred(const std::vector<File>& files, const Fields& context,
                               const std::string& field, std::optional<Error>& error) {
  const std::string name = context.String(field);
  auto entry = FindEntry(files, field + "s", field, name, error);
  if (!entry && !name.empty()) {
    context.Fail(field, field + " \"" + name + "\" does not exist");
  }
  return entry;
}

Expected<rest::Config> ReadConfig(const std::vector<File>& files, std::string context_name) {
  const std::string source = Join(files, ":", &File::path);
  std::optional<Error> error;
  if (context_name.empty()) context_name = FirstString(files, "current-context", error);
  if (error) return Err(*std::move(error));
  if (context_name.empty()) {
    return Invalid(
        source +
        ": current-context is not set, so no cluster is chosen; set it to the name of a context");
  }
  const auto context = FindEntry(files, "contexts", "context", context_name, error);
  if (error) return Err(*std::move(error));
  if (!context) return Invalid(source + ": context \"" + context_name + "\" does not exist");

  rest::Config config;
  config.source = source;
  const auto cluster = Referred(files, *context, "cluster", error);
  if (!cluster) context->Require("cluster");
  if (cluster) ReadCluster(*cluster, config);
  if (error) return Err(*std::move(error));
  if (const auto user = Referred(files, *context, "user", error)) {
    config.user = user->where();
    ReadUser(*user, *cluster, config);
  }
  if (error) return Err(*std::move(error));
  for (const File& file : files) CheckFile(Fields(file.path, file.root.get(), "", error));
  if (error) return Err(*std::move(error));
  KeepWhatPlainHttpMayUse(config);
  return config;
}

}  // namespace

Expected<rest::Config> LoadKubeconfig(const std::vector<std::string>& paths,
                                      std::string_view context) {
  std::vector<File> files;
  for (const std::string& path : paths) {
    auto file = Parse(path);
    if (!file) return Err(std::move(file.error()));
    files.push_back(std::move(*file));
  }
  return ReadConfig(files, std::string(context));
}

}  // namespace capstan::clientcmd
