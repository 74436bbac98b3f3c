// SPDX-License-Identifier: Apache-2.0
// pod-labeler gives each Pod with the annotation example.com/add-pod-name-label=true the label
// example.com/pod-name, so that a Service can select a single Pod. README.md explains the program.
#include <stop_token>

#include "capstan/builder.h"
#include "capstan/client.h"
#include "capstan/controller_util.h"
#include "capstan/log.h"
#include "capstan/manager_program.h"

struct Pod {
  capstan::ObjectMeta metadata;
};
template <>
inline constexpr auto capstan::kKind<Pod> =
    Kind("", "v1", "Pod", "pods").Namespaced().MetadataOnly();

constexpr char kLabel[] = "example.com/pod-name";

bool WantsLabel(const Pod& pod) {
  const auto found = pod.metadata.annotations.find("example.com/add-pod-name-label");
  return found != pod.metadata.annotations.end() && found->second == "true";
}

bool HasOrWantsLabel(const Pod& pod) {
  return WantsLabel(pod) || pod.metadata.labels.contains(kLabel);
}

// Returns the Pod as it should be. The value of a label has at most 63 characters.
Pod Labelled(Pod pod) {
  pod.metadata.labels.erase(kLabel);
  if (WantsLabel(pod) && pod.metadata.name.size() <= 63) {
    pod.metadata.labels[kLabel] = pod.metadata.name;
  }
  return pod;
}

capstan::Expected<void> Reconcile(capstan::Manager& manager, const std::stop_token& stop,
                                  const capstan::Request& request) {
  const auto pod = ListerFor<Pod>(manager).Get(request.String());  // from the cache
  if (pod == nullptr) return {};
  const Pod wanted = Labelled(*pod);
  if (WantsLabel(*pod) && !wanted.metadata.labels.contains(kLabel)) {
    capstan::WarningS("Name is too long for a label", "pod", request.String());
    manager.events().Event(capstan::ReferenceTo(*pod), "Warning", "NameTooLong",
                           "The name has more than 63 characters, so it cannot be a label");
  }
  const auto patch = capstan::MergeFrom(*pod, wanted);
  if (patch.IsEmpty()) return {};
  return capstan::IgnoreNotFound(
      capstan::Client<Pod>(manager.client()).Patch(stop, request, patch));
}

int main(int argc, char** argv) {
  const auto set_up = [](capstan::Manager& manager) {
    return ControllerFor<Pod>(manager, HasOrWantsLabel).Reconcile(Reconcile);
  };
  return capstan::RunManager(argc, argv,
                             {.name = "pod-labeler", .set_up = set_up, .leader_elect = false});
}
