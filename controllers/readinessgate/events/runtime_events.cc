// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/events/runtime_events.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "capstan/log.h"

namespace capstan::readinessgate {
namespace {

// Broker and agent have different users and no capabilities; they share the group of the folder
// (fsGroup).
constexpr mode_t kMode = 0660;
constexpr std::string_view kMagic = "CEV1";
constexpr std::size_t kPathMax = 100;  // sun_path has 108 bytes, and the temporary name is longer

Error BadPath(const std::string& path, const std::string& what) {
  return {.reason = ErrorReason::kInvalidArgument,
          .message = "the socket for runtime events cannot be \"" + path + "\": " + what};
}

Error Failed(const std::string& path, int error) {
  return BadPath(path, std::generic_category().message(error));
}

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

const sockaddr* Generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

// The path is free when nothing exists there, or only the socket of a process that has ended.
Expected<void> CheckFree(const std::string& path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return {};
    return Err(Failed(path, errno));
  }
  if (!S_ISSOCK(found.st_mode)) {
    return Err(BadPath(path, "it exists and is no socket; remove it, or choose another path"));
  }
  const FileDescriptor probe(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (probe.get() < 0) return Err(Failed(path, errno));
  const sockaddr_un address = AddressOf(path);
  const int result = connect(probe.get(), Generic(address), sizeof address);
  if (result != 0 && errno == ECONNREFUSED) return {};
  return Err(BadPath(path, "another process listens there; stop it, or choose another path"));
}

}  // namespace

RuntimeEventBytes EncodeRuntimeEvent(const RuntimeEvent& event) {
  RuntimeEventBytes bytes{};
  std::copy(kMagic.begin(), kMagic.end(), bytes.begin());
  bytes[4] = static_cast<char>(event.type);
  bytes[6] = static_cast<char>(event.count >> 8);
  bytes[7] = static_cast<char>(event.count & 0xff);
  return bytes;
}

std::optional<RuntimeEvent> DecodeRuntimeEvent(std::string_view bytes) {
  if (bytes.size() != kRuntimeEventBytes || bytes.substr(0, kMagic.size()) != kMagic) return {};
  const auto type = static_cast<std::uint8_t>(bytes[4]);
  const auto count = static_cast<std::uint16_t>(static_cast<std::uint8_t>(bytes[6]) << 8 |
                                                static_cast<std::uint8_t>(bytes[7]));
  if (type < static_cast<std::uint8_t>(RuntimeEventType::kCreated) ||
      type > static_cast<std::uint8_t>(RuntimeEventType::kStreamDown) || bytes[5] != 0 ||
      count == 0) {
    return {};
  }
  return RuntimeEvent{.type = static_cast<RuntimeEventType>(type), .count = count};
}

RuntimeEvents::RuntimeEvents(Clock& clock, RuntimeEventsOptions options)
    : clock_(clock), options_(std::move(options)) {}

RuntimeEvents::~RuntimeEvents() {
  struct stat found {};
  if (inode_ != 0 && lstat(options_.path.c_str(), &found) == 0 && found.st_dev == device_ &&
      found.st_ino == inode_) {
    unlink(options_.path.c_str());
  }
}

Expected<std::unique_ptr<RuntimeEvents>> RuntimeEvents::Open(Clock& clock,
                                                             RuntimeEventsOptions options) {
  std::unique_ptr<RuntimeEvents> events(new RuntimeEvents(clock, std::move(options)));
  if (auto bound = events->Bind(); !bound) return Err(std::move(bound.error()));
  return events;
}

Expected<void> RuntimeEvents::Bind() {
  const std::string& path = options_.path;
  if (path.empty() || path.front() != '/' || path.size() > kPathMax ||
      path.find('\0') != std::string::npos) {
    return Err(BadPath(path, "expected an absolute path of at most 100 bytes"));
  }
  if (auto free = CheckFree(path); !free) return free;
  stop_event_ = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  socket_ = FileDescriptor(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (stop_event_.get() < 0 || socket_.get() < 0) return Err(Failed(path, errno));
  // Clients do not know this name, so none connects before the mode is set.
  const std::string hidden = path + ".new";
  unlink(hidden.c_str());
  const sockaddr_un address = AddressOf(hidden);
  struct stat made {};
  if (bind(socket_.get(), Generic(address), sizeof address) != 0 ||
      chmod(hidden.c_str(), kMode) != 0 || lstat(hidden.c_str(), &made) != 0 ||
      rename(hidden.c_str(), path.c_str()) != 0) {
    const int error = errno;
    unlink(hidden.c_str());
    return Err(Failed(path, error));
  }
  device_ = made.st_dev;
  inode_ = made.st_ino;
  return {};
}

bool RuntimeEvents::Run(std::stop_token stop) {
  std::uint64_t earlier_stop = 0;
  [[maybe_unused]] const ssize_t size = read(stop_event_.get(), &earlier_stop, sizeof earlier_stop);
  const std::stop_callback wake(stop, [this] {
    const std::uint64_t one = 1;
    // Cannot fail: the counter is far from its limit.
    [[maybe_unused]] const ssize_t written = write(stop_event_.get(), &one, sizeof one);
  });
  while (!stop.stop_requested()) {
    std::array<pollfd, 2> wait{{{.fd = socket_.get(), .events = POLLIN, .revents = 0},
                                {.fd = stop_event_.get(), .events = POLLIN, .revents = 0}}};
    if (poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) return false;
    if (!Drain()) return false;
  }
  return true;
}

bool RuntimeEvents::Drain() {
  // One byte more than a valid datagram, to detect longer ones.
  std::array<char, kRuntimeEventBytes + 1> bytes{};
  // Bounded, so that a sender that never pauses cannot delay a stop.
  for (int i = 0; i < 1000; ++i) {
    const ssize_t size = recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (size < 0) {
      if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return true;
      ErrorS("Failed to receive runtime events, continuing without them", "err",
             std::generic_category().message(errno));
      reliable_until_ = Clock::TimePoint::min().time_since_epoch();
      return false;
    }
    if (const auto event = DecodeRuntimeEvent({bytes.data(), static_cast<std::size_t>(size)})) {
      Handle(*event);
    } else {
      Count("bad", 1);
    }
  }
  return true;
}

void RuntimeEvents::Handle(const RuntimeEvent& event) {
  switch (event.type) {
    case RuntimeEventType::kCreated:
      Count("created", event.count);
      break;
    case RuntimeEventType::kDeleted:
      Count("deleted", event.count);
      break;
    case RuntimeEventType::kFullPass:
      Count("full_pass", event.count);
      break;
    case RuntimeEventType::kStreamUp:
      reliable_until_ = (clock_.Now() + kHeartbeatTimeout).time_since_epoch();
      return Count("heartbeat", 1);
    case RuntimeEventType::kStreamDown:
      reliable_until_ = Clock::TimePoint::min().time_since_epoch();
      return Count("heartbeat", 1);
  }
  if (options_.on_event) options_.on_event(event);
}

void RuntimeEvents::Count(const char* type, int count) const {
  if (options_.on_datagram) options_.on_datagram(type, count);
}

}  // namespace capstan::readinessgate
