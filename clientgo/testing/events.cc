// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/events.h"

#include "capstan/client.h"
#include "capstan/testing/require.h"

namespace capstan::testing {

std::vector<api::EventFields> EventsOf(rest::Client& client, const std::string& uid) {
  const auto events = Value(
      capstan::Client<api::Event>(client).List({}, {.field_selector = "involvedObject.uid=" + uid}),
      "failed to list Events");
  std::vector<api::EventFields> fields;
  fields.reserve(events.size());
  for (const auto& event : events) fields.push_back(*event);
  return fields;
}

}  // namespace capstan::testing
