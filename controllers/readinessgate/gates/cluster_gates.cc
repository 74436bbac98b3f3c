// SPDX-License-Identifier: Apache-2.0
// Gates that depend on more than the pod: node-condition, configmap and rate.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>

#include "capstan/mutex.h"
#include "capstan/time.h"
#include "controllers/readinessgate/gates/gate_kinds.h"
#include "controllers/readinessgate/gates/text.h"

namespace capstan::readinessgate {
namespace {

using std::chrono::nanoseconds;

class NodeConditionGate final : public Gate {
 public:
  NodeConditionGate(std::string_view spec, ConditionValue want)
      : Gate(spec), want_(std::move(want)) {}

  Verdict Evaluate(const GateInput& input) const override {
    const auto node = input.cluster.OwnNode();
    if (!node) return Verdict::Closed("NodeUnknown", node.error().message);
    if (*node == nullptr) {
      return Verdict::Closed("NodeUnknown", "node not yet observed by informer");
    }
    return Compare("node", (*node)->FindCondition(want_.type), want_);
  }
  void AddNeeds(GateNeeds& needs) const override { needs.node = true; }

 private:
  ConditionValue want_;
};

class ConfigMapGate final : public Gate {
 public:
  // With an empty `data_key` the ConfigMap only has to exist.
  ConfigMapGate(std::string_view spec, runtime::ObjectKey key, std::string_view data_key)
      : Gate(spec), key_(std::move(key)), data_key_(data_key) {}

  Verdict Evaluate(const GateInput& input) const override {
    const std::string what = "ConfigMap " + key_.String();
    const auto found = input.cluster.FindConfigMap(key_);
    if (!found && IsNotFound(found.error())) {
      return Verdict::Closed("ConfigMapAbsent", what + " does not exist yet");
    }
    if (!found) {
      return Verdict::Closed("ConfigMapUnknown", "cannot tell yet whether " + what +
                                                     " exists: " + found.error().message);
    }
    if (data_key_.empty() || !(*found)->Find(data_key_).value_or("").empty()) {
      return Verdict::Open();
    }
    return Verdict::Closed("ConfigMapKeyAbsent", what + " does not yet have key " +
                                                     Quote(data_key_) + " with a non-empty value");
  }
  void AddNeeds(GateNeeds& needs) const override {
    needs.config_maps.insert(key_.String());
    if (!data_key_.empty()) needs.config_map_keys.insert(data_key_);
  }

 private:
  runtime::ObjectKey key_;
  std::string data_key_;
};

// Mirrors apimachinery's validation.IsConfigMapKey.
bool IsDataKey(std::string_view key) {
  constexpr std::size_t kBytesMax = 253;
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !key.empty() && key.size() <= kBytesMax && key != "." && !key.starts_with("..") &&
         key.find_first_not_of(kAllowed) == std::string_view::npos;
}

constexpr std::int64_t kTokensMax = 10'000;
constexpr nanoseconds kDurationMin = std::chrono::milliseconds(1);
constexpr nanoseconds kDurationMax = std::chrono::hours(24);
// Bounds the memory for pods that have a token. A node has at most a few hundred pods.
constexpr std::size_t kPassedMax = 4096;

// RateGate is a token bucket: full at start, refilled with `tokens` in each `duration`. It stores
// the time when the bucket will be full, so it needs neither refilling nor fractions.
class RateGate final : public Gate {
 public:
  RateGate(std::string_view spec, std::int64_t tokens, nanoseconds duration)
      : Gate(spec), tokens_(tokens), duration_(duration), per_token_(duration / tokens) {}

  Verdict Evaluate(const GateInput& input) const override {
    const std::string uid = input.pod.uid();
    const MutexLock lock(mu_);
    if (passed_.contains(uid)) return Verdict::Open();
    const Clock::TimePoint full_at = std::max(full_at_, input.now);
    // There is a token when at most tokens - 1 are missing.
    const Clock::TimePoint ready_at = full_at - per_token_ * (tokens_ - 1);
    if (ready_at > input.now) {
      Verdict closed =
          Verdict::Closed("RateLimited", "waits for its turn: at most " + std::to_string(tokens_) +
                                             " pods each " + FormatDuration(duration_));
      closed.recheck = ready_at;
      return closed;
    }
    full_at_ = full_at + per_token_;
    order_.push_back(uid);
    passed_.insert(uid);
    if (order_.size() > kPassedMax) {
      passed_.erase(order_.front());
      order_.pop_front();
    }
    return Verdict::Open();
  }

  bool is_last() const override { return true; }

 private:
  const std::int64_t tokens_;
  const nanoseconds duration_;
  const nanoseconds per_token_;
  mutable Mutex mu_;
  mutable Clock::TimePoint full_at_ CAPSTAN_GUARDED_BY(mu_) = Clock::TimePoint::min();
  mutable std::set<std::string, std::less<>> passed_ CAPSTAN_GUARDED_BY(mu_);  // uids
  mutable std::deque<std::string> order_ CAPSTAN_GUARDED_BY(mu_);  // of passed_, oldest first
};

}  // namespace

MadeGate MakeNodeConditionGate(std::string_view spec, std::string_view value) {
  auto want = ParseConditionValue("node-condition", value);
  if (!want) return tl::unexpected(std::move(want.error()));
  // The API server accepts any text as a type, but a blank is always a typing error.
  for (const char c : want->type) {
    if (c > ' ' && c < '\x7f') continue;
    return InvalidGate("node-condition", Quote(want->type) + " is no condition's type: " +
                                             Quote({&c, 1}) + " is not allowed");
  }
  return std::make_unique<NodeConditionGate>(spec, *std::move(want));
}

MadeGate MakeConfigMapGate(std::string_view spec, std::string_view value) {
  constexpr std::string_view kKind = "configmap";
  const auto [object, data_key] = Cut(value, ':');
  const auto [ns, name] = Cut(object, '/');
  if (ns.size() == object.size()) {
    return InvalidGate(kKind, "expected <namespace>/<name>[:<key>], got " + Quote(value));
  }
  std::string why = WhyNotNamespace(ns);
  if (!why.empty()) return InvalidGate(kKind, Quote(ns) + " is no namespace's name: " + why);
  why = WhyNotDnsName(name);
  if (!why.empty()) return InvalidGate(kKind, Quote(name) + " is no ConfigMap's name: " + why);
  if (object.size() != value.size() && !IsDataKey(data_key)) {
    return InvalidGate(kKind, Quote(data_key) +
                                  " is no key of a ConfigMap: use letters, digits, '-', '_' and "
                                  "'.'");
  }
  return std::make_unique<ConfigMapGate>(
      spec, runtime::ObjectKey{.namespace_ = std::string(ns), .name = std::string(name)}, data_key);
}

MadeGate MakeRateGate(std::string_view spec, std::string_view value) {
  const auto refuse = [&](const std::string& why) {
    return InvalidGate("rate",
                       "expected <n>/<duration>, such as 5/1s, got " + Quote(value) + ": " + why);
  };
  const auto [count, text] = Cut(value, '/');
  std::int64_t tokens = 0;
  const char* const end = count.data() + count.size();
  const auto [rest, error] = std::from_chars(count.data(), end, tokens);
  if (error != std::errc() || rest != end || tokens < 1 || tokens > kTokensMax) {
    return refuse("n must be a number from 1 to 10000");
  }
  const auto duration = ParseDuration(text);
  if (!duration || *duration < kDurationMin || *duration > kDurationMax) {
    return refuse("the duration must be from 1ms to 24h");
  }
  return std::make_unique<RateGate>(spec, tokens, *duration);
}

}  // namespace capstan::readinessgate
