// SPDX-License-Identifier: Apache-2.0
// A Condition reports one observation of a controller in a status. It has a type, a status and a
// reason. These functions find and set Conditions.
// Declare the list with Field("conditions", &Status::conditions).ListMap("type"). Mirrors
// metav1.Condition and k8s.io/apimachinery/pkg/api/meta/conditions.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/clock.h"
#include "capstan/export.h"
#include "capstan/field.h"
#include "capstan/time.h"

namespace capstan {

inline constexpr std::string_view kConditionTrue = "True";
inline constexpr std::string_view kConditionFalse = "False";
inline constexpr std::string_view kConditionUnknown = "Unknown";

struct CAPSTAN_EXPORT Condition {
  std::string type = {};                 // "Ready"
  std::string status = {};               // kConditionTrue, kConditionFalse or kConditionUnknown
  std::int64_t observed_generation = 0;  // the metadata.generation that it is about
  Time last_transition_time = {};        // of the status; Time(): not set
  std::string reason = {};               // one word in CamelCase
  std::string message = {};              // for people; may be empty
  friend bool operator==(const Condition&, const Condition&) = default;
};

template <>
inline constexpr auto kFields<Condition> =
    Fields(Field("type", &Condition::type)
               .Required()
               .MaxLength(316)
               .Pattern(R"(^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?)"
                        R"((([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$)"),
           Field("status", &Condition::status).Required().Enum("True", "False", "Unknown"),
           Field("observedGeneration", &Condition::observed_generation).Minimum(0),
           Field("lastTransitionTime", &Condition::last_transition_time).Required(),
           Field("reason", &Condition::reason)
               .Required()
               .MinLength(1)
               .MaxLength(1024)
               .Pattern(R"(^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$)"),
           Field("message", &Condition::message).Required().MaxLength(32768));

// Adds `condition`, or changes the one of the same type. last_transition_time changes only with the
// status: to that of `condition`, or to now. Returns whether anything changed, so that a controller
// writes the status only then.
CAPSTAN_EXPORT bool SetStatusCondition(std::vector<Condition>& conditions, Condition condition,
                                       const Clock& clock = Clock::Real());
// Returns whether there was one.
CAPSTAN_EXPORT bool RemoveStatusCondition(std::vector<Condition>& conditions,
                                          std::string_view type);

// Returns nullptr if there is none. It points into `conditions`.
CAPSTAN_EXPORT const Condition* FindStatusCondition(const std::vector<Condition>& conditions,
                                                    std::string_view type);
// Reports whether the condition exists and has this status.
CAPSTAN_EXPORT bool IsStatusConditionPresentAndEqual(const std::vector<Condition>& conditions,
                                                     std::string_view type,
                                                     std::string_view status);
CAPSTAN_EXPORT bool IsStatusConditionTrue(const std::vector<Condition>& conditions,
                                          std::string_view type);
CAPSTAN_EXPORT bool IsStatusConditionFalse(const std::vector<Condition>& conditions,
                                           std::string_view type);

}  // namespace capstan
