// SPDX-License-Identifier: Apache-2.0
// ConversionServer is a conversion webhook for tests, on HTTPS. It counts the objects of its
// reviews, and can give wrong answers.
#pragma once

#include <functional>
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

class ConversionServer {
 public:
  // Changes an object into its form in the version `api_version`, which it has already.
  using Convert = std::function<void(runtime::JsonDocument& object, std::string_view api_version)>;

  explicit ConversionServer(Convert convert) : convert_(std::move(convert)) {
    const KeyPair ca = MakeCa({.common_name = "conversion-ca"}).value();
    const KeyPair serving = MakeLocalhostCertificate(ca).value();
    ca_bundle_ = Base64Encode(ca.cert_pem);
    httpserver::ServerOptions options{.name = "conversion"};
    options.tls = std::make_unique<httpserver::TlsFiles>(
        httpserver::TlsFiles{.cert_pem = serving.cert_pem, .key_pem = serving.key_pem});
    server_ = std::make_unique<httpserver::Server>(
        std::move(options), [this](const httpserver::Request& request,
                                   const std::shared_ptr<httpserver::Exchange>& exchange) {
          exchange->Respond(200, "application/json", Answer(request.body));
        });
    started_ = server_->Start().has_value();
  }
  ~ConversionServer() { server_->Stop(); }
  ConversionServer(const ConversionServer&) = delete;
  ConversionServer& operator=(const ConversionServer&) = delete;

  bool started() const { return started_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(server_->port()); }
  const std::string& ca_bundle() const { return ca_bundle_; }
  // Returns the value of spec.conversion for this server.
  std::string Conversion(std::string_view review_versions = R"(["v1"])") const {
    return R"({"strategy":"Webhook","webhook":{"conversionReviewVersions":)" +
           std::string(review_versions) + R"(,"clientConfig":{"url":"https://)" + address() +
           R"(/convert","caBundle":")" + ca_bundle_ + R"("}}})";
  }
  // Answers all reviews with these members of the response, besides its uid. Empty: converts again.
  void SetAnswer(std::string members) {
    const MutexLock lock(mu_);
    members_ = std::move(members);
  }
  // Returns how many objects each review had, in the order of the reviews, and forgets it.
  std::vector<std::size_t> TakeSizes() {
    const MutexLock lock(mu_);
    return std::exchange(sizes_, {});
  }
  // Returns the last review as JSON.
  std::string LastReview() const {
    const MutexLock lock(mu_);
    return last_;
  }

 private:
  std::string Answer(std::string_view body) {
    runtime::JsonDocument review;
    review.Parse(body.data(), body.size());
    const runtime::JsonValue& request = ObjectAt(review, "request");
    const runtime::JsonValue& objects = ListAt(request, "objects");
    std::string members;
    {
      const MutexLock lock(mu_);
      sizes_.push_back(objects.Size());
      last_ = body;
      members = members_;
    }
    if (members.empty()) {
      members = R"("result":{"status":"Success"},"convertedObjects":)" +
                Converted(objects, runtime::GetString(request, "desiredAPIVersion"));
    }
    return Json({{"kind", "ConversionReview"},
                 {"apiVersion", runtime::GetString(review, "apiVersion")},
                 {"response", Json::Raw(R"({"uid":)" + Quote(runtime::GetString(request, "uid")) +
                                        "," + members + "}")}})
        .text();
  }
  std::string Converted(const runtime::JsonValue& objects, std::string_view api_version) const {
    std::vector<Json> converted;
    for (const runtime::JsonValue& object : objects.GetArray()) {
      runtime::JsonDocument copy;
      copy.CopyFrom(object, copy.GetAllocator());
      SetString(copy, "apiVersion", api_version, copy.GetAllocator());
      convert_(copy, api_version);
      converted.emplace_back(copy);
    }
    return Json::List(converted).text();
  }

  const Convert convert_;
  std::string ca_bundle_;
  bool started_ = false;
  mutable Mutex mu_;
  std::string members_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<std::size_t> sizes_ CAPSTAN_GUARDED_BY(mu_);
  std::string last_ CAPSTAN_GUARDED_BY(mu_);
  std::unique_ptr<httpserver::Server> server_;  // last: its thread uses all of the above
};

// Moves the member `from` of the spec to `to`, if it exists: a conversion for tests.
inline void MoveSpec(runtime::JsonDocument& object, std::string_view from, std::string_view to) {
  runtime::JsonValue* const spec = FindMutable(object, "spec");
  if (spec == nullptr || !spec->IsObject()) return;
  const runtime::JsonValue* const value = runtime::Find(*spec, from);
  if (value == nullptr) return;
  Set(*spec, to, runtime::JsonValue(*value, object.GetAllocator()), object.GetAllocator());
  Remove(*spec, from);
}

}  // namespace capstan::testing::apiserver
