// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/api_handler.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "capstan/text.h"
#include "clientgo/runtime/protobuf/protobuf_filter.h"
#include "clientgo/testing/apiserver/decoding/decoding.h"
#include "clientgo/testing/apiserver/decoding/protobuf.h"
#include "clientgo/testing/apiserver/http/discovery.h"
#include "clientgo/testing/apiserver/http/openapi.h"
#include "clientgo/testing/apiserver/http/write_options.h"
#include "clientgo/testing/apiserver/printers/table.h"
#include "clientgo/testing/apiserver/registry/subresources.h"
#include "clientgo/testing/apiserver/storage/list.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/protobuf_encoder.h"

namespace capstan::testing::apiserver {
namespace {

std::string Verb(const httpserver::Request& request, bool named) {
  if (request.method == "POST") return "create";
  if (request.method == "PUT") return "update";
  if (request.method == "PATCH") return "patch";
  if (request.method == "DELETE") return named ? "delete" : "deletecollection";
  if (named) return "get";
  return IsTrue(request.Query("watch")) ? "watch" : "list";
}

constexpr std::string_view kJsonType = "application/json";
constexpr std::size_t kBodyBytesMax = 3U << 20U;

bool KnowsGroup(std::string_view group, const CustomResources& known) {
  const auto resources = known.All();
  return std::any_of(resources.begin(), resources.end(),
                     [&](const Resource* resource) { return resource->group == group; });
}

// A list or watch with metadata.name=<name> is about that name, so that RBAC's resourceNames apply.
// Mirrors apiserver's RequestInfoFactory.
std::string NameOf(const httpserver::Request& request, const RequestInfo& info) {
  constexpr std::string_view kByName = "metadata.name=";
  const std::string_view fields = request.Query("fieldSelector");
  if (!info.name.empty() || !fields.starts_with(kByName)) return info.name;
  return std::string(fields.substr(kByName.size()));
}

// Returns the Content-Type without parameters.
std::string_view MediaType(const httpserver::Request& request) {
  const std::string_view type = request.Header("Content-Type");
  return Trim(type.substr(0, type.find(';')), " ");
}

void AddWarnings(const std::vector<std::string>& warnings, httpserver::Headers& headers) {
  for (const std::string& warning : warnings) {
    headers.emplace_back("Warning", "299 - " + Quote(warning));
  }
}

// Adds the warnings of this server alone. An author who relies on what it ignores would else not
// notice.
void AddLimits(const Resource& resource, const Object& object, std::vector<std::string>& warnings) {
  if (resource.ignored.empty() || object.text.find(resource.ignored) == std::string::npos) return;
  warnings.emplace_back(resource.ignored_warning);
}

// Returns nullopt for a type that the resource does not support.
std::optional<PatchKind> PatchKindOf(std::string_view media_type, const Resource& resource) {
  if (media_type == "application/json-patch+json") return PatchKind::kJson;
  if (media_type == "application/merge-patch+json") return PatchKind::kMerge;
  if (media_type == "application/strategic-merge-patch+json" && !resource.custom) {
    return PatchKind::kStrategic;
  }
  // Every JSON text is YAML. Other YAML is not supported.
  if (media_type == "application/apply-patch+yaml") return PatchKind::kApply;
  return std::nullopt;
}

// Returns the response to a request that succeeded and has no object to show.
Json Success(const Json& details, const Json& code) {
  return {{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", Json::Object()},
          {"status", "Success"}, {"details", details}, {"code", code}};
}

// Returns the response to a DELETE that removed the object.
Json DeletedStatus(const Resource& resource, const Object& object) {
  runtime::JsonDocument metadata;
  metadata.Parse(object.metadata().data(), object.metadata().size());
  return Success({{"name", runtime::GetString(metadata, "name")},
                  {"group", OmitEmpty(resource.group)},
                  {"kind", resource.plural},
                  {"uid", runtime::GetString(metadata, "uid")}},
                 {});
}

// Returns the response to an eviction or binding.
Json CreatedStatus() { return Success({}, 201); }

// Returns false when the path is not a resource path.
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
      parts[at + 2] != "finalize") {
    info.namespace_ = parts[at + 1];
    at += 2;
  }
  const std::size_t left = parts.size() - at;
  info.plural = parts[at];
  if (left > 1) info.name = parts[at + 1];
  if (left > 2) info.subresource = parts[at + 2];
  if (left > 3) return false;
  info.verb = Verb(request, !info.name.empty());
  info.resource = resources.Find(info.group, info.version, info.plural);
  return true;
}

// Replaces a protobuf body by JSON. Returns why it cannot; nullopt: the body is not protobuf, or it
// did. Custom resources have no protobuf encoding, but the options of their deletion do.
std::optional<Status> DecodeBody(const Resource& resource, httpserver::Request& request) {
  if (request.body.empty() || MediaType(request) != runtime::kProtobufContentType)
    return std::nullopt;
  if (resource.custom && request.method != "DELETE") return std::nullopt;
  auto json = JsonFromProtobuf(request.body);
  if (!json) {
    return BadRequest("the object provided is unrecognized (must be of type " +
                      std::string(resource.kind) + "): " + json.error());
  }
  request.body = *std::move(json);
  return std::nullopt;
}

// Returns why this path or method is not served; nullopt: it is.
std::optional<Status> FindUnserved(const RequestInfo& info, std::string_view method) {
  if (method == "HEAD") return MethodNotAllowed();
  if (info.resource == nullptr) return PathNotFound();
  const bool posted =
      info.resource->posted && (info.subresource == "eviction" || info.subresource == "binding");
  const bool status = (info.subresource == "status" && info.resource->status) ||
                      (info.subresource == "scale" && info.resource->scale);
  if (!info.subresource.empty() && !status && !posted) return PathNotFound();
  const bool namespaced = info.resource->namespaced;
  const bool has_namespace = !info.namespace_.empty();
  const bool named = !info.name.empty();
  if (has_namespace ? !namespaced : namespaced && named) return PathNotFound();
  const std::string& verb = info.verb;
  // Only a read may be of all namespaces.
  const bool everywhere = namespaced && !has_namespace && method != "GET";
  if (everywhere && info.resource->custom) return PathNotFound();
  if (posted) return verb == "create" ? std::nullopt : std::optional(MethodNotAllowed());
  bool allowed = method == "GET" || (verb == "deletecollection" && !everywhere);
  if (verb == "create") allowed = !named && has_namespace == namespaced;
  if (verb == "update" || verb == "patch") allowed = named;
  if (verb == "delete") allowed = info.subresource.empty();
  if (!allowed) return MethodNotAllowed();
  return std::nullopt;
}

}  // namespace

void ApiHandler::Handle(httpserver::Request request,
                        std::shared_ptr<httpserver::Exchange> exchange) {
  Call call{.request = std::move(request), .exchange = std::move(exchange)};
  const std::string& path = call.request.path;
  const bool is_resource = ParseRequestInfo(call.request, parts_.resources, call.info);
  // For a non-resource request RBAC and the audit log use the HTTP method as the verb.
  call.match = {.verb = is_resource ? call.info.verb : LowerAscii(call.request.method),
                .resource = is_resource ? call.info.plural : std::string(),
                .user_agent = std::string(call.request.Header("User-Agent")),
                .subresource = call.info.subresource,
                .namespace_ = call.info.namespace_,
                .name = NameOf(call.request, call.info)};
  if (path == "/healthz" || path == "/livez" || path == "/readyz") {
    parts_.log.Add(call.match, 200);
    return call.exchange->Respond(200, "text/plain; charset=utf-8", "ok");
  }
  auto user = Authenticate(call);
  if (!user) return Fail(call, user.error());
  call.user = *std::move(user);
  if (call.request.method == "POST" &&
      path == "/apis/authentication.k8s.io/v1/selfsubjectreviews") {
    return Reply(call, 201,
                 Json({{"kind", "SelfSubjectReview"},
                       {"apiVersion", "authentication.k8s.io/v1"},
                       {"metadata", Json::Object()},
                       {"status", {{"userInfo", call.user.ToJson()}}}})
                     .text());
  }
  const auto document =
      path.starts_with("/openapi/")
          ? FindOpenApi(path, call.request.Header("Accept"), parts_.resources.All())
          : std::nullopt;
  if (document) {
    parts_.log.Add(call.match, 200);
    return call.exchange->Respond(200, document->media_type, document->body);
  }
  const bool may_discover = !is_resource || call.info.plural.empty();
  if (const auto discovered = may_discover
                                  ? Discover({.path = path,
                                              .accept = call.request.Header("Accept"),
                                              .server_address = call.request.Header("Host")},
                                             parts_.resources.All())
                                  : std::nullopt) {
    if (call.request.method != "GET") return Fail(call, MethodNotAllowed());
    parts_.log.Add(call.match, 200);
    return call.exchange->Respond(200, discovered->content_type, discovered->body + "\n");
  }
  if (call.request.body.size() > kBodyBytesMax) {
    return Fail(call,
                {.code = 413,
                 .reason = "RequestEntityTooLarge",
                 .message = "Request entity too large: limit is " + std::to_string(kBodyBytesMax)});
  }
  const bool known = call.info.resource != nullptr ||
                     (is_resource && KnowsGroup(call.info.group, parts_.resources));
  if (known) return HandleResource(std::move(call));
  if (path.starts_with("/api/")) return Fail(call, PathNotFound());
  // kube-apiserver rejects an unknown group in plain text.
  parts_.log.Add(call.match, 404);
  call.exchange->Respond(404, "text/plain; charset=utf-8", "404 page not found\n");
}

Result<UserInfo> ApiHandler::Authenticate(const Call& call) const {
  auto user = parts_.authenticator.Authenticate(call.request);
  const std::string& path = call.request.path;
  // Anonymous users may read version and health, as the bootstrap roles of a cluster allow.
  if (!user || !user->IsAnonymous() || path == "/version") return user;
  const RequestInfo& info = call.info;
  return tl::unexpected(
      info.resource == nullptr
          ? ForbiddenPath(path, user->name, LowerAscii(call.request.method))
          : Forbidden(*info.resource, info.name, info.namespace_, user->name, info.verb));
}

void ApiHandler::HandleResource(Call call) {
  const auto fault = parts_.faults.Take(call.match);
  if (!fault) return Execute(call);
  const auto code = RespondWithFault(*fault, call.exchange);
  if (code) return parts_.log.Add(call.match, *code);
  call.withhold_bookmarks = fault->action == FaultAction::kWithholdBookmarks;
  if (fault->action == FaultAction::kCut) {
    call.exchange = CutAfter(std::move(call.exchange), fault->bytes);
  }
  if (fault->action != FaultAction::kDelay) return Execute(call);
  parts_.run_after(fault->delay,
                   [this, late = std::make_shared<Call>(std::move(call))] { Execute(*late); });
}

void ApiHandler::Execute(Call& call) {
  const auto unserved = FindUnserved(call.info, call.request.method);
  if (unserved) return Fail(call, *unserved);
  if (call.admission == nullptr) {
    if (const auto error = DecodeBody(*call.info.resource, call.request)) return Fail(call, *error);
    call.admission = NewAdmission(call);
  }
  if (call.admission == nullptr) return Serve(call);
  call.admission->Begin();
  Serve(call);
  if (!call.admission->pending()) return;
  const auto waiting = std::make_shared<Call>(std::move(call));
  parts_.webhook_calls.Run(waiting->admission, [this, waiting] { Execute(*waiting); });
}

std::shared_ptr<Admission> ApiHandler::NewAdmission(const Call& call) const {
  const httpserver::Request& request = call.request;
  if (request.method == "GET" || !parts_.webhooks.MayMatch(*call.info.resource)) return nullptr;
  auto options = WriteOptionsJson(request);
  const bool dry_run = !ListAt(*options, "dryRun").Empty();
  return std::make_shared<Admission>(Admission::Parts{.webhooks = parts_.webhooks,
                                                      .storage = parts_.storage,
                                                      .user = call.user,
                                                      .dry_run = dry_run,
                                                      .options = std::move(options),
                                                      .fields = parts_.registry.NewFields()});
}

void ApiHandler::Serve(Call& call) {
  const std::string& verb = call.info.verb;
  const std::string& subresource = call.info.subresource;
  if (subresource == "scale") return Scale(call);
  if (subresource == "eviction") return Evict(call);
  if (subresource == "binding") return Bind(call);
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

Result<Negotiated> ApiHandler::NegotiateFor(const Call& call, Answering answering) const {
  return Negotiate(call.request, *call.info.resource, answering, parts_.protobuf);
}

void ApiHandler::List(Call& call) {
  const auto negotiated = NegotiateFor(call, Answering::kList);
  if (!negotiated) return Fail(call, negotiated.error());
  const auto options =
      ParseListOptions(*call.info.resource, call.request, false, parts_.watch_list);
  if (!options) return Fail(call, options.error());
  auto page = ReadPage(parts_.storage, *call.info.resource, call.info.namespace_, *options);
  if (!page) return Fail(call, page.error());
  if (negotiated->form == Form::kTable) {
    std::vector<std::string_view> objects;
    for (const ObjectPtr& item : page->items) objects.push_back(item->text);
    return Reply(call, 200,
                 TableJson(*call.info.resource, objects,
                           {.include_object = std::string(call.request.Query("includeObject")),
                            .metadata = ListMetadata(*page)})
                     .text());
  }
  parts_.log.Add(call.match, 200);
  SendPage(call.exchange, *call.info.resource, std::move(*page), negotiated->form,
           negotiated->protobuf);
}

void ApiHandler::Watch(Call& call) {
  const auto negotiated = NegotiateFor(call, Answering::kWatch);
  if (!negotiated) return Fail(call, negotiated.error());
  auto options = ParseListOptions(*call.info.resource, call.request, true, parts_.watch_list);
  if (!options) return Fail(call, options.error());
  parts_.log.Add(call.match, 200);
  parts_.watchers.Start(call.exchange,
                        {.resource = call.info.resource,
                         .namespace_ = call.info.namespace_,
                         .options = std::move(*options),
                         .form = negotiated->form,
                         .protobuf = negotiated->protobuf,
                         .include_object = std::string(call.request.Query("includeObject")),
                         .withhold_bookmarks = call.withhold_bookmarks});
}

void ApiHandler::Reply(const Call& call, int code, std::string body,
                       const std::vector<std::string>& warnings) const {
  parts_.log.Add(call.match, code);
  std::vector<std::pair<std::string, std::string>> headers;
  AddWarnings(warnings, headers);
  if (call.admission != nullptr) AddWarnings(call.admission->Warnings(), headers);
  Respond(call, code, std::move(body), std::move(headers));
}

// A body without protobuf, such as a custom resource, stays JSON.
void ApiHandler::Respond(const Call& call, int code, std::string json,
                         std::vector<std::pair<std::string, std::string>> headers) const {
  if (parts_.protobuf && PrefersProtobuf(call.request)) {
    if (std::string body = ProtobufFromText(json); !body.empty()) {
      return call.exchange->Respond(code, std::string(runtime::kProtobufContentType),
                                    std::move(body), std::move(headers));
    }
  }
  call.exchange->Respond(code, std::string(kJsonType), std::move(json) + "\n", std::move(headers));
}

void ApiHandler::Fail(const Call& call, const Status& status) const {
  if (call.admission != nullptr && call.admission->pending()) return;  // Execute will repeat it
  parts_.log.Add(call.match, status.code);
  std::vector<std::pair<std::string, std::string>> headers;
  if (call.admission != nullptr) AddWarnings(call.admission->Warnings(), headers);
  if (status.retry_after) headers.emplace_back("Retry-After", std::to_string(*status.retry_after));
  Respond(call, status.code, status.ToJson().text(), std::move(headers));
}

void ApiHandler::ReplyObject(const Call& call, int code, const Object& object,
                             const std::vector<std::string>& warnings) const {
  const auto negotiated = NegotiateFor(call, Answering::kObject);
  if (!negotiated) return Fail(call, negotiated.error());
  if (negotiated->form == Form::kTable) {
    return Reply(call, code,
                 TableJson(*call.info.resource, {object.text},
                           {.include_object = std::string(call.request.Query("includeObject")),
                            .metadata = VersionMetadata(object.resource_version)})
                     .text(),
                 warnings);
  }
  std::string body;
  AppendObject(body, object, negotiated->form);
  Reply(call, code, std::move(body), warnings);
}

void ApiHandler::ReplyWritten(const Call& call, const Result<Written>& written) const {
  if (!written) return Fail(call, written.error());
  const bool ignored = call.request.Query("fieldValidation") == "Ignore";
  auto warnings = ignored ? std::vector<std::string>() : written->warnings;
  AddLimits(*call.info.resource, *written->object, warnings);
  ReplyObject(call, written->created ? 201 : 200, *written->object, warnings);
}

WriteRequest ApiHandler::NewWriteRequest(const Call& call) {
  const httpserver::Request& request = call.request;
  const std::string_view manager = request.Query("fieldManager");
  const std::string_view user_agent = request.Header("User-Agent");
  return {.resource = call.info.resource,
          .namespace_ = call.info.namespace_,
          .name = call.info.name,
          .subresource = call.info.subresource,
          .field_manager =
              std::string(manager.empty() ? user_agent.substr(0, user_agent.find('/')) : manager),
          .force = IsTrue(request.Query("force")),
          .dry_run = !request.Query("dryRun").empty(),
          .strict = request.Query("fieldValidation") == "Strict",
          .admission = call.admission.get()};
}

void ApiHandler::Write(Call& call) {
  const WriteRequest write = NewWriteRequest(call);
  if (call.info.verb == "patch") return Patch(call, write);
  const bool create = call.info.verb == "create";
  if (auto causes = CheckWriteOptions(call.request); !causes.empty()) {
    return Fail(call,
                InvalidOptions(create ? "CreateOptions" : "UpdateOptions", std::move(causes)));
  }
  const std::string_view type = MediaType(call.request);
  const bool decoded = type == runtime::kProtobufContentType && !call.info.resource->custom;
  if (!type.empty() && type != kJsonType && !decoded) {
    return Fail(call, {.code = 415,
                       .reason = "UnsupportedMediaType",
                       .message = "the body of the request was in an unknown format - accepted "
                                  "media types include: application/json"});
  }
  ReplyWritten(call, create ? parts_.registry.Create(write, call.request.body)
                            : parts_.registry.Update(write, call.request.body));
}

void ApiHandler::Patch(Call& call, const WriteRequest& write) {
  const auto kind = PatchKindOf(MediaType(call.request), *write.resource);
  if (!kind) return Fail(call, UnsupportedMediaType());
  auto causes = CheckWriteOptions(call.request);
  if (kind == PatchKind::kApply && call.request.Query("fieldManager").empty()) {
    causes.insert(causes.begin(), Required("fieldManager", "is required for apply patch"));
  } else if (kind != PatchKind::kApply && !call.request.Query("force").empty()) {
    causes.insert(causes.begin(),
                  ForbiddenField("force", "may not be specified for non-apply patch"));
  }
  if (!causes.empty()) return Fail(call, InvalidOptions("PatchOptions", std::move(causes)));
  ReplyWritten(call, parts_.registry.Patch(write, *kind, call.request.body));
}

void ApiHandler::Scale(Call& call) {
  WriteRequest write = NewWriteRequest(call);
  const ObjectPtr object = parts_.storage.Get(*write.resource, Key(write.namespace_, write.name));
  if (object == nullptr) return Fail(call, NotFound(*write.resource, write.name));
  const auto live = ParseObject(*object);
  if (call.info.verb == "get") return Reply(call, 200, ScaleJson(*live).text());
  const bool update = call.info.verb == "update";
  if (auto causes = CheckWriteOptions(call.request); !causes.empty()) {
    return Fail(call, InvalidOptions(update ? "UpdateOptions" : "PatchOptions", std::move(causes)));
  }
  const auto kind =
      update ? PatchKind::kMerge : PatchKindOf(MediaType(call.request), *write.resource);
  if (!kind || kind == PatchKind::kApply) return Fail(call, UnsupportedMediaType());
  const auto scale =
      update ? ParseScale(call.request.body) : PatchScale(*live, *kind, call.request.body);
  if (!scale) return Fail(call, scale.error());
  if (auto admitted = AdmitScale(write, *live, **scale); !admitted) {
    return Fail(call, admitted.error());
  }
  const auto patch = PatchFromScale(write, **scale);
  if (!patch) return Fail(call, patch.error());
  write.admission = nullptr;
  const auto written = parts_.registry.Patch(write, PatchKind::kMerge, *patch);
  if (!written) return Fail(call, written.error());
  Reply(call, 200, ScaleJson(*ParseObject(*written->object)).text());
}

void ApiHandler::Evict(Call& call) {
  WriteRequest write = NewWriteRequest(call);
  write.admission = nullptr;
  const auto body = OptionsFromEviction(write, call.request.body);
  if (!body) return Fail(call, body.error());
  auto options = ParseDeleteOptions(call.request, *body);
  if (!options) return Fail(call, options.error());
  options->dry_run = options->dry_run || write.dry_run;
  const auto deleted = parts_.registry.Delete(write, *options);
  if (!deleted) return Fail(call, deleted.error());
  Reply(call, 201, CreatedStatus().text());
}

void ApiHandler::Bind(Call& call) {
  WriteRequest write = NewWriteRequest(call);
  write.admission = nullptr;
  const ObjectPtr object = parts_.storage.Get(*write.resource, Key(write.namespace_, write.name));
  if (object == nullptr) return Fail(call, NotFound(*write.resource, write.name));
  const auto patch = PatchFromBinding(write, *ParseObject(*object), call.request.body);
  if (!patch) return Fail(call, patch.error());
  const auto written = parts_.registry.Patch(write, PatchKind::kMerge, *patch);
  if (!written) return Fail(call, written.error());
  Reply(call, 201, CreatedStatus().text());
}

void ApiHandler::Delete(Call& call) {
  const WriteRequest write = NewWriteRequest(call);
  const auto options = ParseDeleteOptions(call.request, call.request.body);
  if (!options) return Fail(call, options.error());
  const auto deleted = parts_.registry.Delete(write, *options);
  if (!deleted) return Fail(call, deleted.error());
  if (deleted->created) return ReplyObject(call, 200, *deleted->object, deleted->warnings);
  Reply(call, 200, DeletedStatus(*write.resource, *deleted->object).text());
}

void ApiHandler::DeleteCollection(Call& call) {
  const WriteRequest write = NewWriteRequest(call);
  const auto delete_options = ParseDeleteOptions(call.request, call.request.body);
  if (!delete_options) return Fail(call, delete_options.error());
  if (!call.page) {
    const auto options = ParseListOptions(*write.resource, call.request, false, parts_.watch_list);
    if (!options) return Fail(call, options.error());
    auto page = ReadPage(parts_.storage, *write.resource, write.namespace_, *options);
    if (!page) return Fail(call, page.error());
    call.page = *std::move(page);
  }
  for (; call.deleted < call.page->items.size(); ++call.deleted) {
    const Object& object = *call.page->items[call.deleted];
    runtime::JsonDocument metadata;
    metadata.Parse(object.metadata().data(), object.metadata().size());
    WriteRequest one = write;
    one.namespace_ = runtime::GetString(metadata, "namespace");
    one.name = runtime::GetString(metadata, "name");
    one.of_collection = true;
    if (parts_.storage.Get(*one.resource, Key(one.namespace_, one.name)) == nullptr) continue;
    const auto deleted = parts_.registry.Delete(one, *delete_options);
    if (!deleted) return Fail(call, deleted.error());
  }
  parts_.log.Add(call.match, 200);
  SendPage(call.exchange, *write.resource, *std::move(call.page), Form::kFull);
}

}  // namespace capstan::testing::apiserver
