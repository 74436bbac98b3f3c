// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/audit.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/base64.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"
#include "cmd/capstan/inspect/json_items.h"
#include "cmd/capstan/inspect/list_all.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/verdict.h"

namespace capstan::cmd::cli::inspect {
namespace {

constexpr std::chrono::hours kSoon(24 * 30);

class Audited final : public runtime::Object {
 public:
  Audited(const runtime::ObjectIdentity& meta, std::vector<AuditEntry> entries)
      : Object(meta), entries_(std::move(entries)) {}
  const std::vector<AuditEntry>& entries() const { return entries_; }

 private:
  std::vector<AuditEntry> entries_;
};

// Returns whether `fields` (FieldsV1) contains the path.
bool Owns(const runtime::JsonValue* fields, const std::vector<std::string>& path) {
  for (const std::string& step : path) {
    if (fields == nullptr) return false;
    fields = runtime::Find(*fields, step);
  }
  return fields != nullptr;
}

std::string OwnersOf(const runtime::JsonValue& object, const std::vector<std::string>& path) {
  std::vector<std::string> owners;
  const runtime::JsonValue* managed = runtime::FindPath(object, {"metadata", "managedFields"});
  if (managed == nullptr) return {};
  for (const runtime::JsonValue& entry : runtime::JsonElements(*managed)) {
    const std::string_view manager = runtime::GetString(entry, "manager");
    if (!Owns(runtime::Find(entry, "fieldsV1"), path)) continue;
    if (std::find(owners.begin(), owners.end(), manager) == owners.end()) {
      owners.emplace_back(manager);
    }
  }
  return Join(owners, ", ");
}

std::string ManagedBy(const runtime::JsonValue& object) {
  for (const std::string& name : cainjector::InjectAnnotations()) {
    const runtime::JsonValue* value = runtime::FindPath(object, {"metadata", "annotations", name});
    const auto text = value == nullptr ? std::nullopt : runtime::AsString(*value);
    if (text && cainjector::RequestsInjection(name, *text)) {
      return name + ": " + std::string(*text);
    }
  }
  return {};
}

// Adds one place of an object, which holds `bundle`. `path` is that of the field in FieldsV1.
void AddBundle(std::vector<AuditEntry>& entries, const runtime::JsonValue& object,
               std::string_view bundle, std::string place, const std::vector<std::string>& path) {
  AuditEntry entry{.place = std::move(place), .managed = ManagedBy(object), .bytes = bundle.size()};
  if (entry.bytes == 0 && entry.managed.empty()) return;
  if (entry.bytes > 0) entry.owners = OwnersOf(object, path);
  entry.certificates = cainjector::TrustedCertificates(bundle).size();
  if (entry.certificates > 0) entry.expiry = cainjector::ExpiryOf({std::string(bundle)});
  entries.push_back(std::move(entry));
}

// The same for a place in `config`, which contains its caBundle.
void Add(std::vector<AuditEntry>& entries, const runtime::JsonValue& object,
         const runtime::JsonValue* config, std::string place,
         const std::vector<std::string>& path) {
  if (config == nullptr) return;
  const auto bundle = Base64Decode(runtime::GetString(*config, "caBundle"));
  AddBundle(entries, object, bundle.value_or(""), std::move(place), path);
}

std::vector<AuditEntry> EntriesOf(const runtime::JsonValue& object) {
  std::vector<AuditEntry> entries;
  if (const runtime::JsonValue* webhooks = runtime::Find(object, "webhooks");
      webhooks && runtime::IsJsonArray(*webhooks)) {
    for (const runtime::JsonValue& webhook : runtime::JsonElements(*webhooks)) {
      const std::string name(runtime::GetString(webhook, "name"));
      Add(entries, object, runtime::Find(webhook, "clientConfig"), "webhooks[" + name + "]",
          {"f:webhooks", R"(k:{"name":")" + name + "\"}", "f:clientConfig", "f:caBundle"});
    }
    return entries;
  }
  const runtime::JsonValue* spec = runtime::Find(object, "spec");
  if (spec == nullptr) return entries;
  if (runtime::Find(*spec, "service") != nullptr || runtime::Find(*spec, "caBundle") != nullptr) {
    Add(entries, object, spec, "spec", {"f:spec", "f:caBundle"});
  }
  Add(entries, object, runtime::FindPath(*spec, {"conversion", "webhook", "clientConfig"}),
      "spec.conversion", {"f:spec", "f:conversion", "f:webhook", "f:clientConfig", "f:caBundle"});
  return entries;
}

// FieldPlace is where a JSON pointer leads: "spec.providers[0].caBundle", and its path in FieldsV1.
// The path is empty below an array, whose elements FieldsV1 may not name by index.
struct FieldPlace {
  explicit FieldPlace(std::string_view pointer) {
    if (!pointer.starts_with('/')) {  // a key of a ConfigMap
      text = "data[" + std::string(pointer) + "]";
      path = {"f:data", "f:" + std::string(pointer)};
      return;
    }
    bool in_array = false;
    for (const std::string_view part : Split(pointer.substr(1), '/')) {
      if (part.find_first_not_of("0123456789") == std::string_view::npos) {
        text += "[" + std::string(part) + "]";
        in_array = true;
      } else {
        text += (text.empty() ? "" : ".") + std::string(part);
        path.push_back("f:" + std::string(part));
      }
    }
    if (in_array) path = {"f:"};  // no such field
  }
  std::string text;
  std::vector<std::string> path;
};

std::vector<AuditEntry> EntriesOf(const cainjector::Injectable& decoded,
                                  const runtime::JsonValue& object) {
  std::vector<AuditEntry> entries;
  for (const auto& point : decoded.fields().points) {
    FieldPlace place(point.name);
    AddBundle(entries, object, *point.ca_bundle, std::move(place.text), place.path);
  }
  return entries;
}

// Returns the type that decodes `target` as Audited. For optional kinds the type reads whole
// objects.
runtime::ResourceType OptionalTypeOf(const cainjector::Target& target) {
  const auto& type = target.content_type();
  return {.gvr = type.gvr,
          .kind = type.kind,
          .namespaced = type.namespaced,
          .projection = runtime::Projection::All(),
          .decode = [&type](const runtime::ObjectIdentity& meta,
                            const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
            const auto decoded = type.decode(meta, value);
            if (!decoded) return Err(decoded.error());
            auto entries = EntriesOf(static_cast<const cainjector::Injectable&>(**decoded), value);
            for (AuditEntry& entry : entries) {
              entry.kind = type.kind;
              entry.name = (*decoded)->key();
            }
            return runtime::MakeObject<Audited>(meta, std::move(entries));
          }};
}

// Returns where a kind has its bundles, and what the table says of them.
std::vector<runtime::Projection::Path> PathsOf(std::string_view kind) {
  if (kind == "APIService") return {{"spec", "service"}, {"spec", "caBundle"}};
  if (kind == "CustomResourceDefinition") {
    return {{"spec", "conversion", "webhook", "clientConfig", "caBundle"}};
  }
  return {{"webhooks", "name"}, {"webhooks", "clientConfig", "caBundle"}};
}

runtime::ResourceType TypeOf(const cainjector::Target& target) {
  if (target.optional()) return OptionalTypeOf(target);
  std::vector<runtime::Projection::Path> paths = PathsOf(target.type().kind);
  paths.insert(paths.end(), {{"metadata", "managedFields", "manager"},
                             {"metadata", "managedFields", "fieldsV1"},
                             {"metadata", "annotations"}});
  return {.gvr = target.type().gvr,
          .kind = target.type().kind,
          .projection = runtime::Projection(paths),
          .decode = [kind = target.type().kind](
                        const runtime::ObjectIdentity& meta,
                        const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
            auto entries = EntriesOf(value);
            for (AuditEntry& entry : entries) {
              entry.kind = kind;
              entry.name = meta.name;
            }
            return runtime::MakeObject<Audited>(meta, std::move(entries));
          }};
}

Cell StateOf(const AuditEntry& entry, cainjector::CertificateTime now) {
  if (entry.bytes == 0) return {"missing", Tone::kWait};
  if (entry.certificates == 0) return {"no certificates", Tone::kBad};
  if (entry.expiry.last < now) return {"expired", Tone::kBad};
  if (entry.expiry.first < now) return {"partly expired", Tone::kWait};
  if (entry.expiry.first < now + kSoon) return {"expires soon", Tone::kWait};
  return {"valid", Tone::kGood};
}

std::string Or(const std::string& text, const char* other) { return text.empty() ? other : text; }

}  // namespace

Expected<std::vector<AuditEntry>> Audit(const std::stop_token& stop, rest::Client& client,
                                        const cainjector::CaInjectorOptions& options) {
  std::vector<AuditEntry> entries;
  for (const cainjector::Target* target : TargetsOf(options.kinds)) {
    const auto type = TypeOf(*target);
    const auto objects = ListAll(
        stop, client, type, {.label_selector = ScopesOf(*target, options).front().label_selector});
    if (!objects && target->optional() && IsNotFound(objects.error())) continue;
    if (!objects) return Err(objects.error());
    for (const auto& object : *objects) {
      const auto& found = static_cast<const Audited&>(*object).entries();
      entries.insert(entries.end(), found.begin(), found.end());
    }
  }
  return entries;
}

std::string AuditTable(const std::vector<AuditEntry>& entries, cainjector::CertificateTime now,
                       const Terminal& terminal) {
  std::vector<std::vector<Cell>> rows;
  for (const AuditEntry& entry : entries) {
    const bool dated = entry.certificates > 0;
    rows.push_back(
        {StateOf(entry, now),
         {dated ? cainjector::ExpiryText(entry.expiry.first) : "-"},
         {entry.kind},
         {entry.name},
         {entry.place},
         {Or(entry.owners, "-")},
         {Or(entry.managed, "unmanaged"), entry.managed.empty() ? Tone::kFaint : Tone::kPlain}});
  }
  return Table(terminal, {"STATE", "EXPIRES", "KIND", "NAME", "PLACE", "OWNER", "INJECTED FROM"},
               rows);
}

std::string AuditJson(const std::vector<AuditEntry>& entries, cainjector::CertificateTime now) {
  return ItemsJson(entries, [&](runtime::JsonWriter& writer, const AuditEntry& entry) {
    runtime::WriteField(writer, "kind", entry.kind);
    runtime::WriteField(writer, "name", entry.name);
    runtime::WriteField(writer, "place", entry.place);
    runtime::WriteField(writer, "state", StateOf(entry, now).text);
    if (entry.certificates > 0)
      runtime::WriteField(writer, "expires", cainjector::ExpiryText(entry.expiry.first));
    runtime::WriteField(writer, "owner", entry.owners);
    runtime::WriteField(writer, "injectedFrom", entry.managed);
    writer.Key("certificates");
    writer.Uint64(entry.certificates);
  });
}

}  // namespace capstan::cmd::cli::inspect
