// SPDX-License-Identifier: Apache-2.0
// FieldOwner: our entries in a target's managedFields, and which of them stay there.
//
// Who owns a field of a webhook keeps that webhook alive: a server-side apply by its owner that
// removes it then fails with 422, and so does one that removes a CRD's conversion. Therefore, with
// FieldOwnership::kDetach, none of our entries stays. With kKeep only one kind goes: what
// cert-manager up to 1.20, which wrote by PUT, left as an "Update" entry, once an "Apply" entry
// stands beside it. Left alone it would own, for ever and beside us, whatever it owned then.
//
// Which entries there are is known from what is read and written anyway, so nothing is asked for,
// and nothing sent, while all is as it should be. Only after a write by somebody else is the object
// read, with no right that the cache does not need (TargetContents::Read). Thread-safe.
// Mirrors csaupgrade.UpgradeManagedFieldsPatch in client-go as cert-manager's cainjector uses it.
// Differs: it runs after the apply, not before it, so its answer cannot bring an old bundle back;
// and it names entries by their index, so managedFields need not be read first.
#pragma once

#include <stop_token>
#include <string>

#include "clientgo/api/manager_entries.h"
#include "clientgo/rest/client.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/targets/target_contents.h"

namespace controllers::cainjector {

// Tries to drop entries before the caller has to wait: each follows a write by somebody else.
inline constexpr int kDropAttempts = 3;

// Of `found`, those that shall not stay.
clientgo::api::ManagerEntries EntriesToDrop(FieldOwnership ownership,
                                            const clientgo::api::ManagerEntries& found);
// The JSON patch that removes `entries`, and nothing else, from the object at that version: 409
// when it has another one by now.
std::string DropEntriesPatch(std::string_view resource_version,
                             const clientgo::api::ManagerEntries& entries);

class FieldOwner {
 public:
  // All outlive it.
  FieldOwner(clientgo::rest::Client& client, const Target& target, TargetContents& contents,
             FieldOwnership ownership)
      : client_(client), target_(target), contents_(contents), ownership_(ownership) {}

  // Drops what shall not stay of `content`, which is the API server's state of `cached` as far as
  // we know. When somebody wrote meanwhile it looks again, kDropAttempts times in all.
  clientgo::util::Expected<void> DropEntries(std::stop_token stop,
                                             const clientgo::runtime::Object& cached,
                                             clientgo::runtime::ObjectPtr content);

 private:
  clientgo::rest::Client& client_;
  const Target& target_;
  TargetContents& contents_;
  const FieldOwnership ownership_;
};

}  // namespace controllers::cainjector
