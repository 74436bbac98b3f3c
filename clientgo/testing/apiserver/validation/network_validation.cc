// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/network_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
bool IsAddress(std::string_view text, int family) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(family, std::string(text).c_str(), bytes.data()) == 1;
}

void CheckAddress(const Place& address, FieldRules& rules) {
  const std::string_view text = address.Text();
  if (IsAddress(text, AF_INET) || IsAddress(text, AF_INET6)) {
    if (text == "0.0.0.0" || text == "::") {
      rules.Invalid(address, "may not be unspecified (" + std::string(text) + ")");
    }
    if (text.starts_with("127.") || text == "::1") {
      rules.Invalid(address, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
    }
    if (text.starts_with("169.254.")) {
      rules.Invalid(address, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
    }
    return;
  }
  rules.InvalidText(address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
}

void CheckPortNumber(const Place& port, FieldRules& rules) {
  constexpr std::int64_t kMost = 65535;
  const std::int64_t number = port.Number().value_or(0);
  if (number >= 1 && number <= kMost) return;
  rules.InvalidAs(port, std::to_string(number), "must be between 1 and 65535, inclusive");
}

std::vector<std::string> PortNameErrors(std::string_view name) {
  constexpr std::size_t kNameMax = 15;
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_known = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  std::vector<std::string> errors;
  if (name.size() > kNameMax) errors.emplace_back("must be no more than 15 characters");
  if (!std::all_of(name.begin(), name.end(), is_known)) {
    errors.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(name.begin(), name.end(), is_letter)) {
    errors.emplace_back("must contain at least one letter (a-z)");
  }
  if (name.find("--") != std::string_view::npos) {
    errors.emplace_back("must not contain consecutive hyphens");
  }
  if (name.starts_with('-') || name.ends_with('-')) {
    errors.emplace_back("must not begin or end with a hyphen");
  }
  return errors;
}

void CheckAppProtocol(const Place& protocol, FieldRules& rules) {
  if (protocol.Given()) rules.InvalidText(protocol, QualifiedNameErrors(protocol.Text()));
}

namespace {

void CheckEndpointPort(const Place& port, bool named, FieldRules& rules) {
  const Place name = port["name"];
  if (name.Text().empty() && named) rules.Required(name);
  rules.Label(name);
  CheckPortNumber(port["port"], rules);
  rules.OneOf(port["protocol"], {"SCTP", "TCP", "UDP"});
  CheckAppProtocol(port["appProtocol"], rules);
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

void CheckBackend(const Place& backend, FieldRules& rules) {
  const bool resource = backend["resource"].Given();
  const Place service = backend["service"];
  const auto invalid = [&](std::string_view why) { rules.InvalidAs(backend, R"("")", why); };
  if (resource && service.Given()) return invalid("cannot set both resource and service backends");
  if (!resource && !service.Given()) return invalid("resource or service backend is required");
  if (resource) {
    rules.RequireText(backend["resource"]["kind"]);
    rules.RequireText(backend["resource"]["name"]);
    return;
  }
  if (rules.RequireText(service["name"])) {
    rules.Invalid(service["name"], Dns1035LabelErrors(service["name"].Text()));
  }
  const Place name = service["port"]["name"];
  const Place number = service["port"]["number"];
  const bool has_number = number.Number().value_or(0) != 0;
  if (!name.Text().empty() && has_number) return invalid("cannot set both port name & port number");
  if (has_number) return CheckPortNumber(number, rules);
  if (name.Text().empty()) rules.Required(backend, "port name or number is required");
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
    return;
  }
  CheckPortNumber(number, rules);
  if (!end.Number()) return;
  if (*end.Number() < *number.Number()) {
    rules.InvalidAs(end, number.Json(), "must be greater than or equal to `port`");
  }
  CheckPortNumber(end, rules);
}

bool IsCidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  const std::string_view digits = text.substr(slash + 1);
  int length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return false;
  return (IsAddress(address, AF_INET) && length <= 32) ||
         (IsAddress(address, AF_INET6) && length <= 128);
}

void CheckCidr(const Place& cidr, FieldRules& rules) {
  if (IsCidr(cidr.Text())) return;
  rules.InvalidText(cidr, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
}

void CheckPeer(const Place& peer, FieldRules& rules) {
  const Place block = peer["ipBlock"];
  const bool selects = peer["podSelector"].Given() || peer["namespaceSelector"].Given();
  rules.LabelSelector(peer["podSelector"]);
  rules.LabelSelector(peer["namespaceSelector"]);
  if (block.Given() && rules.RequireText(block["cidr"])) {
    CheckCidr(block["cidr"], rules);
    for (const Place& except : block["except"].Items()) CheckCidr(except, rules);
  }
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
        CheckAddress(address["ip"], rules);
        rules.Label(address["hostname"]);
        rules.Subdomain(address["nodeName"]);
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
      const std::string_view text = address.Text();
      if (type.Text() != "IPv4" && type.Text() != "IPv6") continue;
      const bool v4 = IsAddress(text, AF_INET);
      const bool v6 = IsAddress(text, AF_INET6);
      if (v4 && type.Text() == "IPv6") {
        rules.Invalid(address.At(addresses.path()), "must be an IPv6 address");
      }
      if (v6 && type.Text() == "IPv4") {
        rules.Invalid(address.At(addresses.path()), "must be an IPv4 address");
      }
      CheckAddress(address, rules);
    }
    rules.Subdomain(endpoint["nodeName"]);
    rules.Label(endpoint["hostname"]);
  }
}

void CheckEndpointSliceUpdate(const Place& live, const Place& next, FieldRules& rules) {
  rules.Immutable(live["addressType"], next["addressType"]);
}

void CheckIngress(const Place& ingress, FieldRules& rules) {
  const Place spec = ingress["spec"];
  const auto hosts = spec["rules"].Items();
  if (hosts.empty() && !spec["defaultBackend"].Given()) {
    rules.InvalidAs(spec, "null", "either `defaultBackend` or `rules` must be specified");
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
  for (const Place& type : types.Items()) rules.OneOf(type, {"Ingress", "Egress"});
}

void CheckIngressClass(const Place& ingress_class, FieldRules& rules) {
  const Place spec = ingress_class["spec"];
  const Place controller = spec["controller"];
  if (rules.RequireText(controller)) {
    const std::string_view text = controller.Text();
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) {
      rules.Invalid(controller, "must be a domain-prefixed path (such as \"acme.io/foo\")");
    } else {
      rules.Invalid(controller, SubdomainErrors(text.substr(0, slash)));
    }
  }
  const Place parameters = spec["parameters"];
  if (!parameters.Given()) return;
  rules.RequireText(parameters["kind"]);
  rules.RequireText(parameters["name"]);
  const Place scope = parameters["scope"];
  if (!scope.Given()) return rules.Required(scope);
  rules.OneOf(scope, {"Cluster", "Namespace"});
  const Place ns = parameters["namespace"];
  if (scope.Text() == "Namespace" && ns.Text().empty()) {
    rules.Required(ns, "`parameters.scope` is set to 'Namespace'");
  }
  if (scope.Text() == "Cluster" && ns.Given()) {
    rules.Forbidden(ns, "`parameters.scope` is set to 'Cluster'");
  }
}

}  // namespace capstan::testing::apiserver
