// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/events.h"

#include "capstan/clientgo/rest/pager.h"
#include "capstan/testing/require.h"

namespace capstan::testing {

std::vector<EventFields> EventsOf(clientgo::rest::Client& client, const std::string& uid) {
  using clientgo::api::Event;
  const auto list = Value(clientgo::rest::ListAll({}, client, Event::Type(),
                                                  {.field_selector = "involvedObject.uid=" + uid}),
                          "failed to list Events");
  std::vector<EventFields> events;
  for (const auto& object : list.items) {
    events.push_back(static_cast<const Event&>(*object).fields());
  }
  return events;
}

}  // namespace capstan::testing
