// SPDX-License-Identifier: Apache-2.0
// Newcomers are accepted sockets whose clients have not sent a byte. Internal to httpserver; used
// on the server's thread.
//
// A newcomer costs a socket and no buffer, and TLS begins with its first byte. So many clients that
// send nothing neither fill the places of a Server nor delay the accept of the next client. If
// there are too many newcomers, the oldest one of the peer with the most of them is closed.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace capstan::httpserver {

// PeerCounts counts what each peer has. A peer is an IPv4 address or an IPv6 network of 64 bits,
// because one host may use all addresses of such a network.
class PeerCounts {
 public:
  static boost::asio::ip::address PeerOf(const boost::asio::ip::address& client);

  void Add(const boost::asio::ip::address& peer) { ++counts_[peer]; }
  void Remove(const boost::asio::ip::address& peer);
  std::size_t Of(const boost::asio::ip::address& peer) const;

 private:
  std::map<boost::asio::ip::address, std::size_t> counts_;
};

class Newcomers {
 public:
  struct Newcomer {
    boost::asio::ip::tcp::socket socket;
    boost::asio::ip::address client;
    boost::asio::ip::address peer;
  };
  struct Options {
    std::size_t max = 512;
    std::chrono::milliseconds timeout;  // for the first byte
  };

  // `on_ready` is called when a newcomer has sent a byte. Then Take returns it, now or later.
  Newcomers(boost::asio::io_context& io, Options options, std::function<void()> on_ready)
      : io_(io), options_(options), on_ready_(std::move(on_ready)) {}

  void Add(boost::asio::ip::tcp::socket socket);
  // Returns the peer of the newcomer that Take would return.
  std::optional<boost::asio::ip::address> NextPeer(const PeerCounts& connections) const;
  // Removes and returns the newcomer that has sent a byte and whose peer has the fewest
  // connections. REQUIRES: there is one.
  Newcomer Take(const PeerCounts& connections);
  // Closes the oldest newcomer of the peer with the most. Returns false if there is none.
  bool CloseOne();
  // Removes and returns any newcomer.
  std::optional<Newcomer> TakeAny();
  void CloseAll();

 private:
  struct Waiting;
  using WaitingPtr = std::shared_ptr<Waiting>;
  using List = std::list<WaitingPtr>;
  struct Waiting {
    Waiting(boost::asio::ip::tcp::socket the_socket, boost::asio::io_context& io)
        : newcomer{.socket = std::move(the_socket), .client = {}, .peer = {}}, deadline(io) {}
    Newcomer newcomer;
    boost::asio::steady_timer deadline;
    std::uint64_t arrival = 0;
    List::const_iterator at;  // in the list of its peer
    bool ready = false;
    bool taken = false;
  };

  WaitingPtr FindNext(const PeerCounts& connections) const;  // nullptr: none is ready
  Newcomer Remove(const WaitingPtr& waiting);

  boost::asio::io_context& io_;
  const Options options_;
  const std::function<void()> on_ready_;
  // In the order of their arrival. No list is empty. A new one has the cost of a search among the
  // peers, of which there are few.
  std::map<boost::asio::ip::address, List> by_peer_;
  std::size_t size_ = 0;
  std::uint64_t arrivals_ = 0;
  List ready_;  // of these, the ones that have sent a byte
};

}  // namespace capstan::httpserver
