// SPDX-License-Identifier: Apache-2.0
#include "e2e/injection/request_recorder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "capstan/runtime/json_writer.h"

namespace capstan::injection {

namespace {

// StatusResponse is a Status sent in place of the server's response.
class StatusResponse final : public transport::HttpResponse {
 public:
  StatusResponse(int code, const std::string& message) : code_(code) {
    runtime::JsonWriter writer;
    writer.StartObject();
    WriteField(writer, "kind", "Status");
    WriteField(writer, "apiVersion", "v1");
    WriteField(writer, "status", "Failure");
    WriteField(writer, "reason",
               code == 403   ? "Forbidden"
               : code == 404 ? "NotFound"
                             : "InternalError");
    WriteField(writer, "message", message);
    writer.Key("code");
    writer.Int(code);
    writer.EndObject();
    body_ = std::move(writer).Take();
  }
  int status() const override { return code_; }
  const transport::Headers& headers() const override { return headers_; }
  using transport::HttpResponse::Read;
  Expected<std::string_view> Read(Clock::Duration) override {
    return std::exchange(read_, true) ? std::string_view() : body_;
  }

 private:
  const int code_;
  std::string body_;
  const transport::Headers headers_ = {{"Content-Type", "application/json"}};
  bool read_ = false;
};

}  // namespace

class RequestRecorder::Transport final : public transport::HttpTransport {
 public:
  Transport(std::unique_ptr<transport::HttpTransport> transport, std::shared_ptr<State> state)
      : transport_(std::move(transport)), state_(std::move(state)) {}

  Expected<std::unique_ptr<transport::HttpResponse>> RoundTrip(
      std::stop_token stop, const transport::HttpRequest& request) override {
    if (const auto refusal = Record(request)) {
      return std::make_unique<StatusResponse>(refusal->code, refusal->message);
    }
    auto response = transport_->RoundTrip(std::move(stop), request);
    if (response && (*response)->status() == 409) {
      const MutexLock lock(state_->mu);
      state_->conflicts.emplace_back(request.method, request.target);
    }
    return response;
  }

 private:
  std::optional<Refusal> Record(const transport::HttpRequest& request) {
    const MutexLock lock(state_->mu);
    state_->requests.emplace_back(request.method, request.target);
    for (const Refusal& refusal : state_->refusals) {
      if (request.target.find(refusal.part) != std::string::npos) return refusal;
    }
    return std::nullopt;
  }

  const std::unique_ptr<transport::HttpTransport> transport_;
  const std::shared_ptr<State> state_;
};

std::unique_ptr<transport::HttpTransport> RequestRecorder::Wrap(
    std::unique_ptr<transport::HttpTransport> transport) {
  return std::make_unique<Transport>(std::move(transport), state_);
}

std::uint64_t RequestRecorder::CountIn(const Requests& requests, const std::string& method,
                                       const std::vector<std::string>& parts) {
  const auto wanted = [&](const auto& request) {
    return request.first == method &&
           std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
             return request.second.find(part) != std::string::npos;
           });
  };
  return static_cast<std::uint64_t>(std::count_if(requests.begin(), requests.end(), wanted));
}

std::uint64_t RequestRecorder::Count(const std::string& method,
                                     const std::vector<std::string>& parts) const {
  const MutexLock lock(state_->mu);
  return CountIn(state_->requests, method, parts);
}

std::uint64_t RequestRecorder::CountConflicts(const std::string& method,
                                              const std::vector<std::string>& parts) const {
  const MutexLock lock(state_->mu);
  return CountIn(state_->conflicts, method, parts);
}

void RequestRecorder::Reset() {
  const MutexLock lock(state_->mu);
  state_->requests.clear();
  state_->conflicts.clear();
}

void RequestRecorder::Refuse(const std::string& part, int code, const std::string& message) {
  const MutexLock lock(state_->mu);
  state_->refusals.push_back({.part = part, .code = code, .message = message});
}

void RequestRecorder::AcceptAll() {
  const MutexLock lock(state_->mu);
  state_->refusals.clear();
}

}  // namespace capstan::injection
