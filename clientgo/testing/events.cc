// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/events.h"

#include "capstan/rest/pager.h"
#include "capstan/testing/require.h"

namespace capstan::testing {

std::vector<api::EventFields> EventsOf(rest::Client& client, const std::string& uid) {
  const auto list = Value(rest::ListAll({}, client, api::Event::Type(),
                                        {.field_selector = "involvedObject.uid=" + uid}),
                          "failed to list Events");
  std::vector<api::EventFields> events;
  for (const auto& object : list.items) {
    events.push_back(static_cast<const api::Event&>(*object).fields());
  }
  return events;
}

}  // namespace capstan::testing
