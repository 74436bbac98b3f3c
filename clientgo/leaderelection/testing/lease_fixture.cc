// SPDX-License-Identifier: Apache-2.0
#include "clientgo/leaderelection/testing/lease_fixture.h"

#include <algorithm>

#include "capstan/thread.h"
#include "clientgo/runtime/json.h"

namespace capstan::leaderelection {

using std::chrono::milliseconds;

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

testing::FakeResponse Status(int code, std::string_view reason) {
  return {.status = code,
          .headers = {{"Content-Type", "application/json"}},
          .chunks = {R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"test: )" +
                     std::string(reason) + R"(","reason":")" + std::string(reason) +
                     R"(","code":)" + std::to_string(code) + "}"}};
}

}  // namespace

testing::FakeResponse LeaseServer::Handle(const transport::HttpRequest& request) {
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

testing::FakeResponse LeaseServer::Answer(int status) {
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
  if (!lease_) uid_ = "uid-" + version;
  metadata.AddMember("uid", runtime::JsonValue(uid_.c_str(), document.GetAllocator()),
                     document.GetAllocator());
  json_ = runtime::ToJson(document);
  lease_ = *FromJson<api::Lease>(json_);
}

std::optional<api::LeaseSpec> LeaseServer::spec() const {
  MutexLock lock(mu_);
  if (!lease_) return std::nullopt;
  return lease_->spec;
}

std::string LeaseServer::json() const {
  MutexLock lock(mu_);
  return json_;
}

void LeaseServer::Put(const api::LeaseSpec& spec) {
  PutJson(ToJson(
      api::Lease{.metadata = {.name = "the-lease", .namespace_ = "kube-system"}, .spec = spec}));
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

bool ProcessClock::WaitUntil(Mutex& mu, CondVar& cv, std::stop_token stop, TimePoint deadline,
                             const std::function<bool()>& ready) {
  if (deadline == TimePoint::max()) {
    return clock_.WaitUntil(mu, cv, std::move(stop), deadline, ready);
  }
  if (ready()) return true;  // it does not wait
  {
    MutexLock lock(mu_);
    waits_.push_back(deadline);
  }
  clock_.WaitUntil(mu, cv, std::move(stop), deadline, ready);
  BlockWhilePaused();
  MutexLock lock(mu_);
  waits_.erase(std::find(waits_.begin(), waits_.end(), deadline));
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

bool ProcessClock::Waits() const {
  const TimePoint now = clock_.Now();
  MutexLock lock(mu_);
  return std::any_of(waits_.begin(), waits_.end(), [&](TimePoint wait) { return wait > now; });
}

Contender::Contender(LeaseServer& server, testing::FakeClock& clock, std::string identity,
                     ContenderOptions options)
    : server_(server), clock_(clock), options_(std::move(options)) {
  auto transport = std::make_unique<testing::FakeTransport>(
      [this](const transport::HttpRequest& request) { return Handle(request); }, clock_);
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
  Callbacks callbacks{.on_started_leading = [this](const std::stop_token& stop) { Work(stop); },
                      .on_stopped_leading = [this] { ++stopped_; },
                      .on_new_leader =
                          [this](const std::string& leader) {
                            MutexLock lock(mu_);
                            leaders_seen_.push_back(leader);
                          }};
  elector_ = *LeaderElector::New(*client_, std::move(config), std::move(callbacks));
}

Contender::~Contender() {
  network_ = Network::kDown;
  clock_.Resume();
  thread_ = {};  // stops and joins
}

void Contender::Start() {
  stopping_ = false;
  running_ = true;
  thread_ = StartThread("elector", [this](const std::stop_token& stop) {
    elector_->Run(stop);
    running_ = false;
  });
}

bool Contender::Lead() {
  Start();
  return BlockUntilWorking();
}

void Contender::RequestStop() {
  stopping_ = true;
  thread_.request_stop();
}

void Contender::Work(const std::stop_token& stop) {
  Mutex mu;
  CondVar nothing;
  ++started_;
  working_ = true;
  {
    MutexLock lock(mu);
    nothing.Wait(mu, stop, [] { return false; });
  }
  working_ = false;
  if (!options_.drain) return;
  draining_ = true;
  options_.drain();
  draining_ = false;
}

testing::FakeResponse Contender::Handle(const transport::HttpRequest& request) {
  std::function<void(const transport::HttpRequest&)> hook;
  {
    MutexLock lock(mu_);
    hook = hook_;
  }
  if (hook) hook(request);
  return Carry(request, request.method == "GET");
}

testing::FakeResponse Contender::Carry(const transport::HttpRequest& request, bool is_read) {
  const auto broken = [](ErrorReason reason) {
    return testing::FakeResponse{.fail = Error{.reason = reason, .message = "test: broken"}};
  };
  switch (network_.load()) {
    case Network::kUp:
      break;
    case Network::kServerError:
      return Status(500, "InternalError");
    case Network::kDown:
      return broken(ErrorReason::kConnectionRefused);
    case Network::kHang:
      return {.hang_before_head = true};
    case Network::kHangAfterWrites:
      if (is_read) break;
      server_.Handle(request);
      return {.hang_before_head = true};
    case Network::kCutAfterWrites:
      if (is_read) break;
      server_.Handle(request);
      return broken(ErrorReason::kUnexpectedEof);
    case Network::kHoldWrites:
      if (is_read) break;
      {
        MutexLock lock(mu_);
        held_write_ = request;
      }
      return {.hang_before_head = true};
  }
  return server_.Handle(request);
}

void Contender::DeliverHeldWrite() {
  std::optional<transport::HttpRequest> write;
  {
    MutexLock lock(mu_);
    write.swap(held_write_);
  }
  if (write) server_.Handle(*write);
}

void Contender::SetHook(std::function<void(const transport::HttpRequest&)> hook) {
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
  if (!running_ || clock_.paused()) return true;
  return (transport_->Hangs() || !stopping_ || draining_) && clock_.Waits();
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
  return !AdvanceUntil(clock, contenders, duration, [] { return false; }) &&
         BlockUntilIdle(contenders);
}

std::optional<Clock::Duration> AdvanceUntil(testing::FakeClock& clock,
                                            const std::vector<Contender*>& contenders,
                                            Clock::Duration limit,
                                            const std::function<bool()>& done) {
  for (auto passed = Clock::Duration::zero();; passed += kStep) {
    if (!BlockUntilIdle(contenders)) return std::nullopt;
    if (done()) return passed;
    if (passed >= limit) return std::nullopt;
    clock.Step(kStep);
  }
}

bool BlockUntilIdle(const std::vector<Contender*>& contenders) {
  return BlockUntil([&] {
    return std::all_of(contenders.begin(), contenders.end(),
                       [](const Contender* contender) { return contender->Idle(); });
  });
}

int CountLeaders(const std::vector<Contender*>& contenders) {
  return static_cast<int>(
      std::count_if(contenders.begin(), contenders.end(),
                    [](Contender* contender) { return contender->elector().IsLeader(); }));
}

bool LeaseFixture::EverLead(int count, const std::vector<Contender*>& contenders,
                            Clock::Duration duration) {
  return AdvanceUntil(clock_, contenders, duration,
                      [&] { return CountLeaders(contenders) == count; })
      .has_value();
}

std::string LeaseFixture::Holder() const {
  const auto spec = server_.spec();
  return spec ? spec->holder_identity : "no Lease";
}

std::optional<Clock::Duration> LeaseFixture::UntilHeldBy(
    std::string_view identity, const std::vector<Contender*>& contenders) {
  return AdvanceUntil(clock_, contenders, std::chrono::minutes(1),
                      [&] { return Holder() == identity; });
}

}  // namespace capstan::leaderelection
