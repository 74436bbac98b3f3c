// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/network_rules.h"
#include "clientgo/testing/apiserver/validation/pod_rules.h"

namespace capstan::testing::apiserver {
namespace {

void CheckHttpHeader(const Place& name, FieldRules& rules) {
  const std::string_view text = name.Text();
  const auto is_known = [](char c) { return IsAsciiAlphanumeric(c) || c == '-'; };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_known)) return;
  rules.InvalidText(name,
                    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. "
                    "'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')");
}

void CheckHttpGet(const Place& get, FieldRules& rules) {
  rules.RequireText(get["path"]);
  CheckPortNumberOrName(get["port"], rules);
  if (get["scheme"].Text().empty()) {
    rules.Unsupported(get["scheme"], R"("")", {"HTTP", "HTTPS"});
  } else {
    rules.OneOf(get["scheme"], {"HTTP", "HTTPS"});
  }
  const Place headers = get["httpHeaders"];
  for (const Place& header : headers.Items()) {
    CheckHttpHeader(header["name"].At(headers.path()), rules);
  }
}

void CheckSleep(const Place& sleep, std::int64_t grace, FieldRules& rules) {
  const std::int64_t seconds = sleep["seconds"].Number().value_or(0);
  if (seconds >= 0 && seconds <= grace) return;
  rules.InvalidAs(sleep, std::to_string(seconds),
                  "must be non-negative and less than terminationGracePeriodSeconds (" +
                      std::to_string(grace) + ")");
}

// Checks what a probe or a hook does. `other` is the type that only one of them has.
void CheckHandler(const Place& handler, const char* other, std::int64_t grace, FieldRules& rules) {
  bool found = false;
  for (const std::string_view type : {"exec", "httpGet", "tcpSocket", other}) {
    const Place action = handler[type];
    if (!action.Given()) continue;
    if (found) {
      rules.Forbidden(action, "may not specify more than 1 handler type");
      continue;
    }
    found = true;
    if (type == "exec") {
      if (action["command"].Items().empty()) rules.Required(action["command"]);
    } else if (type == "httpGet") {
      CheckHttpGet(action, rules);
    } else if (type == "sleep") {
      CheckSleep(action, grace, rules);
    } else {
      CheckPortNumberOrName(action["port"], rules);
    }
  }
  if (!found) rules.Required(handler, "must specify a handler type");
}

void CheckProbe(const Place& probe, bool readiness, std::int64_t grace, FieldRules& rules) {
  if (!probe.Given()) return;
  CheckHandler(probe, "grpc", grace, rules);
  for (const char* const number : {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                                   "successThreshold", "failureThreshold"}) {
    rules.NotNegative(probe[number]);
  }
  const Place own = probe["terminationGracePeriodSeconds"];
  if (own.Number().value_or(1) <= 0) rules.Invalid(own, "must be greater than 0");
  if (readiness) {
    if (own.Given()) rules.Invalid(own, "must not be set for readinessProbes");
  } else if (probe["successThreshold"].Number() != 1) {
    rules.Invalid(probe["successThreshold"], "must be 1");
  }
}

}  // namespace

void CheckPortNumberOrName(const Place& port, FieldRules& rules) {
  if (port.value().IsString()) {
    rules.InvalidText(port, PortNameErrors(port.Text()));
  } else {
    CheckPortNumber(port, rules);
  }
}

void CheckProbes(const Place& container, const PodScope& scope, FieldRules& rules) {
  const std::int64_t grace = scope.spec["terminationGracePeriodSeconds"].Number().value_or(0);
  for (const char* const hook : {"postStart", "preStop"}) {
    const Place handler = container["lifecycle"][hook];
    if (handler.Given()) CheckHandler(handler, "sleep", grace, rules);
  }
  for (const char* const probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    CheckProbe(container[probe], std::string_view(probe) == "readinessProbe", grace, rules);
  }
}

}  // namespace capstan::testing::apiserver
