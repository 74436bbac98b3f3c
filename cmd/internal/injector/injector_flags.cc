// SPDX-License-Identifier: Apache-2.0
#include "cmd/internal/injector/injector_flags.h"

#include "clientgo/util/text.h"
#include "cmd/internal/flags/value.h"

namespace cmd::injector {
namespace {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using controllers::cainjector::CaInjectorOptions;
using controllers::cainjector::SecretCaching;
using flags::InvalidArgument;

// Reports whether the name is an RFC 1123 label, as the API server requires.
bool IsNamespaceName(std::string_view name) {
  return name.size() <= 63 && name.find('.') == std::string_view::npos &&
         clientgo::util::IsDnsSubdomain(name);
}

Expected<void> CheckNamespaces(const CaInjectorOptions& options) {
  for (const std::string& name : options.namespaces) {
    if (auto ok = CheckNamespace("namespace", name); !ok) return ok;
  }
  for (const std::string& name : options.ignore_namespaces) {
    if (auto ok = CheckNamespace("ignore-namespaces", name); !ok) return ok;
  }
  if (options.namespaces.empty() || options.ignore_namespaces.empty()) return {};
  return Err(ErrorReason::kInvalidArgument,
             "--namespace and --ignore-namespaces exclude each other; --namespace already excludes "
             "every namespace that it does not name");
}

SecretCaching SecretCachingFrom(const featuregate::FeatureGate& gates) {
  if (gates.Enabled("ReferencedSecretsOnly")) return SecretCaching::kReferenced;
  return gates.Enabled("SecretsFilteredCaching") ? SecretCaching::kLabelled : SecretCaching::kAll;
}

}  // namespace

void AddFeatures(featuregate::FeatureGate& gates) {
  using featuregate::Stage;
  gates.Add({
      {"WatchListClient", {.default_value = true, .stage = Stage::kBeta}},
      {"InformerResourceVersion",
       {.default_value = true, .stage = Stage::kGa, .lock_to_default = true}},
      {"ConfigMapSource", {.default_value = true, .stage = Stage::kBeta}},
      // A gate of cert-manager's controller.
      {"SecretsFilteredCaching", {.default_value = false, .stage = Stage::kBeta}},
      {"ReferencedSecretsOnly", {.default_value = false, .stage = Stage::kAlpha}},
      {"CAInjectorMerging", {.default_value = true, .stage = Stage::kGa}},
      // No effect: all writes are server-side applies. Accepted for the arguments of cainjector.
      {"ServerSideApply", {.default_value = false, .stage = Stage::kDeprecated}},
  });
}

Expected<CaInjectorOptions> OptionsOf(const Flags& flags, const featuregate::FeatureGate& gates) {
  CaInjectorOptions options{
      .namespaces = flags::SplitList(flags.namespaces),
      .ignore_namespaces = flags::SplitList(flags.ignore_namespaces),
      .secret_caching = SecretCachingFrom(gates),
      .certificates = flags.certificates_data_source,
      .config_maps = gates.Enabled("ConfigMapSource"),
      .kinds = flags.kinds,
      .merge_bundles = gates.Enabled("CAInjectorMerging"),
  };
  if (auto ok = CheckNamespaces(options); !ok) return Err(ok.error());
  return options;
}

Expected<void> CheckNamespace(std::string_view flag, std::string_view name) {
  if (IsNamespaceName(name)) return {};
  return InvalidArgument(name, flag, "not the name of a namespace");
}

}  // namespace cmd::injector
