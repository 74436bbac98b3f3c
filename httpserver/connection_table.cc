// SPDX-License-Identifier: Apache-2.0
#include "httpserver/connection_table.h"

#include <chrono>
#include <map>
#include <utility>

namespace httpserver {

void ConnectionTable::Insert(std::shared_ptr<Connection> connection,
                             const boost::asio::ip::address& peer) {
  Connection* const key = connection.get();
  connections_.emplace(key, Entry{std::move(connection), peer});
}

Connection* ConnectionTable::Any() const {
  return connections_.empty() ? nullptr : connections_.begin()->first;
}

Connection* ConnectionTable::LongestWaiting() const {
  std::map<boost::asio::ip::address, std::size_t> counts;
  for (const auto& [connection, entry] : connections_) ++counts[entry.peer];
  Connection* longest = nullptr;
  std::size_t most = 0;
  std::chrono::steady_clock::time_point earliest;
  for (const auto& [connection, entry] : connections_) {
    const auto since = connection->WaitingSince();
    if (!since) continue;
    const std::size_t count = counts[entry.peer];
    if (count < most || (count == most && *since >= earliest)) continue;
    longest = connection;
    most = count;
    earliest = *since;
  }
  return longest;
}

}  // namespace httpserver
