// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/forwarder.h"

#include <glog/logging.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "capstan/log.h"

namespace capstan::cmd::cri_event_broker {

namespace {

FileDescriptor NewEventDescriptor() {
  FileDescriptor descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  PCHECK(descriptor.get() >= 0) << "eventfd";
  return descriptor;
}

// Cannot fail: the counter is far from its limit.
void MakeReadable(const FileDescriptor& descriptor) { eventfd_write(descriptor.get(), 1); }

void MakeUnreadable(const FileDescriptor& descriptor) {
  eventfd_t count = 0;
  eventfd_read(descriptor.get(), &count);
}

}  // namespace

EventMailbox::EventMailbox()
    : descriptor_(NewEventDescriptor()), slow_descriptor_(NewEventDescriptor()) {}

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
  // One system call for a burst, not one for each event.
  if (!signaled_.exchange(true)) MakeReadable(descriptor_);
}

EventMailbox::Batch EventMailbox::Take() {
  // The order matters: events that are added from here on signal again.
  MakeUnreadable(slow_descriptor_);
  MakeUnreadable(descriptor_);
  signaled_ = false;
  return {.created = created_.exchange(0),
          .deleted = deleted_.exchange(0),
          .full_pass = full_pass_.exchange(false),
          .heartbeat = heartbeat_.exchange(false),
          .stream_up = stream_up_,
          .stopped = stopped_};
}

void Forwarder::Run() {
  for (;;) {
    const State state = Pump();
    if (state == State::kStopped) return;
    // While it cannot send, events wait in the mailbox; only room, a heartbeat or a stop matters.
    std::array<pollfd, 2> wait{
        {{.fd = state == State::kIdle ? mailbox_.descriptor() : mailbox_.slow_descriptor(),
          .events = POLLIN,
          .revents = 0},
         {.fd = state == State::kBehind ? socket_.get() : -1, .events = POLLOUT, .revents = 0}}};
    if (poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) {
      PLOG(FATAL) << "poll";  // only invalid arguments cause this
    }
  }
}

Forwarder::State Forwarder::Pump() {
  const EventMailbox::Batch batch = mailbox_.Take();
  if (batch.stopped) return State::kStopped;
  pending_.created += batch.created;
  pending_.deleted += batch.deleted;
  pending_.full_pass |= batch.full_pass;
  pending_.heartbeat |= batch.heartbeat;
  pending_.stream_up = batch.stream_up;
  State state = State::kNoReceiver;
  if (socket_.get() >= 0) state = SendPending();
  // Connects also when the receiver has just gone, because a restarted agent is back at once.
  if (state == State::kNoReceiver && Connect()) {
    // A new listener needs no old events, only a full pass for what it may have missed.
    pending_ = {.full_pass = true, .heartbeat = true, .stream_up = pending_.stream_up};
    state = SendPending();
  }
  if (state == State::kNoReceiver) pending_ = {};
  LogReceiver(state != State::kNoReceiver);
  return state;
}

bool Forwarder::Connect() {
  socket_ = FileDescriptor(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket_.get() < 0) return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path_.copy(address.sun_path, sizeof address.sun_path - 1);
  if (connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return true;
  }
  const int error = errno;
  socket_.Close();
  errno = error;
  return false;
}

Forwarder::State Forwarder::SendPending() {
  Sent sent = Sent::kYes;
  if (pending_.full_pass) {
    sent = Send({.type = readinessgate::RuntimeEventType::kFullPass});
    if (sent == Sent::kYes) pending_.full_pass = false;
  }
  if (sent == Sent::kYes)
    sent = SendCount(readinessgate::RuntimeEventType::kCreated, pending_.created);
  if (sent == Sent::kYes)
    sent = SendCount(readinessgate::RuntimeEventType::kDeleted, pending_.deleted);
  if (sent == Sent::kYes && pending_.heartbeat) {
    sent = Send({.type = pending_.stream_up ? readinessgate::RuntimeEventType::kStreamUp
                                            : readinessgate::RuntimeEventType::kStreamDown});
    if (sent == Sent::kYes) pending_.heartbeat = false;
  }
  if (sent == Sent::kFull) return State::kBehind;
  return sent == Sent::kYes ? State::kIdle : State::kNoReceiver;
}

Forwarder::Sent Forwarder::SendCount(readinessgate::RuntimeEventType type,
                                     std::uint64_t& count) const {
  constexpr std::uint64_t kMax = UINT16_MAX;
  while (count > 0) {
    const std::uint64_t part = std::min(count, kMax);
    const Sent sent = Send({.type = type, .count = static_cast<std::uint16_t>(part)});
    if (sent != Sent::kYes) return sent;
    count -= part;
  }
  return Sent::kYes;
}

Forwarder::Sent Forwarder::Send(const readinessgate::RuntimeEvent& event) const {
  const readinessgate::RuntimeEventBytes bytes = readinessgate::EncodeRuntimeEvent(event);
  ssize_t size = 0;
  do {
    size = send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (size < 0 && errno == EINTR);
  if (size >= 0) return Sent::kYes;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? Sent::kFull
                                                                     : Sent::kNoReceiver;
}

void Forwarder::LogReceiver(bool present) {
  if (logged_present_ == present) return;
  const int error = errno;
  logged_present_ = present;
  if (present) {
    InfoS("Forwarding events", "socket", path_);
  } else {
    WarningS("No agent receives events, retrying every second", "socket", path_, "err",
             std::generic_category().message(error));
  }
}

}  // namespace capstan::cmd::cri_event_broker
