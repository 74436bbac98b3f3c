// SPDX-License-Identifier: Apache-2.0
// ApiService (apiregistration.k8s.io/v1): the CA bundle, a few annotations, and what decides
// whether a bundle may be there at all. The bundle is interned, as in WebhookConfiguration.
// Immutable; safe to read from any thread. Mirrors kube-aggregator's APIService.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/api/kept_strings.h"
#include "clientgo/api/manager_entries.h"
#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"
#include "clientgo/util/interner.h"

namespace clientgo::api {

class ApiService final : public runtime::Object {
 public:
  struct Fields {
    std::shared_ptr<const std::string> ca_bundle;  // as bytes; never nullptr
    bool has_service = false;                      // else it is served by kube-apiserver itself
    bool insecure_skip_tls_verify = false;
    bool deleting = false;
    ManagerEntries manager_entries = {};
  };
  ApiService(const runtime::ObjectMeta& meta, KeptStrings annotations, Fields fields);

  std::optional<std::string_view> Annotation(std::string_view name) const {
    return annotations_.Find(name);
  }
  const Fields& fields() const { return fields_; }
  // Without the bundle: it belongs to all who share it.
  std::size_t ByteSize() const override;

 private:
  KeptStrings annotations_;
  Fields fields_;
};

struct ApiServiceTypeOptions {
  std::vector<std::string> annotations = {};  // those to keep
  std::shared_ptr<util::Interner> bundles;    // may be shared with other types
  std::string field_manager = {};             // whose entries to find; empty: nobody's
};

// The type whose objects are ApiService.
runtime::ResourceType MakeApiServiceType(ApiServiceTypeOptions options);

}  // namespace clientgo::api
