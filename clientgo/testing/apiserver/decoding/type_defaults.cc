// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/type_defaults.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/mutex.h"
#include "capstan/quantity.h"
#include "capstan/time.h"
#include "clientgo/testing/apiserver/decoding/fields.h"

namespace capstan::testing::apiserver {
namespace {

// Returns the default of an image's pull policy. Go rejects names with capital letters, and such an
// image has no tag.
std::string_view PullPolicy(std::string_view image) {
  constexpr std::string_view kIfNotPresent = "IfNotPresent";
  const std::size_t slash = image.rfind('/');
  std::string_view name = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const std::size_t colon = name.find(':');
  const bool digest = name.find('@') != std::string_view::npos;
  const std::string_view tag =
      colon == std::string_view::npos || digest ? std::string_view() : name.substr(colon + 1);
  name = name.substr(0, name.find_first_of(":@"));
  const bool valid = !name.empty() && std::none_of(name.begin(), name.end(),
                                                   [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!valid || digest) return kIfNotPresent;
  return tag.empty() || tag == "latest" ? "Always" : kIfNotPresent;
}

void DefaultContainer(const Fields& container) {
  container.DefaultText({{"imagePullPolicy", PullPolicy(container.Text("image"))}});
}

void DefaultVolume(const Fields& volume) {
  const bool has_source = volume.value().MemberCount() > (volume.Has("name") ? 1U : 0U);
  if (!has_source) volume.Put("emptyDir", Json::Object());
  if (const auto image = volume.Find("image")) {
    image->DefaultText({{"pullPolicy", PullPolicy(image->Text("reference"))}});
  }
}

// The limits of containers have defaults.
void DefaultLimit(const Fields& item) {
  if (item.Text("type") != "Container") return;
  item.Fill("default", ObjectAt(item.value(), "max"));
  item.Fill("defaultRequest", ObjectAt(item.value(), "default"));
  item.Fill("defaultRequest", ObjectAt(item.value(), "min"));
}

// The first version of the field has one range.
void DefaultPodRanges(const Fields& spec) {
  const std::string first = spec.Text("podCIDR");
  const auto ranges = ListAt(spec.value(), "podCIDRs").GetArray();
  const std::string listed =
      !ranges.Empty() && ranges[0].IsString() ? std::string(runtime::ToView(ranges[0])) : "";
  if (!first.empty() && first != listed) spec.Put("podCIDRs", Json::List({first}));
  if (first.empty() && !listed.empty()) spec.Put("podCIDR", listed);
}

void DefaultNodeStatus(const Fields& status) {
  if (!status.Has("allocatable")) status.Fill("allocatable", ObjectAt(status.value(), "capacity"));
}

void DefaultDeviceRequest(const Fields& request) {
  request.DefaultText({{"allocationMode", "ExactCount"}});
  if (request.Text("allocationMode") == "ExactCount") request.Default({{"count", 1}});
}

// serviceAccount is the former name of serviceAccountName, which wins. Both are stored.
void DefaultServiceAccount(const Fields& spec) {
  std::string name = spec.Text("serviceAccountName");
  if (name.empty()) name = spec.Text("serviceAccount");
  if (name.empty()) return;
  spec.Put("serviceAccountName", name);
  spec.Put("serviceAccount", name);
}

// A policy is by default about traffic to its Pods, and with rules for it about traffic from them.
void DefaultPolicyTypes(const Fields& spec) {
  if (!ListAt(spec.value(), "policyTypes").Empty()) return;
  spec.Put("policyTypes", ListAt(spec.value(), "egress").Empty()
                              ? Json::List({"Ingress"})
                              : Json::List({"Ingress", "Egress"}));
}

Json ScalingPolicy(const char* type, int value) {
  return {{"type", type}, {"value", value}, {"periodSeconds", 15}};
}

void DefaultAutoscaler(const Fields& spec) {
  if (ListAt(spec.value(), "metrics").Empty()) {
    const Json target = {{"type", "Utilization"}, {"averageUtilization", 80}};
    const Json metric = {{"type", "Resource"}, {"resource", {{"name", "cpu"}, {"target", target}}}};
    spec.Put("metrics", Json::List({metric}));
  }
  const auto behavior = spec.Find("behavior");
  if (!behavior) return;
  (*behavior)["scaleUp"].Default(
      {{"stabilizationWindowSeconds", 0},
       {"selectPolicy", "Max"},
       {"policies", Json::List({ScalingPolicy("Pods", 4), ScalingPolicy("Percent", 100)})}});
  (*behavior)["scaleDown"].Default(
      {{"selectPolicy", "Max"}, {"policies", Json::List({ScalingPolicy("Percent", 100)})}});
}

// TypeDefaults is a row of the table: the members that a type has by default.
struct TypeDefaults {
  std::string_view type;
  std::string_view members = {};
  void (*set)(const Fields& object) = nullptr;  // what a member cannot say
};

constexpr std::string_view kContainer =
    R"({"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"})";
constexpr std::string_view kMode = R"({"defaultMode":420})";
constexpr std::string_view kTcp = R"({"protocol":"TCP"})";
constexpr std::string_view kRbd = R"({"pool":"rbd","user":"admin","keyring":"/etc/ceph/keyring"})";
constexpr std::string_view kScaleIo = R"({"storageMode":"ThinProvisioned","fsType":"xfs"})";
constexpr std::string_view kIscsi = R"({"iscsiInterface":"default"})";
constexpr std::string_view kMatchResources =
    R"({"matchPolicy":"Equivalent","namespaceSelector":{},"objectSelector":{}})";
constexpr std::string_view kFail = R"({"failurePolicy":"Fail"})";
constexpr std::string_view kLimited = R"({"nominalConcurrencyShares":30,"lendablePercent":0})";
constexpr std::string_view kExempt = R"({"nominalConcurrencyShares":0,"lendablePercent":0})";
constexpr std::string_view kQueuing = R"({"handSize":8,"queues":64,"queueLengthLimit":50})";

constexpr std::array kTable = {
    TypeDefaults{"admissionregistration.v1.MatchResources", kMatchResources},
    TypeDefaults{"admissionregistration.v1.MutatingAdmissionPolicySpec", kFail},
    TypeDefaults{"admissionregistration.v1.Rule", R"({"scope":"*"})"},
    TypeDefaults{"admissionregistration.v1.ServiceReference", R"({"port":443})"},
    TypeDefaults{"admissionregistration.v1.ValidatingAdmissionPolicySpec", kFail},
    TypeDefaults{"autoscaling.v1.HorizontalPodAutoscalerSpec",
                 R"({"minReplicas":1,"targetCPUUtilizationPercentage":80})"},
    TypeDefaults{"autoscaling.v2.HorizontalPodAutoscalerSpec", R"({"minReplicas":1})",
                 DefaultAutoscaler},
    TypeDefaults{"batch.v1.PodFailurePolicyOnPodConditionsPattern", R"({"status":"True"})"},
    TypeDefaults{"core.v1.AzureDiskVolumeSource",
                 R"({"cachingMode":"ReadWrite","fsType":"ext4","readOnly":false,"kind":"Shared"})"},
    TypeDefaults{"core.v1.ConfigMapVolumeSource", kMode},
    TypeDefaults{"core.v1.Container", kContainer, DefaultContainer},
    TypeDefaults{"core.v1.ContainerPort", kTcp},
    TypeDefaults{"core.v1.DownwardAPIVolumeSource", kMode},
    TypeDefaults{"core.v1.EndpointPort", kTcp},
    TypeDefaults{"core.v1.EphemeralContainerCommon", kContainer, DefaultContainer},
    TypeDefaults{"core.v1.FileKeySelector", R"({"optional":false})"},
    TypeDefaults{"core.v1.GRPCAction", R"({"service":""})"},
    TypeDefaults{"core.v1.HTTPGetAction", R"({"path":"/","scheme":"HTTP"})"},
    TypeDefaults{"core.v1.HostPathVolumeSource", R"({"type":""})"},
    TypeDefaults{"core.v1.ISCSIPersistentVolumeSource", kIscsi},
    TypeDefaults{"core.v1.ISCSIVolumeSource", kIscsi},
    TypeDefaults{"core.v1.LimitRangeItem", {}, DefaultLimit},
    TypeDefaults{"core.v1.NodeSpec", {}, DefaultPodRanges},
    TypeDefaults{"core.v1.NodeStatus", {}, DefaultNodeStatus},
    TypeDefaults{"core.v1.ObjectFieldSelector", R"({"apiVersion":"v1"})"},
    TypeDefaults{"core.v1.PersistentVolumeClaimSpec", R"({"volumeMode":"Filesystem"})"},
    TypeDefaults{"core.v1.PersistentVolumeSpec",
                 R"({"persistentVolumeReclaimPolicy":"Retain","volumeMode":"Filesystem"})"},
    TypeDefaults{"core.v1.PodSpec",
                 R"({"restartPolicy":"Always","terminationGracePeriodSeconds":30,)"
                 R"("dnsPolicy":"ClusterFirst","securityContext":{},)"
                 R"("schedulerName":"default-scheduler"})",
                 DefaultServiceAccount},
    TypeDefaults{"core.v1.Probe", R"({"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,)"
                                  R"("failureThreshold":3})"},
    TypeDefaults{"core.v1.ProjectedVolumeSource", kMode},
    TypeDefaults{"core.v1.RBDPersistentVolumeSource", kRbd},
    TypeDefaults{"core.v1.RBDVolumeSource", kRbd},
    TypeDefaults{"core.v1.ResourceFieldSelector", R"({"divisor":"0"})"},
    TypeDefaults{"core.v1.ScaleIOPersistentVolumeSource", kScaleIo},
    TypeDefaults{"core.v1.ScaleIOVolumeSource", kScaleIo},
    TypeDefaults{"core.v1.SecretVolumeSource", kMode},
    TypeDefaults{"core.v1.ServiceAccountTokenProjection", R"({"expirationSeconds":3600})"},
    TypeDefaults{"core.v1.Volume", {}, DefaultVolume},
    TypeDefaults{"discovery.v1.Endpoint"},  // only the struct that Go always writes
    TypeDefaults{"discovery.v1.EndpointPort", R"({"name":"","protocol":"TCP"})"},
    TypeDefaults{"flowcontrol.v1.ExemptPriorityLevelConfiguration", kExempt},
    TypeDefaults{"flowcontrol.v1.FlowSchemaSpec", R"({"matchingPrecedence":1000})"},
    TypeDefaults{"flowcontrol.v1.LimitedPriorityLevelConfiguration", kLimited},
    TypeDefaults{"flowcontrol.v1.QueuingConfiguration", kQueuing},
    TypeDefaults{"networking.v1.IngressClassParametersReference", R"({"scope":"Cluster"})"},
    TypeDefaults{"networking.v1.NetworkPolicyPort", kTcp},
    TypeDefaults{"networking.v1.NetworkPolicySpec", {}, DefaultPolicyTypes},
    TypeDefaults{"resource.v1.DeviceSubRequest", {}, DefaultDeviceRequest},
    TypeDefaults{"resource.v1.ExactDeviceRequest", {}, DefaultDeviceRequest},
    TypeDefaults{"scheduling.v1.PriorityClass", R"({"preemptionPolicy":"PreemptLowerPriority"})"},
    TypeDefaults{"storage.v1.CSIDriverSpec",
                 R"({"attachRequired":true,"podInfoOnMount":false,"storageCapacity":false,)"
                 R"("fsGroupPolicy":"ReadWriteOnceWithFSType",)"
                 R"("volumeLifecycleModes":["Persistent"],"requiresRepublish":false,)"
                 R"("seLinuxMount":false})"},
    TypeDefaults{"storage.v1.StorageClass",
                 R"({"reclaimPolicy":"Delete","volumeBindingMode":"Immediate"})"},
};

// Plan is what is to be done for the objects of one type.
struct Plan {
  struct Child {
    const runtime::Field* field;
    const Plan* plan;
  };

  const TypeDefaults* defaults = nullptr;
  runtime::JsonDocument members = {};  // of `defaults`
  std::vector<Child> children = {};    // the fields whose types need something
  std::vector<const runtime::Field*> quantities = {};
  std::vector<const runtime::Field*> times = {};
  std::vector<std::string_view> structs = {};  // the fields that Go's encoder always writes
  const runtime::Message* message = nullptr;

  bool IsNeeded() const {
    return defaults != nullptr || !children.empty() || !quantities.empty() || !times.empty();
  }
};

bool IsStruct(const runtime::Field& field) {
  return field.message != nullptr && field.shape == runtime::Field::Shape::kOne && !field.pointer &&
         !field.omit_zero && !field.name.empty() &&
         field.message->form() == runtime::Message::Union::kNone;
}

// Planner makes the plan of each type when it is first needed.
class Planner {
 public:
  const Plan& PlanOf(const runtime::Message& message) {
    auto& plan = plans_[&message];
    if (plan != nullptr) return *plan;
    plan = std::make_unique<Plan>();
    Plan& made = *plan;
    made.message = &message;
    const auto* const row =
        std::find_if(kTable.begin(), kTable.end(),
                     [&](const TypeDefaults& each) { return each.type == message.name(); });
    if (row != kTable.end()) {
      made.defaults = row;
      made.members.Parse(row->members.empty() ? "{}" : row->members.data(),
                         row->members.empty() ? 2 : row->members.size());
    }
    if (message.form() != runtime::Message::Union::kNone) return made;
    for (const runtime::Field& field : message.fields()) {
      if (IsStruct(field)) made.structs.push_back(field.name);
      if (field.type == runtime::FieldType::kQuantity) made.quantities.push_back(&field);
      if (field.type == runtime::FieldType::kTime) made.times.push_back(&field);
      if (field.message == nullptr) continue;
      // A type that contains itself has no defaults: the plan is still empty then.
      const Plan& child = PlanOf(*field.message);
      if (child.IsNeeded()) made.children.push_back({.field = &field, .plan = &child});
    }
    return made;
  }

 private:
  std::map<const runtime::Message*, std::unique_ptr<Plan>> plans_;
};

const Plan& PlanOf(const runtime::Message& message) {
  static Mutex mutex;
  static auto& planner = *new Planner;
  const MutexLock lock(mutex);
  return planner.PlanOf(message);
}

// Reports whether Go cannot tell the value from a missing one.
bool IsZero(const runtime::Field& field, const runtime::JsonValue& value) {
  if (field.pointer) return false;
  return (value.IsString() && value.GetStringLength() == 0) || (value.IsArray() && value.Empty()) ||
         (value.IsInt64() && value.GetInt64() == 0);
}

void SetMembers(const Plan& plan, runtime::JsonValue& object, JsonAllocator& allocator) {
  for (const auto& member : plan.members.GetObject()) {
    const std::string_view name = runtime::ToView(member.name);
    const runtime::Field* const field = plan.message->Find(name);
    const runtime::JsonValue* const value = runtime::Find(object, name);
    if (field == nullptr || (value != nullptr && !IsZero(*field, *value))) continue;
    Set(object, name, runtime::JsonValue(member.value, allocator), allocator);
  }
}

// Writes an amount as Go does: "1" for 1 and "1000m".
void Canonicalize(runtime::JsonValue& value, JsonAllocator& allocator) {
  const bool amount = value.IsString() || value.IsNumber();
  const auto quantity = amount
                            ? Quantity::Parse(value.IsString() ? std::string(runtime::ToView(value))
                                                               : runtime::ToJson(value))
                            : std::nullopt;
  if (quantity) value = NewString(quantity->ToString(), allocator);
}

void CanonicalizeQuantities(const Plan& plan, runtime::JsonValue& object,
                            JsonAllocator& allocator) {
  for (const runtime::Field* const field : plan.quantities) {
    runtime::JsonValue* const value = FindMutable(object, field->name);
    if (value == nullptr) continue;
    Canonicalize(*value, allocator);
    if (!value->IsObject()) continue;
    for (auto member = value->MemberBegin(); value->MemberEnd() - member > 0; ++member) {
      Canonicalize(member->value, allocator);
    }
  }
}

// Writes times as Go does: in UTC, and in seconds.
void CanonicalizeTimes(const Plan& plan, runtime::JsonValue& object, JsonAllocator& allocator) {
  constexpr std::size_t kUsualSize = std::string_view("2020-01-02T03:04:05Z").size();
  for (const runtime::Field* const field : plan.times) {
    runtime::JsonValue* const value = FindMutable(object, field->name);
    if (value == nullptr || !value->IsString()) continue;
    const std::string_view text = runtime::ToView(*value);
    if (text.size() == kUsualSize && text.ends_with('Z')) continue;
    const auto time = ParseTime(text);
    if (!time) continue;
    *value = NewString(FormatTime(std::chrono::floor<std::chrono::seconds>(*time)), allocator);
  }
}

void Apply(const Plan& plan, runtime::JsonValue& object, JsonAllocator& allocator);

void ApplyToField(const Plan::Child& child, runtime::JsonValue& value, JsonAllocator& allocator) {
  switch (child.field->shape) {
    case runtime::Field::Shape::kOne:
      if (value.IsObject()) Apply(*child.plan, value, allocator);
      return;
    case runtime::Field::Shape::kList:
      if (!value.IsArray()) return;
      for (runtime::JsonValue& item : value.GetArray()) {
        if (item.IsObject()) Apply(*child.plan, item, allocator);
      }
      return;
    case runtime::Field::Shape::kMap:
      if (!value.IsObject()) return;
      for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0; ++member) {
        if (member->value.IsObject()) Apply(*child.plan, member->value, allocator);
      }
      return;
  }
}

// Sets the defaults of the object and then those of its parts, as Go does.
void Apply(const Plan& plan, runtime::JsonValue& object, JsonAllocator& allocator) {
  for (const std::string_view name : plan.structs) {
    if (runtime::Find(object, name) == nullptr) (void)Ensure(object, name, allocator);
  }
  CanonicalizeQuantities(plan, object, allocator);
  CanonicalizeTimes(plan, object, allocator);
  if (plan.defaults != nullptr) {
    SetMembers(plan, object, allocator);
    if (plan.defaults->set != nullptr) plan.defaults->set(Fields(object, allocator));
  }
  for (const Plan::Child& child : plan.children) {
    if (child.field->name.empty()) {
      Apply(*child.plan, object, allocator);  // its fields are members of this object
    } else if (runtime::JsonValue* const value = FindMutable(object, child.field->name)) {
      ApplyToField(child, *value, allocator);
    }
  }
}

}  // namespace

void SetTypeDefaults(const runtime::Message& message, runtime::JsonDocument& object) {
  const Plan& plan = PlanOf(message);
  if (plan.IsNeeded()) Apply(plan, object, object.GetAllocator());
}

}  // namespace capstan::testing::apiserver
