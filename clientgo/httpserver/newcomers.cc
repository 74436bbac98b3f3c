// SPDX-License-Identifier: Apache-2.0
#include "clientgo/httpserver/newcomers.h"

#include <algorithm>

namespace capstan::httpserver {

using boost::asio::ip::tcp;
using boost::system::error_code;
namespace ip = boost::asio::ip;

ip::address PeerCounts::PeerOf(const ip::address& client) {
  if (client.is_v4()) return client;
  const ip::address_v6 v6 = client.to_v6();
  if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6);
  constexpr std::size_t kNetworkBytes = 8;
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + kNetworkBytes, bytes.end(), 0);
  return ip::address_v6(bytes);
}

void PeerCounts::Remove(const ip::address& peer) {
  const auto count = counts_.find(peer);
  if (--count->second == 0) counts_.erase(count);
}

std::size_t PeerCounts::Of(const ip::address& peer) const {
  const auto count = counts_.find(peer);
  return count == counts_.end() ? 0 : count->second;
}

void Newcomers::Add(tcp::socket socket) {
  if (size_ >= options_.max) CloseOne();
  const auto waiting = std::make_shared<Waiting>(std::move(socket), io_);
  Newcomer& newcomer = waiting->newcomer;
  error_code ec;
  newcomer.client = newcomer.socket.remote_endpoint(ec).address();
  if (ec) return;  // the client has left
  newcomer.peer = PeerCounts::PeerOf(newcomer.client);
  waiting->arrival = ++arrivals_;
  List& list = by_peer_[newcomer.peer];
  waiting->at = list.insert(list.end(), waiting);
  ++size_;
  newcomer.socket.async_wait(tcp::socket::wait_read, [this, waiting](error_code wait_error) {
    if (wait_error || waiting->taken) return;
    waiting->ready = true;
    ready_.push_back(waiting);
    waiting->deadline.cancel();  // from now on it waits for a place
    on_ready_();
  });
  waiting->deadline.expires_after(options_.timeout);
  waiting->deadline.async_wait([this, waiting](error_code wait_error) {
    if (!wait_error && !waiting->taken && !waiting->ready) Remove(waiting);
  });
}

Newcomers::WaitingPtr Newcomers::FindNext(const PeerCounts& connections) const {
  WaitingPtr next;
  std::size_t fewest = 0;
  for (const WaitingPtr& waiting : ready_) {
    const std::size_t count = connections.Of(waiting->newcomer.peer);
    if (next != nullptr && count >= fewest) continue;
    next = waiting;
    fewest = count;
  }
  return next;
}

std::optional<ip::address> Newcomers::NextPeer(const PeerCounts& connections) const {
  const WaitingPtr next = FindNext(connections);
  if (next == nullptr) return std::nullopt;
  return next->newcomer.peer;
}

Newcomers::Newcomer Newcomers::Take(const PeerCounts& connections) {
  return Remove(FindNext(connections));
}

bool Newcomers::CloseOne() {
  const List* most = nullptr;
  for (const auto& [peer, list] : by_peer_) {
    const bool has_fewer = most != nullptr && list.size() < most->size();
    const bool is_newer = most != nullptr && list.size() == most->size() &&
                          list.front()->arrival > most->front()->arrival;
    if (!has_fewer && !is_newer) most = &list;
  }
  if (most == nullptr) return false;
  Remove(WaitingPtr(most->front()));
  return true;
}

std::optional<Newcomers::Newcomer> Newcomers::TakeAny() {
  if (by_peer_.empty()) return std::nullopt;
  return Remove(WaitingPtr(by_peer_.begin()->second.front()));
}

void Newcomers::CloseAll() {
  while (TakeAny()) {
  }
}

Newcomers::Newcomer Newcomers::Remove(const WaitingPtr& waiting) {
  const auto peer = by_peer_.find(waiting->newcomer.peer);
  peer->second.erase(waiting->at);
  if (peer->second.empty()) by_peer_.erase(peer);
  --size_;
  if (waiting->ready) ready_.remove(waiting);
  waiting->taken = true;
  waiting->deadline.cancel();
  error_code ignored;
  waiting->newcomer.socket.cancel(ignored);
  return std::move(waiting->newcomer);
}

}  // namespace capstan::httpserver
