// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/printers/kind_cells.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/printers/human_duration.h"
#include "clientgo/testing/apiserver/printers/label_text.h"

namespace capstan::testing::apiserver {
namespace cells {
namespace {

using Value = runtime::JsonValue;
using Texts = std::vector<std::string>;

constexpr std::string_view kNone = "<none>";
constexpr std::string_view kUnknown = "<unknown>";

const Value& SpecOf(const Value& object) { return ObjectAt(object, "spec"); }
const Value& StatusOf(const Value& object) { return ObjectAt(object, "status"); }

std::string Number(const Value& object, std::string_view key, std::string_view otherwise = "0") {
  const Value* const value = runtime::Find(object, key);
  return value != nullptr && value->IsInt64() ? std::to_string(value->GetInt64())
                                              : std::string(otherwise);
}

std::string Or(std::string_view text, std::string_view otherwise) {
  return std::string(text.empty() ? otherwise : text);
}

Texts Strings(const Value& list) {
  Texts texts;
  for (const Value& item : list.GetArray()) {
    if (item.IsString()) texts.emplace_back(runtime::ToView(item));
  }
  return texts;
}

// Returns at most `most` of the texts: "a,b,c + 2 more...".
std::string WithMore(const Texts& texts, std::size_t most, const char* separator = ",") {
  const Texts shown(texts.begin(),
                    texts.begin() + static_cast<std::ptrdiff_t>(std::min(most, texts.size())));
  std::string text = Join(shown, separator);
  if (texts.size() <= most) return text;
  return text + " + " + std::to_string(texts.size() - most) + " more...";
}

std::string Phase(const Value& object) {
  if (!Metadata(object, "deletionTimestamp").empty()) return "Terminating";
  return StringAt(StatusOf(object), "phase");
}

std::string AccessModes(const Value& list) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kModes = {
      {{"ReadWriteOnce", "RWO"},
       {"ReadOnlyMany", "ROX"},
       {"ReadWriteMany", "RWX"},
       {"ReadWriteOncePod", "RWOP"}}};
  const Texts given = Strings(list);
  Texts shown;
  for (const auto& [mode, text] : kModes) {
    if (std::find(given.begin(), given.end(), mode) != given.end()) shown.emplace_back(text);
  }
  return Join(shown, ",");
}

bool IsBound(const Value& claim) { return !StringAt(SpecOf(claim), "volumeName").empty(); }

std::string ClaimOf(const Value& volume) {
  const Value* const claim = runtime::Find(SpecOf(volume), "claimRef");
  if (claim == nullptr) return "";
  return StringAt(*claim, "namespace") + "/" + StringAt(*claim, "name");
}

std::string DefaultMark(const Value& storage_class) {
  const Value& annotations = ObjectAt(ObjectAt(storage_class, "metadata"), "annotations");
  const bool is_default =
      StringAt(annotations, "storageclass.kubernetes.io/is-default-class") == "true" ||
      StringAt(annotations, "storageclass.beta.kubernetes.io/is-default-class") == "true";
  return std::string(Metadata(storage_class, "name")) + (is_default ? " (default)" : "");
}

std::string EndpointsText(const Value& endpoints) {
  Texts all;
  for (const Value& subset : ListAt(endpoints, "subsets").GetArray()) {
    const Value& ports = ListAt(subset, "ports");
    const Value& addresses = ListAt(subset, "addresses");
    if (ports.Empty()) {
      for (const Value& address : addresses.GetArray()) all.push_back(StringAt(address, "ip"));
    }
    for (const Value& port : ports.GetArray()) {
      for (const Value& address : addresses.GetArray()) {
        const std::string ip = StringAt(address, "ip");
        const bool bracket = ip.find(':') != std::string::npos;
        all.push_back((bracket ? "[" + ip + "]" : ip) + ":" + Number(port, "port"));
      }
    }
  }
  return ListAt(endpoints, "subsets").Empty() ? std::string(kNone) : WithMore(all, 3);
}

std::string SlicePorts(const Value& slice) {
  Texts all;
  for (const Value& port : ListAt(slice, "ports").GetArray()) {
    const Value* const name = runtime::Find(port, "name");
    all.push_back(Number(port, "port", name == nullptr ? "*" : StringAt(port, "name")));
  }
  return all.empty() ? "<unset>" : WithMore(all, 3);
}

std::string SliceEndpoints(const Value& slice) {
  Texts all;
  for (const Value& endpoint : ListAt(slice, "endpoints").GetArray()) {
    for (std::string& address : TextsAt(endpoint, "addresses")) {
      all.push_back(std::move(address));
    }
  }
  return all.empty() ? "<unset>" : WithMore(all, 3);
}

std::string Hosts(const Value& ingress) {
  Texts hosts;
  const Value& rules = ListAt(SpecOf(ingress), "rules");
  constexpr std::size_t kMost = 3;
  for (const Value& rule : rules.GetArray()) {
    const std::string host = StringAt(rule, "host");
    if (hosts.size() == kMost) {
      return Join(hosts, ",") + " + " + std::to_string(rules.Size() - kMost) + " more...";
    }
    if (!host.empty()) hosts.push_back(host);
  }
  return Or(Join(hosts, ","), "*");
}

std::string BalancerAddresses(const Value& ingress) {
  std::set<std::string> addresses;
  for (const Value& one :
       ListAt(ObjectAt(StatusOf(ingress), "loadBalancer"), "ingress").GetArray()) {
    const std::string address = Or(StringAt(one, "ip"), StringAt(one, "hostname"));
    if (!address.empty()) addresses.insert(address);
  }
  constexpr std::size_t kWidth = 16;
  std::string text = Join(addresses, ",");
  if (text.size() > kWidth) text = text.substr(0, kWidth - 3) + "...";
  return text;
}

std::string IngressPorts(const Value& ingress) {
  return ListAt(SpecOf(ingress), "tls").Empty() ? "80" : "80, 443";
}

std::string ClassParameters(const Value& ingress_class) {
  const Value* const parameters = runtime::Find(SpecOf(ingress_class), "parameters");
  if (parameters == nullptr) return std::string(kNone);
  const Value* const group = runtime::Find(*parameters, "apiGroup");
  return StringAt(*parameters, "kind") +
         (group == nullptr ? "" : "." + StringAt(*parameters, "apiGroup")) + "/" +
         StringAt(*parameters, "name");
}

// Returns the amount in a metric's target or current value: "value", "averageValue"; or "".
std::string Amount(const Value& value, std::string_view key) { return StringAt(value, key); }

std::string Percent(const Value& value, std::string_view otherwise) {
  const std::string number = Number(value, "averageUtilization", "");
  return number.empty() ? std::string(otherwise) : number + "%";
}

// Returns "current/target" of one metric of a HorizontalPodAutoscaler.
std::string MetricText(const Value& metric, const Value& status) {
  const std::string type = StringAt(metric, "type");
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kMembers = {
      {{"External", "external"},
       {"Pods", "pods"},
       {"Object", "object"},
       {"Resource", "resource"},
       {"ContainerResource", "containerResource"}}};
  const auto* const member = std::find_if(kMembers.begin(), kMembers.end(),
                                          [&](const auto& one) { return one.first == type; });
  if (member == kMembers.end()) return "<unknown type>";
  const Value& source = ObjectAt(metric, member->second);
  const Value& target = ObjectAt(source, "target");
  const Value& current = ObjectAt(ObjectAt(status, member->second), "current");
  const std::string average = Amount(target, "averageValue");
  const std::string now = Or(Amount(current, "averageValue"), kUnknown);
  if (type == "Pods") return now + "/" + average;
  if (type == "External" || type == "Object") {
    if (!average.empty()) return now + "/" + average + " (avg)";
    return Or(Amount(current, "value"), kUnknown) + "/" + Amount(target, "value");
  }
  const std::string prefix = StringAt(source, "name") + ": ";
  if (!average.empty()) return prefix + now + "/" + average;
  return prefix + Percent(current, kUnknown) + "/" + Percent(target, "<auto>");
}

std::string Metrics(const Value& autoscaler) {
  const Value& metrics = ListAt(SpecOf(autoscaler), "metrics");
  const Value& statuses = ListAt(StatusOf(autoscaler), "currentMetrics");
  static const Value none;
  Texts all;
  for (rapidjson::SizeType i = 0; i < metrics.Size(); ++i) {
    all.push_back(MetricText(metrics[i], i < statuses.Size() ? statuses[i] : none));
  }
  return all.empty() ? std::string(kNone) : WithMore(all, 2, ", ");
}

// The same for autoscaling/v1, which has only the utilization of the CPU.
std::string CpuUtilization(const Value& autoscaler) {
  const std::string target = Number(SpecOf(autoscaler), "targetCPUUtilizationPercentage", "");
  const std::string now = Number(StatusOf(autoscaler), "currentCPUUtilizationPercentage", "");
  if (target.empty()) return std::string(kNone);
  return "cpu: " + (now.empty() ? std::string(kUnknown) : now + "%") + "/" + target + "%";
}

std::string ScaleTarget(const Value& autoscaler) {
  const Value& target = ObjectAt(SpecOf(autoscaler), "scaleTargetRef");
  return StringAt(target, "kind") + "/" + StringAt(target, "name");
}

std::string RequestStatus(const Value& request) {
  std::set<std::string> types;
  for (const Value& one : ListAt(StatusOf(request), "conditions").GetArray()) {
    types.insert(StringAt(one, "type"));
  }
  std::string status = types.contains("Denied")     ? "Denied"
                       : types.contains("Approved") ? "Approved"
                                                    : "Pending";
  if (types.contains("Failed")) status += ",Failed";
  if (!StringAt(StatusOf(request), "certificate").empty()) status += ",Issued";
  return status;
}

std::string RequestedDuration(const Value& request) {
  const Value* const seconds = runtime::Find(SpecOf(request), "expirationSeconds");
  if (seconds == nullptr || !seconds->IsInt64()) return std::string(kNone);
  return HumanDuration(std::chrono::seconds(seconds->GetInt64()));
}

std::string ControllerOf(const Value& object) {
  for (const Value& owner : ListAt(ObjectAt(object, "metadata"), "ownerReferences").GetArray()) {
    const Value* const controller = runtime::Find(owner, "controller");
    if (controller == nullptr || !controller->IsTrue()) continue;
    const std::string version = StringAt(owner, "apiVersion");
    const std::size_t slash = version.find('/');
    const std::string group = slash == std::string::npos ? "" : "." + version.substr(0, slash);
    return LowerAscii(StringAt(owner, "kind") + group) + "/" + StringAt(owner, "name");
  }
  return std::string(kNone);
}

// Returns the used and the allowed amounts of a quota, of limits or of all else.
std::string QuotaText(const Value& quota, bool limits) {
  const Value& hard = ObjectAt(StatusOf(quota), "hard");
  const Value& used = ObjectAt(StatusOf(quota), "used");
  std::map<std::string, std::string> sorted;
  for (const auto& member : hard.GetObject()) {
    const std::string name(runtime::ToView(member.name));
    if (name.starts_with("limits.") != limits) continue;
    sorted[name] = Or(StringAt(used, name), "0") + "/" + StringAt(hard, name);
  }
  return Join(sorted, ", ", [](const auto& one) { return one.first + ": " + one.second; });
}

std::string Audiences(const Value& driver) {
  const Value* const requests = runtime::Find(SpecOf(driver), "tokenRequests");
  if (requests == nullptr || !requests->IsArray()) return "<unset>";
  return Join(requests->GetArray(), ",",
              [](const Value& request) { return StringAt(request, "audience"); });
}

std::string LifecycleModes(const Value& driver) {
  return Or(Join(TextsAt(SpecOf(driver), "volumeLifecycleModes"), ","), kNone);
}

std::string Dangling(const Value& flow_schema) {
  for (const Value& condition : ListAt(StatusOf(flow_schema), "conditions").GetArray()) {
    if (StringAt(condition, "type") == "Dangling") return StringAt(condition, "status");
  }
  return "?";
}

std::string ContainersOf(const Value& pod_template, std::string_view key) {
  return Join(ListAt(SpecOf(pod_template), "containers").GetArray(), ",",
              [key](const Value& container) { return StringAt(container, key); });
}

std::string ParamKind(const Value& policy) {
  const Value* const kind = runtime::Find(SpecOf(policy), "paramKind");
  return kind == nullptr ? "<unset>"
                         : StringAt(*kind, "apiVersion") + "/" + StringAt(*kind, "kind");
}

std::string ParamRef(const Value& binding) {
  const Value& reference = ObjectAt(SpecOf(binding), "paramRef");
  const std::string name = StringAt(reference, "name");
  return name.empty() ? "<unset>" : Or(StringAt(reference, "namespace"), "*") + "/" + name;
}

std::string ParentRef(const Value& address) {
  const Value& parent = ObjectAt(SpecOf(address), "parentRef");
  const std::string group = StringAt(parent, "group");
  const std::string ns = StringAt(parent, "namespace");
  return LowerAscii(StringAt(parent, "resource") + (group.empty() ? "" : "." + group)) +
         (ns.empty() ? "" : "/" + ns) + "/" + StringAt(parent, "name");
}

std::string ClaimState(const Value& claim) {
  const Value& status = StatusOf(claim);
  if (!Metadata(claim, "deletionTimestamp").empty()) return "deleted";
  if (runtime::Find(status, "allocation") == nullptr) return "pending";
  return ListAt(status, "reservedFor").Empty() ? "allocated" : "allocated,reserved";
}

struct NamedCell {
  std::string_view name;
  std::string (*text)(const Value& object);
};

constexpr std::array kCells = {
    NamedCell{
        "accessModes",
        [](const Value& volume) { return AccessModes(ListAt(SpecOf(volume), "accessModes")); }},
    NamedCell{"audiences", Audiences},
    NamedCell{"boundCapacity",
              [](const Value& claim) {
                if (!IsBound(claim)) return std::string();
                return Or(StringAt(ObjectAt(StatusOf(claim), "capacity"), "storage"), "0");
              }},
    NamedCell{"boundModes",
              [](const Value& claim) {
                return IsBound(claim) ? AccessModes(ListAt(StatusOf(claim), "accessModes"))
                                      : std::string();
              }},
    NamedCell{"cidrs",
              [](const Value& range) { return Join(TextsAt(SpecOf(range), "cidrs"), ","); }},
    NamedCell{"claim", ClaimOf},
    NamedCell{"claimState", ClaimState},
    NamedCell{"classParameters", ClassParameters},
    NamedCell{"controller", ControllerOf},
    NamedCell{"cpuUtilization", CpuUtilization},
    NamedCell{"dangling", Dangling},
    NamedCell{"defaultMark", DefaultMark},
    NamedCell{"endpoints", EndpointsText},
    NamedCell{"hosts", Hosts},
    NamedCell{"balancers", BalancerAddresses},
    NamedCell{"ingressPorts", IngressPorts},
    NamedCell{"lifecycleModes", LifecycleModes},
    NamedCell{"metrics", Metrics},
    NamedCell{"paramKind", ParamKind},
    NamedCell{"paramRef", ParamRef},
    NamedCell{"parentRef", ParentRef},
    NamedCell{"phase", Phase},
    NamedCell{"podLabels",
              [](const Value& object) {
                const Value& pod_template = ObjectAt(object, "template");
                return FormatLabels(&ObjectAt(ObjectAt(pod_template, "metadata"), "labels"));
              }},
    NamedCell{"podSelector",
              [](const Value& policy) {
                return FormatSelector(&ObjectAt(SpecOf(policy), "podSelector"));
              }},
    NamedCell{"quotaLimits", [](const Value& quota) { return QuotaText(quota, true); }},
    NamedCell{"quotaRequests", [](const Value& quota) { return QuotaText(quota, false); }},
    NamedCell{"requestedDuration", RequestedDuration},
    NamedCell{"requestStatus", RequestStatus},
    NamedCell{"scaleTarget", ScaleTarget},
    NamedCell{
        "selectorLabels",
        [](const Value& object) { return FormatLabels(&ObjectAt(SpecOf(object), "selector")); }},
    NamedCell{"sliceEndpoints", SliceEndpoints},
    NamedCell{"slicePorts", SlicePorts},
    NamedCell{"specContainers",
              [](const Value& object) {
                return ContainersOf(ObjectAt(SpecOf(object), "template"), "name");
              }},
    NamedCell{"specImages",
              [](const Value& object) {
                return ContainersOf(ObjectAt(SpecOf(object), "template"), "image");
              }},
    NamedCell{
        "templateContainers",
        [](const Value& object) { return ContainersOf(ObjectAt(object, "template"), "name"); }},
    NamedCell{
        "templateImages",
        [](const Value& object) { return ContainersOf(ObjectAt(object, "template"), "image"); }},
};

}  // namespace
}  // namespace cells

std::function<std::string(const runtime::JsonValue& object)> FindCell(std::string_view name) {
  using cells::kCells;
  const auto* const found =
      std::find_if(kCells.begin(), kCells.end(),
                   [&](const cells::NamedCell& cell) { return cell.name == name; });
  if (found == kCells.end()) return {};
  return [text = found->text](const runtime::JsonValue& object) { return Quote(text(object)); };
}

}  // namespace capstan::testing::apiserver
