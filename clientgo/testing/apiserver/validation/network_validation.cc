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
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/network_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

void CheckNodeName(const Place& name, FieldRules& rules) {
  if (name.Given()) rules.InvalidText(name, SubdomainErrors(name.Text()));
}

void CheckEndpointPort(const Place& port, bool named, FieldRules& rules) {
  const Place name = port["name"];
  if (name.Text().empty() && named) rules.Required(name);
  rules.Label(name);
  CheckPortNumber(port["port"], rules);
  rules.OneOf(port["protocol"], {"SCTP", "TCP", "UDP"});
  CheckAppProtocol(port["appProtocol"], rules);
}

// A domain name has at least two labels.
void CheckFullName(const Place& address, FieldRules& rules) {
  std::string_view name = address.Text();
  if (name.empty()) return rules.Required(address);
  if (name.ends_with('.')) name.remove_suffix(1);
  auto errors = SubdomainErrors(name);
  const auto labels = Split(name, '.');
  if (errors.empty() && labels.size() < 2) {
    errors.emplace_back("should be a domain with at least two segments separated by dots");
  }
  if (!errors.empty()) return rules.InvalidAs(address, Quote(name), Join(errors, ","));
  for (const std::string_view label : labels) {
    const auto wrong = DnsLabelErrors(label);
    if (!wrong.empty()) return rules.InvalidAs(address, Quote(label), Join(wrong, ","));
  }
}

// Checks for which zones or nodes an endpoint is.
void CheckHints(const Place& hints, std::vector<std::string> (*errors_of)(std::string_view),
                FieldRules& rules) {
  constexpr std::size_t kMost = 8;
  const auto items = hints.Items();
  if (items.size() > kMost) return rules.TooMany(hints, items.size(), kMost);
  std::set<std::string_view> names;
  for (const Place& item : items) {
    const Place name = item["name"];
    if (!names.insert(name.Text()).second) rules.Duplicate(name);
    rules.InvalidText(name, errors_of(name.Text()));
  }
}

std::vector<std::string> WildcardErrors(std::string_view host) {
  std::string_view rest = host;
  if (rest.starts_with("*.")) rest.remove_prefix(2);
  if (rest.size() != host.size() && SubdomainErrors(rest).empty()) return {};
  return {
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, "
      "which must consist of lower case alphanumeric characters, '-' or '.' and end with an "
      "alphanumeric character (e.g. '*.example.com', regex used for validation is "
      "'\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"};
}

void CheckHost(const Place& host, FieldRules& rules) {
  const std::string_view text = host.Text();
  const bool wildcard = text.find('*') != std::string_view::npos;
  rules.Invalid(host, wildcard ? WildcardErrors(text) : SubdomainErrors(text));
}

// Checks the reference to an object that the backend of an Ingress or a class names.
void CheckReference(const Place& reference, FieldRules& rules) {
  const Place group = reference["apiGroup"];
  if (group.Given()) rules.InvalidText(group, SubdomainErrors(group.Text()));
  for (const char* const member : {"kind", "name"}) {
    const Place field = reference[member];
    if (rules.RequireText(field)) rules.Invalid(field, PathSegmentErrors(field.Text()));
  }
}

void CheckBackend(const Place& backend, FieldRules& rules) {
  const bool resource = backend["resource"].Given();
  const Place service = backend["service"];
  const auto invalid = [&](std::string_view why) { rules.InvalidAs(backend, R"("")", why); };
  if (resource && service.Given()) return invalid("cannot set both resource and service backends");
  if (!resource && !service.Given()) return invalid("resource or service backend is required");
  if (resource) return CheckReference(backend["resource"], rules);
  if (rules.RequireText(service["name"])) {
    rules.Invalid(service["name"], Dns1035LabelErrors(service["name"].Text()));
  }
  const Place name = service["port"]["name"];
  const Place number = service["port"]["number"];
  const bool has_number = number.Number().value_or(0) != 0;
  if (!name.Text().empty() && has_number) return invalid("cannot set both port name & port number");
  if (has_number) return CheckPortNumber(number, rules);
  if (name.Text().empty()) return rules.Required(backend, "port name or number is required");
  rules.Invalid(name, PortNameErrors(name.Text()));
}

void CheckPath(const Place& path, FieldRules& rules) {
  const Place type = path["pathType"];
  const Place text = path["path"];
  if (!type.Given()) return rules.Required(type, "pathType must be specified");
  const bool specific = type.Text() == "ImplementationSpecific";
  if (!specific && type.Text() != "Exact" && type.Text() != "Prefix") {
    rules.Unsupported(type, Quote(type.Text()), {"Exact", "ImplementationSpecific", "Prefix"});
  } else if (!text.Text().starts_with('/') && (!specific || !text.Text().empty())) {
    rules.InvalidText(text, "must be an absolute path");
  } else if (!specific) {
    for (const char* const bad : {"//", "/./", "/../", "%2f", "%2F"}) {
      if (text.Text().find(bad) == std::string_view::npos) continue;
      rules.Invalid(text, std::string("must not contain '") + bad + "'");
    }
    for (const char* const bad : {"/..", "/."}) {
      if (text.Text().ends_with(bad))
        rules.Invalid(text, std::string("cannot end with '") + bad + "'");
    }
  }
  CheckBackend(path["backend"], rules);
}

void CheckPolicyPort(const Place& port, FieldRules& rules) {
  rules.OneOf(port["protocol"], {"TCP", "UDP", "SCTP"});
  const Place number = port["port"];
  const Place end = port["endPort"];
  if (!number.Given() && end.Given()) {
    rules.Invalid(end, "may not be specified when `port` is not specified");
  }
  if (!number.Number()) {
    if (number.Given() && end.Given()) {
      rules.Invalid(end, "may not be specified when `port` is non-numeric");
    }
    if (number.Given()) rules.Invalid(number, PortNameErrors(number.Text()));
    return;
  }
  CheckPortNumber(number, rules);
  if (!end.Number()) return;
  if (*end.Number() < *number.Number()) {
    rules.InvalidAs(end, number.Json(), "must be greater than or equal to `port`");
  }
  CheckPortNumber(end, rules);
}

// The exceptions are inside of a valid range, and smaller.
void CheckBlock(const Place& block, FieldRules& rules) {
  CheckCidr(block["cidr"], rules);
  const auto whole = ParseCidr(block["cidr"].Text());
  if (!whole) return;
  for (const Place& except : block["except"].Items()) {
    CheckCidr(except, rules);
    const auto part = ParseCidr(except.Text());
    if (!part || (whole->Contains(part->First()) && whole->bits < part->bits)) continue;
    rules.Invalid(except, "must be a strict subset of `cidr`");
  }
}

void CheckPeer(const Place& peer, FieldRules& rules) {
  const Place block = peer["ipBlock"];
  const bool selects = peer["podSelector"].Given() || peer["namespaceSelector"].Given();
  rules.LabelSelector(peer["podSelector"]);
  rules.LabelSelector(peer["namespaceSelector"]);
  if (block.Given() && rules.RequireText(block["cidr"])) CheckBlock(block, rules);
  if (!selects && !block.Given()) rules.Required(peer, "must specify a peer");
  if (selects && block.Given()) {
    rules.Forbidden(peer, "may not specify both ipBlock and another peer");
  }
}

}  // namespace

void CheckEndpoints(const Place& endpoints, FieldRules& rules) {
  for (const Place& subset : endpoints["subsets"].Items()) {
    const auto ready = subset["addresses"].Items();
    const auto others = subset["notReadyAddresses"].Items();
    if (ready.empty() && others.empty()) {
      rules.Required(subset, "must specify `addresses` or `notReadyAddresses`");
    }
    for (const auto* const list : {&ready, &others}) {
      for (const Place& address : *list) {
        CheckAnyAddress(address["ip"], rules);
        rules.Label(address["hostname"]);
        CheckNodeName(address["nodeName"], rules);
        CheckEndpointAddress(address["ip"], rules);
      }
    }
    const auto ports = subset["ports"].Items();
    for (const Place& port : ports) CheckEndpointPort(port, ports.size() > 1, rules);
  }
}

void CheckEndpointSlice(const Place& slice, FieldRules& rules) {
  const Place type = slice["addressType"];
  if (rules.RequireText(type)) rules.OneOf(type, {"FQDN", "IPv4", "IPv6"});
  std::vector<std::string_view> names;
  for (const Place& port : slice["ports"].Items()) {
    const Place name = port["name"];
    rules.Label(name);
    if (std::find(names.begin(), names.end(), name.Text()) != names.end()) rules.Duplicate(name);
    names.push_back(name.Text());
    rules.OneOf(port["protocol"], {"SCTP", "TCP", "UDP"});
    CheckAppProtocol(port["appProtocol"], rules);
  }
  for (const Place& endpoint : slice["endpoints"].Items()) {
    const Place addresses = endpoint["addresses"];
    if (addresses.Items().empty()) rules.Required(addresses, "must contain at least 1 address");
    for (const Place& address : addresses.Items()) {
      if (type.Text() == "FQDN") CheckFullName(address, rules);
      if (type.Text() != "IPv4" && type.Text() != "IPv6") continue;
      const auto parsed = ParseAddress(address.Text());
      if (parsed && (parsed->family == AF_INET) != (type.Text() == "IPv4")) {
        rules.Invalid(address.At(addresses.path()),
                      "must be an " + std::string(type.Text()) + " address");
      }
      CheckAddress(address, rules);
    }
    CheckNodeName(endpoint["nodeName"], rules);
    if (const Place name = endpoint["hostname"]; name.Given()) {
      rules.InvalidText(name, DnsLabelErrors(name.Text()));
    }
    CheckHints(endpoint["hints"]["forZones"], LabelValueErrors, rules);
    CheckHints(endpoint["hints"]["forNodes"], SubdomainErrors, rules);
  }
}

void CheckEndpointSliceUpdate(const Place& live, const Place& next, FieldRules& rules) {
  rules.Immutable(live["addressType"], next["addressType"]);
}

void CheckIngress(const Place& ingress, FieldRules& rules) {
  const Place spec = ingress["spec"];
  const auto hosts = spec["rules"].Items();
  if (hosts.empty() && !spec["defaultBackend"].Given()) {
    rules.InvalidAs(spec, spec["rules"].value().IsArray() ? "[]" : "null",
                    "either `defaultBackend` or `rules` must be specified");
  }
  if (spec["defaultBackend"].Given()) CheckBackend(spec["defaultBackend"], rules);
  for (const Place& rule : hosts) {
    const Place host = rule["host"];
    if (IsAddress(host.Text(), AF_INET) || IsAddress(host.Text(), AF_INET6)) {
      rules.Invalid(host, "must be a DNS name, not an IP address");
    }
    if (!host.Text().empty()) CheckHost(host, rules);
    const Place http = rule["http"];
    if (!http.Given()) continue;
    if (http["paths"].Items().empty()) rules.Required(http["paths"]);
    for (const Place& path : http["paths"].Items()) CheckPath(path, rules);
  }
  for (const Place& tls : spec["tls"].Items()) {
    for (const Place& host : tls["hosts"].Items()) CheckHost(host, rules);
    rules.Subdomain(tls["secretName"]);
  }
  rules.Subdomain(spec["ingressClassName"]);
}

void CheckNetworkPolicy(const Place& policy, FieldRules& rules) {
  const Place spec = policy["spec"];
  rules.LabelSelector(spec["podSelector"]);
  for (const auto& [direction, peers] : {std::pair("ingress", "from"), std::pair("egress", "to")}) {
    for (const Place& rule : spec[direction].Items()) {
      for (const Place& port : rule["ports"].Items()) CheckPolicyPort(port, rules);
      for (const Place& peer : rule[peers].Items()) CheckPeer(peer, rules);
    }
  }
  const Place types = spec["policyTypes"];
  if (types.Items().size() > 2) {
    rules.Invalid(types, "may not specify more than two policyTypes");
    return;
  }
  for (const Place& type : types.Items()) {
    if (type.Text() == "Ingress" || type.Text() == "Egress") continue;
    rules.Unsupported(type, Quote(type.Text()), {"Ingress", "Egress"});
  }
}

void CheckIngressClass(const Place& ingress_class, FieldRules& rules) {
  const Place spec = ingress_class["spec"];
  const Place controller = spec["controller"];
  constexpr std::size_t kControllerMax = 250;
  if (controller.Text().size() > kControllerMax) rules.TooLong(controller, kControllerMax);
  if (rules.RequireText(controller)) {
    const std::string_view text = controller.Text();
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) {
      rules.Invalid(controller, "must be a domain-prefixed path (such as \"acme.io/foo\")");
    } else {
      const std::string_view domain = text.substr(0, slash);
      for (const std::string& error : SubdomainErrors(domain)) {
        rules.InvalidAs(controller, Quote(domain), error);
      }
    }
  }
  const Place parameters = spec["parameters"];
  if (!parameters.Given()) return;
  CheckReference(parameters, rules);
  const Place scope = parameters["scope"];
  const Place ns = parameters["namespace"];
  if (!scope.Given()) return rules.Required(scope);
  if (scope.Text() != "Cluster" && scope.Text() != "Namespace") {
    rules.Unsupported(scope, Quote(scope.Text()), {"Cluster", "Namespace"});
  }
  if (scope.Text() == "Namespace" && !ns.Given()) {
    rules.Required(ns, "`parameters.scope` is set to 'Namespace'");
  } else if (scope.Text() == "Namespace") {
    rules.InvalidText(ns, DnsLabelErrors(ns.Text()));
  }
  if (scope.Text() == "Cluster" && ns.Given()) {
    rules.Forbidden(ns, "`parameters.scope` is set to 'Cluster'");
  }
}

}  // namespace capstan::testing::apiserver
