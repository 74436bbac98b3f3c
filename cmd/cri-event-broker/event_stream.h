// SPDX-License-Identifier: Apache-2.0
// EventStream: one attempt to read a runtime's container events. What implements it knows gRPC
// (cri/grpc_event_stream.h); who uses it does not.
#pragma once

#include <cstdint>
#include <string>

namespace cmd::cri_event_broker {

// Hears what the stream says, in the thread that reads it, which must never be kept waiting.
class EventStreamHandler {
 public:
  virtual ~EventStreamHandler() = default;
  // The runtime has taken the call.
  virtual void OnConnected() = 0;
  virtual void OnEvent(int type, std::int64_t created_at) = 0;
};

struct StreamEnd {
  bool unimplemented = false;  // the runtime has no such call: asking again will not help
  std::string message;         // why it ended; a clean end is a reason too
};

class EventStream {
 public:
  virtual ~EventStream() = default;
  // Connects, calls and reads until the stream ends. Once.
  virtual StreamEnd Read(EventStreamHandler& handler) = 0;
  // Ends Read, from any thread, at any time.
  virtual void Cancel() = 0;
};

}  // namespace cmd::cri_event_broker
