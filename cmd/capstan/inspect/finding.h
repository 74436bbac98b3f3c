// SPDX-License-Identifier: Apache-2.0
// Finding: how it is with one target, as the Inspector found it. Plain data and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/cainjector/verdict.h"

namespace cmd::capstan::inspect {

enum class State {
  kInSync,   // holds the bundle
  kPending,  // nothing is broken, but the bundle is not there (yet)
  kBroken,   // `failure` says why
  kSkipped,  // has no place for a bundle: nothing is wrong
  kUnknown,  // not found out: no answer, or no right to read it; `failure` says which
};
std::string_view ToString(State state);  // "InSync"

// The source that a target asks for.
struct AskedSource {
  std::string annotation;
  std::string value;  // of the annotation
  std::string kind;   // "Secret"
  std::string text;   // "Secret ns/ca"
};

struct Finding {
  const controllers::cainjector::Target* target = nullptr;
  clientgo::runtime::ObjectPtr object;    // as the target's type() sees it
  clientgo::runtime::ObjectPtr content;   // as its content_type() does; null: could not be read
  std::optional<AskedSource> asked = {};  // none: it asks for no injection
  std::vector<std::string> current = {};
  std::optional<controllers::cainjector::Verdict::Plan> plan = {};
  State state = State::kInSync;
  controllers::cainjector::Reason reason = controllers::cainjector::Reason::kUnchanged;
  // The first broken link, or with kUnknown the first that was not found out; none: neither.
  std::optional<controllers::cainjector::Failure> failure = {};
  // The manager was told to leave this kind alone: nothing but `asked` is looked at.
  bool watched = true;
  std::string told_at = {};  // the failure is from an Event of that time; empty: found out
  std::string note = {};     // what could not be found out

  const std::string& kind() const { return target->type().kind; }
  std::string name() const { return std::string(object->name()); }
};

// Nothing is to be done: it holds the bundle, or has no place for one.
bool IsWell(const Finding& finding);

// `failure` is this finding's: it breaks a link, or leaves no place for a bundle.
void Break(Finding& finding, controllers::cainjector::Failure failure);

// The failure says something of the one who asks, or of the way to the API server, and nothing of
// the target. `as_oneself`: nobody else was asked for (--as), whose rights may be what matters.
bool TellsNothing(const controllers::cainjector::Failure& failure, bool as_oneself);

}  // namespace cmd::capstan::inspect
