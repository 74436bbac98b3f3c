// SPDX-License-Identifier: Apache-2.0
// Watcher: one open watch: events queue up here and go out as fast as the client takes them. The
// queue holds references, not texts; live events that wait are bounded, initial ones are the
// storage's own. Watchers: all of them, fed by the storage. On the server's thread.
// Mirrors cacheWatcher and the Cacher's dispatch of k8s.io/apiserver/pkg/storage/cacher.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "apiserver/list_options.h"
#include "apiserver/object.h"
#include "apiserver/status.h"
#include "apiserver/storage.h"
#include "httpserver/server.h"

namespace apiserver {

struct WatchRequest {
  const Resource* resource = nullptr;
  std::string namespace_ = {};
  ListOptions options = {};
  Form form = Form::kFull;
  bool withhold_bookmarks = false;  // a fault
};

class Watcher : public std::enable_shared_from_this<Watcher> {
 public:
  Watcher(std::shared_ptr<httpserver::Exchange> exchange, WatchRequest request,
          std::size_t bytes_max);

  // Answers 200 and queues what the request's resourceVersion and options ask for first.
  void Start(const Storage& storage);
  void Deliver(const Event& event);
  // When the client allows them.
  void Bookmark(std::uint64_t version);
  void End();  // once the queue is empty
  void Abort() { exchange_->Abort(); }
  const Resource& resource() const { return *request_.resource; }

 private:
  struct Item {
    std::string_view type;
    ObjectPtr object;           // null: a bookmark or an error
    std::uint64_t version = 0;  // of a bookmark
    bool initial_events_end = false;
    std::string error;
    std::size_t live_bytes = 0;
  };

  void StartAt(const Storage& storage, std::uint64_t version);
  void QueueState(const Storage& storage);
  void QueueError(const Status& status);
  void Push(Item item);
  void Pump();
  void AppendItem(std::string& out, const Item& item) const;

  const std::shared_ptr<httpserver::Exchange> exchange_;
  const WatchRequest request_;
  const std::size_t bytes_max_;
  std::deque<Item> queue_;
  std::size_t live_bytes_ = 0;
  std::uint64_t start_version_ = 0;  // later events only
  bool waiting_ = false;             // for the socket
  bool ending_ = false;
  bool ended_ = false;
};

class Watchers {
 public:
  using RunAfter = std::function<void(std::chrono::milliseconds, std::function<void()>)>;

  Watchers(const Storage& storage, std::size_t bytes_max, RunAfter run_after)
      : storage_(storage), bytes_max_(bytes_max), run_after_(std::move(run_after)) {}

  void Start(const std::shared_ptr<httpserver::Exchange>& exchange, WatchRequest request);
  void Dispatch(const Resource& resource, const Event& event);
  void SendBookmarks();
  void AbortAll();
  std::size_t size() const { return watchers_.size(); }

 private:
  const Storage& storage_;
  const std::size_t bytes_max_;
  const RunAfter run_after_;
  std::unordered_map<Watcher*, std::shared_ptr<Watcher>> watchers_;
};

}  // namespace apiserver
