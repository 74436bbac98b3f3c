// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/inspector.h"

#include <algorithm>
#include <set>
#include <utility>

#include "capstan/clock.h"
#include "capstan/flags/value.h"
#include "capstan/logging.h"
#include "capstan/long_values.h"
#include "capstan/typed_object.h"
#include "cmd/capstan/inspect/kinds.h"
#include "cmd/capstan/inspect/list_all.h"
#include "controllers/cainjector/rules/annotations.h"

namespace capstan::cmd::cli::inspect {

namespace {

constexpr const char* kManager = "capstan-controller-manager";

std::optional<cainjector::Reason> ParseReason(std::string_view text) {
  for (const cainjector::Reason reason : cainjector::AllReasons()) {
    if (ToString(reason) == text) return reason;
  }
  return std::nullopt;
}

// Returns whether only the manager can know this reason, because of its flags or rights. kError is
// not such a reason: the current state counts more than an old error.
bool IsAboutTheProcess(cainjector::Reason reason) {
  return reason == cainjector::Reason::kOutsideNamespace ||
         reason == cainjector::Reason::kSourceDisabled ||
         reason == cainjector::Reason::kSourceUnavailable ||
         reason == cainjector::Reason::kForbidden || reason == cainjector::Reason::kRejected ||
         reason == cainjector::Reason::kFieldOwned || reason == cainjector::Reason::kOverwritten;
}

// Events about objects without a namespace are in "default".
std::string EventNamespace(const Finding& finding) {
  const std::string_view ns = finding.object->namespace_();
  return ns.empty() ? "default" : std::string(ns);
}

// Returns whether the message of kSourcesIncomplete contains such a reason of one source.
bool ListsReasonAboutTheProcess(std::string_view message) {
  const auto reasons = cainjector::AllReasons();
  return std::any_of(reasons.begin(), reasons.end(), [&](cainjector::Reason reason) {
    return IsAboutTheProcess(reason) &&
           message.find(": " + std::string(ToString(reason)) + ": ") != std::string_view::npos;
  });
}

}  // namespace

void Inspector::AddEvents(const std::stop_token& stop, const std::string& ns,
                          const std::string& field_selector, Events& last) {
  // Without the right to read Events there are none.
  const auto events = ListAll(stop, client_, capstan::TypeOf<api::Event>(),
                              {.namespace_ = ns, .field_selector = field_selector});
  if (!events) return;
  for (const runtime::ObjectPtr& item : *events) {
    const auto& fields = static_cast<const TypedObject<api::Event>&>(*item);
    if (fields.source.component != kManager) continue;
    if (!ParseReason(fields.reason)) continue;  // about a server or the leader
    auto& held = last[fields.involved_object.uid];
    if (held.last_timestamp <= fields.last_timestamp) held = fields;
  }
}

// Falls back to a list, because the manager may list some kinds that it may not get.
Expected<runtime::ObjectPtr> Inspector::Fetch(const std::stop_token& stop,
                                              const runtime::ResourceType& type,
                                              const std::string& name) {
  const auto key = runtime::ObjectKey::Parse(name);
  if (type.namespaced && key.namespace_.empty()) {
    return Err(ErrorReason::kInvalidArgument, "the kind has namespaces; write NAMESPACE/" + name);
  }
  auto object = client_.Get(stop, type, key);
  if (object || !IsForbidden(object.error())) return object;
  const auto listed = ListAll(stop, client_, type, {.namespace_ = key.namespace_});
  if (!listed) return object;
  for (const runtime::ObjectPtr& item : *listed) {
    if (item->key() == name) return item;
  }
  return Err(ErrorReason::kNotFound, name);
}

// Lists what a manager with these flags would. A kind that is not served has no objects.
Expected<std::vector<runtime::ObjectPtr>> Inspector::ListTargets(const std::stop_token& stop,
                                                                 const cainjector::Target& target) {
  std::vector<runtime::ObjectPtr> all;
  for (const auto& scope : ScopesOf(target, options_.injector)) {
    auto objects = ListAll(stop, client_, target.type(),
                           {.namespace_ = scope.namespace_,
                            .label_selector = scope.label_selector,
                            .field_selector = scope.field_selector});
    if (!objects && target.optional() && IsNotFound(objects.error())) continue;
    if (!objects) return objects;
    all.insert(all.end(), objects->begin(), objects->end());
  }
  return all;
}

Expected<Finding> Inspector::Look(const std::stop_token& stop, const cainjector::Target& target,
                                  const std::string& name) {
  auto object = Fetch(stop, target.type(), name);
  if (!object) {
    if (IsNotFound(object.error())) return Err(NoSuch(stop, target, name));
    return Err(object.error().Wrap("failed to get " + target.type().kind + " " + name));
  }
  auto finding = LookAt(stop, target, *std::move(object));
  if (!finding) {
    return Err(ErrorReason::kNotFound, target.type().kind + " " + name + " is being deleted");
  }
  if (finding->watched && !target.label_selector().empty() && !IsLabelled(stop, target, name)) {
    finding->watched = false;
    finding->unwatched = Finding::Unwatched::kLabel;
  }
  if (!finding->source || !finding->watched) return *std::move(finding);
  if (finding->state == State::kPending && options_.try_write) TryWrite(stop, *finding);
  if (finding->state != State::kInSync) {
    Events events;
    AddEvents(stop, EventNamespace(*finding), "involvedObject.uid=" + finding->object->uid(),
              events);
    ApplyEvent(events, *finding);
  }
  return *std::move(finding);
}

Expected<std::vector<Finding>> Inspector::LookAtAll(const std::stop_token& stop) {
  std::vector<Finding> findings;
  for (const cainjector::Target* target : watched_) {
    auto objects = ListTargets(stop, *target);
    if (!objects) return Err(std::move(objects.error()));
    for (runtime::ObjectPtr& object : *objects) {
      if (SelectSource(*object, sources_.all()).source == nullptr) continue;
      auto finding = LookAt(stop, *target, std::move(object));
      if (finding) findings.push_back(*std::move(finding));
    }
  }
  const bool all_well = std::all_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.state == State::kInSync;
  });
  if (all_well) return findings;
  std::set<std::string> namespaces;
  for (const Finding& finding : findings) namespaces.insert(EventNamespace(finding));
  Events events;
  for (const std::string& ns : namespaces) AddEvents(stop, ns, "", events);
  for (Finding& finding : findings) {
    if (finding.state == State::kPending && options_.try_write) TryWrite(stop, finding);
    if (finding.state != State::kInSync) ApplyEvent(events, finding);
  }
  return findings;
}

std::optional<Finding::Unwatched> Inspector::WhyUnwatched(const cainjector::Target& target,
                                                          const runtime::Object& object) const {
  if (std::find(watched_.begin(), watched_.end(), &target) == watched_.end()) {
    return Finding::Unwatched::kKind;
  }
  const auto key = runtime::ObjectKey::Parse(object.key());
  if (target.type().namespaced && options_.injector.scope().Outside(target.type().kind, key)) {
    return Finding::Unwatched::kNamespace;
  }
  return std::nullopt;
}

bool Inspector::IsLabelled(const std::stop_token& stop, const cainjector::Target& target,
                           const std::string& name) {
  const auto key = runtime::ObjectKey::Parse(name);
  const auto found = ListAll(stop, client_, target.type(),
                             {.namespace_ = key.namespace_,
                              .label_selector = target.label_selector(),
                              .field_selector = "metadata.name=" + key.name});
  return !found || !found->empty();  // without an answer, the label is not what is wrong
}

std::optional<Finding> Inspector::LookAt(const std::stop_token& stop,
                                         const cainjector::Target& target,
                                         runtime::ObjectPtr object) {
  Finding finding{.target = &target, .object = std::move(object), .content = {}};
  const auto selected = SelectSource(*finding.object, sources_.all());
  if (selected.source != nullptr) {
    finding.source = NamedSource{.annotation = std::string(selected.source->annotation()),
                                 .value = std::string(selected.value),
                                 .kind = std::string(selected.source->kind()),
                                 .text = selected.source->Describe(selected.value)};
  }
  if (const auto unwatched = WhyUnwatched(target, *finding.object)) {
    finding.watched = false;
    finding.unwatched = *unwatched;
    return finding;
  }
  if (target.cached_whole()) {
    finding.content = finding.object;
  } else {
    auto content = Fetch(stop, target.content_type(), std::string(finding.object->key()));
    if (!content) {
      if (IsNotFound(content.error())) return std::nullopt;
      cainjector::Failure failure = cainjector::ApiFailure(
          "failed to get " + finding.kind() + " " + finding.name(), content.error());
      failure.at = cainjector::Link::kPlace;
      Fail(std::move(failure), finding);
      return finding;
    }
    finding.content = *std::move(content);
  }
  if (target.Deleting(*finding.content)) return std::nullopt;
  if (finding.source) Judge(stop, selected, finding);
  return finding;
}

void Inspector::Fail(cainjector::Failure failure, Finding& finding) const {
  const bool nothing = IsAboutCaller(failure, client_.config().impersonate.user_name.empty());
  Break(finding, std::move(failure));
  if (nothing) finding.state = State::kUnknown;
}

runtime::ObjectPtr Inspector::FindTarget(const std::stop_token& stop, std::string_view annotation,
                                         const std::string& key) {
  for (const cainjector::Target* target : watched_) {
    if (cainjector::SourceAnnotationOf(*target) != annotation) continue;
    const auto object = runtime::ObjectKey::Parse(key);
    const auto found = ListAll(stop, client_, target->type(),
                               {.namespace_ = object.namespace_,
                                .label_selector = target->label_selector(),
                                .field_selector = "metadata.name=" + object.name});
    if (!found) continue;  // the source's own read says why
    for (const runtime::ObjectPtr& item : *found) {
      if (item->key() == key) return item;
    }
  }
  return nullptr;
}

void Inspector::Judge(const std::stop_token& stop, const cainjector::SelectedSource& selected,
                      Finding& finding) {
  const auto& clock = options_.injector.clock;
  auto verdict =
      Decide(*finding.target, *finding.content,
             [&] { return loops_.Get(stop, *finding.target, *finding.object, selected); },
             {.merge_bundles = options_.injector.merge_bundles,
              .now = std::chrono::floor<std::chrono::seconds>(clock.WallNow()),
              .distrust = options_.injector.distrust});
  finding.source->text = selected.source->Describe(selected.value);  // complete only after the read
  finding.current = std::move(verdict.current);
  if (!verdict.plan) {
    if (verdict.write()) finding.note = "distrusted CA certificates will be removed";
    Fail(std::move(verdict.plan.error()), finding);
    return;
  }
  finding.plan = *std::move(verdict.plan);
  const bool write = finding.plan->bundles != finding.current;
  finding.state = write ? State::kPending : State::kInSync;
  finding.reason = write ? cainjector::Reason::kInjected : cainjector::Reason::kUnchanged;
  if (finding.plan->incomplete) Fail(*finding.plan->incomplete, finding);
}

void Inspector::TryWrite(const std::stop_token& stop, Finding& finding) {
  auto [patch_type, body, options] = finding.target->Write(*finding.content, finding.plan->bundles,
                                                           cainjector::ApplyTo::kThisObject);
  options.dry_run = true;
  const auto written = client_.Patch(stop, finding.target->content_type(),
                                     runtime::ObjectKey::Parse(finding.content->key()), patch_type,
                                     std::move(body), options);
  if (written) return;
  // The caller's missing right to write says nothing about the manager's.
  cainjector::Failure failure = cainjector::ApiFailure(
      "failed to apply " + finding.kind() + " " + finding.name(), written.error());
  if (failure.reason == cainjector::Reason::kForbidden &&
      client_.config().impersonate.user_name.empty()) {
    finding.note = "the dry run was not tried: " + written.error().message;
    return;
  }
  failure.at = cainjector::Link::kBundle;
  Fail(std::move(failure), finding);
}

void Inspector::ApplyEvent(const Events& events, Finding& finding) const {
  const auto found = events.find(finding.object->uid());
  if (found == events.end()) return;
  const auto reason = ParseReason(found->second.reason);
  if (!reason) return;
  const bool of_a_list = *reason == cainjector::Reason::kSourcesIncomplete &&
                         ListsReasonAboutTheProcess(found->second.message);
  if (!of_a_list && !IsAboutTheProcess(*reason)) return;
  // The dry run has just succeeded, so an old rejection no longer counts.
  const bool tried = options_.try_write && finding.plan && finding.note.empty();
  if (tried &&
      (*reason == cainjector::Reason::kRejected || *reason == cainjector::Reason::kFieldOwned))
    return;
  // A manager before 0.3 quoted the rejected bundle.
  cainjector::Failure reported{.reason = *reason,
                               .message = WithoutLongValues(found->second.message)};
  if (reported.message.starts_with("failed to apply")) reported.at = cainjector::Link::kBundle;
  // The first broken link wins.
  if (finding.failure && BrokenLink(*finding.failure) <= BrokenLink(reported)) return;
  Break(finding, std::move(reported));
  finding.event_time = found->second.last_timestamp;
}

Error Inspector::NoSuch(const std::stop_token& stop, const cainjector::Target& target,
                        const std::string& name) {
  const std::string& kind = target.type().kind;
  std::vector<std::string> names;
  if (const auto objects = ListTargets(stop, target)) {
    for (const runtime::ObjectPtr& object : *objects) names.emplace_back(object->key());
  }
  const auto nearest = flags::Nearest(name, names);
  return {.reason = ErrorReason::kNotFound,
          .message = kind + " " + Quoted(name) + " does not exist; " +
                     (nearest ? "did you mean " + *nearest + "?"
                              : "kubectl get " + KubectlName(target) + " lists the existing ones")};
}

}  // namespace capstan::cmd::cli::inspect
