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
#include "clientgo/testing/apiserver/validation/pod_rules.h"
#include "clientgo/testing/apiserver/validation/rule_text.h"
#include "clientgo/testing/apiserver/validation/validation.h"
#include "clientgo/testing/apiserver/validation/volume_source_rules.h"

namespace capstan::testing::apiserver {
namespace {

void CheckEmptyDir(const Place& source, FieldRules& rules) {
  const Place limit = source["sizeLimit"];
  if (Quantity::Parse(limit.Text()).value_or(Quantity()) < Quantity()) {
    rules.Forbidden(limit, "SizeLimit field must be a valid resource quantity");
  }
}

void CheckGitRepo(const Place& source, FieldRules& rules) {
  CheckDescendingPath(source["directory"], source["directory"], rules);
}

void CheckPodIscsi(const Place& source, FieldRules& rules) {
  CheckIscsi(source, "must be valid format starting with iqn, eui, or naa", rules);
}

// Checks a volume from a ConfigMap or a Secret.
void CheckKeys(const Place& source, FieldRules& rules) {
  CheckMode(source["defaultMode"], rules);
  for (const Place& item : source["items"].Items()) CheckKeyToPath(item, rules);
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
    {.name = "hostPath", .check = CheckHostPath},
    {.name = "gitRepo", .rules = "repository!", .check = CheckGitRepo},
    {.name = "gcePersistentDisk",
     .rules = "pdName!",
     .check = CheckPartition,
     .as_first = "persistentDisk"},
    {.name = "awsElasticBlockStore", .rules = "volumeID!", .check = CheckPartition},
    {.name = "secret", .rules = "secretName!", .check = CheckKeys},
    {.name = "nfs", .rules = "server! path!", .check = CheckNfs},
    {.name = "iscsi", .rules = "targetPortal!", .check = CheckPodIscsi},
    {.name = "glusterfs", .rules = "endpoints! path!"},
    {.name = "flocker", .check = CheckFlocker},
    {.name = "persistentVolumeClaim", .rules = "claimName!"},
    {.name = "rbd", .rules = "monitors! image!"},
    {.name = "cinder", .rules = "volumeID!", .check = CheckSecretRef},
    {.name = "cephfs", .rules = "monitors!", .as_second = "cephFS"},
    {.name = "quobyte", .check = CheckQuobyte},
    {.name = "downwardAPI", .check = CheckDownwardApiVolume, .as_second = "downwarAPI"},
    {.name = "fc", .check = CheckFibreChannel},
    {.name = "flexVolume", .rules = "driver!", .check = CheckFlexOptions},
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
