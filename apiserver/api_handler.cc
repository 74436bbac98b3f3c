// SPDX-License-Identifier: Apache-2.0
#include "apiserver/api_handler.h"

#include <algorithm>
#include <utility>

#include "apiserver/discovery.h"
#include "apiserver/lister.h"
#include "clientgo/util/text.h"

namespace apiserver {
namespace {

using clientgo::util::LowerAscii;

constexpr std::string_view kJsonType = "application/json";
constexpr std::size_t kBodyBytesMax = 3U << 20U;

bool IsHealthPath(std::string_view path) {
  return path == "/healthz" || path == "/livez" || path == "/readyz";
}

// Of a group that nobody serves the real server says so in plain text.
bool KnowsGroup(std::string_view group) {
  const auto resources = Resources();
  return std::any_of(resources.begin(), resources.end(),
                     [&](const Resource& resource) { return resource.group == group; });
}

// A list or watch of one name is about that name. Mirrors apiserver's RequestInfoFactory, which is
// why RBAC's resourceNames apply to it.
std::string NameOf(const httpserver::Request& request, const RequestInfo& info) {
  constexpr std::string_view kByName = "metadata.name=";
  const std::string_view fields = request.Query("fieldSelector");
  if (!info.name.empty() || !fields.starts_with(kByName)) return info.name;
  return std::string(fields.substr(kByName.size()));
}

}  // namespace

void ApiHandler::Handle(httpserver::Request request,
                        std::shared_ptr<httpserver::Exchange> exchange) {
  Call call{.request = std::move(request),
            .info = {},
            .match = {},
            .user = {},
            .exchange = std::move(exchange)};
  const bool is_resource = ParseRequestInfo(call.request, call.info);
  // The verb that RBAC and the audit log know for a request that is about no resource.
  call.match = {.verb = is_resource ? call.info.verb : LowerAscii(call.request.method),
                .resource = is_resource ? call.info.plural : std::string(),
                .user_agent = std::string(call.request.Header("User-Agent")),
                .subresource = call.info.subresource,
                .namespace_ = call.info.namespace_,
                .name = NameOf(call.request, call.info)};
  if (IsHealthPath(call.request.path)) {
    parts_.log.Add(call.match, 200);
    return call.exchange->Respond(200, "text/plain; charset=utf-8", "ok");
  }
  if (!Authenticate(call)) return;
  if (IsSelfSubjectReview(call.request)) return Reply(call, 201, SelfSubjectReviewJson(call.user));
  if (const auto discovered = Discover(call.request.path, call.request.Header("Host"))) {
    if (call.request.method != "GET") return Fail(call, MethodNotAllowed());
    return Reply(call, 200, *discovered);
  }
  if (call.request.body.size() > kBodyBytesMax) return Fail(call, TooLarge(kBodyBytesMax));
  if (is_resource && KnowsGroup(call.info.group)) return HandleResource(std::move(call));
  if (call.request.path.starts_with("/api/")) return Fail(call, PathNotFound());
  parts_.log.Add(call.match, 404);
  call.exchange->Respond(404, "text/plain; charset=utf-8", "404 page not found\n");
}

bool ApiHandler::Authenticate(Call& call) {
  auto user = parts_.authenticator.Authenticate(call.request);
  if (!user) {
    Fail(call, user.error());
    return false;
  }
  call.user = *std::move(user);
  // Version and health are for everybody, as with the bootstrap roles of a real cluster.
  if (!call.user.IsAnonymous() || call.request.path == "/version") return true;
  if (call.info.resource == nullptr) {
    Fail(call, ForbiddenPath(call.request.path, call.user.name, LowerAscii(call.request.method)));
  } else {
    Fail(call, Forbidden(*call.info.resource, call.info.name, call.info.namespace_, call.user.name,
                         call.info.verb));
  }
  return false;
}

void ApiHandler::HandleResource(Call call) {
  const auto fault = parts_.faults.Take(call.match);
  if (!fault) return Execute(call);
  if (AnswerFault(*fault, call.exchange)) return parts_.log.Add(call.match, LoggedCode(*fault));
  call.withhold_bookmarks = fault->action == FaultAction::kWithholdBookmarks;
  if (fault->action == FaultAction::kCut) {
    call.exchange = CutAfter(std::move(call.exchange), fault->bytes);
  }
  if (fault->action != FaultAction::kDelay) return Execute(call);
  parts_.run_after(fault->delay,
                   [this, late = std::make_shared<Call>(std::move(call))] { Execute(*late); });
}

bool ApiHandler::RefuseUnservable(Call& call) {
  const RequestInfo& info = call.info;
  const auto refuse = [&](const Status& status) {
    Fail(call, status);
    return true;
  };
  if (call.request.method == "HEAD") return refuse(MethodNotAllowed());
  if (info.resource == nullptr) return refuse(PathNotFound());
  const bool known_subresource =
      info.subresource.empty() || (info.subresource == "status" && info.resource->status);
  if (!known_subresource) return refuse(PathNotFound());
  const bool has_namespace = !info.namespace_.empty();
  if (has_namespace && !info.resource->namespaced) return refuse(PathNotFound());
  const bool named = !info.name.empty();
  if (!has_namespace && info.resource->namespaced && named) return refuse(PathNotFound());
  const std::string& verb = info.verb;
  const bool allowed = verb == "create"   ? !named && has_namespace == info.resource->namespaced
                       : verb == "update" ? named
                       : verb == "patch"  ? named
                       : verb == "delete"
                           ? info.subresource.empty()
                           : call.request.method == "GET" || verb == "deletecollection";
  return allowed ? false : refuse(MethodNotAllowed());
}

void ApiHandler::Execute(Call& call) {
  if (RefuseUnservable(call)) return;
  const std::string& verb = call.info.verb;
  if (verb == "get") return Get(call);
  if (verb == "list") return List(call);
  if (verb == "watch") return Watch(call);
  if (verb == "delete") return Delete(call);
  if (verb == "deletecollection") return DeleteCollection(call);
  Write(call);
}

void ApiHandler::Get(Call& call) {
  const RequestInfo& info = call.info;
  if (const auto version = call.request.Query("resourceVersion"); !version.empty()) {
    const auto number = ParseVersion(version);
    if (!number) return Fail(call, InternalError(number.error()));
    const std::uint64_t current = parts_.storage.resource_version();
    if (*number > current) return Fail(call, TooLargeResourceVersion(*number, current));
  }
  const ObjectPtr object = parts_.storage.Get(*info.resource, Key(info.namespace_, info.name));
  if (object == nullptr) return Fail(call, NotFound(*info.resource, info.name));
  ReplyObject(call, 200, *object);
}

void ApiHandler::List(Call& call) {
  const auto form =
      NegotiateForm(call.request.Header("Accept"), *call.info.resource, Answering::kList);
  if (!form) return Fail(call, form.error());
  const auto options =
      ParseListOptions(*call.info.resource, call.request, false, parts_.watch_list);
  if (!options) return Fail(call, options.error());
  auto page = ReadPage(parts_.storage, *call.info.resource, call.info.namespace_, *options);
  if (!page) return Fail(call, page.error());
  parts_.log.Add(call.match, 200);
  SendPage(call.exchange, *call.info.resource, std::move(*page), *form);
}

void ApiHandler::Watch(Call& call) {
  const auto form =
      NegotiateForm(call.request.Header("Accept"), *call.info.resource, Answering::kWatch);
  if (!form) return Fail(call, form.error());
  auto options = ParseListOptions(*call.info.resource, call.request, true, parts_.watch_list);
  if (!options) return Fail(call, options.error());
  parts_.log.Add(call.match, 200);
  parts_.watchers.Start(call.exchange, {.resource = call.info.resource,
                                        .namespace_ = call.info.namespace_,
                                        .options = std::move(*options),
                                        .form = *form,
                                        .withhold_bookmarks = call.withhold_bookmarks});
}

void ApiHandler::Reply(const Call& call, int code, std::string body) const {
  parts_.log.Add(call.match, code);
  call.exchange->Respond(code, std::string(kJsonType), std::move(body) + "\n");
}

void ApiHandler::Fail(const Call& call, const Status& status) const {
  parts_.log.Add(call.match, status.code);
  std::vector<std::pair<std::string, std::string>> headers;
  if (status.retry_after) headers.emplace_back("Retry-After", std::to_string(*status.retry_after));
  call.exchange->Respond(status.code, std::string(kJsonType), status.ToJson() + "\n",
                         std::move(headers));
}

void ApiHandler::ReplyObject(const Call& call, int code, const Object& object) const {
  const auto form =
      NegotiateForm(call.request.Header("Accept"), *call.info.resource, Answering::kObject);
  if (!form) return Fail(call, form.error());
  std::string body;
  AppendObject(body, object, *form);
  Reply(call, code, std::move(body));
}

void ApiHandler::ReplyWritten(const Call& call, const Result<Written>& written) const {
  if (!written) return Fail(call, written.error());
  ReplyObject(call, written->created ? 201 : 200, *written->object);
}

}  // namespace apiserver
