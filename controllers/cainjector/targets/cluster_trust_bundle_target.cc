// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/cluster_trust_bundle_target.h"

#include <vector>

#include "capstan/discovery/discovery_client.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"

namespace capstan::cainjector {
namespace {

TargetOptions TrustBundleOptions(const std::string& version) {
  return {.content_type = MakeInjectableType(
              {.gvr = {"certificates.k8s.io", version, "clustertrustbundles"},
               .kind = "ClusterTrustBundle",
               .paths = {{"spec", "trustBundle"}},
               .decode = [](const runtime::JsonValue& object,
                            Interner& bundles) -> Expected<Injectable::Fields> {
                 const runtime::JsonValue* spec = runtime::Find(object, "spec");
                 const std::string_view text =
                     spec == nullptr ? "" : runtime::GetString(*spec, "trustBundle");
                 return Injectable::Fields{
                     .points = {{.name = "/spec/trustBundle", .ca_bundle = bundles.Intern(text)}}};
               }},
              CommonTypeOptions()),
          .write_bundles =
              [](runtime::JsonWriter& writer, const Injectable&,
                 const std::vector<std::string>& bundles) {
                writer.Key("spec");
                writer.StartObject();
                runtime::WriteField(writer, "trustBundle", bundles.front());
                writer.EndObject();
              },
          .only_certificates = true,
          .optional = true,
          .rights =
              "patch on clustertrustbundles, and for a bundle with spec.signerName attest on "
              "that signer (certificates.k8s.io signers)"};
}

}  // namespace

const Target& ClusterTrustBundleTarget(std::string_view version) {
  static const Target v1(TrustBundleOptions("v1"));
  static const Target v1beta1(TrustBundleOptions("v1beta1"));
  return version == "v1beta1" ? v1beta1 : v1;
}

Expected<std::string> FindClusterTrustBundleVersion(const rest::CallOptions& call,
                                                    rest::Client& client) {
  const discovery::DiscoveryClient discovery(client);
  for (const std::string version : {"v1", "v1beta1"}) {
    const auto served =
        discovery.ServerResourcesForGroupVersion(call, "certificates.k8s.io/" + version);
    if (!served && !IsNotFound(served.error())) return tl::unexpected(served.error());
    if (!served) continue;
    for (const auto& resource : served->resources) {
      if (resource.name == "clustertrustbundles") return version;
    }
  }
  return std::string("v1");
}

}  // namespace capstan::cainjector
