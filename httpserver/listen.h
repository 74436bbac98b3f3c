// SPDX-License-Identifier: Apache-2.0
// Listening on an address: from its text to a socket that accepts, and why that failed. Internal to
// httpserver. Pure functions but for the sockets they open.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <cstdint>
#include <string>

#include "clientgo/util/error.h"

namespace httpserver {

// The empty address means all of this machine. kInvalidArgument for what is no IP address.
clientgo::util::Expected<boost::asio::ip::tcp::endpoint> ParseEndpoint(std::string address,
                                                                       std::uint16_t port);
// `dual_stack`: an IPv6 endpoint takes IPv4 clients, too.
boost::system::error_code Listen(boost::asio::ip::tcp::acceptor& acceptor,
                                 const boost::asio::ip::tcp::endpoint& endpoint, bool dual_stack);
// The error that names the address, the cause and the remedy.
tl::unexpected<clientgo::util::Error> CannotListen(const boost::asio::ip::tcp::endpoint& endpoint,
                                                   const boost::system::error_code& ec);
// 127.0.0.1 and ::1. Not all of 127/8: what a mesh's proxy brings in from elsewhere comes from
// 127.0.0.6.
bool IsLoopback(const boost::asio::ip::address& address);

}  // namespace httpserver
