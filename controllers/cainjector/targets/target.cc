// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/target.h"

#include <utility>

#include "capstan/clientgo/api/gvr.h"
#include "capstan/clientgo/runtime/json_writer.h"
#include "capstan/clientgo/util/base64.h"
#include "capstan/clientgo/util/interner.h"
#include "controllers/cainjector/rules/annotations.h"

namespace capstan::controllers::cainjector {
namespace {

using api::Injectable;
using clientgo::runtime::JsonWriter;
using clientgo::runtime::Object;
using clientgo::runtime::ResourceType;
using clientgo::runtime::WriteField;

void WriteCaBundle(JsonWriter& writer, std::string_view bundle) {
  writer.Key("caBundle");
  writer.String(clientgo::util::Base64Encode(bundle));
}

void WriteWebhooks(JsonWriter& writer, const Injectable& object,
                   const std::vector<std::string>& bundles) {
  writer.Key("webhooks");
  writer.StartArray();
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    writer.StartObject();
    WriteField(writer, "name", object.fields().points[i].name);
    writer.Key("clientConfig");
    writer.StartObject();
    WriteCaBundle(writer, bundles[i]);
    writer.EndObject();
    writer.EndObject();
  }
  writer.EndArray();
}

// Writes the bundle of an object with one point, which is at `path`.
void WriteOnlyBundle(JsonWriter& writer, std::initializer_list<std::string_view> path,
                     const std::vector<std::string>& bundles) {
  for (const std::string_view key : path) {
    writer.Key(key);
    writer.StartObject();
  }
  WriteCaBundle(writer, bundles.front());
  for (std::size_t depth = 0; depth < path.size(); ++depth) writer.EndObject();
}

}  // namespace

// The bundles of one cluster mostly hold the same few CAs.
api::TargetTypeOptions CommonTypeOptions() {
  static const auto bundles = std::make_shared<clientgo::util::Interner>();
  return {.annotations = InjectAnnotations(),
          .annotation_bytes_max = kTargetAnnotationBytesMax,
          .bundles = bundles,
          .field_manager = std::string(kFieldManager)};
}

ResourceType AnnotationsType(const ResourceType& content_type,
                             std::vector<std::string> annotations) {
  return clientgo::api::MakeMetadataType({.gvr = content_type.gvr,
                                          .kind = content_type.kind,
                                          .namespaced = content_type.namespaced,
                                          .annotations = std::move(annotations),
                                          .annotation_bytes_max = kTargetAnnotationBytesMax});
}

std::optional<Failure> Target::Refusal(const Object& content) const {
  switch (Fields(content).exclusion) {
    case Injectable::Exclusion::kNone:
      return std::nullopt;
    case Injectable::Exclusion::kNoService:
      return Failure{.reason = Reason::kNothingToInjectInto,
                     .message =
                         "the API is served by kube-apiserver itself: there is no spec.service "
                         "whose certificate would be verified"};
    case Injectable::Exclusion::kTlsVerifyDisabled:
      return Failure{.reason = Reason::kTlsVerifyDisabled,
                     .message =
                         "spec.insecureSkipTLSVerify is true, which excludes a CA bundle; "
                         "remove one of it and the annotation"};
    case Injectable::Exclusion::kNoField:
      return Failure{.reason = Reason::kNothingToInjectInto, .message = options_.no_field};
    case Injectable::Exclusion::kTooManyPlaces:
      return Failure{.reason = Reason::kTooLarge,
                     .message = "the object has more than " +
                                std::to_string(api::Injectable::kPlacesMax) +
                                " places for a bundle, and etcd stores no object with a bundle in "
                                "each; " +
                                kTooLargeFix};
    case Injectable::Exclusion::kBadKey:
      return Failure{.reason = Reason::kBadAnnotation,
                     .message = std::string(kInjectCaKey) +
                                " is not a key that a ConfigMap can have: at most 253 letters, "
                                "digits, \"-\", \"_\" and \".\""};
    case Injectable::Exclusion::kNoConversionWebhook:
      break;
  }
  return Failure{.reason = Reason::kNothingToInjectInto,
                 .message =
                     "spec.conversion.strategy is not Webhook: there is no conversion "
                     "webhook whose certificate would be verified"};
}

std::vector<std::string> Target::Bundles(const Object& content) {
  std::vector<std::string> bundles;
  for (const auto& point : Fields(content).points) bundles.push_back(*point.ca_bundle);
  return bundles;
}

std::size_t Target::ByteSize(const Object& content) {
  std::size_t bytes = 0;
  for (const auto& point : Fields(content).points) {
    bytes += sizeof point + point.name.size() + point.ca_bundle->size();
  }
  return bytes;
}

TargetWrite Target::Write(const Object& content, const std::vector<std::string>& bundles,
                          ApplyTo to) const {
  const bool apply = !written_by_index();
  return {
      .type = options_.patch_type,
      .body = apply ? ApplyConfiguration(content, bundles, to) : JsonPatch(content, bundles, to),
      .options = {.field_manager = std::string(kFieldManager), .force = apply && options_.force}};
}

std::string Target::ApplyConfiguration(const Object& content,
                                       const std::vector<std::string>& bundles, ApplyTo to) const {
  JsonWriter writer;
  writer.StartObject();
  WriteField(writer, "apiVersion", content_type().gvr.ApiVersion());
  WriteField(writer, "kind", content_type().kind);
  writer.Key("metadata");
  writer.StartObject();
  WriteField(writer, "namespace", content.namespace_());
  WriteField(writer, "name", content.name());
  WriteField(writer, "uid", content.uid());
  if (to == ApplyTo::kThisVersion) {
    WriteField(writer, "resourceVersion", content.resource_version());
  }
  writer.EndObject();
  options_.write_bundles(writer, static_cast<const Injectable&>(content), bundles);
  writer.EndObject();
  return std::move(writer).Take();
}

// A "replace" of the version is a conflict (409) in any other version. A failed "test" is not: its
// 422 looks like a rejected object.
std::string Target::JsonPatch(const Object& content, const std::vector<std::string>& bundles,
                              ApplyTo to) const {
  const bool version = to == ApplyTo::kThisVersion;
  JsonWriter writer;
  writer.StartArray();
  writer.StartObject();
  WriteField(writer, "op", version ? "replace" : "test");
  WriteField(writer, "path", version ? "/metadata/resourceVersion" : "/metadata/uid");
  WriteField(writer, "value", version ? content.resource_version() : content.uid());
  writer.EndObject();
  options_.write_bundles(writer, static_cast<const Injectable&>(content), bundles);
  writer.EndArray();
  return std::move(writer).Take();
}

const Target& ValidatingWebhookTarget() {
  static const Target target(
      {.content_type = api::MakeValidatingWebhookConfigurationType(CommonTypeOptions()),
       .write_bundles = WriteWebhooks});
  return target;
}

const Target& MutatingWebhookTarget() {
  static const Target target(
      {.content_type = api::MakeMutatingWebhookConfigurationType(CommonTypeOptions()),
       .write_bundles = WriteWebhooks});
  return target;
}

const Target& ApiServiceTarget() {
  static const Target target({.content_type = api::MakeApiServiceType(CommonTypeOptions()),
                              .write_bundles = [](JsonWriter& writer, const Injectable&,
                                                  const std::vector<std::string>& bundles) {
                                WriteOnlyBundle(writer, {"spec"}, bundles);
                              }});
  return target;
}

const Target& CustomResourceDefinitionTarget() {
  static const Target target = [] {
    ResourceType type = api::MakeCustomResourceDefinitionType(CommonTypeOptions());
    ResourceType cached = AnnotationsType(type, InjectAnnotations());
    return Target(
        {.content_type = std::move(type),
         .cached_type = std::move(cached),
         .content_by_get = true,
         .write_bundles = [](JsonWriter& writer, const Injectable&,
                             const std::vector<std::string>& bundles) {
           WriteOnlyBundle(writer, {"spec", "conversion", "webhook", "clientConfig"}, bundles);
         }});
  }();
  return target;
}

}  // namespace capstan::controllers::cainjector
