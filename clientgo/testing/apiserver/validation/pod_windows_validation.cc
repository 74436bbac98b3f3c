// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cel/go_regexp.h"
#include "clientgo/testing/apiserver/validation/pod_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kNotForWindows = "cannot be set for a windows pod";

// Checks a name such as "DOMAIN\user".
void CheckUserName(const Place& name, FieldRules& rules) {
  static const cel::GoRegexp net_bios(R"(^[^\\/:\*\?"<>|\.][^\\/:\*\?"<>|]{0,14}$)");
  static const cel::GoRegexp dns(R"(^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)"
                                 R"((?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$)");
  constexpr std::size_t kDomainMax = 256;
  constexpr std::size_t kUserMax = 104;
  const std::string_view text = name.Text();
  const auto refuse = [&](std::string_view why) {
    rules.InvalidText(name, "runAsUserName" + std::string(why));
  };
  if (text.empty()) return refuse(" cannot be an empty string");
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return refuse(" cannot contain control characters");
  }
  const std::size_t slash = text.find('\\');
  if (slash != text.rfind('\\')) return refuse(" cannot contain more than one backslash");
  const bool has_domain = slash != std::string_view::npos;
  const std::string_view domain = has_domain ? text.substr(0, slash) : std::string_view();
  const std::string_view user = has_domain ? text.substr(slash + 1) : text;
  if (domain.size() >= kDomainMax) refuse("'s Domain length must be under 256 characters");
  if (has_domain && !net_bios.Matches(domain) && !dns.Matches(domain)) {
    refuse("'s Domain doesn't match the NetBios nor the DNS format");
  }
  if (user.empty()) refuse("'s User cannot be empty");
  if (user.size() > kUserMax) refuse("'s User length must not be longer than 104 characters");
  if (!user.empty() && user.find_first_not_of(". ") == std::string_view::npos) {
    refuse("'s User cannot contain only periods or spaces");
  }
  if (user.find_first_of(R"("/\:;|=,+*?<>@[])") != std::string_view::npos) {
    refuse(R"('s User cannot contain the following characters: "/\:;|=,+*?<>@[])");
  }
}

// Forbids the members that are given.
void Forbid(const Place& object, std::initializer_list<const char*> members, FieldRules& rules) {
  for (const char* const member : members) {
    if (object[member].Given()) rules.Forbidden(object[member], kNotForWindows);
  }
}

void CheckWindows(const Place& spec, FieldRules& rules) {
  const Place context = spec["securityContext"];
  Forbid(context, {"appArmorProfile", "seLinuxOptions"}, rules);
  Forbid(spec, {"hostUsers"}, rules);
  for (const char* const member : {"hostPID", "hostIPC"}) {
    if (spec[member].IsTrue()) rules.Forbidden(spec[member], kNotForWindows);
  }
  Forbid(context, {"seccompProfile", "fsGroup", "fsGroupChangePolicy"}, rules);
  if (const Place sysctls = context["sysctls"]; !sysctls.Items().empty()) {
    rules.Forbidden(sysctls, kNotForWindows);
  }
  Forbid(spec, {"shareProcessNamespace"}, rules);
  Forbid(context,
         {"runAsUser", "runAsGroup", "supplementalGroups", "supplementalGroupsPolicy",
          "seLinuxChangePolicy"},
         rules);
  for (const Place& container : AllContainers(spec)) {
    Forbid(container["securityContext"],
           {"appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities",
            "readOnlyRootFilesystem", "privileged", "allowPrivilegeEscalation", "procMount",
            "runAsUser", "runAsGroup"},
           rules);
  }
}

void CheckLinux(const Place& spec, FieldRules& rules) {
  std::vector<Place> all = AllContainers(spec);
  all.insert(all.begin(), spec);
  for (const Place& one : all) {
    const Place options = one["securityContext"]["windowsOptions"];
    if (options.Given()) rules.Forbidden(options, "windows options cannot be set for a linux pod");
  }
}

}  // namespace

void CheckWindowsOptions(const Place& options, FieldRules& rules) {
  const Place name = options["gmsaCredentialSpecName"];
  if (name.Given()) rules.InvalidText(name, SubdomainErrors(name.Text()));
  constexpr std::size_t kSpecMax = std::size_t{64} * 1024;
  if (const Place spec = options["gmsaCredentialSpec"]; spec.Given()) {
    if (spec.Text().empty()) {
      rules.InvalidText(spec, "gmsaCredentialSpec cannot be an empty string");
    } else if (spec.Text().size() > kSpecMax) {
      rules.Invalid(spec, "gmsaCredentialSpec size must be under 64 KiB");
    }
  }
  if (const Place user = options["runAsUserName"]; user.Given()) CheckUserName(user, rules);
}

void CheckPodOs(const Place& spec, FieldRules& rules) {
  const Place os = spec["os"];
  if (!os.Given()) return;
  const std::string_view name = os["name"].Text();
  if (name == "linux") return CheckLinux(spec, rules);
  if (name == "windows") return CheckWindows(spec, rules);
  if (rules.RequireText(os["name"])) rules.Unsupported(os, Quote(name), {"linux", "windows"});
}

void CheckHostProcess(const Place& spec, FieldRules& rules) {
  const auto process_of = [](const Place& one) {
    return one["securityContext"]["windowsOptions"]["hostProcess"];
  };
  const Place of_pod = process_of(spec);
  const auto containers = AllContainers(spec);
  std::size_t count = 0;
  for (const Place& container : containers) {
    const Place own = process_of(container);
    if (of_pod.Given() && own.Given() && of_pod.IsTrue() != own.IsTrue()) {
      rules.Invalid(own, "pod hostProcess value must be identical if both are specified, was " +
                             of_pod.Json());
    }
    if (own.Given() ? own.IsTrue() : of_pod.IsTrue()) ++count;
  }
  if (count == 0) return;
  if (count != containers.size()) {
    rules.InvalidAs(spec, R"("")",
                    "If pod contains any hostProcess containers then all containers must be "
                    "HostProcess containers");
  }
  const Place network = spec["hostNetwork"];
  if (network.IsTrue()) return;
  rules.InvalidAs(network, "false",
                  "hostNetwork must be true if pod contains any hostProcess containers");
}

}  // namespace capstan::testing::apiserver
