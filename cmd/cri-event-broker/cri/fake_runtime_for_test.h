// SPDX-License-Identifier: Apache-2.0
// FakeRuntime: a container runtime's CRI socket that does what a test says, over real gRPC.
// SilentSocket: a socket whose owner accepts connections and then does something that is no gRPC.
// Tests only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace cmd::cri_event_broker {

// One call of GetContainerEvents, as the server sees it.
class FakeStream {
 public:
  struct Event {
    int type = 0;  // 0 CREATED, 1 STARTED, 2 STOPPED, 3 DELETED, or what nobody knows
    std::int64_t created_at = 0;
    // Fields 1 and 4 and more, as they are on the wire: the broker must not care.
    std::string other_fields = {};
  };
  virtual ~FakeStream() = default;
  // False: the client is gone. Blocks while the client does not read, as containerd does.
  virtual bool Send(const Event& event) = 0;
  // Blocks until the client has cancelled or the runtime is shut down.
  virtual void WaitUntilGone() = 0;
  // Which call this is, from 1.
  virtual int number() const = 0;
};

class FakeRuntime {
 public:
  enum class End { kOk, kUnimplemented, kInternal };
  // Called for each call, in a thread of its own; what it returns ends the stream.
  using Script = std::function<End(FakeStream&)>;

  // Listens at `path` at once.
  FakeRuntime(const std::string& path, Script script);
  // Breaks the streams and removes the socket, as a runtime that is stopped.
  ~FakeRuntime();
  FakeRuntime(const FakeRuntime&) = delete;
  FakeRuntime& operator=(const FakeRuntime&) = delete;

  int calls() const;
  // Blocks until that many calls have come.
  void WaitForCalls(int count) const;

 private:
  class Service;
  std::unique_ptr<Service> service_;
};

class SilentSocket {
 public:
  explicit SilentSocket(const std::string& path);
  ~SilentSocket();
  SilentSocket(const SilentSocket&) = delete;
  SilentSocket& operator=(const SilentSocket&) = delete;

  // Blocks until somebody connects; the connection stays open, and nothing is read or written.
  void Accept();
  // Closes it with bytes unread, which resets it.
  void Reset();

 private:
  std::string path_;
  int listener_ = -1;
  int connection_ = -1;
};

}  // namespace cmd::cri_event_broker
