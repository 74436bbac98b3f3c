// SPDX-License-Identifier: Apache-2.0
// WebhookServer is an admission webhook for tests, on HTTPS. It records each request and lets a
// handler respond to it, on any thread.
#pragma once

#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/base64.h"
#include "capstan/httpserver/server.h"
#include "capstan/mutex.h"
#include "capstan/testing/certificates.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

class WebhookServer {
 public:
  // Sends the members of the response besides its uid: `"allowed":true`. Any thread may call it, as
  // long as the server exists.
  using Respond = std::function<void(std::string members)>;
  // Gets the path and the request of an AdmissionReview.
  using Handler = std::function<void(std::string_view path, const runtime::JsonValue& request,
                                     Respond respond)>;

  explicit WebhookServer(Handler handler) : handler_(std::move(handler)) {
    const KeyPair ca = MakeCa({.common_name = "webhook-ca"}).value();
    const KeyPair serving = MakeLocalhostCertificate(ca).value();
    ca_bundle_ = Base64Encode(ca.cert_pem);
    httpserver::ServerOptions options{.name = "webhook"};
    options.tls = std::make_unique<httpserver::TlsFiles>(
        httpserver::TlsFiles{.cert_pem = serving.cert_pem, .key_pem = serving.key_pem});
    server_ = std::make_unique<httpserver::Server>(
        std::move(options),
        [this](const httpserver::Request& request, std::shared_ptr<httpserver::Exchange> exchange) {
          Handle(request, std::move(exchange));
        });
    started_ = server_->Start().has_value();
  }

  ~WebhookServer() {
    server_->Stop();
    exchanges_.clear();
  }
  WebhookServer(const WebhookServer&) = delete;
  WebhookServer& operator=(const WebhookServer&) = delete;

  bool started() const { return started_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(server_->port()); }
  // Returns the members of a clientConfig for this server.
  std::string ClientConfig(std::string_view path = "/") const {
    return R"("url":"https://)" + address() + std::string(path) + R"(","caBundle":")" + ca_bundle_ +
           "\"";
  }
  const std::string& ca_bundle() const { return ca_bundle_; }
  // Returns what was requested until now: "CREATE a", "DELETE b", in order.
  std::vector<std::string> Requests() const {
    const MutexLock lock(mu_);
    return requests_;
  }
  // Returns the targets of the HTTP requests, with their queries.
  std::vector<std::string> Targets() const {
    const MutexLock lock(mu_);
    return targets_;
  }
  // Returns the last request of an AdmissionReview as JSON.
  std::string LastRequest() const {
    const MutexLock lock(mu_);
    return last_;
  }
  // Returns the apiVersion of the last AdmissionReview.
  std::string LastVersion() const {
    const MutexLock lock(mu_);
    return last_version_;
  }
  // Failure is an HTTP response that the handler does not make.
  struct Failure {
    int code = 500;
    std::string body = {};
    httpserver::Headers headers = {};
    std::string content_type = "text/plain; charset=utf-8";
  };
  // Answers the next requests so, one after the other, and then calls the handler again.
  void FailNext(std::vector<Failure> failures) {
    const MutexLock lock(mu_);
    failures_.assign(std::make_move_iterator(failures.begin()),
                     std::make_move_iterator(failures.end()));
  }
  void Forget() {
    const MutexLock lock(mu_);
    requests_.clear();
    targets_.clear();
  }

 private:
  void Handle(const httpserver::Request& http, std::shared_ptr<httpserver::Exchange> exchange) {
    runtime::JsonDocument review;
    review.Parse(http.body.data(), http.body.size());
    const runtime::JsonValue& request = ObjectAt(review, "request");
    {
      const MutexLock lock(mu_);
      requests_.push_back(std::string(runtime::GetString(request, "operation")) + " " +
                          std::string(runtime::GetString(request, "name")));
      targets_.push_back(http.target);
      last_ = runtime::ToJson(request);
      last_version_ = StringAt(review, "apiVersion");
      if (!failures_.empty()) {
        const Failure failure = std::move(failures_.front());
        failures_.pop_front();
        return exchange->Respond(failure.code, failure.content_type, failure.body, failure.headers);
      }
    }
    const std::string uid(runtime::GetString(request, "uid"));
    exchanges_[uid] = std::move(exchange);
    const std::string head = R"({"apiVersion":")" + StringAt(review, "apiVersion") +
                             R"(","kind":"AdmissionReview","response":{"uid":")" + uid + "\",";
    handler_(http.path, request, [this, uid, head](const std::string& members) {
      server_->Post([this, uid, body = head + members + "}}"] { SendResponse(uid, body); });
    });
  }
  void SendResponse(const std::string& uid, const std::string& body) {
    const auto exchange = std::exchange(exchanges_[uid], nullptr);
    if (exchange != nullptr) exchange->Respond(200, "application/json", body);
  }

  const Handler handler_;
  std::string ca_bundle_;
  bool started_ = false;
  mutable Mutex mu_;
  std::vector<std::string> requests_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<std::string> targets_ CAPSTAN_GUARDED_BY(mu_);
  std::string last_ CAPSTAN_GUARDED_BY(mu_);
  std::string last_version_ CAPSTAN_GUARDED_BY(mu_);
  std::deque<Failure> failures_ CAPSTAN_GUARDED_BY(mu_);
  // By the uid of the request. Only the server's thread uses them.
  std::map<std::string, std::shared_ptr<httpserver::Exchange>> exchanges_;
  std::unique_ptr<httpserver::Server> server_;  // last: its thread uses all of the above
};

}  // namespace capstan::testing::apiserver
