// SPDX-License-Identifier: Apache-2.0
// Gate is one condition that must hold before a pod's certificate is requested. It is made from a
// spec such as "pod-ip:ipv4". Evaluating a gate reads caches and sends no request.
//
// Mirrors the readiness gates of cert-manager's csi-driver: its three kinds with their grammar,
// semantics and texts. Adds more kinds and a machine-readable reason for each verdict. Rejects
// specs that can never open. Gates are thread-safe, and immutable except for the bucket of a rate.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/api/config_map.h"
#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/runtime/object.h"
#include "controllers/readinessgate/gates/objects.h"

namespace capstan::readinessgate {

// ClusterReader returns the objects besides the pod that gates read. Every method is a cache lookup
// and thread-safe.
class ClusterReader {
 public:
  virtual ~ClusterReader() = default;
  // nullptr while the node has not been read; an error when it cannot be read, see FindConfigMap.
  virtual Expected<NodePtr> OwnNode() const = 0;
  // kNotFound when the ConfigMap does not exist. Any other error means that it is not known. The
  // message goes to the pod's status: it is stable and has no text from the API server.
  virtual Expected<api::ConfigMapPtr> FindConfigMap(const runtime::ObjectKey& key) const = 0;
};

struct GateInput {
  const Pod& pod;
  const ClusterReader& cluster;
  Clock::TimePoint now;
};

struct Verdict {
  bool open = false;
  std::string_view reason = "Open";  // a literal in CamelCase, at most 64 bytes
  // Why the gate is closed, for people. Stable while the cause is the same; empty when open.
  std::string message = {};
  // Evaluate the closed gate again at this time even if nothing changes.
  std::optional<Clock::TimePoint> recheck = {};

  static Verdict Open() { return {.open = true}; }
  static Verdict Closed(std::string_view reason, std::string message) {
    return {.reason = reason, .message = std::move(message)};
  }
};

// The longest value of an annotation that a gate reads.
inline constexpr std::size_t kAnnotationValueBytesMax = 64U << 10U;

// GateNeeds lists what caches must keep and watch for a set of gates.
struct GateNeeds {
  using Names = std::set<std::string, std::less<>>;
  Names annotations;      // keys whose values are read
  Names markers;          // keys of annotations that only have to be there, see Pod::HasMarker
  Names labels;           // keys
  Names conditions;       // types of the pod's conditions
  Names config_maps;      // "namespace/name"
  Names config_map_keys;  // keys of their data that only have to be there
  bool node = false;
  friend bool operator==(const GateNeeds&, const GateNeeds&) = default;
};

class Gate {
 public:
  explicit Gate(std::string_view spec) : spec_(spec) {}
  virtual ~Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  const std::string& spec() const { return spec_; }  // as configured
  // Returns the type in the spec: "pod-ip".
  std::string_view kind() const { return std::string_view(spec_).substr(0, spec_.find(':')); }
  virtual Verdict Evaluate(const GateInput& input) const = 0;
  virtual void AddNeeds(GateNeeds& /*needs*/) const {}
  // True when opening consumes something: evaluate the gate after all others are open.
  virtual bool is_last() const { return false; }
  // Returns a warning for the author of a valid spec, or "".
  virtual std::string Warning() const { return {}; }

 private:
  std::string spec_;
};

// Parses "<type>:<value>". Errors are kInvalidArgument with csi-driver's text. The text names the
// mistake but not the flag or file.
Expected<std::unique_ptr<const Gate>> ParseGate(std::string_view spec);

}  // namespace capstan::readinessgate
