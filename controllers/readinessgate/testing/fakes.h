// SPDX-License-Identifier: Apache-2.0
// Fakes for tests of gates and of the agent: pods as the API server sends them and as a cache holds
// them, and a ClusterReader of maps.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/api/testing/decode.h"
#include "controllers/readinessgate/gates/gate.h"
#include "controllers/readinessgate/gates/protocol.h"

namespace capstan::readinessgate {

class FakeClusterReader final : public ClusterReader {
 public:
  Expected<NodePtr> OwnNode() const override {
    if (failure_) return Err(*failure_);
    return node_;
  }
  Expected<api::ConfigMapPtr> FindConfigMap(const runtime::ObjectKey& key) const override {
    if (failure_) return Err(*failure_);
    const auto found = config_maps_.find(key.String());
    if (found == config_maps_.end()) {
      return Err(ErrorReason::kNotFound, "not found");
    }
    return found->second;
  }

  // `conditions` are the elements of status.conditions.
  void SetNode(const std::string& conditions) {
    node_ = api::MustDecode<Node>(
        Node::Type(),
        R"({"kind":"Node","metadata":{"name":"a"},"status":{"conditions":[)" + conditions + "]}}");
  }
  void SetConfigMap(const std::string& ns, const std::string& name, api::ConfigMap::Data data) {
    config_maps_[ns + "/" + name] = runtime::MakeObject<TypedObject<api::ConfigMap>>(
        runtime::ObjectIdentity{.namespace_ = ns, .name = name, .uid = {}, .resource_version = {}},
        api::ConfigMap{std::move(data)});
  }
  // Every later lookup fails with `why`.
  void Fail(const std::string& why) {
    failure_ = Error{.reason = ErrorReason::kServiceUnavailable, .message = why};
  }

 private:
  NodePtr node_;
  std::map<std::string, api::ConfigMapPtr> config_maps_;
  std::optional<Error> failure_;
};

// PodJson is a pod "ns/n" as the API server sends it.
struct PodJson {
  std::string metadata = {};  // members of metadata: R"("annotations":{"a":"b"})"
  std::string members = {};   // members of the pod: R"("status":{"phase":"Running"})"
  std::string uid = "0f1e2d3c-0000-4000-8000-000000000001";
};

// Decodes the pod and keeps what `needs` names.
inline PodPtr MakePod(const PodJson& json, const GateNeeds& needs = {}) {
  const auto separated = [](const std::string& text) { return text.empty() ? "" : "," + text; };
  return api::MustDecode<Pod>(
      MakePodType({.annotations = {needs.annotations.begin(), needs.annotations.end()},
                   .markers = {needs.markers.begin(), needs.markers.end()},
                   .labels = {needs.labels.begin(), needs.labels.end()}}),
      R"({"kind":"Pod","metadata":{"namespace":"ns","name":"n","resourceVersion":"7","uid":")" +
          json.uid + '"' + separated(json.metadata) + "}" + separated(json.members) + "}");
}

inline std::unique_ptr<const Gate> MustParse(std::string_view spec) {
  auto gate = ParseGate(spec);
  if (gate) return *std::move(gate);
  ADD_FAILURE() << spec << ": " << gate.error().message;
  return nullptr;
}

inline Verdict EvaluateGate(const Gate& gate, const PodJson& json,
                            const ClusterReader& cluster = FakeClusterReader(),
                            Clock::TimePoint now = {}) {
  GateNeeds needs;
  gate.AddNeeds(needs);
  const auto pod = MakePod(json, needs);
  return gate.Evaluate({.pod = *pod, .cluster = cluster, .now = now});
}
inline Verdict EvaluateGate(std::string_view spec, const PodJson& json,
                            const ClusterReader& cluster = FakeClusterReader()) {
  const auto gate = MustParse(spec);
  return gate == nullptr ? Verdict{} : EvaluateGate(*gate, json, cluster);
}

// Returns the error of an invalid spec.
inline std::string ErrorOf(std::string_view spec) {
  const auto gate = ParseGate(spec);
  if (!gate) {
    EXPECT_EQ(gate.error().reason, ErrorReason::kInvalidArgument);
    return gate.error().message;
  }
  ADD_FAILURE() << spec << " parses";
  return {};
}

// CachedPod is a pod "ns/n" as the agent's cache holds it.
struct CachedPod {
  std::string version = "7";
  std::string annotations = {};  // R"("a":"b")"
  std::string conditions = {};   // elements
  std::string uid = PodJson{}.uid;
  std::string metadata = {};  // R"(,"deletionTimestamp":"2026-01-02T00:00:00Z")"
};

inline PodPtr MakeCachedPod(const CachedPod& pod) {
  static const auto type = MakePodType(
      {.annotations = {std::string(kReadyKey), std::string(kStatusKey), std::string(kGateSetKey)},
       .markers = {"x", "y"}});
  return api::MustDecode<Pod>(
      type, R"({"kind":"Pod","metadata":{"namespace":"ns","name":"n","resourceVersion":")" +
                pod.version + R"(","uid":")" + pod.uid + R"(","annotations":{)" + pod.annotations +
                "}" + pod.metadata + R"(},"status":{"conditions":[)" + pod.conditions + "]}}");
}

}  // namespace capstan::readinessgate
