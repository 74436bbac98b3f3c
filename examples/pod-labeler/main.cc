// SPDX-License-Identifier: Apache-2.0
// pod-labeler gives each Pod with the annotation example.com/add-pod-name-label=true the label
// example.com/pod-name, so that a Service can select a single Pod. README.md explains the program.
#include <stop_token>
#include <string>
#include <utility>

#include "capstan/client/client.h"
#include "capstan/controller_runtime/builder.h"
#include "capstan/program/manager_program.h"

// All that the cache keeps of a Pod, beside its namespace, name, uid and version.
struct Pod {
  struct Annotations {
    std::string add_pod_name_label;
  };
  struct Labels {
    std::string pod_name;
  };
  struct Metadata {
    Annotations annotations;
    Labels labels;
  } metadata;
};
template <>
inline constexpr auto capstan::kKind<Pod> =
    Kind("", "v1", "Pod", "pods")
        .Namespaced()
        .MetadataOnly()
        .Metadata(Field("annotations", &Pod::Metadata::annotations,
                        Field("example.com/add-pod-name-label",
                              &Pod::Annotations::add_pod_name_label)),
                  Field("labels", &Pod::Metadata::labels,
                        Field("example.com/pod-name", &Pod::Labels::pod_name)));

// Returns the label that a Pod should have; empty: none. A label has at most 63 characters.
std::string WantedLabel(const capstan::TypedObject<Pod>& pod) {
  const bool wanted = pod.metadata.annotations.add_pod_name_label == "true";
  return wanted && pod.name().size() <= 63 ? std::string(pod.name()) : "";
}

bool NeedsPatch(const capstan::TypedObject<Pod>& pod) {
  return WantedLabel(pod) != pod.metadata.labels.pod_name;
}

capstan::Expected<void> Reconcile(capstan::Manager& manager, const std::stop_token& stop,
                                  const capstan::Request& request) {
  const auto pod = ListerFor<Pod>(manager).Get(request.String());  // from the cache
  if (pod == nullptr || !NeedsPatch(*pod)) return {};
  const std::string label = WantedLabel(*pod);  // a Pod's name needs no escapes in JSON
  const auto patch = capstan::Patch::Merge(R"({"metadata":{"labels":{"example.com/pod-name":)" +
                                           (label.empty() ? "null" : '"' + label + '"') + "}}}");
  const auto patched = capstan::Client<Pod>(manager.client()).Patch(stop, request, patch);
  if (!patched && !IsNotFound(patched.error())) return Err(patched.error());  // it is retried
  return {};
}

int main(int argc, char** argv) {
  const auto set_up = [](capstan::Manager& manager) {
    return ControllerFor<Pod>(manager, NeedsPatch)
        .Reconcile([&](const std::stop_token& stop, const capstan::Request& request) {
          return Reconcile(manager, stop, request);
        });
  };
  return capstan::RunManager(argc, argv,
                             {.name = "pod-labeler", .set_up = set_up, .leader_elect = false});
}
