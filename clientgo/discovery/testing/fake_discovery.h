// SPDX-License-Identifier: Apache-2.0
// FakeDiscovery is a Client whose server has only the given discovery documents, and a record of
// the requested paths. Any other path is a 404.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capstan/rest/client.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/fake_transport.h"

namespace capstan::discovery {

inline constexpr char kAggregatedType[] =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

inline testing::FakeResponse Json(std::string body, std::string type = "application/json") {
  return {.headers = {{"Content-Type", std::move(type)}}, .chunks = {std::move(body)}};
}
inline testing::FakeResponse Aggregated(std::string items) {
  return Json(R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[)" +
                  std::move(items) + "]}",
              kAggregatedType);
}
inline testing::FakeResponse Failure(int status, const std::string& reason) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}},
          .chunks = {R"({"kind":"Status","status":"Failure","message":"it is )" + reason +
                     R"(","reason":")" + reason + R"(","code":)" + std::to_string(status) + "}"}};
}

class FakeDiscovery {
 public:
  FakeDiscovery() {
    auto transport = std::make_unique<testing::FakeTransport>(
        [this](const transport::HttpRequest& request) {
          const auto found = documents.find(request.target);
          return found != documents.end() ? found->second : Failure(404, "NotFound");
        },
        clock);
    transport_ = transport.get();
    client_ =
        std::make_unique<rest::Client>(rest::Config{.host = "https://10.0.0.1:6443"},
                                       std::move(transport), rest::ClientOptions{.clock = clock});
  }
  FakeDiscovery(const FakeDiscovery&) = delete;
  FakeDiscovery& operator=(const FakeDiscovery&) = delete;

  rest::Client& client() { return *client_; }
  // Returns the paths of all requests so far.
  std::vector<std::string> Paths() const {
    std::vector<std::string> paths;
    for (const auto& request : transport_->requests()) paths.push_back(request.target);
    return paths;
  }
  std::vector<transport::HttpRequest> requests() const { return transport_->requests(); }

  // Waits for `count` requests. Returns false after 10 s.
  bool BlockUntilRequests(std::size_t count) const { return transport_->BlockUntilRequests(count); }

  std::map<std::string, testing::FakeResponse> documents;  // by path
  testing::FakeClock clock;

 private:
  testing::FakeTransport* transport_ = nullptr;
  std::unique_ptr<rest::Client> client_;
};

}  // namespace capstan::discovery
