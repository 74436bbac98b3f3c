// SPDX-License-Identifier: Apache-2.0
// EventsOf reads the Events that a controller has sent. A test without an API server uses
// FakeRecorder.
//
//   Require(Eventually([&] {
//             return std::ranges::any_of(
//                 EventsOf(*client, foo.metadata.uid),
//                 [](const EventFields& event) { return event.reason == "Synced"; });
//           }),
//           "an Event about the Foo");
#pragma once

#include <string>
#include <vector>

#include "capstan/clientgo/api/event.h"
#include "capstan/clientgo/rest/client.h"
#include "capstan/export.h"

namespace capstan::testing {

// Returns the Events about the object with this uid, in any order. A controller sends Events in the
// background, so wait with Eventually. Equal Events are one with a `count`. Throws as require.h
// does, if they cannot be listed.
CAPSTAN_EXPORT std::vector<api::EventFields> EventsOf(rest::Client& client, const std::string& uid);

}  // namespace capstan::testing
