// SPDX-License-Identifier: Apache-2.0
// The Kubernetes objects that CA injection reads, each with only the fields that it uses. All other
// fields are dropped while they are received. Objects are immutable and safe to read from any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/api/object_metadata.h"
#include "capstan/api/packed_string_map.h"
#include "capstan/heap.h"
#include "capstan/interner.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"

namespace capstan::cainjector {

// SourceData is one key of the data of a Secret or a ConfigMap, decoded, and a few annotations. The
// other keys are dropped while they are received, so a private key beside the wanted value is never
// held as a value.
//
// The decoded bytes are overwritten when the object is destroyed. Do not copy them further than
// needed, and never log them. A cache uses api::MakeMetadataType, which holds no data.
class SourceData final : public runtime::Object {
 public:
  SourceData(const runtime::ObjectIdentity& meta, api::PackedStringMap annotations,
             std::optional<std::string> data);
  ~SourceData() override;

  // nullopt: the object does not have the type's data key. A present value may be empty.
  std::optional<std::string_view> data() const { return data_; }
  std::optional<std::string_view> Annotation(std::string_view name) const {
    return annotations_.Find(name);
  }
  std::size_t ByteSize() const override;

 private:
  api::PackedStringMap annotations_;
  std::optional<std::string> data_;
};

struct SourceDataOptions {
  std::string data_key;                       // "ca.crt"
  std::vector<std::string> annotations = {};  // those to keep
};

// Return types whose objects are SourceData.
runtime::ResourceType MakeSecretType(SourceDataOptions options);
runtime::ResourceType MakeConfigMapDataType(SourceDataOptions options);

// Certificate (cert-manager.io/v1): the name of its Secret. The API server accepts any text as the
// name. One that is too long for a Secret is cut, and ends with PackedStringMap::kCutMark.
class CertManagerCertificate final : public runtime::Object {
 public:
  static constexpr std::size_t kSecretNameBytesMax = 253;
  static const runtime::ResourceType& Type();
  CertManagerCertificate(const runtime::ObjectIdentity& meta, std::string secret_name);

  const std::string& secret_name() const { return secret_name_; }  // spec.secretName
  runtime::ObjectKey Secret() const { return {std::string(namespace_()), secret_name_}; }
  std::size_t ByteSize() const override { return BlockBytes() + HeapBytesOf(secret_name_); }

 private:
  std::string secret_name_;
};

// ManagerEntries locates the entries of one field manager in metadata.managedFields. Nothing else
// of managedFields is kept, which are often larger than the object. With these indexes and the
// object's resourceVersion a JSON patch can remove an entry. Entries of a subresource are ignored.
// Mirrors what csaupgrade in client-go's util looks for.
struct ManagerEntries {
  static constexpr std::int16_t kNone = -1;
  // The index of the first entry with the operation "Apply", and with "Update", which a create, a
  // PUT or another kind of patch leaves.
  std::int16_t apply = kNone;
  std::int16_t update = kNone;

  friend bool operator==(const ManagerEntries&, const ManagerEntries&) = default;
};

// How the types of targets are made.
struct TargetTypeOptions {
  std::vector<std::string> annotations = {};  // those to keep
  std::size_t annotation_bytes_max = api::PackedStringMap::kNoLimit;
  std::shared_ptr<Interner> bundles;  // may be shared between types
  std::string field_manager = {};     // whose entries to find; empty: none
};

// InjectionPoint is a place for a CA bundle in an object.
struct InjectionPoint {
  // How a write refers to the place: the name of a webhook, which is the key for server-side apply,
  // a key of a ConfigMap, or the JSON pointer of a field. Empty for kinds with one place.
  std::string name = {};
  // The bundle as PEM, decoded if the field is base64. Never nullptr; empty when there is none.
  std::shared_ptr<const std::string> ca_bundle;
};

// Injectable is an object that CA bundles are injected into, such as a webhook configuration.
//
// Bundles are decoded once and interned. Many objects with one bundle hold it once, and two bundles
// from one Interner are equal exactly when their pointers are.
class Injectable final : public api::ObjectMetadata {
 public:
  // Exclusion is why there must be no bundle.
  enum class Exclusion : std::uint8_t {
    kNone,
    kNoService,            // of an APIService: kube-apiserver itself serves the API
    kTlsVerifyDisabled,    // of an APIService: spec.insecureSkipTLSVerify
    kNoConversionWebhook,  // of a CRD: spec.conversion.strategy is not Webhook
    kNoField,              // no field that could hold a bundle has a parent
    kNoString,             // such a field holds a value that is not a string
    kBadKey,               // of a ConfigMap: the annotation names no possible key
    kTooManyPlaces,        // more than kPlacesMax
  };
  // An object has no more points of fields that the configuration names. Bundles in so many places
  // are larger than etcd's limit of 1.5 MiB, and an object of that limit could have 500,000 places.
  static constexpr std::size_t kPlacesMax = 4096;
  struct Fields {
    std::vector<InjectionPoint> points = {};
    Exclusion exclusion = Exclusion::kNone;
    bool deleting = false;  // metadata.deletionTimestamp is set
    ManagerEntries manager_entries = {};
  };
  Injectable(const runtime::ObjectIdentity& meta, api::PackedStringMap annotations, Fields fields);

  std::optional<std::string_view> Annotation(std::string_view name) const override {
    return annotations_.Find(name);
  }
  const Fields& fields() const { return fields_; }
  // Without the bundles, which are shared. See Interner::ByteSize.
  std::size_t ByteSize() const override;

 private:
  api::PackedStringMap annotations_;
  Fields fields_;
};

// InjectableTypeOptions describes one kind of Injectable.
struct InjectableTypeOptions {
  runtime::GroupVersionResource gvr;
  std::string kind;
  bool namespaced = false;
  std::vector<runtime::Projection::Path> paths;  // those that `decode` needs
  // Decodes the points and the exclusion.
  std::function<Expected<Injectable::Fields>(const runtime::JsonValue& object, Interner& bundles)>
      decode;
};
// These functions return types whose objects are Injectable.
runtime::ResourceType MakeInjectableType(InjectableTypeOptions kind, TargetTypeOptions options);
runtime::ResourceType MakeValidatingWebhookConfigurationType(TargetTypeOptions options);
runtime::ResourceType MakeMutatingWebhookConfigurationType(TargetTypeOptions options);
runtime::ResourceType MakeApiServiceType(TargetTypeOptions options);
// The type is for a GET of one object, and keeps no annotations. Listing CRDs would send megabytes
// of schemas, so a cache lists their metadata (api::MakeMetadataType).
runtime::ResourceType MakeCustomResourceDefinitionType(TargetTypeOptions options);

}  // namespace capstan::cainjector
