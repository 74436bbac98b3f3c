// SPDX-License-Identifier: Apache-2.0
// ObjectWatch keeps a copy of one object, found by its name, equal to that in the API server. It is
// for programs that need some objects of a kind and may not, or do not want to, watch all of them.
//
// It costs a few KiB over HTTP/2: its Reflector runs in a ReflectorPool, and there is no index and
// no queue. A SharedInformer of one object has two threads. Thread-safe. Has no upstream
// counterpart; kubelet's watch-based Secret manager has one Reflector for each Secret, too.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "capstan/cache/lister_watcher.h"
#include "capstan/cache/reflector.h"
#include "capstan/export.h"

namespace capstan::cache {

class ReflectorPool;

class CAPSTAN_EXPORT ObjectWatch {
 public:
  // Gets the object after it was added or changed, and its last known state after it was deleted.
  // The copy changes first. It runs on a thread that other watches need: it must not wait, and must
  // not call Stop.
  using OnChange = std::function<void(const runtime::ObjectPtr& object)>;

  // `pool` must outlive the watch. `source` returns no other object.
  ObjectWatch(ReflectorPool& pool, std::unique_ptr<ListerWatcher> source, ReflectorOptions options,
              OnChange on_change);
  // Calls Stop.
  ~ObjectWatch();

  // Ends the watch. After it returns, OnChange is not called.
  void Stop();
  bool HasSynced() const;
  // Returns null when the object does not exist, or before HasSynced.
  runtime::ObjectPtr Get() const;
  ReflectorStatus Status() const;
  const std::string& name() const;  // that of the options

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan::cache
