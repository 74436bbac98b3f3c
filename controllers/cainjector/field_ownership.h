// SPDX-License-Identifier: Apache-2.0
// FieldOwner decides which of our entries stay in a target's managedFields, and drops the others.
//
// The owner of a field of a webhook keeps that webhook alive. A server-side apply by the webhook's
// author that removes it then fails with 422, and so does one that removes a CRD's conversion. With
// FieldOwnership::kDetach, therefore, none of our entries stays. With kKeep, only one kind is
// dropped: the "Update" entry that the PUT of cert-manager up to 1.20 left, once an "Apply" entry
// exists. Otherwise it would own its fields for ever, beside the "Apply" entry.
//
// The entries are known from reads and writes that happen anyway, so no request is sent while there
// is nothing to drop. Only after a concurrent write is the object read again, with no right that
// the cache does not need (MutationCache::Read). Thread-safe.
//
// Mirrors csaupgrade.UpgradeManagedFieldsPatch in client-go as cert-manager's cainjector uses it.
// Differs: it runs after the apply, so its response cannot bring an old bundle back, and it
// identifies entries by their index, so managedFields need not be read first.
#pragma once

#include <stop_token>
#include <string>

#include "capstan/rest/client.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/targets/mutation_cache.h"
#include "controllers/cainjector/targets/target.h"

namespace capstan::cainjector {

// Attempts to drop entries. Each follows a concurrent write.
inline constexpr int kDropAttempts = 3;

// Returns the entries of `found` to drop.
ManagerEntries EntriesToDrop(FieldOwnership ownership, const ManagerEntries& found);
// Returns the JSON patch that removes only `entries` from the object at that version. The API
// server answers 409 when the object has another version.
std::string DropEntriesPatch(std::string_view resource_version, const ManagerEntries& entries);

class FieldOwner {
 public:
  // All outlive this.
  FieldOwner(rest::Client& client, const Target& target, MutationCache& contents,
             FieldOwnership ownership)
      : client_(client),
        target_(target),
        contents_(contents),
        ownership_(target.place_may_move() ? FieldOwnership::kKeep : ownership) {}

  // Drops entries of `content`, the last known state of `cached` in the API server. After a
  // concurrent write it reads the object again, for kDropAttempts attempts in all.
  Expected<void> DropEntries(std::stop_token stop, const runtime::Object& cached,
                             runtime::ObjectPtr content);

 private:
  rest::Client& client_;
  const Target& target_;
  MutationCache& contents_;
  const FieldOwnership ownership_;
};

}  // namespace capstan::cainjector
