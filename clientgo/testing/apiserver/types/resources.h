// SPDX-License-Identifier: Apache-2.0
// The table of built-in resources and their differences. To serve another built-in kind, add a row.
// CustomResources (custom_resources.h) are the others.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::testing::apiserver {

class Schema;
struct PrinterColumn;

struct Resource {
  std::string_view group = {};  // empty: the core group
  std::string_view version = "v1";
  std::string_view plural = {};
  std::string_view kind = {};
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
  const Schema* schema = nullptr;     // of a custom resource; null: anything is valid
  // Of a custom resource with a definition; null: those of the kind (ColumnsOf).
  const std::vector<PrinterColumn>* columns = nullptr;

  std::string ApiVersion() const;
  // Returns the name in error texts: "secrets", "certificates.cert-manager.io".
  std::string Qualified() const;
};

std::span<const Resource> Resources();
const Resource* FindResource(std::string_view group, std::string_view version,
                             std::string_view plural);
const Resource* FindKind(std::string_view api_version, std::string_view kind);

}  // namespace capstan::testing::apiserver
