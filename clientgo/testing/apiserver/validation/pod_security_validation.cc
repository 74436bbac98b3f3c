// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/text.h"
#include "clientgo/cel/go_regexp.h"
#include "clientgo/testing/apiserver/types/json.h"
#include "clientgo/testing/apiserver/validation/pod_rules.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::int64_t kIdMax = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kSeccompOfPod = "seccomp.security.alpha.kubernetes.io/pod";
constexpr std::string_view kSeccompOfContainer = "container.seccomp.security.alpha.kubernetes.io/";
constexpr std::string_view kAppArmor = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kMirrorPod = "kubernetes.io/config.mirror";
constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
constexpr std::string_view kLocal = "localhost/";

// The first separator in the name of a sysctl, "." or "/", is the separator of its parts.
std::string DottedName(std::string_view name) {
  std::string dotted(name);
  const std::size_t first = dotted.find_first_of("./");
  if (first == std::string::npos || dotted[first] == '.') return dotted;
  for (char& c : dotted) c = c == '/' ? '.' : c == '.' ? '/' : c;
  return dotted;
}

// Sysctls of a namespace that the Pod shares with its host are for the whole host.
void CheckSysctls(const Place& spec, FieldRules& rules) {
  static const cel::GoRegexp name_form(
      R"(^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$)");
  constexpr std::size_t kNameMax = 253;
  std::set<std::string_view> names;
  for (const Place& sysctl : spec["securityContext"]["sysctls"].Items()) {
    const Place name = sysctl["name"];
    const std::string_view text = name.Text();
    if (text.empty()) {
      rules.Required(name);
    } else if (text.size() > kNameMax || !name_form.Matches(text)) {
      rules.Invalid(name,
                    "must have at most 253 characters and match regex "
                    R"(^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$)");
    } else if (names.contains(text)) {
      rules.Duplicate(name);
    }
    const std::string dotted = DottedName(text);
    const bool ipc = dotted == "kernel.sem" || dotted.starts_with("kernel.shm") ||
                     dotted.starts_with("kernel.msg") || dotted.starts_with("fs.mqueue.");
    if (dotted.starts_with("net.") && spec["hostNetwork"].IsTrue()) {
      rules.Invalid(name, "may not be specified when 'hostNetwork' is true");
    } else if (ipc && spec["hostIPC"].IsTrue()) {
      rules.Invalid(name, "may not be specified when 'hostIPC' is true");
    }
    names.insert(text);
  }
}

// Returns a profile as Go prints its internal type.
std::string ProfileText(const Place& profile) {
  const Place local = profile["localhostProfile"];
  return Json({{"Type", profile["type"].Text()},
               {"LocalhostProfile", local.Given() ? Json(local.Text()) : Json(nullptr)}})
      .text();
}

// Returns a SecurityContext as Go prints its internal type.
std::string ContextText(const Place& context) {
  const auto list = [](const Place& items) {
    return items.Given() ? Json(items.value()) : Json(nullptr);
  };
  constexpr std::pair<const char*, const char*> kMembers[] = {
      {"Privileged", "privileged"},
      {"SELinuxOptions", "seLinuxOptions"},
      {"WindowsOptions", "windowsOptions"},
      {"RunAsUser", "runAsUser"},
      {"RunAsGroup", "runAsGroup"},
      {"RunAsNonRoot", "runAsNonRoot"},
      {"ReadOnlyRootFilesystem", "readOnlyRootFilesystem"},
      {"AllowPrivilegeEscalation", "allowPrivilegeEscalation"},
      {"ProcMount", "procMount"}};
  const Place capabilities = context["capabilities"];
  const Json powers = {{"Add", list(capabilities["add"])}, {"Drop", list(capabilities["drop"])}};
  Json text = {{"Capabilities", capabilities.Given() ? powers : Json(nullptr)}};
  for (const auto& [name, member] : kMembers) text.Add(name, list(context[member]));
  const Place seccomp = context["seccompProfile"];
  const Place app_armor = context["appArmorProfile"];
  text.Add("SeccompProfile", seccomp.Given() ? Json::Raw(ProfileText(seccomp)) : Json(nullptr));
  text.Add("AppArmorProfile",
           app_armor.Given() ? Json::Raw(ProfileText(app_armor)) : Json(nullptr));
  return text.text();
}

// Reports whether an annotation is a seccomp profile.
void CheckSeccompAnnotation(const Place& profile, FieldRules& rules) {
  const std::string_view text = profile.Text();
  if (text == "runtime/default" || text == "docker/default" || text == "unconfined") return;
  if (!text.starts_with(kLocal)) {
    return rules.InvalidText(profile, "must be a valid seccomp profile");
  }
  const std::string_view path = text.substr(kLocal.size());
  const runtime::JsonValue value(rapidjson::StringRef(path.data(), path.size()));
  const Place place(value, profile.path());
  CheckDescendingPath(place, place, rules);
}

void CheckAppArmorAnnotation(const Place& profile, const Place& spec, std::string_view container,
                             FieldRules& rules) {
  const auto all = AllContainers(spec);
  if (std::none_of(all.begin(), all.end(),
                   [&](const Place& one) { return one["name"].Text() == container; })) {
    rules.InvalidAs(profile, Quote(container), "container not found");
  }
  const std::string_view text = profile.Text();
  if (text.empty() || text == "runtime/default" || text == "unconfined" ||
      text.starts_with(kLocal)) {
    return;
  }
  rules.Invalid(profile, "invalid AppArmor profile name: " + Quote(text));
}

// Compares a profile with the annotation that is its former form. `system`: "seccomp".
void CheckProfileMatches(const Place& annotation, const Place& profile, std::string_view system,
                         FieldRules& rules) {
  if (!annotation.Given() || !profile.Given()) return;
  const std::string_view text = annotation.Text();
  const std::string_view type = profile["type"].Text();
  const std::string how = std::string(system) + " type in annotation and field must match";
  bool same = true;
  if (type == "Unconfined") {
    same = text == "unconfined";
  } else if (type == "RuntimeDefault") {
    same = text == "runtime/default" || (system == "seccomp" && text == "docker/default");
  } else if (type == "Localhost") {
    same = text.starts_with(kLocal);
    const Place local = profile["localhostProfile"];
    if (same && (!local.Given() || text.substr(kLocal.size()) != local.Text())) {
      rules.Forbidden(local, std::string(system) + " profile in annotation and field must match");
    }
  }
  if (!same) rules.Forbidden(profile["type"], how);
}

}  // namespace

void CheckSeccompProfile(const Place& profile, FieldRules& rules) {
  if (!profile.Given()) return;
  const Place type = profile["type"];
  const Place local = profile["localhostProfile"];
  if (rules.RequireText(type, "type is required when seccompProfile is set")) {
    rules.OneOf(type, {"Localhost", "RuntimeDefault", "Unconfined"});
  }
  if (type.Text() != "Localhost") {
    if (!local.Given()) return;
    rules.InvalidAs(local, ProfileText(profile), "can only be set when seccomp type is Localhost");
  } else if (!local.Given()) {
    rules.Required(local, "must be set when seccomp type is Localhost");
  } else {
    CheckDescendingPath(local, local, rules);
  }
}

void CheckAppArmorProfile(const Place& profile, FieldRules& rules) {
  if (!profile.Given()) return;
  const Place type = profile["type"];
  const Place local = profile["localhostProfile"];
  if (!rules.RequireText(type, "type is required when appArmorProfile is set")) return;
  rules.OneOf(type, {"Localhost", "RuntimeDefault", "Unconfined"});
  if (type.Text() == "RuntimeDefault" || type.Text() == "Unconfined") {
    if (local.Given()) rules.Invalid(local, "can only be set when AppArmor type is Localhost");
  }
  if (type.Text() != "Localhost") return;
  const std::string_view text = local.Text();
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  if (!text.empty() && (is_space(text.front()) || is_space(text.back()))) {
    rules.Invalid(local, "must not be padded with whitespace");
  } else {
    rules.RequireText(local, "must be set when AppArmor type is Localhost");
  }
  constexpr std::size_t kPathMax = 4095;
  if (text.size() > kPathMax) rules.TooLong(local, kPathMax);
}

void CheckSecurityContext(const Place& context, const PodScope& scope, FieldRules& rules) {
  if (!context.Given()) return;
  rules.Between(context["runAsUser"], 0, kIdMax);
  rules.Between(context["runAsGroup"], 0, kIdMax);
  const Place proc = context["procMount"];
  rules.GivenOneOf(proc, {"Default", "Unmasked"});
  if (scope.UsesHostUsers() && proc.Text() == "Unmasked") {
    rules.Invalid(proc, "`hostUsers` must be false to use `Unmasked`");
  }
  CheckSeccompProfile(context["seccompProfile"], rules);
  if (context["allowPrivilegeEscalation"].value().IsFalse()) {
    if (context["privileged"].IsTrue()) {
      rules.InvalidAs(context, ContextText(context),
                      "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    }
    for (const Place& capability : context["capabilities"]["add"].Items()) {
      if (capability.Text() != "CAP_SYS_ADMIN") continue;
      rules.InvalidAs(context, ContextText(context),
                      "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` "
                      "CAP_SYS_ADMIN");
    }
  }
  CheckWindowsOptions(context["windowsOptions"], rules);
  CheckAppArmorProfile(context["appArmorProfile"], rules);
}

void CheckPodSecurityContext(const Place& spec, FieldRules& rules) {
  const Place context = spec["securityContext"];
  for (const char* const id : {"fsGroup", "runAsUser", "runAsGroup"}) {
    rules.Between(context[id], 0, kIdMax);
  }
  for (const Place& group : context["supplementalGroups"].Items()) rules.Between(group, 0, kIdMax);
  if (const Place share = spec["shareProcessNamespace"];
      share.IsTrue() && spec["hostPID"].IsTrue()) {
    rules.Invalid(share.At(context["shareProcessNamespace"].path()),
                  "ShareProcessNamespace and HostPID cannot both be enabled");
  }
  CheckSysctls(spec, rules);
  rules.GivenOneOf(context["fsGroupChangePolicy"], {"Always", "OnRootMismatch"});
  CheckSeccompProfile(context["seccompProfile"], rules);
  CheckWindowsOptions(context["windowsOptions"], rules);
  CheckAppArmorProfile(context["appArmorProfile"], rules);
  rules.GivenOneOf(context["supplementalGroupsPolicy"], {"Merge", "Strict"});
  rules.GivenOneOf(context["seLinuxChangePolicy"], {"Recursive"});
}

void CheckPodAnnotations(const Place& annotations, const Place& spec, FieldRules& rules) {
  if (const Place mirror = annotations.Entry(kMirrorPod);
      mirror.Given() && spec["nodeName"].Text().empty()) {
    rules.Invalid(mirror, "must set spec.nodeName if mirror pod annotation is set");
  }
  if (const Place cost = annotations.Entry(kDeletionCost); cost.Given()) {
    const std::string_view text = cost.Text();
    std::int32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool leading = text.starts_with('0') && text != "0";
    if (error != std::errc() || end != text.data() + text.size() || leading) {
      rules.InvalidText(cost, "must be a 32bit integer");
    }
  }
  for (const Place& key : annotations.Keys()) {
    const std::string_view name = key.Text();
    if (name == kSeccompOfPod || name.starts_with(kSeccompOfContainer)) {
      CheckSeccompAnnotation(annotations[name], rules);
    }
  }
  for (const Place& key : annotations.Keys()) {
    const std::string_view name = key.Text();
    if (!name.starts_with(kAppArmor)) continue;
    CheckAppArmorAnnotation(annotations.Entry(name), spec, name.substr(kAppArmor.size()), rules);
  }
}

void CheckProfilesMatch(const Place& annotations, const Place& spec, FieldRules& rules) {
  const Place context = spec["securityContext"];
  CheckProfileMatches(annotations[kSeccompOfPod], context["seccompProfile"], "seccomp", rules);
  const auto containers = AllContainers(spec);
  for (const Place& container : containers) {
    CheckProfileMatches(
        annotations[std::string(kSeccompOfContainer) + std::string(container["name"].Text())],
        container["securityContext"]["seccompProfile"], "seccomp", rules);
  }
  if (spec["os"]["name"].Text() == "windows") return;
  for (const Place& container : containers) {
    const Place own = container["securityContext"]["appArmorProfile"];
    const Place profile = own.Given() ? own : context["appArmorProfile"].At(own.path());
    CheckProfileMatches(annotations[std::string(kAppArmor) + std::string(container["name"].Text())],
                        profile, "apparmor", rules);
  }
}

}  // namespace capstan::testing::apiserver
