// SPDX-License-Identifier: Apache-2.0
// FakeTransport: an HttpTransport whose answers a test scripts, byte by byte where that matters.
// It records every request, so that a test can assert what was asked as well as what came of it.
//
//   auto transport = std::make_unique<FakeTransport>();
//   transport->Push({.chunks = {"{\"type\":\"ADD", "ED\",...}\n"}, .end = FakeEnd::kHang});
//   transport->Push({.fail = util::Error{.reason = util::ErrorReason::kConnectionRefused}});
//
// The timeouts of requests and reads run on the clock that it was given.
//
// Answers come from the script in order, or from a handler that sees each request. A client's probe
// of the server (GET /readyz) takes no answer from the script and is not recorded: the handler
// answers it or, without one, 200. A FakeBody lets
// the test go on feeding a stream that is already being read. All methods are thread-safe; keep a
// raw pointer to ask the transport after it was given to a Client. Mirrors client-go's rest/fake.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/transport/http_transport.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace clientgo::testing {

// The body of one response while it streams. Chunks are handed out as they were pushed.
class FakeBody {
 public:
  void Push(std::string chunk);
  void End();                    // cleanly, after what was pushed
  void Fail(util::Error error);  // after what was pushed
  // The reader destroyed its response.
  bool closed() const;
  // In real time, at most 10 s; false: it did not happen.
  bool BlockUntilClosed() const;
  // The reader has taken every chunk and waits for more.
  bool BlockUntilDrained() const;

  // For FakeTransport.
  util::Expected<std::string> Next(const std::stop_token& stop, util::Clock& clock,
                                   util::Clock::TimePoint end, util::Clock::Duration max_silence);
  void Close();

 private:
  mutable util::Mutex mu_;
  mutable util::CondVar changed_;
  std::deque<std::string> chunks_ GUARDED_BY(mu_);
  std::optional<util::Error> error_ GUARDED_BY(mu_);
  bool ended_ GUARDED_BY(mu_) = false;
  bool closed_ GUARDED_BY(mu_) = false;
  bool waiting_ GUARDED_BY(mu_) = false;
};

enum class FakeEnd {
  kClean,  // the body ends as it should
  kError,  // it breaks: FakeResponse::error
  kHang,   // silence until the stop token or the deadline
};

struct FakeResponse {
  int status = 200;
  transport::Headers headers = {};
  std::vector<std::string> chunks = {};  // each is what one Read returns
  FakeEnd end = FakeEnd::kClean;
  util::Error error = {.reason = util::ErrorReason::kUnexpectedEof, .message = "unexpected EOF"};
  // Instead of `chunks` and `end`.
  std::shared_ptr<FakeBody> body = {};
  // RoundTrip itself fails; nothing else matters then.
  std::optional<util::Error> fail = {};
  // No head ever comes: RoundTrip waits for its stop token or its deadline.
  bool hang_before_head = false;
};

class FakeTransport final : public transport::HttpTransport {
 public:
  using Handler = std::function<FakeResponse(const transport::HttpRequest&)>;

  // `handler` answers what the script does not. It runs on the caller's thread, several at once.
  explicit FakeTransport(Handler handler = {}, util::Clock& clock = util::Clock::Real())
      : handler_(std::move(handler)), clock_(clock) {}

  // The next answer in the script, which goes before the handler. With neither, RoundTrip fails
  // with kTransport and says which request was not expected.
  void Push(FakeResponse response);

  util::Expected<std::unique_ptr<transport::HttpResponse>> RoundTrip(
      std::stop_token stop, const transport::HttpRequest& request) override;

  std::vector<transport::HttpRequest> requests() const;
  // In real time, at most 10 s; false: they did not come.
  bool BlockUntilRequests(std::size_t count) const;
  // Whether a request waits for a head that never comes, and nobody has stopped it yet. It may have
  // a deadline.
  bool Hangs() const;

 private:
  FakeResponse Answer(const transport::HttpRequest& request);
  FakeResponse Probed(const transport::HttpRequest& request) const;
  util::Error Hang(const std::stop_token& stop, util::Clock::TimePoint deadline);

  const Handler handler_;
  util::Clock& clock_;
  mutable util::Mutex mu_;
  mutable util::CondVar changed_;
  std::deque<FakeResponse> script_ GUARDED_BY(mu_);
  std::vector<transport::HttpRequest> requests_ GUARDED_BY(mu_);
  std::list<std::stop_token> hanging_ GUARDED_BY(mu_);
};

}  // namespace clientgo::testing
