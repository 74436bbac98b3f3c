// SPDX-License-Identifier: Apache-2.0
// Resource is one row of the table of kinds: how a kind is served, and what it decides about its
// objects. The built-in rows are in kinds/kinds.cc. To serve another built-in kind, add a row.
// CustomResources (custom_resources.h) have the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/json.h"

namespace capstan::testing::apiserver {

inline constexpr std::string_view kAdmissionGroup = "admissionregistration.k8s.io";
inline constexpr std::string_view kAuthenticationGroup = "authentication.k8s.io";
inline constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

struct KindVersions;
class FieldRules;
class Place;
class Schema;
struct Cause;
struct PrinterColumn;

// ScalePaths are where a custom kind has the members of its Scale: ".spec.replicas". Built-in kinds
// have them in the usual places.
struct ScalePaths {
  std::string_view replicas = {};
  std::string_view status_replicas = {};
  std::string_view selector = {};
};

struct Resource {
  std::string_view group = {};  // empty: the core group
  std::string_view version = "v1";
  std::string_view plural = {};
  std::string_view kind = {};
  std::string_view list_kind = {};    // empty: the kind and "List"
  std::string_view singular = {};     // empty: the kind in lower case
  std::string_view short_names = {};  // separated by ','
  std::string_view categories = {};   // the same
  bool namespaced = false;
  bool status = false;                // has a status subresource
  bool scale = false;                 // has a scale subresource
  bool generation = false;            // metadata.generation counts changes of the spec
  bool custom = false;                // served from a CustomResourceDefinition
  bool create_on_update = false;      // a PUT creates a missing object
  bool update_needs_version = false;  // a PUT without resourceVersion is rejected
  bool pods = false;                  // has the subresources of Pods
  bool tokens = false;                // has the subresource token
  bool review = false;                // is answered and never stored (reviews.h)
  bool secret = false;                // an error shows no data of an object
  bool approval = false;              // has the subresource approval
  bool orphans = false;               // a deletion orphans the dependents by default
  bool short_finalizers = false;      // a finalizer may lack a domain
  bool status_on_create = false;      // a create may set the status
  // Only an apply of the status ignores what status_ignores says.
  bool status_updates_metadata = false;
  bool graceful = false;           // a deletion waits for a grace period
  bool returns_deleted = false;    // a DELETE returns the object, not a Status
  const Schema* schema = nullptr;  // of a custom resource; null: anything is valid
  const std::vector<PrinterColumn>* columns = nullptr;  // of `kubectl get`
  const KindVersions* versions = nullptr;               // of a kind with a CustomResourceDefinition
  // An object with a later resourceVersion was written with this schema.
  std::uint64_t schema_since = 0;
  ScalePaths scale_paths = {};        // of a custom kind
  std::string_view selectable = {};   // fields of a custom kind for selectors, separated by ','
  std::string_view deprecation = {};  // the warning about this version; empty: none
  // The member of the metadata that a write of the status ignores. "*": all but the identity.
  std::string_view status_ignores = {};

  // The decisions of a built-in kind. A null function decides nothing. A custom kind has a schema.

  std::vector<PrinterColumn> (*make_columns)() = nullptr;
  std::string_view column_text = {};  // instead of make_columns: see printers/column_text.h
  // Returns why Go cannot decode the fields whose types JSON does not have, such as bytes.
  std::optional<std::string> (*find_type_error)(const runtime::JsonValue& object) = nullptr;
  void (*set_defaults)(runtime::JsonDocument& object) = nullptr;
  // Adds the fields of a new object that the server sets and no manager owns. It has its uid.
  void (*prepare_for_create)(runtime::JsonDocument& object) = nullptr;
  // The same for an update. `next` has the spec that it will have.
  void (*prepare_for_update)(const runtime::JsonValue& live, runtime::JsonDocument& next) = nullptr;
  // Returns what is wrong with a name. A kind without this function has DNS subdomains as names.
  std::vector<std::string> (*name_errors)(std::string_view name) = nullptr;
  std::string_view rules = {};  // see validation/rule_text.h
  // Check an object, and an update of it.
  void (*validate)(const Place& object, FieldRules& rules) = nullptr;
  void (*validate_update)(const Place& live, const Place& next, FieldRules& rules) = nullptr;
  // Checks what only a new object must be.
  void (*validate_new)(const Place& object, FieldRules& rules) = nullptr;
  // Checks an object, and in an update what it becomes, together with what may change.
  void (*validate_always)(const Place& object, FieldRules& rules) = nullptr;
  // Checks a change of the spec. An update that cannot change the spec does not call it.
  void (*validate_spec_update)(const Place& live, const Place& next,
                               std::vector<Cause>& causes) = nullptr;
  // Returns the warnings about a valid object. `live` is not given for a create.
  std::vector<std::string> (*warnings)(const Place& live, const Place& next) = nullptr;
  bool update_first = false;  // kube-apiserver reports what is immutable first
  // Another form of the same objects: its group, its version and its plural. Null: there is none.
  const Resource* (*twin)() = nullptr;
  void (*to_twin)(runtime::JsonDocument& object) = nullptr;
  // Checks an update of the status.
  void (*validate_status)(const Place& live, const Place& next, FieldRules& rules) = nullptr;

  std::string ApiVersion() const;
  // Returns the name in error texts: "secrets", "certificates.cert-manager.io".
  std::string Qualified() const;
  // Returns the kind of a list: "SecretList".
  std::string ListKind() const;
};

std::span<const Resource> Resources();  // the built-in ones
// Reports whether this is the first row, whose objects contain others.
bool IsNamespace(const Resource& resource);
const Resource* FindResource(std::string_view group, std::string_view version,
                             std::string_view plural);
const Resource* FindKind(std::string_view api_version, std::string_view kind);

}  // namespace capstan::testing::apiserver
