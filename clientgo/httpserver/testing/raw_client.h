// SPDX-License-Identifier: Apache-2.0
// RawClient is a blocking loopback socket for tests. It can send what no HTTP library would: half a
// header, two requests at once, nothing. Every wait has a limit, so that a silent server fails a
// test instead of blocking it. One thread.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace capstan::httpserver {

class RawClient {
 public:
  static constexpr int kPatienceSeconds = 60;

  // `from` is an address of this machine, for example 127.0.0.2.
  explicit RawClient(std::uint16_t port, int receive_buffer_bytes = 0,
                     std::uint32_t from = INADDR_LOOPBACK)
      : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    LimitWaits();
    if (receive_buffer_bytes > 0) {
      setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(from);
    if (from != INADDR_LOOPBACK) {
      static_cast<void>(bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address));
    }
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  RawClient(std::uint16_t port, const in6_addr& to) : fd_(socket(AF_INET6, SOCK_STREAM, 0)) {
    LimitWaits();
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    address.sin6_addr = to;
    connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { Close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return connected_; }
  int fd() const { return fd_; }

  // Returns false when the server has closed.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Returns everything up to and including `mark`, and keeps the rest for the next call. Without
  // the mark it returns all bytes until the connection ended or the time limit.
  std::string ReadUntil(std::string_view mark) {
    std::size_t at = input_.find(mark);
    while (at == std::string::npos) {
      // Old bytes are not searched again, because responses here are up to 32 MiB.
      const std::size_t seen = input_.size() - std::min(input_.size(), mark.size());
      if (!Fill()) break;
      at = input_.find(mark, seen);
    }
    return Take(at == std::string::npos ? input_.size() : at + mark.size());
  }

  // Returns `size` bytes, or fewer when the connection ended.
  std::string ReadBytes(std::size_t size) {
    while (input_.size() < size && Fill()) {
    }
    return Take(std::min(size, input_.size()));
  }

  // Returns the head and the body of one response with a Content-Length.
  std::pair<std::string, std::string> ReadAnswer() {
    const std::string head = ReadUntil("\r\n\r\n");
    constexpr std::string_view kLength = "Content-Length: ";
    const std::size_t at = head.find(kLength);
    if (at == std::string::npos) return {head, {}};
    const auto size = std::strtoul(head.c_str() + at + kLength.size(), nullptr, 10);
    return {head, ReadBytes(size)};
  }

  // Returns the data of one chunk; empty for the last one, or when the connection ended.
  std::string ReadChunk() {
    const auto size = std::strtoul(ReadUntil("\r\n").c_str(), nullptr, 16);
    std::string chunk = ReadBytes(size);
    ReadBytes(2);
    return chunk;
  }

  // Reads until the server closes the connection. Returns false when it does not.
  bool ClosedByServer() {
    while (Fill()) {
    }
    return ended_;
  }
  // Returns all bytes to the end of the connection.
  std::string ReadAll() {
    while (Fill()) {
    }
    return std::move(input_);
  }

  void ShutdownSend() { shutdown(fd_, SHUT_WR); }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  void LimitWaits() {
    const timeval patience{.tv_sec = kPatienceSeconds, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  }
  bool Fill() {
    char buffer[16 << 10];
    const ssize_t size = recv(fd_, buffer, sizeof buffer, 0);
    if (size > 0) {
      input_.append(buffer, static_cast<std::size_t>(size));
      return true;
    }
    ended_ = size == 0 || errno == ECONNRESET;
    return false;
  }
  std::string Take(std::size_t size) {
    std::string taken = input_.substr(0, size);
    input_.erase(0, size);
    return taken;
  }

  int fd_;
  bool connected_ = false;
  bool ended_ = false;
  std::string input_;
};

// Sends a request without a body, such as "GET /livez". Returns the whole response.
inline std::string Ask(std::uint16_t port, const std::string& request_line) {
  RawClient client(port);
  client.Send(request_line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  return client.ReadAll();
}
inline std::string Get(std::uint16_t port, const std::string& path) {
  return Ask(port, "GET " + path);
}

}  // namespace capstan::httpserver
