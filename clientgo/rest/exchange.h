// SPDX-License-Identifier: Apache-2.0
// Exchange: where the HTTP library's thread and the caller's thread meet for one request. The
// former reports the head, the body (through the pipe) and the end; the latter waits for them.
//
// Thread-safe. No type of the HTTP library: all of this is tested without a socket.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "clientgo/rest/body_pipe.h"
#include "clientgo/rest/transport.h"
#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace clientgo::rest {

class Exchange {
 public:
  struct Head {
    int status = 0;
    Headers headers = {};
  };

  explicit Exchange(BodyPipe::Resume resume) : body_(std::move(resume)) {}

  BodyPipe& body() { return body_; }

  // The library's side: OnHead at most once, then OnEnd or OnFailure exactly once.
  void OnHead(Head head);
  void OnEnd();
  void OnFailure(util::Error error);

  // The caller's side. Blocks for the head; kCanceled when `stop` is requested first.
  util::Expected<Head> AwaitHead(const std::stop_token& stop);
  // The body came to its proper end: the connection is in order and may be used again.
  bool ended() const;

 private:
  BodyPipe body_;
  mutable util::Mutex mu_;
  util::CondVar changed_;
  std::optional<Head> head_ GUARDED_BY(mu_);
  std::optional<util::Error> error_ GUARDED_BY(mu_);
  bool ended_ GUARDED_BY(mu_) = false;
};

// Blocks for the head of an exchange that was started, and returns the response that reads its
// body. `abort` closes the connection; it is called when `stop` is requested (on that thread, so it
// must not block), and when the response is destroyed before its end.
util::Expected<std::unique_ptr<HttpResponse>> AwaitResponse(std::stop_token stop,
                                                            std::shared_ptr<Exchange> exchange,
                                                            std::function<void()> abort);

}  // namespace clientgo::rest
