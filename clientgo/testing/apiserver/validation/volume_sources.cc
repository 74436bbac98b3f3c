// SPDX-License-Identifier: Apache-2.0
// The types of PersistentVolumes: exactly one of them is given, with its members. Mirrors
// ValidatePersistentVolumeSpec of k8s.io/kubernetes/pkg/apis/core/validation.
#include <array>
#include <string_view>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/pod_rules.h"
#include "clientgo/testing/apiserver/validation/rule_text.h"
#include "clientgo/testing/apiserver/validation/validation.h"
#include "clientgo/testing/apiserver/validation/volume_source_rules.h"

namespace capstan::testing::apiserver {
namespace {

void CheckGlusterfs(const Place& volume, FieldRules& rules) {
  const Place ns = volume["endpointsNamespace"];
  if (!ns.Given()) return;
  if (ns.Text().empty()) {
    rules.InvalidText(ns, "if the endpointnamespace is set, it must be a valid namespace name");
  } else {
    rules.Label(ns);
  }
}

void CheckPersistentIscsi(const Place& volume, FieldRules& rules) {
  CheckIscsi(volume, "must be valid format", rules);
  if (volume["secretRef"].Given()) rules.RequireText(volume["secretRef"]["name"]);
}

void CheckAzureFile(const Place& volume, FieldRules& rules) {
  const Place ns = volume["secretNamespace"];
  if (ns.Given() && ns.Text().empty()) rules.Required(ns);
}

void CheckLocalVolume(const Place& volume, FieldRules& rules) {
  const Place path = volume["path"];
  if (rules.RequireText(path)) CheckPathNoBacksteps(path, path, rules);
}

void CheckPersistentStorageOs(const Place& volume, FieldRules& rules) {
  if (rules.RequireText(volume["volumeName"])) rules.Label(volume["volumeName"]);
  rules.Label(volume["volumeNamespace"]);
}

void CheckFullSecret(const Place& volume, FieldRules& rules) {
  if (volume["secretRef"].Given())
    CheckRules("secretRef.name! secretRef.namespace!", volume, rules);
}

void CheckPersistentCsi(const Place& volume, FieldRules& rules) {
  CheckDriverName(volume["driver"], rules);
  rules.RequireText(volume["volumeHandle"]);
  for (const char* const member : {"controllerPublishSecretRef", "controllerExpandSecretRef",
                                   "nodePublishSecretRef", "nodeExpandSecretRef"}) {
    const Place secret = volume[member];
    if (!secret.Given()) continue;
    if (rules.RequireText(secret["name"])) rules.Subdomain(secret["name"]);
    if (rules.RequireText(secret["namespace"])) rules.Label(secret["namespace"]);
  }
}

// PersistentType is a row of the table: a member of the spec, and its rules.
struct PersistentType {
  const char* member;
  std::string_view rules = {};
  void (*check)(const Place& volume, FieldRules& rules) = nullptr;
  const char* path = nullptr;   // of its members, where errors show another one
  const char* twice = nullptr;  // the same for the error of a second volume
};

constexpr std::array kPersistentTypes = {
    PersistentType{"hostPath", {}, CheckHostPath},
    PersistentType{"gcePersistentDisk", "pdName!", CheckPartition, "spec.persistentDisk"},
    PersistentType{"awsElasticBlockStore", "volumeID!", CheckPartition},
    PersistentType{"glusterfs", "endpoints! path!", CheckGlusterfs},
    PersistentType{"flocker", {}, CheckFlocker},
    PersistentType{"nfs", "server! path!", CheckNfs},
    PersistentType{"rbd", "monitors! image!"},
    PersistentType{"quobyte", {}, CheckQuobyte},
    PersistentType{"cephfs", "monitors!", nullptr, nullptr, "spec.cephFS"},
    PersistentType{"iscsi", "targetPortal!", CheckPersistentIscsi},
    PersistentType{"cinder", "volumeID!", CheckFullSecret},
    PersistentType{"fc", {}, CheckFibreChannel},
    PersistentType{"flexVolume", "driver!", CheckFlexOptions},
    PersistentType{"azureFile", "secretName! shareName!", CheckAzureFile},
    PersistentType{"vsphereVolume", "volumePath!"},
    PersistentType{"photonPersistentDisk", "pdID!"},
    PersistentType{"portworxVolume", "volumeID!"},
    PersistentType{"azureDisk", "diskName! diskURI!", CheckAzureDisk},
    PersistentType{"scaleIO", "gateway! system! volumeName!"},
    PersistentType{"local", {}, CheckLocalVolume},
    PersistentType{"storageos", {}, CheckPersistentStorageOs},
    PersistentType{"csi", {}, CheckPersistentCsi},
};

}  // namespace

std::vector<Place> VolumeSourcesOf(const Place& spec) {
  std::vector<Place> sources;
  for (const PersistentType& type : kPersistentTypes) {
    if (spec[type.member].Given()) sources.push_back(spec[type.member]);
  }
  return sources;
}

void CheckVolumeSources(const Place& spec, FieldRules& rules) {
  bool found = false;
  for (const PersistentType& type : kPersistentTypes) {
    const std::string_view member = type.member;
    const Place volume = spec[member];
    if (!volume.Given()) continue;
    if (found && member != "flexVolume") {
      rules.Forbidden(type.twice == nullptr ? volume : volume.At(type.twice),
                      "may not specify more than 1 volume type");
      continue;
    }
    found = true;
    const Place shown = type.path == nullptr ? volume : volume.At(type.path);
    CheckRules(type.rules, shown, rules);
    if (type.check != nullptr) type.check(shown, rules);
    if (member == "storageos") CheckFullSecret(shown, rules);
    if (member == "local" && !spec["nodeAffinity"].Given()) {
      rules.Required(spec["nodeAffinity"], "Local volume requires node affinity");
    }
  }
  if (!found) rules.Required(spec, "must specify a volume type");
}

}  // namespace capstan::testing::apiserver
