// SPDX-License-Identifier: Apache-2.0
#include "fuzz/decode_fuzzer_types.h"

#include <memory>
#include <optional>
#include <string_view>

#include "capstan/api/event.h"
#include "capstan/api/gvr.h"
#include "capstan/api/lease.h"
#include "capstan/api/object_metadata.h"
#include "capstan/interner.h"
#include "capstan/typed_object.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/api/trust_bundle.h"
#include "controllers/readinessgate/gates/objects.h"

namespace fuzz {
namespace {

using capstan::TypedObject;
using capstan::TypeOf;
using capstan::api::Event;
using capstan::api::Lease;
using capstan::api::ObjectMetadata;
using capstan::cainjector::ClusterTrustBundle;
using capstan::cainjector::Injectable;
using capstan::cainjector::SourceData;
using capstan::readinessgate::Node;
using capstan::readinessgate::Pod;
using capstan::runtime::JsonValue;
using capstan::runtime::Object;
using capstan::runtime::ResourceType;

constexpr const char* kLabel = "app";
constexpr const char* kAnnotation = "cert-manager.io/allow-direct-injection";

std::string Quoted(std::optional<std::string_view> text) {
  return text ? " '" + std::string(*text) + "'" : " -";
}

std::string Fields(const SourceData& secret) {
  return Quoted(secret.data()) + Quoted(secret.Annotation(kAnnotation));
}
std::string Fields(const ObjectMetadata& object) { return Quoted(object.Annotation(kAnnotation)); }
std::string Fields(const Lease& lease) { return Quoted(capstan::ToJson(lease)); }
std::string Fields(const Event& event) { return Quoted(capstan::ToJson(event)); }
std::string Fields(const capstan::readinessgate::Conditions& conditions) {
  std::string text;
  for (const auto& condition : conditions)
    text += Quoted(condition.type) + Quoted(condition.status);
  return text;
}
std::string Fields(const Node& node) { return Fields(node.conditions()); }
std::string Fields(const Pod& pod) {
  std::string text = Quoted(pod.Annotation(kAnnotation)) + Quoted(pod.Label(kLabel)) +
                     Quoted(pod.node_name()) + Quoted(pod.phase()) + Fields(pod.conditions());
  for (const std::string& ip : pod.pod_ips()) text += Quoted(ip);
  text += pod.deleting() ? " deleting" : "";
  text += pod.mirror() ? " mirror" : "";
  return text + (pod.UsesCsiDriver("csi.cert-manager.io") ? " csi" : "");
}
std::string Fields(const Injectable& configuration) {
  std::string text = Quoted(configuration.Annotation(kAnnotation));
  text += configuration.fields().deleting ? " deleting" : "";
  for (const auto& webhook : configuration.fields().points) {
    text += Quoted(webhook.name) + Quoted(*webhook.ca_bundle);
  }
  return text;
}

std::string Fields(const ClusterTrustBundle& bundle) {
  std::string text = Quoted(bundle.signer_name()) + Quoted(bundle.trust_bundle());
  for (const auto& [name, value] : bundle.labels()) text += Quoted(name) + Quoted(value);
  return text;
}

}  // namespace

const std::vector<const ResourceType*>& Types() {
  static const auto interner = std::make_shared<capstan::Interner>();
  static const ResourceType secret =
      capstan::cainjector::MakeSecretType({.data_key = "ca.crt", .annotations = {kAnnotation}});
  static const ResourceType metadata =
      capstan::api::MakeMetadataType({.gvr = capstan::api::SecretsResource(),
                                      .kind = "Secret",
                                      .namespaced = true,
                                      .annotations = {kAnnotation}});
  static const ResourceType validating =
      capstan::cainjector::MakeValidatingWebhookConfigurationType(
          {.annotations = {kAnnotation}, .bundles = interner});
  static const ResourceType mutating = capstan::cainjector::MakeMutatingWebhookConfigurationType(
      {.annotations = {kAnnotation}, .bundles = interner});
  static const ResourceType pod =
      capstan::readinessgate::MakePodType({.annotations = {kAnnotation}, .labels = {kLabel}});
  static const std::vector<const ResourceType*> types = {&secret,
                                                         &metadata,
                                                         &validating,
                                                         &mutating,
                                                         &TypeOf<Lease>(),
                                                         &TypeOf<Event>(),
                                                         &Node::Type(),
                                                         &pod,
                                                         &ClusterTrustBundle::TypeV1()};
  return types;
}

std::string Describe(const ResourceType& type, const Object& object) {
  std::string text = std::string(object.key()) + Quoted(object.namespace_()) +
                     Quoted(object.name()) + Quoted(object.uid()) +
                     Quoted(object.resource_version());
  if (type.metadata_only) return text + Fields(dynamic_cast<const ObjectMetadata&>(object));
  if (type.kind == "Secret") return text + Fields(dynamic_cast<const SourceData&>(object));
  if (type.kind == "Lease") {
    return text + Fields(dynamic_cast<const TypedObject<Lease>&>(object));
  }
  if (type.kind == "Event") return text + Fields(dynamic_cast<const TypedObject<Event>&>(object));
  if (type.kind == "Node") return text + Fields(dynamic_cast<const Node&>(object));
  if (type.kind == "ClusterTrustBundle") {
    return text + Fields(dynamic_cast<const ClusterTrustBundle&>(object));
  }
  if (type.kind == "Pod") return text + Fields(dynamic_cast<const Pod&>(object));
  return text + Fields(dynamic_cast<const Injectable&>(object));
}

bool HasPlainFields(const JsonValue& object) {
  const JsonValue* webhooks = capstan::runtime::Find(object, "webhooks");
  if (webhooks == nullptr) return true;
  if (!webhooks->IsArray()) return false;
  for (const JsonValue& webhook : webhooks->GetArray()) {
    if (!webhook.IsObject()) return false;
  }
  return true;
}

}  // namespace fuzz
