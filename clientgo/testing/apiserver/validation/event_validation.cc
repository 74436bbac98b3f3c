// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

// EventFields are the fields of an Event at the paths of the errors, which are those of the core
// group for the most part.
struct EventFields {
  Place object;
  Place message;
  Place reporter;
};

void CheckLength(const Place& field, std::size_t most, FieldRules& rules) {
  if (field.Text().size() <= most) return;
  rules.InvalidAs(field, R"("")", "can have at most " + std::to_string(most) + " characters");
}

void CheckOldRules(const Place& event, const EventFields& fields, FieldRules& rules) {
  constexpr std::size_t kTextMax = 128;
  constexpr std::size_t kNoteMax = 1024;
  const Place about = fields.object["namespace"];
  const std::string_view own = event["metadata"]["namespace"].Text();
  const bool is_new = event["eventTime"].Given();
  // Events about cluster-scoped objects are in "default", and new ones also in "kube-system".
  const bool cluster = own == "default" || (is_new && own == "kube-system");
  const bool matches = about.Text().empty() ? cluster : is_new || about.Text() == own;
  if (!matches) rules.InvalidText(about, "does not match event.namespace");
  if (!is_new) return;
  rules.RequireText(fields.reporter);
  rules.InvalidText(fields.reporter, QualifiedNameErrors(fields.reporter.Text()));
  for (const char* const member : {"reportingInstance", "action", "reason"}) {
    rules.RequireText(event[member]);
    CheckLength(event[member], kTextMax, rules);
  }
  CheckLength(fields.message, kNoteMax, rules);
}

EventFields NewFieldsOf(const Place& event) {
  return {.object = event["regarding"].At("involvedObject"),
          .message = event["note"].At("message"),
          .reporter = event["reportingController"]};
}

void CheckSeries(const Place& series, FieldRules& rules) {
  if (!series.Given()) return;
  if (series["count"].Number().value_or(0) < 2) {
    rules.InvalidAs(series["count"], R"("")", "should be at least 2");
  }
  if (!series["lastObservedTime"].Given()) rules.Required(series["lastObservedTime"]);
}

}  // namespace

void CheckEvent(const Place& event, FieldRules& rules) {
  CheckOldRules(event,
                {.object = event["involvedObject"],
                 .message = event["message"],
                 .reporter = event["reportingComponent"]},
                rules);
}

void CheckNewEvent(const Place& event, FieldRules& rules) {
  CheckOldRules(event, NewFieldsOf(event), rules);
  // An Event that was made in the core group is valid here, too, until its series changes.
  if (!event["metadata"]["resourceVersion"].Text().empty()) return;
  CheckSeries(event["series"], rules);
  if (!event["eventTime"].Given()) rules.Required(event["eventTime"]);
  const Place type = event["type"];
  if (type.Text() != "Normal" && type.Text() != "Warning") {
    rules.InvalidAs(type, R"("")", "has invalid value: " + std::string(type.Text()));
  }
  for (const auto& [member, path] : {std::pair("deprecatedFirstTimestamp", "firstTimestamp"),
                                     std::pair("deprecatedLastTimestamp", "lastTimestamp"),
                                     std::pair("deprecatedCount", "count")}) {
    if (event[member].Given()) {
      rules.InvalidAs(event[member].At(path), R"("")", "needs to be unset");
    }
  }
  const Place source = event["deprecatedSource"];
  if (!source["component"].Text().empty() || !source["host"].Text().empty()) {
    rules.InvalidAs(source.At("source"), R"("")", "needs to be unset");
  }
}

void CheckNewEventUpdate(const Place& live, const Place& next, FieldRules& rules) {
  if (live["series"].value() != next["series"].value()) CheckSeries(next["series"], rules);
  for (const auto& [member, path] :
       {std::pair("regarding", "involvedObject"), std::pair("reason", "reason"),
        std::pair("note", "message"), std::pair("deprecatedSource", "source"),
        std::pair("deprecatedFirstTimestamp", "firstTimestamp"),
        std::pair("deprecatedLastTimestamp", "lastTimestamp"),
        std::pair("deprecatedCount", "count"), std::pair("type", "type"),
        std::pair("eventTime", "eventTime"), std::pair("action", "action"),
        std::pair("related", "related"), std::pair("reportingController", "reportingController"),
        std::pair("reportingInstance", "reportingInstance")}) {
    rules.Immutable(live[member].At(path), next[member].At(path));
  }
}

}  // namespace capstan::testing::apiserver
