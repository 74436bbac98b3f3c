// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/target_servers.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "capstan/api/gvr.h"
#include "capstan/base64.h"
#include "capstan/interner.h"
#include "capstan/runtime/decoder.h"
#include "capstan/runtime/json_value.h"
#include "capstan/text.h"

namespace capstan::cainjector {
namespace {

using Servers = std::vector<TargetServer>;

// Parses "https://host[:[port]][/path]". Returns nullopt if kube-apiserver could not call it
// either.
std::optional<std::pair<std::string, int>> ParseUrl(std::string_view url) {
  constexpr std::string_view kScheme = "https://";
  if (LowerAscii(url.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  url.remove_prefix(kScheme.size());
  url = url.substr(0, url.find_first_of("/?#"));
  const bool bracketed = url.starts_with('[');
  const std::size_t end = bracketed ? url.find(']') : url.find(':');
  std::string_view host = url.substr(0, end);
  if (bracketed) {
    if (end == std::string_view::npos) return std::nullopt;
    host.remove_prefix(1);
  }
  url.remove_prefix(std::min(url.size(), host.size() + (bracketed ? 2 : 0)));
  if (!url.empty() && !url.starts_with(':')) return std::nullopt;
  int port = 443;
  if (url.size() > 1) {
    const char* const last = url.data() + url.size();
    const auto [rest, error] = std::from_chars(url.data() + 1, last, port);
    if (error != std::errc() || rest != last) return std::nullopt;
  }
  if (host.empty() || port < 1 || port > 65535) return std::nullopt;
  return std::pair(std::string(host), port);
}

// Adds the server of `holder`, which has the fields service, url and caBundle.
void AddServer(const runtime::JsonValue* holder, std::string place, Servers& servers) {
  if (holder == nullptr) return;
  static Interner bundles;
  const auto bundle = Base64Decode(runtime::GetString(*holder, "caBundle"));
  TargetServer server{.place = std::move(place), .ca_bundle = bundles.Intern(bundle.value_or(""))};
  ServerReference& reference = server.reference;
  const runtime::JsonValue* service = runtime::Find(*holder, "service");
  if (service != nullptr && !runtime::GetString(*service, "name").empty()) {
    reference.service = {.namespace_ = std::string(runtime::GetString(*service, "namespace")),
                         .name = std::string(runtime::GetString(*service, "name"))};
    if (const int port = runtime::GetInt(*service, "port"); port != 0) reference.port = port;
  } else {
    auto parsed = ParseUrl(runtime::GetString(*holder, "url"));
    if (!parsed) return;
    std::tie(reference.host, reference.port) = *std::move(parsed);
  }
  servers.push_back(std::move(server));
}

Servers ServersOfWebhooks(const runtime::JsonValue& object) {
  Servers servers;
  const runtime::JsonValue* webhooks = runtime::Find(object, "webhooks");
  if (webhooks == nullptr) return servers;
  for (const runtime::JsonValue& webhook : runtime::JsonElements(*webhooks)) {
    const auto name = runtime::Excerpt(runtime::GetString(webhook, "name"));
    AddServer(runtime::Find(webhook, "clientConfig"), "webhook \"" + std::string(name) + "\"",
              servers);
  }
  return servers;
}

Servers ServersOfApiService(const runtime::JsonValue& object) {
  Servers servers;
  const runtime::JsonValue* spec = runtime::Find(object, "spec");
  if (spec != nullptr && runtime::GetBool(*spec, "insecureSkipTLSVerify")) return servers;
  AddServer(spec, "spec", servers);
  return servers;
}

Servers ServersOfDefinition(const runtime::JsonValue& object) {
  Servers servers;
  const runtime::JsonValue* conversion = runtime::FindPath(object, {"spec", "conversion"});
  if (conversion == nullptr || runtime::GetString(*conversion, "strategy") != "Webhook")
    return servers;
  AddServer(runtime::FindPath(*conversion, {"webhook", "clientConfig"}), "conversion webhook",
            servers);
  return servers;
}

std::vector<runtime::Projection::Path> PathsBelow(const runtime::Projection::Path& holder) {
  std::vector<runtime::Projection::Path> paths;
  for (const std::vector<std::string>& tail :
       std::vector<std::vector<std::string>>{{"service", "namespace"},
                                             {"service", "name"},
                                             {"service", "port"},
                                             {"url"},
                                             {"caBundle"}}) {
    paths.push_back(holder);
    paths.back().insert(paths.back().end(), tail.begin(), tail.end());
  }
  return paths;
}

runtime::ResourceType NewType(runtime::GroupVersionResource gvr, std::string kind,
                              const runtime::Projection::Path& holder,
                              std::vector<runtime::Projection::Path> more,
                              Servers (*decode)(const runtime::JsonValue& object)) {
  for (auto& path : PathsBelow(holder)) more.push_back(std::move(path));
  return {.gvr = std::move(gvr),
          .kind = std::move(kind),
          .projection = runtime::Projection(more),
          .decode = [decode](const runtime::ObjectIdentity& meta,
                             const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
            return runtime::MakeObject<TargetServers>(meta, decode(value));
          }};
}

}  // namespace

const runtime::ResourceType* TargetServersType(const std::string& resource) {
  static const std::vector<runtime::ResourceType> types = {
      NewType(api::ValidatingWebhookConfigurationsResource(), "ValidatingWebhookConfiguration",
              {"webhooks", "clientConfig"}, {{"webhooks", "name"}}, ServersOfWebhooks),
      NewType(api::MutatingWebhookConfigurationsResource(), "MutatingWebhookConfiguration",
              {"webhooks", "clientConfig"}, {{"webhooks", "name"}}, ServersOfWebhooks),
      NewType(api::ApiServicesResource(), "APIService", {"spec"},
              {{"spec", "insecureSkipTLSVerify"}}, ServersOfApiService),
      NewType(api::CustomResourceDefinitionsResource(), "CustomResourceDefinition",
              {"spec", "conversion", "webhook", "clientConfig"},
              {{"spec", "conversion", "strategy"}}, ServersOfDefinition)};
  for (const runtime::ResourceType& type : types) {
    if (type.gvr.resource == resource) return &type;
  }
  return nullptr;
}

}  // namespace capstan::cainjector
