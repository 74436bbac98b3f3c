// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/reason.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "capstan/long_values.h"
#include "controllers/cainjector/rules/denial.h"

namespace capstan::cainjector {
namespace {

struct Row {
  std::string_view name;
  Retry retry;
  Link link;  // the broken one, unless the Failure names another
};

// In the order of Reason.
constexpr std::array kRows = {
    Row{.name = "Injected", .retry = Retry::kOnChange, .link = Link::kBundle},
    Row{.name = "Unchanged", .retry = Retry::kOnChange, .link = Link::kBundle},
    Row{.name = "SourceNotFound", .retry = Retry::kOnChange, .link = Link::kSource},
    Row{.name = "NotAllowed", .retry = Retry::kOnChange, .link = Link::kConsent},
    Row{.name = "NotShared", .retry = Retry::kOnChange, .link = Link::kProcess},
    Row{.name = "NoCaData", .retry = Retry::kOnChange, .link = Link::kContent},
    Row{.name = "InvalidBundle", .retry = Retry::kOnChange, .link = Link::kContent},
    Row{.name = "Expired", .retry = Retry::kOnChange, .link = Link::kContent},
    Row{.name = "Distrusted", .retry = Retry::kOnChange, .link = Link::kContent},
    Row{.name = "BadAnnotation", .retry = Retry::kOnChange, .link = Link::kAnnotation},
    Row{.name = "OutsideNamespace", .retry = Retry::kOnChange, .link = Link::kProcess},
    Row{.name = "NotThisCertificate", .retry = Retry::kOnChange, .link = Link::kConsent},
    Row{.name = "SourceUnavailable", .retry = Retry::kSlow, .link = Link::kSource},
    Row{.name = "SourceDisabled", .retry = Retry::kOnChange, .link = Link::kProcess},
    Row{.name = "SourcesIncomplete", .retry = Retry::kOnChange, .link = Link::kSource},
    Row{.name = "NothingToInjectInto", .retry = Retry::kOnChange, .link = Link::kPlace},
    Row{.name = "TLSVerifyDisabled", .retry = Retry::kOnChange, .link = Link::kPlace},
    Row{.name = "FieldOwned", .retry = Retry::kOnChange, .link = Link::kBundle},
    Row{.name = "Overwritten", .retry = Retry::kBackoff, .link = Link::kBundle},
    Row{.name = "TooLarge", .retry = Retry::kOnChange, .link = Link::kBundle},
    Row{.name = "Forbidden", .retry = Retry::kSlow, .link = Link::kSource},
    Row{.name = "Rejected", .retry = Retry::kSlow, .link = Link::kBundle},
    Row{.name = "Error", .retry = Retry::kBackoff, .link = Link::kSource},
};
static_assert(kRows.size() == static_cast<std::size_t>(Reason::kError) + 1);

const Row& RowOf(Reason reason) { return kRows.at(static_cast<std::size_t>(reason)); }

}  // namespace

std::string_view ToString(Reason reason) { return RowOf(reason).name; }

Retry RetryAfter(Reason reason) { return RowOf(reason).retry; }

Retry RetryAfter(const Failure& failure) {
  Retry retry = RetryAfter(failure.reason);
  for (const Failure& cause : failure.causes) retry = std::max(retry, RetryAfter(cause));
  return retry;
}

bool IsNormal(Reason reason) {
  return reason == Reason::kInjected || reason == Reason::kUnchanged ||
         reason == Reason::kNothingToInjectInto;
}

bool IsExcluded(Reason reason) {
  return reason == Reason::kOutsideNamespace || reason == Reason::kSourceDisabled;
}

Link BrokenLink(const Failure& failure) { return failure.at.value_or(RowOf(failure.reason).link); }

std::vector<Reason> AllReasons() {
  std::vector<Reason> all;
  for (std::size_t i = 0; i < kRows.size(); ++i) all.push_back(static_cast<Reason>(i));
  return all;
}

Failure CombineFailures(std::vector<Failure> causes, std::size_t items) {
  const bool all = causes.size() == items;
  Failure combined;
  if (all) combined = causes.front();
  if (!all) combined.reason = Reason::kSourcesIncomplete;
  combined.item.clear();
  combined.message = (all ? "all " : std::to_string(causes.size()) + " of ") +
                     std::to_string(items) + " sources failed";
  const Failure* most_urgent = &causes.front();
  for (const Failure& cause : causes) {
    combined.message += (&cause == &causes.front() ? ": " : "; ") + cause.item + ": " +
                        std::string(ToString(cause.reason)) + ": " + cause.message;
    combined.watched = combined.watched && cause.watched;
    if (RetryAfter(cause) > RetryAfter(*most_urgent)) most_urgent = &cause;
  }
  if (items == 1) combined.message = causes.front().message;
  combined.error = most_urgent->error;
  combined.causes = std::move(causes);
  return combined;
}

bool IsDeniedByAdmission(const Error& error) {
  if (!IsForbidden(error)) return false;
  const auto denial = DenialOf(error.message);
  return denial && denial->by != Denial::By::kAuthorizer;
}

namespace {

// Returns true for the answers of kube-apiserver to a body over 3 MiB, and of etcd and its client
// to an object over their limits of 1.5 and 2 MiB. The latter two have code 500.
bool IsTooLarge(const Error& error) {
  constexpr int kRequestEntityTooLarge = 413;
  const auto has = [&](std::string_view text) {
    return error.message.find(text) != std::string::npos;
  };
  return error.http_code == kRequestEntityTooLarge || has("request is too large") ||
         has("trying to send message larger than max");
}

}  // namespace

Failure ApiFailure(std::string_view doing, const Error& error) {
  Failure failure{.reason = Reason::kError, .error = error.Wrap(doing)};
  failure.error.message = WithoutLongValues(failure.error.message);
  failure.message = failure.error.message;
  if (IsForbidden(error)) {
    failure.reason = IsDeniedByAdmission(error) ? Reason::kRejected : Reason::kForbidden;
  }
  if (IsPermanent(error)) failure.reason = Reason::kRejected;
  if (error.field_manager_conflict) failure.reason = Reason::kFieldOwned;
  if (IsTooLarge(error)) {
    failure.reason = Reason::kTooLarge;
    failure.message += std::string("; ") + kTooLargeFix;
  }
  return failure;
}

}  // namespace capstan::cainjector
