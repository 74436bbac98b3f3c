// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/watcher.h"

#include <map>
#include <utility>

#include "clientgo/runtime/protobuf/protobuf_filter.h"
#include "clientgo/testing/apiserver/printers/table.h"
#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/protobuf_encoder.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::size_t kBatchBytes = 8U << 10U;  // clients buffer a whole chunk
constexpr std::size_t kPendingMax = 256U << 10U;
// kube-apiserver picks 30 to 60 minutes at random.
constexpr std::chrono::minutes kDefaultTimeout(45);

}  // namespace

Watcher::Watcher(std::shared_ptr<httpserver::Exchange> exchange, WatchRequest request,
                 std::size_t bytes_max, CallWebhooks call_webhooks)
    : exchange_(std::move(exchange)),
      request_(std::move(request)),
      bytes_max_(bytes_max),
      call_webhooks_(std::move(call_webhooks)) {}

void Watcher::Start(const Storage& storage) {
  exchange_->Begin(200,
                   request_.protobuf ? std::string(runtime::kProtobufContentType) + ";stream=watch"
                                     : std::string("application/json"),
                   DeprecationHeaders(*request_.resource));
  const ListOptions& options = request_.options;
  const std::uint64_t current = storage.resource_version();
  start_version_ = current;
  const bool from_version = options.version_number > 0;
  if (options.send_initial_events.value_or(!from_version)) {
    if (options.version_number > current) {
      QueueError(TooLargeResourceVersion(options.version_number, current));
    } else {
      QueueState(storage);
    }
  } else if (from_version) {
    StartAt(storage, options.version_number);
  }
  Pump();
}

void Watcher::QueueState(const Storage& storage) {
  storage.Visit(*request_.resource, request_.namespace_, storage.resource_version(), {},
                [&](const Storage::Entry& entry) {
                  if (request_.options.selector.Matches(*entry.object)) {
                    queue_.push_back({.type = "ADDED", .object = entry.object});
                  }
                  return true;
                });
  if (!request_.options.send_initial_events || !request_.options.allow_bookmarks) return;
  if (request_.withhold_bookmarks) return;
  queue_.push_back({.type = "BOOKMARK", .json = BookmarkJson(storage.resource_version(), true)});
}

void Watcher::StartAt(const Storage& storage, std::uint64_t version) {
  const std::uint64_t oldest = storage.OldestVersion(*request_.resource);
  if (version < oldest) {
    return QueueError(Expired("too old resource version: " + std::to_string(version) + " (" +
                              std::to_string(oldest) + ")"));
  }
  start_version_ = version;  // may be in the future
  for (const Event& event : storage.Events(*request_.resource)) {
    if (auto item = Select(event)) queue_.push_back(*std::move(item));
  }
}

void Watcher::QueueError(const Status& status) {
  queue_.push_back({.type = "ERROR", .json = status.ToJson().text()});
  ending_ = true;
}

void Watcher::Deliver(const Event& event) {
  if (ending_) return;
  auto item = Select(event);
  if (!item) return;
  item->live_bytes = item->object->text.size();
  Push(*std::move(item));
}

std::optional<Watcher::Item> Watcher::Select(const Event& event) const {
  const std::uint64_t version = event.object->resource_version;
  if (version <= start_version_ || !InNamespace(event.key, request_.namespace_)) {
    return std::nullopt;
  }
  const Selector& selector = request_.options.selector;
  const bool was = event.previous != nullptr && selector.Matches(*event.previous);
  const bool is = event.type != EventType::kDeleted && selector.Matches(*event.object);
  if (!was && !is) return std::nullopt;
  const char* const type = !is ? "DELETED" : was ? "MODIFIED" : "ADDED";
  // An object that leaves the selection is sent in its last state inside it.
  ObjectPtr object = event.object;
  if (!is && event.type != EventType::kDeleted) {
    const Resource& stored = StoredVersion(*request_.resource, *event.previous);
    object = MakeObject(stored, *ParseObject(*event.previous), version);
  }
  return Item{.type = type, .object = std::move(object)};
}

void Watcher::Bookmark(std::uint64_t version) {
  if (!request_.options.allow_bookmarks || request_.withhold_bookmarks || ending_) return;
  if (version < start_version_) return;
  Push({.type = "BOOKMARK", .json = BookmarkJson(version, false)});
}

void Watcher::End() {
  ending_ = true;
  if (!waiting_) Pump();
}

void Watcher::Push(Item item) {
  live_bytes_ += item.live_bytes;
  queue_.push_back(std::move(item));
  if (live_bytes_ > bytes_max_) {
    queue_.clear();  // the client must start again
    live_bytes_ = 0;
    ending_ = true;
  }
  if (!waiting_) Pump();
}

void Watcher::Convert(const std::shared_ptr<Conversions>& conversions,
                      const std::vector<ObjectPtr>& objects) {
  conversions->Begin();
  const auto shown = ShownAs(*request_.resource, objects, conversions.get());
  converting_ = conversions->pending();
  if (converting_) {
    return call_webhooks_(conversions->TakeCalls(),
                          [self = shared_from_this(), conversions, objects] {
                            self->Convert(conversions, objects);
                            self->Pump();
                          });
  }
  if (!shown) {
    queue_.clear();
    live_bytes_ = 0;
    return QueueError(shown.error());
  }
  std::map<const Object*, ObjectPtr> converted;
  for (std::size_t i = 0; i < objects.size(); ++i) converted[objects[i].get()] = (*shown)[i];
  for (Item& item : queue_) {
    const auto found = converted.find(item.object.get());
    if (found == converted.end() || item.converted) continue;
    item.object = found->second;
    item.converted = true;
  }
}

bool Watcher::IsBlocked() {
  const auto foreign = [&](const Item& item) {
    return item.object != nullptr && !item.converted &&
           !IsShownAs(*request_.resource, *item.object);
  };
  if (queue_.empty() || !foreign(queue_.front())) return false;
  if (converting_) return true;
  std::vector<ObjectPtr> objects;
  for (const Item& item : queue_) {
    if (foreign(item)) objects.push_back(item.object);
  }
  Convert(std::make_shared<Conversions>(NewObjectFields()), objects);
  return converting_;
}

void Watcher::Pump() {
  if (ended_) return;
  std::string batch;
  while (!queue_.empty() && batch.size() < kBatchBytes && !IsBlocked()) {
    const Item& item = queue_.front();
    if (request_.protobuf) {
      std::string json;
      AppendEventObject(json, item);
      batch += EncodeWatchEvent(item.type, ProtobufFromText(json));
    } else {
      batch.append(R"({"type":")").append(item.type).append(R"(","object":)");
      AppendEventObject(batch, item);
      batch += "}\n";
    }
    live_bytes_ -= item.live_bytes;
    queue_.pop_front();
  }
  const bool blocked = IsBlocked();
  if (!blocked || !batch.empty()) exchange_->Write(std::move(batch));
  if (blocked) return;  // the conversion continues
  if (queue_.empty() && ending_) {
    ended_ = true;
    return exchange_->End();
  }
  if (queue_.empty() && exchange_->PendingBytes() < kPendingMax) return;
  waiting_ = true;
  exchange_->WhenDrained([self = shared_from_this()] {
    self->waiting_ = false;
    self->Pump();
  });
}

void Watcher::AppendEventObject(std::string& out, const Item& item) {
  if (request_.form != Form::kTable || item.type == "ERROR") {
    out += item.json;
    if (item.object != nullptr) AppendObject(out, *item.object, request_.form);
    return;
  }
  // As kube-apiserver, only the first event has the definitions of the columns.
  const bool headers = !std::exchange(headers_sent_, true);
  const bool object = item.object != nullptr;
  out += TableJson(
             *request_.resource, {object ? item.object->text : item.json},
             {.form = request_.form,
              .include_object = request_.include_object,
              .headers = headers,
              .metadata = object ? VersionMetadata(item.object->resource_version) : Json::Object()})
             .text();
}

std::string Watcher::BookmarkJson(std::uint64_t version, bool initial_events_end) const {
  const bool partial = request_.form == Form::kMetadata;
  const Resource& resource = *request_.resource;
  Json annotations;
  if (initial_events_end) annotations = {{"k8s.io/initial-events-end", "true"}};
  Json bookmark = {
      {"kind", partial ? "PartialObjectMetadata" : resource.kind},
      {"apiVersion", partial ? std::string(request_.form.ApiVersion()) : resource.ApiVersion()},
      {"metadata", {{"resourceVersion", std::to_string(version)}, {"annotations", annotations}}}};
  // A bookmark also has the members that Go writes for an empty object.
  if (!partial) bookmark.AddMembers(ZeroJson(resource));
  return bookmark.text();
}

void Watchers::Start(const std::shared_ptr<httpserver::Exchange>& exchange, WatchRequest request) {
  const auto timeout = request.options.timeout.value_or(kDefaultTimeout);
  auto watcher = std::make_shared<Watcher>(exchange, std::move(request), parts_.bytes_max,
                                           parts_.call_webhooks);
  watchers_.emplace(watcher.get(), watcher);
  exchange->OnClose([this, key = watcher.get()] { watchers_.erase(key); });
  watcher->Start(parts_.storage);
  parts_.run_after(timeout, [weak = std::weak_ptr<Watcher>(watcher)] {
    if (const auto still_open = weak.lock()) still_open->End();
  });
}

void Watchers::Dispatch(const Resource& resource, const Event& event) {
  for (const auto& [key, watcher] : watchers_) {
    if (&StoredAs(watcher->resource()) == &resource) watcher->Deliver(event);
  }
}

void Watchers::SendBookmarks() {
  const std::uint64_t version = parts_.storage.resource_version();
  for (const auto& [key, watcher] : watchers_) watcher->Bookmark(version);
}

void Watchers::EndUnserved(const CustomResources& resources) {
  std::vector<std::shared_ptr<Watcher>> unserved;  // the end of one may change watchers_
  for (const auto& [key, watcher] : watchers_) {
    if (!resources.IsServed(watcher->resource())) unserved.push_back(watcher);
  }
  for (const auto& watcher : unserved) watcher->End();
}

void Watchers::AbortAll() {
  while (!watchers_.empty()) {
    const auto watcher = watchers_.begin()->second;
    watchers_.erase(watchers_.begin());
    watcher->Abort();
  }
}

}  // namespace capstan::testing::apiserver
