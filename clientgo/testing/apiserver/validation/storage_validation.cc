// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
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

// Returns the members of a volume's spec that name its type.
std::vector<Place> SourcesOf(const Place& spec) {
  constexpr std::array kSources = {"hostPath",
                                   "gcePersistentDisk",
                                   "awsElasticBlockStore",
                                   "glusterfs",
                                   "flocker",
                                   "nfs",
                                   "rbd",
                                   "quobyte",
                                   "cephfs",
                                   "iscsi",
                                   "cinder",
                                   "fc",
                                   "flexVolume",
                                   "azureFile",
                                   "vsphereVolume",
                                   "photonPersistentDisk",
                                   "portworxVolume",
                                   "azureDisk",
                                   "scaleIO",
                                   "local",
                                   "storageos",
                                   "csi"};
  std::vector<Place> sources;
  for (const char* const name : kSources) {
    if (spec[name].Given()) sources.push_back(spec[name]);
  }
  return sources;
}

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
}

// dataSource is the former form of dataSourceRef. The server drops the namespace of the latter.
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
  const bool empty = !capacity.Given() || IsEmptyContainer(capacity.value());
  if (empty) rules.Required(capacity);
  if (!capacity.Entry("storage").Given() || capacity.Keys().size() > 1) {
    rules.Unsupported(capacity, empty ? "null" : capacity.Json(), {"storage"});
  }
  for (const Place& key : capacity.Keys()) CheckPositive(capacity.Entry(key.Text()), rules);
  rules.OneOf(spec["persistentVolumeReclaimPolicy"], {"Delete", "Recycle", "Retain"});
  if (const Place affinity = spec["nodeAffinity"]["required"]; affinity.Given()) {
    CheckNodeSelector(affinity, rules);
  } else if (spec["nodeAffinity"].Given()) {
    rules.Required(affinity, "must specify required node constraints");
  }
  const auto sources = SourcesOf(spec);
  if (sources.empty()) rules.Required(spec, "must specify a volume type");
  for (std::size_t i = 1; i < sources.size(); ++i) {
    rules.Forbidden(sources[i], "may not specify more than 1 volume type");
  }
  if (const Place path = spec["hostPath"]; path.Given()) rules.RequireText(path["path"]);
  if (const Place csi = spec["csi"]; csi.Given()) {
    rules.RequireText(csi["driver"]);
    rules.RequireText(csi["volumeHandle"]);
  }
  if (const Place nfs = spec["nfs"]; nfs.Given()) {
    rules.RequireText(nfs["server"]);
    rules.RequireText(nfs["path"]);
  }
  if (spec["local"].Given() && !spec["nodeAffinity"].Given()) {
    rules.Required(spec["nodeAffinity"], "Local volume requires node affinity");
  }
  rules.Subdomain(spec["storageClassName"]);
  rules.OneOf(spec["volumeMode"], {"Block", "Filesystem"});
}

void CheckPersistentVolumeUpdate(const Place& live, const Place& next, FieldRules& rules) {
  const auto same = [](const std::vector<Place>& a, const std::vector<Place>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Place& x, const Place& y) {
      return x.path() == y.path() && x.value() == y.value();
    });
  };
  if (!same(SourcesOf(live["spec"]), SourcesOf(next["spec"]))) {
    rules.Forbidden(next["spec"]["persistentvolumesource"],
                    "spec.persistentvolumesource is immutable after creation");
  }
  rules.Immutable(live["spec"]["volumeMode"], next["spec"]["volumeMode"]);
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

void CheckStorageClass(const Place& storage_class, FieldRules& rules) {
  const Place provisioner = storage_class["provisioner"];
  if (rules.RequireText(provisioner)) {
    rules.Invalid(provisioner, QualifiedNameErrors(LowerAscii(provisioner.Text())));
  }
  rules.OneOf(storage_class["reclaimPolicy"], {"Delete", "Retain"});
  rules.OneOf(storage_class["volumeBindingMode"], {"Immediate", "WaitForFirstConsumer"});
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
    if (rules.RequireText(name)) rules.Subdomain(name.At(name.path()));
    rules.RequireText(driver["nodeID"]);
    if (std::find(names.begin(), names.end(), name.Text()) != names.end()) rules.Duplicate(name);
    names.push_back(name.Text());
  }
}

}  // namespace capstan::testing::apiserver
