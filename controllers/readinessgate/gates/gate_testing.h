// SPDX-License-Identifier: Apache-2.0
// Test support: a pod from JSON as the API server sends it, a World of maps, and one question.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/api/decode_testing.h"
#include "controllers/readinessgate/gates/gate.h"

namespace controllers::readinessgate {

class FakeWorld final : public World {
 public:
  clientgo::util::Expected<std::shared_ptr<const clientgo::api::Node>> OwnNode() const override {
    if (failure_) return clientgo::util::Err(*failure_);
    return node_;
  }
  clientgo::util::Expected<std::shared_ptr<const clientgo::api::ConfigMap>> FindConfigMap(
      const clientgo::runtime::ObjectKey& key) const override {
    if (failure_) return clientgo::util::Err(*failure_);
    const auto found = config_maps_.find(key.String());
    if (found == config_maps_.end()) {
      return clientgo::util::Err(clientgo::util::ErrorReason::kNotFound, "not found");
    }
    return found->second;
  }

  // `conditions`: the elements of status.conditions.
  void SetNode(const std::string& conditions) {
    node_ = clientgo::api::MustDecode<clientgo::api::Node>(
        clientgo::api::Node::Type(),
        R"({"kind":"Node","metadata":{"name":"a"},"status":{"conditions":[)" + conditions + "]}}");
  }
  void SetConfigMap(const std::string& ns, const std::string& name,
                    clientgo::api::ConfigMap::Data data) {
    config_maps_[ns + "/" + name] = std::make_shared<const clientgo::api::ConfigMap>(
        clientgo::runtime::ObjectMeta{
            .namespace_ = ns, .name = name, .uid = {}, .resource_version = {}},
        std::move(data));
  }
  void DeleteConfigMap(const std::string& key) { config_maps_.erase(key); }
  // Nothing can be read, because of `why`.
  void Fail(const std::string& why) {
    failure_ = clientgo::util::Error{.reason = clientgo::util::ErrorReason::kServiceUnavailable,
                                     .message = why};
  }

 private:
  std::shared_ptr<const clientgo::api::Node> node_;
  std::map<std::string, std::shared_ptr<const clientgo::api::ConfigMap>> config_maps_;
  std::optional<clientgo::util::Error> failure_;
};

// What a test says of a pod: members of metadata and of the pod, in JSON.
struct PodJson {
  std::string metadata = {};  // R"("annotations":{"a":"b"})"
  std::string members = {};   // R"("status":{"phase":"Running"})"
  std::string uid = "0f1e2d3c-0000-4000-8000-000000000001";
};

// A pod "ns/n" of which what `needs` names is kept.
inline std::shared_ptr<const clientgo::api::Pod> MakePod(const PodJson& json,
                                                         const GateNeeds& needs = {}) {
  const auto separated = [](const std::string& text) { return text.empty() ? "" : "," + text; };
  return clientgo::api::MustDecode<clientgo::api::Pod>(
      clientgo::api::MakePodType(
          {.annotations = {needs.annotations.begin(), needs.annotations.end()},
           .labels = {needs.labels.begin(), needs.labels.end()}}),
      R"({"kind":"Pod","metadata":{"namespace":"ns","name":"n","resourceVersion":"7","uid":")" +
          json.uid + '"' + separated(json.metadata) + "}" + separated(json.members) + "}");
}

// The gate, which must parse.
inline std::unique_ptr<const Gate> MustParse(std::string_view spec) {
  auto gate = ParseGate(spec);
  if (gate) return *std::move(gate);
  ADD_FAILURE() << spec << ": " << gate.error().message;
  return nullptr;
}

inline Verdict Ask(const Gate& gate, const PodJson& json, const World& world = FakeWorld(),
                   clientgo::util::Clock::TimePoint now = {}) {
  GateNeeds needs;
  gate.AddNeeds(needs);
  const auto pod = MakePod(json, needs);
  return gate.Evaluate({.pod = *pod, .world = world, .now = now});
}
inline Verdict Ask(std::string_view spec, const PodJson& json, const World& world = FakeWorld()) {
  const auto gate = MustParse(spec);
  return gate == nullptr ? Verdict{} : Ask(*gate, json, world);
}

// What is wrong with that spec; a failed expectation when nothing is.
inline std::string ErrorOf(std::string_view spec) {
  const auto gate = ParseGate(spec);
  if (!gate) {
    EXPECT_EQ(gate.error().reason, clientgo::util::ErrorReason::kInvalidArgument);
    return gate.error().message;
  }
  ADD_FAILURE() << spec << " parses";
  return {};
}

}  // namespace controllers::readinessgate
