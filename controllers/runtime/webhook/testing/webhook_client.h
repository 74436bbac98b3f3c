// SPDX-License-Identifier: Apache-2.0
// The other side of webhook::Server in tests: serving certificates in a folder, an API server's
// POST over HTTPS, and the reviews that it sends.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "capstan/base64.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/parsed_json.h"
#include "capstan/testing/certificates.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/transport/http1_transport.h"

namespace capstan::webhook {

template <class T>
T Value(Expected<T> result) {
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return *std::move(result);
}

// ServingCertificate is a folder with tls.crt and tls.key of a new CA.
class ServingCertificate {
 public:
  ServingCertificate() { Rotate(); }

  // Replaces the certificate by one of another CA.
  void Rotate() {
    ca_ = Value(testing::MakeCa({.common_name = "ca"}));
    const auto pair = Value(testing::MakeLocalhostCertificate(ca_));
    dir_.Write("tls.crt", pair.cert_pem);
    dir_.Write("tls.key", pair.key_pem);
  }
  const testing::KeyPair& ca() const { return ca_; }
  std::string dir() const { return dir_.Path(""); }
  const testing::TempDir& files() const { return dir_; }

 private:
  testing::TempDir dir_;
  testing::KeyPair ca_;
};

struct Answer {
  int status = 0;  // 0: there was none
  transport::Headers headers = {};
  std::string body = {};
};

// ApiServer calls a webhook as an API server does.
class ApiServer {
 public:
  ApiServer(std::uint16_t port, std::string ca_pem, testing::KeyPair client = {})
      : transport_(
            Value(transport::NewHttp1Transport({.host = "https://127.0.0.1:" + std::to_string(port),
                                                .tls = {.ca_data = std::move(ca_pem),
                                                        .cert_data = client.cert_pem,
                                                        .key_data = client.key_pem}}))) {}

  Answer Post(const std::string& target, std::string body,
              const std::string& content_type = "application/json") const {
    auto response = transport_->RoundTrip({}, {.method = "POST",
                                               .target = target,
                                               .headers = {{"Content-Type", content_type}},
                                               .body = std::move(body)});
    if (!response) return {.body = response.error().message};
    Answer answer{.status = (*response)->status(), .headers = (*response)->headers()};
    while (true) {
      const auto chunk = (*response)->Read();
      if (!chunk) return {.body = chunk.error().message};
      if (chunk->empty()) return answer;
      answer.body += *chunk;
    }
  }

 private:
  std::unique_ptr<transport::HttpTransport> transport_;
};

// Returns an AdmissionReview. `more` are further members of the request.
inline std::string Review(const std::string& operation, const std::string& more = "") {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1",)"
         R"("kind":{"group":"example.com","version":"v1","kind":"Foo"},)"
         R"("resource":{"group":"example.com","version":"v1","resource":"foos"},)"
         R"("name":"a","namespace":"ns","operation":")" +
         operation + R"(","userInfo":{"username":"alice"})" + (more.empty() ? "" : "," + more) +
         "}}";
}

// Response is a decoded answer to an AdmissionReview.
struct Response {
  explicit Response(const std::string& body) : json(Value(runtime::ParsedJson::Parse(body))) {
    const auto& root = json.root();
    const auto text = [&](std::initializer_list<std::string_view> path) {
      const auto* const value = runtime::FindPath(root, path);
      return value == nullptr ? std::string() : std::string(runtime::AsString(*value).value_or(""));
    };
    uid = text({"response", "uid"});
    const auto* const response = runtime::FindPath(root, {"response"});
    allowed = response != nullptr && runtime::GetBool(*response, "allowed");
    const auto* const status = runtime::FindPath(root, {"response", "status"});
    code = status == nullptr ? 0 : runtime::GetInt(*status, "code");
    reason = text({"response", "status", "reason"});
    message = text({"response", "status", "message"});
    patch_type = text({"response", "patchType"});
    patch = Base64Decode(text({"response", "patch"})).value_or("not base64");
  }

  runtime::ParsedJson json;
  std::string uid;
  bool allowed = false;
  int code = 0;
  std::string reason;
  std::string message;
  std::string patch_type;
  std::string patch;
};

}  // namespace capstan::webhook
