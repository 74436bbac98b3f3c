// SPDX-License-Identifier: Apache-2.0
// Target: what differs from kind to kind among the objects that CA bundles are injected into: where
// the bundles are and how a write of them looks. Stateless, so thread-safe.
// Mirrors InjectTarget in cert-manager's pkg/controller/cainjector/injectors.go.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/api/manager_entries.h"
#include "clientgo/runtime/json.h"
#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"
#include "clientgo/util/interner.h"
#include "controllers/cainjector/rules/reason.h"

namespace controllers::cainjector {

// Which state of an object an apply configuration may be applied to; another one is a conflict.
enum class ApplyTo {
  kThisVersion,  // the one it was made from: nobody wrote since
  kThisObject,   // any version of the object with its uid
};

class Target {
 public:
  virtual ~Target() = default;
  // What the cache holds.
  virtual const clientgo::runtime::ResourceType& type() const = 0;
  // Of an object of type().
  virtual std::optional<std::string_view> Annotation(const clientgo::runtime::Object& object,
                                                     std::string_view name) const = 0;

  // What an object is read and written as; all below takes objects of it. Another one than type()
  // when the whole object is too large to cache: then one is fetched when it is needed.
  virtual const clientgo::runtime::ResourceType& content_type() const { return type(); }
  virtual bool Deleting(const clientgo::runtime::Object& content) const = 0;
  // Why the API server would not have a bundle in this object, or has no place for one.
  virtual std::optional<Failure> Refusal(const clientgo::runtime::Object& /*content*/) const {
    return std::nullopt;
  }
  // Every CA bundle of the object as PEM, empty ones included, in the object's order.
  virtual std::vector<std::string> Bundles(const clientgo::runtime::Object& content) const = 0;
  // Those of kFieldManager in its managedFields.
  virtual clientgo::api::ManagerEntries Entries(const clientgo::runtime::Object& content) const = 0;
  // The server-side apply configuration that makes Bundles() equal `bundles` and owns nothing else.
  // It names the object's uid: applied to an object deleted meanwhile it is a conflict, and does
  // not create it anew. With kThisVersion it names the resourceVersion, too: applied without it, it
  // would bring back a webhook that was removed meanwhile, and overwrite a CA that was added.
  virtual std::string ApplyConfiguration(const clientgo::runtime::Object& content,
                                         const std::vector<std::string>& bundles,
                                         ApplyTo to) const = 0;

  bool cached_whole() const { return &content_type() == &type(); }
};

// For implementations.

// The apply configuration of `object` with the fields that `write_fields` adds to it.
std::string MakeApplyConfiguration(
    const clientgo::runtime::ResourceType& type, const clientgo::runtime::Object& object,
    ApplyTo to, const std::function<void(clientgo::runtime::JsonWriter&)>& write_fields);
// "caBundle": base64 of `bundle`.
void WriteCaBundle(clientgo::runtime::JsonWriter& writer, std::string_view bundle);
// The bundles of all kinds: those of a cluster mostly trust the same few CAs.
std::shared_ptr<clientgo::util::Interner> SharedBundles();

}  // namespace controllers::cainjector
