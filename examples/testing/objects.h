// SPDX-License-Identifier: Apache-2.0
// Object parses an object of a test. HasEvent finds an Event.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "capstan/rest/client.h"
#include "capstan/testing/events.h"
#include "capstan/unstructured.h"
#include "testing/example_test.h"

// Parses an object.
inline capstan::Unstructured Object(const std::string& json) {
  return Value(capstan::Unstructured::FromJson(json), "JSON");
}

// Reports whether an Event about the object with this uid has the reason and the message, and was
// recorded at least `count` times.
inline bool HasEvent(capstan::rest::Client& client, const std::string& uid, std::string_view reason,
                     std::string_view message, int count = 1) {
  const auto events = capstan::testing::EventsOf(client, uid);
  return std::any_of(events.begin(), events.end(), [&](const auto& event) {
    return event.reason == reason && event.message == message && event.count >= count;
  });
}
