// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/demo/objects.h"

#include <cstdio>
#include <memory>

#include "clientgo/api/gvr.h"
#include "clientgo/api/object_metadata.h"
#include "clientgo/util/base64.h"
#include "clientgo/util/interner.h"
#include "controllers/cainjector/api/objects.h"

namespace cmd::capstan::demo {

using clientgo::api::MakeMetadataType;
using clientgo::runtime::ObjectKey;
using clientgo::runtime::ResourceType;
using clientgo::util::Base64Encode;

namespace {

constexpr std::string_view kWebhookSuffix = ".capstan-demo.example.com";

// R"("name":"x","namespace":"ns","annotations":{...})"
std::string Metadata(const ObjectKey& key, const Annotation& annotation) {
  std::string text = R"("metadata":{"name":")" + key.name + '"';
  if (!key.namespace_.empty()) text += R"(,"namespace":")" + key.namespace_ + '"';
  if (!annotation.key.empty()) {
    text += R"(,"annotations":{")" + std::string(annotation.key) + R"(":")" + annotation.value;
    text += "\"}";
  }
  return text + "}";
}

std::string Data(std::string_view key, std::string_view text) {
  return R"("data":{")" + std::string(key) + R"(":")" + Base64Encode(text) + "\"}";
}

}  // namespace

const ResourceType& NamespaceType() {
  static const ResourceType type =
      MakeMetadataType({.gvr = {"", "v1", "namespaces"}, .kind = "Namespace"});
  return type;
}

const ResourceType& SecretType() {
  static const ResourceType type = MakeMetadataType(
      {.gvr = clientgo::api::SecretsResource(), .kind = "Secret", .namespaced = true});
  return type;
}

const ResourceType& CertificateType() {
  static const ResourceType type =
      MakeMetadataType({.gvr = {"cert-manager.io", "v1", "certificates"},
                        .kind = "Certificate",
                        .namespaced = true});
  return type;
}

const ResourceType& ConfigurationType(bool validating) {
  static const controllers::cainjector::api::TargetTypeOptions options{
      .bundles = std::make_shared<clientgo::util::Interner>()};
  static const ResourceType validating_type =
      controllers::cainjector::api::MakeValidatingWebhookConfigurationType(options);
  static const ResourceType mutating_type =
      controllers::cainjector::api::MakeMutatingWebhookConfigurationType(options);
  return validating ? validating_type : mutating_type;
}

std::string Numbered(std::string_view prefix, int number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%05d", number);
  return std::string(prefix) + digits;
}

std::string NamespaceJson(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Namespace",)" + Metadata({"", name}, {}) + "}";
}

std::string SecretJson(const ObjectKey& key, const Annotation& annotation,
                       std::string_view data_key, std::string_view text) {
  return R"({"apiVersion":"v1","kind":"Secret",)" + Metadata(key, annotation) + "," +
         Data(data_key, text) + "}";
}

std::string CertificateJson(const ObjectKey& key, const std::string& secret) {
  return R"({"apiVersion":"cert-manager.io/v1","kind":"Certificate",)" + Metadata(key, {}) +
         R"(,"spec":{"secretName":")" + secret +
         R"(","dnsNames":["capstan-demo.example.com"],)"
         R"("issuerRef":{"name":"capstan-demo-has-none"}}})";
}

std::string ConfigurationJson(const ConfigurationOptions& options) {
  std::string webhooks;
  for (int i = 0; i < options.webhooks; ++i) {
    if (i > 0) webhooks += ',';
    webhooks += R"({"name":"w)" + std::to_string(i) + std::string(kWebhookSuffix) +
                R"(","admissionReviewVersions":["v1"],"sideEffects":"None","rules":[],)" +
                R"("clientConfig":{"service":{"namespace":")" + options.service_namespace +
                R"(","name":"webhook"}}})";
  }
  return R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":")" +
         std::string(options.validating ? "Validating" : "Mutating") + R"(WebhookConfiguration",)" +
         Metadata({"", options.name}, options.annotation) + R"(,"webhooks":[)" + webhooks + "]}";
}

std::string CaPatch(std::string_view pem) { return "{" + Data("ca.crt", pem) + "}"; }

std::string AnnotationPatch(const Annotation& annotation) {
  return R"({"metadata":{"annotations":{")" + std::string(annotation.key) + R"(":")" +
         annotation.value + R"("}}})";
}

}  // namespace cmd::capstan::demo
