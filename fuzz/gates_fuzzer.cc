// SPDX-License-Identifier: Apache-2.0
// Tests the parsers of readiness gates on any bytes: a spec, a gate set, Multus' list of networks,
// and the agent's own annotations on a pod.
#include <glog/logging.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "clientgo/runtime/json.h"
#include "controllers/readinessgate/gates/gate_set.h"
#include "controllers/readinessgate/gates/protocol.h"

namespace {

using capstan::api::ConfigMap;
using capstan::api::ConfigMapPtr;
using capstan::api::PackedStringMap;
using capstan::readinessgate::Evaluation;
using capstan::readinessgate::GateSet;
using capstan::readinessgate::NodePtr;
using capstan::readinessgate::Pod;
using capstan::readinessgate::PodPtr;
using capstan::runtime::JsonDocument;
using capstan::runtime::JsonValue;

constexpr std::string_view kUid = "0f1e2d3c-4b5a-4968-8776-655443322110";

class EmptyCluster final : public capstan::readinessgate::ClusterReader {
 public:
  capstan::Expected<NodePtr> OwnNode() const override { return nullptr; }
  capstan::Expected<ConfigMapPtr> FindConfigMap(
      const capstan::runtime::ObjectKey& /*key*/) const override {
    return capstan::Err(capstan::ErrorReason::kNotFound, "not found");
  }
};

// Returns a pod with `text` as its only annotation.
PodPtr MakePod(const std::string& key, std::string_view text) {
  JsonDocument annotations(capstan::runtime::rapidjson::kObjectType);
  annotations.AddMember(
      JsonValue(key.c_str(), annotations.GetAllocator()),
      JsonValue(text.data(), static_cast<capstan::runtime::rapidjson::SizeType>(text.size()),
                annotations.GetAllocator()),
      annotations.GetAllocator());
  const auto keys = std::make_shared<const PackedStringMap::Keys>(PackedStringMap::Keys{key});
  return capstan::runtime::MakeObject<Pod>(
      capstan::runtime::ObjectIdentity{
          .namespace_ = "ns", .name = "n", .uid = kUid, .resource_version = "7"},
      Pod::Fields{.annotations = {keys, &annotations}, .labels = {keys, nullptr}});
}

Evaluation Evaluate(const GateSet& set, const Pod& pod) {
  static const EmptyCluster cluster;
  Evaluation evaluation =
      capstan::readinessgate::Evaluate(set, {.pod = pod, .cluster = cluster, .now = {}});
  for (const auto& [gate, verdict] : evaluation.results) {
    CHECK(!verdict.reason.empty() && verdict.reason.size() <= 64);
    CHECK_LE(verdict.message.size(), capstan::readinessgate::kGateMessageBytesMax);
  }
  return evaluation;
}

void Specs(const std::string& text, const Pod& pod) {
  const auto set = capstan::readinessgate::ParseGateSet("", {text});
  if (!set) {
    CHECK(set.error().message.starts_with("invalid --pod-readiness-gate \""));
    return;
  }
  CHECK_EQ((*set)->gates().at(0)->spec(), text);
  // In an empty cluster only a rate opens.
  const Evaluation evaluation = Evaluate(**set, pod);
  CHECK(evaluation.open == (*set)->gates()[0]->is_last() || !evaluation.Reasons().empty());
}

void Sets(const std::string& text, const Pod& pod) {
  const auto map = capstan::runtime::MakeObject<capstan::TypedObject<ConfigMap>>(
      {.namespace_ = "ns", .name = "n", .uid = {}, .resource_version = {}},
      ConfigMap{{{"set", text}}});
  const auto sets = capstan::readinessgate::ParseGateSets(*map);
  if (!sets) {
    CHECK(sets.error().message.starts_with("ConfigMap ns/n: gate set \"set\""));
    CHECK_LE(sets.error().message.size(), 1000U);
    return;
  }
  const GateSet& set = *sets->at("set");
  CHECK(!set.gates().empty());
  CHECK_LE(set.gates().size(), capstan::readinessgate::kGatesMax);
  Evaluate(set, pod);
  const auto again = capstan::readinessgate::ParseGateSets(*map, *sets);
  CHECK(again.has_value());
  CHECK_EQ(again->at("set")->generation(), set.generation());
}

void Networks(std::string_view text) {
  static const auto set = capstan::readinessgate::ParseGateSet(
      "", {"network-status:a", "network-status:a/any", "network-status:ns/a/ipv6"});
  for (const std::string key :
       {"k8s.v1.cni.cncf.io/network-status", "k8s.v1.cni.cncf.io/networks-status"}) {
    const Evaluation evaluation = Evaluate(**set, *MakePod(key, text));
    // A network with an address is also attached.
    CHECK(evaluation.results[0].verdict.open || !evaluation.results[1].verdict.open);
  }
}

void Annotations(std::string_view text) {
  namespace gates = capstan::readinessgate;
  if (gates::IsReadyValueOf(text, kUid)) CHECK(text.starts_with("v1.0f1e2d3c."));
  const auto status = gates::ParsePodStatus(text);
  if (!status) return;
  const std::string written = gates::ToJson(*status);
  CHECK_LE(written.size(), gates::kStatusBytesMax);
  const auto again = gates::ParsePodStatus(written);
  CHECK(again.has_value()) << written;
  CHECK_EQ(gates::ToJson(*again), written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static const PodPtr plain = MakePod("unused", "");
  Specs(text, *plain);
  Sets(text, *plain);
  Networks(text);
  Annotations(text);
  return 0;
}
