// SPDX-License-Identifier: Apache-2.0
// e2e_webhook CERT_FILE KEY_FILE PORT: a validating webhook. It denies objects with the label
// e2e.capstan.dev/refuse, which shows that the API server calls it, and allows all others. Each new
// connection uses the current files. It exits at SIGTERM.
#include <cstdint>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "capstan/clientgo/runtime/internal/json.h"
#include "capstan/clientgo/runtime/json_writer.h"
#include "capstan/clientgo/util/mutex.h"
#include "capstan/controller_runtime/signals.h"
#include "capstan/httpserver/server.h"
#include "capstan/httpserver/tls_options.h"

namespace {

using capstan::clientgo::runtime::JsonValue;
using capstan::clientgo::runtime::WriteField;

constexpr char kRefuse[] = "e2e.capstan.dev/refuse";

// Returns the value at a path of names, or null.
const JsonValue* At(const JsonValue* value, std::initializer_list<const char*> path) {
  for (const char* name : path) {
    if (value == nullptr || !value->IsObject()) return nullptr;
    const auto member = value->FindMember(name);
    value = member == value->MemberEnd() ? nullptr : &member->value;
  }
  return value;
}

// Returns the response to an AdmissionReview, or "" if `body` is not one.
std::string Review(const std::string& body) {
  capstan::clientgo::runtime::JsonDocument request;
  request.Parse(body.data(), body.size());
  if (request.HasParseError()) return {};
  const JsonValue* uid = At(&request, {"request", "uid"});
  if (uid == nullptr || !uid->IsString()) return {};
  const bool refuse = At(&request, {"request", "object", "metadata", "labels", kRefuse}) != nullptr;
  capstan::clientgo::runtime::JsonWriter writer;
  writer.StartObject();
  WriteField(writer, "apiVersion", "admission.k8s.io/v1");
  WriteField(writer, "kind", "AdmissionReview");
  writer.Key("response");
  writer.StartObject();
  WriteField(writer, "uid", capstan::clientgo::runtime::ToView(*uid));
  writer.Key("allowed");
  writer.Bool(!refuse);
  writer.Key("status");
  writer.StartObject();
  WriteField(writer, "message", "refused by e2e_webhook");
  writer.EndObject();
  writer.EndObject();
  writer.EndObject();
  return std::move(writer).Take();
}

void Answer(const capstan::httpserver::Request& request,
            const std::shared_ptr<capstan::httpserver::Exchange>& exchange) {
  if (request.method == "GET") return exchange->Respond(200, "text/plain", "ok\n");
  std::string review = Review(request.body);
  if (review.empty()) return exchange->Respond(400, "text/plain", "no AdmissionReview\n");
  exchange->Respond(200, "application/json", std::move(review));
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() != 4) {
    std::cerr << "e2e_webhook: arguments: CERT_FILE KEY_FILE PORT\n";
    return 1;
  }
  capstan::controller_runtime::BlockSignals();
  const capstan::controller_runtime::SignalWaiter signals;
  capstan::httpserver::TlsFileSource files(arguments[1], arguments[2], {});
  capstan::httpserver::Server server({.name = "webhook",
                                      .address = "0.0.0.0",
                                      .port = static_cast<std::uint16_t>(std::stoi(arguments[3])),
                                      .tls_source = [&] { return files.Current(); }},
                                     Answer);
  if (auto started = server.Start(); !started) {
    std::cerr << "e2e_webhook: " << started.error().message << '\n';
    return 1;
  }
  capstan::clientgo::util::Mutex mu;
  capstan::clientgo::util::CondVar never;
  capstan::clientgo::util::MutexLock lock(mu);
  never.Wait(mu, signals.token(), [] { return false; });
  return 0;
}
