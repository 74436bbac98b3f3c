// SPDX-License-Identifier: Apache-2.0
// A Controller of the embedded server keeps objects in step with others, as the controllers of a
// real cluster do, but without requests and threads: it observes each change within its write, and
// processes objects later on the server's thread.
#pragma once

#include <utility>

#include "clientgo/testing/apiserver/registry/registry.h"
#include "clientgo/testing/apiserver/storage/object_queue.h"
#include "clientgo/testing/apiserver/storage/storage.h"

namespace capstan::testing::apiserver {

class Controller {
 public:
  // What every controller needs. The storage and the registry outlive the controllers.
  struct Server {
    const Storage& storage;
    Registry& registry;
    ObjectQueue::Post post = {};
  };

  virtual ~Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Called after every change, before its request is answered. Adds to the queue what needs a look.
  virtual void Observe(const Resource& resource, const Event& event) = 0;
  // Continues with what was observed while the server's thread did not run.
  void Start() { queue_.Start(); }

 protected:
  using Item = ObjectQueue::Item;

  explicit Controller(const Server& server)
      : storage_(server.storage),
        registry_(server.registry),
        queue_(server.post, [this](const Item& item) { Process(item); }) {}

  virtual void Process(const Item& item) = 0;
  void Add(Item item) { queue_.Add(std::move(item)); }

  const Storage& storage_;
  Registry& registry_;

 private:
  ObjectQueue queue_;
};

}  // namespace capstan::testing::apiserver
