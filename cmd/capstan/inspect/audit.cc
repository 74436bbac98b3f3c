// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/audit.h"

#include <memory>
#include <set>
#include <utility>

#include "capstan/clientgo/runtime/json_value.h"
#include "capstan/clientgo/runtime/json_writer.h"
#include "capstan/clientgo/util/base64.h"
#include "capstan/clientgo/util/text.h"
#include "cmd/capstan/inspect/json_items.h"
#include "cmd/capstan/inspect/list_all.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/verdict.h"

namespace capstan::cmd::cli::inspect {
namespace {

using clientgo::runtime::Find;
using clientgo::runtime::FindPath;
using clientgo::runtime::GetString;
using clientgo::runtime::IsJsonArray;
using clientgo::runtime::JsonElements;
using clientgo::runtime::JsonValue;
using clientgo::runtime::WriteField;
using clientgo::util::Err;
using clientgo::util::Expected;
using controllers::cainjector::CertificateTime;
using controllers::cainjector::api::Injectable;

constexpr std::chrono::hours kSoon(24 * 30);

class Audited final : public clientgo::runtime::Object {
 public:
  Audited(const clientgo::runtime::ObjectIdentity& meta, std::vector<AuditEntry> entries)
      : Object(meta), entries_(std::move(entries)) {}
  const std::vector<AuditEntry>& entries() const { return entries_; }

 private:
  std::vector<AuditEntry> entries_;
};

// Returns whether `fields` (FieldsV1) contains the path.
bool Owns(const JsonValue* fields, const std::vector<std::string>& path) {
  for (const std::string& step : path) {
    if (fields == nullptr) return false;
    fields = Find(*fields, step);
  }
  return fields != nullptr;
}

std::string OwnersOf(const JsonValue& object, const std::vector<std::string>& path) {
  std::string owners;
  std::set<std::string> seen;
  const JsonValue* managed = FindPath(object, {"metadata", "managedFields"});
  if (managed == nullptr) return owners;
  for (const JsonValue& entry : JsonElements(*managed)) {
    const std::string manager(GetString(entry, "manager"));
    if (!Owns(Find(entry, "fieldsV1"), path) || !seen.insert(manager).second) continue;
    owners += (owners.empty() ? "" : ", ") + manager;
  }
  return owners;
}

std::string ManagedBy(const JsonValue& object) {
  for (const std::string& name : controllers::cainjector::InjectAnnotations()) {
    const JsonValue* value = FindPath(object, {"metadata", "annotations", name});
    const auto text = value == nullptr ? std::nullopt : clientgo::runtime::AsString(*value);
    if (text && controllers::cainjector::RequestsInjection(name, *text)) {
      return name + ": " + std::string(*text);
    }
  }
  return {};
}

// Adds one place of an object, which holds `bundle`. `path` is that of the field in FieldsV1.
void AddBundle(std::vector<AuditEntry>& entries, const JsonValue& object, std::string_view bundle,
               std::string place, const std::vector<std::string>& path) {
  AuditEntry entry{.place = std::move(place), .managed = ManagedBy(object), .bytes = bundle.size()};
  if (entry.bytes == 0 && entry.managed.empty()) return;
  if (entry.bytes > 0) entry.owners = OwnersOf(object, path);
  entry.certificates = controllers::cainjector::TrustedCertificates(bundle).size();
  if (entry.certificates > 0)
    entry.expiry = controllers::cainjector::ExpiryOf({std::string(bundle)});
  entries.push_back(std::move(entry));
}

// The same for a place in `config`, which contains its caBundle.
void Add(std::vector<AuditEntry>& entries, const JsonValue& object, const JsonValue* config,
         std::string place, const std::vector<std::string>& path) {
  if (config == nullptr) return;
  const auto bundle = clientgo::util::Base64Decode(GetString(*config, "caBundle"));
  AddBundle(entries, object, bundle.value_or(""), std::move(place), path);
}

std::vector<AuditEntry> EntriesOf(const JsonValue& object) {
  std::vector<AuditEntry> entries;
  if (const JsonValue* webhooks = Find(object, "webhooks"); webhooks && IsJsonArray(*webhooks)) {
    for (const JsonValue& webhook : JsonElements(*webhooks)) {
      const std::string name(GetString(webhook, "name"));
      Add(entries, object, Find(webhook, "clientConfig"), "webhooks[" + name + "]",
          {"f:webhooks", R"(k:{"name":")" + name + "\"}", "f:clientConfig", "f:caBundle"});
    }
    return entries;
  }
  const JsonValue* spec = Find(object, "spec");
  if (spec == nullptr) return entries;
  if (Find(*spec, "service") != nullptr || Find(*spec, "caBundle") != nullptr) {
    Add(entries, object, spec, "spec", {"f:spec", "f:caBundle"});
  }
  Add(entries, object, FindPath(*spec, {"conversion", "webhook", "clientConfig"}),
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
    for (const std::string_view part : clientgo::util::Split(pointer.substr(1), '/')) {
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

std::vector<AuditEntry> EntriesOf(const Injectable& decoded, const JsonValue& object) {
  std::vector<AuditEntry> entries;
  for (const auto& point : decoded.fields().points) {
    FieldPlace place(point.name);
    AddBundle(entries, object, *point.ca_bundle, std::move(place.text), place.path);
  }
  return entries;
}

// Returns the type that decodes `target` as Audited. For optional kinds the type reads whole
// objects.
clientgo::runtime::ResourceType OptionalTypeOf(const controllers::cainjector::Target& target) {
  const auto& type = target.content_type();
  return {.gvr = type.gvr,
          .kind = type.kind,
          .namespaced = type.namespaced,
          .projection = clientgo::runtime::Projection::All(),
          .decode = [&type](const clientgo::runtime::ObjectIdentity& meta,
                            const JsonValue& value) -> Expected<clientgo::runtime::ObjectPtr> {
            const auto decoded = type.decode(meta, value);
            if (!decoded) return Err(decoded.error());
            auto entries = EntriesOf(static_cast<const Injectable&>(**decoded), value);
            for (AuditEntry& entry : entries) {
              entry.kind = type.kind;
              entry.name = (*decoded)->key();
            }
            return clientgo::runtime::MakeObject<Audited>(meta, std::move(entries));
          }};
}

clientgo::runtime::ResourceType TypeOf(const controllers::cainjector::Target& target) {
  if (target.optional()) return OptionalTypeOf(target);
  const std::vector<clientgo::runtime::Projection::Path> paths = {
      {"metadata", "managedFields", "manager"},
      {"metadata", "managedFields", "fieldsV1"},
      {"metadata", "annotations"},
      {"webhooks", "name"},
      {"webhooks", "clientConfig", "caBundle"},
      {"spec", "service"},
      {"spec", "caBundle"},
      {"spec", "conversion", "webhook", "clientConfig", "caBundle"}};
  return {.gvr = target.type().gvr,
          .kind = target.type().kind,
          .projection = clientgo::runtime::Projection(paths),
          .decode = [kind = target.type().kind](
                        const clientgo::runtime::ObjectIdentity& meta,
                        const JsonValue& value) -> Expected<clientgo::runtime::ObjectPtr> {
            auto entries = EntriesOf(value);
            for (AuditEntry& entry : entries) {
              entry.kind = kind;
              entry.name = meta.name;
            }
            return clientgo::runtime::MakeObject<Audited>(meta, std::move(entries));
          }};
}

Cell StateOf(const AuditEntry& entry, CertificateTime now) {
  if (entry.bytes == 0) return {"missing", Tone::kWait};
  if (entry.certificates == 0) return {"no certificates", Tone::kBad};
  if (entry.expiry.last < now) return {"expired", Tone::kBad};
  if (entry.expiry.first < now) return {"partly expired", Tone::kWait};
  if (entry.expiry.first < now + kSoon) return {"expires soon", Tone::kWait};
  return {"valid", Tone::kGood};
}

std::string Or(const std::string& text, const char* other) { return text.empty() ? other : text; }

}  // namespace

Expected<std::vector<AuditEntry>> Audit(const std::stop_token& stop, clientgo::rest::Client& client,
                                        const controllers::cainjector::CaInjectorOptions& options) {
  std::vector<AuditEntry> entries;
  for (const controllers::cainjector::Target* target : TargetsOf(options.kinds)) {
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

std::string AuditTable(const std::vector<AuditEntry>& entries, CertificateTime now,
                       const Terminal& terminal) {
  std::vector<std::vector<Cell>> rows;
  for (const AuditEntry& entry : entries) {
    const bool dated = entry.certificates > 0;
    rows.push_back(
        {StateOf(entry, now),
         {dated ? controllers::cainjector::ExpiryText(entry.expiry.first) : "-"},
         {entry.kind},
         {entry.name},
         {entry.place},
         {Or(entry.owners, "-")},
         {Or(entry.managed, "unmanaged"), entry.managed.empty() ? Tone::kFaint : Tone::kPlain}});
  }
  return Table(terminal, {"STATE", "EXPIRES", "KIND", "NAME", "PLACE", "OWNER", "INJECTED FROM"},
               rows);
}

std::string AuditJson(const std::vector<AuditEntry>& entries, CertificateTime now) {
  return ItemsJson(entries, [&](clientgo::runtime::JsonWriter& writer, const AuditEntry& entry) {
    WriteField(writer, "kind", entry.kind);
    WriteField(writer, "name", entry.name);
    WriteField(writer, "place", entry.place);
    WriteField(writer, "state", StateOf(entry, now).text);
    if (entry.certificates > 0)
      WriteField(writer, "expires", controllers::cainjector::ExpiryText(entry.expiry.first));
    WriteField(writer, "owner", entry.owners);
    WriteField(writer, "injectedFrom", entry.managed);
    writer.Key("certificates");
    writer.Uint64(entry.certificates);
  });
}

}  // namespace capstan::cmd::cli::inspect
