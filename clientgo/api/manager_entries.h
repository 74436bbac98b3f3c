// SPDX-License-Identifier: Apache-2.0
// ManagerEntries: where the entries of one field manager are in an object's metadata.managedFields.
// All that is kept of managedFields, which are often larger than the object: with it, and with the
// object's resourceVersion, a JSON patch can remove an entry without having read the others.
//
// Entries of a subresource are somebody else's business. Mirrors what csaupgrade in client-go's
// util looks for. Pure functions, thread-safe.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "clientgo/runtime/json_value.h"
#include "clientgo/runtime/projection.h"

namespace clientgo::api {

struct ManagerEntries {
  static constexpr std::int16_t kNone = -1;
  // The index of the first entry with that operation: "Apply", and "Update" (which is also what a
  // create, a PUT or another patch leaves).
  std::int16_t apply = kNone;
  std::int16_t update = kNone;

  friend bool operator==(const ManagerEntries&, const ManagerEntries&) = default;
};

// The entries of `manager`; none when it is empty.
ManagerEntries FindManagerEntries(const runtime::JsonValue& object, std::string_view manager);

// What FindManagerEntries reads of an object, for a Projection; nothing when `manager` is empty.
std::vector<runtime::Projection::Path> ManagerEntriesPaths(std::string_view manager);

}  // namespace clientgo::api
