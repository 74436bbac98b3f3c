// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/scope.h"

#include <utility>

#include "capstan/base64.h"
#include "capstan/runtime/json_writer.h"

namespace capstan::testing {
namespace {

constexpr char kAdmission[] = "admissionregistration.k8s.io";

Client<Unstructured> WebhookConfigurations(rest::Client& client, const std::string& kind,
                                           const std::string& plural) {
  return {client, Unstructured::TypeFor({kAdmission, "v1", plural}, kind, /*namespaced=*/false)};
}

void WriteStrings(runtime::JsonWriter& writer, std::string_view key,
                  const std::vector<std::string>& texts) {
  writer.Key(key);
  writer.StartArray();
  for (const std::string& text : texts) writer.String(text);
  writer.EndArray();
}

void WriteString(runtime::JsonWriter& writer, std::string_view key, std::string_view text) {
  writer.Key(key);
  writer.String(text);
}

// Every namespace has the label kubernetes.io/metadata.name.
void WriteNamespaceSelector(runtime::JsonWriter& writer,
                            const std::vector<std::string>& namespaces) {
  writer.Key("namespaceSelector");
  writer.StartObject();
  if (!namespaces.empty()) {
    writer.Key("matchExpressions");
    writer.StartArray();
    writer.StartObject();
    WriteString(writer, "key", "kubernetes.io/metadata.name");
    WriteString(writer, "operator", "In");
    WriteStrings(writer, "values", namespaces);
    writer.EndObject();
    writer.EndArray();
  }
  writer.EndObject();
}

// Returns the list `webhooks` of a configuration.
std::string WebhooksJson(const runtime::ResourceType& type, const LocalWebhook& webhook,
                         const std::vector<std::string>& namespaces) {
  runtime::JsonWriter writer;
  writer.StartArray();
  writer.StartObject();
  // At least three labels, also for the core group.
  WriteString(writer, "name", type.gvr.resource + ".webhook.capstan.dev");
  WriteString(writer, "sideEffects", "None");
  WriteStrings(writer, "admissionReviewVersions", {"v1"});
  writer.Key("clientConfig");
  writer.StartObject();
  WriteString(writer, "url", webhook.url);
  WriteString(writer, "caBundle", Base64Encode(webhook.ca_pem));
  writer.EndObject();
  WriteNamespaceSelector(writer, namespaces);
  writer.Key("rules");
  writer.StartArray();
  writer.StartObject();
  WriteStrings(writer, "apiGroups", {type.gvr.group});
  WriteStrings(writer, "apiVersions", {type.gvr.version});
  WriteStrings(writer, "resources", {type.gvr.resource});
  WriteStrings(writer, "operations", webhook.operations);
  writer.EndObject();
  writer.EndArray();
  writer.EndObject();
  writer.EndArray();
  return std::move(writer).Take();
}

}  // namespace

Scope::Scope(rest::Client& client, std::string prefix, const std::vector<std::string>& definitions)
    : prefix_(std::move(prefix)),
      mutating_webhooks_(WebhookConfigurations(client, "MutatingWebhookConfiguration",
                                               "mutatingwebhookconfigurations")),
      validating_webhooks_(WebhookConfigurations(client, "ValidatingWebhookConfiguration",
                                                 "validatingwebhookconfigurations")),
      definitions_(
          client, Unstructured::TypeFor({"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                                        "CustomResourceDefinition", false)),
      namespaces_(client, Unstructured::TypeFor({"", "v1", "namespaces"}, "Namespace", false)) {
  for (const std::string& text : definitions) {
    const Unstructured definition = Value(Unstructured::FromJson(text), "a definition");
    created_definitions_.push_back(Create(definitions_, definition).metadata.name);
  }
}

Scope::~Scope() {
  // First, because nobody may serve them any more.
  for (const auto& [configurations, name] : created_webhooks_) {
    (void)configurations->Delete({}, {.namespace_ = "", .name = name});
  }
  for (const std::string& name : created_namespaces_) {
    (void)namespaces_.Delete({}, {.namespace_ = "", .name = name});
  }
  for (const std::string& name : created_definitions_) {
    (void)definitions_.Delete({}, {.namespace_ = "", .name = name});
  }
}

std::string Scope::NewNamespace(const std::map<std::string, std::string>& labels) {
  Unstructured wanted("v1", "Namespace");
  wanted.metadata.generate_name = prefix_ + "-";
  wanted.metadata.labels = labels;
  auto created = Value(namespaces_.Create({}, wanted), "failed to create a Namespace");
  created_namespaces_.push_back(created->metadata.name);
  return created_namespaces_.back();
}

void Scope::InstallMutatingWebhook(const runtime::ResourceType& type, const LocalWebhook& webhook) {
  InstallWebhook(mutating_webhooks_, type, webhook);
}

void Scope::InstallValidatingWebhook(const runtime::ResourceType& type,
                                     const LocalWebhook& webhook) {
  InstallWebhook(validating_webhooks_, type, webhook);
}

void Scope::InstallWebhook(const Client<Unstructured>& configurations,
                           const runtime::ResourceType& type, const LocalWebhook& webhook) {
  const std::string& kind = configurations.type().kind;
  Unstructured wanted(std::string(kAdmission) + "/v1", kind);
  wanted.metadata.generate_name = prefix_ + "-";
  Value(wanted.Set({"webhooks"}, RawJson{WebhooksJson(type, webhook, created_namespaces_)}),
        "the webhook of a " + kind);
  const auto created = Value(configurations.Create({}, wanted), "failed to create a " + kind);
  created_webhooks_.emplace_back(&configurations, created->metadata.name);
}

}  // namespace capstan::testing
