// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/definition_names.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/log.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/authorization/access_attributes.h"

namespace capstan::testing::apiserver {
namespace {

using Value = runtime::JsonValue;
using NameSet = std::set<std::string, std::less<>>;

const Resource& Definitions() {
  static const Resource& definitions =
      *FindResource("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  return definitions;
}

const Value& AcceptedNames(const Value& definition) {
  return ObjectAt(ObjectAt(definition, "status"), "acceptedNames");
}

const Value& WantedNames(const Value& definition) {
  return ObjectAt(ObjectAt(definition, "spec"), "names");
}

// Used are the names that the definitions of a group have.
struct Used {
  NameSet resources = {};
  NameSet kinds = {};

  void Add(const Value& names) {
    for (const char* const key : {"plural", "singular"}) {
      resources.insert(std::string(runtime::GetString(names, key)));
    }
    for (std::string& name : TextsAt(names, "shortNames")) resources.insert(std::move(name));
    for (const char* const key : {"kind", "listKind"}) {
      kinds.insert(std::string(runtime::GetString(names, key)));
    }
  }
};

// Reports whether the text of an object has one of the names as a JSON string. Most definitions
// have none, and need not be parsed.
bool MayHave(std::string_view text, const Used& names) {
  const auto has = [&](const NameSet& set) {
    return std::any_of(set.begin(), set.end(), [&](const std::string& name) {
      return text.find('"' + name + '"') != std::string_view::npos;
    });
  };
  return has(names.resources) || has(names.kinds);
}

Used UsedIn(const Storage& storage, const Value& definition) {
  Used wanted;
  wanted.Add(WantedNames(definition));
  const std::string_view group = runtime::GetString(ObjectAt(definition, "spec"), "group");
  Used used;
  storage.Visit(
      Definitions(), "", storage.resource_version(), "", [&](const Storage::Entry& entry) {
        const std::string_view text = entry.object->text;
        const bool may = text.find(Quote(group)) != std::string_view::npos && MayHave(text, wanted);
        if (!may) return true;
        const auto other = ParseObject(*entry.object);
        if (runtime::GetString(ObjectAt(*other, "spec"), "group") == group) {
          used.Add(AcceptedNames(*other));
        }
        return true;
      });
  return used;
}

// Outcome is which of the wanted names a definition gets, and why not all of them.
struct Outcome {
  std::vector<std::pair<std::string, Json>> names = {};
  std::string reason = {};  // empty: all
  std::string message = {};

  void Fail(std::string_view why, std::string text) {
    reason = why;
    message = std::move(text);
  }
};

std::string InUse(std::string_view name) { return Quote(name) + " is already in use"; }

void TakeName(const Value& wanted, const Value& accepted, const char* key, std::string_view why,
              const NameSet& used, Outcome& outcome) {
  std::string_view name = runtime::GetString(wanted, key);
  const std::string_view old = runtime::GetString(accepted, key);
  if (name != old && used.contains(name)) {
    outcome.Fail(why, InUse(name));
    name = old;
  }
  const bool always = std::string_view(key) == "plural" || std::string_view(key) == "kind";
  if (always || !name.empty()) outcome.names.emplace_back(key, name);
}

void TakeShortNames(const Value& wanted, const Value& accepted, const NameSet& used,
                    Outcome& outcome) {
  std::vector<std::string> names = TextsAt(wanted, "shortNames");
  std::vector<std::string> old = TextsAt(accepted, "shortNames");
  std::vector<std::string> errors;
  for (const std::string& name : names) {
    if (!HasText(old, name) && used.contains(name)) errors.push_back(InUse(name));
  }
  if (!errors.empty()) {
    outcome.Fail("ShortNamesConflict", apiserver::Aggregate(errors));
    names = std::move(old);
  }
  if (!names.empty()) outcome.names.emplace_back("shortNames", Json::List(names));
}

Outcome Decide(const Value& definition, const Value& accepted, const Used& used) {
  const Value& wanted = WantedNames(definition);
  Outcome outcome;
  TakeName(wanted, accepted, "plural", "PluralConflict", used.resources, outcome);
  TakeName(wanted, accepted, "singular", "SingularConflict", used.resources, outcome);
  TakeShortNames(wanted, accepted, used.resources, outcome);
  TakeName(wanted, accepted, "kind", "KindConflict", used.kinds, outcome);
  TakeName(wanted, accepted, "listKind", "ListKindConflict", used.kinds, outcome);
  if (!ListAt(wanted, "categories").Empty()) {
    outcome.names.emplace_back("categories", Json(ListAt(wanted, "categories")));
  }
  return outcome;
}

// Returns the condition. It keeps the time of `old` if the status is the same.
Json Condition(std::string_view type, bool holds, std::string_view reason, std::string_view message,
               const Value* old) {
  const std::string_view status = holds ? "True" : "False";
  const bool same = old != nullptr && runtime::GetString(*old, "status") == status;
  return {{"type", type},
          {"status", status},
          {"lastTransitionTime",
           same ? std::string(runtime::GetString(*old, "lastTransitionTime")) : NowText()},
          {"reason", reason},
          {"message", message}};
}

const Value* FindCondition(const Value& definition, std::string_view type) {
  for (const Value& one : ListAt(ObjectAt(definition, "status"), "conditions").GetArray()) {
    if (runtime::GetString(one, "type") == type) return &one;
  }
  return nullptr;
}

constexpr std::string_view kApproved = "KubernetesAPIApprovalPolicyConformant";

// Returns what a definition says about the approval of its API. Only the groups of Kubernetes need
// one. Mirrors pkg/controller/apiapproval; validation rejects what is neither of its two answers.
std::string_view ApprovalOf(const Value& definition) {
  const std::string_view group = runtime::GetString(ObjectAt(definition, "spec"), "group");
  if (!group.ends_with(".k8s.io") && !group.ends_with(".kubernetes.io")) return {};
  return runtime::GetString(ObjectAt(ObjectAt(definition, "metadata"), "annotations"),
                            "api-approved.kubernetes.io");
}

Json ApprovalCondition(std::string_view approval, const Value* old) {
  const bool approved = !approval.starts_with("unapproved");
  return Condition(
      kApproved, approved, approved ? "ApprovedAnnotation" : "UnapprovedAnnotation",
      approved ? "approved in " + std::string(approval) : "not approved: " + Quoted(approval), old);
}

// Returns the conditions. One that is established stays so, with the names that it has.
Json Conditions(const Outcome& outcome, const Value* live, const Value& definition) {
  const auto old = [&](std::string_view type) {
    return live == nullptr ? nullptr : FindCondition(*live, type);
  };
  const bool accepted = outcome.reason.empty();
  std::vector<Json> conditions = {
      Condition("NamesAccepted", accepted, accepted ? "NoConflicts" : outcome.reason,
                accepted ? "no conflicts found" : outcome.message, old("NamesAccepted"))};
  const Value* const established = old("Established");
  if (established != nullptr && runtime::GetString(*established, "status") == "True") {
    conditions.emplace_back(*established);
  } else {
    conditions.push_back(
        Condition("Established", accepted, accepted ? "InitialNamesAccepted" : "NotAccepted",
                  accepted ? "the initial names have been accepted" : "not all names are accepted",
                  established));
  }
  const std::string_view approval = ApprovalOf(definition);
  if (!approval.empty()) conditions.push_back(ApprovalCondition(approval, old(kApproved)));
  if (live == nullptr) return Json::List(conditions);
  for (const Value& one : ListAt(ObjectAt(*live, "status"), "conditions").GetArray()) {
    const std::string_view type = runtime::GetString(one, "type");
    if (type == "NamesAccepted" || type == "Established") continue;
    if (type != kApproved || approval.empty()) conditions.emplace_back(one);
  }
  return Json::List(conditions);
}

}  // namespace

void AcceptNames(const Storage& storage, const runtime::JsonValue* live,
                 runtime::JsonDocument& definition) {
  if (live != nullptr && WantedNames(*live) == WantedNames(definition) &&
      ApprovalOf(*live) == ApprovalOf(definition)) {
    return;
  }
  const Value none;
  const Outcome outcome = Decide(definition, live == nullptr ? none : AcceptedNames(*live),
                                 UsedIn(storage, definition));
  auto& allocator = definition.GetAllocator();
  Value& status = Ensure(definition, "status", allocator);
  Json names = Json::Object();
  for (const auto& [key, value] : outcome.names) names.Add(key, value);
  SetJson(status, "acceptedNames", names, allocator);
  SetJson(status, "conditions", Conditions(outcome, live, definition), allocator);
}

void DefinitionNames::Observe(const Resource& resource, const Event& event) {
  if (&resource != &Definitions()) return;
  waiting_.erase(event.key);
  for (const std::string& name : waiting_) Add({.resource = &Definitions(), .key = name});
  if (event.type == EventType::kDeleted) return;
  const auto definition = ParseObject(*event.object);
  const Value* const accepted = FindCondition(*definition, "NamesAccepted");
  const bool waits = accepted != nullptr && runtime::GetString(*accepted, "status") == "False";
  if (waits) waiting_.insert(event.key);
}

void DefinitionNames::Process(const Item& item) {
  const ObjectPtr object = storage_.Get(Definitions(), item.key);
  if (object == nullptr) return;
  const auto definition = ParseObject(*object);
  const Outcome outcome =
      Decide(*definition, AcceptedNames(*definition), UsedIn(storage_, *definition));
  Json names = Json::Object();
  for (const auto& [key, value] : outcome.names) names.Add(key, value);
  const Value* const old = FindCondition(*definition, "NamesAccepted");
  const bool same = old != nullptr && runtime::GetString(*old, "reason") == outcome.reason &&
                    runtime::GetString(*old, "message") == outcome.message &&
                    Json(AcceptedNames(*definition)) == names;
  if (same) return;
  const WriteRequest request{.resource = &Definitions(),
                             .name = item.key,
                             .subresource = "status",
                             .field_manager = "kube-apiserver",
                             .in_process = true};
  const Json patch =
      Json::List({Json{{"op", "add"}, {"path", "/status/acceptedNames"}, {"value", names}},
                  Json{{"op", "add"},
                       {"path", "/status/conditions"},
                       {"value", Conditions(outcome, definition.get(), *definition)}}});
  const auto patched = registry_.Patch(request, PatchKind::kJson, patch.text());
  if (patched) return;
  WarningS("Failed to accept the names of a definition", "name", request.name, "err",
           patched.error().message);
}

}  // namespace capstan::testing::apiserver
