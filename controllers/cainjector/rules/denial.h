// SPDX-License-Identifier: Apache-2.0
// Denial is who denied a request with 403, or with the 422 of an admission policy. Only for one of
// them a missing right is the cause, so each needs another fix. The API server's message is the
// only part of the response that names it. Immutable plain data.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace capstan::cainjector {

struct Denial {
  enum class By {
    kAuthorizer,  // RBAC or another authorizer: the user lacks a right
    kWebhook,     // the admission webhook `name`
    kPolicy,      // the admission policy `name`; with a `binding`: a ValidatingAdmissionPolicy
    kQuota,       // the ResourceQuota `name`
    kNamespace,   // the namespace `name`, which is being deleted
    kPlugin,      // another admission plugin of the API server
  };
  By by = By::kPlugin;
  std::string name = {};
  std::string binding = {};
};

// Returns nullopt when nobody is known to have denied the request. `message` is that of the API
// server, or of a Failure that contains it.
std::optional<Denial> DenialOf(std::string_view message);

}  // namespace capstan::cainjector
