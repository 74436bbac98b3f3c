// SPDX-License-Identifier: Apache-2.0
// Target is a kind of object that CA bundles are injected into: where its bundles are, and how they
// are written. Immutable, so thread-safe. Mirrors InjectTarget in cert-manager's
// pkg/controller/cainjector/injectors.go.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/api/object_metadata.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/rules/reason.h"

namespace capstan::cainjector {

// ApplyTo is the state of an object that a write is valid for. Any other state is a conflict.
enum class ApplyTo {
  kThisVersion,  // the version it was made from
  kThisObject,   // any version of the object with that uid
};

// TargetWrite is the request that writes the bundles of one object.
struct TargetWrite {
  rest::PatchType type = rest::PatchType::kApply;
  std::string body = {};
  rest::WriteOptions options = {};
};

// Writes what sets the bundles of `object`: the members of an apply configuration, or the
// operations of a JSON patch.
using WriteBundles = std::function<void(runtime::JsonWriter& writer, const Injectable& object,
                                        const std::vector<std::string>& bundles)>;

// SizeLimit is how many bytes of bundles the API server certainly does not store in one object.
struct SizeLimit {
  std::size_t bytes_max = kTargetBytesMax;
  // For messages, before and after the number.
  std::string_view subject = "etcd stores at most ";
  std::string_view unit = " bytes for an object (its flag --max-request-bytes)";
};

struct TargetOptions {
  runtime::ResourceType content_type;  // decodes Injectable
  // Objects are cached as this type, or whole without it. Kinds that users of a namespace can write
  // are not cached whole: their objects may be many and large.
  std::optional<runtime::ResourceType> cached_type = {};
  // The content is read by GET, and has no annotations. Otherwise it is listed by its name, which
  // needs no right that the cache does not need.
  bool content_by_get = false;
  // kApply, or kJson for fields in arrays, which an apply may replace as a whole.
  rest::PatchType patch_type = rest::PatchType::kApply;
  WriteBundles write_bundles;
  // Whether an apply takes over fields that other managers own.
  bool force = true;
  // Whether the object names the place of its bundle. Our entry in managedFields then stays even
  // with FieldOwnership::kDetach: an apply removes the old place only from its owner.
  bool place_may_move = false;
  // Whether the API server accepts nothing but different certificates.
  bool only_certificates = false;
  // The label of the objects that are watched; empty: all are.
  std::string label_selector = {};
  // The process works without this kind: it is not served, or enabled in few clusters.
  bool optional = false;
  SizeLimit size_limit = {};
  // Why an object with Exclusion::kNoField has no place.
  std::string no_field = {};
  // Why nothing is written to an object with Exclusion::kNoString.
  std::string no_string = {};
  // The rights that a write needs, for the message of a denied one; empty: the API server's
  // suffices.
  std::string rights = {};
};

class Target {
 public:
  explicit Target(TargetOptions options) : options_(std::move(options)) {}

  // The type of the cached objects.
  const runtime::ResourceType& type() const {
    return options_.cached_type ? *options_.cached_type : options_.content_type;
  }
  // Returns an annotation of an object of type().
  static std::optional<std::string_view> Annotation(const runtime::Object& object,
                                                    std::string_view name) {
    return static_cast<const api::ObjectMetadata&>(object).Annotation(name);
  }

  // The type that an object is read and written as. All functions below take objects of it. It
  // differs from type() when the whole object is too large to cache, and is fetched when needed.
  const runtime::ResourceType& content_type() const { return options_.content_type; }
  bool cached_whole() const { return !options_.cached_type; }
  bool content_by_get() const { return options_.content_by_get; }
  bool optional() const { return options_.optional; }
  bool only_certificates() const { return options_.only_certificates; }
  bool place_may_move() const { return options_.place_may_move; }
  const std::string& rights() const { return options_.rights; }
  const SizeLimit& size_limit() const { return options_.size_limit; }
  const std::string& label_selector() const { return options_.label_selector; }
  // Returns whether a write refers to places by index. The API server answers 422 when there is no
  // such place in a newer version of the object, before it compares the versions.
  bool written_by_index() const { return options_.patch_type == rest::PatchType::kJson; }
  static bool Deleting(const runtime::Object& content) { return Fields(content).deleting; }
  // Returns why the object has no place for a bundle, or must not have one.
  std::optional<Failure> Refusal(const runtime::Object& content) const;
  // Returns every CA bundle of the object as PEM, empty ones included, in the object's order.
  static std::vector<std::string> Bundles(const runtime::Object& content);
  // Returns the bytes of the places and their bundles.
  static std::size_t ByteSize(const runtime::Object& content);
  // Returns the entries of kFieldManager in managedFields.
  static ManagerEntries Entries(const runtime::Object& content) {
    return Fields(content).manager_entries;
  }
  // Returns the request that makes Bundles() equal `bundles` and changes nothing else. It contains
  // the object's uid or resourceVersion, so it creates nothing when the object was deleted. An
  // apply with kThisVersion contains both. Without the version, it could restore a webhook that was
  // removed by a concurrent write, and overwrite a CA that was added.
  TargetWrite Write(const runtime::Object& content, const std::vector<std::string>& bundles,
                    ApplyTo to) const;

 private:
  static const Injectable::Fields& Fields(const runtime::Object& content) {
    return static_cast<const Injectable&>(content).fields();
  }
  std::string ApplyConfiguration(const runtime::Object& content,
                                 const std::vector<std::string>& bundles, ApplyTo to) const;
  std::string JsonPatch(const runtime::Object& content, const std::vector<std::string>& bundles,
                        ApplyTo to) const;

  const TargetOptions options_;
};

// Returns how the types of all targets are made. They share the Interner of their bundles.
TargetTypeOptions CommonTypeOptions();
// Returns the type that caches only the annotations of this kind.
runtime::ResourceType AnnotationsType(const runtime::ResourceType& content_type,
                                      std::vector<std::string> annotations);

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

}  // namespace capstan::cainjector
