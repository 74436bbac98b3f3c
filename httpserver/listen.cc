// SPDX-License-Identifier: Apache-2.0
#include "httpserver/listen.h"

#include <boost/asio/ip/v6_only.hpp>
#include <string_view>

#include "clientgo/util/text.h"

namespace httpserver {

using boost::asio::ip::tcp;
using boost::system::error_code;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;

namespace {

// As Go begins its messages.
std::string Uncapitalized(std::string text) {
  if (!text.empty()) text.front() = clientgo::util::LowerAscii(text.front());
  return text;
}

std::string_view Remedy(const error_code& ec) {
  if (ec == boost::asio::error::address_in_use) {
    return "stop the process that listens there, or choose another port (0: any free one)";
  }
  if (ec == boost::asio::error::access_denied) return "ports below 1024 need a privilege";
  return "choose an address of this machine";
}

}  // namespace

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
  return tcp::endpoint(ip, port);
}

tl::unexpected<clientgo::util::Error> CannotListen(const tcp::endpoint& endpoint,
                                                   const error_code& ec) {
  std::string address = endpoint.address().to_string();
  if (endpoint.address().is_v6()) address = "[" + address + "]";
  return Err(ErrorReason::kInvalidArgument,
             "cannot listen on " + address + ":" + std::to_string(endpoint.port()) + ": " +
                 Uncapitalized(ec.message()) + "; " + std::string(Remedy(ec)));
}

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

bool IsLoopback(const boost::asio::ip::address& address) {
  using boost::asio::ip::address_v4;
  if (address.is_v4()) return address.to_v4() == address_v4::loopback();
  if (!address.to_v6().is_v4_mapped()) return address.is_loopback();
  return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6()) ==
         address_v4::loopback();
}

}  // namespace httpserver
