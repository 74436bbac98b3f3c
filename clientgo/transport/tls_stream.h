// SPDX-License-Identifier: Apache-2.0
// TlsStream is TLS over a Socket. OpenSSL reads and writes through the socket's blocking calls, so
// the socket's idle timeout and Cancel apply to the handshake and to every call here. The calls
// with Try wait for nothing. One thread uses it. Mirrors Go's crypto/tls.Conn.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "clientgo/cert/openssl_ptr.h"
#include "clientgo/transport/socket.h"
#include "clientgo/transport/tls_material.h"

namespace capstan::transport {

class TlsStream {
 public:
  // Both arguments must outlive the stream.
  TlsStream(Socket& socket, const TlsMaterial& material);

  // `name` is the server's, as in TlsMaterial::NewSession. Errors: the socket's; kCertificate (the
  // server's certificate is refused); kTransport (the server refuses). With `offer_http2` the
  // server may choose HTTP/2 (ALPN).
  Expected<void> Handshake(const std::string& name, bool insecure_skip_verify,
                           bool offer_http2 = false);
  // Reports whether the server has chosen HTTP/2.
  bool http2() const;
  // Waits for the first byte, reads what has arrived, at most `size` bytes, and returns their
  // number. 0 is the end of the stream.
  Expected<std::size_t> Read(char* out, std::size_t size);
  Expected<void> Write(std::string_view bytes);
  // Reads without waiting. A negative result means that nothing has arrived, and 0 is the end.
  Expected<std::ptrdiff_t> TryRead(char* out, std::size_t size);
  // Encrypts all of `bytes`. What the socket does not take at once is kept for Flush, so call it
  // only while nothing is unsent.
  Expected<void> TryWrite(std::string_view bytes);
  // Sends what TryWrite has kept, without waiting.
  Expected<void> Flush();
  bool has_unsent() const { return !unsent_.empty(); }
  // Reports whether everything that has arrived was read.
  bool IsQuiet() const;
  // Returns whether a handshake that failed lacked only the server's last answer. A server with TLS
  // 1.2 refuses to send it to a client without the certificate that it requires.
  bool ClientPartDone() const;
  // Returns the certificates of the server as DER, its own first, after the handshake or when
  // ClientPartDone.
  std::vector<std::string> PeerCertificates() const;

 private:
  friend struct SocketBio;  // OpenSSL's view of the socket
  Error TakeError(int result);
  Expected<void> WriteAll(std::string_view bytes);

  Socket& socket_;
  const TlsMaterial& material_;
  std::string verification_;
  cert::OpensslPtr<SSL> ssl_;
  // What the current call may wait for. Read, Write and the calls with Try set both.
  bool may_wait_ = true;  // for bytes to read
  bool writes_may_wait_ = true;
  std::string unsent_;          // encrypted
  std::optional<Error> error_;  // the socket's error during a call of OpenSSL
};

}  // namespace capstan::transport
