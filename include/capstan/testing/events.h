// SPDX-License-Identifier: Apache-2.0
// EventsOf reads the Events that a controller has sent. A test without an API server uses
// FakeRecorder.
//
//   testing::Require(testing::Eventually([&] {
//             return std::ranges::any_of(
//                 testing::EventsOf(*client, foo.metadata.uid),
//                 [](const api::EventFields& event) { return event.reason == "Synced"; });
//           }),
//           "an Event about the Foo");
#pragma once

#include <string>
#include <vector>

#include "capstan/api/event.h"
#include "capstan/export.h"
#include "capstan/rest/client.h"

namespace capstan::testing {

// Returns the Events about the object with this uid, in any order. A controller sends Events in the
// background, so wait with Eventually. Equal Events are one with a `count`. Throws as require.h
// does, if they cannot be listed.
CAPSTAN_EXPORT std::vector<api::EventFields> EventsOf(rest::Client& client, const std::string& uid);

}  // namespace capstan::testing
