// SPDX-License-Identifier: Apache-2.0
// World is an API server, a network with faults in front of it, and the expected objects of the
// server. The writer bypasses the network, so the result of every write is known.
// WatchedNotes is an informer behind that network, with two handlers.
#pragma once

#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "capstan/cache/shared_informer.h"
#include "capstan/rest/client.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/fault_proxy.h"
#include "e2e/faults/http2_front.h"
#include "e2e/faults/note.h"
#include "e2e/faults/scaled_clock.h"

namespace e2e {

using capstan::testing::FaultProxy;

struct WorldOptions {
  // The period of bookmarks in a watch without events.
  std::chrono::milliseconds bookmark_period{20};
  // The real time that a peer of WatchedNotes may be silent, except in a watch.
  std::chrono::milliseconds request_timeout{200};
  bool http2 = false;  // the network carries HTTP/2 over TLS instead of plain HTTP/1.1
};

class World {
 public:
  explicit World(WorldOptions options = {});

  // Does one write: create, update, relabel or delete. Does nothing while the server is stopped.
  void Churn(std::mt19937_64& dice);
  void Churn(std::mt19937_64& dice, int times);
  void StopServer();
  void StartServer();
  // Removes all faults. Resets silent connections, as a router does after a restart.
  void Heal();

  // Returns the expected objects of the server, or only those with the label `app`.
  NoteStates Notes(const std::string& app = "") const;
  // Lists the objects of the server.
  NoteStates FreshList() const;
  // Counts the requests of WatchedNotes, including those without a response.
  std::uint64_t Requests(const std::string& verb = "") const;

  capstan::testing::apiserver::Server& server() { return server_; }
  FaultProxy& network() { return *network_; }
  // Returns a client behind the network.
  std::unique_ptr<capstan::rest::Client> NewWatchedClient();
  ScaledClock& clock() { return clock_; }
  const WorldOptions& options() const { return options_; }

 private:
  void Create(const capstan::runtime::ObjectKey& key, std::mt19937_64& dice);
  void Patch(const capstan::runtime::ObjectKey& key, const std::string& metadata);
  void Remember(const capstan::Expected<capstan::runtime::ObjectPtr>& written);

  const WorldOptions options_;
  ScaledClock clock_;
  capstan::testing::apiserver::Server server_;
  bool started_ = false;
  std::unique_ptr<Http2Front> front_;  // null without HTTP/2
  std::unique_ptr<FaultProxy> network_;
  std::unique_ptr<capstan::rest::Client> writer_;
  NoteStates notes_;
};

inline constexpr char kWatchedAgent[] = "watched";

class WatchedNotes {
 public:
  // Starts an informer on all objects, or only on those with the label `app`.
  WatchedNotes(World& world, bool watch_list, std::string app = "");

  // Waits until store and handlers have the server's objects, stops, and checks them again. Also
  // checks that the handlers recorded no error.
  void ExpectInSyncAtLast();
  // Waits until store and handlers have the server's current objects.
  void ExpectInSync();
  void RequestStop() { thread_.request_stop(); }
  capstan::cache::ReflectorStatus Status() const { return informer_->Status(); }

 private:
  NoteStates Stored() const;

  World& world_;
  const std::string app_;
  std::unique_ptr<capstan::rest::Client> client_;
  NoteHandler first_;
  NoteHandler second_;
  std::unique_ptr<capstan::cache::SharedInformer> informer_;
  std::jthread thread_;
};

}  // namespace e2e
