// SPDX-License-Identifier: Apache-2.0
// Gate: one condition that has to hold before a pod's certificate is asked for, from one spec such
// as "pod-ip:ipv4". Evaluating one reads caches and calls nobody.
//
// Mirrors the readiness gates of cert-manager's csi-driver: its three kinds with their grammar,
// semantics and texts. Differs: more kinds; a verdict has a reason for machines too; a spec that
// can never open is refused. A Gate is thread-safe, and immutable but for the bucket of a rate.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/api/config_map.h"
#include "clientgo/api/node.h"
#include "clientgo/api/pod.h"
#include "clientgo/runtime/object.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"

namespace controllers::readinessgate {

// What gates read beside the pod. Every member is a cache lookup; thread-safe.
class World {
 public:
  virtual ~World() = default;
  // nullptr: not seen yet. An error: it cannot be read; see FindConfigMap.
  virtual clientgo::util::Expected<std::shared_ptr<const clientgo::api::Node>> OwnNode() const = 0;
  // kNotFound: there is none. Any other error: nobody can tell yet. Its message goes to the pod's
  // status: it stays the same while the cause does, and has nothing of the server's own text.
  virtual clientgo::util::Expected<std::shared_ptr<const clientgo::api::ConfigMap>> FindConfigMap(
      const clientgo::runtime::ObjectKey& key) const = 0;
};

struct GateInput {
  const clientgo::api::Pod& pod;
  const World& world;
  clientgo::util::Clock::TimePoint now;
};

struct Verdict {
  bool open = false;
  std::string_view reason = "Open";  // a literal: CamelCase, at most 64 bytes
  // Why it is closed, for people; the same for as long as the cause is. Empty when open.
  std::string message = {};
  // Closed, and to be looked at again then, even if nothing changes.
  std::optional<clientgo::util::Clock::TimePoint> recheck = {};

  static Verdict Open() { return {.open = true}; }
  static Verdict Closed(std::string_view reason, std::string message) {
    return {.reason = reason, .message = std::move(message)};
  }
};

// What has to be kept and watched for gates.
struct GateNeeds {
  std::set<std::string, std::less<>> annotations;  // keys
  std::set<std::string, std::less<>> labels;       // keys
  std::set<std::string, std::less<>> config_maps;  // "namespace/name"
  bool node = false;
};

class Gate {
 public:
  explicit Gate(std::string_view spec) : spec_(spec) {}
  virtual ~Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  virtual std::string_view kind() const = 0;         // "pod-ip"
  const std::string& spec() const { return spec_; }  // as given
  virtual Verdict Evaluate(const GateInput& input) const = 0;
  virtual void AddNeeds(GateNeeds& needs) const = 0;
  // Opening uses something up, so it is asked only once every other gate of the pod is open.
  virtual bool is_last() const { return false; }
  // What its author should know although the spec is right; empty: nothing.
  virtual std::string Warning() const { return {}; }

 private:
  std::string spec_;
};

// kInvalidArgument with csi-driver's text, which names what is wrong but not where it was given.
clientgo::util::Expected<std::unique_ptr<const Gate>> ParseGate(std::string_view spec);

}  // namespace controllers::readinessgate
