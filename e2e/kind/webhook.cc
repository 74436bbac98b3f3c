// SPDX-License-Identifier: Apache-2.0
// e2e_webhook CERT_FILE KEY_FILE PORT [DELAY]: what an API server calls with an injected CA. As a
// validating webhook, it denies objects with the label e2e.capstan.dev/refuse, which shows that it
// is called, and allows all others. As a conversion webhook, it changes only apiVersion. As the
// server of an APIService, it has no resources.
//
// Each new connection uses the current files, or those from before a change until DELAY seconds
// after it. With the DELAY "never", the first files are always used. Each review ends its
// connection, so every call needs a trusted certificate. It exits at SIGTERM.
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/httpserver/server.h"
#include "capstan/httpserver/tls_options.h"
#include "capstan/mutex.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/signals.h"
#include "clientgo/runtime/json.h"

namespace {

using capstan::Clock;
using capstan::runtime::JsonValue;
using capstan::runtime::JsonWriter;
using capstan::runtime::ToView;
using capstan::runtime::WriteField;

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

// Begins a response to `review` with its apiVersion, its kind and the uid of its request.
void BeginResponse(JsonWriter& writer, const JsonValue& review, const JsonValue& uid) {
  writer.StartObject();
  for (const char* name : {"apiVersion", "kind"}) {
    if (const JsonValue* value = At(&review, {name})) {
      writer.Key(name);
      writer.Value(*value);
    }
  }
  writer.Key("response");
  writer.StartObject();
  WriteField(writer, "uid", ToView(uid));
}

void WriteAdmission(JsonWriter& writer, const JsonValue& review) {
  const bool refuse = At(&review, {"request", "object", "metadata", "labels", kRefuse}) != nullptr;
  writer.Key("allowed");
  writer.Bool(!refuse);
  writer.Key("status");
  writer.StartObject();
  WriteField(writer, "message", "refused by e2e_webhook");
  writer.EndObject();
}

void WriteConversion(JsonWriter& writer, const JsonValue& objects, const JsonValue& version) {
  writer.Key("convertedObjects");
  writer.StartArray();
  for (const JsonValue& object : objects.GetArray()) {
    writer.StartObject();
    WriteField(writer, "apiVersion", ToView(version));
    for (const auto& member : object.GetObject()) {
      if (ToView(member.name) == "apiVersion") continue;
      writer.Key(ToView(member.name));
      writer.Value(member.value);
    }
    writer.EndObject();
  }
  writer.EndArray();
  writer.Key("result");
  writer.StartObject();
  WriteField(writer, "status", "Success");
  writer.EndObject();
}

// Returns the response to an AdmissionReview or a ConversionReview, or "" if `body` is neither.
std::string Review(const std::string& body) {
  capstan::runtime::JsonDocument review;
  review.Parse(body.data(), body.size());
  if (review.HasParseError()) return {};
  const JsonValue* uid = At(&review, {"request", "uid"});
  if (uid == nullptr || !uid->IsString()) return {};
  const JsonValue* objects = At(&review, {"request", "objects"});
  const JsonValue* version = At(&review, {"request", "desiredAPIVersion"});
  JsonWriter writer;
  BeginResponse(writer, review, *uid);
  if (objects != nullptr && objects->IsArray() && version != nullptr && version->IsString()) {
    WriteConversion(writer, *objects, *version);
  } else {
    WriteAdmission(writer, review);
  }
  writer.EndObject();
  writer.EndObject();
  return std::move(writer).Take();
}

// Returns the resources of an APIService's group and version: none.
std::string Resources(std::string_view group_version) {
  JsonWriter writer;
  writer.StartObject();
  WriteField(writer, "kind", "APIResourceList");
  WriteField(writer, "apiVersion", "v1");
  WriteField(writer, "groupVersion", group_version);
  writer.Key("resources");
  writer.StartArray();
  writer.EndArray();
  writer.EndObject();
  return std::move(writer).Take();
}

void Answer(const capstan::httpserver::Request& request,
            const std::shared_ptr<capstan::httpserver::Exchange>& exchange) {
  constexpr std::string_view kApis = "/apis/";
  if (request.method == "GET" && request.path.starts_with(kApis)) {
    return exchange->Respond(200, "application/json", Resources(request.path.substr(kApis.size())));
  }
  if (request.method == "GET") return exchange->Respond(200, "text/plain", "ok\n");
  std::string review = Review(request.body);
  if (review.empty()) return exchange->Respond(400, "text/plain", "no review\n");
  exchange->Respond(200, "application/json", std::move(review), {{"Connection", "close"}});
}

// DelayedFiles is the certificate and key of a server that loads new files some time after they
// changed. A connection has to come for it to notice a change.
class DelayedFiles {
 public:
  using Files = std::shared_ptr<const capstan::httpserver::TlsFiles>;

  // nullopt: it never loads new files.
  DelayedFiles(capstan::httpserver::TlsFileSource source, std::optional<std::chrono::seconds> delay)
      : source_(std::move(source)), delay_(delay) {}

  capstan::Expected<Files> Current() {
    auto current = source_.Current();
    if (!current) return current;
    const auto now = Clock::Real().Now();
    if (*current != newest_) {
      newest_ = *std::move(current);
      changed_ = now;
    }
    if (loaded_ == nullptr || (delay_ && now - changed_ >= *delay_)) loaded_ = newest_;
    return loaded_;
  }

 private:
  capstan::httpserver::TlsFileSource source_;
  const std::optional<std::chrono::seconds> delay_;
  Files newest_;
  Files loaded_;
  Clock::TimePoint changed_;
};

// Parses DELAY.
std::optional<std::chrono::seconds> Delay(std::string_view text) {
  if (text == "never") return std::nullopt;
  return std::chrono::seconds(std::stoi(std::string(text)));
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() != 4 && arguments.size() != 5) {
    std::cerr << "e2e_webhook: arguments: CERT_FILE KEY_FILE PORT [DELAY]\n";
    return 1;
  }
  capstan::BlockSignals();
  const capstan::SignalWaiter signals;
  DelayedFiles files({arguments[1], arguments[2], {}},
                     Delay(arguments.size() == 5 ? arguments[4] : "0"));
  capstan::httpserver::Server server({.name = "webhook",
                                      .address = "0.0.0.0",
                                      .port = static_cast<std::uint16_t>(std::stoi(arguments[3])),
                                      .tls_source = [&] { return files.Current(); }},
                                     Answer);
  if (auto started = server.Start(); !started) {
    std::cerr << "e2e_webhook: " << started.error().message << '\n';
    return 1;
  }
  capstan::Mutex mu;
  capstan::CondVar never;
  capstan::MutexLock lock(mu);
  never.Wait(mu, signals.token(), [] { return false; });
  return 0;
}
