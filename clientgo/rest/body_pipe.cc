// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/body_pipe.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

namespace clientgo::rest {

BodyPipe::BodyPipe(Resume resume, std::size_t bytes_max)
    : resume_(std::move(resume)), bytes_max_(bytes_max) {}

BodyPipe::WriteResult BodyPipe::Write(std::string_view chunk) {
  util::MutexLock lock(mu_);
  if (canceled_) return WriteResult::kClosed;
  CHECK(pending_.empty()) << "a chunk is pending";
  if (chunk.empty()) return WriteResult::kTaken;
  readable_.NotifyOne();
  if (chunk.size() > bytes_max_ - filling_.size()) {
    pending_ = chunk;
    return WriteResult::kPending;
  }
  const std::size_t needed = filling_.size() + chunk.size();
  if (needed > filling_.capacity()) {
    filling_.reserve(std::min(std::max(needed, 2 * filling_.capacity()), bytes_max_));
  }
  filling_.append(chunk);
  return WriteResult::kTaken;
}

void BodyPipe::End() {
  util::MutexLock lock(mu_);
  ended_ = true;
  readable_.NotifyOne();
}

void BodyPipe::Fail(util::Error error) {
  util::MutexLock lock(mu_);
  ended_ = true;
  error_ = std::move(error);
  readable_.NotifyOne();
}

void BodyPipe::Cancel() {
  bool resume = false;
  {
    util::MutexLock lock(mu_);
    canceled_ = true;
    resume = !pending_.empty() && !lent_;
    if (resume) pending_ = {};
    readable_.NotifyOne();
  }
  if (resume) resume_(false);
}

void BodyPipe::ReturnLent() {
  bool taken = false;
  {
    util::MutexLock lock(mu_);
    if (!lent_) return;
    lent_ = false;
    pending_ = {};
    taken = !canceled_;
  }
  resume_(taken);
}

util::Expected<std::string_view> BodyPipe::Read(const std::stop_token& stop) {
  ReturnLent();
  util::MutexLock lock(mu_);
  reading_.clear();
  const auto ready = [&]() REQUIRES(mu_) {
    return canceled_ || ended_ || !filling_.empty() || !pending_.empty();
  };
  if (!ready()) {
    // A quiet watch lasts minutes and there may be hundreds: keep nothing for it.
    std::string().swap(filling_);
    std::string().swap(reading_);
  }
  const bool woken = readable_.Wait(mu_, stop, ready);
  if (!woken || canceled_ || stop.stop_requested()) {
    return util::Err(util::ErrorReason::kCanceled, "the request was canceled");
  }
  if (!filling_.empty()) {
    std::swap(reading_, filling_);
    return std::string_view(reading_);
  }
  if (!pending_.empty()) {
    lent_ = true;
    return pending_;
  }
  if (error_) return util::Err(*error_);
  return std::string_view();
}

void BodyPipe::Close() {
  Cancel();
  ReturnLent();
}

std::size_t BodyPipe::memory_bytes() const {
  util::MutexLock lock(mu_);
  return filling_.capacity() + reading_.capacity();
}

}  // namespace clientgo::rest
