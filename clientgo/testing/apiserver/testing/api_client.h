// SPDX-License-Identifier: Apache-2.0
// ApiClient and WatchStream send requests to a Server without TLS and return its responses. Answer
// and WatchLine parse them for assertions. Every wait has RawClient's timeout.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/httpserver/testing/raw_client.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

struct Answer {
  int code = 0;
  std::string head;  // "Name: value\r\n" lines
  std::string body;
  runtime::JsonDocument json;  // null when the body is not JSON

  std::string_view message() const { return runtime::GetString(json, "message"); }
  std::string_view reason() const { return runtime::GetString(json, "reason"); }
  std::string_view meta(std::string_view key) const { return Metadata(json, key); }
  std::size_t items() const { return ListAt(json, "items").Size(); }
  // Sets json from the body.
  void ParseBody() {
    json.Parse<rapidjson::kParseIterativeFlag>(body.data(), body.size());
    if (json.HasParseError()) json.SetNull();
  }
};

// Returns the names of the items of a list: "a b ".
inline std::string Names(const Answer& answer) {
  std::string names;
  const runtime::JsonValue* const items = runtime::Find(answer.json, "items");
  if (items == nullptr || !items->IsArray()) return answer.body;
  for (const runtime::JsonValue& item : items->GetArray()) {
    names += std::string(Metadata(item, "name")) + " ";
  }
  return names;
}

struct WatchLine {
  std::string type = {};
  runtime::JsonDocument object = {};

  // Parses one event. Its type is "GARBAGE" when the text is not JSON.
  static WatchLine Parse(std::string_view text) {
    runtime::JsonDocument event;
    event.Parse(text.data(), text.size());
    if (event.HasParseError()) return {.type = "GARBAGE"};
    WatchLine line{.type = std::string(runtime::GetString(event, "type"))};
    if (const runtime::JsonValue* const object = runtime::Find(event, "object")) {
      line.object.CopyFrom(*object, line.object.GetAllocator());
    }
    return line;
  }

  std::string_view name() const { return Metadata(object, "name"); }
  std::string_view version() const { return Metadata(object, "resourceVersion"); }
  bool initial_events_end() const {
    return runtime::FindPath(object, {"metadata", "annotations", "k8s.io/initial-events-end"}) !=
           nullptr;
  }
  // Returns "ADDED a", "BOOKMARK", or "BOOKMARK end" for the end of the initial events.
  std::string Brief() const {
    if (initial_events_end()) return type + " end";
    return name().empty() ? type : type + " " + std::string(name());
  }
};

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

  // `headers` end with "\r\n" and are sent with every request.
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

  // Returns the next event. Its type is "EOF" at the end of the stream, "BROKEN" without an end.
  WatchLine Next() {
    std::size_t end = buffer_.find('\n');
    while (end == std::string::npos) {
      const std::string chunk_size = socket_.ReadUntil("\r\n");
      if (chunk_size.empty()) return {.type = "BROKEN"};
      const auto size = std::strtoul(chunk_size.c_str(), nullptr, 16);
      const std::string data = socket_.ReadBytes(size);
      socket_.ReadBytes(2);
      if (size == 0) return {.type = "EOF"};
      if (data.size() < size) return {.type = "BROKEN"};
      buffer_ += data;
      end = buffer_.find('\n');
    }
    WatchLine line = WatchLine::Parse(std::string_view(buffer_).substr(0, end));
    buffer_.erase(0, end + 1);
    return line;
  }

 private:
  httpserver::RawClient socket_;
  std::string head_;
  std::string buffer_;
};

}  // namespace capstan::testing::apiserver
