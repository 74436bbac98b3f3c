// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/schema_check.h"

#include <string_view>
#include <vector>

#include "capstan/flags/value.h"
#include "capstan/log.h"
#include "capstan/runtime/parsed_json.h"
#include "capstan/text.h"

namespace capstan::cainjector {
namespace {

constexpr const char* kPreserveUnknown = "x-kubernetes-preserve-unknown-fields";

// Returns "/apis/cert-manager.io/v1", or "/api/v1" for the core group.
std::string RootOf(const runtime::GroupVersionResource& gvr) {
  return (gvr.group.empty() ? "/api/" : "/apis/") + gvr.ApiVersion();
}

// Returns the schema of the kind, or nullptr.
const runtime::JsonValue* FindKind(const FieldTargetOptions& fields,
                                   const runtime::JsonValue& openapi) {
  const runtime::JsonValue* schemas = runtime::FindPath(openapi, {"components", "schemas"});
  if (schemas == nullptr) return nullptr;
  for (const auto& [name, schema] : runtime::JsonMembers(*schemas)) {
    const runtime::JsonValue* kinds = runtime::Find(schema, "x-kubernetes-group-version-kind");
    if (kinds == nullptr) continue;
    for (const runtime::JsonValue& kind : runtime::JsonElements(*kinds)) {
      if (runtime::GetString(kind, "kind") == fields.kind &&
          runtime::GetString(kind, "group") == fields.gvr.group &&
          runtime::GetString(kind, "version") == fields.gvr.version) {
        return &schema;
      }
    }
  }
  return nullptr;
}

// Returns the schema that a "$ref", alone or in an allOf of one, refers to; otherwise `schema`.
const runtime::JsonValue& Resolve(const runtime::JsonValue& schema,
                                  const runtime::JsonValue& openapi) {
  constexpr std::string_view kPrefix = "#/components/schemas/";
  std::string_view reference = runtime::GetString(schema, "$ref");
  if (const runtime::JsonValue* all = runtime::Find(schema, "allOf");
      all != nullptr && reference.empty()) {
    for (const runtime::JsonValue& part : runtime::JsonElements(*all))
      reference = runtime::GetString(part, "$ref");
  }
  if (!reference.starts_with(kPrefix)) return schema;
  const runtime::JsonValue* found =
      runtime::FindPath(openapi, {"components", "schemas", reference.substr(kPrefix.size())});
  return found == nullptr ? schema : *found;
}

// Walk follows one path through the schema of a kind.
class Walk {
 public:
  Walk(const FieldTargetOptions& fields, const FieldPath& path, const runtime::JsonValue& openapi)
      : fields_(fields), path_(path), openapi_(openapi) {}

  Expected<void> From(const runtime::JsonValue& kind) const {
    const runtime::JsonValue* at = &kind;
    std::string before;  // "spec.providers[*]."
    for (std::size_t i = 0; i < path_.steps.size(); ++i) {
      const auto& [name, each] = path_.steps[i];
      const runtime::JsonValue* child = ChildOf(*at, name);
      if (child == nullptr) {
        if (runtime::GetBool(*at, kPreserveUnknown)) return {};
        return Unknown(*at, before, name);
      }
      at = &Resolve(*child, openapi_);
      before += name;
      const std::string_view type = runtime::GetString(*at, "type");
      if (i + 1 == path_.steps.size()) return CheckString(*at, type);
      if (each && type != "array") return Bad(before + " is not an array; remove [*]");
      if (!each && type == "array") {
        std::string message = before + " is an array; write ";
        message.append(before).append("[*]");
        return Bad(message);
      }
      if (each) {
        const runtime::JsonValue* items = runtime::Find(*at, "items");
        if (items == nullptr) return {};
        at = &Resolve(*items, openapi_);
      }
      before += each ? "[*]." : ".";
    }
    return {};
  }

 private:
  static const runtime::JsonValue* ChildOf(const runtime::JsonValue& schema,
                                           std::string_view name) {
    if (const runtime::JsonValue* child = runtime::FindPath(schema, {"properties", name}))
      return child;
    const runtime::JsonValue* any = runtime::Find(schema, "additionalProperties");  // of a map
    return any != nullptr && runtime::IsJsonObject(*any) ? any : nullptr;
  }

  Expected<void> CheckString(const runtime::JsonValue& schema, std::string_view type) const {
    if (type != "string") {
      return Bad("the field is of type " + std::string(type.empty() ? "any" : type) +
                 "; a bundle needs a string");
    }
    if (runtime::GetString(schema, "format") == "byte" && fields_.encoding == FieldEncoding::kPem) {
      return Bad("the field has the format byte; set encoding: base64");
    }
    return {};
  }

  tl::unexpected<Error> Unknown(const runtime::JsonValue& schema, const std::string& before,
                                const std::string& name) const {
    std::vector<std::string> known;
    if (const runtime::JsonValue* properties = runtime::Find(schema, "properties")) {
      for (const auto& [property, ignored] : runtime::JsonMembers(*properties))
        known.emplace_back(property);
    }
    std::string hint;
    if (const auto nearest = flags::Nearest(name, known)) {
      hint = "; did you mean " + before + *nearest + "?";
    } else if (!known.empty()) {
      hint = "; expected one of " + Join(known, ", ");
    }
    return Bad("the schema has no field " + before + name + hint);
  }

  tl::unexpected<Error> Bad(const std::string& why) const {
    return Err(ErrorReason::kInvalidArgument, "additionalTargets: " + fields_.kind + " (" +
                                                  fields_.gvr.ApiVersion() + "), field " +
                                                  path_.String() + ": " + why);
  }

  const FieldTargetOptions& fields_;
  const FieldPath& path_;
  const runtime::JsonValue& openapi_;
};

Expected<void> CheckResource(const FieldTargetOptions& fields, const runtime::JsonValue& openapi) {
  const auto bad = [&](const std::string& why) {
    return Err(ErrorReason::kInvalidArgument,
               "additionalTargets: " + fields.kind + " (" + fields.gvr.ApiVersion() + "): " + why);
  };
  const runtime::JsonValue* paths = runtime::Find(openapi, "paths");
  if (paths == nullptr) return {};
  const std::string root = RootOf(fields.gvr);
  const std::string& resource = fields.gvr.resource;
  const bool namespaced =
      runtime::Find(*paths, root + "/namespaces/{namespace}/" + resource) != nullptr;
  if (!namespaced && runtime::Find(*paths, root + "/" + resource) == nullptr) {
    return bad("the API server does not serve the resource " + resource);
  }
  if (namespaced == fields.namespaced) return {};
  return bad(namespaced ? "the kind is namespaced; remove namespaced: false"
                        : "the kind is cluster-scoped; set namespaced: false");
}

}  // namespace

Expected<void> CheckSchema(const FieldTargetOptions& fields, const runtime::JsonValue& openapi) {
  const runtime::JsonValue* kind = FindKind(fields, openapi);
  if (kind == nullptr) {
    return Err(ErrorReason::kNotFound, "the API server does not serve the kind " + fields.kind +
                                           " of " + fields.gvr.ApiVersion());
  }
  if (auto ok = CheckResource(fields, openapi); !ok) return ok;
  for (const FieldPath& path : fields.fields) {
    if (auto ok = Walk(fields, path, openapi).From(*kind); !ok) return ok;
  }
  return {};
}

Expected<void> SchemaCheck::Run(const rest::CallOptions& call) {
  {
    const MutexLock lock(mu_);
    if (last_ && (last_->has_value() || clock_.Now() < checked_ + kSchemaPeriod)) return *last_;
  }
  auto checked = Check(call);
  if (!checked && IsCanceled(checked.error())) return checked;
  const MutexLock lock(mu_);
  last_ = checked;
  checked_ = clock_.Now();
  return checked;
}

Expected<void> SchemaCheck::Check(const rest::CallOptions& call) const {
  const auto document = client_.GetRaw(call, "/openapi/v3" + RootOf(fields_.gvr));
  if (!document && IsForbidden(document.error())) {
    WarningS("Fields of additional targets are not checked", "kind", fields_.kind, "error",
             document.error().message);
    return {};
  }
  if (!document) return Err(document.error().Wrap("failed to read the schema of " + fields_.kind));
  const auto openapi = runtime::ParsedJson::Parse(document->body);
  if (!openapi) return Err(openapi.error().Wrap("bad OpenAPI document"));
  return CheckSchema(fields_, openapi->root());
}

}  // namespace capstan::cainjector
