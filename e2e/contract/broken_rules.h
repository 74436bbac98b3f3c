// SPDX-License-Identifier: Apache-2.0
// BrokenRules are tables of invalid objects and of the causes in the server's answer.
#pragma once

#include <string>
#include <vector>

#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {

// Broken is one rule that an object breaks.
struct Broken {
  std::string reason;   // "Required": FieldValueRequired
  std::string field;    // of the object, or of the PodSpec in it
  std::string message;  // "Required value"
};

// Returns the Refusal of the object for these rules.
inline Refusal RefusalFor(const std::string& kind, const std::string& group,
                          const std::string& name, const std::vector<Broken>& rules) {
  std::string texts;
  std::string causes;
  for (const auto& [reason, field, message] : rules) {
    const std::string text = field + ": " + message;
    // The message has a text once, and the causes have all.
    if (texts.find(text) == std::string::npos) texts += (texts.empty() ? "" : ", ") + text;
    causes += (causes.empty() ? "" : ",") + Cause("FieldValue" + reason, message, field);
  }
  if (texts.find(", " + rules.back().field + ": ") != std::string::npos) texts = "[" + texts + "]";
  const std::string qualified = group.empty() ? kind : kind + "." + group;
  return {.code = 422,
          .reason = "Invalid",
          .message = qualified + " \"" + name + "\" is invalid: " + texts,
          .details = R"({"name":")" + name + R"(",)" +
                     (group.empty() ? "" : R"("group":")" + group + R"(",)") + R"("kind":")" +
                     kind + R"(","causes":[)" + causes + "]}"};
}

}  // namespace capstan::testing::apiserver::contract
