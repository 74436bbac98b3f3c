// SPDX-License-Identifier: Apache-2.0
// ObjectQueue lets a controller of the embedded server process objects after the write that
// concerns them, on the server's thread. They are processed in the order in which they were added,
// and an object waits at most once. Mirrors a workqueue with a worker, but without a thread and
// without retries: what fails is processed after its next change.
#pragma once

#include <compare>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

class ObjectQueue {
 public:
  struct Item {
    const Resource* resource = nullptr;
    std::string key = {};  // as in Storage

    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes <=> for a null pointer.
    friend auto operator<=>(const Item&, const Item&) = default;
  };
  // Runs a task later on the server's thread. Returns false if that does not run.
  using Post = std::function<bool(std::function<void()>)>;

  ObjectQueue(Post post, std::function<void(const Item&)> process)
      : post_(std::move(post)), process_(std::move(process)) {}

  void Add(Item item) {
    if (waiting_.insert(item).second) items_.push_back(std::move(item));
    Schedule();
  }
  // Continues with the objects that were added while the server's thread did not run.
  void Start() {
    scheduled_ = false;
    if (!items_.empty()) Schedule();
  }

 private:
  void Schedule() {
    if (!scheduled_) scheduled_ = post_([this] { Drain(); });
  }
  void Drain() {
    // In batches, so that requests are served between them.
    constexpr int kBatch = 100;
    for (int i = 0; i < kBatch && !items_.empty(); ++i) {
      const Item item = std::move(items_.front());
      items_.pop_front();
      waiting_.erase(item);
      process_(item);
    }
    scheduled_ = false;
    if (!items_.empty()) Schedule();
  }

  const Post post_;
  const std::function<void(const Item&)> process_;
  std::deque<Item> items_;
  std::set<Item> waiting_;  // the same, without an order
  bool scheduled_ = false;
};

}  // namespace capstan::testing::apiserver
