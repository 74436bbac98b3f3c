// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/request_builder.h"

#include <algorithm>
#include <utility>

#include "capstan/runtime/decoder.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"
#include "clientgo/runtime/protobuf/protobuf_filter.h"

namespace capstan::rest {

namespace {

// The server ends a watch without timeoutSeconds after 30 to 60 minutes.
constexpr std::chrono::seconds kServersLongestWatch = std::chrono::hours(1);
// Added to the duration of a watch for a slow server. The timeout is never shorter than the time
// between bookmarks.
constexpr auto kIdleMargin = std::chrono::seconds(30);
constexpr std::chrono::seconds kShortestIdle = std::chrono::minutes(3);

// Target builds a request target: the path, then "?a=b&c=d".
class Target {
 public:
  explicit Target(std::string path) : text_(std::move(path)) {}
  // Does nothing for an empty value.
  Target& Add(std::string_view name, std::string_view value) {
    if (value.empty()) return *this;
    text_ += first_ ? '?' : '&';
    first_ = false;
    text_.append(name).append("=").append(QueryEscape(value));
    return *this;
  }
  std::string Release() { return std::move(text_); }

 private:
  std::string text_;
  bool first_ = true;
};

// The second choice is for a server that does not have the first one, which would return 406.
std::string Accept(const runtime::ResourceType& type, std::string_view partial_kind,
                   ContentType content_type) {
  const std::string json = "application/json";
  std::string as;
  if (type.metadata_only) {
    as.append(";as=").append(partial_kind).append(";g=meta.k8s.io;v=v1");
  }
  std::string accept;
  if (content_type == ContentType::kProtobuf) {
    accept.append(runtime::kProtobufContentType).append(as).append(",");
  }
  return as.empty() ? accept + json : accept + json + as + "," + json;
}

transport::HttpRequest Request(std::string method, const runtime::ResourceType& type,
                               std::string target,
                               std::string_view partial_kind = "PartialObjectMetadata",
                               ContentType content_type = ContentType::kJson) {
  transport::HttpRequest request{.method = std::move(method), .target = std::move(target)};
  request.answer_timeout = kAnswerTimeout;
  request.headers.emplace_back("Accept", Accept(type, partial_kind, content_type));
  return request;
}

void AddBody(transport::HttpRequest& request, std::string body, std::string_view content_type) {
  request.headers.emplace_back("Content-Type", content_type);
  request.body = std::move(body);
}

std::string_view ToText(FieldValidation validation) {
  switch (validation) {
    case FieldValidation::kServerDefault:
      break;
    case FieldValidation::kIgnore:
      return "Ignore";
    case FieldValidation::kWarn:
      return "Warn";
    case FieldValidation::kStrict:
      return "Strict";
  }
  return {};
}

transport::HttpRequest WriteRequest(std::string method, const runtime::ResourceType& type,
                                    Target& target, const WriteOptions& options, std::string body,
                                    std::string_view content_type, bool force = false) {
  target.Add("fieldManager", options.field_manager)
      .Add("dryRun", options.dry_run ? "All" : "")
      .Add("fieldValidation", ToText(options.field_validation))
      .Add("force", force ? "true" : "");
  transport::HttpRequest request =
      Request(std::move(method), AnswerType(type, options), target.Release());
  AddBody(request, std::move(body), content_type);
  return request;
}

// Subject is what a verb names in its path.
struct Subject {
  std::string_view namespace_;
  std::string_view name = {};
  std::string_view subresource = {};
};

enum class Scope { kObject, kNewObject, kCollection };

// Returns the path for a verb. An empty part would change the meaning to, for example, the whole
// collection. So would "..", which a proxy may resolve.
Expected<Target> TargetOf(const runtime::ResourceType& type, Scope scope, const Subject& subject) {
  const auto invalid = [&](const std::string& why) {
    return Err(ErrorReason::kInvalidArgument,
               "invalid request for " + type.gvr.resource + ": " + why);
  };
  const bool needs_name =
      scope == Scope::kObject || (scope == Scope::kNewObject && !subject.subresource.empty());
  if (needs_name && subject.name.empty()) return invalid("the name must not be empty");
  if (!needs_name && !subject.name.empty()) {
    return invalid("a name without a subresource is not supported; the body has the name");
  }
  if (type.namespaced && scope != Scope::kCollection && subject.namespace_.empty()) {
    return invalid("the namespace must not be empty");
  }
  const std::pair<std::string_view, std::string_view> parts[] = {
      {"namespace", subject.namespace_},
      {"name", subject.name},
      {"subresource", subject.subresource}};
  for (const auto& [part, text] : parts) {
    if (text != "." && text != ".." && text.find_first_of("/%") == std::string_view::npos) continue;
    return invalid("the " + std::string(part) + " \"" + std::string(runtime::Excerpt(text)) +
                   R"(" must not be "." or ".." or contain "/" or "%")");
  }
  return Target(type.Path(subject.namespace_, subject.name, subject.subresource));
}

Expected<Target> ObjectTarget(const runtime::ResourceType& type, const runtime::ObjectKey& key,
                              std::string_view subresource = {}) {
  return TargetOf(type, Scope::kObject, {key.namespace_, key.name, subresource});
}

Expected<Target> CollectionTarget(const runtime::ResourceType& type, const ListOptions& options) {
  auto target = TargetOf(type, Scope::kCollection, {options.namespace_});
  if (!target) return target;
  target->Add("labelSelector", options.label_selector)
      .Add("fieldSelector", options.field_selector)
      .Add("resourceVersion", options.resource_version)
      .Add("resourceVersionMatch", options.resource_version_match)
      .Add("limit", options.limit > 0 ? std::to_string(options.limit) : "")
      .Add("continue", options.continue_token);
  return target;
}

std::string_view PatchContentType(PatchType type) {
  switch (type) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategicMerge:
      return "application/strategic-merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";  // JSON is valid YAML
  }
  return "application/json";
}

std::string_view ToText(PropagationPolicy policy) {
  switch (policy) {
    case PropagationPolicy::kServerDefault:
      break;
    case PropagationPolicy::kOrphan:
      return "Orphan";
    case PropagationPolicy::kBackground:
      return "Background";
    case PropagationPolicy::kForeground:
      return "Foreground";
  }
  return {};
}

void WriteDeleteOptions(runtime::JsonWriter& writer, const DeleteOptions& options) {
  writer.StartObject();
  runtime::WriteField(writer, "kind", "DeleteOptions");
  runtime::WriteField(writer, "apiVersion", "v1");
  if (options.grace_period) {
    writer.Key("gracePeriodSeconds");
    writer.Int64(options.grace_period->count());
  }
  if (!options.uid.empty() || !options.resource_version.empty()) {
    writer.Key("preconditions");
    writer.StartObject();
    runtime::WriteField(writer, "uid", options.uid);
    runtime::WriteField(writer, "resourceVersion", options.resource_version);
    writer.EndObject();
  }
  runtime::WriteField(writer, "propagationPolicy", ToText(options.propagation_policy));
  if (options.dry_run) {
    writer.Key("dryRun");
    writer.StartArray();
    writer.String("All");
    writer.EndArray();
  }
  writer.EndObject();
}

bool IsDefault(const DeleteOptions& options) {
  return options.uid.empty() && options.resource_version.empty() && !options.dry_run &&
         options.propagation_policy == PropagationPolicy::kServerDefault && !options.grace_period;
}

transport::HttpRequest NewDeleteRequest(const runtime::ResourceType& type, Target&& target,
                                        const DeleteOptions& options) {
  transport::HttpRequest request = Request("DELETE", type, target.Release());
  if (IsDefault(options)) return request;
  runtime::JsonWriter writer;
  WriteDeleteOptions(writer, options);
  AddBody(request, std::move(writer).Take(), "application/json");
  return request;
}

// Starts a JSON object with the kind, and with the name and namespace of `key`.
void StartObject(runtime::JsonWriter& writer, std::string_view kind, std::string_view api_version,
                 const runtime::ObjectKey& key, std::string_view uid = {}) {
  writer.StartObject();
  runtime::WriteField(writer, "kind", kind);
  runtime::WriteField(writer, "apiVersion", api_version);
  writer.Key("metadata");
  writer.StartObject();
  runtime::WriteField(writer, "name", key.name);
  runtime::WriteField(writer, "namespace", key.namespace_);
  runtime::WriteField(writer, "uid", uid);
  writer.EndObject();
}

// The type of the paths and headers only: the response is not decoded.
const runtime::ResourceType& PodType() {
  static const runtime::ResourceType type = {.gvr = {"", "v1", "pods"},
                                             .kind = "Pod",
                                             .namespaced = true,
                                             .projection = {{"kind"}},
                                             .decode = {}};
  return type;
}

Expected<transport::HttpRequest> CreatePodSubresource(const runtime::ObjectKey& pod,
                                                      std::string_view subresource,
                                                      std::string body) {
  return CreateRequest(PodType(), pod.namespace_, std::move(body),
                       {.subresource = std::string(subresource), .name = pod.name});
}

}  // namespace

std::string QueryEscape(std::string_view text) { return PercentEncode(text, "-._~"); }

Expected<transport::HttpRequest> GetRequest(const runtime::ResourceType& type,
                                            const runtime::ObjectKey& key,
                                            const GetOptions& options, ContentType content_type) {
  return ObjectTarget(type, key, options.subresource).map([&](Target&& target) {
    target.Add("resourceVersion", options.resource_version);
    return Request("GET", AnswerType(type, options), target.Release(), "PartialObjectMetadata",
                   content_type);
  });
}

Expected<transport::HttpRequest> ListRequest(const runtime::ResourceType& type,
                                             const ListOptions& options, ContentType content_type) {
  auto target = CollectionTarget(type, options);
  if (!target) return Err(std::move(target.error()));
  transport::HttpRequest request =
      Request("GET", type, target->Release(), "PartialObjectMetadataList", content_type);
  request.answer_timeout = Clock::Duration::max();  // a long list takes time
  return request;
}

Expected<transport::HttpRequest> WatchRequest(const runtime::ResourceType& type,
                                              const ListOptions& options,
                                              ContentType content_type) {
  auto target = CollectionTarget(type, options);
  if (!target) return Err(std::move(target.error()));
  const bool limited = options.timeout.count() > 0;
  target->Add("watch", "true")
      .Add("allowWatchBookmarks", options.allow_watch_bookmarks ? "true" : "")
      .Add("sendInitialEvents", options.send_initial_events ? "true" : "")
      .Add("timeoutSeconds", limited ? std::to_string(options.timeout.count()) : "");
  transport::HttpRequest request =
      Request("GET", type, target->Release(), "PartialObjectMetadata", content_type);
  const auto longest = limited ? options.timeout : kServersLongestWatch;
  request.idle_timeout = std::max(longest + kIdleMargin, kShortestIdle);
  request.answer_timeout = request.idle_timeout;
  request.long_running = true;
  return request;
}

Expected<transport::HttpRequest> CreateRequest(const runtime::ResourceType& type,
                                               std::string_view ns, std::string body,
                                               const WriteOptions& options) {
  return TargetOf(type, Scope::kNewObject, {ns, options.name, options.subresource})
      .map([&](Target&& target) {
        return WriteRequest("POST", type, target, options, std::move(body), "application/json");
      });
}

Expected<transport::HttpRequest> UpdateRequest(const runtime::ResourceType& type,
                                               const runtime::ObjectKey& key, std::string body,
                                               const WriteOptions& options) {
  return ObjectTarget(type, key, options.subresource).map([&](Target&& target) {
    return WriteRequest("PUT", type, target, options, std::move(body), "application/json");
  });
}

Expected<transport::HttpRequest> PatchRequest(const runtime::ResourceType& type,
                                              const runtime::ObjectKey& key, PatchType patch_type,
                                              std::string body, const WriteOptions& options) {
  const bool force = options.force && patch_type == PatchType::kApply;
  return ObjectTarget(type, key, options.subresource).map([&](Target&& target) {
    return WriteRequest("PATCH", type, target, options, std::move(body),
                        PatchContentType(patch_type), force);
  });
}

Expected<transport::HttpRequest> DeleteRequest(const runtime::ResourceType& type,
                                               const runtime::ObjectKey& key,
                                               const DeleteOptions& options) {
  return ObjectTarget(type, key).map(
      [&](Target&& target) { return NewDeleteRequest(type, std::move(target), options); });
}

Expected<transport::HttpRequest> DeleteCollectionRequest(const runtime::ResourceType& type,
                                                         const ListOptions& list,
                                                         const DeleteOptions& options) {
  return CollectionTarget(type, list).map([&](Target&& target) {
    return NewDeleteRequest(type, std::move(target), options);
  });
}

Expected<transport::HttpRequest> EvictRequest(const runtime::ObjectKey& pod,
                                              const DeleteOptions& options) {
  runtime::JsonWriter writer;
  StartObject(writer, "Eviction", "policy/v1", pod);
  if (!IsDefault(options)) {
    writer.Key("deleteOptions");
    WriteDeleteOptions(writer, options);
  }
  writer.EndObject();
  return CreatePodSubresource(pod, "eviction", std::move(writer).Take());
}

Expected<transport::HttpRequest> BindRequest(const runtime::ObjectKey& pod, std::string_view node,
                                             std::string_view uid) {
  runtime::JsonWriter writer;
  StartObject(writer, "Binding", "v1", pod, uid);
  writer.Key("target");
  writer.StartObject();
  runtime::WriteField(writer, "kind", "Node");
  runtime::WriteField(writer, "apiVersion", "v1");
  runtime::WriteField(writer, "name", node);
  writer.EndObject();
  writer.EndObject();
  return CreatePodSubresource(pod, "binding", std::move(writer).Take());
}

}  // namespace capstan::rest
