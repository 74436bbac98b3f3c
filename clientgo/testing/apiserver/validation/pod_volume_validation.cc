// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/quantity.h"
#include "capstan/text.h"
#include "clientgo/cel/go_regexp.h"
#include "clientgo/testing/apiserver/validation/pod_rules.h"
#include "clientgo/testing/apiserver/validation/rule_text.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

void CheckEmptyDir(const Place& source, FieldRules& rules) {
  const Place limit = source["sizeLimit"];
  if (Quantity::Parse(limit.Text()).value_or(Quantity()) < Quantity()) {
    rules.Forbidden(limit, "SizeLimit field must be a valid resource quantity");
  }
}

void CheckHostPath(const Place& source, FieldRules& rules) {
  CheckPathNoBacksteps(source["path"], source["path"], rules);
  const Place type = source["type"];
  if (type.Text().empty()) return;
  rules.OneOf(type, {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File",
                     "FileOrCreate", "Socket"});
}

void CheckGitRepo(const Place& source, FieldRules& rules) {
  CheckDescendingPath(source["directory"], source["directory"], rules);
}

void CheckPartition(const Place& source, FieldRules& rules) {
  const Place partition = source["partition"];
  const std::int64_t number = partition.Number().value_or(0);
  if (number < 0 || number > 255) rules.Invalid(partition, "must be between 1 and 255, inclusive");
}

// Checks a volume from a ConfigMap or a Secret.
void CheckKeys(const Place& source, FieldRules& rules) {
  CheckMode(source["defaultMode"], rules);
  for (const Place& item : source["items"].Items()) CheckKeyToPath(item, rules);
}

void CheckNfs(const Place& source, FieldRules& rules) {
  const Place path = source["path"];
  if (!path.Text().starts_with('/')) rules.InvalidText(path, "must be an absolute path");
}

void CheckInitiator(const Place& name, FieldRules& rules) {
  static const cel::GoRegexp iqn(R"(iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$)");
  static const cel::GoRegexp eui(R"(^eui.[[:alnum:]]{16}$)");
  static const cel::GoRegexp naa(R"(^naa.[[:alnum:]]{32}$)");
  const std::string_view text = name.Text();
  if (!text.starts_with("iqn") && !text.starts_with("eui") && !text.starts_with("naa")) {
    return rules.InvalidText(name, "must be valid format starting with iqn, eui, or naa");
  }
  const cel::GoRegexp& form = text.front() == 'i' ? iqn : text.front() == 'e' ? eui : naa;
  if (!form.Matches(text)) rules.Invalid(name, "must be valid format");
}

void CheckIscsi(const Place& source, FieldRules& rules) {
  if (rules.RequireText(source["iqn"])) CheckInitiator(source["iqn"], rules);
  rules.Between(source["lun"], 0, 255);
  if ((source["chapAuthDiscovery"].IsTrue() || source["chapAuthSession"].IsTrue()) &&
      !source["secretRef"].Given()) {
    rules.Required(source["secretRef"]);
  }
  const Place initiator = source["initiatorName"];
  if (initiator.Given()) CheckInitiator(initiator.At(source["initiatorname"].path()), rules);
}

void CheckFlocker(const Place& source, FieldRules& rules) {
  const Place name = source["datasetName"];
  const bool has_name = !name.Text().empty();
  const bool has_id = !source["datasetUUID"].Text().empty();
  if (!has_name && !has_id) {
    rules.Required(source, "one of datasetName and datasetUUID is required");
  }
  if (has_name && has_id) {
    rules.InvalidAs(source, R"("resource")",
                    "datasetName and datasetUUID can not be specified simultaneously");
  }
  if (name.Text().find('/') != std::string_view::npos) {
    rules.Invalid(name, "must not contain '/'");
  }
}

// Checks the name of the Secret that the member refers to.
void CheckSecretRef(const Place& source, FieldRules& rules) {
  if (source["secretRef"].Given()) rules.RequireText(source["secretRef"]["name"]);
}

void CheckStorageOs(const Place& source, FieldRules& rules) {
  if (rules.RequireText(source["volumeName"])) rules.Label(source["volumeName"]);
  rules.Label(source["volumeNamespace"]);
  CheckSecretRef(source, rules);
}

void CheckQuobyte(const Place& source, FieldRules& rules) {
  constexpr std::string_view kPairs =
      "must be a host:port pair or multiple pairs separated by commas";
  constexpr std::size_t kTenantMax = 64;
  const Place registry = source["registry"];
  if (registry.Text().empty()) {
    rules.Required(registry, kPairs);
  } else if (source["tenant"].Text().size() > kTenantMax) {
    rules.Required(source["tenant"], "must be a UUID and may not exceed a length of 64 characters");
  } else {
    for (const std::string_view pair : Split(registry.Text(), ',')) {
      if (std::count(pair.begin(), pair.end(), ':') != 1) rules.Invalid(registry, kPairs);
    }
  }
  rules.RequireText(source["volume"]);
}

void CheckFc(const Place& source, FieldRules& rules) {
  const Place names = source["targetWWNs"];
  const Place lun = source["lun"];
  const bool has_names = !names.Items().empty();
  const bool has_ids = !source["wwids"].Items().empty();
  if (!has_names && !has_ids) {
    rules.Required(names, "must specify either targetWWNs or wwids, but not both");
  }
  if (has_names && has_ids) {
    rules.Invalid(names, "targetWWNs and wwids can not be specified simultaneously");
  }
  if (!has_names) return;
  if (!lun.Given()) rules.Required(lun, "lun is required if targetWWNs is specified");
  rules.Between(lun, 0, 255);
}

void CheckFlexVolume(const Place& source, FieldRules& rules) {
  for (const Place& key : source["options"].Keys()) {
    const std::string prefix = "." + LowerAscii(key.Text().substr(0, key.Text().find('/')));
    if (!prefix.ends_with(".kubernetes.io") && !prefix.ends_with(".k8s.io")) continue;
    rules.Invalid(key.At(key.path() + "[" + std::string(key.Text()) + "]"),
                  "kubernetes.io and k8s.io namespaces are reserved");
  }
}

void CheckAzureDisk(const Place& source, FieldRules& rules) {
  rules.GivenOneOf(source["cachingMode"], {"None", "ReadOnly", "ReadWrite"});
  rules.GivenOneOf(source["kind"], {"Dedicated", "Managed", "Shared"});
  const Place uri = source["diskURI"];
  const bool managed = source["kind"].Text() == "Managed";
  if (!source["kind"].Given() || uri.Text().starts_with(managed ? "/subscriptions/" : "https://")) {
    return;
  }
  rules.Unsupported(
      uri, Quote(uri.Text()),
      {managed ? "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/"
                 "microsoft.compute/disks/{disk-id}"
               : "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"});
}

void CheckCsi(const Place& source, FieldRules& rules) {
  constexpr std::size_t kNameMax = 63;
  const Place driver = source["driver"];
  rules.RequireText(driver);
  if (driver.Text().size() > kNameMax) rules.TooLong(driver, kNameMax);
  rules.InvalidText(driver, SubdomainErrors(LowerAscii(driver.Text())));
  const Place secret = source["nodePublishSecretRef"];
  if (!secret.Given() || !rules.RequireText(secret["name"])) return;
  rules.Invalid(secret["name"].At(source["name"].path()), SubdomainErrors(secret["name"].Text()));
}

void CheckEphemeral(const Place& source, FieldRules& rules) {
  const Place claim = source["volumeClaimTemplate"];
  if (!claim.Given()) return rules.Required(claim);
  const Place metadata = claim["metadata"];
  const Place annotations = metadata["annotations"];
  for (const Place& key : annotations.Keys()) {
    rules.Invalid(key, QualifiedNameErrors(LowerAscii(key.Text())));
  }
  rules.Labels(metadata["labels"]);
  for (const char* const member :
       {"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation",
        "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences",
        "finalizers", "managedFields"}) {
    const Place field = metadata[member];
    const bool zero = (field.value().IsString() && field.Text().empty()) ||
                      (field.Number() == 0 && std::string_view(member) == "generation");
    if (field.Given() && !zero) rules.Forbidden(field, "cannot be set");
  }
  CheckClaimSpec(claim["spec"], rules);
}

// VolumeType is a type of a volume, in the order in which kube-apiserver checks them. The server
// drops volumes of the type image.
struct VolumeType {
  std::string_view name;
  std::string_view rules = {};  // see rule_text.h
  void (*check)(const Place& source, FieldRules& rules) = nullptr;
  std::string_view as_second = {};  // the name in the error about a second type
  std::string_view as_first = {};   // the name in other errors
};

constexpr VolumeType kTypes[] = {
    {.name = "emptyDir", .check = CheckEmptyDir},
    {.name = "hostPath", .rules = "path!", .check = CheckHostPath},
    {.name = "gitRepo", .rules = "repository!", .check = CheckGitRepo},
    {.name = "gcePersistentDisk",
     .rules = "pdName!",
     .check = CheckPartition,
     .as_first = "persistentDisk"},
    {.name = "awsElasticBlockStore", .rules = "volumeID!", .check = CheckPartition},
    {.name = "secret", .rules = "secretName!", .check = CheckKeys},
    {.name = "nfs", .rules = "server! path!", .check = CheckNfs},
    {.name = "iscsi", .rules = "targetPortal!", .check = CheckIscsi},
    {.name = "glusterfs", .rules = "endpoints! path!"},
    {.name = "flocker", .check = CheckFlocker},
    {.name = "persistentVolumeClaim", .rules = "claimName!"},
    {.name = "rbd", .rules = "monitors! image!"},
    {.name = "cinder", .rules = "volumeID!", .check = CheckSecretRef},
    {.name = "cephfs", .rules = "monitors!", .as_second = "cephFS"},
    {.name = "quobyte", .check = CheckQuobyte},
    {.name = "downwardAPI", .check = CheckDownwardApiVolume, .as_second = "downwarAPI"},
    {.name = "fc", .check = CheckFc},
    {.name = "flexVolume", .rules = "driver!", .check = CheckFlexVolume},
    {.name = "configMap", .rules = "name!", .check = CheckKeys},
    {.name = "azureFile", .rules = "secretName! shareName!"},
    {.name = "vsphereVolume", .rules = "volumePath!"},
    {.name = "photonPersistentDisk", .rules = "pdID!"},
    {.name = "portworxVolume", .rules = "volumeID!"},
    {.name = "azureDisk", .rules = "diskName! diskURI!", .check = CheckAzureDisk},
    {.name = "storageos", .check = CheckStorageOs},
    {.name = "projected", .check = CheckProjectedVolume},
    {.name = "scaleIO", .rules = "gateway! system! volumeName!"},
    {.name = "csi", .check = CheckCsi},
    {.name = "ephemeral", .check = CheckEphemeral},
};

void CheckNameOfIscsi(const Place& volume, FieldRules& rules) {
  constexpr std::size_t kNameAndPortalMax = 64;
  const Place iscsi = volume["iscsi"];
  if (!iscsi["initiatorName"].Given()) return;
  if (volume["name"].Text().size() + 1 + iscsi["targetPortal"].Text().size() <= kNameAndPortalMax) {
    return;
  }
  rules.InvalidText(volume["name"],
                    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 "
                    "characters if iscsi.initiatorName is specified.");
}

void CheckNameOfClaim(const Place& volume, std::string_view pod_name, FieldRules& rules) {
  const Place name = volume["name"];
  if (pod_name.empty() || name.Text().empty()) return;
  const std::string claim = std::string(pod_name) + "-" + std::string(name.Text());
  for (const std::string& error : SubdomainErrors(claim)) {
    rules.Invalid(name, "PVC name " + Quote(claim) + ": " + error);
  }
}

// Default volumes without a type are emptyDirs, so each has one.
void CheckSource(const Place& volume, std::string_view pod_name, FieldRules& rules) {
  bool found = false;
  for (const VolumeType& type : kTypes) {
    const Place source = volume[type.name];
    if (!source.Given()) continue;
    if (found) {
      const Place named = type.as_second.empty() ? source : volume[type.as_second];
      rules.Forbidden(named, "may not specify more than 1 volume type");
    } else {
      found = true;
      const Place named = type.as_first.empty() ? source : source.At(volume[type.as_first].path());
      CheckRules(type.rules, named, rules);
      if (type.check != nullptr) type.check(named, rules);
      if (type.name == "ephemeral") CheckNameOfClaim(volume, pod_name, rules);
    }
    if (type.name == "iscsi") CheckNameOfIscsi(volume, rules);
  }
}

}  // namespace

void CheckVolumes(const Place& volumes, std::string_view pod_name, PodScope& scope,
                  FieldRules& rules) {
  std::set<std::string> created;
  for (const Place& volume : volumes.Items()) {
    if (pod_name.empty() || !volume["ephemeral"].Given()) continue;
    created.insert(std::string(pod_name) + "-" + std::string(volume["name"].Text()));
  }
  for (const Place& volume : volumes.Items()) {
    const std::size_t before = rules.causes().size();
    CheckSource(volume, pod_name, rules);
    const Place name = volume["name"];
    if (rules.RequireText(name)) rules.Label(name);
    if (scope.volumes.contains(name.Text())) rules.Duplicate(name);
    // Nothing can mount an invalid volume.
    if (rules.causes().size() == before) scope.volumes.emplace(name.Text(), volume);
    const Place claim = volume["persistentVolumeClaim"]["claimName"];
    if (!claim.Given() || !created.contains(std::string(claim.Text()))) continue;
    rules.Invalid(claim, "must not reference a PVC that gets created for an ephemeral volume");
  }
}

}  // namespace capstan::testing::apiserver
