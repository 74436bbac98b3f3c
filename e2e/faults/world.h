// SPDX-License-Identifier: Apache-2.0
// World: an API server, a network before it that can be damaged, and what the server holds, known
// from the answers to the one who writes (past the network, so that no write is in doubt).
// WatchedNotes: an informer behind that network, with two handlers.
#pragma once

#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "clientgo/cache/shared_informer.h"
#include "clientgo/rest/client.h"
#include "clientgo/testing/apiserver/server.h"
#include "clientgo/testing/fault_proxy.h"
#include "e2e/faults/note.h"
#include "e2e/faults/scaled_clock.h"

namespace e2e {

using clientgo::testing::FaultProxy;

struct WorldOptions {
  // How often a watch that has nothing to tell gets a bookmark.
  std::chrono::milliseconds bookmark_period{20};
  // How long a peer of WatchedNotes may be silent in anything but a watch, in real time.
  std::chrono::milliseconds request_timeout{200};
};

class World {
 public:
  explicit World(WorldOptions options = {});

  // One write: create, update, relabel or delete. Nothing while the server is stopped.
  void Churn(std::mt19937_64& dice);
  void Churn(std::mt19937_64& dice, int times);
  void StopServer();
  void StartServer();
  // All is well again from now on. Connections that went silent are broken, as a router that comes
  // back breaks them.
  void Heal();

  // What the server holds; with an `app`: what has that label.
  NoteStates Notes(const std::string& app = "") const;
  // The same, asked of the server.
  NoteStates FreshList() const;
  // Requests of WatchedNotes, answered or not.
  std::uint64_t Requests(const std::string& verb = "") const;

  clientgo::testing::apiserver::Server& server() { return server_; }
  FaultProxy& network() { return *network_; }
  ScaledClock& clock() { return clock_; }
  const WorldOptions& options() const { return options_; }

 private:
  void Create(const clientgo::runtime::ObjectKey& key, std::mt19937_64& dice);
  void Patch(const clientgo::runtime::ObjectKey& key, const std::string& metadata);
  void Remember(const clientgo::util::Expected<clientgo::runtime::ObjectPtr>& written);

  const WorldOptions options_;
  ScaledClock clock_;
  clientgo::testing::apiserver::Server server_;
  bool started_ = false;
  std::unique_ptr<FaultProxy> network_;
  std::unique_ptr<clientgo::rest::Client> writer_;
  NoteStates notes_;
};

inline constexpr char kWatchedAgent[] = "watched";

class WatchedNotes {
 public:
  // `app`: only what has that label. Runs from now on.
  WatchedNotes(World& world, bool watch_list, std::string app = "");

  // Waits until store and handlers are what the server holds, stops, and looks whether they still
  // are, and whether every call made sense.
  void ExpectInSyncAtLast();
  // Waits until store and handlers are what the server holds now.
  void ExpectInSync();
  void RequestStop() { thread_.request_stop(); }
  clientgo::cache::ReflectorStatus Status() const { return informer_->Status(); }

 private:
  NoteStates Stored() const;

  World& world_;
  const std::string app_;
  std::unique_ptr<clientgo::rest::Client> client_;
  NoteHandler first_;
  NoteHandler second_;
  std::unique_ptr<clientgo::cache::SharedInformer> informer_;
  std::jthread thread_;
};

}  // namespace e2e
