// SPDX-License-Identifier: Apache-2.0
#include "cmd/injector/options.h"

#include <gflags/gflags.h>

#include <algorithm>
#include <utility>

#include "capstan/text.h"
#include "cmd/injector/additional_targets.h"

DEFINE_string(namespace, "",
              "Comma-separated list of namespaces. If set, only sources in these namespaces are "
              "watched and used. A target that refers to another namespace gets an Event. Targets "
              "of a kind with namespaces are watched only in these, too.");
DEFINE_string(
    ignore_namespaces, "",
    "Comma-separated list of namespaces whose sources and targets are not used. Cannot be "
    "combined with --namespace.");
DEFINE_string(
    shared_source_namespaces, "",
    "Comma-separated list of namespaces whose Secrets, Certificates and ConfigMaps may be sources "
    "of targets in every namespace. \"*\": all. A source elsewhere needs the annotation "
    "capstan.dev/allow-injection-into. Targets without a namespace need neither.");
DEFINE_bool(enable_certificates_data_source, true,
            "Use Certificates of cert-manager.io as sources (cert-manager.io/inject-ca-from).");
DEFINE_bool(enable_validatingwebhookconfigurations_injectable, true,
            "Inject into annotated ValidatingWebhookConfigurations. false: do not watch them.");
DEFINE_bool(enable_mutatingwebhookconfigurations_injectable, true,
            "Inject into annotated MutatingWebhookConfigurations. false: do not watch them.");
DEFINE_bool(enable_customresourcedefinitions_injectable, true,
            "Inject into annotated CustomResourceDefinitions with a conversion webhook. false: "
            "do not watch them.");
DEFINE_bool(enable_apiservices_injectable, true,
            "Inject into annotated APIServices. false: do not watch them.");
DEFINE_bool(enable_configmaps_injectable, false,
            "Inject into annotated ConfigMaps with the label inject.capstan.dev/enabled=true. "
            "false: do not watch them.");
DEFINE_bool(enable_clustertrustbundles_injectable, false,
            "Inject into annotated ClusterTrustBundles (certificates.k8s.io v1 or v1beta1). false: "
            "do not watch them.");
DEFINE_string(additional_targets, "",
              "Further kinds to inject into, as a JSON list of {group, version, kind, resource, "
              "namespaced, fields, encoding}. fields are paths such as spec.acme.caBundle or "
              "spec.providers[*].caBundle. encoding is base64 (default) or pem.");

DEFINE_string(distrust, "",
              "Comma-separated SHA-256 fingerprints of CA certificates that leave every annotated "
              "target at once and are never injected, as printed by openssl x509 -noout "
              "-fingerprint -sha256.");
DEFINE_string(
    system_ca_file, "/etc/ssl/certs/ca-certificates.crt",
    "File with the public CAs of the source \"system\" (capstan.dev/inject-ca-from). It is "
    "read when a target uses that source, and again after a change.");

namespace capstan::cmd::injector {
namespace {

Expected<void> CheckNamespaces(const cainjector::CaInjectorOptions& options) {
  for (const std::string& name : options.namespaces) {
    if (auto ok = CheckNamespace("namespace", name); !ok) return ok;
  }
  for (const std::string& name : options.ignore_namespaces) {
    if (auto ok = CheckNamespace("ignore-namespaces", name); !ok) return ok;
  }
  for (const std::string& name : options.shared_source_namespaces) {
    if (name == "*") continue;
    if (auto ok = CheckNamespace("shared-source-namespaces", name); !ok) return ok;
  }
  if (options.namespaces.empty() || options.ignore_namespaces.empty()) return {};
  return Err(ErrorReason::kInvalidArgument,
             "--namespace and --ignore-namespaces exclude each other; --namespace already excludes "
             "every namespace that it does not name");
}

// Returns the items of a comma-separated list, each once.
std::vector<std::string> SetOf(const std::string& text) {
  std::vector<std::string> items;
  for (std::string& item : flags::SplitList(text)) {
    if (std::find(items.begin(), items.end(), item) == items.end())
      items.push_back(std::move(item));
  }
  return items;
}

cainjector::SecretCaching SecretCachingFrom(const featuregate::FeatureGate& gates) {
  if (gates.Enabled("ReferencedSecretsOnly")) return cainjector::SecretCaching::kReferenced;
  return gates.Enabled("SecretsFilteredCaching") ? cainjector::SecretCaching::kLabelled
                                                 : cainjector::SecretCaching::kAll;
}

}  // namespace

void AddFeatures(featuregate::FeatureGate& gates) {
  gates.Add({
      {"WatchListClient", {.default_value = true, .stage = featuregate::Stage::kBeta}},
      {"InformerResourceVersion",
       {.default_value = true, .stage = featuregate::Stage::kGa, .lock_to_default = true}},
      {"ConfigMapSource", {.default_value = true, .stage = featuregate::Stage::kBeta}},
      {"ClusterTrustBundleSource", {.default_value = false, .stage = featuregate::Stage::kAlpha}},
      // A gate of cert-manager's controller.
      {"SecretsFilteredCaching", {.default_value = false, .stage = featuregate::Stage::kBeta}},
      {"ReferencedSecretsOnly", {.default_value = false, .stage = featuregate::Stage::kAlpha}},
      {"CAInjectorMerging", {.default_value = true, .stage = featuregate::Stage::kGa}},
      // No effect: all writes are server-side applies. Accepted for the arguments of cainjector.
      {"ServerSideApply", {.default_value = false, .stage = featuregate::Stage::kDeprecated}},
  });
}

std::vector<flags::Flag> NamespaceFlags() {
  return {{.name = "namespace", .type_name = "strings"},
          {.name = "ignore-namespaces", .type = flags::Type::kStrings},
          {.name = "shared-source-namespaces", .type = flags::Type::kStrings}};
}

std::vector<flags::Flag> EnableFlags() {
  return {{.name = "enable-certificates-data-source", .type = flags::Type::kBool},
          {.name = "enable-validatingwebhookconfigurations-injectable", .type = flags::Type::kBool},
          {.name = "enable-mutatingwebhookconfigurations-injectable", .type = flags::Type::kBool},
          {.name = "enable-customresourcedefinitions-injectable", .type = flags::Type::kBool},
          {.name = "enable-apiservices-injectable", .type = flags::Type::kBool},
          {.name = "enable-configmaps-injectable", .type = flags::Type::kBool},
          {.name = "enable-clustertrustbundles-injectable", .type = flags::Type::kBool},
          {.name = "additional-targets", .type = flags::Type::kJson},
          {.name = "distrust", .type = flags::Type::kStrings}};
}

flags::Flag SystemCaFlag() { return {.name = "system-ca-file", .type = flags::Type::kPath}; }

Expected<cainjector::CaInjectorOptions> ReadOptions(const featuregate::FeatureGate& gates) {
  cainjector::CaInjectorOptions options{
      .namespaces = SetOf(FLAGS_namespace),
      .ignore_namespaces = SetOf(FLAGS_ignore_namespaces),
      .shared_source_namespaces = SetOf(FLAGS_shared_source_namespaces),
      .secret_caching = SecretCachingFrom(gates),
      .certificates = FLAGS_enable_certificates_data_source,
      .config_maps = gates.Enabled("ConfigMapSource"),
      .cluster_trust_bundles = gates.Enabled("ClusterTrustBundleSource"),
      .system_ca_file = FLAGS_system_ca_file,
      .kinds = {.validating_webhook_configurations =
                    FLAGS_enable_validatingwebhookconfigurations_injectable,
                .mutating_webhook_configurations =
                    FLAGS_enable_mutatingwebhookconfigurations_injectable,
                .custom_resource_definitions = FLAGS_enable_customresourcedefinitions_injectable,
                .api_services = FLAGS_enable_apiservices_injectable,
                .config_maps = FLAGS_enable_configmaps_injectable,
                .cluster_trust_bundles = FLAGS_enable_clustertrustbundles_injectable},
      .merge_bundles = gates.Enabled("CAInjectorMerging"),
  };
  if (auto ok = CheckNamespaces(options); !ok) return Err(ok.error());
  auto additional = ParseAdditionalTargets(FLAGS_additional_targets);
  if (!additional) return Err(std::move(additional.error()));
  options.kinds.additional = *std::move(additional);
  auto distrust = cainjector::Distrust::Parse(flags::SplitList(FLAGS_distrust));
  if (!distrust) return Err(distrust.error().Wrap("--distrust"));
  options.distrust = *std::move(distrust);
  return options;
}

Expected<void> CheckNamespace(std::string_view flag, std::string_view name) {
  // An RFC 1123 label, as the API server requires.
  const bool is_label =
      name.size() <= 63 && name.find('.') == std::string_view::npos && IsDnsSubdomain(name);
  if (is_label) return {};
  return flags::InvalidArgument(name, flag, "not the name of a namespace");
}

}  // namespace capstan::cmd::injector
