// SPDX-License-Identifier: Apache-2.0
#include "capstan/httpserver/server.h"

#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "capstan/log.h"
#include "capstan/mutex.h"
#include "capstan/text.h"
#include "capstan/thread.h"
#include "clientgo/httpserver/connection.h"
#include "clientgo/httpserver/newcomers.h"
#include "clientgo/httpserver/socket.h"

namespace capstan::httpserver {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

std::string_view Fix(const error_code& ec) {
  if (ec == boost::asio::error::address_in_use) {
    return "stop the process that listens there, or choose another port (0: any free one)";
  }
  if (ec == boost::asio::error::access_denied) return "ports below 1024 need a privilege";
  return "choose an address of this machine";
}

// The delay after an accept failed or found no free place.
constexpr std::chrono::milliseconds kRetry(100);
constexpr std::chrono::seconds kLogInterval(10);

// Returns at most 1/`part` of the file descriptors that this process may have.
std::size_t LimitToDescriptors(std::size_t wanted, std::size_t part) {
  constexpr std::size_t kMin = 4;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
  return std::min(wanted, std::max<std::size_t>(kMin, limit.rlim_cur / part));
}

// Reports whether the error of an accept is a lack of file descriptors or memory.
bool IsExhausted(const error_code& ec) {
  namespace errc = boost::system::errc;
  return ec == boost::asio::error::no_descriptors || ec == boost::asio::error::no_buffer_space ||
         ec == errc::too_many_files_open_in_system || ec == boost::asio::error::no_memory;
}

// As in Go, an unspecified address means all addresses of this machine, of IPv4 and IPv6.
Expected<tcp::endpoint> ParseEndpoint(std::string address, std::uint16_t port) {
  if (address.empty()) return tcp::endpoint(tcp::v6(), port);
  if (address == "localhost") address = "127.0.0.1";
  if (address.size() > 2 && address.front() == '[' && address.back() == ']') {
    address = address.substr(1, address.size() - 2);
  }
  error_code ec;
  const auto ip = boost::asio::ip::make_address(address, ec);
  if (ec) {
    return Err(ErrorReason::kInvalidArgument,
               "cannot listen on \"" + address +
                   "\": not an IP address; use one of this machine, " + "or none for all of them");
  }
  if (ip.is_unspecified()) return tcp::endpoint(tcp::v6(), port);
  return tcp::endpoint(ip, port);
}

tl::unexpected<Error> CannotListen(const tcp::endpoint& endpoint, const error_code& ec) {
  std::string address = endpoint.address().to_string();
  if (endpoint.address().is_v6()) address = "[" + address + "]";
  std::string why = ec.message();
  why.front() = LowerAscii(why.front());  // as Go's messages
  return Err(ErrorReason::kInvalidArgument, "cannot listen on " + address + ":" +
                                                std::to_string(endpoint.port()) + ": " + why +
                                                "; " + std::string(Fix(ec)));
}

// With `dual_stack`, an IPv6 endpoint accepts IPv4 clients, too.
error_code Listen(tcp::acceptor& acceptor, const tcp::endpoint& endpoint, bool dual_stack) {
  error_code ec;
  acceptor.open(endpoint.protocol(), ec);
  if (ec) return ec;
  acceptor.set_option(tcp::acceptor::reuse_address(true), ec);
  if (dual_stack) acceptor.set_option(boost::asio::ip::v6_only(false), ec);
  acceptor.bind(endpoint, ec);
  if (ec) return ec;
  acceptor.listen(boost::asio::socket_base::max_listen_connections, ec);
  return ec;
}

// Reports whether this is 127.0.0.1 or ::1. The rest of 127/8 does not count: a service mesh's
// proxy forwards outside traffic from 127.0.0.6.
bool IsLoopback(const boost::asio::ip::address& address) {
  using boost::asio::ip::address_v4;
  if (address.is_v4()) return address.to_v4() == address_v4::loopback();
  if (!address.to_v6().is_v4_mapped()) return address.is_loopback();
  return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6()) ==
         address_v4::loopback();
}

}  // namespace

struct Server::Rep {
  Rep(ServerOptions server_options, Handler request_handler)
      : options(std::move(server_options)), handler(std::move(request_handler)) {}

  Expected<void> Bind();
  void Accept();
  // Handles an error of an accept.
  void AcceptFailed(const error_code& ec);
  // Starts the connections of newcomers that have sent something, while there are places.
  void Admit();
  // Closes a connection in favour of a client of this peer. If that is not allowed yet, returns
  // false and retries Admit later.
  bool MakePlace(const boost::asio::ip::address& for_peer);
  // Returns the connection that has waited longest for its client, or nullptr when none waits. Only
  // the peer with the most connections among the waiting ones counts. The cost is linear.
  // `unsent`: only one with bytes that its client has not read.
  Connection* LongestWaiting(bool unsent = false) const;
  void StartConnection(Newcomers::Newcomer newcomer);
  void LimitUnsent();
  void CloseAll();
  void DrainAll(std::function<void()> done);
  // Calls on_drained if no connection is left.
  void NotifyDrained();
  void RunAfter(std::chrono::milliseconds delay, std::function<void()> task);

  const ServerOptions options;
  const Handler handler;
  const IoContext io = std::make_shared<boost::asio::io_context>(1);
  TlsContexts tls{options};
  std::uint16_t port = 0;

  using Work = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;
  // Keeps the thread running until Stop, even when the server waits only for its handler.
  std::optional<Work> work{io->get_executor()};

  // Only the server's thread uses these.
  tcp::acceptor acceptor{*io};
  bool accepting = false;
  bool admitting = false;
  bool retrying = false;
  std::chrono::steady_clock::time_point logged;  // the last error of an accept
  const std::size_t connections_max = LimitToDescriptors(options.connections_max, 2);
  Newcomers newcomers{*io,
                      {.max = LimitToDescriptors(options.silent_connections_max, 8),
                       .timeout = options.read_timeout},
                      [this] { Admit(); }};
  struct Peer {
    std::shared_ptr<Connection> connection;
    boost::asio::ip::address address;
  };
  std::unordered_map<Connection*, Peer> connections;
  PeerCounts peers;  // of the connections
  std::unordered_set<std::shared_ptr<boost::asio::steady_timer>> timers;
  std::function<void()> on_drained;

  Mutex mu;
  bool running CAPSTAN_GUARDED_BY(mu) = false;
  std::jthread thread;
};

Expected<void> Server::Rep::Bind() {
  auto endpoint = ParseEndpoint(options.address, options.port);
  if (!endpoint) return Err(std::move(endpoint.error()));
  const bool all = endpoint->address().is_unspecified();
  error_code ec = Listen(acceptor, *endpoint, all);
  if (all && (ec == boost::asio::error::address_family_not_supported ||
              ec == boost::system::errc::address_not_available)) {
    acceptor.close();  // a machine without IPv6
    *endpoint = tcp::endpoint(tcp::v4(), options.port);
    ec = Listen(acceptor, *endpoint, false);
  }
  if (ec) {
    acceptor.close();
    return CannotListen(*endpoint, ec);
  }
  port = acceptor.local_endpoint().port();
  return {};
}

void Server::Rep::Accept() {
  if (accepting || !acceptor.is_open()) return;
  accepting = true;
  acceptor.async_accept([this](error_code ec, tcp::socket socket) {
    accepting = false;
    if (!acceptor.is_open()) return;
    if (ec) return AcceptFailed(ec);
    newcomers.Add(std::move(socket));
    Accept();
  });
}

void Server::Rep::AcceptFailed(const error_code& ec) {
  const auto now = std::chrono::steady_clock::now();
  if (now - logged >= kLogInterval) {
    logged = now;
    WarningS("Failed to accept a connection", "server", options.name, "err", ec.message());
  }
  bool closed = false;
  if (IsExhausted(ec)) {
    closed = newcomers.CloseOne();
    if (Connection* const longest = closed ? nullptr : LongestWaiting()) {
      longest->Close();
      closed = true;
    }
  }
  if (closed) return Accept();
  RunAfter(kRetry, [this] { Accept(); });
}

void Server::Rep::Admit() {
  if (std::exchange(admitting, true)) return;  // called by Close
  while (acceptor.is_open()) {
    const auto peer = newcomers.NextPeer(peers);
    if (!peer) break;
    if (connections.size() >= connections_max && !MakePlace(*peer)) break;
    StartConnection(newcomers.Take(peers));
  }
  admitting = false;
}

bool Server::Rep::MakePlace(const boost::asio::ip::address& for_peer) {
  std::chrono::milliseconds delay = kRetry;  // all connections have a handler at work
  if (Connection* const longest = LongestWaiting()) {
    const std::size_t has = peers.Of(connections.at(longest).address);
    const bool has_too_many = has > peers.Of(for_peer) + 1 || has > connections_max / 2;
    const auto waited = std::chrono::floor<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - *longest->WaitingSince());
    if (has_too_many || waited >= options.replace_after) {
      longest->Close();
      return true;
    }
    delay = options.replace_after - waited;
  }
  if (std::exchange(retrying, true)) return false;
  RunAfter(delay, [this] {
    retrying = false;
    Admit();
  });
  return false;
}

Connection* Server::Rep::LongestWaiting(bool unsent) const {
  Connection* longest = nullptr;
  std::size_t most = 0;
  std::chrono::steady_clock::time_point earliest;
  for (const auto& [connection, peer] : connections) {
    const auto since = connection->WaitingSince();
    if (!since || (unsent && connection->pending_bytes() == 0)) continue;
    const std::size_t count = peers.Of(peer.address);
    if (count < most || (count == most && *since >= earliest)) continue;
    longest = connection;
    most = count;
    earliest = *since;
  }
  return longest;
}

void Server::Rep::StartConnection(Newcomers::Newcomer newcomer) {
  error_code ignored;
  newcomer.socket.set_option(tcp::no_delay(true), ignored);
  if (options.send_buffer_bytes > 0) {
    newcomer.socket.set_option(
        boost::asio::socket_base::send_buffer_size(options.send_buffer_bytes), ignored);
  }
  Connection::Context context{
      .io = io,
      .options = options,
      .handler = handler,
      .from_loopback = IsLoopback(newcomer.client),
      .on_finished = [this] { boost::asio::post(*io, [this] { LimitUnsent(); }); },
      .on_closed =
          [this](Connection* connection) {
            const auto at = connections.find(connection);
            peers.Remove(at->second.address);
            connections.erase(at);
            Admit();
            NotifyDrained();
          }};
  const auto connection = std::make_shared<Connection>(
      NewSocket(io, std::move(newcomer.socket), tls.Current()), std::move(context));
  peers.Add(newcomer.peer);
  connections.emplace(connection.get(), Peer{connection, newcomer.peer});
  connection->Start();
}

void Server::Rep::LimitUnsent() {
  if (options.unsent_bytes_max == 0) return;
  std::size_t unsent = 0;
  std::size_t clients = 0;
  for (const auto& [connection, peer] : connections) {
    if (!connection->WaitingSince() || connection->pending_bytes() == 0) continue;
    unsent += connection->pending_bytes();
    ++clients;
  }
  for (; clients > 1 && unsent > options.unsent_bytes_max; --clients) {
    Connection* const longest = LongestWaiting(/*unsent=*/true);
    unsent -= longest->pending_bytes();
    longest->Close();
  }
}

void Server::Rep::CloseAll() {
  error_code ignored;
  acceptor.close(ignored);
  newcomers.CloseAll();
  on_drained = nullptr;
  work.reset();
  for (const auto& timer : timers) timer->cancel();
  while (!connections.empty()) connections.begin()->first->Close();
}

void Server::Rep::DrainAll(std::function<void()> done) {
  error_code ignored;
  acceptor.close(ignored);
  while (auto newcomer = newcomers.TakeAny()) StartConnection(*std::move(newcomer));
  on_drained = std::move(done);
  std::vector<std::shared_ptr<Connection>> all;  // a connection that closes leaves `connections`
  for (const auto& [connection, peer] : connections) all.push_back(peer.connection);
  for (const auto& connection : all) connection->Drain();
  NotifyDrained();
}

void Server::Rep::NotifyDrained() {
  if (!connections.empty()) return;
  if (const auto done = std::exchange(on_drained, nullptr)) done();
}

void Server::Rep::RunAfter(std::chrono::milliseconds delay, std::function<void()> task) {
  if (!acceptor.is_open()) return;
  auto timer = std::make_shared<boost::asio::steady_timer>(*io, delay);
  timers.insert(timer);
  timer->async_wait([this, timer, task = std::move(task)](error_code ec) {
    timers.erase(timer);
    if (!ec && acceptor.is_open()) task();
  });
}

Server::Server(ServerOptions options, Handler handler)
    : rep_(std::make_unique<Rep>(std::move(options), std::move(handler))) {}

Server::~Server() { Stop(); }

Expected<void> Server::Start() {
  if (auto loaded = rep_->tls.Load(); !loaded) return loaded;
  if (auto bound = rep_->Bind(); !bound) return bound;
  {
    const MutexLock lock(rep_->mu);
    rep_->running = true;
  }
  rep_->Accept();
  rep_->thread = StartThread(rep_->options.name, [rep = rep_.get()](auto) {
    rep->io->run();  // returns after Stop has closed everything
  });
  return {};
}

void Server::Drain(std::function<void()> done) {
  Post([rep = rep_.get(), done = std::move(done)]() mutable { rep->DrainAll(std::move(done)); });
}

void Server::Stop() {
  {
    const MutexLock lock(rep_->mu);
    if (!rep_->running) return;
    rep_->running = false;
    boost::asio::post(*rep_->io, [rep = rep_.get()] { rep->CloseAll(); });
  }
  rep_->thread.join();
}

std::uint16_t Server::port() const { return rep_->port; }

bool Server::Post(std::function<void()> task) {
  const MutexLock lock(rep_->mu);
  if (!rep_->running) return false;
  boost::asio::post(*rep_->io, std::move(task));
  return true;
}

void Server::PostAfter(std::chrono::milliseconds delay, std::function<void()> task) {
  Post([rep = rep_.get(), delay, task = std::move(task)]() mutable {
    rep->RunAfter(delay, std::move(task));
  });
}

}  // namespace capstan::httpserver
