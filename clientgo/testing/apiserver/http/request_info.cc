// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/request_info.h"

#include <algorithm>
#include <string>
#include <vector>

#include "capstan/text.h"
#include "capstan/time.h"
#include "clientgo/testing/apiserver/storage/list.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kFinalize = "finalize";

// Served is how a subresource is served.
enum class Served { kNot, kReadAndWritten, kCreated, kUpdated };

Served HowServed(const Resource& resource, std::string_view subresource) {
  const bool written = (subresource == "status" && resource.status) ||
                       (subresource == "scale" && resource.scale) ||
                       (subresource == "approval" && resource.approval) ||
                       (subresource == "ephemeralcontainers" && resource.pods) ||
                       (subresource == "resize" && resource.pods);
  if (written) return Served::kReadAndWritten;
  const bool created = (subresource == "eviction" && resource.pods) ||
                       (subresource == "binding" && resource.pods) ||
                       (subresource == "token" && resource.tokens);
  if (created) return Served::kCreated;
  return subresource == kFinalize && IsNamespace(resource) ? Served::kUpdated : Served::kNot;
}

std::string Verb(const httpserver::Request& request, bool named) {
  if (request.method == "POST") return "create";
  if (request.method == "PUT") return "update";
  if (request.method == "PATCH") return "patch";
  if (request.method == "DELETE") return named ? "delete" : "deletecollection";
  if (named) return "get";
  return IsTrue(request.Query("watch")) ? "watch" : "list";
}

}  // namespace

bool ParseRequestInfo(const httpserver::Request& request, const CustomResources& resources,
                      RequestInfo& info) {
  const std::vector<std::string_view> parts = Split(request.path, '/');
  std::size_t at = 0;
  if (parts.size() >= 3 && parts[0] == "api") {
    info.version = parts[1];
    at = 2;
  } else if (parts.size() >= 4 && parts[0] == "apis") {
    info.group = parts[1];
    info.version = parts[2];
    at = 3;
  } else {
    return false;
  }
  // "namespaces/x/status" is a subresource of a namespace and not a namespaced resource.
  if (parts[at] == "namespaces" && parts.size() >= at + 3 && parts[at + 2] != "status" &&
      parts[at + 2] != kFinalize) {
    info.namespace_ = parts[at + 1];
    at += 2;
  }
  const std::size_t left = parts.size() - at;
  info.plural = parts[at];
  if (left > 1) info.name = parts[at + 1];
  if (left > 2) info.subresource = parts[at + 2];
  info.verb = Verb(request, !info.name.empty());
  if (left > 3) return false;
  info.resource = resources.Find(info.group, info.version, info.plural);
  return true;
}

std::string NameOf(const httpserver::Request& request, const RequestInfo& info) {
  constexpr std::string_view kByName = "metadata.name=";
  if (!info.name.empty() || (info.verb != "list" && info.verb != "watch")) return info.name;
  const std::string fields(request.Query("fieldSelector"));
  for (std::string_view term : Split(fields, ',')) {
    if (!term.starts_with(kByName)) continue;
    term.remove_prefix(kByName.size());
    if (term.starts_with('=')) term.remove_prefix(1);
    const bool is_name =
        term != "." && term != ".." && term.find_first_of("/%") == std::string_view::npos;
    return is_name ? std::string(term) : std::string();
  }
  return {};
}

AccessAttributes AccessTo(const httpserver::Request& request, const RequestInfo& info) {
  // Without a resource, RBAC uses the HTTP method as the verb.
  if (info.plural.empty()) return {.verb = LowerAscii(request.method), .path = request.path};
  // A namespace is in itself, so that a Role in it can grant rights on it.
  const bool is_namespace = info.group.empty() && info.plural == "namespaces";
  return {.verb = info.verb,
          .group = info.group,
          .version = info.version,
          .resource = info.plural,
          .subresource = info.subresource,
          .namespace_ = is_namespace ? info.name : info.namespace_,
          .name = NameOf(request, info)};
}

std::optional<Status> FindBadTimeout(const httpserver::Request& request, const RequestInfo& info) {
  const std::string_view timeout = request.Query("timeout");
  if (timeout.empty() || info.verb == "watch" || ParseDuration(timeout)) return std::nullopt;
  // Go names the unit that it does not know, if numbers precede it.
  const std::size_t number = timeout.find_first_not_of("+-0123456789.");
  const bool begins = timeout.find_first_of("0123456789") < std::min(number, timeout.size());
  std::string why = "invalid duration ";
  if (begins && number == std::string_view::npos) why = "missing unit in duration ";
  if (begins && number != std::string_view::npos) {
    const std::string_view unit = timeout.substr(number);
    why = "unknown unit " + Quote(unit.substr(0, unit.find_first_of("0123456789."))) +
          " in duration ";
  }
  return BadRequest("invalid timeout specified in the request URL - time: " + why + Quote(timeout));
}

std::optional<Status> FindUnserved(const RequestInfo& info, std::string_view method) {
  if (method == "HEAD") return MethodNotAllowed();
  if (info.resource == nullptr) return PathNotFound();
  const Served served = HowServed(*info.resource, info.subresource);
  if (!info.subresource.empty() && served == Served::kNot) {
    return info.resource->custom ? NotFound(*info.resource, info.name) : PathNotFound();
  }
  const bool namespaced = info.resource->namespaced;
  const bool has_namespace = !info.namespace_.empty();
  const bool named = !info.name.empty();
  if (has_namespace ? !namespaced : namespaced && named) return PathNotFound();
  const std::string& verb = info.verb;
  // Only a read may be of all namespaces.
  const bool everywhere = namespaced && !has_namespace && method != "GET";
  if (everywhere && info.resource->custom) return PathNotFound();
  if (info.resource->review && named) return PathNotFound();
  if (served == Served::kUpdated) {
    return verb == "update" ? std::nullopt : std::optional(MethodNotAllowed());
  }
  if (served == Served::kCreated || info.resource->review) {
    const bool allowed = verb == "create" && has_namespace == namespaced;
    return allowed ? std::nullopt : std::optional(MethodNotAllowed());
  }
  // The collection of the Namespaces alone cannot be deleted.
  const bool collection = !everywhere && !IsNamespace(*info.resource);
  bool allowed = method == "GET" || (verb == "deletecollection" && collection);
  if (verb == "create") allowed = !named && has_namespace == namespaced;
  if (verb == "update" || verb == "patch") allowed = named;
  if (verb == "delete") allowed = info.subresource.empty();
  if (!allowed) return MethodNotAllowed();
  return std::nullopt;
}

}  // namespace capstan::testing::apiserver
