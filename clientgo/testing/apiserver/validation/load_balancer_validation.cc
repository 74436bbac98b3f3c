// SPDX-License-Identifier: Apache-2.0
// The rules of what a load balancer has given to a Service or an Ingress, in its status. Mirrors
// Validate{,Ingress}LoadBalancerStatus in pkg/apis/core/validation and
// pkg/apis/networking/validation.
#include <string>

#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/network_rules.h"

namespace capstan::testing::apiserver {
namespace {

void CheckHostname(const Place& hostname, FieldRules& rules) {
  rules.Subdomain(hostname);
  if (ParseAddress(hostname.Text())) {
    rules.Invalid(hostname, "must be a DNS name, not an IP address");
  }
}

}  // namespace

void CheckServiceStatus(const Place&, const Place& next, FieldRules& rules) {
  const Place ingress = next["status"]["loadBalancer"]["ingress"];
  if (ingress.Items().empty()) return;
  if (next["spec"]["type"].Text() != "LoadBalancer") {
    rules.Forbidden(ingress, "may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  for (const Place& point : ingress.Items()) {
    const Place ip = point["ip"];
    const Place mode = point["ipMode"];
    if (!ip.Text().empty()) CheckAnyAddress(ip, rules);
    if (mode.Given() && ip.Text().empty()) {
      rules.Forbidden(mode, "may not be specified when `ip` is not set");
    } else {
      rules.GivenOneOf(mode, {"Proxy", "VIP"});
    }
    CheckHostname(point["hostname"], rules);
  }
}

void CheckIngressStatus(const Place&, const Place& next, FieldRules& rules) {
  for (const Place& point : next["status"]["loadBalancer"]["ingress"].Items()) {
    if (!point["ip"].Text().empty()) CheckAnyAddress(point["ip"], rules);
    CheckHostname(point["hostname"], rules);
  }
}

}  // namespace capstan::testing::apiserver
