// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/event_mailbox.h"

#include <glog/logging.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace cmd::cri_event_broker {
namespace {

int NewEventDescriptor() {
  const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  PCHECK(descriptor >= 0) << "eventfd";
  return descriptor;
}

void MakeReadable(int descriptor) {
  const std::uint64_t one = 1;
  // Cannot fail: the counter is far from its limit.
  [[maybe_unused]] const ssize_t written = write(descriptor, &one, sizeof one);
}

void MakeUnreadable(int descriptor) {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t size = read(descriptor, &count, sizeof count);
}

}  // namespace

EventMailbox::EventMailbox()
    : descriptor_(NewEventDescriptor()), slow_descriptor_(NewEventDescriptor()) {}

EventMailbox::~EventMailbox() {
  close(descriptor_);
  close(slow_descriptor_);
}

void EventMailbox::AddCreated() {
  ++created_;
  Signal();
}

void EventMailbox::AddDeleted() {
  ++deleted_;
  Signal();
}

void EventMailbox::AddFullPass() {
  full_pass_ = true;
  Signal();
}

void EventMailbox::AddHeartbeat(bool stream_up) {
  stream_up_ = stream_up;
  heartbeat_ = true;
  MakeReadable(slow_descriptor_);
  Signal();
}

void EventMailbox::Stop() {
  stopped_ = true;
  MakeReadable(slow_descriptor_);
  MakeReadable(descriptor_);
}

void EventMailbox::Signal() {
  // One system call for a burst, not one an event.
  if (!signaled_.exchange(true)) MakeReadable(descriptor_);
}

EventMailbox::Batch EventMailbox::Take() {
  // In this order: what is left from here on signals again.
  MakeUnreadable(slow_descriptor_);
  MakeUnreadable(descriptor_);
  signaled_ = false;
  Batch batch;
  batch.created = created_.exchange(0);
  batch.deleted = deleted_.exchange(0);
  batch.full_pass = full_pass_.exchange(false);
  batch.heartbeat = heartbeat_.exchange(false);
  batch.stream_up = stream_up_;
  batch.stopped = stopped_;
  return batch;
}

}  // namespace cmd::cri_event_broker
