// SPDX-License-Identifier: Apache-2.0
// HttpTransport performs one HTTP exchange with one server. It hides the HTTP library: nothing
// above it sees a type of that library. Mirrors net/http's RoundTripper and Response.Body.
//
// A reader that stalls holds back its own response only, and no more than a fixed number of bytes
// is received for it. RoundTrip is thread-safe; one HttpResponse belongs to one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/text.h"

namespace capstan::transport {

using Headers = std::vector<std::pair<std::string, std::string>>;

// Returns the value of the first header with this name, ignoring case; empty when there is none.
inline std::string_view FindHeader(const Headers& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (EqualIgnoringCase(key, name)) return value;
  }
  return {};
}

// Compression says whether the body of a response may be compressed with gzip.
enum class Compression {
  kOff,
  kAuto,  // if the server is not on this host, where the network costs nothing
  kOn,
};

struct CAPSTAN_EXPORT HttpRequest {
  std::string method = "GET";
  std::string target = {};  // path and query, already escaped
  Headers headers = {};
  std::string body = {};
  // The peer counts as lost (kUnexpectedEof) after this much silence, while the request is sent
  // and after the response has begun. For a watch: its timeoutSeconds plus a margin.
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(30);
  // Limits the time from the start of RoundTrip to the response's head (kDeadlineExceeded). With
  // max() there is no limit; TCP still detects a dead peer.
  Clock::Duration answer_timeout = Clock::Duration::max();
  // Limits the whole exchange, from name resolution to the end of the body.
  Clock::Duration timeout = Clock::Duration::max();
  // Marks a watch. Its client certificate is checked for changes while it runs.
  bool long_running = false;
  // Asks for another protocol, such as "websocket", on a connection of its own with HTTP/1.1. After
  // status 101 the response has it: TakeUpgraded.
  std::string upgrade = {};
  // The transport returns a compressed body as it was sent, for DecodeBody (compression.h).
  Compression compression = Compression::kOff;
};

// Returns kInvalidArgument if the request's method, target or a header could be read as more than
// one.
CAPSTAN_EXPORT Expected<void> CheckRequest(const HttpRequest& request);

// Waker is notified when a suspended HttpResponse can be read.
class CAPSTAN_EXPORT Waker {
 public:
  virtual ~Waker() = default;
  // Must not wait, and must not call the response: a lock of the transport is held.
  virtual void Wake() = 0;
};

// The limits of a response before its body, for HTTP/1.1 and HTTP/2: the size of a head, and the
// number of interim heads ("100 Continue", "103 Early Hints") before the final one, as in Go.
inline constexpr std::uint32_t kHeadBytesMax = 16 * 1024;
inline constexpr int kInterimHeadsMax = 5;

// UpgradedStream carries the bytes of another protocol in both directions. One thread may read
// while another one writes. The destructor closes the connection.
class CAPSTAN_EXPORT UpgradedStream {
 public:
  virtual ~UpgradedStream() = default;
  // Blocks for the next bytes, at most `max_silence`. The view is valid until the next Read; an
  // empty view is the end. Errors are those of HttpResponse::Read.
  virtual Expected<std::string_view> Read(Clock::Duration max_silence) = 0;
  // Blocks until the kernel has taken all bytes.
  virtual Expected<void> Write(std::string_view bytes) = 0;
};

class CAPSTAN_EXPORT HttpResponse {
 public:
  // Ends the exchange when the body was not read to its end: HTTP/1.1 closes the connection, HTTP/2
  // only the stream.
  virtual ~HttpResponse() = default;
  virtual int status() const = 0;
  virtual const Headers& headers() const = 0;
  // Blocks for the next bytes of the body, at most `max_silence`. The view is valid until the next
  // call; an empty view is the end of the body. Errors: kUnexpectedEof (truncated, reset, idle too
  // long), kDeadlineExceeded (max_silence, or the request's timeout), kCanceled (the stop token
  // given to RoundTrip), kTransport. Nothing more can be read after an error.
  virtual Expected<std::string_view> Read(Clock::Duration max_silence) = 0;
  Expected<std::string_view> Read() { return Read(Clock::Duration::max()); }

  // Returns the connection after status 101, once; it does not need the response any more. null:
  // the server has answered in HTTP.
  virtual std::unique_ptr<UpgradedStream> TakeUpgraded() { return nullptr; }

  // Reports whether Suspend is supported: HTTP/2 only.
  virtual bool CanSuspend() const { return false; }
  // Lets a few threads read many responses: instead of a Read that waits, `waker` is called once,
  // as soon as Read would return. Returns the time at which to call Suspend again if that does not
  // happen. nullopt: Read returns at once, and `waker` is not called. Invalidates the bytes that
  // Read has returned. The next Read and the destructor forget `waker`. REQUIRES: CanSuspend().
  virtual std::optional<Clock::TimePoint> Suspend(Waker& /*waker*/) { return std::nullopt; }
};

class CAPSTAN_EXPORT HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  // Sends the request and blocks until the response's head has arrived. `stop` ends this call and
  // every later Read in well under a second. A response of any status is not an error. Errors:
  // kNoSuchHost, kConnectionRefused, kProxy, kCertificate, and those of Read. The message of a
  // kDeadlineExceeded names the server and the step that took too long.
  virtual Expected<std::unique_ptr<HttpResponse>> RoundTrip(std::stop_token stop,
                                                            const HttpRequest& request) = 0;
};

}  // namespace capstan::transport
