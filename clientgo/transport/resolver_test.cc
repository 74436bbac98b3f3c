// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <array>
#include <atomic>
#include <future>
#include <string>
#include <thread>

#include "capstan/testing/fake_clock.h"
#include "clientgo/transport/testing/loopback_server.h"

namespace capstan::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Endpoints = std::vector<Endpoint>;

// Formats an endpoint: "127.0.0.1 80".
std::string Show(const Endpoint& endpoint) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  getnameinfo(reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.size, host.data(),
              host.size(), port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  return std::string(host.data()) + " " + port.data();
}

TEST(ResolverTest, ReturnsAddressesWithoutLookup) {
  Resolver resolver([](const std::string& host, const std::string&) -> Expected<Endpoints> {
    ADD_FAILURE() << "looked up " << host;
    return Endpoints();
  });

  const auto ipv4 = resolver.Resolve({}, "10.0.0.1", "6443");
  const auto ipv6 = resolver.Resolve({}, "fd00::1", "443");

  ASSERT_TRUE(ipv4 && ipv6);
  ASSERT_EQ(ipv4->size(), 1U);
  EXPECT_EQ(Show(ipv4->front()), "10.0.0.1 6443");
  ASSERT_EQ(ipv6->size(), 1U);
  EXPECT_EQ(Show(ipv6->front()), "fd00::1 443");
}

TEST(ResolverTest, ResolvesNamesAndReportsMissingOne) {
  Resolver resolver;

  const auto found = resolver.Resolve({}, "localhost", "80");
  const auto missing = resolver.Resolve({}, "no-such-host.invalid", "80");

  EXPECT_TRUE(found.has_value());
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().reason, ErrorReason::kNoSuchHost);
  EXPECT_THAT(missing.error().message, HasSubstr("lookup no-such-host.invalid: "));
}

TEST(ResolverTest, StopEndsWaitForSlowNameServer) {
  std::promise<void> asked;
  std::promise<void> answer;
  Resolver resolver([&](const std::string&, const std::string&) -> Expected<Endpoints> {
    asked.set_value();
    answer.get_future().wait();
    return Endpoints{Loopback(80)};
  });
  std::stop_source stop;
  auto stopped = std::async(std::launch::async, [&] {
    return resolver.Resolve(stop.get_token(), "slow.test", "80").error().reason;
  });
  asked.get_future().wait();

  stop.request_stop();

  EXPECT_EQ(stopped.get(), ErrorReason::kCanceled) << "while the lookup still runs";
  answer.set_value();
}

TEST(ResolverTest, DeadlineEndsWaitForSlowNameServer) {
  std::promise<void> answer;
  Resolver resolver([&](const std::string&, const std::string&) -> Expected<Endpoints> {
    answer.get_future().wait();
    return Endpoints{Loopback(80)};
  });

  const auto late = resolver.Resolve({}, "slow.test", "80", ShortDeadline());

  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_EQ(late.error().message, "lookup slow.test: i/o timeout");
  answer.set_value();
}

// SlowNames is a Lookup. Names with "slow" get their answer at Release, others at once.
class SlowNames {
 public:
  ~SlowNames() { Release(); }
  Resolver::Lookup lookup() {
    return [this](const std::string& host, const std::string&) -> Expected<Endpoints> {
      MutexLock lock(mu_);
      const bool slow = host.find("slow") != std::string::npos;
      if (slow) {
        ++running_;
        changed_.NotifyAll();
        changed_.Wait(mu_, [this]() CAPSTAN_REQUIRES(mu_) { return released_; });
      }
      if (slow && clock_ != nullptr) clock_->Step(Resolver::kSlow + std::chrono::seconds(1));
      return Endpoints{Loopback(80)};
    };
  }
  // Slow lookups that begin later take two seconds of this clock.
  void Take(testing::FakeClock& clock) { clock_ = &clock; }
  // Blocks until `count` slow lookups have begun.
  bool AwaitRunning(int count) {
    MutexLock lock(mu_);
    return changed_.WaitUntil(mu_, {}, std::chrono::steady_clock::now() + std::chrono::seconds(10),
                              [&]() CAPSTAN_REQUIRES(mu_) { return running_ == count; });
  }
  int running() {
    MutexLock lock(mu_);
    return running_;
  }
  void Release(bool released = true) {
    MutexLock lock(mu_);
    released_ = released;
    running_ = 0;
    changed_.NotifyAll();
  }

 private:
  Mutex mu_;
  CondVar changed_;
  bool released_ CAPSTAN_GUARDED_BY(mu_) = false;
  int running_ CAPSTAN_GUARDED_BY(mu_) = 0;  // of slow names
  testing::FakeClock* clock_ = nullptr;
};

// Looks up `count` slow names at once, each in a thread that returns when the names are released.
std::vector<std::jthread> LookUpSlowNames(Resolver& resolver, int count) {
  std::vector<std::jthread> callers;
  for (int i = 0; i < count; ++i) {
    callers.emplace_back([&resolver, i] {
      EXPECT_TRUE(resolver.Resolve({}, "slow" + std::to_string(i) + ".test", "80").has_value());
    });
  }
  return callers;
}

constexpr int kThreads = Resolver::kThreadsMax;
constexpr int kThreadsOfUnknownNames = kThreads * 3 / 4;
constexpr int kThreadsOfSlowNames = kThreads / 2;

ErrorReason ReasonOf(const auto& result) {
  return result ? ErrorReason::kUnknown : result.error().reason;
}

TEST(ResolverTest, SlowNameDoesNotHoldUpAnotherName) {
  SlowNames names;
  Resolver resolver(names.lookup());
  const auto slow = LookUpSlowNames(resolver, 1);
  EXPECT_TRUE(names.AwaitRunning(1));

  const auto healthy = resolver.Resolve(
      {}, "healthy.test", "80", std::chrono::steady_clock::now() + std::chrono::seconds(10));

  EXPECT_TRUE(healthy.has_value()) << healthy.error().message;
  names.Release();
}

TEST(ResolverTest, ManySlowNamesHoldUpNoNameThatWasQuickBefore) {
  SlowNames names;
  Resolver resolver(names.lookup());
  ASSERT_TRUE(resolver.Resolve({}, "healthy.test", "80").has_value());
  const auto slow = LookUpSlowNames(resolver, 40);
  EXPECT_TRUE(names.AwaitRunning(kThreadsOfUnknownNames));

  const auto healthy = resolver.ResolveInTurn({}, "healthy.test", "80", std::chrono::seconds(10));
  const auto unknown =
      resolver.ResolveInTurn({}, "unknown.test", "80", std::chrono::milliseconds(30));

  EXPECT_TRUE(healthy.has_value()) << healthy.error().message;
  EXPECT_EQ(ReasonOf(unknown), ErrorReason::kTooManyRequests) << "it says nothing about the name";
  EXPECT_EQ(names.running(), kThreadsOfUnknownNames);
  names.Release();
}

TEST(ResolverTest, KnownSlowNamesLeaveThreadsForUnknownNames) {
  testing::FakeClock clock;
  SlowNames names;
  names.Take(clock);
  Resolver resolver(names.lookup(), clock);
  names.Release();
  LookUpSlowNames(resolver, 20).clear();
  names.Release(false);
  const auto slow = LookUpSlowNames(resolver, 20);
  EXPECT_TRUE(names.AwaitRunning(kThreadsOfSlowNames));

  EXPECT_TRUE(resolver.Resolve({}, "unknown.test", "80").has_value());

  EXPECT_EQ(names.running(), kThreadsOfSlowNames);
  names.Release();
}

TEST(ResolverTest, CanceledCallersCauseNoLookup) {
  SlowNames names;
  std::atomic<int> canceled_lookups{0};
  {
    Resolver resolver([&, slow = names.lookup()](const std::string& host, const std::string& port) {
      if (host.starts_with("canceled")) ++canceled_lookups;
      return slow(host, port);
    });
    const auto slow = LookUpSlowNames(resolver, kThreadsOfUnknownNames);
    EXPECT_TRUE(names.AwaitRunning(kThreadsOfUnknownNames));
    std::stop_source stop;
    std::vector<std::future<ErrorReason>> canceled;
    for (int i = 0; i < 3; ++i) {
      canceled.push_back(std::async(std::launch::async, [&, i] {
        const std::string host = "canceled" + std::to_string(i) + ".test";
        return ReasonOf(resolver.Resolve(stop.get_token(), host, "80"));
      }));
    }

    stop.request_stop();

    for (auto& reason : canceled) EXPECT_EQ(reason.get(), ErrorReason::kCanceled);
    names.Release();
  }
  EXPECT_EQ(canceled_lookups, 0) << "looked up names for which nobody waited";
}

TEST(ResolverTest, CallersOfOneNameShareItsLookup) {
  SlowNames names;
  Resolver resolver(names.lookup());
  std::vector<std::jthread> callers;
  for (int i = 0; i < 10; ++i) {
    callers.emplace_back([&] { EXPECT_TRUE(resolver.Resolve({}, "slow.test", "80").has_value()); });
  }
  EXPECT_TRUE(names.AwaitRunning(1));

  EXPECT_TRUE(resolver.Resolve({}, "healthy.test", "80").has_value());

  EXPECT_EQ(names.running(), 1);
  names.Release();
}

TEST(ResolverTest, TimeoutDoesNotIncludeWaitForTurn) {
  testing::FakeClock clock;
  SlowNames names;
  Resolver resolver(names.lookup(), clock);
  auto slow = LookUpSlowNames(resolver, kThreads);
  EXPECT_TRUE(names.AwaitRunning(kThreadsOfUnknownNames));
  const auto called = clock.Now();
  auto found = std::async(std::launch::async, [&] {
    return resolver.ResolveInTurn({}, "healthy.test", "80", std::chrono::seconds(5)).value();
  });
  EXPECT_TRUE(clock.BlockUntilAnyWaiters(kThreads + 1));
  clock.Step(std::chrono::seconds(4));

  names.Release();

  EXPECT_EQ(found.get().deadline, called + std::chrono::seconds(4 + 5));
}

Endpoint At(const std::string& address) {
  return Resolver().Resolve({}, address, "443").value().front();
}

std::vector<Endpoint> At(const std::vector<std::string>& addresses) {
  std::vector<Endpoint> endpoints;
  for (const std::string& address : addresses) endpoints.push_back(At(address));
  return endpoints;
}

std::vector<std::string> Show(const std::vector<Endpoint>& endpoints) {
  std::vector<std::string> shown;
  for (const Endpoint& endpoint : endpoints) {
    std::array<char, NI_MAXHOST> host{};
    getnameinfo(reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.size, host.data(),
                host.size(), nullptr, 0, NI_NUMERICHOST);
    shown.emplace_back(host.data());
  }
  return shown;
}

TEST(AddressOrderTest, AlternatesFamiliesAndKeepsOrderWithinEach) {
  const auto sorted =
      InterleaveFamilies(At({"fd00::1", "fd00::2", "fd00::3", "10.0.0.1", "10.0.0.2"}));

  EXPECT_THAT(Show(sorted), ElementsAre("fd00::1", "10.0.0.1", "fd00::2", "10.0.0.2", "fd00::3"));
}

TEST(AddressOrderTest, BeginsWithFamilyThatResolverPrefers) {
  EXPECT_THAT(Show(InterleaveFamilies(At({"10.0.0.1", "10.0.0.2", "fd00::1"}))),
              ElementsAre("10.0.0.1", "fd00::1", "10.0.0.2"));
}

TEST(AddressOrderTest, PutsAddressThatWorkedFirst) {
  AddressOrder order;
  order.OnWorked(At("10.0.0.3"));

  EXPECT_THAT(Show(order.Sort(At({"10.0.0.1", "10.0.0.2", "10.0.0.3"}))),
              ElementsAre("10.0.0.3", "10.0.0.1", "10.0.0.2"));
}

TEST(AddressOrderTest, PutsAddressThatDidNotAnswerLastUntilItWorks) {
  const auto found = At({"10.0.0.1", "10.0.0.2", "10.0.0.3"});
  AddressOrder order;
  order.OnWorked(At("10.0.0.1"));

  order.OnFailed(At("10.0.0.1"));
  EXPECT_THAT(Show(order.Sort(found)), ElementsAre("10.0.0.2", "10.0.0.3", "10.0.0.1"));

  order.OnWorked(At("10.0.0.1"));
  EXPECT_THAT(Show(order.Sort(found)), ElementsAre("10.0.0.1", "10.0.0.2", "10.0.0.3"));
}

TEST(AddressOrderTest, TriesEachAddressInTurnWhileAllOthersFail) {
  const auto found = At({"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"});
  AddressOrder order;
  std::vector<Endpoint> tried;
  for (int i = 0; i < 6; ++i) {
    tried.push_back(order.Sort(found).front());
    order.OnFailed(tried.back());
  }

  EXPECT_THAT(Show(tried),
              ElementsAre("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.1", "10.0.0.2"));
}

TEST(AddressOrderTest, RemembersBoundedNumberOfFailedAddresses) {
  AddressOrder order;
  order.OnFailed(At("10.0.0.1"));
  for (std::size_t i = 0; i < AddressOrder::kFailedMax; ++i) {
    order.OnFailed(At("10.0.1." + std::to_string(i)));
  }

  EXPECT_THAT(Show(order.Sort(At({"10.0.0.1", "10.0.1.0", "10.0.0.2"}))),
              ElementsAre("10.0.0.1", "10.0.0.2", "10.0.1.0"));
}

TEST(AddressOrderTest, IgnoresAddressThatResolverNoLongerFinds) {
  AddressOrder order;
  order.OnWorked(At("10.0.0.9"));

  EXPECT_THAT(Show(order.Sort({At("10.0.0.1")})), ElementsAre("10.0.0.1"));
}

}  // namespace
}  // namespace capstan::transport
