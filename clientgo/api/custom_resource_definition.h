// SPDX-License-Identifier: Apache-2.0
// CustomResourceDefinition (apiextensions.k8s.io/v1): how its versions are converted, the entries
// of one field manager, and nothing else. The schemas, which make a CRD large, are dropped on the
// wire.
//
// For a GET of one. A list of CRDs with schemas is megabytes to send, however little is kept: a
// cache asks for their metadata (MakeMetadataType).
// Immutable; safe to read from any thread.
#pragma once

#include <memory>
#include <string>

#include "clientgo/api/manager_entries.h"
#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"
#include "clientgo/util/interner.h"

namespace clientgo::api {

class CustomResourceDefinition final : public runtime::Object {
 public:
  struct Fields {
    std::shared_ptr<const std::string> ca_bundle;  // of the conversion webhook; never nullptr
    bool webhook_conversion = false;               // spec.conversion.strategy is Webhook
    bool deleting = false;
    ManagerEntries manager_entries = {};
  };
  CustomResourceDefinition(const runtime::ObjectMeta& meta, Fields fields);

  const Fields& fields() const { return fields_; }
  std::size_t ByteSize() const override { return sizeof *this + TextSize(); }

 private:
  Fields fields_;
};

struct CustomResourceDefinitionTypeOptions {
  std::shared_ptr<util::Interner> bundles;  // may be shared with other types
  std::string field_manager = {};           // whose entries to find; empty: nobody's
};

// The type whose objects are CustomResourceDefinition.
runtime::ResourceType MakeCustomResourceDefinitionType(CustomResourceDefinitionTypeOptions options);

}  // namespace clientgo::api
