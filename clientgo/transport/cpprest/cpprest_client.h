// SPDX-License-Identifier: Apache-2.0
// cpprestsdk's HTTP client without its types: CpprestClient sends a request, and CpprestExchange is
// the request and what has arrived for it.
//
// cpprestsdk runs on a pool of one thread ("cpprest") for the whole process, and everything that
// starts, ends or destroys a request runs there: with more threads, or from others, cpprestsdk has
// data races. Its time limits are not used, because they limit each step of a request. The reader
// of a response limits its own waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/mutex.h"
#include "capstan/transport/http_transport.h"
#include "clientgo/transport/connection.h"
#include "clientgo/transport/tls_material.h"

namespace capstan::transport {

// One thread, the reader, calls everything except Cancel, which any thread may call.
class CpprestExchange {
 public:
  struct Progress {
    int steps = 0;          // 0: not connected yet. It grows while the request is sent.
    bool sent = false;      // the whole request
    bool answered = false;  // the head has arrived, or the exchange has failed
  };

  virtual ~CpprestExchange() = default;

  Progress progress() const;
  // Each waits for a change: of progress().steps or `answered`; of the bytes to Take. Returns false
  // when stopped or at the deadline.
  bool AwaitProgress(const std::stop_token& stop, Clock::TimePoint deadline, int steps);
  bool AwaitBytes(const std::stop_token& stop, Clock::TimePoint deadline);

  // After `answered`. Reports whether the request was not sent, because the server had closed the
  // connection. It can be sent again.
  bool unsent() const { return unsent_; }
  // After `answered`: 0 if there is no head, and Take returns the error.
  int status() const { return status_; }
  const Headers& headers() const { return headers_; }

  // Returns the bytes that have arrived, in the memory of cpprestsdk. They are valid until Resume
  // or Abandon, and cpprestsdk reads nothing more until then. An empty view is the end.
  Expected<std::string_view> Take();
  virtual void Resume() = 0;
  // Closes the connection at once. Bytes from Take stay valid.
  virtual void Cancel() = 0;
  // Ends the exchange. The connection is kept if the whole response has arrived.
  virtual void Abandon() = 0;

 protected:
  mutable Mutex mu_;
  CondVar changed_;
  Progress progress_ CAPSTAN_GUARDED_BY(mu_);
  // Constant once `answered` is set.
  bool unsent_ = false;
  int status_ = 0;
  Headers headers_;
  std::optional<std::string_view> arrived_ CAPSTAN_GUARDED_BY(mu_);
  bool ended_ CAPSTAN_GUARDED_BY(mu_) = false;
  std::optional<Error> error_ CAPSTAN_GUARDED_BY(mu_);
};

// Thread-safe. It keeps the connections with one TlsMaterial, and closes the idle ones when it is
// destroyed.
class CpprestClient {
 public:
  // `material` is null for http://. Fails with kTransport if the process already uses cpprestsdk.
  static Expected<std::shared_ptr<CpprestClient>> New(const Route& route,
                                                      std::shared_ptr<const TlsMaterial> material);

  virtual ~CpprestClient() = default;
  virtual const std::shared_ptr<const TlsMaterial>& material() const = 0;
  // kInvalidArgument: cpprestsdk cannot send this request.
  virtual Expected<std::shared_ptr<CpprestExchange>> Send(const HttpRequest& request) = 0;
};

}  // namespace capstan::transport
