// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/fake_transport.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace capstan::testing {
namespace {

// 10 s are enough on a busy machine.
std::chrono::steady_clock::time_point WaitDeadline() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(10);
}

Error Canceled() {
  return {.reason = ErrorReason::kCanceled, .message = "the request was canceled"};
}

Error DeadlineExceeded(const char* step) {
  return {.reason = ErrorReason::kDeadlineExceeded,
          .message = std::string("no answer within the deadline (") + step + ")"};
}

class Response final : public transport::HttpResponse {
 public:
  Response(FakeResponse response, std::shared_ptr<FakeBody> body, std::stop_token stop,
           Clock& clock, Clock::TimePoint end)
      : status_(response.status),
        headers_(std::move(response.headers)),
        body_(std::move(body)),
        stop_(std::move(stop)),
        clock_(clock),
        end_(end) {}
  ~Response() override { body_->Close(); }

  int status() const override { return status_; }
  const transport::Headers& headers() const override { return headers_; }
  Expected<std::string_view> Read(Clock::Duration max_silence) override {
    auto chunk = body_->Next(stop_, clock_, end_, max_silence);
    if (!chunk) return Err(std::move(chunk.error()));
    chunk_ = std::move(*chunk);
    return chunk_;
  }

 private:
  const int status_;
  const transport::Headers headers_;
  const std::shared_ptr<FakeBody> body_;
  const std::stop_token stop_;
  Clock& clock_;
  const Clock::TimePoint end_;
  std::string chunk_;
};

std::shared_ptr<FakeBody> MakeBody(const FakeResponse& response) {
  auto body = std::make_shared<FakeBody>();
  for (const std::string& chunk : response.chunks) body->Push(chunk);
  if (response.end == FakeEnd::kClean) body->End();
  if (response.end == FakeEnd::kError) body->Fail(response.error);
  return body;
}

}  // namespace

void FakeBody::Push(std::string chunk) {
  if (chunk.empty()) return;  // an empty read means the end
  MutexLock lock(mu_);
  chunks_.push_back(std::move(chunk));
  changed_.NotifyAll();
}

void FakeBody::End() {
  MutexLock lock(mu_);
  ended_ = true;
  changed_.NotifyAll();
}

void FakeBody::Fail(Error error) {
  MutexLock lock(mu_);
  error_ = std::move(error);
  changed_.NotifyAll();
}

bool FakeBody::closed() const {
  MutexLock lock(mu_);
  return closed_;
}

bool FakeBody::BlockUntilClosed() const {
  MutexLock lock(mu_);
  return changed_.WaitUntil(mu_, std::stop_token(), WaitDeadline(),
                            [&]() CAPSTAN_REQUIRES(mu_) { return closed_; });
}

bool FakeBody::BlockUntilDrained() const {
  MutexLock lock(mu_);
  return changed_.WaitUntil(mu_, std::stop_token(), WaitDeadline(),
                            [&]() CAPSTAN_REQUIRES(mu_) { return chunks_.empty() && waiting_; });
}

Expected<std::string> FakeBody::Next(const std::stop_token& stop, Clock& clock,
                                     Clock::TimePoint end, Clock::Duration max_silence) {
  MutexLock lock(mu_);
  waiting_ = true;
  changed_.NotifyAll();
  const auto ready = [&]() CAPSTAN_REQUIRES(mu_) { return !chunks_.empty() || ended_ || error_; };
  const bool came =
      clock.WaitUntil(mu_, changed_, stop, std::min(end, clock.After(max_silence)), ready);
  waiting_ = false;
  if (stop.stop_requested()) return Err(Canceled());
  if (!came) return Err(DeadlineExceeded("reading the body"));
  if (!chunks_.empty()) {
    std::string chunk = std::move(chunks_.front());
    chunks_.pop_front();
    return chunk;
  }
  if (error_) return Err(*error_);
  return std::string();
}

void FakeBody::Close() {
  MutexLock lock(mu_);
  closed_ = true;
  changed_.NotifyAll();
}

void FakeTransport::Push(FakeResponse response) {
  MutexLock lock(mu_);
  script_.push_back(std::move(response));
}

FakeResponse FakeTransport::AnswerProbe(const transport::HttpRequest& request) const {
  return handler_ ? handler_(request) : FakeResponse{.chunks = {"ok"}};
}

FakeResponse FakeTransport::Answer(const transport::HttpRequest& request) {
  {
    MutexLock lock(mu_);
    requests_.push_back(request);
    changed_.NotifyAll();
    if (!script_.empty()) {
      FakeResponse response = std::move(script_.front());
      script_.pop_front();
      return response;
    }
  }
  if (handler_) return handler_(request);
  return {.fail = Error{.reason = ErrorReason::kTransport,
                        .message = "unexpected request: " + request.method + " " + request.target}};
}

Error FakeTransport::Hang(const std::stop_token& stop, Clock::TimePoint deadline) {
  std::list<std::stop_token>::iterator self;
  {
    MutexLock lock(mu_);
    self = hanging_.insert(hanging_.end(), stop);
  }
  // This wait has its own mutex, so that Hangs() does not block during it.
  {
    Mutex mu;
    CondVar never;
    MutexLock lock(mu);
    clock_.WaitUntil(mu, never, stop, deadline, [] { return false; });
  }
  MutexLock lock(mu_);
  hanging_.erase(self);
  return stop.stop_requested() ? Canceled() : DeadlineExceeded("waiting for the response");
}

Expected<std::unique_ptr<transport::HttpResponse>> FakeTransport::RoundTrip(
    std::stop_token stop, const transport::HttpRequest& request) {
  if (stop.stop_requested()) return Err(Canceled());
  const Clock::TimePoint end = clock_.After(request.timeout);
  const Clock::TimePoint answer = clock_.After(std::min(request.answer_timeout, request.timeout));
  FakeResponse response = request.target == "/readyz" ? AnswerProbe(request) : Answer(request);
  if (response.hang_before_head) return Err(Hang(stop, answer));
  // The handler may step the clock to simulate a slow server.
  if (clock_.Now() >= answer) return Err(DeadlineExceeded("waiting for the response"));
  if (response.fail) return Err(std::move(*response.fail));
  std::shared_ptr<FakeBody> body = response.body ? response.body : MakeBody(response);
  return std::make_unique<Response>(std::move(response), std::move(body), std::move(stop), clock_,
                                    end);
}

std::vector<transport::HttpRequest> FakeTransport::requests() const {
  MutexLock lock(mu_);
  return requests_;
}

bool FakeTransport::BlockUntilRequests(std::size_t count) const {
  MutexLock lock(mu_);
  return changed_.WaitUntil(mu_, std::stop_token(), WaitDeadline(),
                            [&]() CAPSTAN_REQUIRES(mu_) { return requests_.size() >= count; });
}

bool FakeTransport::Hangs() const {
  MutexLock lock(mu_);
  return std::any_of(hanging_.begin(), hanging_.end(),
                     [](const std::stop_token& stop) { return !stop.stop_requested(); });
}

}  // namespace capstan::testing
