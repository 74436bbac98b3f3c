// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/namespace_scope.h"

#include <algorithm>

namespace controllers::cainjector {
namespace {

std::string Join(const std::vector<std::string>& names, const std::string& before_each,
                 const std::string& between) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += between;
    text += before_each + name;
  }
  return text;
}

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<clientgo::cache::Scope> NamespaceScope::Watches(
    const std::string& label_selector) const {
  const std::string field_selector = Join(ignored, "metadata.namespace!=", ",");
  if (namespaces.empty()) {
    return {{.label_selector = label_selector, .field_selector = field_selector}};
  }
  std::vector<clientgo::cache::Scope> scopes;
  for (const std::string& name : namespaces) {
    scopes.push_back(
        {.namespace_ = name, .label_selector = label_selector, .field_selector = field_selector});
  }
  return scopes;
}

std::optional<Failure> NamespaceScope::Outside(std::string_view kind,
                                               const clientgo::runtime::ObjectKey& key) const {
  const std::string subject = std::string(kind) + " " + key.String();
  if (Contains(ignored, key.namespace_)) {
    return Failure{.reason = Reason::kOutsideNamespace,
                   .message = subject + " is in a namespace that is ignored (--ignore-namespaces)"};
  }
  if (namespaces.empty() || Contains(namespaces, key.namespace_)) return std::nullopt;
  const bool one = namespaces.size() == 1;
  return Failure{.reason = Reason::kOutsideNamespace,
                 .message = subject + " is not in " + (one ? "namespace " : "one of namespaces ") +
                            Join(namespaces, "", ", ") + ", the only " + (one ? "one" : "ones") +
                            " watched (--namespace)"};
}

}  // namespace controllers::cainjector
