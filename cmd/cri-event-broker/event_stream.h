// SPDX-License-Identifier: Apache-2.0
// EventStream is one attempt to read a runtime's container events. The interface hides gRPC, which
// only cri/grpc_event_stream.cc includes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace capstan::cmd::cri_event_broker {

// EventStreamHandler is called on the thread that reads the stream, and must never block.
class EventStreamHandler {
 public:
  virtual ~EventStreamHandler() = default;
  // The runtime has accepted the call.
  virtual void OnConnected() = 0;
  // `created_at` is in nanoseconds since 1970; 0 when the event has no time.
  virtual void OnEvent(int type, std::int64_t created_at) = 0;
};

struct StreamEnd {
  bool unimplemented = false;  // the runtime does not support the call; a retry does not help
  std::string message;         // why the stream ended, also after a clean end
};

class EventStream {
 public:
  virtual ~EventStream() = default;
  // Connects, calls and reads until the stream ends. Call once.
  virtual StreamEnd Read(EventStreamHandler& handler) = 0;
  // Ends Read. Thread-safe.
  virtual void Cancel() = 0;
};

// Returns a stream over gRPC with its own connection to `endpoint`, "unix:///path". Its only call
// is GetContainerEvents.
std::unique_ptr<EventStream> NewGrpcEventStream(const std::string& endpoint);

}  // namespace capstan::cmd::cri_event_broker
