// SPDX-License-Identifier: Apache-2.0
#include "httpserver/exchange.h"

#include <glog/logging.h>

#include <boost/beast/http/status.hpp>
#include <cstdio>

namespace httpserver {
namespace {

class ConnectionExchange final : public Exchange {
 public:
  ConnectionExchange(std::shared_ptr<Connection> connection, AnswerForm form)
      : connection_(std::move(connection)), form_(form) {}
  ConnectionExchange(const ConnectionExchange&) = delete;
  ConnectionExchange& operator=(const ConnectionExchange&) = delete;
  ~ConnectionExchange() override {
    if (!finished_) connection_->Close();
  }

  void Respond(int status, std::string content_type, std::string body,
               std::vector<std::pair<std::string, std::string>> headers) override {
    CHECK(!begun_) << "the request is already answered";
    begun_ = true;
    finished_ = true;
    connection_->Send(FormatHead(status, content_type, headers, form_.keep_alive,
                                 "Content-Length: " + std::to_string(body.size())));
    if (!form_.head) connection_->Send(std::move(body));
    connection_->FinishAnswer(form_.keep_alive);
  }

  void Begin(int status, std::string content_type,
             std::vector<std::pair<std::string, std::string>> headers) override {
    CHECK(!begun_) << "the request is already answered";
    begun_ = true;
    if (!form_.chunked) form_.keep_alive = false;
    connection_->Send(FormatHead(status, content_type, headers, form_.keep_alive,
                                 form_.chunked ? "Transfer-Encoding: chunked" : ""));
  }

  void Write(std::string chunk) override {
    CHECK(begun_ && !finished_) << "Write belongs between Begin and End";
    if (chunk.empty() || form_.head) return;  // an empty chunk would be the end
    if (form_.chunked) {
      char size[24];
      const int length = std::snprintf(size, sizeof size, "%zx\r\n", chunk.size());
      connection_->Send(std::string(size, static_cast<std::size_t>(length)));
      chunk += "\r\n";
    }
    connection_->Send(std::move(chunk));
  }

  void End() override {
    CHECK(begun_ && !finished_) << "End belongs after Begin, once";
    finished_ = true;
    if (form_.chunked && !form_.head) connection_->Send("0\r\n\r\n");
    connection_->FinishAnswer(form_.keep_alive);
  }

  void Abort() override {
    finished_ = true;
    connection_->Close();
  }

  void Truncate() override {
    finished_ = true;
    connection_->CloseAfterSend();
  }

  std::size_t PendingBytes() const override { return connection_->pending_bytes(); }

  void WhenDrained(std::function<void()> callback) override {
    connection_->WhenDrained(std::move(callback));
  }
  void OnClose(std::function<void()> callback) override {
    connection_->OnAnswerClosed(std::move(callback));
  }

 private:
  const std::shared_ptr<Connection> connection_;
  AnswerForm form_;
  bool begun_ = false;
  bool finished_ = false;
};

bool HasLineBreak(std::string_view text) {
  return text.find_first_of("\r\n") != std::string_view::npos;
}

void AppendHeader(std::string& head, std::string_view name, std::string_view value) {
  if (HasLineBreak(name) || HasLineBreak(value)) return;  // no input may start a header of its own
  head += name;
  head += ": ";
  head += value;
  head += "\r\n";
}

}  // namespace

std::shared_ptr<Exchange> NewExchange(std::shared_ptr<Connection> connection, AnswerForm form) {
  return std::make_shared<ConnectionExchange>(std::move(connection), form);
}

std::string FormatHead(int status, std::string_view content_type,
                       const std::vector<std::pair<std::string, std::string>>& headers,
                       bool keep_alive, std::string_view length) {
  const auto reason =
      boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(unsigned(status)));
  std::string head = "HTTP/1.1 " + std::to_string(status) + " ";
  head.append(reason.data(), reason.size());
  head += "\r\n";
  if (!content_type.empty()) AppendHeader(head, "Content-Type", content_type);
  for (const auto& [name, value] : headers) AppendHeader(head, name, value);
  if (!keep_alive) head += "Connection: close\r\n";
  if (!length.empty()) {
    head += length;
    head += "\r\n";
  }
  head += "\r\n";
  return head;
}

}  // namespace httpserver
