// SPDX-License-Identifier: Apache-2.0
// BodyPipe: the bytes of one response body on their way from the HTTP library's thread (the writer,
// which must never block) to the caller's thread (the reader, which may take its time).
//
// Small chunks are copied, so that a burst of watch events costs one switch of threads; a chunk
// that does not fit stays where it is, and the writer waits with the socket unread: that is the
// backpressure. Memory: at most twice `bytes_max`, and nothing while the stream is idle.
// One writer, one reader; Cancel from any thread. No upstream: net/http hands out the socket
// itself.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace clientgo::rest {

class BodyPipe {
 public:
  static constexpr std::size_t kDefaultBytesMax = std::size_t{32} * 1024;

  enum class WriteResult {
    kTaken,    // copied; go on
    kPending,  // keep the chunk alive and write nothing until `resume` is called
    kClosed,   // nobody reads any more
  };
  // Called once for every kPending, without a lock held, on the thread of the reader or of Cancel.
  // False: the chunk was not read, and none after it will be.
  using Resume = std::function<void(bool taken)>;

  explicit BodyPipe(Resume resume, std::size_t bytes_max = kDefaultBytesMax);

  // The writer's side. REQUIRES: no chunk is pending.
  WriteResult Write(std::string_view chunk);
  void End();                    // as it should, after what was written
  void Fail(util::Error error);  // after what was written

  // Nothing more is read or written, whatever is still in here. A pending chunk that the reader is
  // looking at right now is resumed when it comes back.
  void Cancel();

  // The reader's side. Blocks for bytes, which are valid until the next call; empty: the end.
  // kCanceled after Cancel or when `stop` is requested; else the error given to Fail.
  util::Expected<std::string_view> Read(const std::stop_token& stop);
  // The reader is gone: gives back what it was looking at, and cancels.
  void Close();

  std::size_t memory_bytes() const;

 private:
  void ReturnLent();

  const Resume resume_;
  const std::size_t bytes_max_;
  mutable util::Mutex mu_;
  util::CondVar readable_;
  std::string filling_ GUARDED_BY(mu_);
  std::string reading_ GUARDED_BY(mu_);  // what the reader is looking at
  std::string_view pending_ GUARDED_BY(mu_);
  // Invariant: lent_ implies that the reader is looking at pending_, so it must stay alive.
  bool lent_ GUARDED_BY(mu_) = false;
  bool canceled_ GUARDED_BY(mu_) = false;
  bool ended_ GUARDED_BY(mu_) = false;
  std::optional<util::Error> error_ GUARDED_BY(mu_);
};

}  // namespace clientgo::rest
