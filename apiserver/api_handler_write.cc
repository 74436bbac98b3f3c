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
  return verb == "patch" ? "PatchOptions" : "DeleteOptions";
}

Cause BadDryRun(std::string_view value) {
  return NotSupported("dryRun", "[\"" + std::string(value) + "\"]", "\"All\"");
}

// What the options of a create, update or patch may not be.
std::vector<Cause> CheckWriteOptions(const httpserver::Request& query) {
  constexpr std::size_t kFieldManagerBytesMax = 128;
  std::vector<Cause> causes;
  if (query.Query("fieldManager").size() > kFieldManagerBytesMax) {
    causes.push_back({.reason = "FieldValueTooLong",
                      .message = "Too long: may not be more than 128 bytes",
                      .field = "fieldManager"});
  }
  if (const auto dry_run = query.Query("dryRun"); !dry_run.empty() && dry_run != "All") {
    causes.push_back(BadDryRun(dry_run));
  }
  const auto validation = query.Query("fieldValidation");
  if (!validation.empty() && validation != "Ignore" && validation != "Warn" &&
      validation != "Strict") {
    causes.push_back(NotSupported("fieldValidation", "\"" + std::string(validation) + "\"",
                                  R"("", "Ignore", "Strict", "Warn")"));
  }
  return causes;
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

// The options of a DELETE, in its body and in the query.
Result<DeleteOptions> ParseDeleteOptions(const httpserver::Request& request) {
  DeleteOptions options;
  auto body = std::make_unique<JsonDocument>();
  body->SetObject();
  if (!request.body.empty()) {
    std::string error;
    body = ParseJson(request.body, &error);
    if (body == nullptr) {
      return tl::unexpected(InternalError("couldn't get version/kind; json parse error: " + error));
    }
  }
  if (const JsonValue* const preconditions = Find(*body, "preconditions")) {
    options.uid = GetString(*preconditions, "uid");
    options.resource_version = GetString(*preconditions, "resourceVersion");
  }
  std::vector<Cause> causes;
  std::string propagation(GetString(*body, "propagationPolicy"));
  // With a body the query does not count.
  const bool query = request.body.empty();
  if (query) propagation = request.Query("propagationPolicy");
  const bool orphan_given = Find(*body, "orphanDependents") != nullptr;
  if (orphan_given && !propagation.empty()) {
    causes.push_back(InvalidValue("propagationPolicy", propagation,
                                  "orphanDependents and deletionPropagation cannot be both set"));
  } else if (!propagation.empty() && propagation != "Foreground" && propagation != "Background" &&
             propagation != "Orphan") {
    causes.push_back(NotSupported("propagationPolicy", "\"" + propagation + "\"",
                                  R"("Foreground", "Background", "Orphan", "nil")"));
  }
  if (propagation == "Foreground") options.finalizer = "foregroundDeletion";
  if (propagation == "Orphan") options.finalizer = "orphan";
  const JsonValue* const list = Find(*body, "dryRun");
  std::string dry_run(query ? request.Query("dryRun") : std::string_view());
  if (list != nullptr && list->IsArray() && !list->Empty()) dry_run = ToView((*list)[0]);
  if (!dry_run.empty() && dry_run != "All") causes.push_back(BadDryRun(dry_run));
  if (!causes.empty()) return tl::unexpected(InvalidOptions("DeleteOptions", std::move(causes)));
  options.dry_run = !dry_run.empty();
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

WriteRequest ApiHandler::NewWriteRequest(const Call& call) {
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
  write.dry_run = !query.Query("dryRun").empty();
  return write;
}

void ApiHandler::Write(Call& call) {
  const WriteRequest write = NewWriteRequest(call);
  auto causes = CheckWriteOptions(call.request);
  if (!causes.empty() && call.info.verb != "patch") {
    return Fail(call, InvalidOptions(OptionsKind(call.info.verb), std::move(causes)));
  }
  if (call.info.verb == "patch") return Patch(call, write);
  const std::string_view type = MediaType(call.request.Header("Content-Type"));
  if (!type.empty() && type != "application/json") {
    return Fail(call, {.code = 415,
                       .reason = "UnsupportedMediaType",
                       .message = "the body of the request was in an unknown format - accepted "
                                  "media types include: application/json"});
  }
  ReplyWritten(call, call.info.verb == "create" ? parts_.registry.Create(write, call.request.body)
                                                : parts_.registry.Update(write, call.request.body));
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
  auto causes = CheckWriteOptions(call.request);
  if (row->kind == PatchKind::kApply && call.request.Query("fieldManager").empty()) {
    causes.insert(causes.begin(), Required("fieldManager", "is required for apply patch"));
  } else if (row->kind != PatchKind::kApply && !call.request.Query("force").empty()) {
    causes.insert(causes.begin(),
                  ForbiddenField("force", "may not be specified for non-apply patch"));
  }
  if (!causes.empty()) {
    return Fail(call, InvalidOptions(OptionsKind(call.info.verb), std::move(causes)));
  }
  ReplyWritten(call, parts_.registry.Patch(write, row->kind, call.request.body));
}

void ApiHandler::Delete(Call& call) {
  WriteRequest write = NewWriteRequest(call);
  const auto options = ParseDeleteOptions(call.request);
  if (!options) return Fail(call, options.error());
  write.dry_run = options->dry_run;
  const auto deleted = parts_.registry.Delete(write, *options);
  if (!deleted) return Fail(call, deleted.error());
  if (deleted->created) return ReplyObject(call, 200, *deleted->object);
  Reply(call, 200, DeletedStatus(*write.resource, *deleted->object));
}

void ApiHandler::DeleteCollection(Call& call) {
  const WriteRequest write = NewWriteRequest(call);
  const auto delete_options = ParseDeleteOptions(call.request);
  if (!delete_options) return Fail(call, delete_options.error());
  const auto options = ParseListOptions(*write.resource, call.request, false, parts_.watch_list);
  if (!options) return Fail(call, options.error());
  auto page = ReadPage(parts_.storage, *write.resource, write.namespace_, *options);
  if (!page) return Fail(call, page.error());
  for (const ObjectPtr& object : page->items) {
    JsonDocument metadata;
    metadata.Parse(object->metadata().data(), object->metadata().size());
    WriteRequest one = write;
    one.dry_run = delete_options->dry_run;
    one.namespace_ = GetString(metadata, "namespace");
    one.name = GetString(metadata, "name");
    const auto deleted = parts_.registry.Delete(one, *delete_options);
    if (!deleted) return Fail(call, deleted.error());
  }
  parts_.log.Add(call.match, 200);
  SendPage(call.exchange, *write.resource, std::move(*page), Form::kFull);
}

}  // namespace apiserver
