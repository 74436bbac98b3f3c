// SPDX-License-Identifier: Apache-2.0
// Watcher is one open watch. It queues events and sends them as fast as the client reads. The queue
// holds references to objects. Only live events count against its limit. An event of an object in
// another version waits for its conversion, and later events wait for it. Watchers holds all open
// watches. Mirrors cacheWatcher and Cacher.dispatchEvents of k8s.io/apiserver/pkg/storage/cacher.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capstan/httpserver/server.h"
#include "clientgo/testing/apiserver/admission/conversion.h"
#include "clientgo/testing/apiserver/decoding/custom_resources.h"
#include "clientgo/testing/apiserver/storage/list.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

struct WatchRequest {
  const Resource* resource = nullptr;
  std::string namespace_ = {};
  ListOptions options = {};
  Form form = Form::kFull;
  bool protobuf = false;
  std::string include_object = {};  // of a Table
  bool withhold_bookmarks = false;  // a fault
};

// Makes calls of webhooks, and then calls `resume`.
using CallWebhooks = std::function<void(std::vector<HookCall> calls, std::function<void()> resume)>;

class Watcher : public std::enable_shared_from_this<Watcher> {
 public:
  Watcher(std::shared_ptr<httpserver::Exchange> exchange, WatchRequest request,
          std::size_t bytes_max, CallWebhooks call_webhooks);

  // Responds with 200 and queues the initial events.
  void Start(const Storage& storage);
  void Deliver(const Event& event);
  // Sends a bookmark if the client allows them.
  void Bookmark(std::uint64_t version);
  void End();  // after the queue is sent
  void Abort() { exchange_->Abort(); }
  const Resource& resource() const { return *request_.resource; }

 private:
  struct Item {
    std::string_view type;
    ObjectPtr object = {};  // null: a bookmark or an error
    std::string json = {};  // of a bookmark or an error
    std::size_t live_bytes = 0;
    bool converted = false;  // the object is in the version of the request
  };

  void StartAt(const Storage& storage, std::uint64_t version);
  void QueueState(const Storage& storage);
  void QueueError(const Status& status);
  std::string BookmarkJson(std::uint64_t version, bool initial_events_end) const;
  // Returns what the watch sends for an event, or nullopt.
  std::optional<Item> Select(const Event& event) const;
  // Appends the object of an event in the form of the request.
  void AppendEventObject(std::string& out, const Item& item);
  void Push(Item item);
  // Converts these objects of the queue. Continues later if they need a webhook.
  void Convert(const std::shared_ptr<Conversions>& conversions,
               const std::vector<ObjectPtr>& objects);
  // Reports whether the first event waits for a conversion, and starts that.
  bool IsBlocked();
  void Pump();

  const std::shared_ptr<httpserver::Exchange> exchange_;
  const WatchRequest request_;
  const std::size_t bytes_max_;
  const CallWebhooks call_webhooks_;
  std::deque<Item> queue_;
  std::size_t live_bytes_ = 0;
  std::uint64_t start_version_ = 0;  // only later events are sent
  bool headers_sent_ = false;        // of a Table
  bool waiting_ = false;             // for the socket
  bool converting_ = false;          // a webhook converts objects of the queue
  bool ending_ = false;
  bool ended_ = false;
};

class Watchers {
 public:
  struct Parts {
    const Storage& storage;
    std::size_t bytes_max = 0;
    std::function<void(std::chrono::milliseconds, std::function<void()>)> run_after;
    CallWebhooks call_webhooks;
  };
  explicit Watchers(Parts parts) : parts_(std::move(parts)) {}

  void Start(const std::shared_ptr<httpserver::Exchange>& exchange, WatchRequest request);
  // `resource` is that of the storage.
  void Dispatch(const Resource& resource, const Event& event);
  void SendBookmarks();
  // Ends the watches of versions that their definitions do not serve any more.
  void EndUnserved(const CustomResources& resources);
  void AbortAll();
  std::size_t size() const { return watchers_.size(); }

 private:
  const Parts parts_;
  std::unordered_map<Watcher*, std::shared_ptr<Watcher>> watchers_;
};

}  // namespace capstan::testing::apiserver
