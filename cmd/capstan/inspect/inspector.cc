// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/inspector.h"

#include <algorithm>
#include <utility>

#include "capstan/clientgo/util/clock.h"
#include "capstan/clientgo/util/logging.h"
#include "capstan/flags/value.h"
#include "cmd/capstan/inspect/kinds.h"
#include "cmd/capstan/inspect/list_all.h"
#include "controllers/cainjector/rules/annotations.h"

namespace capstan::cmd::cli::inspect {

using clientgo::runtime::ObjectKey;
using clientgo::runtime::ObjectPtr;
using clientgo::util::Err;
using clientgo::util::Error;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using controllers::cainjector::ApiFailure;
using controllers::cainjector::Failure;
using controllers::cainjector::Link;
using controllers::cainjector::Reason;
using controllers::cainjector::Target;

namespace {

constexpr const char* kManager = "capstan-controller-manager";

std::optional<Reason> ParseReason(std::string_view text) {
  for (const Reason reason : controllers::cainjector::AllReasons()) {
    if (ToString(reason) == text) return reason;
  }
  return std::nullopt;
}

// Returns whether only the manager can know this reason, because of its flags or rights. kError is
// not such a reason: the current state counts more than an old error.
bool IsAboutTheProcess(Reason reason) {
  return reason == Reason::kOutsideNamespace || reason == Reason::kSourceDisabled ||
         reason == Reason::kSourceUnavailable || reason == Reason::kForbidden ||
         reason == Reason::kRejected;
}

// Returns whether the message of kSourcesIncomplete contains such a reason of one source.
bool ListsReasonAboutTheProcess(std::string_view message) {
  const auto reasons = controllers::cainjector::AllReasons();
  return std::any_of(reasons.begin(), reasons.end(), [&](Reason reason) {
    return IsAboutTheProcess(reason) &&
           message.find(": " + std::string(ToString(reason)) + ": ") != std::string_view::npos;
  });
}

}  // namespace

Inspector::Events Inspector::EventsOf(const std::stop_token& stop,
                                      const std::string& field_selector) {
  Events last;
  // Without the right to read Events there are none.
  const auto events = ListAll(stop, client_, clientgo::api::Event::Type(),
                              {.namespace_ = "default", .field_selector = field_selector});
  if (!events) return last;
  for (const ObjectPtr& item : *events) {
    const auto& fields = static_cast<const clientgo::api::Event&>(*item).fields();
    if (fields.source_component != kManager) continue;
    auto& held = last[fields.involved_object.uid];
    if (held.last_timestamp <= fields.last_timestamp) held = fields;
  }
  return last;
}

// Falls back to a list, because the manager may list some kinds that it may not get.
Expected<ObjectPtr> Inspector::Fetch(const std::stop_token& stop, const Target& target,
                                     const std::string& name) {
  auto object = client_.Get(stop, target.type(), {.namespace_ = {}, .name = name});
  if (object || !IsForbidden(object.error())) return object;
  const auto listed = ListAll(stop, client_, target.type(), {});
  if (!listed) return object;
  for (const ObjectPtr& item : *listed) {
    if (item->name() == name) return item;
  }
  return Err(ErrorReason::kNotFound, name);
}

Expected<Finding> Inspector::Look(const std::stop_token& stop, const Target& target,
                                  const std::string& name) {
  auto object = Fetch(stop, target, name);
  if (!object) {
    if (IsNotFound(object.error())) return Err(NoSuch(stop, target, name));
    return Err(object.error().Wrap("failed to get " + target.type().kind + " " + name));
  }
  auto finding = LookAt(stop, target, *std::move(object));
  if (!finding) {
    return Err(ErrorReason::kNotFound, target.type().kind + " " + name + " is being deleted");
  }
  if (!finding->source || !finding->watched) return *std::move(finding);
  if (finding->state == State::kPending && options_.try_write) TryWrite(stop, *finding);
  if (finding->state != State::kInSync) {
    ApplyEvent(EventsOf(stop, "involvedObject.uid=" + finding->object->uid()), *finding);
  }
  return *std::move(finding);
}

Expected<std::vector<Finding>> Inspector::LookAtAll(const std::stop_token& stop) {
  std::vector<Finding> findings;
  for (const Target* target : watched_) {
    auto objects = ListAll(stop, client_, target->type(), {});
    if (!objects) return Err(std::move(objects.error()));
    for (ObjectPtr& object : *objects) {
      if (SelectSource(*target, *object, sources_.all()).source == nullptr) continue;
      auto finding = LookAt(stop, *target, std::move(object));
      if (finding) findings.push_back(*std::move(finding));
    }
  }
  const bool all_well = std::all_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.state == State::kInSync;
  });
  if (all_well) return findings;
  const Events events = EventsOf(stop, "");
  for (Finding& finding : findings) {
    if (finding.state == State::kPending && options_.try_write) TryWrite(stop, finding);
    if (finding.state != State::kInSync) ApplyEvent(events, finding);
  }
  return findings;
}

std::optional<Finding> Inspector::LookAt(const std::stop_token& stop, const Target& target,
                                         ObjectPtr object) {
  Finding finding{.target = &target, .object = std::move(object), .content = {}};
  const auto selected = SelectSource(target, *finding.object, sources_.all());
  if (selected.source != nullptr) {
    finding.source = NamedSource{.annotation = std::string(selected.source->annotation()),
                                 .value = std::string(selected.value),
                                 .kind = std::string(selected.source->kind()),
                                 .text = selected.source->Describe(selected.value)};
  }
  finding.watched = std::find(watched_.begin(), watched_.end(), &target) != watched_.end();
  if (!finding.watched) return finding;
  if (target.cached_whole()) {
    finding.content = finding.object;
  } else {
    auto content =
        client_.Get(stop, target.content_type(), ObjectKey::Parse(finding.object->key()));
    if (!content) {
      if (IsNotFound(content.error())) return std::nullopt;
      Failure failure =
          ApiFailure("failed to get " + finding.kind() + " " + finding.name(), content.error());
      failure.at = Link::kPlace;
      Fail(std::move(failure), finding);
      return finding;
    }
    finding.content = *std::move(content);
  }
  if (target.Deleting(*finding.content)) return std::nullopt;
  if (finding.source) Judge(stop, selected, finding);
  return finding;
}

void Inspector::Fail(Failure failure, Finding& finding) const {
  const bool nothing = IsAboutCaller(failure, client_.config().impersonate.user_name.empty());
  Break(finding, std::move(failure));
  if (nothing) finding.state = State::kUnknown;
}

void Inspector::Judge(const std::stop_token& stop,
                      const controllers::cainjector::SelectedSource& selected, Finding& finding) {
  const auto& clock = options_.injector.clock;
  auto verdict = Decide(*finding.target, *finding.content,
                        [&] { return selected.source->Get(stop, selected.value); },
                        {.merge_bundles = options_.injector.merge_bundles,
                         .now = std::chrono::floor<std::chrono::seconds>(clock.WallNow())});
  finding.source->text = selected.source->Describe(selected.value);  // complete only after the read
  finding.current = std::move(verdict.current);
  if (!verdict.plan) {
    Fail(std::move(verdict.plan.error()), finding);
    return;
  }
  finding.plan = *std::move(verdict.plan);
  const bool write = finding.plan->bundles != finding.current;
  finding.state = write ? State::kPending : State::kInSync;
  finding.reason = write ? Reason::kInjected : Reason::kUnchanged;
  if (finding.plan->incomplete) Fail(*finding.plan->incomplete, finding);
}

void Inspector::TryWrite(const std::stop_token& stop, Finding& finding) {
  const auto written = client_.Patch(
      stop, finding.target->content_type(), ObjectKey::Parse(finding.content->key()),
      clientgo::rest::PatchType::kApply,
      finding.target->ApplyConfiguration(*finding.content, finding.plan->bundles,
                                         controllers::cainjector::ApplyTo::kThisObject),
      {.field_manager = std::string(controllers::cainjector::kFieldManager),
       .force = true,
       .dry_run = true});
  if (written) return;
  // The caller's missing right to write says nothing about the manager's.
  if (IsForbidden(written.error()) && client_.config().impersonate.user_name.empty()) {
    finding.note = "the dry run was not tried: " + written.error().message;
    return;
  }
  Failure failure =
      ApiFailure("failed to apply " + finding.kind() + " " + finding.name(), written.error());
  failure.at = Link::kBundle;
  Fail(std::move(failure), finding);
}

void Inspector::ApplyEvent(const Events& events, Finding& finding) const {
  const auto found = events.find(finding.object->uid());
  if (found == events.end()) return;
  const auto reason = ParseReason(found->second.reason);
  if (!reason) return;
  const bool of_a_list =
      *reason == Reason::kSourcesIncomplete && ListsReasonAboutTheProcess(found->second.message);
  if (!of_a_list && !IsAboutTheProcess(*reason)) return;
  // The dry run has just succeeded, so an old rejection no longer counts.
  const bool tried = options_.try_write && finding.plan && finding.note.empty();
  if (*reason == Reason::kRejected && tried) return;
  Failure reported{.reason = *reason, .message = found->second.message};
  if (reported.message.starts_with("failed to apply")) reported.at = Link::kBundle;
  // The first broken link wins.
  if (finding.failure && BrokenLink(*finding.failure) <= BrokenLink(reported)) return;
  Break(finding, std::move(reported));
  finding.event_time = found->second.last_timestamp;
}

Error Inspector::NoSuch(const std::stop_token& stop, const Target& target,
                        const std::string& name) {
  const std::string& kind = target.type().kind;
  std::vector<std::string> names;
  if (const auto objects = ListAll(stop, client_, target.type(), {})) {
    for (const ObjectPtr& object : *objects) names.emplace_back(object->name());
  }
  const auto nearest = flags::Nearest(name, names);
  return {.reason = ErrorReason::kNotFound,
          .message = kind + " " + clientgo::util::Quoted(name) + " does not exist; " +
                     (nearest ? "did you mean " + *nearest + "?"
                              : "kubectl get " + KubectlName(target) + " lists the existing ones")};
}

}  // namespace capstan::cmd::cli::inspect
