// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/demo/live_page.h"

#include <memory>

namespace cmd::capstan::demo {
namespace {

constexpr const char* kText = "text/plain; charset=utf-8";

void Answer(const Record& record, const httpserver::Request& request,
            httpserver::Exchange& exchange) {
  if (request.method != "GET" && request.method != "HEAD") {
    exchange.Respond(405, kText, "only GET\n", {{"Allow", "GET, HEAD"}});
  } else if (request.path != "/") {
    exchange.Respond(404, kText, "not found: the page is /\n");
  } else if (request.Query("format") == "json") {
    exchange.Respond(200, "application/json", Json(record.ToPage(true)));
  } else {
    exchange.Respond(200, "text/html; charset=utf-8", Html(record.ToPage(true)),
                     {{"Cache-Control", "no-store"}});
  }
}

}  // namespace

LivePage::LivePage(const Record& record, std::uint16_t port)
    : server_({.name = "demo-page", .port = port},
              [&record](const httpserver::Request& request,
                        const std::shared_ptr<httpserver::Exchange>& exchange) {
                Answer(record, request, *exchange);
              }) {}

clientgo::util::Expected<void> LivePage::Start() { return server_.Start(); }

std::string LivePage::url() const {
  return "http://127.0.0.1:" + std::to_string(server_.port()) + "/";
}

void LivePage::Stop() { server_.Stop(); }

}  // namespace cmd::capstan::demo
