// SPDX-License-Identifier: Apache-2.0
#include "cmd/injector/options.h"

#include <algorithm>
#include <utility>

#include "capstan/text.h"
#include "cmd/injector/additional_targets.h"

namespace capstan::cmd::injector {
namespace {

using flags::Bind;
using flags::CustomVariable;
using flags::Type;

// Binds a list of namespaces, each once. "*" is one of them if `all` is true.
CustomVariable Namespaces(std::vector<std::string>& names, bool all = false) {
  const auto set = [&names, all](const std::string& flag,
                                 const std::string& text) -> Expected<void> {
    names.clear();
    for (std::string& item : flags::SplitList(text)) {
      if (!(all && item == "*")) {
        if (auto ok = CheckNamespace(flag, item); !ok) return ok;
      }
      if (std::find(names.begin(), names.end(), item) == names.end()) {
        names.push_back(std::move(item));
      }
    }
    return {};
  };
  return {.type = Type::kStrings, .set = set};
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

std::vector<flags::Flag> NamespaceFlags(cainjector::CaInjectorOptions& options) {
  CustomVariable only = Namespaces(options.namespaces);
  only.type = Type::kString;  // the last use wins, and files have a string, as upstream
  return {{.name = "namespace",
           .type_name = "strings",
           .usage = "Comma-separated list of namespaces. If set, only sources in these namespaces "
                    "are watched and used. A target that refers to another namespace gets an "
                    "Event. Targets of a kind with namespaces are watched only in these, too.",
           .variable = std::move(only)},
          Bind("ignore-namespaces", Namespaces(options.ignore_namespaces),
               "Comma-separated list of namespaces whose sources and targets are not used. "
               "Cannot be combined with --namespace."),
          Bind("shared-source-namespaces", Namespaces(options.shared_source_namespaces, true),
               "Comma-separated list of namespaces whose Secrets, Certificates and ConfigMaps "
               "may be sources of targets in every namespace. \"*\": all. A source elsewhere "
               "needs the annotation capstan.dev/allow-injection-into. Targets without a "
               "namespace need neither.")};
}

std::vector<flags::Flag> EnableFlags(cainjector::CaInjectorOptions& options) {
  cainjector::InjectableKinds& kinds = options.kinds;
  return {Bind("enable-certificates-data-source", &options.certificates,
               "Use Certificates of cert-manager.io as sources (cert-manager.io/inject-ca-from)."),
          Bind("enable-validatingwebhookconfigurations-injectable",
               &kinds.validating_webhook_configurations,
               "Inject into annotated ValidatingWebhookConfigurations. false: do not watch them."),
          Bind("enable-mutatingwebhookconfigurations-injectable",
               &kinds.mutating_webhook_configurations,
               "Inject into annotated MutatingWebhookConfigurations. false: do not watch them."),
          Bind("enable-customresourcedefinitions-injectable", &kinds.custom_resource_definitions,
               "Inject into annotated CustomResourceDefinitions with a conversion webhook. "
               "false: do not watch them."),
          Bind("enable-apiservices-injectable", &kinds.api_services,
               "Inject into annotated APIServices. false: do not watch them."),
          Bind("enable-configmaps-injectable", &kinds.config_maps,
               "Inject into annotated ConfigMaps with the label "
               "inject.capstan.dev/enabled=true. false: do not watch them."),
          Bind("enable-clustertrustbundles-injectable", &kinds.cluster_trust_bundles,
               "Inject into annotated ClusterTrustBundles (certificates.k8s.io v1 or v1beta1). "
               "false: do not watch them."),
          AdditionalTargetsFlag(options),
          Bind("distrust",
               flags::Parsed(&options.distrust, "",
                             [](const std::string& text) {
                               return cainjector::Distrust::Parse(flags::SplitList(text));
                             }),
               "Comma-separated SHA-256 fingerprints of CA certificates that leave every "
               "annotated target at once and are never injected, as printed by openssl x509 "
               "-noout -fingerprint -sha256.",
               Type::kStrings)};
}

flags::Flag AdditionalTargetsFlag(cainjector::CaInjectorOptions& options) {
  const auto set = [&kinds = options.kinds](const std::string& /*flag*/,
                                            const std::string& text) -> Expected<void> {
    auto targets = ParseAdditionalTargets(text);
    if (!targets) return Err(std::move(targets.error()));
    kinds.additional = *std::move(targets);
    return {};
  };
  return Bind("additional-targets", CustomVariable{.type = Type::kJson, .set = set},
              "Further kinds to inject into, as a JSON list of {group, version, kind, resource, "
              "namespaced, fields, encoding}. fields are paths such as spec.acme.caBundle or "
              "spec.providers[*].caBundle. encoding is base64 (default) or pem.");
}

flags::Flag SystemCaFlag(cainjector::CaInjectorOptions& options) {
  return Bind(
      "system-ca-file", &options.system_ca_file,
      "File with the public CAs of the source \"system\" (capstan.dev/inject-ca-from). It is read "
      "when a target uses that source, and again after a change.",
      Type::kPath);
}

Expected<void> Finish(const featuregate::FeatureGate& gates,
                      cainjector::CaInjectorOptions& options) {
  options.secret_caching = SecretCachingFrom(gates);
  options.config_maps = gates.Enabled("ConfigMapSource");
  options.cluster_trust_bundles = gates.Enabled("ClusterTrustBundleSource");
  options.merge_bundles = gates.Enabled("CAInjectorMerging");
  if (options.namespaces.empty() || options.ignore_namespaces.empty()) return {};
  return Err(ErrorReason::kInvalidArgument,
             "--namespace and --ignore-namespaces exclude each other; --namespace already excludes "
             "every namespace that it does not name");
}

Expected<void> CheckNamespace(std::string_view flag, std::string_view name) {
  // An RFC 1123 label, as the API server requires.
  const bool is_label =
      name.size() <= 63 && name.find('.') == std::string_view::npos && IsDnsSubdomain(name);
  if (is_label) return {};
  return flags::InvalidArgument(name, flag, "not the name of a namespace");
}

}  // namespace capstan::cmd::injector
