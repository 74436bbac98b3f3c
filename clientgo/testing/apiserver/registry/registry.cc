// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/registry.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "capstan/clock.h"
#include "capstan/text.h"
#include "capstan/time.h"
#include "clientgo/testing/apiserver/decoding/decoding.h"
#include "clientgo/testing/apiserver/patch/patch.h"
#include "clientgo/testing/apiserver/patch/strategic_merge.h"
#include "clientgo/testing/apiserver/registry/write_path.h"
#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/go_fields.h"

namespace capstan::testing::apiserver {
namespace {

// Sets the finalizers for the garbage collector.
void SetPropagation(runtime::JsonDocument& object, std::string_view propagation) {
  if (propagation.empty()) return;
  if (propagation != "Foreground") RemoveFinalizer(object, kForegroundFinalizer);
  if (propagation != "Orphan") RemoveFinalizer(object, kOrphanFinalizer);
  if (propagation == "Foreground") AddFinalizer(object, kForegroundFinalizer);
  if (propagation == "Orphan") AddFinalizer(object, kOrphanFinalizer);
}

// The namespaces that cannot be deleted.
bool IsImmortal(const Resource& resource, std::string_view name) {
  return IsNamespace(resource) &&
         (name == "default" || name == "kube-system" || name == "kube-public");
}

std::int64_t GracePeriod(const runtime::JsonValue& object) {
  const runtime::JsonValue* const period =
      runtime::Find(ObjectAt(object, "metadata"), "deletionGracePeriodSeconds");
  return period != nullptr && period->IsInt64() ? period->GetInt64() : 0;
}

void SetDeletion(runtime::JsonDocument& object, Time time, std::int64_t period) {
  auto& allocator = object.GetAllocator();
  SetMetadata(object, "deletionTimestamp", FormatTime(time));
  Set(Ensure(object, "metadata", allocator), "deletionGracePeriodSeconds",
      runtime::JsonValue(period), allocator);
}

Time Now() { return ToTime(Clock::Real().WallNow()); }

// Sets the fields of an object whose finalizers or grace period delay its deletion.
void MarkDeleted(const Resource& resource, runtime::JsonDocument& object, Time now,
                 std::int64_t period) {
  SetDeletion(object, now + std::chrono::seconds(period), period);
  if (resource.generation) SetGeneration(object, Generation(object) + 1);
  if (!IsNamespace(resource)) return;
  Remove(*FindMutable(object, "metadata"), "deletionGracePeriodSeconds");
  auto& allocator = object.GetAllocator();
  SetString(Ensure(object, "status", allocator), "phase", "Terminating", allocator);
}

// Returns the seconds that a Pod has to end. Mirrors podStrategy.CheckGracefulDelete.
std::int64_t FirstGracePeriod(const runtime::JsonValue& pod, const DeleteOptions& options) {
  const runtime::JsonValue& spec = ObjectAt(pod, "spec");
  const std::string_view phase = runtime::GetString(ObjectAt(pod, "status"), "phase");
  const bool ended = phase == "Succeeded" || phase == "Failed";
  if (ended || runtime::GetString(spec, "nodeName").empty()) return 0;
  const runtime::JsonValue* const own = runtime::Find(spec, "terminationGracePeriodSeconds");
  const std::int64_t usual = own != nullptr && own->IsInt64() ? own->GetInt64() : 0;
  const std::int64_t period = options.grace_period.value_or(usual);
  return period < 0 ? 1 : period;
}

// GracefulState is what a deletion does to an object with a grace period.
enum class GracefulState { kEnded, kStarted, kUnchanged };

// Starts the grace period of a Pod or shortens it. Mirrors BeforeDelete of
// k8s.io/apiserver/pkg/registry/rest.
GracefulState StartGracePeriod(const Resource& resource, const DeleteOptions& options,
                               runtime::JsonDocument& pod) {
  if (Metadata(pod, "deletionTimestamp").empty()) {
    const std::int64_t period = FirstGracePeriod(pod, options);
    MarkDeleted(resource, pod, Now(), period);
    return period > 0 ? GracefulState::kStarted : GracefulState::kEnded;
  }
  const std::int64_t before = GracePeriod(pod);
  if (before == 0) return GracefulState::kEnded;
  if (!options.grace_period || *options.grace_period >= before) return GracefulState::kUnchanged;
  std::int64_t period = *options.grace_period < 0 ? 1 : *options.grace_period;
  const auto end = ParseTime(Metadata(pod, "deletionTimestamp"));
  Time time = end ? std::chrono::floor<std::chrono::seconds>(*end) : Now();
  time += std::chrono::seconds(period - before);
  if (time < Now()) {
    time = Now();
    period = std::min<std::int64_t>(period, 1);
  }
  SetDeletion(pod, time, period);
  return period > 0 ? GracefulState::kStarted : GracefulState::kEnded;
}

// Returns why the patch cannot be applied; nullopt: it was. The error shows the patch, and never
// the object.
std::optional<Status> ApplyStrategic(const Resource& resource, runtime::JsonDocument& object,
                                     const runtime::JsonValue& patch) {
  const runtime::Message& message = *FindMessage(resource);
  const runtime::JsonDocument shown = WithoutSecretData(resource, patch);
  if (resource.secret) {
    runtime::JsonDocument tried;  // its error has no data
    tried.CopyFrom(object, tried.GetAllocator());
    auto patched = ApplyStrategicMergePatch(message, tried, shown, tried.GetAllocator());
    if (!patched) return std::move(patched.error());
  }
  auto patched = ApplyStrategicMergePatch(message, object, patch, object.GetAllocator());
  if (!patched) return std::move(patched.error());
  auto why = FindUnconvertible(message, object);
  if (!why) {
    why = FindTypeError(resource, object);
    if (why && why->starts_with("illegal base64")) why->insert(0, "error decoding from json: ");
  }
  if (!why) return std::nullopt;
  return InvalidPatch(GoText(shown), *why);
}

// Removes repeated members of a patch. Returns an error for each in Go's words, and one for each
// unknown member of an operation of a JSON patch.
std::vector<std::string> DropRepeats(PatchKind kind, runtime::JsonDocument& patch) {
  if (kind != PatchKind::kJson) return DropUndecoded(nullptr, patch);
  constexpr std::array<std::string_view, 4> kMembers = {"op", "path", "from", "value"};
  std::vector<std::string> errors;
  if (!patch.IsArray()) return errors;
  for (rapidjson::SizeType i = 0; i < patch.Size(); ++i) {
    runtime::JsonValue& operation = patch[i];
    if (!operation.IsObject()) continue;
    const std::string at = "[" + std::to_string(i) + "].";
    for (std::string& repeated : DropUndecoded(nullptr, operation)) {
      errors.push_back("json patch " + repeated.insert(repeated.find('"') + 1, at));
    }
    for (auto member = operation.MemberBegin(); operation.MemberEnd() - member > 0; ++member) {
      const std::string_view name = runtime::ToView(member->name);
      if (std::find(kMembers.begin(), kMembers.end(), name) != kMembers.end()) continue;
      errors.push_back("json patch unknown field \"" + at + std::string(name) + "\"");
    }
  }
  return errors;
}

// Keeps only what identifies the object.
void DropMetadata(runtime::JsonValue& metadata) {
  constexpr std::array<std::string_view, 4> kIdentity = {"name", "namespace", "uid",
                                                         "resourceVersion"};
  for (auto member = metadata.MemberBegin(); metadata.MemberEnd() - member > 0;) {
    const bool kept = std::find(kIdentity.begin(), kIdentity.end(),
                                runtime::ToView(member->name)) != kIdentity.end();
    member = kept ? member + 1 : metadata.EraseMember(member);
  }
}

// Removes the fields that a write of this subresource does not change from an applied
// configuration, so that its manager does not own them.
void DropResetFields(const Resource& resource, std::string_view subresource,
                     runtime::JsonDocument& configuration) {
  if (subresource.empty() && resource.status) Remove(configuration, "status");
  if (subresource != "status" && subresource != "approval") return;
  Remove(configuration, "spec");
  runtime::JsonValue* const metadata = FindMutable(configuration, "metadata");
  if (metadata == nullptr || !metadata->IsObject()) return;
  if (resource.status_ignores == "*") return DropMetadata(*metadata);
  if (!resource.status_ignores.empty()) Remove(*metadata, resource.status_ignores);
}

// Returns the object to which a configuration is applied, with its managers. It has no members if
// `live` is null.
runtime::JsonDocument BeforeApply(const WriteRequest& request, const runtime::JsonDocument* live) {
  runtime::JsonDocument before(rapidjson::kObjectType);
  if (live == nullptr) return before;
  before.CopyFrom(*live, before.GetAllocator());
  runtime::JsonDocument owned;
  owned.CopyFrom(*live, owned.GetAllocator());
  DropResetFields(*request.resource, request.subresource, owned);
  TrackBeforeFirstApply(ZeroObject(*request.resource), owned, NewEntry(request), before);
  return before;
}

// Reports whether a deletion without a propagationPolicy orphans the dependents of this object.
bool OrphansByDefault(const Resource& resource, const runtime::JsonValue& object) {
  if (!resource.orphans) return false;
  const runtime::JsonValue& finalizers = ListAt(ObjectAt(object, "metadata"), "finalizers");
  return std::none_of(finalizers.Begin(), finalizers.End(),
                      [](const runtime::JsonValue& finalizer) {
                        return runtime::ToView(finalizer) == kForegroundFinalizer ||
                               runtime::ToView(finalizer) == kOrphanFinalizer;
                      });
}

// The warning about such a deletion.
constexpr std::string_view kOrphansWarning =
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background "
    "to remove them or set propagationPolicy=Orphan to suppress this warning";

// Returns why the patch cannot be applied to `next`; nullopt: it was.
std::optional<Status> ApplyPatchTo(const Resource& resource, PatchKind kind,
                                   const runtime::JsonValue& patch, runtime::JsonDocument& next) {
  if (kind == PatchKind::kStrategic) return ApplyStrategic(resource, next, patch);
  if (kind == PatchKind::kMerge) {
    ApplyMergePatch(next, patch, next.GetAllocator());
  } else if (auto patched = ApplyJsonPatch(next, patch); !patched) {
    return std::move(patched.error());
  }
  if (next.IsObject()) return std::nullopt;
  return BadRequest("the patch leaves no object");
}

// Returns why the preconditions of a deletion do not hold.
std::optional<Status> CheckPreconditions(const WriteRequest& request, const DeleteOptions& options,
                                         const runtime::JsonValue& object) {
  const Resource& resource = *request.resource;
  const auto mismatch = [&](const std::string& cause) {
    Status status = Conflict(resource, request.name, cause);
    // kube-apiserver names the kind here, not the resource.
    status.kind = std::string(resource.kind);
    status.message = "Operation cannot be fulfilled on " + std::string(resource.kind) + " \"" +
                     request.name + "\": " + cause;
    return status;
  };
  const std::string uid(Metadata(object, "uid"));
  const std::string version(Metadata(object, "resourceVersion"));
  if (!options.uid.empty() && options.uid != uid) {
    return mismatch("the UID in the precondition (" + options.uid +
                    ") does not match the UID in record (" + uid +
                    "). The object might have been deleted and then recreated");
  }
  if (!options.resource_version.empty() && options.resource_version != version) {
    return mismatch("the ResourceVersion in the precondition (" + options.resource_version +
                    ") does not match the ResourceVersion in record (" + version +
                    "). The object might have been modified");
  }
  return std::nullopt;
}

}  // namespace

std::string Registry::NewUid() {
  constexpr std::uint64_t kVersion4 = 0x4000;
  constexpr std::uint64_t kVariant = 0x8000000000000000;
  const std::uint64_t high = (random_() & ~std::uint64_t{0xf000}) | kVersion4;
  const std::uint64_t low = (random_() >> 2U) | kVariant;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%08x-%04x-%04x-%04x-%012llx",
                static_cast<unsigned>(high >> 32U), static_cast<unsigned>((high >> 16U) & 0xffffU),
                static_cast<unsigned>(high & 0xffffU), static_cast<unsigned>(low >> 48U),
                static_cast<unsigned long long>(low & 0xffffffffffffU));
  return text.data();
}

std::string Registry::RandomSuffix() {
  // The alphabet of apimachinery's rand.String.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  for (int i = 0; i < 5; ++i) suffix += kAlphabet[random_() % kAlphabet.size()];
  return suffix;
}

Result<Document> Registry::Live(const WriteRequest& request) const {
  const ObjectPtr object = storage_.Get(*request.resource, Key(request.namespace_, request.name));
  if (object == nullptr) return Document();
  return ReadAs(*request.resource, *object, request.conversions);
}

NewObjectFields Registry::NewFields() {
  return {.uid = NewUid(), .name_suffix = RandomSuffix(), .time = NowText()};
}

NewObjectFields Registry::NewFields(const WriteRequest& request) {
  const NewObjectFields* const chosen = ChosenFields(request);
  return chosen == nullptr ? NewFields() : *chosen;
}

Result<Written> Registry::Create(const WriteRequest& request, std::string_view body) {
  auto decoded = DecodeObject(*request.resource, body, request.strict, request.repeats);
  if (!decoded) return tl::unexpected(std::move(decoded.error()));
  return Run({.storage = storage_,
              .request = request,
              .fields = NewFields(request),
              .next = std::move(decoded->object),
              .warnings = std::move(decoded->warnings)});
}

Result<Written> Registry::Update(const WriteRequest& request, std::string_view body) {
  const Resource& resource = *request.resource;
  auto decoded = DecodeObject(resource, body, request.strict, request.repeats);
  if (!decoded) return tl::unexpected(std::move(decoded.error()));
  runtime::JsonDocument& next = *decoded->object;
  const std::string_view name = Metadata(next, "name");
  if (name.empty()) return tl::unexpected(NoName(request.name));
  if (name != request.name) return tl::unexpected(WrongName(name, request.name));
  auto found = Live(request);
  if (!found) return tl::unexpected(std::move(found.error()));
  Document& live = *found;
  if (live != nullptr) {
    if (resource.update_needs_version && Metadata(next, "resourceVersion").empty()) {
      return tl::unexpected(VersionRequired(resource, request.name));
    }
  } else if (resource.create_on_update) {
    SetMetadata(next, "resourceVersion", "");
  } else {
    return tl::unexpected(NotFound(resource, request.name));
  }
  return Run({.storage = storage_,
              .request = request,
              .fields = live == nullptr ? NewFields(request) : NewObjectFields(),
              .live = std::move(live),
              .next = std::move(decoded->object),
              .warnings = std::move(decoded->warnings)});
}

Result<Written> Registry::Patch(const WriteRequest& request, PatchKind kind,
                                std::string_view body) {
  if (kind == PatchKind::kApply) return ApplyPatch(request, body);
  const bool strategic = kind == PatchKind::kStrategic;
  std::string error;
  const auto patch = ParseJson(body, &error, Repeats::kKeepAll);
  if (patch != nullptr && kind != PatchKind::kJson && !patch->IsObject()) {
    error = "json: cannot unmarshal array into Go value of type map[string]interface {}";
  }
  // kube-apiserver reports the bare error for a strategic merge patch.
  if (!strategic && !error.empty()) error.insert(0, "error decoding patch: ");
  if (!error.empty()) return tl::unexpected(BadRequest(std::move(error)));
  auto warnings = DropRepeats(kind, *patch);
  auto found = Live(request);
  if (!found) return tl::unexpected(std::move(found.error()));
  Document& live = *found;
  if (live == nullptr) return tl::unexpected(NotFound(*request.resource, request.name));
  auto next = std::make_unique<runtime::JsonDocument>();
  next->CopyFrom(*live, next->GetAllocator());
  if (auto rejected = ApplyPatchTo(*request.resource, kind, *patch, *next)) {
    return tl::unexpected(*std::move(rejected));
  }
  for (std::string& unknown : PruneUnknown(*request.resource, *next)) {
    warnings.push_back(std::move(unknown));
  }
  if (request.strict && !warnings.empty()) {
    const auto shown = WithoutSecretData(*request.resource, strategic ? *patch : *next);
    return tl::unexpected(InvalidPatch(strategic ? GoText(shown) : runtime::ToJson(shown),
                                       "strict decoding error: " + Join(warnings, ", ")));
  }
  return Run({.storage = storage_,
              .request = request,
              .origin = request.tracked ? Write::Origin::kObject : Write::Origin::kPatch,
              .live = std::move(live),
              .next = std::move(next),
              .warnings = std::move(warnings),
              .tracked = request.tracked});
}

Result<Written> Registry::ApplyPatch(const WriteRequest& request, std::string_view body) {
  std::string error;
  const auto configuration = ParseJson(body, &error);
  if (auto rejected = CheckConfiguration(request, configuration.get(), std::move(error))) {
    return tl::unexpected(*std::move(rejected));
  }
  DropResetFields(*request.resource, request.subresource, *configuration);
  auto found = Live(request);
  if (!found) return tl::unexpected(std::move(found.error()));
  Document& live = *found;
  if (live == nullptr && !request.subresource.empty()) {
    return tl::unexpected(NotFound(*request.resource, request.name));
  }
  const runtime::JsonDocument before = BeforeApply(request, live.get());
  auto next = Apply(before, *configuration, NewEntry(request), request.force, InVersionOf(request));
  if (!next) return tl::unexpected(std::move(next.error()));
  if (request.strict && !request.repeats.empty()) {
    return tl::unexpected(BadRequest("error strict decoding YAML: error converting YAML to JSON: " +
                                     RepeatsError(request.repeats)));
  }
  if (live == nullptr) {
    if (const std::string_view uid = Metadata(**next, "uid"); !uid.empty()) {
      return tl::unexpected(Conflict(*request.resource, request.name,
                                     "uid mismatch: the provided object specified uid " +
                                         std::string(uid) + ", and no existing object was found"));
    }
    if (Metadata(**next, "name").empty()) SetMetadata(**next, "name", request.name);
    SetMetadata(**next, "resourceVersion", "");
  }
  return Run({.storage = storage_,
              .request = request,
              .fields = live == nullptr ? NewFields(request) : NewObjectFields(),
              .origin = Write::Origin::kApply,
              .live = std::move(live),
              .next = *std::move(next),
              .warnings = request.repeats});
}

Result<Written> Registry::Delete(const WriteRequest& request, const DeleteOptions& options) {
  const std::string key = Key(request.namespace_, request.name);
  const ObjectPtr stored = storage_.Get(*request.resource, key);
  if (stored == nullptr) return tl::unexpected(NotFound(*request.resource, request.name));
  // The object stays in the version in which it is stored.
  const Resource& resource = StoredVersion(*request.resource, *stored);
  const Document live = ReadStored(resource, *stored);
  runtime::JsonDocument& object = *live;
  if (IsImmortal(resource, request.name)) {
    return tl::unexpected(
        ForbiddenBecause(resource, request.name, "this namespace may not be deleted"));
  }
  if (auto mismatch = CheckPreconditions(request, options, object)) {
    return tl::unexpected(*std::move(mismatch));
  }
  if (request.admission != nullptr) {
    AdmissionAttributes attributes =
        AttributesOf(request, "DELETE",
                     request.of_collection ? std::string_view() : std::string_view(request.name));
    const auto seen = ReadAs(*request.resource, *stored, request.conversions);
    if (!seen) return tl::unexpected(seen.error());
    attributes.old_object = seen->get();
    const auto mutated = request.admission->Mutate(attributes, nullptr);
    if (!mutated) return tl::unexpected(mutated.error());
    if (auto valid = request.admission->Validate(attributes); !valid) {
      return tl::unexpected(std::move(valid.error()));
    }
  }
  runtime::JsonDocument before;
  before.CopyFrom(object, before.GetAllocator());
  const bool orphans = options.propagation.empty() && OrphansByDefault(resource, object);
  std::vector<std::string> warnings;
  if (orphans && resource.kind == "Job") warnings.emplace_back(kOrphansWarning);
  SetPropagation(object, orphans ? "Orphan" : options.propagation);
  const bool held = HasFinalizers(object) || HasSpecFinalizers(resource, object);
  const bool deleting = !Metadata(object, "deletionTimestamp").empty();
  bool waits = false;
  bool unchanged = false;
  if (resource.graceful) {
    const GracefulState state = StartGracePeriod(resource, options, object);
    waits = state != GracefulState::kEnded;
    unchanged = state == GracefulState::kUnchanged;
  } else if (held && !deleting) {
    const auto now = ParseTime(TimeOf(request));
    MarkDeleted(resource, object, now ? std::chrono::floor<std::chrono::seconds>(*now) : Now(), 0);
  }
  const bool stays = held || waits;
  // A finalizer or a grace period keeps the object, so the response shows it.
  const auto shown = [&](ObjectPtr last) -> Result<Written> {
    if (stays && !request.of_collection && !request.in_process) {
      auto converted = ShownAs(*request.resource, last, request.conversions);
      if (!converted) return tl::unexpected(std::move(converted.error()));
      last = *std::move(converted);
    }
    return Written{.object = std::move(last), .created = stays, .warnings = std::move(warnings)};
  };
  if (unchanged || (stays && deleting && object == before)) return shown(stored);
  ObjectPtr last = MakeObject(resource, object, storage_.NextVersion());
  auto written = shown(last);
  if (!written || options.dry_run) return written;
  // Watchers see that a Pod without a grace period is being deleted, too.
  if (stays || resource.graceful) storage_.Write(resource, key, std::move(last));
  if (!stays) {
    written->object = MakeObject(resource, object, storage_.NextVersion());
    storage_.Write(resource, key, written->object, true);
  }
  return written;
}

}  // namespace capstan::testing::apiserver
