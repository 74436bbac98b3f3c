// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/kind_warnings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "capstan/base64.h"
#include "capstan/cert/pem.h"
#include "capstan/quantity.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/network_rules.h"

namespace capstan::testing::apiserver {
namespace {

using TextPair = std::pair<std::string_view, std::string_view>;

constexpr std::string_view kStorageClass = "volume.beta.kubernetes.io/storage-class";
constexpr std::string_view kUseStorageClass =
    R"(deprecated since v1.8; use "storageClassName" attribute instead)";

// Adds a warning about a member.
void AddWarning(const Place& place, std::string_view what, Warnings& warnings) {
  warnings.push_back(place.path() + ": " + std::string(what));
}

bool IsAnnotated(const Place& object, std::string_view key) {
  return object["metadata"]["annotations"].Entry(key).Given();
}

bool IsManagedBy(const Place& object, std::string_view label,
                 std::initializer_list<std::string_view> controllers) {
  const Place labels = object["metadata"]["labels"];
  return std::find(controllers.begin(), controllers.end(), labels.Entry(label).Text()) !=
         controllers.end();
}

// Warns of the labels of Nodes in requirements, each of which has a key.
void WarnOfLabels(const Place& expressions, Warnings& warnings) {
  for (const Place& expression : expressions.Items()) {
    const Place key = expression["key"];
    const std::string_view use = DeprecatedNodeLabel(key.Text());
    if (!use.empty())
      AddWarning(key, std::string(key.Text()) + " is " + std::string(use), warnings);
  }
}

// Returns the labels of the PEM blocks in a value of a Secret.
std::vector<std::string> PemLabels(const Place& value) {
  const std::string text = Base64Decode(value.Text()).value_or("");
  std::vector<std::string> labels;
  cert::PemReader reader(text);
  while (const auto block = reader.Next()) labels.emplace_back(block->label);
  return labels;
}

bool IsKeyLabel(std::string_view label) {
  return label == "PRIVATE KEY" || label.ends_with(" PRIVATE KEY");
}

// Returns why the Secret has no pair of a certificate and a key. Mirrors the first steps of
// crypto/tls.X509KeyPair. Not checked: whether they can be parsed, and match.
std::string PairProblem(const Place& data) {
  const auto found = PemLabels(data.Entry("tls.crt"));
  if (found.empty()) return "failed to find any PEM data in certificate input";
  const auto is_certificate = [](const std::string& one) { return one == cert::kCertificateBlock; };
  if (std::none_of(found.begin(), found.end(), is_certificate)) {
    if (found.size() == 1 && found.front().ends_with("PRIVATE KEY")) {
      return "failed to find certificate PEM data in certificate input, but did find a private "
             "key; PEM inputs may have been switched";
    }
    return "failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM "
           "blocks "
           "of the following types: [" +
           Join(found, " ") + "]";
  }
  const auto keys = PemLabels(data.Entry("tls.key"));
  if (keys.empty()) return "failed to find any PEM data in key input";
  if (std::any_of(keys.begin(), keys.end(), IsKeyLabel)) return {};
  if (keys.size() == 1 && is_certificate(keys.front())) {
    return "found a certificate rather than a key in the PEM for the private key";
  }
  return "failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping "
         "PEM blocks of the following types: [" +
         Join(keys, " ") + "]";
}

}  // namespace

std::string_view DeprecatedNodeLabel(std::string_view key) {
  constexpr std::array<TextPair, 8> kLabels = {{
      {"beta.kubernetes.io/arch", R"(deprecated since v1.14; use "kubernetes.io/arch" instead)"},
      {"beta.kubernetes.io/os", R"(deprecated since v1.14; use "kubernetes.io/os" instead)"},
      {"failure-domain.beta.kubernetes.io/region",
       R"(deprecated since v1.17; use "topology.kubernetes.io/region" instead)"},
      {"failure-domain.beta.kubernetes.io/zone",
       R"(deprecated since v1.17; use "topology.kubernetes.io/zone" instead)"},
      {"beta.kubernetes.io/instance-type",
       R"(deprecated since v1.17; use "node.kubernetes.io/instance-type" instead)"},
      {"app.kubernetes.io/created-by", "deprecated since v1.9"},
      {"scheduler.alpha.kubernetes.io/preferAvoidPods",
       "deprecated since v1.22; use Taints and Tolerations instead"},
      {"node-role.kubernetes.io/master", R"(use "node-role.kubernetes.io/control-plane" instead)"},
  }};
  for (const auto& [label, use] : kLabels) {
    if (label == key) return use;
  }
  return {};
}

Warnings ClaimWarnings(const Place& /*live*/, const Place& next) {
  Warnings warnings;
  const Place beta = next["metadata"]["annotations"].Entry(kStorageClass);
  if (beta.Given()) AddWarning(beta, kUseStorageClass, warnings);
  for (const char* const member : {"requests", "limits"}) {
    const Place amount = next["spec"]["resources"][member].Entry("storage");
    const auto quantity = Quantity::Parse(amount.Text());
    if (!quantity || quantity->milli() % 1000 == 0) continue;
    AddWarning(amount,
               "fractional byte value " + Quote(amount.Text()) + " is invalid, must be an integer",
               warnings);
  }
  return warnings;
}

Warnings EndpointsWarnings(const Place& /*live*/, const Place& next) {
  Warnings warnings;
  if (IsManagedBy(next, "endpoints.kubernetes.io/managed-by", {"endpoint-controller"})) return {};
  for (const Place& subset : next["subsets"].Items()) {
    for (const char* const member : {"addresses", "notReadyAddresses"}) {
      for (const Place& address : subset[member].Items()) WarnOfAddress(address["ip"], warnings);
    }
  }
  return warnings;
}

Warnings EndpointSliceWarnings(const Place& live, const Place& next) {
  Warnings warnings;
  if (!live.Given() && next["addressType"].Text() == "FQDN") {
    warnings.emplace_back("spec.addressType: FQDN endpoints are deprecated");
  }
  if (IsManagedBy(
          next, "endpointslice.kubernetes.io/managed-by",
          {"endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"})) {
    return warnings;
  }
  for (const Place& endpoint : next["endpoints"].Items()) {
    for (const Place& address : endpoint["addresses"].Items()) WarnOfAddress(address, warnings);
  }
  return warnings;
}

Warnings IngressWarnings(const Place& live, const Place& next) {
  constexpr std::string_view kClass = "kubernetes.io/ingress.class";
  if (live.Given() || !IsAnnotated(next, kClass) || next["spec"]["ingressClassName"].Given()) {
    return {};
  }
  return {"annotation " + Quote(kClass) +
          " is deprecated, please use 'spec.ingressClassName' instead"};
}

Warnings NetworkPolicyWarnings(const Place& /*live*/, const Place& next) {
  Warnings warnings;
  for (const auto& [direction, peers] : {TextPair("ingress", "from"), TextPair("egress", "to")}) {
    for (const Place& rule : next["spec"][direction].Items()) {
      for (const Place& peer : rule[peers].Items()) {
        const Place block = peer["ipBlock"];
        WarnOfCidr(block["cidr"], warnings);
        for (const Place& except : block["except"].Items()) WarnOfCidr(except, warnings);
      }
    }
  }
  return warnings;
}

Warnings NodeWarnings(const Place& /*live*/, const Place& next) {
  Warnings warnings;
  const Place spec = next["spec"];
  if (!spec["externalID"].Text().empty()) {
    AddWarning(spec["externalID"], "this field is deprecated, and is unused by Kubernetes",
               warnings);
  }
  for (const Place& range : spec["podCIDRs"].Items()) WarnOfCidr(range, warnings);
  return warnings;
}

Warnings PersistentVolumeWarnings(const Place& /*live*/, const Place& next) {
  constexpr std::array<TextPair, 6> kVolumes = {{
      {"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
      {"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
      {"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
      {"storageos", "deprecated in v1.22, non-functional in v1.25+"},
      {"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
      {"rbd", "deprecated in v1.28, non-functional in v1.31+"},
  }};
  Warnings warnings;
  for (const auto& [key, why] :
       {TextPair(kStorageClass, kUseStorageClass),
        TextPair("volume.beta.kubernetes.io/mount-options",
                 R"(deprecated since v1.31; use "mountOptions" attribute instead)")}) {
    const Place annotation = next["metadata"]["annotations"].Entry(key);
    if (annotation.Given()) AddWarning(annotation, why, warnings);
  }
  const Place spec = next["spec"];
  const Place policy = spec["persistentVolumeReclaimPolicy"];
  if (policy.Text() == "Recycle") {
    AddWarning(
        policy,
        "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use "
        "dynamic provisioning.",
        warnings);
  }
  for (const Place& term : spec["nodeAffinity"]["required"]["nodeSelectorTerms"].Items()) {
    WarnOfLabels(term["matchExpressions"], warnings);
  }
  for (const auto& [volume, why] : kVolumes) {
    const Place place = spec[volume];
    if (!place.Given()) continue;
    AddWarning(volume == "storageos" ? place.At("spec.storageOS") : place, why, warnings);
  }
  return warnings;
}

Warnings RuntimeClassWarnings(const Place& /*live*/, const Place& next) {
  Warnings warnings;
  const Place selector = next["scheduling"]["nodeSelector"];
  for (const Place& key : selector.Keys()) {
    const std::string_view use = DeprecatedNodeLabel(key.Text());
    if (!use.empty()) AddWarning(selector, use, warnings);
  }
  return warnings;
}

Warnings SecretWarnings(const Place& /*live*/, const Place& next) {
  if (next["type"].Text() != "kubernetes.io/tls") return {};
  const std::string problem = PairProblem(next["data"]);
  if (problem.empty()) return {};
  return {"tls: " + problem};
}

Warnings ServiceWarnings(const Place& /*live*/, const Place& next) {
  constexpr std::string_view kHints = "service.kubernetes.io/topology-aware-hints";
  Warnings warnings;
  const auto say = [&](const std::string& what) { warnings.push_back(what); };
  const Place spec = next["spec"];
  const auto external = spec["externalIPs"].Items();
  const Place balancer = spec["loadBalancerIP"];
  const bool named = spec["type"].Text() == "ExternalName";
  if (IsAnnotated(next, kHints)) {
    say("annotation " + std::string(kHints) +
        " is deprecated, please use service.kubernetes.io/topology-mode instead");
  }
  for (const Place& address : spec["clusterIPs"].Items()) WarnOfAddress(address, warnings);
  if (spec["type"].Text() == "ClusterIP" && spec["clusterIP"].Text() == "None") {
    const std::string ignored = " is ignored for headless services";
    if (!balancer.Text().empty()) say("spec.loadBalancerIP" + ignored);
    if (!external.empty()) say("spec.externalIPs" + ignored);
    if (spec["sessionAffinity"].Text() != "None") say("spec.SessionAffinity" + ignored);
  }
  for (const Place& address : external) WarnOfAddress(address, warnings);
  WarnOfAddress(balancer, warnings);
  for (const Place& range : spec["loadBalancerSourceRanges"].Items()) WarnOfCidr(range, warnings);
  if (named && !external.empty()) {
    say(R"(spec.externalIPs is ignored when spec.type is "ExternalName")");
  }
  if (!named && !spec["externalName"].Text().empty()) {
    say(R"(spec.externalName is ignored when spec.type is not "ExternalName")");
  }
  return warnings;
}

Warnings ServiceAccountWarnings(const Place& live, const Place& next) {
  constexpr std::string_view kEnforce = "kubernetes.io/enforce-mountable-secrets";
  if (IsAnnotated(live, kEnforce) || !IsAnnotated(next, kEnforce)) return {};
  return {
      "metadata.annotations[" + std::string(kEnforce) +
      "]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"};
}

Warnings StorageCapacityWarnings(const Place& /*live*/, const Place& next) {
  Warnings warnings;
  const Place topology = next["nodeTopology"];
  WarnOfLabels(topology["matchExpressions"], warnings);
  for (const Place& key : topology["matchLabels"].Keys()) {
    const std::string_view use = DeprecatedNodeLabel(key.Text());
    if (!use.empty()) AddWarning(topology["matchLabels"][key.Text()], use, warnings);
  }
  return warnings;
}

Warnings StorageClassWarnings(const Place& /*live*/, const Place& next) {
  Warnings warnings;
  for (const Place& topology : next["allowedTopologies"].Items()) {
    for (const Place& expression : topology["matchLabelExpressions"].Items()) {
      const std::string_view use = DeprecatedNodeLabel(expression["key"].Text());
      if (!use.empty()) AddWarning(expression["key"], use, warnings);
    }
  }
  return warnings;
}

}  // namespace capstan::testing::apiserver
