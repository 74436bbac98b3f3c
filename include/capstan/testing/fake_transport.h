// SPDX-License-Identifier: Apache-2.0
// FakeTransport is an HttpTransport with scripted responses, if needed byte by byte. It records
// every request, so that a test can check requests as well as results.
//
//   auto transport = std::make_unique<testing::FakeTransport>();
//   transport->Push({.chunks = {R"({"type":"ADD)", R"(ED",...})" "\n"},
//                    .end = testing::FakeEnd::kHang});
//   transport->Push({.fail = Error{.reason = ErrorReason::kConnectionRefused}});
//
// The timeouts of requests and reads use the given clock.
//
// Responses are those of the script in order, then those of the handler. A client's probe of the
// server (GET /readyz) uses no response of the script and is not recorded; the handler responds to
// it, by default with 200. With a FakeBody, a test can add data to a stream that a client already
// reads. All methods are thread-safe. Keep a raw pointer to use the transport after a Client owns
// it. Mirrors client-go's rest/fake.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/mutex.h"
#include "capstan/transport/http_transport.h"

namespace capstan::testing {

// FakeBody is the body of one streaming response. Each read returns one pushed chunk.
class CAPSTAN_EXPORT FakeBody {
 public:
  void Push(std::string chunk);
  // Ends the body after the pushed chunks.
  void End();
  // Fails the read after the pushed chunks.
  void Fail(Error error);
  // Reports whether the reader has destroyed its response.
  bool closed() const;
  // These wait up to 10 s of real time, and return false on timeout. A body is drained when the
  // reader has read every chunk and waits for more.
  bool BlockUntilClosed() const;
  bool BlockUntilDrained() const;

  // For FakeTransport.
  Expected<std::string> Next(const std::stop_token& stop, Clock& clock, Clock::TimePoint end,
                             Clock::Duration max_silence);
  void Close();

 private:
  mutable Mutex mu_;
  mutable CondVar changed_;
  std::deque<std::string> chunks_ CAPSTAN_GUARDED_BY(mu_);
  std::optional<Error> error_ CAPSTAN_GUARDED_BY(mu_);
  bool ended_ CAPSTAN_GUARDED_BY(mu_) = false;
  bool closed_ CAPSTAN_GUARDED_BY(mu_) = false;
  bool waiting_ CAPSTAN_GUARDED_BY(mu_) = false;
};

enum class FakeEnd {
  kClean,  // the body ends normally
  kError,  // the read fails with FakeResponse::error
  kHang,   // the read blocks until the stop token or the deadline
};

struct CAPSTAN_EXPORT FakeResponse {
  int status = 200;
  transport::Headers headers = {};
  std::vector<std::string> chunks = {};  // one for each Read
  FakeEnd end = FakeEnd::kClean;
  Error error = {.reason = ErrorReason::kUnexpectedEof, .message = "unexpected EOF"};
  // Replaces `chunks` and `end`.
  std::shared_ptr<FakeBody> body = {};
  // RoundTrip returns this error, and the other fields are not used.
  std::optional<Error> fail = {};
  // RoundTrip blocks until its stop token or its deadline.
  bool hang_before_head = false;
};

class CAPSTAN_EXPORT FakeTransport final : public transport::HttpTransport {
 public:
  using Handler = std::function<FakeResponse(const transport::HttpRequest&)>;

  // `handler` responds to requests after the script. Several threads may call it at once.
  explicit FakeTransport(Handler handler = {}, Clock& clock = Clock::Real())
      : handler_(std::move(handler)), clock_(clock) {}

  // Appends a response to the script. With an empty script and no handler, RoundTrip fails with
  // kTransport, and the error names the request.
  void Push(FakeResponse response);

  Expected<std::unique_ptr<transport::HttpResponse>> RoundTrip(
      std::stop_token stop, const transport::HttpRequest& request) override;

  std::vector<transport::HttpRequest> requests() const;
  // Waits up to 10 s of real time for `count` requests. Returns false on timeout.
  bool BlockUntilRequests(std::size_t count) const;
  // Reports whether a request hangs (hang_before_head) and has not been stopped. It may have a
  // deadline.
  bool Hangs() const;

 private:
  FakeResponse Answer(const transport::HttpRequest& request);
  FakeResponse AnswerProbe(const transport::HttpRequest& request) const;
  Error Hang(const std::stop_token& stop, Clock::TimePoint deadline);

  const Handler handler_;
  Clock& clock_;
  mutable Mutex mu_;
  mutable CondVar changed_;
  std::deque<FakeResponse> script_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<transport::HttpRequest> requests_ CAPSTAN_GUARDED_BY(mu_);
  std::list<std::stop_token> hanging_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::testing
