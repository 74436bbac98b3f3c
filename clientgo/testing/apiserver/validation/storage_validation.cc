// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/quantity.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/pod_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

void CheckAccessModes(const Place& modes, FieldRules& rules) {
  constexpr std::string_view kOnePod = "ReadWriteOncePod";
  bool one_pod = false;
  bool others = false;
  for (const Place& mode : modes.Items()) {
    const std::size_t before = rules.causes().size();
    rules.OneOf(mode.At(modes.path()), {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", kOnePod});
    const bool known = rules.causes().size() == before;
    one_pod = one_pod || mode.Text() == kOnePod;
    others = others || (known && mode.Text() != kOnePod);
  }
  if (one_pod && others) {
    rules.Forbidden(modes, "may not use ReadWriteOncePod with other access modes");
  }
}

void CheckPositive(const Place& amount, FieldRules& rules) {
  const auto quantity = Quantity::Parse(amount.Text());
  if (quantity && *quantity <= Quantity()) rules.Invalid(amount, "must be greater than zero");
}

void CheckProvisioner(const Place& name, FieldRules& rules) {
  if (!rules.RequireText(name)) return;
  // The error shows the name in lower case.
  const std::string lower = LowerAscii(name.Text());
  for (const std::string& error : QualifiedNameErrors(lower)) {
    rules.InvalidAs(name, Quote(lower), error);
  }
}

void CheckParameters(const Place& parameters, FieldRules& rules) {
  constexpr std::size_t kMost = 512;
  constexpr std::size_t kBytesMax = 256UL * (1UL << 10U);
  const auto keys = parameters.Keys();
  if (keys.size() > kMost) return rules.TooLong(parameters, kMost);
  std::size_t bytes = 0;
  for (const Place& key : keys) {
    if (key.Text().empty()) rules.InvalidAs(parameters, R"("")", "field can not be empty.");
    bytes += key.Text().size() + parameters[key.Text()].Text().size();
  }
  if (bytes > kBytesMax) rules.TooLong(parameters, kBytesMax);
}

// Checks where volumes of a class can be. Two terms and two requirements differ.
void CheckTopologies(const Place& topologies, FieldRules& rules) {
  using Values = std::set<std::string_view>;
  std::set<std::map<std::string_view, Values>> terms;
  for (const Place& term : topologies.Items()) {
    std::map<std::string_view, Values> values_of;
    const Place requirements = term["matchLabelExpressions"];
    for (const Place& requirement : requirements.Items()) {
      const Place key = requirement["key"];
      const Place values = requirement["values"];
      Values known;
      if (values.Items().empty()) rules.Required(values);
      for (const Place& value : values.Items()) {
        if (!known.insert(value.Text()).second) rules.Duplicate(value);
      }
      rules.InvalidText(key, QualifiedNameErrors(key.Text()));
      if (values_of.contains(key.Text())) rules.Duplicate(key);
      values_of[key.Text()] = known;
    }
    if (!terms.insert(values_of).second) rules.DuplicateAs(requirements, R"("")");
  }
}

// Some types of volumes have options of mounts in an annotation.
void CheckMountOptions(const Place& volume, FieldRules& rules) {
  constexpr std::string_view kOptions = "volume.beta.kubernetes.io/mount-options";
  const Place annotations = volume["metadata"]["annotations"];
  if (!annotations.Entry(kOptions).Given()) return;
  for (const char* const type :
       {"gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "nfs", "rbd", "quobyte", "iscsi",
        "cinder", "cephfs", "azureFile", "vsphereVolume", "azureDisk", "photonPersistentDisk"}) {
    if (volume["spec"][type].Given()) return;
  }
  rules.Forbidden(annotations[kOptions], "may not specify mount options for this volume type");
}

// Checks what a claim is filled from.
void CheckDataSource(const Place& source, FieldRules& rules) {
  if (!source.Given()) return;
  rules.RequireText(source["name"]);
  rules.RequireText(source["kind"]);
  const Place group = source["apiGroup"];
  if (group.Text().empty() && source["kind"].Text() != "PersistentVolumeClaim") {
    rules.InvalidAs(source, Quote(source["kind"].Text()),
                    "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  rules.Subdomain(group);
  rules.Label(source["namespace"]);
}

// dataSource is the old form of dataSourceRef. The server drops a dataSourceRef with a namespace.
void CheckDataSources(const Place& spec, FieldRules& rules) {
  const Place source = spec["dataSource"];
  const Place reference = spec["dataSourceRef"];
  CheckDataSource(source, rules);
  CheckDataSource(reference, rules);
  if (!source.Given() || !reference.Given()) return;
  for (const char* const member : {"apiGroup", "kind", "name"}) {
    if (source[member].value() == reference[member].value()) continue;
    return rules.InvalidAs(spec, "{}", "must match dataSourceRef");
  }
}

}  // namespace

void CheckPersistentVolume(const Place& volume, FieldRules& rules) {
  const Place spec = volume["spec"];
  if (spec["accessModes"].Items().empty()) rules.Required(spec["accessModes"]);
  CheckAccessModes(spec["accessModes"], rules);
  const Place capacity = spec["capacity"];
  if (!capacity.Given() || IsEmptyContainer(capacity.value())) rules.Required(capacity);
  if (!capacity.Entry("storage").Given() || capacity.Keys().size() > 1) {
    rules.Unsupported(capacity, capacity.Json(), {"storage"});
  }
  for (const Place& key : capacity.Keys()) {
    const Place amount = capacity.Entry(key.Text());
    const auto quantity = Quantity::Parse(amount.Text());
    if (quantity && quantity->value() < 0) {
      rules.InvalidAs(amount, std::to_string(quantity->value()),
                      "must be a valid resource quantity");
    }
    CheckPositive(amount, rules);
  }
  rules.OneOf(spec["persistentVolumeReclaimPolicy"], {"Delete", "Recycle", "Retain"});
  if (const Place affinity = spec["nodeAffinity"]["required"]; affinity.Given()) {
    CheckNodeSelector(affinity, rules);
  } else if (spec["nodeAffinity"].Given()) {
    rules.Required(affinity, "must specify required node constraints");
  }
  CheckVolumeSources(spec, rules);
  if (spec["hostPath"]["path"].Text().find_first_not_of('/') == std::string_view::npos &&
      spec["hostPath"]["path"].Text().starts_with('/') &&
      spec["persistentVolumeReclaimPolicy"].Text() == "Recycle") {
    rules.Forbidden(spec["persistentVolumeReclaimPolicy"],
                    "may not be 'recycle' for a hostPath mount of '/'");
  }
  rules.Subdomain(spec["storageClassName"]);
  rules.OneOf(spec["volumeMode"], {"Block", "Filesystem"});
  CheckMountOptions(volume, rules);
  const Place attributes = spec["volumeAttributesClassName"];
  if (!attributes.Given()) return;
  if (rules.RequireText(attributes, "an empty string is disallowed")) rules.Subdomain(attributes);
  if (!spec["csi"].Given()) {
    rules.Required(spec["csi"], "has to be specified when using volumeAttributesClassName");
  }
}

void CheckPersistentVolumeUpdate(const Place& live, const Place& next, FieldRules& rules) {
  const auto same = [](const std::vector<Place>& a, const std::vector<Place>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Place& x, const Place& y) {
      return x.path() == y.path() && x.value() == y.value();
    });
  };
  if (!same(VolumeSourcesOf(live["spec"]), VolumeSourcesOf(next["spec"]))) {
    rules.Forbidden(next["spec"]["persistentvolumesource"],
                    "spec.persistentvolumesource is immutable after creation");
  }
  rules.Immutable(live["spec"]["volumeMode"], next["spec"]["volumeMode"].At("volumeMode"));
}

void CheckClaimSpec(const Place& spec, FieldRules& rules) {
  if (spec["accessModes"].Items().empty()) {
    rules.Required(spec["accessModes"], "at least 1 access mode is required");
  }
  rules.LabelSelector(spec["selector"]);
  CheckAccessModes(spec["accessModes"], rules);
  const Place storage =
      spec["resources"]["requests"]["storage"].At(spec["resources"].path() + "[storage]");
  if (!storage.Given()) rules.Required(storage);
  CheckPositive(storage, rules);
  rules.Subdomain(spec["storageClassName"]);
  rules.GivenOneOf(spec["volumeMode"], {"Block", "Filesystem"});
  CheckDataSources(spec, rules);
  rules.Subdomain(spec["volumeAttributesClassName"]);
}

void CheckClaim(const Place& claim, FieldRules& rules) { CheckClaimSpec(claim["spec"], rules); }

void CheckClaimUpdate(const Place& live, const Place& next, FieldRules& rules) {
  const Place before = live["spec"];
  const Place after = next["spec"];
  const bool bound = live["status"]["phase"].Text() == "Bound";
  const auto fixed = [&](const Place& spec) {
    runtime::JsonDocument copy;
    copy.CopyFrom(spec.value(), copy.GetAllocator());
    if (!copy.IsObject()) return copy;
    Remove(copy, "volumeAttributesClassName");
    if (FindMutable(copy, "dataSourceRef") != nullptr) {
      Remove(copy, "dataSource");
    } else if (const runtime::JsonValue* const source = FindMutable(copy, "dataSource")) {
      Set(copy, "dataSourceRef", runtime::JsonValue(*source, copy.GetAllocator()),
          copy.GetAllocator());
      Remove(copy, "dataSource");
    }
    // The volume of an unbound claim is set when it is bound.
    if (before["volumeName"].Text().empty()) Remove(copy, "volumeName");
    runtime::JsonValue* const resources = FindMutable(copy, "resources");
    if (bound && resources != nullptr) Remove(*resources, "requests");
    return copy;
  };
  if (fixed(before) != fixed(after)) {
    rules.Forbidden(after,
                    "spec is immutable after creation except resources.requests and "
                    "volumeAttributesClassName for bound claims");
    return;
  }
  const auto amount = [](const Place& spec) {
    return Quantity::Parse(spec["resources"]["requests"]["storage"].Text()).value_or(Quantity());
  };
  const auto capacity =
      Quantity::Parse(live["status"]["capacity"]["storage"].Text()).value_or(Quantity());
  if (amount(after) < amount(before) && amount(after) <= capacity) {
    rules.Forbidden(after["resources"]["requests"]["storage"],
                    "field can not be less than status.capacity");
  }
}

void CheckDriverName(const Place& name, FieldRules& rules) {
  constexpr std::size_t kMost = 63;
  rules.RequireText(name);
  if (name.Text().size() > kMost) rules.TooLong(name, kMost);
  rules.InvalidText(name, SubdomainErrors(LowerAscii(name.Text())));
}

void CheckCsiDriver(const Place& driver, FieldRules& rules) {
  constexpr std::int64_t kLeast = 600;
  constexpr std::int64_t kMost = std::int64_t{1} << 32U;
  const Place spec = driver["spec"];
  const Place policy = spec["fsGroupPolicy"];
  if (policy.Given() && policy.Text().empty()) {
    rules.Unsupported(policy, R"("")", {"File", "None", "ReadWriteOnceWithFSType"});
  }
  rules.OneOf(policy, {"File", "None", "ReadWriteOnceWithFSType"});
  std::set<std::string_view> audiences;
  for (const Place& request : spec["tokenRequests"].Items()) {
    const Place expiration = request["expirationSeconds"];
    const std::int64_t seconds = expiration.Number().value_or(kLeast);
    if (!audiences.insert(request["audience"].Text()).second) {
      rules.Duplicate(request["audience"]);
    } else if (seconds < kLeast) {
      rules.Invalid(expiration, "may not specify a duration less than 10 minutes");
    } else if (seconds > kMost) {
      rules.Invalid(expiration, "may not specify a duration larger than 2^32 seconds");
    }
  }
  const Place modes = spec["volumeLifecycleModes"];
  for (const Place& mode : modes.Items()) {
    if (mode.Text() == "Persistent" || mode.Text() == "Ephemeral") continue;
    rules.Unsupported(modes, Quote(mode.Text()), {"Persistent", "Ephemeral"});
  }
}

void CheckStorageCapacity(const Place& capacity, FieldRules& rules) {
  rules.LabelSelector(capacity["nodeTopology"]);
  const Place name = capacity["storageClassName"];
  rules.InvalidText(name, SubdomainErrors(name.Text()));
  const auto amount = Quantity::Parse(capacity["capacity"].Text());
  if (amount && *amount < Quantity()) {
    rules.Invalid(capacity["capacity"], "must be greater than or equal to 0");
  }
}

void CheckStorageClass(const Place& storage_class, FieldRules& rules) {
  CheckProvisioner(storage_class["provisioner"], rules);
  CheckParameters(storage_class["parameters"], rules);
  rules.OneOf(storage_class["reclaimPolicy"], {"Delete", "Retain"});
  const Place mode = storage_class["volumeBindingMode"];
  if (mode.Given() && mode.Text().empty()) {
    rules.Unsupported(mode, R"("")", {"Immediate", "WaitForFirstConsumer"});
  }
  rules.OneOf(mode, {"Immediate", "WaitForFirstConsumer"});
  CheckTopologies(storage_class["allowedTopologies"], rules);
}

void CheckAttributesClass(const Place& attributes_class, FieldRules& rules) {
  const Place parameters = attributes_class["parameters"];
  CheckProvisioner(attributes_class["driverName"], rules);
  CheckParameters(parameters, rules);
  if (parameters.Keys().empty()) {
    rules.Required(parameters, "must contain at least one key/value pair");
  }
}

void CheckStorageClassUpdate(const Place& live, const Place& next, FieldRules& rules) {
  for (const char* const member : {"parameters", "provisioner", "reclaimPolicy"}) {
    if (live[member].value() == next[member].value()) continue;
    rules.Forbidden(next[member], std::string("updates to ") + member + " are forbidden.");
  }
  rules.Immutable(live["volumeBindingMode"], next["volumeBindingMode"]);
}

void CheckAttributesClassUpdate(const Place& live, const Place& next, FieldRules& rules) {
  for (const char* const member : {"driverName", "parameters"}) {
    if (live[member].value() == next[member].value()) continue;
    rules.Forbidden(next[member], std::string("updates to ") + member + " are forbidden.");
  }
}

void CheckVolumeAttachment(const Place& attachment, FieldRules& rules) {
  const Place spec = attachment["spec"];
  const Place source = spec["source"];
  const Place name = source["persistentVolumeName"];
  const bool inlined = source["inlineVolumeSpec"].Given();
  rules.RequireText(spec["attacher"]);
  constexpr std::string_view kOne =
      "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (!inlined && !name.Given()) rules.Required(source, kOne);
  if (inlined && name.Given()) rules.Forbidden(source, kOne);
  if (name.Given() && name.Text().empty()) {
    rules.Required(name, "must specify non empty persistentVolumeName");
  }
  rules.InvalidText(spec["nodeName"], SubdomainErrors(spec["nodeName"].Text()));
}

void CheckCsiNode(const Place& node, FieldRules& rules) {
  std::vector<std::string_view> names;
  for (const Place& driver : node["spec"]["drivers"].Items()) {
    const Place name = driver["name"];
    CheckDriverName(name, rules);
    rules.RequireText(driver["nodeID"]);
    if (std::find(names.begin(), names.end(), name.Text()) != names.end()) rules.Duplicate(name);
    names.push_back(name.Text());
  }
}

}  // namespace capstan::testing::apiserver
