// SPDX-License-Identifier: Apache-2.0
#include "clientgo/leaderelection/leader_election_testing.h"

#include <pthread.h>

#include <algorithm>
#include <array>

#include "clientgo/runtime/json.h"
#include "clientgo/util/thread.h"

namespace clientgo::leaderelection {

using std::chrono::milliseconds;
using testing::FakeResponse;
using util::Clock;
using util::MutexLock;

namespace {

constexpr auto kStep = milliseconds(100);

bool BlockUntil(const std::function<bool()>& done) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!done()) {
    if (std::chrono::steady_clock::now() > patience) return false;
    std::this_thread::yield();
  }
  return true;
}

FakeResponse Status(int code, std::string_view reason) {
  return {.status = code,
          .headers = {{"Content-Type", "application/json"}},
          .chunks = {R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"test: )" +
                     std::string(reason) + R"(","reason":")" + std::string(reason) +
                     R"(","code":)" + std::to_string(code) + "}"}};
}

bool OnDeadlineTimerThread() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return std::string_view(name.data()) == "deadline";
}

}  // namespace

FakeResponse LeaseServer::Handle(const rest::HttpRequest& request) {
  MutexLock lock(mu_);
  if (request.method == "POST") {
    if (lease_) return Status(409, "AlreadyExists");
    Store(request.body);
    return Answer(201);
  }
  if (!lease_) return Status(404, "NotFound");
  if (request.method == "PUT") {
    runtime::JsonDocument body;
    body.Parse(request.body.data(), request.body.size());
    const auto* version = runtime::FindPath(body, {"metadata", "resourceVersion"});
    if (version == nullptr || runtime::ToView(*version) != lease_->resource_version()) {
      return Status(409, "Conflict");
    }
    Store(request.body);
  }
  return Answer(200);
}

FakeResponse LeaseServer::Answer(int status) {
  return {.status = status, .headers = {{"Content-Type", "application/json"}}, .chunks = {json_}};
}

void LeaseServer::Store(std::string_view json) {
  runtime::JsonDocument document;
  document.Parse(json.data(), json.size());
  auto& metadata = document["metadata"];
  metadata.RemoveMember("resourceVersion");
  metadata.RemoveMember("uid");
  const std::string version = std::to_string(++version_);
  metadata.AddMember("resourceVersion",
                     runtime::JsonValue(version.c_str(), document.GetAllocator()),
                     document.GetAllocator());
  metadata.AddMember("uid", "1b4e28ba", document.GetAllocator());
  runtime::JsonBuffer buffer;
  runtime::JsonWriter writer(buffer);
  document.Accept(writer);
  json_ = std::string(buffer.GetString(), buffer.GetSize());
  lease_ = std::make_shared<const api::Lease>(*runtime::DecodeMeta(document), document);
}

std::optional<api::LeaseSpec> LeaseServer::spec() const {
  MutexLock lock(mu_);
  if (!lease_) return std::nullopt;
  return lease_->spec();
}

std::string LeaseServer::json() const {
  MutexLock lock(mu_);
  return json_;
}

void LeaseServer::Put(const api::LeaseSpec& spec) {
  PutJson(api::CreateJson({.namespace_ = "kube-system", .name = "the-lease"}, {}, spec));
}

void LeaseServer::PutJson(std::string_view json) {
  MutexLock lock(mu_);
  Store(json);
}

void LeaseServer::Delete() {
  MutexLock lock(mu_);
  lease_.reset();
  json_.clear();
}

bool ProcessClock::WaitUntil(util::Mutex& mu, util::CondVar& cv, std::stop_token stop,
                             TimePoint deadline, const std::function<bool()>& ready) {
  if (deadline == TimePoint::max()) {
    return clock_.WaitUntil(mu, cv, std::move(stop), deadline, ready);
  }
  const std::pair<bool, TimePoint> self(OnDeadlineTimerThread(), deadline);
  {
    MutexLock lock(mu_);
    waits_.push_back(self);
  }
  clock_.WaitUntil(mu, cv, std::move(stop), deadline, ready);
  BlockWhilePaused();
  MutexLock lock(mu_);
  waits_.erase(std::find(waits_.begin(), waits_.end(), self));
  return ready();
}

void ProcessClock::BlockWhilePaused() {
  MutexLock lock(mu_);
  resumed_.Wait(mu_, [this] { return !paused_; });
}

void ProcessClock::Resume() {
  MutexLock lock(mu_);
  paused_ = false;
  resumed_.NotifyAll();
}

bool ProcessClock::Waits(bool deadline_timer) const {
  const TimePoint now = clock_.Now();
  MutexLock lock(mu_);
  return std::any_of(waits_.begin(), waits_.end(), [&](const auto& wait) {
    return wait.first == deadline_timer && wait.second > now;
  });
}

Contender::Contender(LeaseServer& server, testing::FakeClock& clock, std::string identity,
                     ContenderOptions options)
    : server_(server), clock_(clock), options_(std::move(options)) {
  auto transport = std::make_unique<testing::FakeTransport>(
      [this](const rest::HttpRequest& request) { return Handle(request); });
  transport_ = transport.get();
  rest::Config rest_config;
  rest_config.host = "https://api.test";
  client_ = std::make_unique<rest::Client>(std::move(rest_config), std::move(transport),
                                           rest::ClientOptions{.clock = clock_});
  LeaderElectionConfig config{.lease_namespace = "kube-system",
                              .lease_name = "the-lease",
                              .identity = std::move(identity),
                              .clock = clock_,
                              .random = [] { return 0.0; },
                              .on_event =
                                  [this](const std::string& message) {
                                    MutexLock lock(mu_);
                                    events_.push_back(message);
                                  }};
  if (options_.configure) options_.configure(config);
  Callbacks callbacks{.on_started_leading = [this](const std::stop_token& stop) { Lead(stop); },
                      .on_stopped_leading = [this] { ++stopped_; },
                      .on_new_leader =
                          [this](const std::string& leader) {
                            MutexLock lock(mu_);
                            leaders_seen_.push_back(leader);
                          }};
  elector_ = *LeaderElector::New(*client_, std::move(config), std::move(callbacks));
}

Contender::~Contender() {
  clock_.Resume();
  network_ = Network::kDown;
  thread_ = {};  // stops and joins
}

void Contender::Start() {
  running_ = true;
  thread_ = util::StartThread("elector", [this](const std::stop_token& stop) {
    elector_->Run(stop);
    running_ = false;
  });
}

void Contender::Lead(const std::stop_token& stop) {
  util::Mutex mu;
  util::CondVar nothing;
  ++started_;
  working_ = true;
  {
    MutexLock lock(mu);
    nothing.Wait(mu, stop, [] { return false; });
  }
  working_ = false;
  if (options_.drain) options_.drain();
}

FakeResponse Contender::Handle(const rest::HttpRequest& request) {
  std::function<void(const rest::HttpRequest&)> hook;
  {
    MutexLock lock(mu_);
    hook = hook_;
  }
  if (hook) hook(request);
  const bool is_read = request.method == "GET";
  switch (network_.load()) {
    case Network::kServerError:
      return Status(500, "InternalError");
    case Network::kDown:
      return {.fail = util::Error{.reason = util::ErrorReason::kConnectionRefused,
                                  .message = "connection refused"}};
    case Network::kHangAfterWrites:
      if (is_read) break;
      server_.Handle(request);
      hanging_ = true;
      return {.hang_before_head = true};
    case Network::kHang:
      hanging_ = true;
      return {.hang_before_head = true};
    case Network::kUp:
      break;
  }
  hanging_ = false;
  return server_.Handle(request);
}

void Contender::SetHook(std::function<void(const rest::HttpRequest&)> hook) {
  MutexLock lock(mu_);
  hook_ = std::move(hook);
}

bool Contender::BlockUntilWorking() const {
  return BlockUntil([this] { return working_.load(); });
}

bool Contender::BlockUntilReturned() const {
  return BlockUntil([this] { return !running_; });
}

bool Contender::Idle() const {
  if (!running_ || clock_.paused() || clock_.ElectorWaits()) return true;
  return hanging_ && clock_.DeadlineWaits();
}

std::vector<std::string> Contender::Methods() const {
  std::vector<std::string> methods;
  for (const auto& request : transport_->requests()) methods.push_back(request.method);
  return methods;
}

std::vector<std::string> Contender::events() const {
  MutexLock lock(mu_);
  return events_;
}

std::vector<std::string> Contender::leaders_seen() const {
  MutexLock lock(mu_);
  return leaders_seen_;
}

bool Advance(testing::FakeClock& clock, const std::vector<Contender*>& contenders,
             Clock::Duration duration) {
  return !AdvanceUntil(clock, contenders, duration, [] { return false; }) && BlockUntil([&] {
    return std::all_of(contenders.begin(), contenders.end(),
                       [](const Contender* contender) { return contender->Idle(); });
  });
}

std::optional<Clock::Duration> AdvanceUntil(testing::FakeClock& clock,
                                            const std::vector<Contender*>& contenders,
                                            Clock::Duration limit,
                                            const std::function<bool()>& done) {
  const auto idle = [&] {
    return std::all_of(contenders.begin(), contenders.end(),
                       [](const Contender* contender) { return contender->Idle(); });
  };
  for (auto passed = Clock::Duration::zero();; passed += kStep) {
    if (!BlockUntil(idle)) return std::nullopt;
    if (done()) return passed;
    if (passed >= limit) return std::nullopt;
    clock.Step(kStep);
  }
}

}  // namespace clientgo::leaderelection
