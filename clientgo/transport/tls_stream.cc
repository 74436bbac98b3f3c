// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/tls_stream.h"

#include <openssl/err.h>

#include <algorithm>
#include <climits>
#include <utility>

namespace clientgo::transport {

using util::Err;
using util::Error;
using util::ErrorReason;

// OpenSSL's own socket BIO would need a retry loop around each call, and write() raises SIGPIPE.
struct SocketBio {
  static int Read(BIO* bio, char* out, int size) {
    auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const auto wanted = static_cast<std::size_t>(size);
    if (stream.may_wait_) {
      const auto count = stream.socket_.Read(out, wanted);
      if (!count) return Fail(stream, count.error());
      return static_cast<int>(*count);
    }
    const auto count = stream.socket_.TryRead(out, wanted);
    if (!count) return Fail(stream, count.error());
    if (*count < 0) BIO_set_retry_read(bio);
    return static_cast<int>(*count);
  }
  static int Write(BIO* bio, const char* bytes, int size) {
    auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const auto written = stream.socket_.Write({bytes, static_cast<std::size_t>(size)});
    if (!written) return Fail(stream, written.error());
    return size;
  }
  static long Control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static BIO* New(TlsStream* stream) {
    static const OpensslPtr<BIO_METHOD> method = [] {
      OpensslPtr<BIO_METHOD> made(BIO_meth_new(BIO_TYPE_SOURCE_SINK, "socket"));
      BIO_meth_set_read(made.get(), Read);
      BIO_meth_set_write(made.get(), Write);
      BIO_meth_set_ctrl(made.get(), Control);
      return made;
    }();
    BIO* const bio = BIO_new(method.get());
    BIO_set_data(bio, stream);
    BIO_set_init(bio, 1);
    return bio;
  }

 private:
  static int Fail(TlsStream& stream, const Error& error) {
    stream.error_ = error;
    return -1;
  }
};

TlsStream::TlsStream(Socket& socket, const TlsMaterial& material)
    : socket_(socket), material_(material) {}

Error TlsStream::TakeError(int result) {
  const int kind = SSL_get_error(ssl_.get(), result);
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (error_) return *std::exchange(error_, std::nullopt);
  const auto error = [](ErrorReason reason, std::string message) {
    return Error{.reason = reason, .message = std::move(message)};
  };
  if (!verification_.empty()) {
    return error(ErrorReason::kCertificate, "tls: failed to verify certificate: " + verification_);
  }
  // The peer went away without TLS's goodbye: perhaps not at its own will.
  if (kind == SSL_ERROR_SYSCALL || ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    return error(ErrorReason::kUnexpectedEof, "unexpected EOF");
  }
  // The first bytes are no TLS record: a server without TLS, mostly.
  if (ERR_GET_REASON(code) == SSL_R_WRONG_VERSION_NUMBER) {
    return error(ErrorReason::kTransport, "tls: the server's answer is not TLS; is it http://?");
  }
  const char* text = ERR_reason_error_string(code);
  return error(ErrorReason::kTransport,
               std::string("tls: ") + (text == nullptr ? "protocol error" : text));
}

util::Expected<void> TlsStream::Handshake(const std::string& name, bool insecure_skip_verify) {
  ERR_clear_error();
  ssl_ = material_.NewSession(name, insecure_skip_verify ? nullptr : &verification_);
  if (!ssl_) return Err(ErrorReason::kTransport, "tls: out of memory");
  BIO* const bio = SocketBio::New(this);
  SSL_set_bio(ssl_.get(), bio, bio);
  const int result = SSL_connect(ssl_.get());
  if (result == 1) return {};
  Error error = TakeError(result);
  if (error.message == "unexpected EOF") {
    error.message = "tls: the connection broke during the handshake";
  }
  return Err(std::move(error));
}

util::Expected<std::size_t> TlsStream::Read(char* out, std::size_t size) {
  std::size_t total = 0;
  may_wait_ = true;
  while (total < size) {
    ERR_clear_error();
    const int wanted = static_cast<int>(std::min<std::size_t>(size - total, INT_MAX));
    const int count = SSL_read(ssl_.get(), out + total, wanted);
    if (count > 0) {
      total += static_cast<std::size_t>(count);
      may_wait_ = false;
      continue;
    }
    const int kind = SSL_get_error(ssl_.get(), count);
    // An error after some bytes comes again with the next call.
    if (total > 0 || kind == SSL_ERROR_ZERO_RETURN) break;
    return Err(TakeError(count));
  }
  error_.reset();
  return total;
}

util::Expected<void> TlsStream::Write(std::string_view bytes) {
  may_wait_ = true;
  while (!bytes.empty()) {
    ERR_clear_error();
    const int wanted = static_cast<int>(std::min<std::size_t>(bytes.size(), INT_MAX));
    const int count = SSL_write(ssl_.get(), bytes.data(), wanted);
    if (count <= 0) return Err(TakeError(count));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

bool TlsStream::IsQuiet() const { return SSL_has_pending(ssl_.get()) == 0; }

}  // namespace clientgo::transport
