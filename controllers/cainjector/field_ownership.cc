// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/field_ownership.h"

#include <algorithm>
#include <utility>

#include "capstan/log.h"
#include "capstan/runtime/json_writer.h"
#include "controllers/cainjector/rules/annotations.h"

namespace capstan::cainjector {

namespace {

void WriteOperation(runtime::JsonWriter& writer, std::string_view op, std::string_view path,
                    std::string_view value = {}) {
  writer.StartObject();
  runtime::WriteField(writer, "op", op);
  runtime::WriteField(writer, "path", path);
  runtime::WriteField(writer, "value", value);
  writer.EndObject();
}

// Returns true when the patch may be for an older version of the object. The API server checks the
// indexes (422) before the version (409).
bool MayBeStale(const Error& error) { return IsConflict(error) || IsPermanent(error); }

}  // namespace

ManagerEntries EntriesToDrop(FieldOwnership ownership, const ManagerEntries& found) {
  if (ownership == FieldOwnership::kDetach) return found;
  // An Update entry alone may stay, so a migration from cert-manager writes nothing while the
  // bundles are correct.
  if (found.apply == ManagerEntries::kNone) return {};
  return {.update = found.update};
}

std::string DropEntriesPatch(std::string_view resource_version, const ManagerEntries& entries) {
  runtime::JsonWriter writer;
  writer.StartArray();
  WriteOperation(writer, "replace", "/metadata/resourceVersion", resource_version);
  // From the end, because a removal moves the entries after it.
  for (const int index :
       {std::max(entries.apply, entries.update), std::min(entries.apply, entries.update)}) {
    if (index == ManagerEntries::kNone) continue;
    WriteOperation(writer, "remove", "/metadata/managedFields/" + std::to_string(index));
  }
  writer.EndArray();
  return std::move(writer).Take();
}

Expected<void> FieldOwner::DropEntries(std::stop_token stop, const runtime::Object& cached,
                                       runtime::ObjectPtr content) {
  const auto key = runtime::ObjectKey::Parse(cached.key());
  for (int attempt = 1; attempt <= kDropAttempts; ++attempt) {
    const ManagerEntries entries = EntriesToDrop(ownership_, target_.Entries(*content));
    if (entries == ManagerEntries{}) break;
    auto answer = client_.Patch(stop, target_.content_type(), key, rest::PatchType::kJson,
                                DropEntriesPatch(content->resource_version(), entries),
                                {.field_manager = std::string(kFieldManager)});
    if (answer) {
      V(2).InfoS("Dropped our entry in managedFields", "kind", target_.type().kind, "object",
                 cached.key());
      contents_.Put(cached, *answer);
    } else if (attempt < kDropAttempts && MayBeStale(answer.error())) {
      answer = contents_.Read(stop, cached);
    }
    if (!answer) return Err(std::move(answer.error()));
    if ((*answer)->uid() != content->uid()) break;  // another object, with its own events
    content = *std::move(answer);
  }
  return {};
}

}  // namespace capstan::cainjector
