// SPDX-License-Identifier: Apache-2.0
#include "cmd/test-server/authorization_flags.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "capstan/file.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"
#include "capstan/time.h"

namespace capstan::cmd::test_server {
namespace {

using flags::Bind;

bool Has(const std::vector<std::string>& modes, const char* mode) {
  return std::find(modes.begin(), modes.end(), mode) != modes.end();
}

Expected<void> CheckModes(const AuthorizationFlags& flags) {
  for (const std::string& mode : flags.modes) {
    if (mode == "ABAC") {
      return flags::InvalidArgument(mode, "authorization-mode",
                                    "ABAC is not supported; use RBAC or Webhook");
    }
    const bool known = mode == "AlwaysAllow" || mode == "AlwaysDeny" || mode == "Node" ||
                       mode == "RBAC" || mode == "Webhook";
    if (known) continue;
    return flags::InvalidArgument(mode, "authorization-mode",
                                  "expected AlwaysAllow, AlwaysDeny, Node, RBAC or Webhook");
  }
  if (std::set(flags.modes.begin(), flags.modes.end()).size() != flags.modes.size()) {
    return flags::InvalidArgument(Join(flags.modes, ","), "authorization-mode",
                                  "a mode is given twice");
  }
  const bool has_file = !flags.webhook_config_file.empty();
  if (Has(flags.modes, "Webhook") == has_file) return {};
  return Err(ErrorReason::kInvalidArgument,
             has_file ? "cannot specify --authorization-webhook-config-file without mode Webhook"
                      : "authorization-mode Webhook's authorization config file not passed; set "
                        "--authorization-webhook-config-file");
}

void WriteText(std::string_view key, std::string_view text, runtime::JsonWriter& json) {
  json.Key(key);
  json.String(text);
}

void WriteTtl(const std::string& word, std::chrono::nanoseconds ttl, runtime::JsonWriter& json) {
  if (ttl.count() == 0) {
    json.Key("cache" + word + "Requests");
    json.Bool(false);
  } else {
    WriteText(LowerAscii(word) + "TTL", FormatDuration(ttl), json);
  }
}

// Returns the AuthorizationConfiguration with the same authorizers.
std::string ConfigurationOf(const AuthorizationFlags& flags) {
  runtime::JsonWriter json;
  json.StartObject();
  WriteText("apiVersion", "apiserver.config.k8s.io/v1", json);
  WriteText("kind", "AuthorizationConfiguration", json);
  json.Key("authorizers");
  json.StartArray();
  for (const std::string& mode : flags.modes) {
    json.StartObject();
    WriteText("type", mode, json);
    WriteText("name", mode == "Webhook" ? "default" : LowerAscii(mode), json);
    if (mode == "Webhook") {
      json.Key("webhook");
      json.StartObject();
      WriteText("timeout", "30s", json);
      WriteText("failurePolicy", "NoOpinion", json);
      WriteText("subjectAccessReviewVersion", flags.webhook_version, json);
      WriteTtl("Authorized", flags.authorized_ttl, json);
      WriteTtl("Unauthorized", flags.unauthorized_ttl, json);
      json.Key("connectionInfo");
      json.StartObject();
      WriteText("type", "KubeConfigFile", json);
      WriteText("kubeConfigFile", std::filesystem::absolute(flags.webhook_config_file).string(),
                json);
      json.EndObject();
      json.EndObject();
    }
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return std::move(json).Take();
}

}  // namespace

std::vector<flags::Flag> AuthorizationFlags::Flags() {
  return {
      Bind("authorization-mode", &modes,
           "Authorization modes, in their order: AlwaysAllow, AlwaysDeny, Node, RBAC and Webhook. "
           "Default: AlwaysAllow."),
      Bind("authorization-config", &config,
           "AuthorizationConfiguration with the authorizers, instead of the other "
           "--authorization flags. It is read once."),
      Bind("authorization-webhook-config-file", &webhook_config_file,
           "Kubeconfig of the server that the mode Webhook asks."),
      Bind("authorization-webhook-version", &webhook_version,
           "Version of the SubjectAccessReview: v1beta1 or v1."),
      Bind("authorization-webhook-cache-authorized-ttl", &authorized_ttl,
           "Time for which an allowed answer is remembered. 0: not at all."),
      Bind("authorization-webhook-cache-unauthorized-ttl", &unauthorized_ttl,
           "Time for which any other answer is remembered. 0: not at all.")};
}

Expected<void> AuthorizationFlags::Apply(testing::apiserver::Options& server) const {
  if (!config.empty()) {
    const AuthorizationFlags defaults;
    const bool others = !modes.empty() || !webhook_config_file.empty() ||
                        webhook_version != defaults.webhook_version ||
                        authorized_ttl != defaults.authorized_ttl ||
                        unauthorized_ttl != defaults.unauthorized_ttl;
    if (others) {
      return Err(ErrorReason::kInvalidArgument,
                 "--authorization-config can not be specified when --authorization-mode or "
                 "--authorization-webhook-* flags are defined");
    }
    auto text = ReadFile(config);
    if (!text) return Err(text.error().Wrap("--authorization-config"));
    server.authorization_config = *std::move(text);
    // The server takes an empty text for none.
    if (server.authorization_config.empty()) server.authorization_config = "\n";
    return {};
  }
  if (auto valid = CheckModes(*this); !valid) return valid;
  if (modes.empty() || modes == std::vector<std::string>{"AlwaysAllow"}) return {};
  server.authorization = testing::apiserver::Authorization::kRbac;
  if (modes == std::vector<std::string>{"RBAC"}) return {};
  server.authorization_config = ConfigurationOf(*this);
  // kube-apiserver does not let anonymous users do everything.
  if (Has(modes, "AlwaysAllow")) server.anonymous_auth = false;
  return {};
}

}  // namespace capstan::cmd::test_server
