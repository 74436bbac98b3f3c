// SPDX-License-Identifier: Apache-2.0
// ConnectionTable: the open connections of a Server and where they come from. It decides which one
// gives way to a new client. Internal to httpserver; lives on the server's thread.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <memory>
#include <unordered_map>

#include "httpserver/connection.h"

namespace httpserver {

class ConnectionTable {
 public:
  void Insert(std::shared_ptr<Connection> connection, const boost::asio::ip::address& peer);
  void Erase(Connection* connection) { connections_.erase(connection); }
  std::size_t Size() const { return connections_.size(); }
  // nullptr: there is none.
  Connection* Any() const;
  // The connection that has waited longest for its client, of the peer with the most connections
  // among those that have one waiting. nullptr: none waits. The cost is linear in Size().
  Connection* LongestWaiting() const;

 private:
  struct Entry {
    std::shared_ptr<Connection> connection;
    boost::asio::ip::address peer;
  };
  std::unordered_map<Connection*, Entry> connections_;
};

}  // namespace httpserver
