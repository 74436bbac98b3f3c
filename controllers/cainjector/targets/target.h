// SPDX-License-Identifier: Apache-2.0
// Target is a kind of object that CA bundles are injected into: where its bundles are, and how they
// are written. Immutable, so thread-safe. Mirrors InjectTarget in cert-manager's
// pkg/controller/cainjector/injectors.go.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/clientgo/api/object_metadata.h"
#include "capstan/clientgo/rest/client.h"
#include "capstan/clientgo/runtime/json_writer.h"
#include "capstan/clientgo/runtime/object.h"
#include "capstan/clientgo/runtime/resource_type.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/rules/reason.h"

namespace capstan::controllers::cainjector {

// ApplyTo is the state of an object that a write is valid for. Any other state is a conflict.
enum class ApplyTo {
  kThisVersion,  // the version it was made from
  kThisObject,   // any version of the object with that uid
};

// TargetWrite is the request that writes the bundles of one object.
struct TargetWrite {
  clientgo::rest::PatchType type = clientgo::rest::PatchType::kApply;
  std::string body = {};
  clientgo::rest::WriteOptions options = {};
};

// Writes the members of an apply configuration that hold the bundles of `object`.
using WriteBundles = void (*)(clientgo::runtime::JsonWriter& writer, const api::Injectable& object,
                              const std::vector<std::string>& bundles);

struct TargetOptions {
  clientgo::runtime::ResourceType content_type;  // decodes api::Injectable
  // Objects are cached as this type, or whole without it.
  std::optional<clientgo::runtime::ResourceType> cached_type = {};
  WriteBundles write_bundles;
};

class Target {
 public:
  explicit Target(TargetOptions options) : options_(std::move(options)) {}

  // The type of the cached objects.
  const clientgo::runtime::ResourceType& type() const {
    return options_.cached_type ? *options_.cached_type : options_.content_type;
  }
  // Returns an annotation of an object of type().
  static std::optional<std::string_view> Annotation(const clientgo::runtime::Object& object,
                                                    std::string_view name) {
    return static_cast<const clientgo::api::ObjectMetadata&>(object).Annotation(name);
  }

  // The type that an object is read and written as. All functions below take objects of it. It
  // differs from type() when the whole object is too large to cache, and is fetched when needed.
  const clientgo::runtime::ResourceType& content_type() const { return options_.content_type; }
  bool cached_whole() const { return !options_.cached_type; }
  static bool Deleting(const clientgo::runtime::Object& content) {
    return Fields(content).deleting;
  }
  // Returns why the object has no place for a bundle, or must not have one.
  static std::optional<Failure> Refusal(const clientgo::runtime::Object& content);
  // Returns every CA bundle of the object as PEM, empty ones included, in the object's order.
  static std::vector<std::string> Bundles(const clientgo::runtime::Object& content);
  // Returns the entries of kFieldManager in managedFields.
  static api::ManagerEntries Entries(const clientgo::runtime::Object& content) {
    return Fields(content).manager_entries;
  }
  // Returns the server-side apply that makes Bundles() equal `bundles` and owns nothing else. It
  // contains the object's uid, so it is a conflict, and creates nothing, when the object was
  // deleted. With kThisVersion it also contains the resourceVersion. Without that, it could restore
  // a webhook that was removed by a concurrent write, and overwrite a CA that was added.
  TargetWrite Write(const clientgo::runtime::Object& content,
                    const std::vector<std::string>& bundles, ApplyTo to) const;

 private:
  static const api::Injectable::Fields& Fields(const clientgo::runtime::Object& content) {
    return static_cast<const api::Injectable&>(content).fields();
  }
  std::string ApplyConfiguration(const clientgo::runtime::Object& content,
                                 const std::vector<std::string>& bundles, ApplyTo to) const;

  const TargetOptions options_;
};

// The kinds of targets. Each is one immutable object.

// Every webhooks[i].clientConfig.caBundle, for a webhook with a url or a service. The apply
// configuration contains all webhooks, also those in sync: it would give up the ownership of
// others, and the API server would remove their bundles.
const Target& ValidatingWebhookTarget();
const Target& MutatingWebhookTarget();
// spec.caBundle. An APIService must not have one when kube-apiserver serves the API itself, or does
// not verify the server's certificate. Differs from upstream, which retries such a write for ever.
const Target& ApiServiceTarget();
// The bundle of the conversion webhook. Only CRDs with the strategy Webhook have a place for one.
// CRDs are large and many, and few have a conversion webhook, so their metadata is cached and
// annotated ones are fetched. Differs from upstream, which caches every CRD whole, and sends an
// empty write to CRDs without a place for a bundle.
const Target& CustomResourceDefinitionTarget();

}  // namespace capstan::controllers::cainjector
