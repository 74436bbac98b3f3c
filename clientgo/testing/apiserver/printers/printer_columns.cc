// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/printers/printer_columns.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

#include "capstan/clock.h"
#include "capstan/text.h"
#include "capstan/time.h"
#include "clientgo/testing/apiserver/printers/human_duration.h"
#include "clientgo/testing/apiserver/printers/label_text.h"
#include "clientgo/testing/apiserver/printers/pod_printer.h"

namespace capstan::testing::apiserver {
namespace {

using Columns = std::vector<PrinterColumn>;
using Cell = std::function<std::string(const runtime::JsonValue&)>;
using Path = std::vector<std::string>;

constexpr std::string_view kNone = "<none>";
constexpr std::string_view kUnknown = "<unknown>";
constexpr int kWide = 1;

const runtime::JsonValue* At(const runtime::JsonValue& object, const Path& path) {
  const runtime::JsonValue* value = &object;
  for (const std::string& name : path) {
    value = value->IsObject() ? runtime::Find(*value, name) : nullptr;
    if (value == nullptr) return nullptr;
  }
  return value;
}

std::string TextAt(const runtime::JsonValue& object, const Path& path) {
  const runtime::JsonValue* const value = At(object, path);
  return value != nullptr && value->IsString() ? std::string(runtime::ToView(*value))
                                               : std::string();
}

std::int64_t IntegerAt(const runtime::JsonValue& object, const Path& path) {
  const runtime::JsonValue* const value = At(object, path);
  return value != nullptr && value->IsInt64() ? value->GetInt64() : 0;
}

std::size_t SizeAt(const runtime::JsonValue& object, const Path& path) {
  const runtime::JsonValue* const value = At(object, path);
  if (value == nullptr) return 0;
  return value->IsObject() ? value->MemberCount() : value->IsArray() ? value->Size() : 0;
}

std::string Or(std::string text, std::string_view fallback) {
  if (text.empty()) text = fallback;
  return text;
}

// Returns the texts of the objects in a list, separated by `separator`.
template <class Text>
std::string JoinItems(const runtime::JsonValue* list, std::string_view separator,
                      const Text& text) {
  std::string all;
  if (list == nullptr || !list->IsArray()) return all;
  bool first = true;
  for (const runtime::JsonValue& item : list->GetArray()) {
    if (!std::exchange(first, false)) all += separator;
    all += text(item);
  }
  return all;
}

PrinterColumn Column(std::string name, Cell cell, int priority = 0, std::string type = "string") {
  return {.name = std::move(name),
          .type = std::move(type),
          .priority = priority,
          .cell = std::move(cell)};
}

// A column with the text at a path.
PrinterColumn Text(std::string name, Path path, std::string_view fallback = {}, int priority = 0) {
  return Column(
      std::move(name),
      [path = std::move(path), fallback](const runtime::JsonValue& object) {
        return Quote(Or(TextAt(object, path), fallback));
      },
      priority);
}

// A column with a number. kube-apiserver declares some of them as strings.
PrinterColumn Integer(std::string name, Path path, std::string type = "integer") {
  return Column(
      std::move(name),
      [path = std::move(path)](const runtime::JsonValue& object) {
        return std::to_string(IntegerAt(object, path));
      },
      0, std::move(type));
}

PrinterColumn Count(std::string name, std::vector<Path> paths, std::string type = "string") {
  return Column(
      std::move(name),
      [paths = std::move(paths)](const runtime::JsonValue& object) {
        std::size_t size = 0;
        for (const Path& path : paths) size += SizeAt(object, path);
        return std::to_string(size);
      },
      0, std::move(type));
}

// A column "ready/wanted".
PrinterColumn Ratio(std::string name, Path part, Path whole) {
  return Column(std::move(name), [part = std::move(part),
                                  whole = std::move(whole)](const runtime::JsonValue& object) {
    return Quote(std::to_string(IntegerAt(object, part)) + "/" +
                 std::to_string(IntegerAt(object, whole)));
  });
}

PrinterColumn Age() {
  return Column("Age", [](const runtime::JsonValue& object) {
    return Quote(AgeText(Metadata(object, "creationTimestamp")));
  });
}

PrinterColumn CreatedAt() {
  PrinterColumn column = Text("Created At", {"metadata", "creationTimestamp"});
  column.type = "date";
  return column;
}

PrinterColumn Selector(Path path = {"spec", "selector"}) {
  return Column(
      "Selector",
      [path = std::move(path)](const runtime::JsonValue& object) {
        return Quote(FormatSelector(At(object, path)));
      },
      kWide);
}

// Adds the columns of a Pod template: its containers and images.
void AddTemplate(Columns& columns, Path path) {
  path.insert(path.end(), {"template", "spec", "containers"});
  for (const char* const key : {"name", "image"}) {
    columns.push_back(Column(
        std::string_view(key) == "name" ? "Containers" : "Images",
        [path, key](const runtime::JsonValue& object) {
          return Quote(JoinItems(At(object, path), ",", [key](const runtime::JsonValue& container) {
            return container.IsObject() ? std::string(runtime::GetString(container, key))
                                        : std::string();
          }));
        },
        kWide));
  }
}

Columns WithTemplate(Columns columns, const Path& path, std::optional<Path> selector) {
  AddTemplate(columns, path);
  if (selector) columns.push_back(Selector(*std::move(selector)));
  return columns;
}

std::string NodeStatus(const runtime::JsonValue& node) {
  std::string status = "Unknown";
  for (const runtime::JsonValue& condition :
       ListAt(ObjectAt(node, "status"), "conditions").GetArray()) {
    if (TextAt(condition, {"type"}) != "Ready") continue;
    status = TextAt(condition, {"status"}) == "True" ? "Ready" : "NotReady";
  }
  const runtime::JsonValue* const unschedulable = At(node, {"spec", "unschedulable"});
  if (unschedulable != nullptr && unschedulable->IsTrue()) status += ",SchedulingDisabled";
  return status;
}

std::string NodeRoles(const runtime::JsonValue& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  for (const auto& label : ObjectAt(ObjectAt(node, "metadata"), "labels").GetObject()) {
    const std::string_view name = runtime::ToView(label.name);
    if (name.starts_with(kPrefix) && name.size() > kPrefix.size()) {
      roles.emplace_back(name.substr(kPrefix.size()));
    } else if (name == "kubernetes.io/role" && label.value.GetStringLength() > 0) {
      roles.emplace_back(runtime::ToView(label.value));
    }
  }
  std::sort(roles.begin(), roles.end());
  return Or(Join(roles, ","), kNone);
}

Cell NodeAddress(std::string type) {
  return [type = std::move(type)](const runtime::JsonValue& node) {
    for (const runtime::JsonValue& address :
         ListAt(ObjectAt(node, "status"), "addresses").GetArray()) {
      if (TextAt(address, {"type"}) == type) return Quote(TextAt(address, {"address"}));
    }
    return Quote(kNone);
  };
}

// Returns the addresses of a Service outside the cluster.
std::string ExternalAddresses(const runtime::JsonValue& service) {
  const std::string type = TextAt(service, {"spec", "type"});
  const auto text = [](const runtime::JsonValue& item) {
    return item.IsString() ? std::string(runtime::ToView(item)) : std::string();
  };
  const std::string addresses = JoinItems(At(service, {"spec", "externalIPs"}), ",", text);
  if (type == "ClusterIP" || type == "NodePort") return Or(addresses, kNone);
  if (type == "ExternalName") return TextAt(service, {"spec", "externalName"});
  if (type != "LoadBalancer") return std::string(kUnknown);
  std::string balancers = JoinItems(At(service, {"status", "loadBalancer", "ingress"}), ",",
                                    [](const runtime::JsonValue& item) {
                                      return Or(TextAt(item, {"ip"}), TextAt(item, {"hostname"}));
                                    });
  if (!balancers.empty() && !addresses.empty()) balancers += ",";
  return Or(balancers + addresses, "<pending>");
}

// Returns the text of the first of the fields that is given.
std::string FirstText(const runtime::JsonValue& event, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (std::string text = TextAt(event, {name}); !text.empty()) return text;
  }
  return {};
}

// Returns the time of the first or of the last occurrence of an Event of either group.
std::string EventTime(const runtime::JsonValue& event, bool last) {
  std::string first = FirstText(event, {"firstTimestamp", "deprecatedFirstTimestamp", "eventTime"});
  if (!last) return first;
  if (At(event, {"series"}) != nullptr) return TextAt(event, {"series", "lastObservedTime"});
  return Or(FirstText(event, {"lastTimestamp", "deprecatedLastTimestamp"}), first);
}

std::string EventCount(const runtime::JsonValue& event) {
  if (At(event, {"series"}) != nullptr) {
    return std::to_string(IntegerAt(event, {"series", "count"}));
  }
  const std::int64_t count = IntegerAt(event, {"count"}) + IntegerAt(event, {"deprecatedCount"});
  return std::to_string(std::max<std::int64_t>(count, 1));
}

std::string JobStatus(const runtime::JsonValue& job) {
  const auto has = [&](std::string_view type) {
    const runtime::JsonValue& conditions = ListAt(ObjectAt(job, "status"), "conditions");
    return std::any_of(
        conditions.Begin(), conditions.End(), [&](const runtime::JsonValue& condition) {
          return TextAt(condition, {"type"}) == type && TextAt(condition, {"status"}) == "True";
        });
  };
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (!Metadata(job, "deletionTimestamp").empty()) return "Terminating";
  for (const char* const type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (has(type)) return type;
  }
  return "Running";
}

std::string JobCompletions(const runtime::JsonValue& job) {
  const std::string succeeded = std::to_string(IntegerAt(job, {"status", "succeeded"}));
  if (At(job, {"spec", "completions"}) != nullptr) {
    return succeeded + "/" + std::to_string(IntegerAt(job, {"spec", "completions"}));
  }
  const std::int64_t parallelism = IntegerAt(job, {"spec", "parallelism"});
  return succeeded + "/1" + (parallelism > 1 ? " of " + std::to_string(parallelism) : "");
}

std::string JobDuration(const runtime::JsonValue& job) {
  const auto start = ParseTime(TextAt(job, {"status", "startTime"}));
  if (!start) return {};
  const auto end = ParseTime(TextAt(job, {"status", "completionTime"}));
  return HumanDuration(*start, end.value_or(ToMicroTime(Clock::Real().WallNow())));
}

}  // namespace

PrinterColumn NameColumn(int priority) {
  constexpr const char* kDescription =
      "Name must be unique within a namespace. Is required when creating resources, although some "
      "resources may allow a client to request the generation of an appropriate name "
      "automatically. Name is primarily intended for creation idempotence and configuration "
      "definition. Cannot be updated. More info: "
      "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
  PrinterColumn column = Text("Name", {"metadata", "name"}, {}, priority);
  column.format = "name";
  column.description = kDescription;
  return column;
}

PrinterColumn AgeColumn() { return Age(); }

Columns PodColumns() {
  const auto summary = [](std::string PodSummary::*member) {
    return [member](const runtime::JsonValue& pod) { return Quote(Summarize(pod).*member); };
  };
  const auto gates = [](const runtime::JsonValue& pod) {
    const runtime::JsonValue& wanted = ListAt(ObjectAt(pod, "spec"), "readinessGates");
    const runtime::JsonValue& conditions = ListAt(ObjectAt(pod, "status"), "conditions");
    if (wanted.Empty()) return Quote(kNone);
    const auto open =
        std::count_if(wanted.Begin(), wanted.End(), [&](const runtime::JsonValue& gate) {
          return std::any_of(
              conditions.Begin(), conditions.End(), [&](const runtime::JsonValue& condition) {
                return TextAt(condition, {"type"}) == TextAt(gate, {"conditionType"}) &&
                       TextAt(condition, {"status"}) == "True";
              });
        });
    return Quote(std::to_string(open) + "/" + std::to_string(wanted.Size()));
  };
  const auto address = [](const runtime::JsonValue& pod) {
    const runtime::JsonValue& addresses = ListAt(ObjectAt(pod, "status"), "podIPs");
    return Quote(Or(addresses.Empty() ? std::string() : TextAt(addresses[0], {"ip"}), kNone));
  };
  return {NameColumn(),
          Column("Ready", summary(&PodSummary::ready)),
          Column("Status", summary(&PodSummary::status)),
          Column("Restarts", summary(&PodSummary::restarts)),
          Age(),
          Column("IP", address, kWide),
          Text("Node", {"spec", "nodeName"}, kNone, kWide),
          Text("Nominated Node", {"status", "nominatedNodeName"}, kNone, kWide),
          Column("Readiness Gates", gates, kWide)};
}

Columns NodeColumns() {
  const auto kernel = [](const runtime::JsonValue& node) {
    const std::string architecture = TextAt(node, {"status", "nodeInfo", "architecture"});
    return Quote(Or(TextAt(node, {"status", "nodeInfo", "kernelVersion"}), kUnknown) +
                 (architecture.empty() ? "" : " (" + architecture + ")"));
  };
  return {NameColumn(),
          Column("Status", [](const runtime::JsonValue& node) { return Quote(NodeStatus(node)); }),
          Column("Roles", [](const runtime::JsonValue& node) { return Quote(NodeRoles(node)); }),
          Age(),
          Text("Version", {"status", "nodeInfo", "kubeletVersion"}),
          Column("Internal-IP", NodeAddress("InternalIP"), kWide),
          Column("External-IP", NodeAddress("ExternalIP"), kWide),
          Text("OS-Image", {"status", "nodeInfo", "osImage"}, kUnknown, kWide),
          Column("Kernel-Version", kernel, kWide),
          Text("Container-Runtime", {"status", "nodeInfo", "containerRuntimeVersion"}, kUnknown,
               kWide)};
}

Columns ServiceColumns() {
  const auto cluster_ip = [](const runtime::JsonValue& service) {
    const runtime::JsonValue& addresses = ListAt(ObjectAt(service, "spec"), "clusterIPs");
    return Quote(addresses.Empty() ? kNone : runtime::ToView(addresses[0]));
  };
  const auto ports = [](const runtime::JsonValue& service) {
    return Quote(Or(JoinItems(At(service, {"spec", "ports"}), ",",
                              [](const runtime::JsonValue& port) {
                                const std::int64_t node_port = IntegerAt(port, {"nodePort"});
                                return std::to_string(IntegerAt(port, {"port"})) +
                                       (node_port > 0 ? ":" + std::to_string(node_port) : "") +
                                       "/" + TextAt(port, {"protocol"});
                              }),
                    kNone));
  };
  const auto selector = [](const runtime::JsonValue& service) {
    return Quote(FormatLabels(At(service, {"spec", "selector"})));
  };
  return {
      NameColumn(),
      Text("Type", {"spec", "type"}),
      Column("Cluster-IP", cluster_ip),
      Column("External-IP",
             [](const runtime::JsonValue& service) { return Quote(ExternalAddresses(service)); }),
      Column("Port(s)", ports),
      Age(),
      Column("Selector", selector, kWide)};
}

namespace {

// EventNames are the names of the fields of an Event, which differ between its groups.
struct EventNames {
  const char* object;
  const char* source;
  const char* reporter;
  const char* message;
};

Columns EventColumnsOf(const EventNames& names) {
  const auto object = [names](const runtime::JsonValue& event) {
    const std::string name = TextAt(event, {names.object, "name"});
    return Quote(LowerAscii(TextAt(event, {names.object, "kind"})) +
                 (name.empty() ? "" : "/" + name));
  };
  const auto source = [names](const runtime::JsonValue& event) {
    const std::string component =
        Or(TextAt(event, {names.source, "component"}), TextAt(event, {names.reporter}));
    const std::string host =
        Or(TextAt(event, {names.source, "host"}), TextAt(event, {"reportingInstance"}));
    return Quote(component + (host.empty() ? "" : ", " + host));
  };
  const auto age = [](bool last) {
    return
        [last](const runtime::JsonValue& event) { return Quote(AgeText(EventTime(event, last))); };
  };
  const auto message = [names](const runtime::JsonValue& event) {
    return Quote(Trim(TextAt(event, {names.message}), " \t\r\n"));
  };
  return {Column("Last Seen", age(true)),
          Text("Type", {"type"}),
          Text("Reason", {"reason"}),
          Column("Object", object),
          Text("Subobject", {names.object, "fieldPath"}, {}, kWide),
          Column("Source", source, kWide),
          Column("Message", message),
          Column("First Seen", age(false), kWide),
          Column("Count", EventCount, kWide),
          NameColumn(kWide)};
}

}  // namespace

Columns EventColumns() {
  return EventColumnsOf({.object = "involvedObject",
                         .source = "source",
                         .reporter = "reportingComponent",
                         .message = "message"});
}

Columns NewEventColumns() {
  return EventColumnsOf({.object = "regarding",
                         .source = "deprecatedSource",
                         .reporter = "reportingController",
                         .message = "note"});
}

Columns JobColumns() {
  const auto cell = [](std::string (*text)(const runtime::JsonValue&)) {
    return [text](const runtime::JsonValue& job) { return Quote(text(job)); };
  };
  return WithTemplate(
      {NameColumn(), Column("Status", cell(JobStatus)), Column("Completions", cell(JobCompletions)),
       Column("Duration", cell(JobDuration)), Age()},
      {"spec"}, Path{"spec", "selector"});
}

Columns CronJobColumns() {
  const auto suspend = [](const runtime::JsonValue& job) -> std::string {
    const runtime::JsonValue* const value = At(job, {"spec", "suspend"});
    if (value == nullptr) return Quote("<unset>");
    return Quote(value->IsTrue() ? "True" : "False");
  };
  const auto last = [](const runtime::JsonValue& job) {
    const std::string time = TextAt(job, {"status", "lastScheduleTime"});
    return Quote(time.empty() ? std::string(kNone) : AgeText(time));
  };
  return WithTemplate(
      {NameColumn(), Text("Schedule", {"spec", "schedule"}),
       Text("Timezone", {"spec", "timeZone"}, kNone), Column("Suspend", suspend, 0, "boolean"),
       Count("Active", {{"status", "active"}}, "integer"), Column("Last Schedule", last), Age()},
      {"spec", "jobTemplate", "spec"}, Path{"spec", "jobTemplate", "spec", "selector"});
}

Columns DaemonSetColumns() {
  const auto nodes = [](const runtime::JsonValue& set) {
    return Quote(FormatLabels(At(set, {"spec", "template", "spec", "nodeSelector"})));
  };
  return WithTemplate(
      {NameColumn(), Integer("Desired", {"status", "desiredNumberScheduled"}),
       Integer("Current", {"status", "currentNumberScheduled"}),
       Integer("Ready", {"status", "numberReady"}),
       Integer("Up-to-date", {"status", "updatedNumberScheduled"}),
       Integer("Available", {"status", "numberAvailable"}), Column("Node Selector", nodes), Age()},
      {"spec"}, Path{"spec", "selector"});
}

// The columns of a RoleBinding or ClusterRoleBinding.
Columns BindingColumns() {
  const auto role = [](const runtime::JsonValue& binding) {
    return Quote(TextAt(binding, {"roleRef", "kind"}) + "/" + TextAt(binding, {"roleRef", "name"}));
  };
  const auto subjects = [](std::string kind) {
    return [kind = std::move(kind)](const runtime::JsonValue& binding) {
      std::string names;
      for (const runtime::JsonValue& subject : ListAt(binding, "subjects").GetArray()) {
        if (TextAt(subject, {"kind"}) != kind) continue;
        const std::string ns = TextAt(subject, {"namespace"});
        if (!names.empty()) names += ", ";
        if (!ns.empty()) names += ns + "/";
        names += TextAt(subject, {"name"});
      }
      return Quote(names);
    };
  };
  return {NameColumn(),
          Column("Role", role),
          Age(),
          Column("Users", subjects("User"), kWide),
          Column("Groups", subjects("Group"), kWide),
          Column("ServiceAccounts", subjects("ServiceAccount"), kWide)};
}

Columns ApiServiceColumns() {
  const auto service = [](const runtime::JsonValue& object) {
    if (At(object, {"spec", "service"}) == nullptr) return Quote("Local");
    return Quote(TextAt(object, {"spec", "service", "namespace"}) + "/" +
                 TextAt(object, {"spec", "service", "name"}));
  };
  const auto available = [](const runtime::JsonValue& object) {
    for (const runtime::JsonValue& one :
         ListAt(ObjectAt(object, "status"), "conditions").GetArray()) {
      if (TextAt(one, {"type"}) != "Available") continue;
      std::string status = TextAt(one, {"status"});
      const std::string reason = TextAt(one, {"reason"});
      if (status != "True" && !reason.empty()) status.append(" (").append(reason).append(")");
      return Quote(status);
    }
    return Quote("Unknown");
  };
  return {NameColumn(), Column("Service", service), Column("Available", available), Age()};
}

Columns NamespaceColumns() { return {NameColumn(), Text("Status", {"status", "phase"}), Age()}; }

Columns SecretColumns() {
  return {NameColumn(), Text("Type", {"type"}), Count("Data", {{"data"}}), Age()};
}

Columns ConfigMapColumns() {
  return {NameColumn(), Count("Data", {{"data"}, {"binaryData"}}), Age()};
}

Columns DeploymentColumns() {
  return WithTemplate(
      {NameColumn(), Ratio("Ready", {"status", "readyReplicas"}, {"spec", "replicas"}),
       Integer("Up-to-date", {"status", "updatedReplicas"}, "string"),
       Integer("Available", {"status", "availableReplicas"}, "string"), Age()},
      {"spec"}, Path{"spec", "selector"});
}

Columns ReplicaSetColumns() {
  return WithTemplate({NameColumn(), Integer("Desired", {"spec", "replicas"}),
                       Integer("Current", {"status", "replicas"}),
                       Integer("Ready", {"status", "readyReplicas"}), Age()},
                      {"spec"}, Path{"spec", "selector"});
}

Columns StatefulSetColumns() {
  return WithTemplate(
      {NameColumn(), Ratio("Ready", {"status", "readyReplicas"}, {"spec", "replicas"}), Age()},
      {"spec"}, std::nullopt);
}

Columns CreatedAtColumns() { return {NameColumn(), CreatedAt()}; }

Columns LeaseColumns() { return {NameColumn(), Text("Holder", {"spec", "holderIdentity"}), Age()}; }

Columns TrustBundleColumns() { return {NameColumn(), Text("SignerName", {"spec", "signerName"})}; }

Columns WebhookColumns() {
  return {NameColumn(), Count("Webhooks", {{"webhooks"}}, "integer"), Age()};
}

Columns OtherColumns() { return {NameColumn(), Age()}; }

}  // namespace capstan::testing::apiserver
