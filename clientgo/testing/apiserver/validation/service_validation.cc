// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/network_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kNone = "None";
constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kForBalancer = "may only be used when `type` is 'LoadBalancer'";

bool IsHeadless(const Place& spec) {
  const auto addresses = spec["clusterIPs"].Items();
  return addresses.size() == 1 && addresses.front().Text() == kNone;
}

bool IsExternalName(const Place& spec) { return spec["type"].Text() == "ExternalName"; }
bool IsLoadBalancer(const Place& spec) { return spec["type"].Text() == "LoadBalancer"; }

// Reports whether clients outside of the cluster reach the Service.
bool IsExternallyAccessible(const Place& spec) {
  const std::string_view type = spec["type"].Text();
  return type == "LoadBalancer" || type == "NodePort" ||
         (type == "ClusterIP" && !spec["externalIPs"].Items().empty());
}

void CheckExternalName(const Place& spec, FieldRules& rules) {
  for (const char* const key : {"clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    const Place field = spec[key];
    if (!field.Given() || (field.value().IsArray() && field.value().Empty())) continue;
    rules.Forbidden(field, "may not be set for ExternalName services");
  }
  const Place name = spec["externalName"];
  std::string_view host = name.Text();
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty()) return rules.Required(name);
  for (const std::string& error : SubdomainErrors(host)) {
    rules.InvalidAs(name, Quote(host), error);
  }
}

// `names` are those of the ports before.
void CheckPort(const Place& port, bool named, std::set<std::string_view>& names,
               FieldRules& rules) {
  const Place name = port["name"];
  if (name.Text().empty()) {
    if (named) rules.Required(name);
  } else {
    rules.Label(name);
    if (!names.insert(name.Text()).second) rules.Duplicate(name);
  }
  CheckPortNumber(port["port"], rules);
  if (rules.RequireText(port["protocol"])) rules.OneOf(port["protocol"], {"SCTP", "TCP", "UDP"});
  const Place target = port["targetPort"];
  if (target.value().IsString()) {
    rules.Invalid(target, PortNameErrors(target.Text()));
  } else {
    CheckPortNumber(target, rules);
  }
  CheckAppProtocol(port["appProtocol"], rules);
}

// Reports a number that two ports with the same protocol have.
void CheckUniquePorts(const std::vector<Place>& ports, std::string_view member, FieldRules& rules) {
  std::set<std::pair<std::string_view, std::int64_t>> known;
  for (const Place& port : ports) {
    const std::int64_t number = port[member].Number().value_or(0);
    const std::string_view protocol = port["protocol"].Text();
    const bool node_port = member == "nodePort";
    if ((node_port && number == 0) || known.emplace(protocol, number).second) continue;
    const Place at = node_port ? port[member] : port;
    // Go shows the fields of the key that it compares, in the order of its type.
    const std::string key = node_port
                                ? std::to_string(number)
                                : R"({"Name":"","Protocol":)" + Quote(protocol) +
                                      R"(,"AppProtocol":null,"Port":)" + std::to_string(number) +
                                      R"(,"TargetPort":0,"NodePort":0})";
    rules.causes().push_back({.reason = "FieldValueDuplicate",
                              .message = "Duplicate value: " + key,
                              .field = at.path()});
  }
}

void CheckSessionAffinity(const Place& spec, FieldRules& rules) {
  constexpr std::int64_t kOneDay = 86400;
  const Place affinity = spec["sessionAffinity"];
  if (rules.RequireText(affinity)) rules.OneOf(affinity, {"ClientIP", "None"});
  const Place config = spec["sessionAffinityConfig"];
  if (affinity.Text() == "ClientIP") {
    const Place timeout = config["clientIP"]["timeoutSeconds"];
    const std::int64_t seconds = timeout.Number().value_or(0);
    if (seconds <= 0 || seconds > kOneDay) {
      rules.Invalid(timeout, "must be greater than 0 and less than " + std::to_string(kOneDay));
    }
  } else if (affinity.Text() == kNone && config.Given()) {
    rules.Forbidden(config, "must not be set when session affinity is None");
  }
}

void CheckFamilies(const Place& spec, FieldRules& rules) {
  std::set<std::string_view> families;
  for (const Place& family : spec["ipFamilies"].Items()) {
    if (family.Text() != "IPv4" && family.Text() != "IPv6") {
      rules.Unsupported(family, Quote(family.Text()), {"IPv4", "IPv6"});
    }
    if (!families.insert(family.Text()).second) rules.Duplicate(family);
  }
  rules.OneOf(spec["ipFamilyPolicy"], {"PreferDualStack", "RequireDualStack", "SingleStack"});
}

// Reports whether all addresses are valid.
bool CheckEachAddress(const Place& list, FieldRules& rules) {
  bool valid = true;
  const auto addresses = list.Items();
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string_view text = addresses[i].Text();
    if (i == 0 && text == kNone) {
      if (addresses.size() > 1) rules.Invalid(list, "'None' must be the first and only value");
      valid = valid && addresses.size() == 1;
    } else {
      CheckAnyAddress(addresses[i], rules);
      valid = valid && ParseAddress(text);
    }
  }
  return valid;
}

// The ranges of clients, which may have spaces around them. They may be in an annotation, too.
void CheckSourceRanges(const Place& service, FieldRules& rules) {
  constexpr std::string_view kAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";
  // kube-apiserver writes this name with a capital letter.
  const Place ranges =
      service["spec"]["loadBalancerSourceRanges"].At("spec.LoadBalancerSourceRanges");
  const Place annotation = service["metadata"]["annotations"].Entry(kAnnotation);
  const bool listed = !ranges.Items().empty();
  if (!listed && !annotation.Given()) return;
  if (!IsLoadBalancer(service["spec"])) rules.Forbidden(listed ? ranges : annotation, kForBalancer);
  const auto check = [&](const Place& at, const std::string& text) {
    const runtime::JsonValue trimmed(rapidjson::StringRef(text.data(), text.size()));
    CheckCidr({trimmed, at.path()}, rules);
  };
  for (const Place& range : ranges.Items()) check(range, std::string(Trim(range.Text(), kSpaces)));
  if (listed || Trim(annotation.Text(), kSpaces).empty()) return;
  for (const std::string_view range : SplitAll(annotation.Text(), ',')) {
    check(annotation, std::string(Trim(range, kSpaces)));
  }
}

void CheckTopologyAnnotations(const Place& service, FieldRules& rules) {
  constexpr std::string_view kOld = "service.kubernetes.io/topology-aware-hints";
  const Place annotations = service["metadata"]["annotations"];
  const Place before = annotations.Entry(kOld);
  const Place mode = annotations.Entry("service.kubernetes.io/topology-mode");
  if (!mode.Given() || !before.Given() || mode.Text() == before.Text()) return;
  rules.Invalid(mode, "must match annotations[" + std::string(kOld) + "] when both are specified");
}

void CheckLoadBalancer(const Place& spec, FieldRules& rules) {
  const bool balancer = IsLoadBalancer(spec);
  const Place allocate = spec["allocateLoadBalancerNodePorts"];
  if (allocate.Given() && !balancer) rules.Forbidden(allocate, kForBalancer);
  const Place balancer_class = spec["loadBalancerClass"];
  if (!balancer_class.Given()) return;
  if (!balancer) return rules.Forbidden(balancer_class, kForBalancer);
  rules.InvalidText(balancer_class, QualifiedNameErrors(balancer_class.Text()));
}

void CheckTrafficPolicies(const Place& spec, FieldRules& rules) {
  const Place external = spec["externalTrafficPolicy"];
  if (!IsExternallyAccessible(spec)) {
    if (!external.Text().empty()) {
      rules.Invalid(external, "may only be set for externally-accessible services");
    }
  } else if (rules.RequireText(external)) {
    rules.OneOf(external, {"Cluster", "Local"});
  }
  const Place health = spec["healthCheckNodePort"];
  if (IsLoadBalancer(spec) && external.Text() == "Local") {
    if (health.Number().value_or(0) == 0) {
      rules.Required(health);
    } else {
      CheckPortNumber(health, rules);
    }
  } else if (health.Number().value_or(0) != 0) {
    rules.Invalid(health,
                  "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is "
                  "'Local'");
  }
  rules.OneOf(spec["internalTrafficPolicy"], {"Cluster", "Local"});
  rules.OneOf(spec["trafficDistribution"], {"PreferClose", "PreferSameZone", "PreferSameNode"});
}

void CheckType(const Place& spec, const std::vector<Place>& ports, FieldRules& rules) {
  const Place type = spec["type"];
  if (rules.RequireText(type)) {
    rules.OneOf(type, {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
  }
  if (type.Text() != "ClusterIP") return;
  for (const Place& port : ports) {
    if (port["nodePort"].Number().value_or(0) == 0) continue;
    rules.Forbidden(port["nodePort"], "may not be used when `type` is 'ClusterIP'");
  }
}

// Reports changes of the list of addresses or of their families, whose first value is kept.
void CheckKept(const Place& live, const Place& next, std::string_view member, FieldRules& rules) {
  const auto before = live[member].Items();
  const auto after = next[member].Items();
  const std::size_t common = std::min(before.size(), after.size());
  const std::size_t compared =
      before.size() == after.size() ? common : std::min<std::size_t>(common, 1);
  for (std::size_t i = 0; i < compared; ++i) {
    if (before[i].Text() == after[i].Text()) continue;
    // The error of a family always names the first one.
    const Place& at = member == "ipFamilies" ? after.front() : after[i];
    rules.InvalidAs(at, next[member].Json(), "may not change once set");
  }
}

}  // namespace

void CheckClusterAddresses(const Place& spec, FieldRules& rules) {
  if (IsExternalName(spec)) return;
  const Place first = spec["clusterIP"];
  const Place list = spec["clusterIPs"];
  const auto addresses = list.Items();
  if (first.Text().empty()) {
    if (!addresses.empty()) {
      rules.Invalid(list, "must be empty when `clusterIP` is not specified");
    }
  } else if (addresses.empty()) {
    rules.Required(list);
  } else if (addresses.front().Text() != first.Text()) {
    rules.Invalid(list, "first value must match `clusterIP`");
  }
  CheckFamilies(spec, rules);
  const bool valid = CheckEachAddress(list, rules);
  if (addresses.size() > 2) rules.Invalid(list, "may only hold up to 2 values");
  if (!valid || IsHeadless(spec)) return;
  const auto is_new = [](const Place& address) { return IsAddress(address.Text(), AF_INET6); };
  const auto new_addresses = std::count_if(addresses.begin(), addresses.end(), is_new);
  if (addresses.size() > 1 && (addresses.size() > 2 || new_addresses != 1)) {
    rules.Invalid(list, "may specify no more than one IP for each IP family");
  }
  const auto families = spec["ipFamilies"].Items();
  for (std::size_t i = 0; i < std::min(addresses.size(), families.size()); ++i) {
    const std::string_view family = families[i].Text();
    if (family != (is_new(addresses[i]) ? "IPv4" : "IPv6")) continue;
    rules.Invalid(addresses[i], "expected an " + std::string(family) +
                                    " value as indicated by `ipFamilies[" + std::to_string(i) +
                                    "]`");
  }
}

void CheckService(const Place& service, FieldRules& rules) {
  const Place spec = service["spec"];
  const std::string_view type = spec["type"].Text();
  const auto ports = spec["ports"].Items();
  CheckTopologyAnnotations(service, rules);
  if (ports.empty() && !IsHeadless(spec) && !IsExternalName(spec)) rules.Required(spec["ports"]);
  if ((type == "LoadBalancer" || type == "NodePort") && IsHeadless(spec)) {
    rules.Invalid(spec["clusterIPs"].Items().front(),
                  "may not be set to 'None' for " + std::string(type) + " services");
  }
  if (IsExternalName(spec)) CheckExternalName(spec, rules);
  std::set<std::string_view> names;
  for (const Place& port : ports) CheckPort(port, ports.size() > 1, names, rules);
  rules.Labels(spec["selector"]);
  CheckSessionAffinity(spec, rules);
  CheckClusterAddresses(spec, rules);
  for (const Place& address : spec["externalIPs"].Items()) CheckAddress(address, rules);
  CheckType(spec, ports, rules);
  CheckUniquePorts(ports, "nodePort", rules);
  CheckUniquePorts(ports, "port", rules);
  CheckSourceRanges(service, rules);
  CheckLoadBalancer(spec, rules);
  CheckTrafficPolicies(spec, rules);
}

void CheckServiceUpdate(const Place& live, const Place& next, FieldRules& rules) {
  const Place before = live["spec"];
  const Place after = next["spec"];
  if (!IsExternalName(before) && !IsExternalName(after)) {
    const bool headless = IsHeadless(after);
    if (!headless || !IsHeadless(before)) CheckKept(before, after, "clusterIPs", rules);
    if (!headless && !IsHeadless(before)) CheckKept(before, after, "ipFamilies", rules);
  }
  const Place balancer_class = after["loadBalancerClass"];
  if (IsLoadBalancer(before) && IsLoadBalancer(after) &&
      before["loadBalancerClass"].value() != balancer_class.value()) {
    rules.Invalid(balancer_class, "may not change once set");
  }
  const auto checked = [](const Place& spec) {
    return IsLoadBalancer(spec) && spec["externalTrafficPolicy"].Text() == "Local";
  };
  const Place health = after["healthCheckNodePort"];
  if (checked(before) && checked(after) &&
      before["healthCheckNodePort"].value() != health.value()) {
    rules.Forbidden(health, "field is immutable");
  }
}

}  // namespace capstan::testing::apiserver
