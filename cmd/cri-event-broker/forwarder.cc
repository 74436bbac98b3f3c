// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/forwarder.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "clientgo/util/logging.h"

namespace cmd::cri_event_broker {

using clientgo::util::Kv;
using controllers::readinessgate::EncodeRuntimeEvent;
using controllers::readinessgate::RuntimeEvent;
using controllers::readinessgate::RuntimeEventBytes;
using controllers::readinessgate::RuntimeEventType;

void Forwarder::Run() {
  for (;;) {
    const State state = Pump();
    if (state == State::kStopped) return;
    // Behind or alone, events wait in the mailbox: only room, a heartbeat or a stop is of interest.
    std::array<pollfd, 2> wait{
        {{.fd = state == State::kIdle ? mailbox_.descriptor() : mailbox_.slow_descriptor(),
          .events = POLLIN,
          .revents = 0},
         {.fd = state == State::kBehind ? socket_ : -1, .events = POLLOUT, .revents = 0}}};
    if (poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) {
      PLOG(FATAL) << "poll";  // only for arguments that cannot be
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
  if (socket_ >= 0) state = SendPending();
  // Also when it went away just now: an agent that restarts is there again at once.
  if (state == State::kNoReceiver && Connect()) {
    // What came before it listened is of no use to it; that it may have missed something is.
    pending_ = {.full_pass = true, .heartbeat = true, .stream_up = pending_.stream_up};
    state = SendPending();
  }
  if (state == State::kNoReceiver) pending_ = {};
  TellReceiver(state != State::kNoReceiver);
  return state;
}

bool Forwarder::Connect() {
  Disconnect();
  socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0) return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path_.copy(address.sun_path, sizeof address.sun_path - 1);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return true;
  }
  const int error = errno;
  Disconnect();
  errno = error;
  return false;
}

void Forwarder::Disconnect() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

Forwarder::State Forwarder::SendPending() {
  Sent sent = Sent::kYes;
  if (pending_.full_pass) {
    sent = Send({.type = RuntimeEventType::kFullPass});
    if (sent == Sent::kYes) pending_.full_pass = false;
  }
  if (sent == Sent::kYes) sent = SendCount(RuntimeEventType::kCreated, pending_.created);
  if (sent == Sent::kYes) sent = SendCount(RuntimeEventType::kDeleted, pending_.deleted);
  if (sent == Sent::kYes && pending_.heartbeat) {
    sent = Send(
        {.type = pending_.stream_up ? RuntimeEventType::kStreamUp : RuntimeEventType::kStreamDown});
    if (sent == Sent::kYes) pending_.heartbeat = false;
  }
  if (sent == Sent::kFull) return State::kBehind;
  return sent == Sent::kYes ? State::kIdle : State::kNoReceiver;
}

Forwarder::Sent Forwarder::SendCount(RuntimeEventType type, std::uint64_t& count) const {
  constexpr std::uint64_t kMax = UINT16_MAX;
  while (count > 0) {
    const std::uint64_t part = std::min(count, kMax);
    const Sent sent = Send({.type = type, .count = static_cast<std::uint16_t>(part)});
    if (sent != Sent::kYes) return sent;
    count -= part;
  }
  return Sent::kYes;
}

Forwarder::Sent Forwarder::Send(const RuntimeEvent& event) const {
  const RuntimeEventBytes bytes = EncodeRuntimeEvent(event);
  ssize_t size = 0;
  do {
    size = send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (size < 0 && errno == EINTR);
  if (size >= 0) return Sent::kYes;
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? Sent::kFull
                                                                     : Sent::kNoReceiver;
}

void Forwarder::TellReceiver(bool here) {
  if (told_ && told_here_ == here) return;
  const int error = errno;
  told_ = true;
  told_here_ = here;
  if (here) {
    LOG(INFO) << Kv("Forwarding events", "socket", path_);
  } else {
    LOG(WARNING) << Kv("Nobody receives events; trying again every second", "socket", path_, "err",
                       std::generic_category().message(error));
  }
}

}  // namespace cmd::cri_event_broker
