// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/gated_pods.h"

#include <string>

#include "capstan/testing/require.h"
#include "controllers/readinessgate/gates/objects.h"
#include "controllers/readinessgate/gates/protocol.h"

namespace capstan::cmd::capstan_demo {

void GatedPods::Create(int count) {
  // The grace period is 0 because no kubelet confirms the deletion.
  const std::string members =
      R"("spec":{"nodeName":")" + std::string(kDemoNode) +
      R"(","terminationGracePeriodSeconds":0,"automountServiceAccountToken":false,)"
      R"("containers":[{"name":"c","image":"capstan.example.com/never-pulled"}],)"
      R"("volumes":[{"name":"tls","csi":{"driver":"csi.cert-manager.io","readOnly":true}}]})";
  ForEach(ns_.stop, count,
          [&](int i) { ns_.Create(PodType(), Numbered("gated-", count_ + i), members); });
  count_ += count;
}

void GatedPods::GiveAddresses() {
  ForEach(ns_.stop, count_ - with_address_, [&](int i) {
    const int number = with_address_ + i;
    // The range is reserved for documentation.
    const std::string address = "192.0.2." + std::to_string(1 + number % 254);
    const std::string patch =
        R"({"status":{"podIP":")" + address + R"(","podIPs":[{"ip":")" + address + R"("}]}})";
    testing::Value(
        ns_.client.Patch(ns_.stop, PodType(), {ns_.name, Numbered("gated-", number)},
                         rest::PatchType::kStrategicMerge, patch, {.subresource = "status"}),
        "failed to set the address of a Pod");
  });
  with_address_ = count_;
}

GatedPods::Counts GatedPods::Count() const {
  Counts counts;
  const auto count = [&](const runtime::ObjectPtr& object) {
    const auto& pod = static_cast<const readinessgate::Pod&>(*object);
    const auto ready = pod.Annotation(readinessgate::kReadyKey);
    if (pod.Annotation(readinessgate::kStatusKey)) ++counts.waiting;
    if (ready && readinessgate::IsReadyValueOf(*ready, pod.uid())) ++counts.open;
  };
  testing::Value(ns_.client.List(ns_.stop, PodType(), {.namespace_ = ns_.name}, count),
                 "failed to list the Pods");
  return counts;
}

}  // namespace capstan::cmd::capstan_demo
