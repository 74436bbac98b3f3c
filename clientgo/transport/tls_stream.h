// SPDX-License-Identifier: Apache-2.0
// TlsStream: TLS over a Socket. OpenSSL reads and writes through the socket's blocking calls, so
// the socket's idle timeout and Cancel hold for the handshake and for every call here.
//
// One thread. Mirrors Go's crypto/tls.Conn.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "clientgo/transport/socket.h"
#include "clientgo/transport/tls_material.h"
#include "clientgo/util/error.h"

namespace clientgo::transport {

class TlsStream {
 public:
  // Neither is owned; both outlive the stream.
  TlsStream(Socket& socket, const TlsMaterial& material);

  // `name`: the server's, as TlsMaterial::NewSession. Errors: as the socket's; kCertificate: why
  // the server's certificate was refused; kTransport: what the server objects to.
  util::Expected<void> Handshake(const std::string& name, bool insecure_skip_verify);
  // Waits for the first bytes, then takes what else has already arrived, up to `size`. 0: the end.
  util::Expected<std::size_t> Read(char* out, std::size_t size);
  util::Expected<void> Write(std::string_view bytes);
  // Nothing has arrived that was not read.
  bool IsQuiet() const;

 private:
  friend struct SocketBio;  // OpenSSL's view of the socket
  util::Error TakeError(int result);

  Socket& socket_;
  const TlsMaterial& material_;
  std::string verification_;
  OpensslPtr<SSL> ssl_;
  bool may_wait_ = true;
  std::optional<util::Error> error_;  // what the socket said during a call of OpenSSL's
};

}  // namespace clientgo::transport
