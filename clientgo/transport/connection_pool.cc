// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/connection_pool.h"

#include <vector>

namespace clientgo::transport {
namespace {

// client-go's MaxIdleConnsPerHost.
constexpr std::size_t kIdleMax = 25;

}  // namespace

util::Expected<std::shared_ptr<const TlsMaterial>> ConnectionPool::Material() {
  if (!route_.server.tls) return nullptr;
  return tls_.Current();
}

std::unique_ptr<Connection> ConnectionPool::Take(
    const std::shared_ptr<const TlsMaterial>& material) {
  const auto now = std::chrono::steady_clock::now();
  std::vector<Idle> stale;  // closed after the lock is released
  util::MutexLock lock(mu_);
  std::unique_ptr<Connection> found;
  while (!idle_.empty() && !found) {
    Idle last = std::move(idle_.back());
    idle_.pop_back();
    const bool fit = last.connection->material() == material && now - last.since < idle_timeout_ &&
                     last.connection->IsQuiet();
    if (fit) {
      found = std::move(last.connection);
    } else {
      stale.push_back(std::move(last));
    }
  }
  return found;
}

void ConnectionPool::OnUnanswered(const Connection& connection) {
  if (connection.endpoint()) dialing_.order.OnFailed(*connection.endpoint());
  std::deque<Idle> idle;  // closed after the lock is released
  util::MutexLock lock(mu_);
  idle.swap(idle_);
}

void ConnectionPool::Put(std::unique_ptr<Connection> connection) {
  const auto now = std::chrono::steady_clock::now();
  std::vector<Idle> stale;  // closed after the lock is released
  util::MutexLock lock(mu_);
  // The front ones are the oldest; Take, which prefers the newest, might never come to them.
  while (!idle_.empty() && now - idle_.front().since >= idle_timeout_) {
    stale.push_back(std::move(idle_.front()));
    idle_.pop_front();
  }
  if (idle_.size() < kIdleMax) idle_.push_back({std::move(connection), now});
}

}  // namespace clientgo::transport
