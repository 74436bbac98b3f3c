// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/text.h"
#include "clientgo/cel/go_regexp.h"
#include "clientgo/testing/apiserver/types/json.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/metadata_validation.h"
#include "clientgo/testing/apiserver/validation/network_rules.h"
#include "clientgo/testing/apiserver/validation/pod_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

// Search domains may have underscores.
void CheckSearch(const Place& search, FieldRules& rules) {
  static const cel::GoRegexp form(
      R"(^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$)");
  constexpr std::size_t kLengthMax = 253;
  std::string_view name = search.Text();
  if (name == ".") return;
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.size() > kLengthMax) {
    rules.InvalidAs(search, Quote(name), "must be no more than 253 characters");
  }
  if (form.Matches(name)) return;
  rules.InvalidAs(
      search, Quote(name),
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' "
      "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "
      "used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*"
      "[a-z0-9])?)*')");
}

void CheckDns(const Place& spec, FieldRules& rules) {
  constexpr std::size_t kServersMax = 3;
  constexpr std::size_t kSearchesMax = 32;
  constexpr std::size_t kLengthMax = 2048;  // of the search list
  const Place config = spec["dnsConfig"];
  const Place servers = config["nameservers"];
  const Place searches = config["searches"];
  if (spec["dnsPolicy"].Text() == "None") {
    if (!config.Given()) {
      return rules.Required(config, "must provide `dnsConfig` when `dnsPolicy` is None");
    }
    if (servers.Items().empty()) {
      return rules.Required(servers,
                            "must provide at least one DNS nameserver when `dnsPolicy` is None");
    }
  }
  if (servers.Items().size() > kServersMax) {
    rules.Invalid(servers, "must not have more than 3 nameservers");
  }
  for (const Place& server : servers.Items()) CheckAnyAddress(server, rules);
  std::size_t length = 0;
  for (const Place& search : searches.Items()) length += search.Text().size() + 1;
  if (searches.Items().size() > kSearchesMax) {
    rules.Invalid(searches, "must not have more than 32 search paths");
  }
  if (length > kLengthMax + 1) {
    rules.Invalid(searches,
                  "must not have more than 2048 characters (including spaces) in the search list");
  }
  for (const Place& search : searches.Items()) CheckSearch(search, rules);
  for (const Place& option : config["options"].Items()) {
    if (option["name"].Text().empty()) rules.Required(option, "must not be empty");
  }
}

void CheckHostAliases(const Place& aliases, FieldRules& rules) {
  for (const Place& alias : aliases.Items()) {
    CheckAnyAddress(alias["ip"], rules);
    for (const Place& name : alias["hostnames"].Items()) {
      rules.InvalidText(name, SubdomainErrors(name.Text()));
    }
  }
}

// The ports of a Pod on the network of its host are ports of the host.
void CheckHostNetwork(const PodScope& scope, FieldRules& rules) {
  if (!scope.spec["hostNetwork"].IsTrue()) return;
  for (const Place& container : scope.spec["containers"].Items()) {
    for (const Place& port : container["ports"].Items()) {
      const auto on_host = port["hostPort"].Number().value_or(0);
      if (!scope.is_pod && on_host == 0) continue;
      if (on_host == port["containerPort"].Number().value_or(0)) continue;
      rules.InvalidAs(port["hostPort"], std::to_string(on_host),
                      "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

void CheckHostUsers(const Place& spec, FieldRules& rules) {
  if (!spec["hostUsers"].value().IsFalse()) return;
  constexpr std::string_view kWhen = "when `hostUsers` is false";
  const auto forbid = [&](const char* member, const char* shown_as) {
    if (spec[member].IsTrue()) rules.Forbidden(spec[shown_as], kWhen);
  };
  forbid("hostNetwork", "hostNetwork");
  forbid("hostPID", "HostPID");
  forbid("hostIPC", "HostIPC");
  for (const Place& container : AllContainers(spec)) {
    const Place devices = container["volumeDevices"];
    if (!devices.Items().empty()) rules.Forbidden(devices, kWhen);
  }
}

// Returns a claim as Go prints its internal type.
std::string ClaimText(const Place& claim) {
  const auto pointer = [&](const char* member) { return Json(claim[member].value()); };
  return Json({{"Name", claim["name"].Text()},
               {"ResourceClaimName", pointer("resourceClaimName")},
               {"ResourceClaimTemplateName", pointer("resourceClaimTemplateName")}})
      .text();
}

// Adds the names of the claims of resources to the scope.
void CheckResourceClaims(const Place& annotations, PodScope& scope, FieldRules& rules) {
  std::set<std::string_view> names;
  for (const Place& claim : scope.spec["resourceClaims"].Items()) {
    const Place name = claim["name"];
    if (!name.Text().empty()) scope.claims.insert(name.Text());
    if (scope.is_pod && annotations["kubernetes.io/config.mirror"].Given()) {
      rules.Forbidden(claim.At("[]"), "static pods do not support resource claims");
      continue;
    }
    if (rules.RequireText(name)) {
      names.insert(name.Text()).second ? rules.Label(name) : rules.Duplicate(name);
    }
    const Place object = claim["resourceClaimName"];
    const Place pattern = claim["resourceClaimTemplateName"];
    if (object.Given() && pattern.Given()) {
      rules.InvalidAs(claim, ClaimText(claim),
                      "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be "
                      "specified");
    }
    if (!object.Given() && !pattern.Given()) {
      rules.InvalidAs(claim, ClaimText(claim),
                      "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    for (const Place& reference : {object, pattern}) {
      if (reference.Given()) rules.InvalidText(reference, SubdomainErrors(reference.Text()));
    }
  }
}

void CheckGates(const Place& spec, FieldRules& rules) {
  for (const Place& gate : spec["readinessGates"].Items()) {
    rules.InvalidText(gate["conditionType"], QualifiedNameErrors(gate["conditionType"].Text()));
  }
  std::set<std::string_view> seen;
  for (const Place& gate : spec["schedulingGates"].Items()) {
    const Place name = gate["name"].At(gate.path());
    rules.InvalidText(name, QualifiedNameErrors(name.Text()));
    if (!seen.insert(name.Text()).second) rules.Duplicate(name);
  }
}

// Checks a PodSpec. `metadata` is that of the Pod or of the template.
void CheckPodSpec(const Place& spec, const Place& metadata, bool is_pod, FieldRules& rules) {
  PodScope scope{.spec = spec, .is_pod = is_pod};
  CheckVolumes(spec["volumes"], is_pod ? metadata["name"].Text() : std::string_view(), scope,
               rules);
  CheckResourceClaims(metadata["annotations"], scope, rules);
  CheckContainers(scope, rules);
  CheckPodResources(scope, rules);
  CheckHostNetwork(scope, rules);
  rules.RequireOneOf(spec["restartPolicy"], {"Always", "OnFailure", "Never"});
  rules.RequireOneOf(spec["dnsPolicy"],
                     {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
  rules.Labels(spec["nodeSelector"]);
  CheckPodSecurityContext(spec, rules);
  CheckPodAffinities(spec["affinity"], rules);
  CheckDns(spec, rules);
  CheckGates(spec, rules);
  CheckPodSpreading(spec["topologySpreadConstraints"], rules);
  CheckHostProcess(spec, rules);
  CheckHostUsers(spec, rules);
  rules.Subdomain(spec["serviceAccountName"]);
  rules.Subdomain(spec["nodeName"]);
  rules.Between(spec["activeDeadlineSeconds"], 1, std::numeric_limits<std::int32_t>::max());
  rules.Label(spec["hostname"]);
  rules.Label(spec["subdomain"]);
  CheckPodTolerations(spec["tolerations"], rules);
  CheckHostAliases(spec["hostAliases"], rules);
  rules.Subdomain(spec["priorityClassName"]);
  if (const Place name = spec["runtimeClassName"]; name.Given()) {
    rules.InvalidText(name, SubdomainErrors(name.Text()));
  }
  if (spec["preemptionPolicy"].Given()) {
    rules.RequireOneOf(spec["preemptionPolicy"], {"PreemptLowerPriority", "Never"});
  }
  CheckOverhead(scope, rules);
  CheckPodOs(spec, rules);
}

}  // namespace

void CheckPod(const Place& pod, FieldRules& rules) {
  const Place metadata = pod["metadata"];
  const Place spec = pod["spec"];
  CheckPodAnnotations(metadata["annotations"], spec, rules);
  CheckPodSpec(spec, metadata, true, rules);
  for (const char* const list : {"containers", "initContainers"}) {
    for (const Place& container : spec[list].Items()) CheckImageSpace(container["image"], rules);
  }
}

void CheckNewPod(const Place& pod, FieldRules& rules) {
  const Place spec = pod["spec"];
  const Place debugging = spec["ephemeralContainers"];
  if (!debugging.Items().empty()) rules.Forbidden(debugging, "cannot be set on create");
  if (!spec["nodeName"].Text().empty() && !spec["schedulingGates"].Items().empty()) {
    rules.Forbidden(spec["nodeName"], "cannot be set until all schedulingGates have been cleared");
  }
  CheckProfilesMatch(pod["metadata"]["annotations"], spec, rules);
}

void CheckImageSpace(const Place& image, FieldRules& rules) {
  const std::string_view text = image.Text();
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  if (text.empty() || (!is_space(text.front()) && !is_space(text.back()))) return;
  rules.Invalid(image, "must not have leading or trailing whitespace");
}

void CheckTemplateMetadata(const Place& pod_template, FieldRules& rules) {
  const Place metadata = pod_template["metadata"];
  const Place annotations = metadata["annotations"].At(pod_template["annotations"].path());
  rules.Labels(metadata["labels"].At(pod_template["labels"].path()));
  CheckAnnotations(annotations, rules);
  CheckPodAnnotations(annotations, pod_template["spec"], rules);
}

void CheckPodTemplate(const Place& pod_template, FieldRules& rules) {
  const Place metadata = pod_template["metadata"];
  const Place spec = pod_template["spec"];
  CheckTemplateMetadata(pod_template, rules);
  CheckPodSpec(spec, metadata, false, rules);
  CheckProfilesMatch(metadata["annotations"], spec, rules);
  const Place debugging = spec["ephemeralContainers"];
  if (debugging.Items().empty()) return;
  rules.Forbidden(debugging, "ephemeral containers not allowed in pod template");
}

void CheckPodTemplateKind(const Place& object, FieldRules& rules) {
  CheckPodTemplate(object["template"], rules);
}

}  // namespace capstan::testing::apiserver
