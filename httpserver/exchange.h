// SPDX-License-Identifier: Apache-2.0
// The Exchange of a Connection: it turns an answer into HTTP/1.1 bytes. Internal to httpserver.
// Lives on the server's thread; may outlive the connection, and then does nothing.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "httpserver/connection.h"
#include "httpserver/server.h"

namespace httpserver {

// What the request said about the form of its answer.
struct AnswerForm {
  bool head = false;  // no body, whatever the handler writes
  bool keep_alive = true;
  bool chunked = true;  // HTTP/1.0 knows no chunks: there the end of the connection is the end
};

std::shared_ptr<Exchange> NewExchange(std::shared_ptr<Connection> connection, AnswerForm form);

// The status line and headers, up to and including the empty line. `length` as in Content-Length or
// Transfer-Encoding; a header with a line break in it is left out.
std::string FormatHead(int status, std::string_view content_type,
                       const std::vector<std::pair<std::string, std::string>>& headers,
                       bool keep_alive, std::string_view length);

}  // namespace httpserver
