// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/gated_pods.h"

#include <utility>

#include "capstan/clock.h"
#include "cmd/capstan-demo/cluster.h"
#include "controllers/readinessgate/gates/objects.h"
#include "controllers/readinessgate/gates/protocol.h"

namespace capstan::cmd::capstan_demo {
namespace {

const runtime::ResourceType& PodType() {
  static const runtime::ResourceType type =
      readinessgate::MakePodType({.annotations = {std::string(readinessgate::kReadyKey),
                                                  std::string(readinessgate::kStatusKey)}});
  return type;
}

// The grace period is 0 because no kubelet confirms the deletion.
std::string PodJson(const runtime::ObjectKey& key) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + key.name +
         R"(","namespace":")" + key.namespace_ + R"("},"spec":{"nodeName":")" + kDemoNode +
         R"(","terminationGracePeriodSeconds":0,"automountServiceAccountToken":false,)" +
         R"("containers":[{"name":"c","image":"capstan.example.com/never-pulled"}],)" +
         R"("volumes":[{"name":"tls","csi":{"driver":"csi.cert-manager.io","readOnly":true}}]}})";
}

// Returns an address of the range that is reserved for documentation.
std::string AddressPatch(int number) {
  const std::string address = "192.0.2." + std::to_string(1 + number % 254);
  return R"({"status":{"podIP":")" + address + R"(","podIPs":[{"ip":")" + address + R"("}]}})";
}

}  // namespace

Expected<void> GatedPods::Create(const std::stop_token& stop, int count) {
  const auto create = [&](const std::stop_token& group, int i) -> Expected<void> {
    const runtime::ObjectKey key{ns_, Numbered("gated-", i)};
    auto made = client_.Create(group, PodType(), ns_, PodJson(key));
    if (!made) return Err(made.error().Wrap("failed to create Pod " + key.String()));
    return {};
  };
  // Pods are forbidden until a new namespace has its service account.
  auto& clock = Clock::Real();
  const auto deadline = clock.Now() + std::chrono::seconds(30);
  const int first = count_;
  auto made = create(stop, first);
  while (!made && IsForbidden(made.error()) && clock.Now() < deadline &&
         clock.SleepFor(stop, std::chrono::milliseconds(200))) {
    made = create(stop, first);
  }
  if (!made) return made;
  count_ += count;
  return ForEach(stop, count - 1,
                 [&](const std::stop_token& group, int i) { return create(group, first + 1 + i); });
}

Expected<void> GatedPods::GiveAddresses(const std::stop_token& stop) {
  const int first = std::exchange(with_address_, count_);
  return ForEach(stop, count_ - first, [&](const std::stop_token& group, int i) -> Expected<void> {
    const runtime::ObjectKey key{ns_, Numbered("gated-", first + i)};
    auto written = client_.Patch(group, PodType(), key, rest::PatchType::kStrategicMerge,
                                 AddressPatch(first + i), {.subresource = "status"});
    if (!written) return Err(written.error().Wrap("failed to set the address of " + key.String()));
    return {};
  });
}

Expected<GatedPods::Counts> GatedPods::Count(const std::stop_token& stop) {
  Counts counts;
  const auto count = [&](const runtime::ObjectPtr& object) {
    const auto& pod = static_cast<const readinessgate::Pod&>(*object);
    const auto ready = pod.Annotation(readinessgate::kReadyKey);
    if (pod.Annotation(readinessgate::kStatusKey)) ++counts.waiting;
    if (ready && readinessgate::IsReadyValueOf(*ready, pod.uid())) ++counts.open;
  };
  auto listed = client_.List(stop, PodType(), {.namespace_ = ns_}, count);
  if (!listed) return Err(listed.error().Wrap("failed to list the pods"));
  return counts;
}

Expected<void> GatedPods::CleanUp(const std::stop_token& stop) {
  Expected<void> first_error;
  for (int i = 0; i < count_; ++i) {
    auto gone = client_.Delete(stop, PodType(), {ns_, Numbered("gated-", i)});
    if (!gone && !IsNotFound(gone.error()) && first_error) first_error = std::move(gone);
  }
  return first_error;
}

}  // namespace capstan::cmd::capstan_demo
