// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/resolver.h"

#include <netdb.h>

#include <cstring>
#include <optional>
#include <utility>

#include "clientgo/util/thread.h"

namespace clientgo::transport {
namespace {

using util::Err;
using util::ErrorReason;
using Endpoints = util::Expected<std::vector<Endpoint>>;

Endpoints Ask(const std::string& host, const std::string& port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (failed != 0) {
    return Err(
        ErrorReason::kNoSuchHost,
        "lookup " + host + ": " + (failed == EAI_NONAME ? "no such host" : gai_strerror(failed)));
  }
  std::vector<Endpoint> endpoints;
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    Endpoint& endpoint = endpoints.emplace_back();
    std::memcpy(&endpoint.address, info->ai_addr, info->ai_addrlen);
    endpoint.size = info->ai_addrlen;
  }
  freeaddrinfo(found);
  return endpoints;
}

}  // namespace

struct Resolver::Question {
  std::string host;
  std::string port;
  std::optional<Endpoints> answer = {};  // under the resolver's mutex
};

Resolver::Resolver()
    : Resolver([](const std::string& host, const std::string& port) {
        return Ask(host, port, AI_ADDRCONFIG);
      }) {}

Resolver::Resolver(Lookup lookup) : lookup_(std::move(lookup)) {}

Resolver::~Resolver() {
  std::jthread worker;
  {
    util::MutexLock lock(mu_);
    worker = std::move(worker_);
  }
}

Endpoints Resolver::Resolve(const std::stop_token& stop, const std::string& host,
                            const std::string& port, util::Clock::TimePoint deadline) {
  if (auto literal = Ask(host, port, AI_NUMERICHOST)) return literal;
  const auto question = std::make_shared<Question>(Question{.host = host, .port = port});
  util::MutexLock lock(mu_);
  waiting_.push_back(question);
  if (!worker_.joinable()) {
    worker_ = util::StartThread("resolver", [this](const std::stop_token& end) { Work(end); });
  }
  changed_.NotifyAll();
  const auto answered = [&] { return question->answer.has_value(); };
  if (!util::Clock::Real().WaitUntil(mu_, changed_, stop, deadline, answered)) {
    std::erase(waiting_, question);
    if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "the request was canceled");
    return Err(ErrorReason::kDeadlineExceeded, "lookup " + host + ": i/o timeout");
  }
  return std::move(*question->answer);
}

void Resolver::Work(const std::stop_token& stop) {
  util::MutexLock lock(mu_);
  const auto asked = [this]() REQUIRES(mu_) { return !waiting_.empty(); };
  while (!stop.stop_requested() && changed_.Wait(mu_, stop, asked)) {
    const std::shared_ptr<Question> question = std::move(waiting_.front());
    waiting_.pop_front();
    mu_.unlock();  // nobody waits for a lock while a name server makes up its mind
    Endpoints answer = lookup_(question->host, question->port);
    mu_.lock();
    question->answer = answer;
    // Whoever asked the same meanwhile: a slow name server answers all of them at once.
    std::erase_if(waiting_, [&](const std::shared_ptr<Question>& other) {
      if (other->host != question->host || other->port != question->port) return false;
      other->answer = answer;
      return true;
    });
    changed_.NotifyAll();
  }
}

}  // namespace clientgo::transport
