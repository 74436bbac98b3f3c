// SPDX-License-Identifier: Apache-2.0
// FakeRuntime is a container runtime's CRI socket that runs a test's script over real gRPC.
// SilentSocket accepts connections but does not speak gRPC.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace capstan::cmd::cri_event_broker {

// FakeStream is one call of GetContainerEvents on the server side.
class FakeStream {
 public:
  struct Event {
    int type = 0;  // 0 CREATED, 1 STARTED, 2 STOPPED, 3 DELETED, others are unknown
    std::int64_t created_at = 0;
    // Encoded further fields, which the broker must ignore.
    std::string other_fields = {};
  };
  virtual ~FakeStream() = default;
  // Returns false when the client is gone. Blocks while the client does not read, as in containerd.
  virtual bool Send(const Event& event) = 0;
  // Blocks until the client has cancelled or the runtime is shut down.
  virtual void WaitUntilGone() = 0;
  // The number of this call, from 1.
  virtual int number() const = 0;
};

class FakeRuntime {
 public:
  enum class End { kOk, kUnimplemented, kInternal };
  // Runs for each call on its own thread. The returned value ends the stream.
  using Script = std::function<End(FakeStream&)>;

  // Listens at `path` at once.
  FakeRuntime(const std::string& path, Script script);
  // Breaks the streams and removes the socket, like a runtime that stops.
  ~FakeRuntime();
  FakeRuntime(const FakeRuntime&) = delete;
  FakeRuntime& operator=(const FakeRuntime&) = delete;

  int calls() const;
  // Blocks until there were `count` calls.
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

  // Blocks until a client connects. The connection stays open; nothing is read or written.
  void Accept();
  // Closes the connection with unread bytes, which resets it.
  void Reset();

 private:
  std::string path_;
  int listener_ = -1;
  int connection_ = -1;
};

}  // namespace capstan::cmd::cri_event_broker
