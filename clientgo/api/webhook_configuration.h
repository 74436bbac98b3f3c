// SPDX-License-Identifier: Apache-2.0
// WebhookConfiguration (admissionregistration.k8s.io/v1, validating and mutating alike): the name
// and CA bundle of each webhook, a few annotations, whether it is being deleted, and the entries of
// one field manager.
//
// Bundles are decoded once and interned: many configurations with one bundle hold it once, and two
// bundles from one Interner are equal exactly when their pointers are.
// Immutable; safe to read from any thread.
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

struct Webhook {
  std::string name;  // unique within its configuration: the key for server-side apply
  // clientConfig.caBundle as bytes, not base64 (PEM, if its writer was sane); never nullptr, empty
  // when there is none.
  std::shared_ptr<const std::string> ca_bundle;
};

class WebhookConfiguration final : public runtime::Object {
 public:
  struct Fields {
    bool deleting = false;  // metadata.deletionTimestamp is set
    ManagerEntries manager_entries = {};
    std::vector<Webhook> webhooks = {};
  };
  WebhookConfiguration(const runtime::ObjectMeta& meta, KeptStrings annotations, Fields fields);

  std::optional<std::string_view> Annotation(std::string_view name) const {
    return annotations_.Find(name);
  }
  bool deleting() const { return fields_.deleting; }
  const ManagerEntries& manager_entries() const { return fields_.manager_entries; }
  const std::vector<Webhook>& webhooks() const { return fields_.webhooks; }
  // Without the bundles: they belong to all who share them. See Interner::ByteSize.
  std::size_t ByteSize() const override;

 private:
  KeptStrings annotations_;
  Fields fields_;
};

struct WebhookTypeOptions {
  std::vector<std::string> annotations = {};  // those to keep
  std::shared_ptr<util::Interner> bundles;    // may be shared between types
  std::string field_manager = {};             // whose entries to find; empty: nobody's
};

// The types whose objects are WebhookConfiguration.
runtime::ResourceType MakeValidatingWebhookConfigurationType(WebhookTypeOptions options);
runtime::ResourceType MakeMutatingWebhookConfigurationType(WebhookTypeOptions options);

}  // namespace clientgo::api
