// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/strategies.h"

#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/quantity.h"
#include "clientgo/testing/apiserver/decoding/fields.h"
#include "clientgo/testing/apiserver/types/amounts.h"

namespace capstan::testing::apiserver {
namespace {

using MilliAmounts = std::map<std::string_view, std::int64_t>;  // in thousandths

// Adds the CPU and memory in `list` that are more than 0. Returns how many there are.
std::size_t AddCompute(const runtime::JsonValue& list, MilliAmounts& total) {
  std::size_t found = 0;
  for (const std::string_view name : {"cpu", "memory"}) {
    const auto quantity = Quantity::Parse(runtime::GetString(list, name));
    if (!quantity || *quantity <= Quantity()) continue;
    total[name] = SaturatingSum(total[name], quantity->milli());
    ++found;
  }
  return found;
}

std::int64_t TemplateGeneration(const runtime::JsonValue& set) {
  const std::string_view text =
      runtime::GetString(ObjectAt(ObjectAt(set, "metadata"), "annotations"), kTemplateGeneration);
  std::int64_t generation = 0;
  std::from_chars(text.data(), text.data() + text.size(), generation);
  return generation;
}

void SetTemplateGeneration(runtime::JsonDocument& set, std::int64_t generation) {
  Fields(set)["metadata"]["annotations"].Put(kTemplateGeneration, std::to_string(generation));
}

// The two fields for what a claim is filled from have the same value, unless that is in another
// namespace.
void NameDataSource(runtime::JsonDocument& claim, bool is_new) {
  const Fields spec = Fields(claim)["spec"];
  if (is_new && !spec.Has("dataSourceRef")) {
    // The older field ignores other kinds than these.
    const runtime::JsonValue& given = ObjectAt(spec.value(), "dataSource");
    const std::string_view group = runtime::GetString(given, "apiGroup");
    const std::string_view kind = runtime::GetString(given, "kind");
    const bool known = (kind == "PersistentVolumeClaim" && group.empty()) ||
                       (kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io");
    if (!known) spec.Drop("dataSource");
  }
  const auto source = spec.Find("dataSource");
  const auto reference = spec.Find("dataSourceRef");
  if (source && !reference) spec.Put("dataSourceRef", source->value());
  if (reference && !source && reference->Text("namespace").empty()) {
    spec.Put("dataSource", reference->value());
    spec["dataSource"].Drop("namespace");
  }
}

const runtime::JsonValue& TemplateOf(const runtime::JsonValue& object) {
  return ObjectAt(ObjectAt(object, "spec"), "template");
}

}  // namespace

std::string_view QualityOfService(const runtime::JsonValue& spec) {
  MilliAmounts requests;
  MilliAmounts limits;
  bool all_limited = true;
  const auto add = [&](const runtime::JsonValue& resources) {
    AddCompute(ObjectAt(resources, "requests"), requests);
    if (AddCompute(ObjectAt(resources, "limits"), limits) < 2) all_limited = false;
  };
  if (const runtime::JsonValue* const of_pod = runtime::Find(spec, "resources")) {
    add(*of_pod);
  } else {
    for (const char* const key : {"containers", "initContainers"}) {
      for (const runtime::JsonValue& container : ListAt(spec, key).GetArray()) {
        add(ObjectAt(container, "resources"));
      }
    }
  }
  if (requests.empty() && limits.empty()) return "BestEffort";
  return all_limited && requests == limits ? "Guaranteed" : "Burstable";
}

void CleanSecretReferences(runtime::JsonDocument& account) {
  std::vector<Json> names;
  for (const Fields& secret : Fields(account).Items("secrets")) {
    const std::string name = secret.Text("name");
    names.push_back(name.empty() ? Json::Object() : Json{{"name", name}});
  }
  if (!names.empty()) Fields(account).Put("secrets", Json::List(names));
}

void CleanSecretReferencesOfUpdate(const runtime::JsonValue& /*live*/,
                                   runtime::JsonDocument& account) {
  CleanSecretReferences(account);
}

void ActivateUpdatedNamespace(const runtime::JsonValue& /*live*/, runtime::JsonDocument& ns) {
  Fields(ns)["status"].DefaultText({{"phase", "Active"}});
}

void ActivateNamespace(runtime::JsonDocument& ns) {
  Fields(ns)["status"].Default({{"phase", "Active"}});
  const Fields spec = Fields(ns)["spec"];
  if (!HasText(TextsAt(spec.value(), "finalizers"), "kubernetes")) {
    spec.Append("finalizers", "kubernetes");
  }
}

void MakePodPending(runtime::JsonDocument& pod) {
  const Fields status = Fields(pod)["status"];
  const runtime::JsonValue& spec = ObjectAt(pod, "spec");
  const bool gated = !ListAt(spec, "schedulingGates").Empty() && !status.Has("conditions");
  status.Default({{"phase", "Pending"}, {"qosClass", QualityOfService(spec)}});
  if (!gated) return;
  status.Append("conditions", {{"type", "PodScheduled"},
                               {"status", "False"},
                               {"lastProbeTime", nullptr},
                               {"lastTransitionTime", NowText()},
                               {"reason", "SchedulingGated"},
                               {"message",
                                "Scheduling is blocked due to non-empty scheduling "
                                "gates"}});
}

void MakeClaimPending(runtime::JsonDocument& claim) {
  NameDataSource(claim, true);
  Fields(claim)["status"].Default({{"phase", "Pending"}});
}

void NameDataSourceOfUpdate(const runtime::JsonValue& /*live*/, runtime::JsonDocument& claim) {
  NameDataSource(claim, false);
  Fields(claim)["status"].DefaultText({{"phase", "Pending"}});
}

void MakeVolumePending(runtime::JsonDocument& volume) {
  Fields(volume)["status"].Default({{"phase", "Pending"}, {"lastPhaseTransitionTime", NowText()}});
}

void StampPhaseOfVolume(const runtime::JsonValue& live, runtime::JsonDocument& volume) {
  constexpr const char* kTime = "lastPhaseTransitionTime";
  const Fields status = Fields(volume)["status"];
  status.DefaultText({{"phase", "Pending"}});
  const runtime::JsonValue& before = ObjectAt(live, "status");
  const std::string_view old_time = runtime::GetString(before, kTime);
  const bool same = runtime::GetString(before, "phase") == status.Text("phase");
  if (same && !old_time.empty()) status.DefaultText({{kTime, old_time}});
  if (!same && (status.Text(kTime).empty() || status.Text(kTime) == old_time)) {
    status.Put(kTime, NowText());
  }
}

void KeepQualityOfService(const runtime::JsonValue& live, runtime::JsonDocument& pod) {
  const std::string_view quality = runtime::GetString(ObjectAt(live, "status"), "qosClass");
  if (!quality.empty()) Fields(pod)["status"].DefaultText({{"qosClass", quality}});
}

void PrepareSigningRequest(const runtime::JsonValue& live, runtime::JsonDocument& request) {
  auto& allocator = request.GetAllocator();
  Set(request, "spec", runtime::JsonValue(ObjectAt(live, "spec"), allocator), allocator);
  const auto status = Fields(request).Find("status");
  if (!status) return;
  for (const Fields& condition : status->Items("conditions")) {
    condition.DefaultText({{"lastUpdateTime", NowText()}});
    if (condition.Has("lastTransitionTime")) continue;
    // A condition keeps the time at which its status changed.
    Json time = NowText();
    for (const runtime::JsonValue& before :
         ListAt(ObjectAt(live, "status"), "conditions").GetArray()) {
      const bool same = runtime::GetString(before, "type") == condition.Text("type") &&
                        runtime::GetString(before, "status") == condition.Text("status");
      const std::string_view at = runtime::GetString(before, "lastTransitionTime");
      if (same && !at.empty()) time = at;
    }
    condition.Put("lastTransitionTime", time);
  }
}

void SelectPodsOfJob(runtime::JsonDocument& job) {
  const Fields spec = Fields(job)["spec"];
  const runtime::JsonValue* const manual = runtime::Find(spec.value(), "manualSelector");
  if (manual != nullptr && manual->IsTrue()) return;
  const std::string name(Metadata(job, "name"));
  const std::string uid(Metadata(job, "uid"));
  spec["template"]["metadata"]["labels"].Default({{"batch.kubernetes.io/controller-uid", uid},
                                                  {"batch.kubernetes.io/job-name", name},
                                                  {"controller-uid", uid},
                                                  {"job-name", name}});
  spec["selector"]["matchLabels"].Default({{"batch.kubernetes.io/controller-uid", uid}});
}

void CountTemplate(runtime::JsonDocument& set) {
  if (TemplateGeneration(set) < 1) SetTemplateGeneration(set, 1);
}

void CountTemplateChange(const runtime::JsonValue& live, runtime::JsonDocument& set) {
  const std::int64_t changed = TemplateOf(live) == TemplateOf(set) ? 0 : 1;
  SetTemplateGeneration(set, TemplateGeneration(live) + changed);
}

}  // namespace capstan::testing::apiserver
