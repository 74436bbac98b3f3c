// SPDX-License-Identifier: Apache-2.0
// Finding is the state of one target, as the Inspector determined it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/cainjector/verdict.h"

namespace capstan::cmd::cli::inspect {

enum class State {
  kInSync,   // the target holds the bundle
  kPending,  // nothing is broken, but the bundle is missing
  kBroken,   // `failure` is the reason
  kSkipped,  // the target has no place for a bundle
  kUnknown,  // no answer, or no right to read; `failure` is the reason
};
std::string_view ToString(State state);  // "InSync"

// NamedSource is the source that a target names.
struct NamedSource {
  std::string annotation;
  std::string value;  // the annotation's value
  std::string kind;   // "Secret"
  std::string text;   // "Secret ns/ca"
  // Of one source of a list (FirstBroken): the annotation's value. `value` is that of the item.
  std::string list = {};
};

struct Finding {
  const cainjector::Target* target = nullptr;
  runtime::ObjectPtr object;               // decoded by the target's type()
  runtime::ObjectPtr content;              // decoded by its content_type(); null: not readable
  std::optional<NamedSource> source = {};  // none: no injection is requested
  std::vector<std::string> current = {};
  std::optional<cainjector::Verdict::Plan> plan = {};
  State state = State::kInSync;
  cainjector::Reason reason = cainjector::Reason::kUnchanged;
  // The first broken link, or with kUnknown the first that could not be checked.
  std::optional<cainjector::Failure> failure = {};
  // False: the manager does not watch the object, and only `source` is set.
  bool watched = true;
  // Why it does not.
  enum class Unwatched { kKind, kNamespace, kLabel } unwatched = Unwatched::kKind;
  std::string event_time = {};  // the failure is from an Event of this time; empty: it is not
  std::string note = {};        // what could not be checked

  const std::string& kind() const { return target->type().kind; }
  // Returns "name", or "namespace/name".
  std::string name() const { return std::string(object->key()); }
  std::string message() const { return failure ? failure->message : std::string(); }
};

// Returns whether the target holds the bundle, or has no place for one.
bool IsWell(const Finding& finding);

// Sets the failure, and the state that follows from it.
void Break(Finding& finding, cainjector::Failure failure);

// Returns whether the failure is about the caller or the connection, and not about the target.
// `as_oneself`: --as is not set. With --as, a missing right is a result.
bool IsAboutCaller(const cainjector::Failure& failure, bool as_oneself);

}  // namespace capstan::cmd::cli::inspect
