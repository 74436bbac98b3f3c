// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/tls_stream.h"

#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <utility>

namespace capstan::transport {
namespace {

std::string ErrorText(unsigned long code) {
  if (const char* const text = ERR_reason_error_string(code)) return text;
  if (code == 0) return "protocol error";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "OpenSSL error %08lX", code);
  return text.data() + std::string("; openssl errstr explains it");
}

// The names of HTTP/2 and HTTP/1.1 in ALPN, each after its length.
constexpr std::array<unsigned char, 12> kProtocols = {2,   'h', '2', 8,   'h', 't',
                                                      't', 'p', '/', '1', '.', '1'};

}  // namespace

// SocketBio replaces OpenSSL's socket BIO, which needs a retry loop around each call and whose
// write() raises SIGPIPE.
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
    const std::string_view all(bytes, static_cast<std::size_t>(size));
    if (stream.writes_may_wait_) {
      const auto written = stream.socket_.Write(all);
      if (!written) return Fail(stream, written.error());
      return size;
    }
    std::size_t sent = 0;
    if (stream.unsent_.empty()) {
      const auto written = stream.socket_.TryWrite(all);
      if (!written) return Fail(stream, written.error());
      sent = *written;
    }
    stream.unsent_.append(all.substr(sent));
    return size;
  }
  static long Control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static BIO* New(TlsStream* stream) {
    static const cert::OpensslPtr<BIO_METHOD> method = [] {
      cert::OpensslPtr<BIO_METHOD> made(BIO_meth_new(BIO_TYPE_SOURCE_SINK, "socket"));
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
  // The peer closed the connection without a close_notify alert, which may be a failure.
  if (kind == SSL_ERROR_SYSCALL || ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    return error(ErrorReason::kUnexpectedEof, "unexpected EOF");
  }
  // The first bytes are not a TLS record, so the server probably has no TLS.
  if (ERR_GET_REASON(code) == SSL_R_WRONG_VERSION_NUMBER) {
    return error(ErrorReason::kTransport, "tls: the server's response is not TLS; is it http://?");
  }
  return error(ErrorReason::kTransport, "tls: " + ErrorText(code));
}

Expected<void> TlsStream::Handshake(const std::string& name, bool insecure_skip_verify,
                                    bool offer_http2) {
  ERR_clear_error();
  ssl_ = material_.NewSession(name, insecure_skip_verify ? nullptr : &verification_);
  if (!ssl_) return Err(ErrorReason::kTransport, "tls: out of memory");
  if (offer_http2) {
    SSL_set_alpn_protos(ssl_.get(), kProtocols.data(), static_cast<unsigned>(kProtocols.size()));
  }
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

bool TlsStream::ClientPartDone() const { return SSL_get_state(ssl_.get()) == TLS_ST_CW_FINISHED; }

std::vector<std::string> TlsStream::PeerCertificates() const {
  std::vector<std::string> ders;
  const STACK_OF(X509)* chain = SSL_get_peer_cert_chain(ssl_.get());
  for (int i = 0; i < sk_X509_num(chain); ++i) {  // -1 without a chain
    unsigned char* der = nullptr;
    const int size = i2d_X509(sk_X509_value(chain, i), &der);
    if (size < 0) break;
    ders.emplace_back(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
    OPENSSL_free(der);
  }
  return ders;
}

Expected<std::size_t> TlsStream::Read(char* out, std::size_t size) {
  std::size_t total = 0;
  may_wait_ = writes_may_wait_ = true;
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
    // The next call returns an error that happens after some bytes.
    if (total > 0 || kind == SSL_ERROR_ZERO_RETURN) break;
    return Err(TakeError(count));
  }
  error_.reset();
  return total;
}

Expected<void> TlsStream::Write(std::string_view bytes) {
  may_wait_ = writes_may_wait_ = true;
  return WriteAll(bytes);
}

Expected<void> TlsStream::TryWrite(std::string_view bytes) {
  may_wait_ = writes_may_wait_ = false;
  return WriteAll(bytes);
}

Expected<void> TlsStream::WriteAll(std::string_view bytes) {
  while (!bytes.empty()) {
    ERR_clear_error();
    const int wanted = static_cast<int>(std::min<std::size_t>(bytes.size(), INT_MAX));
    const int count = SSL_write(ssl_.get(), bytes.data(), wanted);
    if (count <= 0) return Err(TakeError(count));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Expected<std::ptrdiff_t> TlsStream::TryRead(char* out, std::size_t size) {
  may_wait_ = writes_may_wait_ = false;
  ERR_clear_error();
  const int wanted = static_cast<int>(std::min<std::size_t>(size, INT_MAX));
  const int count = SSL_read(ssl_.get(), out, wanted);
  if (count > 0) return count;
  const int kind = SSL_get_error(ssl_.get(), count);
  if (kind == SSL_ERROR_ZERO_RETURN) return 0;
  if (kind == SSL_ERROR_WANT_READ) return -1;
  return Err(TakeError(count));
}

Expected<void> TlsStream::Flush() {
  if (unsent_.empty()) return {};
  const auto sent = socket_.TryWrite(unsent_);
  if (!sent) return Err(sent.error());
  unsent_.erase(0, *sent);
  if (unsent_.empty()) unsent_ = std::string();
  return {};
}

bool TlsStream::http2() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  return size == 2 && name[0] == 'h' && name[1] == '2';
}

bool TlsStream::IsQuiet() const { return SSL_has_pending(ssl_.get()) == 0; }

}  // namespace capstan::transport
