// SPDX-License-Identifier: Apache-2.0
// Object parses an object of a test. HasEvent finds an Event.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "capstan/client/client.h"
#include "capstan/clientgo/rest/client.h"
#include "capstan/kind/unstructured.h"
#include "testing/example_test.h"

// Parses an object.
inline capstan::Unstructured Object(const std::string& json) {
  return Value(capstan::Unstructured::FromJson(json), "JSON");
}

// Reports whether an Event about the object with this uid has the reason and the message, and was
// recorded at least `count` times.
inline bool HasEvent(capstan::clientgo::rest::Client& client, const std::string& uid,
                     std::string_view reason, std::string_view message, int count = 1) {
  using capstan::Unstructured;
  const capstan::Client<Unstructured> events(
      client, Unstructured::TypeFor({"", "v1", "events"}, "Event", true));
  const auto all = events.List({});
  return all && std::any_of(all->begin(), all->end(), [&](const auto& event) {
           const auto text = [&](const Unstructured::Path& path) {
             return event->template Get<std::string>(path);
           };
           return text({"involvedObject", "uid"}) == uid && text({"reason"}) == reason &&
                  text({"message"}) == message &&
                  event->template Get<int>({"count"}).value_or(0) >= count;
         });
}
