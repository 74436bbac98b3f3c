// SPDX-License-Identifier: Apache-2.0
// The writing verbs of ApiHandler (api_handler.h).
#include <algorithm>
#include <array>
#include <utility>

#include "apiserver/api_handler.h"
#include "apiserver/json_edit.h"
#include "apiserver/lister.h"

namespace apiserver {
namespace {

std::string_view MediaType(std::string_view content_type) {
  content_type = content_type.substr(0, content_type.find(';'));
  while (content_type.ends_with(' ')) content_type.remove_suffix(1);
  return content_type;
}

// client-go's default: the first word of the user agent.
std::string DefaultFieldManager(std::string_view user_agent) {
  return std::string(user_agent.substr(0, user_agent.find('/')));
}

std::string OptionsKind(std::string_view verb) {
  if (verb == "create") return "CreateOptions";
  if (verb == "update") return "UpdateOptions";
  return "PatchOptions";
}

struct PatchType {
  std::string_view media_type;
  PatchKind kind;
};
constexpr std::array kPatchTypes = {
    PatchType{.media_type = "application/json-patch+json", .kind = PatchKind::kJson},
    PatchType{.media_type = "application/merge-patch+json", .kind = PatchKind::kMerge},
    PatchType{.media_type = "application/strategic-merge-patch+json",
              .kind = PatchKind::kStrategic},
    // JSON is YAML; YAML that is not JSON is refused.
    PatchType{.media_type = "application/apply-patch+yaml", .kind = PatchKind::kApply},
};

// The body of a DELETE, when there is one.
struct DeleteBody {
  Preconditions preconditions;
  bool dry_run = false;
};

Result<DeleteBody> ParseDeleteBody(std::string_view body) {
  DeleteBody options;
  if (body.empty()) return options;
  std::string error;
  const auto document = ParseJson(body, &error);
  if (document == nullptr) return tl::unexpected(BadRequest("error decoding body: " + error));
  if (const JsonValue* const preconditions = Find(*document, "preconditions")) {
    options.preconditions = {
        .uid = std::string(GetString(*preconditions, "uid")),
        .resource_version = std::string(GetString(*preconditions, "resourceVersion"))};
  }
  const JsonValue* const dry_run = Find(*document, "dryRun");
  options.dry_run = dry_run != nullptr && dry_run->IsArray() && !dry_run->Empty();
  return options;
}

// What a DELETE answers once the object is gone.
std::string DeletedStatus(const Resource& resource, const Object& object) {
  JsonDocument metadata;
  metadata.Parse(object.metadata().data(), object.metadata().size());
  JsonDocument status;
  status.SetObject();
  auto& allocator = status.GetAllocator();
  SetString(status, "kind", "Status", allocator);
  SetString(status, "apiVersion", "v1", allocator);
  Ensure(status, "metadata", allocator);
  SetString(status, "status", "Success", allocator);
  JsonValue& details = Ensure(status, "details", allocator);
  SetString(details, "name", GetString(metadata, "name"), allocator);
  if (!resource.group.empty()) SetString(details, "group", resource.group, allocator);
  SetString(details, "kind", resource.plural, allocator);
  SetString(details, "uid", GetString(metadata, "uid"), allocator);
  return clientgo::runtime::ToJson(status);
}

}  // namespace

Result<WriteRequest> ApiHandler::NewWriteRequest(const Call& call) const {
  const auto& query = call.request;
  WriteRequest write{.resource = call.info.resource,
                     .namespace_ = call.info.namespace_,
                     .name = call.info.name,
                     .subresource = call.info.subresource,
                     .field_manager = std::string(query.Query("fieldManager")),
                     .force = IsTrue(query.Query("force"))};
  if (write.field_manager.empty()) {
    write.field_manager = DefaultFieldManager(query.Header("User-Agent"));
  }
  if (const std::string dry_run(query.Query("dryRun")); !dry_run.empty()) {
    if (dry_run != "All") {
      return tl::unexpected(
          InvalidOptions(OptionsKind(call.info.verb),
                         {NotSupported("dryRun", "[\"" + dry_run + "\"]", "\"All\"")}));
    }
    write.dry_run = true;
  }
  return write;
}

void ApiHandler::Write(Call& call) {
  const auto write = NewWriteRequest(call);
  if (!write) return Fail(call, write.error());
  if (call.info.verb == "patch") return Patch(call, *write);
  const std::string_view type = MediaType(call.request.Header("Content-Type"));
  if (!type.empty() && type != "application/json") {
    return Fail(call, {.code = 415,
                       .reason = "UnsupportedMediaType",
                       .message = "the body of the request was in an unknown format - accepted "
                                  "media types include: application/json"});
  }
  ReplyWritten(call, call.info.verb == "create"
                         ? parts_.registry.Create(*write, call.request.body)
                         : parts_.registry.Update(*write, call.request.body));
}

void ApiHandler::Patch(Call& call, const WriteRequest& write) {
  const std::string_view type = MediaType(call.request.Header("Content-Type"));
  const auto* const row =
      std::find_if(kPatchTypes.begin(), kPatchTypes.end(),
                   [&](const PatchType& entry) { return entry.media_type == type; });
  // Nobody declares patch strategies for custom resources.
  const bool supported =
      row != kPatchTypes.end() && !(row->kind == PatchKind::kStrategic && write.resource->custom);
  if (!supported) return Fail(call, UnsupportedMediaType());
  if (row->kind == PatchKind::kApply && call.request.Query("fieldManager").empty()) {
    return Fail(call, InvalidOptions("PatchOptions",
                                     {Required("fieldManager", "is required for apply patch")}));
  }
  ReplyWritten(call, parts_.registry.Patch(write, row->kind, call.request.body));
}

void ApiHandler::Delete(Call& call) {
  auto write = NewWriteRequest(call);
  if (!write) return Fail(call, write.error());
  const auto body = ParseDeleteBody(call.request.body);
  if (!body) return Fail(call, body.error());
  write->dry_run = write->dry_run || body->dry_run;
  const auto deleted = parts_.registry.Delete(*write, body->preconditions);
  if (!deleted) return Fail(call, deleted.error());
  if (deleted->created) return ReplyObject(call, 200, *deleted->object);
  Reply(call, 200, DeletedStatus(*write->resource, *deleted->object));
}

void ApiHandler::DeleteCollection(Call& call) {
  const auto write = NewWriteRequest(call);
  if (!write) return Fail(call, write.error());
  const auto options = ParseListOptions(*write->resource, call.request, false, parts_.watch_list);
  if (!options) return Fail(call, options.error());
  auto page = ReadPage(parts_.storage, *write->resource, write->namespace_, *options);
  if (!page) return Fail(call, page.error());
  for (const ObjectPtr& object : page->items) {
    JsonDocument metadata;
    metadata.Parse(object->metadata().data(), object->metadata().size());
    WriteRequest one = *write;
    one.namespace_ = GetString(metadata, "namespace");
    one.name = GetString(metadata, "name");
    const auto deleted = parts_.registry.Delete(one, {});
    if (!deleted) return Fail(call, deleted.error());
  }
  parts_.log.Add(call.match, 200);
  SendPage(call.exchange, *write->resource, std::move(*page), Form::kFull);
}

}  // namespace apiserver
