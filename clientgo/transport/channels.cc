// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/channels.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "capstan/thread.h"

namespace capstan::transport {
namespace {

using std::chrono::steady_clock;

// The limit of a TLS handshake, too.
constexpr std::chrono::seconds kSettingsTimeout{10};

bool Contains(const auto& dials, const auto& dial) {
  return std::find(dials.begin(), dials.end(), dial) != dials.end();
}

}  // namespace

Channels::Channels(std::shared_ptr<ConnectionPool> pool)
    : pool_(std::move(pool)), speaks_http1_(!pool_->offers_http2()) {}

Channels::~Channels() {
  std::vector<DialPtr> dials;  // joined after the lock is released
  MutexLock lock(mu_);
  dials.swap(dials_);
  for (const auto& dial : dials) dial->thread.request_stop();
}

std::optional<Channel> Channels::Find(const Material& material, const std::vector<DialPtr>& mine,
                                      std::vector<std::shared_ptr<Http2Connection>>& closed) {
  std::shared_ptr<Http2Connection> found;
  for (auto& connection : connections_) {
    // A server checks certificates only on new connections. Streams of the old one continue.
    if (connection->material() != material) connection->Retire();
    if (!found && connection->Reserve()) found = connection;
    if (connection->IsClosed()) closed.push_back(std::move(connection));
  }
  std::erase(connections_, nullptr);
  if (found) return Channel{.http2 = std::move(found)};
  if (auto idle = pool_->Take(material)) return Channel{.http1 = std::move(idle), .reused = true};
  for (const auto& dial : mine) {
    if (dial->http1 && dial->material == material) {
      return Channel{.http1 = std::move(dial->http1)};
    }
  }
  return std::nullopt;
}

Channels::DialPtr Channels::Begin(const Material& material) {
  auto dial = std::make_shared<Dial>();
  dial->material = material;
  dial->step = "connecting";
  dial->thread = StartThread(
      "dial", [this, begun = dial.get()](const std::stop_token& stop) { Run(*begun, stop); });
  dials_.push_back(dial);
  return dial;
}

void Channels::Join(const Material& material, std::vector<DialPtr>& mine) {
  const auto now = steady_clock::now();
  const auto in_time = [&](const DialPtr& dial) { return now < dial->overdue; };
  const auto join = [&](const DialPtr& dial) {
    ++dial->waiters;
    mine.push_back(dial);
  };
  for (const auto& dial : dials_) {
    if (std::any_of(mine.begin(), mine.end(), in_time) || mine.size() == kDialsMax) return;
    if (dial->done || dial->material != material || Contains(mine, dial)) continue;
    if (dial->thread.get_stop_token().stop_requested()) continue;
    // With HTTP/1.1 a dial serves one caller. This one's callers have left.
    if (!speaks_http1_ || dial->waiters == 0) join(dial);
  }
  if (std::any_of(mine.begin(), mine.end(), in_time) || mine.size() == kDialsMax) return;
  // The next dial must not begin with a silent address.
  for (const auto& dial : mine) pool_->OnUnanswered(dial->endpoint);
  join(Begin(material));
}

std::optional<Error> Channels::TakeFailure(std::vector<DialPtr>& mine,
                                           std::vector<DialPtr>& finished) {
  std::optional<Error> error;
  bool opened = false;
  for (auto& dial : mine) {
    if (!dial->done) continue;
    if (dial->error) error = dial->error;
    opened = opened || !dial->error;
    LeaveDial(*dial);
    finished.push_back(std::move(dial));
  }
  std::erase(mine, nullptr);
  return mine.empty() && !opened ? error : std::nullopt;
}

void Channels::Leave(const std::vector<DialPtr>& mine, bool stopped) {
  MutexLock lock(mu_);
  for (const auto& dial : mine) {
    if (LeaveDial(*dial) && stopped) dial->thread.request_stop();
  }
}

bool Channels::LeaveDial(Dial& dial) {
  if (--dial.waiters > 0) return false;
  if (dial.http1) pool_->Put(std::move(dial.http1));
  if (const auto http2 = dial.http2.lock()) http2->Offer();
  return true;
}

Error Channels::Overrun(const ExchangeLimits& limits, const std::vector<DialPtr>& mine) const {
  const std::string_view step = mine.empty() ? "connecting" : mine.back()->step;
  return {.reason = ErrorReason::kDeadlineExceeded,
          .message = limits.Overrun(pool_->route().server.HostPort(), /*answered=*/false, step)};
}

void Channels::Run(Dial& dial, const std::stop_token& stop) {
  auto channel = Connect(dial, stop);
  MutexLock lock(mu_);
  dial.done = true;
  ++version_;
  changed_.NotifyAll();
  if (!channel) {
    dial.error = std::move(channel.error());
    return;
  }
  speaks_http1_ = channel->http2 == nullptr;
  if (channel->http2) {
    if (dial.waiters > 0) {
      dial.http2 = channel->http2;
    } else {
      channel->http2->Offer();
    }
    connections_.push_back(std::move(channel->http2));
  } else if (dial.waiters > 0) {
    dial.http1 = std::move(channel->http1);
  } else {
    // Under the lock: the next caller finds either the dial or the idle connection.
    pool_->Put(std::move(channel->http1));
  }
}

Expected<Channel> Channels::Connect(Dial& dial, const std::stop_token& stop) {
  const auto on_step = [&](std::string_view step, const std::optional<Endpoint>& endpoint) {
    MutexLock lock(mu_);
    dial.step = step;
    if (!endpoint || dial.endpoint) return;
    dial.endpoint = endpoint;
    dial.overdue = steady_clock::now() + pool_->options().unresponsive_after;
    ++version_;
    changed_.NotifyAll();
  };
  auto opened = pool_->Open(stop, dial.material, on_step);
  if (!opened) return Err(std::move(opened.error()));
  if (!(*opened)->http2()) return Channel{.http1 = std::move(*opened)};
  Channel channel{.http2 = std::make_shared<Http2Connection>(pool_, std::move(*opened))};
  on_step("waiting for the HTTP/2 settings", channel.http2->endpoint());
  const auto usable = channel.http2->AwaitUsable(stop, steady_clock::now() + kSettingsTimeout);
  if (usable) return channel;
  if (!IsCanceled(usable.error())) pool_->OnUnanswered(channel.http2->endpoint());
  return Err(usable.error());
}

Expected<Channel> Channels::Get(const std::stop_token& stop, const ExchangeLimits& limits) {
  const auto unresponsive_after = pool_->options().unresponsive_after;
  std::vector<DialPtr> mine;
  const auto get = [&]() -> Expected<Channel> {
    for (;;) {
      if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "the request was canceled");
      const auto material = pool_->Material();
      if (!material) return Err(material.error());
      // Destroyed after the lock is released.
      std::vector<std::shared_ptr<Http2Connection>> closed;
      std::vector<DialPtr> finished;
      MutexLock lock(mu_);
      if (auto found = Find(*material, mine, closed)) return *std::move(found);
      if (auto error = TakeFailure(mine, finished)) return Err(*std::move(error));
      for (auto& dial : dials_) {
        if (dial->done) finished.push_back(std::move(dial));
      }
      std::erase(dials_, nullptr);
      if (steady_clock::now() >= limits.answer) return Err(Overrun(limits, mine));
      Join(*material, mine);
      // A dial becomes overdue, or a silent connection answers, without a notification.
      const Clock::TimePoint until =
          std::min<Clock::TimePoint>(limits.answer, steady_clock::now() + unresponsive_after);
      Clock::Real().WaitUntil(mu_, changed_, stop, until,
                              [&, seen = version_]()
                                  CAPSTAN_REQUIRES(mu_) { return version_ != seen; });
    }
  };
  auto channel = get();
  Leave(mine, stop.stop_requested());
  return channel;
}

}  // namespace capstan::transport
