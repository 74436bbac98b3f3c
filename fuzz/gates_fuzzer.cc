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

using clientgo::api::ConfigMap;
using clientgo::api::ConfigMapPtr;
using clientgo::api::PackedStringMap;
using clientgo::runtime::JsonDocument;
using clientgo::runtime::JsonValue;
using controllers::readinessgate::Evaluation;
using controllers::readinessgate::GateSet;
using controllers::readinessgate::NodePtr;
using controllers::readinessgate::Pod;
using controllers::readinessgate::PodPtr;

constexpr std::string_view kUid = "0f1e2d3c-4b5a-4968-8776-655443322110";

class EmptyCluster final : public controllers::readinessgate::ClusterReader {
 public:
  clientgo::util::Expected<NodePtr> OwnNode() const override { return nullptr; }
  clientgo::util::Expected<ConfigMapPtr> FindConfigMap(
      const clientgo::runtime::ObjectKey& /*key*/) const override {
    return clientgo::util::Err(clientgo::util::ErrorReason::kNotFound, "not found");
  }
};

// Returns a pod with `text` as its only annotation.
PodPtr MakePod(const std::string& key, std::string_view text) {
  JsonDocument annotations(clientgo::runtime::rapidjson::kObjectType);
  annotations.AddMember(
      JsonValue(key.c_str(), annotations.GetAllocator()),
      JsonValue(text.data(), static_cast<clientgo::runtime::rapidjson::SizeType>(text.size()),
                annotations.GetAllocator()),
      annotations.GetAllocator());
  const auto keys = std::make_shared<const PackedStringMap::Keys>(PackedStringMap::Keys{key});
  return clientgo::runtime::MakeObject<Pod>(
      clientgo::runtime::ObjectMeta{
          .namespace_ = "ns", .name = "n", .uid = kUid, .resource_version = "7"},
      Pod::Fields{.annotations = {keys, &annotations}, .labels = {keys, nullptr}});
}

Evaluation Evaluate(const GateSet& set, const Pod& pod) {
  static const EmptyCluster cluster;
  Evaluation evaluation =
      controllers::readinessgate::Evaluate(set, {.pod = pod, .cluster = cluster, .now = {}});
  for (const auto& [gate, verdict] : evaluation.results) {
    CHECK(!verdict.reason.empty() && verdict.reason.size() <= 64);
    CHECK_LE(verdict.message.size(), controllers::readinessgate::kGateMessageBytesMax);
  }
  return evaluation;
}

void Specs(const std::string& text, const Pod& pod) {
  const auto set = controllers::readinessgate::ParseGateSet("", {text});
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
  const auto map = clientgo::runtime::MakeObject<ConfigMap>(
      {.namespace_ = "ns", .name = "n", .uid = {}, .resource_version = {}},
      ConfigMap::Data{{"set", text}});
  const auto sets = controllers::readinessgate::ParseGateSets(*map);
  if (!sets) {
    CHECK(sets.error().message.starts_with("ConfigMap ns/n: gate set \"set\""));
    CHECK_LE(sets.error().message.size(), 1000U);
    return;
  }
  const GateSet& set = *sets->at("set");
  CHECK(!set.gates().empty());
  CHECK_LE(set.gates().size(), controllers::readinessgate::kGatesMax);
  Evaluate(set, pod);
  const auto again = controllers::readinessgate::ParseGateSets(*map, *sets);
  CHECK(again.has_value());
  CHECK_EQ(again->at("set")->generation(), set.generation());
}

void Networks(std::string_view text) {
  static const auto set = controllers::readinessgate::ParseGateSet(
      "", {"network-status:a", "network-status:a/any", "network-status:ns/a/ipv6"});
  for (const std::string key :
       {"k8s.v1.cni.cncf.io/network-status", "k8s.v1.cni.cncf.io/networks-status"}) {
    const Evaluation evaluation = Evaluate(**set, *MakePod(key, text));
    // A network with an address is also attached.
    CHECK(evaluation.results[0].verdict.open || !evaluation.results[1].verdict.open);
  }
}

void Annotations(std::string_view text) {
  namespace gates = controllers::readinessgate;
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
