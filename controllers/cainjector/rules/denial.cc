// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/denial.h"

namespace capstan::cainjector {
namespace {

constexpr std::string_view kWebhook = "admission webhook \"";
// As in `secrets "ca" is forbidden: ...`, and in `forbidden: ...` of a path.
constexpr std::string_view kForbidden = "forbidden: ";

std::string UpTo(std::string_view text, std::string_view end) {
  return std::string(text.substr(0, text.find(end)));
}

// Removes `prefix` and returns true if `text` begins with it.
bool Skip(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Reads what follows "forbidden: ".
Denial Forbidden(std::string_view why) {
  using By = Denial::By;
  if (why.starts_with("User \"") || why.starts_with("user not permitted to ")) {
    return {.by = By::kAuthorizer};
  }
  if (Skip(why, "ValidatingAdmissionPolicy '")) {
    Denial denial{.by = By::kPolicy, .name = UpTo(why, "'")};
    why.remove_prefix(denial.name.size());
    if (Skip(why, "' with binding '")) denial.binding = UpTo(why, "'");
    return denial;
  }
  if (Skip(why, "exceeded quota: ") || Skip(why, "failed quota: ")) {
    return {.by = By::kQuota, .name = UpTo(why.substr(0, why.find(',')), ":")};
  }
  if (Skip(why, "unable to create new content in namespace ")) {
    return {.by = By::kNamespace, .name = UpTo(why, " ")};
  }
  return {.by = By::kPlugin};
}

}  // namespace

// What comes first counts: the rest may be text of the author of a policy.
std::optional<Denial> DenialOf(std::string_view message) {
  using By = Denial::By;
  for (; !message.empty(); message.remove_prefix(1)) {
    if (Skip(message, kForbidden)) return Forbidden(message);
    if (Skip(message, kWebhook)) return Denial{.by = By::kWebhook, .name = UpTo(message, "\"")};
    // A policy of either kind. Kubernetes quotes its name in two ways.
    if (Skip(message, "policy '")) return Denial{.by = By::kPolicy, .name = UpTo(message, "'")};
    if (Skip(message, "policy \"")) return Denial{.by = By::kPolicy, .name = UpTo(message, "\"")};
  }
  return std::nullopt;
}

}  // namespace capstan::cainjector
