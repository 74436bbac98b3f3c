// SPDX-License-Identifier: Apache-2.0
// ApiClient and WatchStream: the API of a Server without TLS as bytes, for tests that look at what
// the server really sends. One thread; every wait is bounded by RawClient's patience.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/answer_testing.h"
#include "httpserver/testing/raw_client.h"

namespace apiserver {

inline std::string FormatRequest(std::string_view method, std::string_view target,
                                 std::string_view body, std::string_view headers) {
  std::string text(method);
  text += " " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers);
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + std::string(body);
}

class ApiClient {
 public:
  explicit ApiClient(std::uint16_t port) : port_(port) {}

  // "\r\n"-terminated, sent with every request.
  void SetHeaders(std::string headers) { headers_ = std::move(headers); }

  Answer Do(std::string_view method, std::string_view target, std::string_view body = {},
            std::string_view headers = {}) {
    httpserver::RawClient socket(port_);
    socket.Send(FormatRequest(method, target, body, headers_ + std::string(headers)));
    Answer answer;
    answer.head = socket.ReadUntil("\r\n\r\n");
    if (answer.head.size() > 12) answer.code = std::stoi(answer.head.substr(9, 3));
    const std::size_t length = answer.head.find("Content-Length: ");
    if (length != std::string::npos) {
      answer.body = socket.ReadBytes(std::stoul(answer.head.substr(length + 16)));
    } else {
      for (std::string chunk = socket.ReadChunk(); !chunk.empty(); chunk = socket.ReadChunk()) {
        answer.body += chunk;
      }
    }
    answer.ParseBody();
    return answer;
  }
  Answer Get(std::string_view target, std::string_view headers = {}) {
    return Do("GET", target, {}, headers);
  }
  Answer Post(std::string_view target, std::string_view body) { return Do("POST", target, body); }
  Answer Put(std::string_view target, std::string_view body) { return Do("PUT", target, body); }
  // `kind`: "merge-patch+json", "apply-patch+yaml", ...
  Answer Patch(std::string_view target, std::string_view kind, std::string_view body) {
    return Do("PATCH", target, body, "Content-Type: application/" + std::string(kind) + "\r\n");
  }
  Answer Delete(std::string_view target, std::string_view body = {}) {
    return Do("DELETE", target, body);
  }

 private:
  const std::uint16_t port_;
  std::string headers_;
};

class WatchStream {
 public:
  WatchStream(std::uint16_t port, std::string_view target, std::string_view headers = {},
              int receive_buffer_bytes = 0)
      : socket_(port, receive_buffer_bytes) {
    socket_.Send(FormatRequest("GET", target, {}, headers));
    head_ = socket_.ReadUntil("\r\n\r\n");
  }

  const std::string& head() const { return head_; }
  httpserver::RawClient& socket() { return socket_; }

  // The next event; its type is "EOF" at the proper end of the stream, "BROKEN" at any other.
  WatchLine Next() {
    std::size_t end = buffer_.find('\n');
    while (end == std::string::npos) {
      const std::string chunk_size = socket_.ReadUntil("\r\n");
      if (chunk_size.empty()) return Ended("BROKEN");
      const auto size = std::strtoul(chunk_size.c_str(), nullptr, 16);
      const std::string data = socket_.ReadBytes(size);
      socket_.ReadBytes(2);
      if (size == 0) return Ended("EOF");
      if (data.size() < size) return Ended("BROKEN");
      buffer_ += data;
      end = buffer_.find('\n');
    }
    WatchLine line = WatchLine::Parse(std::string_view(buffer_).substr(0, end));
    buffer_.erase(0, end + 1);
    return line;
  }

 private:
  static WatchLine Ended(std::string type) {
    WatchLine line;
    line.type = std::move(type);
    return line;
  }

  httpserver::RawClient socket_;
  std::string head_;
  std::string buffer_;
};

}  // namespace apiserver
