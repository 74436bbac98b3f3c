// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/testing/loopback_server.h"

#include <arpa/inet.h>
#include <glog/logging.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "clientgo/cert/openssl_ptr.h"
#include "clientgo/transport/testing/http2_server.h"

namespace capstan::transport {
namespace {

cert::OpensslPtr<X509> ParseCertificate(const std::string& pem) {
  const cert::OpensslPtr<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return cert::OpensslPtr<X509>(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

int ChooseHttp2(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                unsigned in_size, void*) {
  static constexpr std::array<unsigned char, 3> kHttp2 = {2, 'h', '2'};
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kHttp2.data(), kHttp2.size(), in, in_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

bool SpeaksHttp2(const SSL* ssl) {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  if (ssl != nullptr) SSL_get0_alpn_selected(ssl, &name, &size);
  return size == 2;
}

SSL_CTX* NewContext(const LoopbackServer::Tls& tls) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  const cert::OpensslPtr<X509> cert = ParseCertificate(tls.server.cert_pem);
  const std::string& key_pem = tls.server.key_pem;
  const cert::OpensslPtr<BIO> bio(
      BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size())));
  const cert::OpensslPtr<EVP_PKEY> key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  CHECK_EQ(SSL_CTX_use_certificate(context, cert.get()), 1);
  CHECK_EQ(SSL_CTX_use_PrivateKey(context, key.get()), 1);
  if (!tls.client_ca.empty()) {
    const cert::OpensslPtr<X509> ca = ParseCertificate(tls.client_ca);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca.get());
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  if (tls.tls12) SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  if (tls.http2) SSL_CTX_set_alpn_select_cb(context, ChooseHttp2, nullptr);
  return context;
}

}  // namespace

bool LoopbackConnection::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const long n = ssl_ != nullptr
                       ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                       : static_cast<long>(send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool LoopbackConnection::WriteChunk(std::string_view chunk) {
  std::array<char, 20> head{};
  const int size = snprintf(head.data(), head.size(), "%zx\r\n", chunk.size());
  std::string framed(head.data(), static_cast<std::size_t>(size));
  framed.append(chunk).append("\r\n");
  return Write(framed);
}

bool LoopbackConnection::WriteHead(int status, std::string_view more_headers) {
  return Write("HTTP/1.1 " + std::to_string(status) + " Status\r\n" + std::string(more_headers) +
               "\r\n");
}

long LoopbackConnection::Read(char* data, std::size_t size) {
  if (ssl_ != nullptr) return SSL_read(ssl_, data, static_cast<int>(size));
  return static_cast<long>(recv(fd_, data, size, 0));
}

std::string LoopbackConnection::ReadRequest() {
  std::array<char, 4096> piece{};
  std::size_t end = std::string::npos;
  std::size_t length = 0;
  for (;;) {
    if (end == std::string::npos && (end = buffered_.find("\r\n\r\n")) != std::string::npos) {
      end += 4;
      const std::size_t header = buffered_.find("Content-Length:");
      if (header < end) length = std::strtoul(buffered_.c_str() + header + 15, nullptr, 10);
    }
    if (end != std::string::npos && buffered_.size() >= end + length) {
      std::string request = buffered_.substr(0, end + length);
      buffered_.erase(0, end + length);
      return request;
    }
    const long n = Read(piece.data(), piece.size());
    if (n <= 0) return {};
    buffered_.append(piece.data(), static_cast<std::size_t>(n));
  }
}

bool LoopbackConnection::AwaitClose() {
  std::array<char, 64> piece{};
  while (Read(piece.data(), piece.size()) > 0) {
  }
  return true;
}

void LoopbackConnection::End() {
  shutdown(fd_, SHUT_WR);
  AwaitClose();  // closing with unread bytes would reset the connection and lose written ones
}

void LoopbackConnection::ResetWhenClosed() const {
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

void LoopbackConnection::Disconnect() const { shutdown(fd_, SHUT_RDWR); }

void LoopbackConnection::RelayTo(int port) {
  const int target = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK_EQ(connect(target, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  std::array<pollfd, 2> sides{pollfd{.fd = fd_, .events = POLLIN, .revents = 0},
                              pollfd{.fd = target, .events = POLLIN, .revents = 0}};
  std::array<char, 4096> piece{};
  for (bool open = true; open;) {
    poll(sides.data(), sides.size(), -1);
    for (std::size_t i = 0; i < sides.size() && open; ++i) {
      if (sides.at(i).revents == 0) continue;
      const ssize_t n = recv(sides.at(i).fd, piece.data(), piece.size(), 0);
      open = n > 0 &&
             send(sides.at(1 - i).fd, piece.data(), static_cast<std::size_t>(n), MSG_NOSIGNAL) == n;
    }
  }
  close(target);
  shutdown(fd_, SHUT_RDWR);
}

std::string LoopbackConnection::ClientName() const {
  const cert::OpensslPtr<X509> cert(ssl_ == nullptr ? nullptr : SSL_get1_peer_certificate(ssl_));
  if (!cert) return {};
  std::array<char, 64> name{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(cert.get()), NID_commonName, name.data(),
                            static_cast<int>(name.size()));
  return name.data();
}

std::string LoopbackConnection::ServerName() const {
  const char* const name =
      ssl_ == nullptr ? nullptr : SSL_get_servername(ssl_, TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? "" : name;
}

LoopbackServer::LoopbackServer(Handler handler, const Tls* tls, int family)
    : handler_(std::move(handler)), http2_(tls == nullptr ? nullptr : tls->http2), family_(family) {
  signal(SIGPIPE, SIG_IGN);  // SSL_write has no option to return EPIPE instead
  if (tls != nullptr) context_ = NewContext(*tls);
  listener_ = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // Both families have the port in the same place.
  sockaddr_in6 address{};
  address.sin6_family = static_cast<sa_family_t>(family);
  address.sin6_addr = in6addr_loopback;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  auto* ipv4 = reinterpret_cast<sockaddr_in*>(&address);
  if (family == AF_INET) ipv4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = family == AF_INET ? sizeof(*ipv4) : sizeof(address);
  CHECK_EQ(bind(listener_, generic, size), 0);
  CHECK_EQ(listen(listener_, 256), 0);
  CHECK_EQ(getsockname(listener_, generic, &size), 0);
  port_ = ntohs(address.sin6_port);
  acceptor_ = std::thread([this] { Accept(); });
}

LoopbackServer::~LoopbackServer() {
  std::list<std::thread> threads;
  {
    MutexLock lock(mu_);
    stopping_ = true;
    for (const int fd : open_) shutdown(fd, SHUT_RDWR);
  }
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  {
    MutexLock lock(mu_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
  close(listener_);
  SSL_CTX_free(context_);
}

std::string LoopbackServer::url() const {
  return (context_ != nullptr ? "https://" : "http://") +
         std::string(family_ == AF_INET ? "127.0.0.1:" : "[::1]:") + std::to_string(port_);
}

bool LoopbackServer::AwaitOpen(std::size_t count) const {
  MutexLock lock(mu_);
  return changed_.WaitUntil(mu_, {}, std::chrono::steady_clock::now() + std::chrono::seconds(10),
                            [&]() CAPSTAN_REQUIRES(mu_) { return open_.size() == count; });
}

void LoopbackServer::Accept() {
  for (;;) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    ++accepted_;
    MutexLock lock(mu_);
    if (stopping_) {
      close(fd);
      return;
    }
    open_.push_back(fd);
    changed_.NotifyAll();
    threads_.emplace_back([this, fd] { Serve(fd); });
  }
}

void LoopbackServer::Serve(int fd) {
  SSL* ssl = nullptr;
  bool ready = true;
  if (context_ != nullptr) {
    ssl = SSL_new(context_);
    SSL_set_fd(ssl, fd);
    ready = SSL_accept(ssl) == 1;
    // Closing with unread bytes would reset the connection and lose the alert with the reason.
    if (!ready) {
      shutdown(fd, SHUT_WR);
      LoopbackConnection(fd, nullptr).AwaitClose();
    }
  }
  if (ready && SpeaksHttp2(ssl)) {
    ++http2_accepted_;
    ServeHttp2({.fd = fd, .ssl = ssl, .script = *http2_, .handler = handler_, .on_request = [this] {
                  ++requests_;
                }});
    ready = false;
  }
  LoopbackConnection connection(fd, ssl);
  if (!SpeaksHttp2(ssl)) connection.Write(greeting_);
  while (ready) {
    const std::string request = connection.ReadRequest();
    if (request.empty()) break;
    ++requests_;
    handler_(connection, request);
    if (request.find("/close") != std::string::npos) break;
  }
  SSL_free(ssl);
  MutexLock lock(mu_);
  close(fd);
  open_.remove(fd);
  changed_.NotifyAll();
}

Endpoint Loopback(int port) {
  return Resolver().Resolve({}, "127.0.0.1", std::to_string(port)).value().front();
}

int ClosedPort() {
  const LoopbackServer gone([](LoopbackConnection&, const std::string&) {});
  return gone.port();
}

Clock::TimePoint ShortDeadline() {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
}

DroppingListener::DroppingListener()
    : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      filler_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  CHECK_EQ(bind(listener_.get(), generic, size), 0);
  CHECK_EQ(listen(listener_.get(), 0), 0);
  CHECK_EQ(getsockname(listener_.get(), generic, &size), 0);
  port_ = ntohs(address.sin_port);
  CHECK_EQ(connect(filler_.get(), generic, size), 0);
}

}  // namespace capstan::transport
