// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/request_builder.h"

#include <algorithm>
#include <utility>

#include "clientgo/runtime/json.h"
#include "clientgo/util/text.h"

namespace clientgo::rest {
namespace {

// A watch without timeoutSeconds ends when the server chooses, between 30 and 60 minutes.
constexpr std::chrono::seconds kServersLongestWatch = std::chrono::hours(1);
// The server's own slowness in ending a watch, and never less than the time between bookmarks.
constexpr auto kIdleMargin = std::chrono::seconds(30);
constexpr std::chrono::seconds kShortestIdle = std::chrono::minutes(3);

// A target under construction: the path, then "?a=b&c=d".
class Target {
 public:
  explicit Target(std::string path) : text_(std::move(path)) {}
  // Adds nothing for an empty value.
  Target& Add(std::string_view name, std::string_view value) {
    if (value.empty()) return *this;
    text_ += first_ ? '?' : '&';
    first_ = false;
    text_.append(name).append("=").append(QueryEscape(value));
    return *this;
  }
  Target& AddIf(bool condition, std::string_view name, std::string_view value) {
    return condition ? Add(name, value) : *this;
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  bool first_ = true;
};

std::string Accept(const runtime::ResourceType& type, std::string_view partial_kind) {
  if (!type.metadata_only) return "application/json";
  // Without the second choice a server that cannot do this would answer 406.
  return "application/json;as=" + std::string(partial_kind) +
         ";g=meta.k8s.io;v=v1,application/json";
}

transport::HttpRequest Request(std::string method, const runtime::ResourceType& type,
                               std::string target,
                               std::string_view partial_kind = "PartialObjectMetadata") {
  transport::HttpRequest request{.method = std::move(method), .target = std::move(target)};
  request.answer_timeout = kAnswerTimeout;
  request.headers.emplace_back("Accept", Accept(type, partial_kind));
  return request;
}

void AddBody(transport::HttpRequest& request, std::string body, std::string_view content_type) {
  request.headers.emplace_back("Content-Type", content_type);
  request.body = std::move(body);
}

Target& AddWriteOptions(Target& target, const WriteOptions& options) {
  return target.Add("fieldManager", options.field_manager).AddIf(options.dry_run, "dryRun", "All");
}

Target CollectionTarget(const runtime::ResourceType& type, const ListOptions& options) {
  Target target(type.Path(options.namespace_));
  target.Add("labelSelector", options.label_selector)
      .Add("fieldSelector", options.field_selector)
      .Add("resourceVersion", options.resource_version)
      .Add("resourceVersionMatch", options.resource_version_match)
      .AddIf(options.limit > 0, "limit", std::to_string(options.limit))
      .Add("continue", options.continue_token);
  return target;
}

std::string_view ContentType(PatchType type) {
  switch (type) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategicMerge:
      return "application/strategic-merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";  // JSON is YAML
  }
  return "application/json";
}

std::string DeleteBody(const DeleteOptions& options) {
  runtime::JsonBuffer buffer;
  runtime::JsonWriter writer(buffer);
  const auto member = [&writer](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    runtime::WriteKey(writer, key);
    runtime::WriteString(writer, value);
  };
  writer.StartObject();
  member("kind", "DeleteOptions");
  member("apiVersion", "v1");
  runtime::WriteKey(writer, "preconditions");
  writer.StartObject();
  member("uid", options.uid);
  member("resourceVersion", options.resource_version);
  writer.EndObject();
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

std::string QueryEscape(std::string_view text) { return util::PercentEncode(text, "-._~"); }

transport::HttpRequest GetRequest(const runtime::ResourceType& type,
                                  const runtime::ObjectKey& key) {
  return Request("GET", type, type.Path(key.namespace_, key.name));
}

transport::HttpRequest ListRequest(const runtime::ResourceType& type, const ListOptions& options) {
  transport::HttpRequest request =
      Request("GET", type, CollectionTarget(type, options).Take(), "PartialObjectMetadataList");
  request.answer_timeout = util::Clock::Duration::max();  // what the server takes to make it
  return request;
}

transport::HttpRequest WatchRequest(const runtime::ResourceType& type, const ListOptions& options) {
  Target target = CollectionTarget(type, options);
  target.Add("watch", "true")
      .AddIf(options.allow_watch_bookmarks, "allowWatchBookmarks", "true")
      .AddIf(options.send_initial_events, "sendInitialEvents", "true")
      .AddIf(options.timeout.count() > 0, "timeoutSeconds",
             std::to_string(options.timeout.count()));
  transport::HttpRequest request = Request("GET", type, target.Take());
  const auto longest = options.timeout.count() > 0 ? options.timeout : kServersLongestWatch;
  request.idle_timeout = std::max(longest + kIdleMargin, kShortestIdle);
  request.answer_timeout = request.idle_timeout;
  request.long_running = true;
  return request;
}

transport::HttpRequest CreateRequest(const runtime::ResourceType& type, std::string_view ns,
                                     std::string body, const WriteOptions& options) {
  Target target(type.Path(ns, {}, options.subresource));
  transport::HttpRequest request = Request("POST", type, AddWriteOptions(target, options).Take());
  AddBody(request, std::move(body), "application/json");
  return request;
}

transport::HttpRequest UpdateRequest(const runtime::ResourceType& type,
                                     const runtime::ObjectKey& key, std::string body,
                                     const WriteOptions& options) {
  Target target(type.Path(key.namespace_, key.name, options.subresource));
  transport::HttpRequest request = Request("PUT", type, AddWriteOptions(target, options).Take());
  AddBody(request, std::move(body), "application/json");
  return request;
}

transport::HttpRequest PatchRequest(const runtime::ResourceType& type,
                                    const runtime::ObjectKey& key, PatchType patch_type,
                                    std::string body, const WriteOptions& options) {
  Target target(type.Path(key.namespace_, key.name, options.subresource));
  AddWriteOptions(target, options)
      .AddIf(options.force && patch_type == PatchType::kApply, "force", "true");
  transport::HttpRequest request = Request("PATCH", type, target.Take());
  AddBody(request, std::move(body), ContentType(patch_type));
  return request;
}

transport::HttpRequest DeleteRequest(const runtime::ResourceType& type,
                                     const runtime::ObjectKey& key, const DeleteOptions& options) {
  transport::HttpRequest request = Request("DELETE", type, type.Path(key.namespace_, key.name));
  if (!options.uid.empty() || !options.resource_version.empty()) {
    AddBody(request, DeleteBody(options), "application/json");
  }
  return request;
}

}  // namespace clientgo::rest
