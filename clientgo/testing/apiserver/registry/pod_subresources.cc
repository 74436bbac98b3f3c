// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/pod_subresources.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/testing/apiserver/decoding/strategies.h"
#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kEphemeral = "ephemeralcontainers";

void CheckNewContainers(const Place& spec, FieldRules& rules) {
  std::vector<std::string_view> others;
  for (const char* const list : {"containers", "initContainers"}) {
    for (const Place& container : spec[list].Items()) others.push_back(container["name"].Text());
  }
  std::vector<std::string_view> names = others;
  for (const Place& container : spec["ephemeralContainers"].Items()) {
    const Place name = container["name"];
    const bool named = rules.RequireText(name);
    const auto has = [](const std::vector<std::string_view>& list, std::string_view text) {
      return std::find(list.begin(), list.end(), text) != list.end();
    };
    if (named && has(names, name.Text())) rules.Duplicate(name);
    names.push_back(name.Text());
    const Place target = container["targetContainerName"];
    if (!target.Text().empty() && !has(others, target.Text())) rules.Missing(target);
    rules.RequireText(container["image"]);
    for (const char* const key : {"ports", "livenessProbe", "readinessProbe", "startupProbe",
                                  "lifecycle", "restartPolicy"}) {
      if (container[key].Given()) {
        rules.Forbidden(container[key], "cannot be set for an Ephemeral Container");
      }
    }
  }
}

void CheckEphemeral(const Place& live, const Place& next, FieldRules& rules) {
  CheckNewContainers(next, rules);
  const Place list = next["ephemeralContainers"];
  const auto items = list.Items();
  for (const Place& before : live["ephemeralContainers"].Items()) {
    const std::string_view name = before["name"].Text();
    const std::string text =
        "existing ephemeral containers \"" + std::string(name) + "\" may not be ";
    const auto after = std::find_if(items.begin(), items.end(),
                                    [&](const Place& item) { return item["name"].Text() == name; });
    if (after == items.end()) {
      rules.Forbidden(list, text + "removed\n");
    } else if (after->value() != before.value()) {
      rules.Forbidden(list, text + "changed\n");
    }
  }
}

// Reports whether the two requirements have the same of everything but CPU and memory.
bool DiffersInComputeOnly(const Place& live, const Place& next) {
  const auto differs = [](const Place& one, const Place& other) {
    const auto keys = one.Keys();
    return std::any_of(keys.begin(), keys.end(), [&](const Place& key) {
      const std::string_view name = key.Text();
      return name != "cpu" && name != "memory" &&
             one.Entry(name).value() != other.Entry(name).value();
    });
  };
  return !differs(live["requests"], next["requests"]) &&
         !differs(next["requests"], live["requests"]) && !differs(live["limits"], next["limits"]) &&
         !differs(next["limits"], live["limits"]);
}

void CheckResize(const runtime::JsonDocument& live_pod, const runtime::JsonDocument& next_pod,
                 FieldRules& rules) {
  const Place live(ObjectAt(live_pod, "spec"), "spec");
  const Place next(ObjectAt(next_pod, "spec"), "spec");
  if (QualityOfService(next.value()) != QualityOfService(live.value())) {
    rules.InvalidText(Place(ObjectAt(next_pod, "status"), "")["qosClass"].At("spec"),
                      "Pod QOS Class may not change as a result of resizing");
  }
  const auto before = live["containers"].Items();
  const auto after = next["containers"].Items();
  if (before.size() != after.size()) {
    return rules.Forbidden(next["containers"], "containers may not be added or removed on resize");
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Place was = before[i]["resources"];
    const Place is = after[i]["resources"];
    for (const char* const kind : {"requests", "limits"}) {
      if (was[kind].Keys().size() <= is[kind].Keys().size()) continue;
      rules.Forbidden(is[kind], "resource " + std::string(kind) + " cannot be removed");
    }
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (DiffersInComputeOnly(before[i]["resources"], after[i]["resources"])) continue;
    return rules.Forbidden(next, "only cpu and memory resources are mutable");
  }
}

// Copies the member, or removes it when `from` does not have it.
void TakeMember(const runtime::JsonValue& from, runtime::JsonValue& to, std::string_view key,
                JsonAllocator& allocator) {
  const runtime::JsonValue* const value = runtime::Find(from, key);
  if (value == nullptr) return Remove(to, key);
  Set(to, key, runtime::JsonValue(*value, allocator), allocator);
}

void TakeResources(const runtime::JsonValue& next, runtime::JsonDocument& pod) {
  for (const char* const list : {"containers", "initContainers"}) {
    runtime::JsonValue* const containers = FindMutablePath(pod, {"spec", list});
    if (containers == nullptr || !containers->IsArray()) continue;
    for (const runtime::JsonValue& given : ListAt(ObjectAt(next, "spec"), list).GetArray()) {
      for (runtime::JsonValue& container : containers->GetArray()) {
        if (runtime::GetString(container, "name") != runtime::GetString(given, "name")) continue;
        TakeMember(given, container, "resources", pod.GetAllocator());
        TakeMember(given, container, "resizePolicy", pod.GetAllocator());
      }
    }
  }
}

}  // namespace

bool IsPodSubresource(const Resource& resource, std::string_view subresource) {
  return resource.pods && (subresource == kEphemeral || subresource == "resize");
}

Result<Document> TakeFromPod(const runtime::JsonDocument& live, const runtime::JsonDocument& next,
                             std::string_view subresource) {
  auto pod = std::make_unique<runtime::JsonDocument>();
  pod->CopyFrom(live, pod->GetAllocator());
  std::vector<Cause> causes;
  FieldRules rules(causes);
  if (subresource == kEphemeral) {
    TakeMember(ObjectAt(next, "spec"), *FindMutable(*pod, "spec"), "ephemeralContainers",
               pod->GetAllocator());
    CheckEphemeral(Place(ObjectAt(live, "spec"), "spec"), Place(ObjectAt(*pod, "spec"), "spec"),
                   rules);
  } else {
    CheckResize(live, next, rules);
    TakeResources(next, *pod);
  }
  if (causes.empty()) return pod;
  return tl::unexpected(
      Invalid(*FindResource("", "v1", "pods"), Metadata(live, "name"), std::move(causes)));
}

}  // namespace capstan::testing::apiserver
