// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/api_handler.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "capstan/text.h"
#include "clientgo/runtime/protobuf/protobuf_filter.h"
#include "clientgo/testing/apiserver/http/discovery.h"
#include "clientgo/testing/apiserver/http/header_exchange.h"
#include "clientgo/testing/apiserver/http/health.h"
#include "clientgo/testing/apiserver/http/openapi.h"
#include "clientgo/testing/apiserver/http/request_body.h"
#include "clientgo/testing/apiserver/http/warnings.h"
#include "clientgo/testing/apiserver/http/write_options.h"
#include "clientgo/testing/apiserver/printers/table.h"
#include "clientgo/testing/apiserver/registry/disruption.h"
#include "clientgo/testing/apiserver/registry/reviews.h"
#include "clientgo/testing/apiserver/registry/subresources.h"
#include "clientgo/testing/apiserver/registry/token_request.h"
#include "clientgo/testing/apiserver/registry/write_path.h"
#include "clientgo/testing/apiserver/storage/list.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/kind_versions.h"
#include "clientgo/testing/apiserver/types/protobuf_encoder.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kJsonType = "application/json";
constexpr std::size_t kBodyBytesMax = 3U << 20U;

bool KnowsGroup(std::string_view group, const CustomResources& known) {
  const auto resources = known.All();
  return std::any_of(resources.begin(), resources.end(),
                     [&](const Resource* resource) { return resource->group == group; });
}

std::vector<Cause> CheckPatchOptions(const httpserver::Request& request, PatchKind kind) {
  auto causes = CheckWriteOptions(request);
  if (kind == PatchKind::kApply && request.Query("fieldManager").empty()) {
    causes.insert(causes.begin(), Required("fieldManager", "is required for apply patch"));
  } else if (kind != PatchKind::kApply && !request.Query("force").empty()) {
    causes.insert(causes.begin(),
                  ForbiddenField("force", "may not be specified for non-apply patch"));
  }
  return causes;
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

// Makes a request to `bindings` of a namespace one to the subresource `binding` of the Pod that the
// body names. Returns why it cannot; nullopt: the request is another one, or it did.
std::optional<Status> NameBoundPod(const httpserver::Request& request, const Storage& storage,
                                   const CustomResources& resources, RequestInfo& info) {
  constexpr Resource kBindings{.plural = "bindings"};
  const bool is_collection = info.group.empty() && info.version == "v1" &&
                             info.plural == "bindings" && info.name.empty() &&
                             !info.namespace_.empty();
  if (!is_collection) return std::nullopt;
  if (request.method != "POST") return MethodNotAllowed();
  httpserver::Request decoded = request;
  std::vector<std::string> repeats;
  if (auto error = DecodeBody(kBindings, decoded, repeats)) return error;
  runtime::JsonDocument binding;
  binding.Parse(decoded.body.data(), decoded.body.size());
  if (!binding.HasParseError() && binding.IsObject()) info.name = Metadata(binding, "name");
  if (auto rejected = CheckLifecycle(storage, kBindings, info.namespace_, info.name)) {
    return rejected;
  }
  if (info.name.empty()) return BadRequest("Name parameter required.");
  info.plural = "pods";
  info.subresource = "binding";
  info.resource = resources.Find(info.group, info.version, info.plural);
  return std::nullopt;
}

}  // namespace

void ApiHandler::Handle(httpserver::Request request,
                        std::shared_ptr<httpserver::Exchange> exchange) {
  Call call{.request = std::move(request), .exchange = std::move(exchange)};
  call.is_resource = ParseRequestInfo(call.request, parts_.resources, call.info);
  // For a non-resource request RBAC and the audit log use the HTTP method as the verb.
  call.match = {.verb = call.is_resource ? call.info.verb : LowerAscii(call.request.method),
                .resource = call.is_resource ? call.info.plural : std::string(),
                .user_agent = std::string(call.request.Header("User-Agent")),
                .subresource = call.info.subresource,
                .namespace_ = call.info.namespace_,
                .name = NameOf(call.request, call.info)};
  if (const auto bad = FindBadTimeout(call.request, call.info)) return Fail(call, *bad);
  call.authorizer = parts_.authorizer.ForRequest();
  Authorize(call);
}

void ApiHandler::Authorize(Call& call) {
  const Access access(parts_.authenticator, *call.authorizer);
  auto user = access.Identify(call.request);
  const bool identified = user.has_value();
  std::optional<Status> denial;
  if (identified) {
    call.user = *std::move(user);
  } else {
    denial = std::move(user.error());
  }
  AccessAttributes wanted = AccessTo(call.request, call.info);
  wanted.user = call.user;
  if (!denial) denial = access.FindDenial(wanted, call.request);
  if (auto reviews = TakeReviews(call); !reviews.empty()) {
    const auto waiting = std::make_shared<Call>(std::move(call));
    return parts_.webhook_calls.Run(reviews, [this, waiting] { Authorize(*waiting); });
  }
  const auto flow = identified ? parts_.flow_control.Classify(wanted) : std::nullopt;
  if (flow) {
    call.exchange = std::make_shared<HeaderExchange>(std::move(call.exchange), flow->Headers());
  }
  if (denial) return Refuse(call, *denial);
  Route(call);
}

std::vector<HookCall> ApiHandler::TakeReviews(const Call& call) {
  std::vector<HookCall> calls;
  for (AccessReviewCall& review : call.authorizer->reviews().TakeCalls()) {
    calls.push_back({.answer = [answer = std::move(review.answer)](
                                   std::string_view, const HookReply& reply) { answer(reply); },
                     .send = std::move(review.send)});
  }
  return calls;
}

void ApiHandler::Refuse(const Call& call, const Status& status) const {
  if (status.code != 500) return Fail(call, status);
  // Of these filters, kube-apiserver answers so in plain text.
  parts_.log.Add(call.match, status.code);
  call.exchange->Respond(status.code, "text/plain; charset=utf-8", status.message + "\n",
                         {{"X-Content-Type-Options", "nosniff"}});
}

void ApiHandler::Route(Call& call) {
  const std::string& path = call.request.path;
  if (const auto health = FindHealth(call.request)) {
    parts_.log.Add(call.match, 200);
    return call.exchange->Respond(200, "text/plain; charset=utf-8", *health);
  }
  const auto document =
      path.starts_with("/openapi/")
          ? FindOpenApi(path, call.request.Header("Accept"), parts_.resources.All())
          : std::nullopt;
  if (document) {
    parts_.log.Add(call.match, 200);
    return call.exchange->Respond(200, document->media_type, document->body);
  }
  const bool may_discover = !call.is_resource || call.info.plural.empty();
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
  if (const auto error = NameBoundPod(call.request, parts_.storage, parts_.resources, call.info)) {
    return Fail(call, *error);
  }
  const bool known = call.info.resource != nullptr ||
                     (call.is_resource && KnowsGroup(call.info.group, parts_.resources));
  if (known) return HandleResource(std::move(call));
  if (path.starts_with("/api/")) return Fail(call, PathNotFound());
  // kube-apiserver rejects an unknown group in plain text.
  parts_.log.Add(call.match, 404);
  call.exchange->Respond(404, "text/plain; charset=utf-8", "404 page not found\n");
}

void ApiHandler::HandleResource(Call call) {
  const Resource* const resource = call.info.resource;
  if (resource != nullptr && EscalationCheck::Concerns(*call.authorizer, *resource)) {
    call.escalation.emplace(*call.authorizer, call.user, call.info.name);
  }
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
  if (!std::exchange(call.prepared, true)) {
    if (const auto error = DecodeBody(*call.info.resource, call.request, call.repeats)) {
      return Fail(call, *error);
    }
    call.conversions = NewConversions(call);
    call.admission = NewAdmission(call);
  }
  if (call.conversions != nullptr) call.conversions->Begin();
  if (call.admission != nullptr) call.admission->Begin();
  Serve(call);
  if (!IsPending(call)) return;
  std::vector<HookCall> calls = TakeReviews(call);
  if (call.conversions != nullptr) {
    for (HookCall& one : call.conversions->TakeCalls()) calls.push_back(std::move(one));
  }
  if (call.admission != nullptr) {
    for (HookCall& one : call.admission->TakeCalls()) calls.push_back(std::move(one));
  }
  const auto waiting = std::make_shared<Call>(std::move(call));
  parts_.webhook_calls.Run(calls, [this, waiting] { Execute(*waiting); });
}

bool ApiHandler::IsPending(const Call& call) {
  return (call.authorizer != nullptr && call.authorizer->reviews().pending()) ||
         (call.conversions != nullptr && call.conversions->pending()) ||
         (call.admission != nullptr && call.admission->pending());
}

std::shared_ptr<Conversions> ApiHandler::NewConversions(const Call& call) const {
  const KindVersions* const versions = call.info.resource->versions;
  if (versions == nullptr || !versions->webhook) return nullptr;
  return std::make_shared<Conversions>(parts_.registry.NewFields());
}

std::shared_ptr<Admission> ApiHandler::NewAdmission(const Call& call) const {
  const httpserver::Request& request = call.request;
  const Resource& resource = *call.info.resource;
  const bool concerned = parts_.webhooks.MayMatch(resource) || parts_.policies.MayMatch(resource);
  if (request.method == "GET" || !concerned) return nullptr;
  auto options = WriteOptionsJson(request);
  const bool dry_run = !ListAt(*options, "dryRun").Empty();
  return std::make_shared<Admission>(Admission::Parts{
      .webhooks = parts_.webhooks,
      .storage = parts_.storage,
      .policies = &parts_.policies,
      .resources = &parts_.resources,
      .access = NewAccessChecker(*call.authorizer, call.user),
      .access_pending = [authorizer =
                             call.authorizer.get()] { return authorizer->reviews().pending(); },
      .conversions = call.conversions.get(),
      .user = call.user,
      .dry_run = dry_run,
      .options = std::move(options),
      .fields = parts_.registry.NewFields()});
}

void ApiHandler::Serve(Call& call) {
  const std::string& verb = call.info.verb;
  const std::string& subresource = call.info.subresource;
  if (verb == "create" && !subresource.empty() && !call.info.namespace_.empty()) {
    const auto rejected =
        CheckLifecycle(parts_.storage, *call.info.resource, call.info.namespace_, call.info.name);
    if (rejected) return Fail(call, *rejected);
  }
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
  const auto shown = ShownAs(*info.resource, object, call.conversions.get());
  if (!shown) return Fail(call, shown.error());
  ReplyObject(call, 200, **shown);
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
  auto shown = ShownAs(*call.info.resource, std::move(page->items), call.conversions.get());
  if (!shown) return Fail(call, shown.error());
  page->items = *std::move(shown);
  if (negotiated->form == Form::kTable) {
    std::vector<std::string_view> objects;
    for (const ObjectPtr& item : page->items) objects.push_back(item->text);
    return Reply(call, 200,
                 TableJson(*call.info.resource, objects,
                           {.form = negotiated->form,
                            .include_object = std::string(call.request.Query("includeObject")),
                            .metadata = ListMetadata(*page)})
                     .text());
  }
  parts_.log.Add(call.match, 200);
  SendPage(call.exchange, *call.info.resource, std::move(*page), negotiated->form,
           negotiated->protobuf);
}

void ApiHandler::Watch(Call& call) {
  // After a 503, the Java client of fabric8 watches with HTTP. It would wait for the end of a 200.
  if (EqualIgnoringCase(call.request.Header("Upgrade"), "websocket")) {
    return Fail(call, {.code = 503,
                       .reason = "ServiceUnavailable",
                       .message = "watches over WebSocket are not supported; watch with HTTP"});
  }
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
  Respond(call, code, std::move(body), WarningsOf(call, warnings));
}

httpserver::Headers ApiHandler::WarningsOf(const Call& call,
                                           const std::vector<std::string>& others) {
  httpserver::Headers headers;
  if (call.info.resource != nullptr) headers = DeprecationHeaders(*call.info.resource);
  std::vector<std::string> warnings = others;
  if (call.admission != nullptr) {
    const auto of_webhooks = call.admission->Warnings();
    warnings.insert(warnings.end(), of_webhooks.begin(), of_webhooks.end());
  }
  AddWarnings(warnings, headers);
  return headers;
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
  if (IsPending(call)) return;  // Execute will repeat it
  parts_.log.Add(call.match, status.code);
  const bool ignored = call.request.Query("fieldValidation") == "Ignore";
  httpserver::Headers headers =
      WarningsOf(call, ignored ? std::vector<std::string>() : status.warnings);
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
                           {.form = negotiated->form,
                            .include_object = std::string(call.request.Query("includeObject")),
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
  warnings.insert(warnings.end(), written->advice.begin(), written->advice.end());
  ReplyObject(call, written->created ? 201 : 200, *written->object, warnings);
}

WriteRequest ApiHandler::NewWriteRequest(const Call& call) {
  const httpserver::Request& request = call.request;
  const std::string_view user_agent = request.Header("User-Agent");
  std::string_view manager = request.Query("fieldManager");
  if (manager.empty()) manager = user_agent.substr(0, user_agent.find('/'));
  return {.resource = call.info.resource,
          .namespace_ = call.info.namespace_,
          .name = call.info.name,
          .subresource = call.info.subresource,
          .field_manager = std::string(manager.empty() ? "unknown" : manager),
          .force = IsTrue(request.Query("force")),
          .dry_run = !request.Query("dryRun").empty(),
          .strict = request.Query("fieldValidation") == "Strict",
          .repeats = call.repeats,
          .user = &call.user,
          .admission = call.admission.get(),
          .escalation = call.escalation ? &*call.escalation : nullptr,
          .conversions = call.conversions.get()};
}

void ApiHandler::Write(Call& call) {
  const WriteRequest write = NewWriteRequest(call);
  if (call.info.verb == "patch") return Patch(call, write);
  const bool create = call.info.verb == "create";
  if (auto causes = CheckWriteOptions(call.request); !causes.empty()) {
    return Fail(call,
                InvalidOptions(create ? "CreateOptions" : "UpdateOptions", std::move(causes)));
  }
  if (const auto unsupported = CheckMediaType(*write.resource, MediaType(call.request))) {
    return Fail(call, *unsupported);
  }
  if (write.resource->review || write.subresource == "token") return Answer(call, write);
  ReplyWritten(call, create ? parts_.registry.Create(write, call.request.body)
                            : parts_.registry.Update(write, call.request.body));
}

void ApiHandler::Answer(Call& call, const WriteRequest& write) {
  if (write.resource->review) {
    const Reviewer reviewer{
        .authenticator = parts_.authenticator, .authorizer = *call.authorizer, .user = call.user};
    return ReplyWritten(call, Review(reviewer, write, call.request.body));
  }
  const TokenIssuer issuer{.storage = parts_.storage,
                           .tokens = parts_.service_accounts,
                           .id = parts_.registry.NewFields().uid};
  ReplyWritten(call, RequestToken(issuer, write, call.request.body));
}

void ApiHandler::Patch(Call& call, const WriteRequest& write) {
  const auto kind = PatchKindOf(MediaType(call.request), *write.resource);
  if (!kind) return Fail(call, UnsupportedMediaType());
  auto causes = CheckPatchOptions(call.request, *kind);
  if (!causes.empty()) return Fail(call, InvalidOptions("PatchOptions", std::move(causes)));
  ReplyWritten(call, parts_.registry.Patch(write, *kind, call.request.body));
}

void ApiHandler::Scale(Call& call) {
  WriteRequest write = NewWriteRequest(call);
  const ObjectPtr object = parts_.storage.Get(*write.resource, Key(write.namespace_, write.name));
  if (object == nullptr) return Fail(call, NotFound(*write.resource, write.name));
  const auto found = ReadAs(*write.resource, *object, write.conversions);
  if (!found) return Fail(call, found.error());
  const runtime::JsonDocument& live = **found;
  if (call.info.verb == "get") {
    if (const auto none = FindNoReplicas(*write.resource, live)) return Fail(call, *none);
    return Reply(call, 200, ScaleJson(*write.resource, live).text());
  }
  const bool update = call.info.verb == "update";
  const auto kind =
      update ? PatchKind::kMerge : PatchKindOf(MediaType(call.request), *write.resource);
  if (!kind) return Fail(call, UnsupportedMediaType());
  auto causes = update ? CheckWriteOptions(call.request) : CheckPatchOptions(call.request, *kind);
  if (!causes.empty()) {
    return Fail(call, InvalidOptions(update ? "UpdateOptions" : "PatchOptions", std::move(causes)));
  }
  const auto scale = update ? UpdateScale(write, live, call.request.body)
                            : PatchScale(write, live, *kind, call.request.body);
  if (!scale) return Fail(call, scale.error());
  if (auto admitted = AdmitScale(write, live, **scale); !admitted) {
    return Fail(call, admitted.error());
  }
  const auto patch = PatchFromScale(write, live, **scale, update);
  if (!patch) return Fail(call, patch.error());
  write.admission = nullptr;
  write.tracked = true;
  const auto written = parts_.registry.Patch(write, PatchKind::kMerge, *patch);
  if (!written) return Fail(call, written.error());
  Reply(call, 200, ScaleJson(*write.resource, *ParseObject(*written->object)).text());
}

void ApiHandler::Evict(Call& call) {
  WriteRequest write = NewWriteRequest(call);
  write.admission = nullptr;
  const auto body = OptionsFromEviction(write, call.request.body);
  if (!body) return Fail(call, body.error());
  auto options = ParseDeleteOptions(call.request, *body);
  if (!options) return Fail(call, options.error());
  options->dry_run = options->dry_run || write.dry_run;
  const ObjectPtr pod = parts_.storage.Get(*write.resource, Key(write.namespace_, write.name));
  if (pod == nullptr) return Fail(call, NotFound(*write.resource, write.name));
  const auto allowed =
      CheckDisruptionBudget(parts_.storage, parts_.registry, *ParseObject(*pod), options->dry_run);
  if (!allowed) return Fail(call, allowed.error());
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
  if (deleted->created || write.resource->returns_deleted) {
    return ReplyObject(call, 200, *deleted->object, deleted->warnings);
  }
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
    auto shown = ShownAs(*write.resource, std::move(page->items), call.conversions.get());
    if (!shown) return Fail(call, shown.error());
    page->items = *std::move(shown);
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
