// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/loopback_server_for_test.h"

#include <arpa/inet.h>
#include <glog/logging.h>
#include <openssl/pem.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "clientgo/rest/tls_material.h"

namespace clientgo::rest {
namespace {

OpensslPtr<X509> ParseCertificate(const std::string& pem) {
  const OpensslPtr<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return OpensslPtr<X509>(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

SSL_CTX* NewContext(const LoopbackServer::Tls& tls) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  const OpensslPtr<X509> cert = ParseCertificate(tls.server.cert_pem);
  const std::string& key_pem = tls.server.key_pem;
  const OpensslPtr<BIO> bio(BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size())));
  const OpensslPtr<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  CHECK_EQ(SSL_CTX_use_certificate(context, cert.get()), 1);
  CHECK_EQ(SSL_CTX_use_PrivateKey(context, key.get()), 1);
  if (!tls.client_ca.empty()) {
    const OpensslPtr<X509> ca = ParseCertificate(tls.client_ca);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca.get());
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
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

LoopbackServer::LoopbackServer(Handler handler, const Tls* tls) : handler_(std::move(handler)) {
  signal(SIGPIPE, SIG_IGN);  // SSL_write cannot ask for EPIPE instead
  if (tls != nullptr) context_ = NewContext(*tls);
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  CHECK_EQ(bind(listener_, generic, sizeof(address)), 0);
  CHECK_EQ(listen(listener_, 256), 0);
  socklen_t size = sizeof(address);
  CHECK_EQ(getsockname(listener_, generic, &size), 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

LoopbackServer::~LoopbackServer() {
  std::list<std::thread> threads;
  {
    util::MutexLock lock(mu_);
    stopping_ = true;
    for (const int fd : open_) shutdown(fd, SHUT_RDWR);
  }
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  {
    util::MutexLock lock(mu_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
  close(listener_);
  SSL_CTX_free(context_);
}

std::string LoopbackServer::url() const {
  return (context_ != nullptr ? "https" : "http") + std::string("://127.0.0.1:") +
         std::to_string(port_);
}

void LoopbackServer::Accept() {
  for (;;) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    ++accepted_;
    util::MutexLock lock(mu_);
    if (stopping_) {
      close(fd);
      return;
    }
    open_.push_back(fd);
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
    // The alert says why. Closing with bytes unread would reset the connection and lose it.
    if (!ready) {
      shutdown(fd, SHUT_WR);
      LoopbackConnection(fd, nullptr).AwaitClose();
    }
  }
  LoopbackConnection connection(fd, ssl);
  while (ready) {
    const std::string request = connection.ReadRequest();
    if (request.empty()) break;
    ++requests_;
    handler_(connection, request);
    if (request.find("/close") != std::string::npos) break;
  }
  {
    util::MutexLock lock(mu_);
    open_.remove(fd);
  }
  SSL_free(ssl);
  close(fd);
}

}  // namespace clientgo::rest
