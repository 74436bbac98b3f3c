// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/first_objects.h"

#include <cstdint>
#include <string_view>

#include "clientgo/testing/apiserver/types/json.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {
namespace {

constexpr const char* kAddress = "192.0.2.1";
constexpr const char* kClusterIp = "10.0.0.1";
constexpr int kPort = 6443;

Json MetadataWith(const Json& labels) {
  return {{"name", "kubernetes"}, {"namespace", "default"}, {"labels", labels}};
}

Json ApiServerService() {
  const Json port = {{"name", "https"}, {"protocol", "TCP"}, {"port", 443}, {"targetPort", kPort}};
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata", MetadataWith({{"component", "apiserver"}, {"provider", "kubernetes"}})},
          {"spec",
           {{"clusterIP", kClusterIp},
            {"clusterIPs", Json::List({kClusterIp})},
            {"type", "ClusterIP"},
            {"ipFamilies", Json::List({"IPv4"})},
            {"ipFamilyPolicy", "SingleStack"},
            {"ports", Json::List({port})}}}};
}

Json ApiServerEndpoints() {
  const Json address = {{"ip", kAddress}};
  const Json port = {{"name", "https"}, {"port", kPort}, {"protocol", "TCP"}};
  const Json subset = {{"addresses", Json::List({address})}, {"ports", Json::List({port})}};
  return {{"apiVersion", "v1"},
          {"kind", "Endpoints"},
          {"metadata", MetadataWith({{"endpointslice.kubernetes.io/skip-mirror", "true"}})},
          {"subsets", Json::List({subset})}};
}

Json ApiServerSlice() {
  const Json endpoint = {{"addresses", Json::List({kAddress})}, {"conditions", {{"ready", true}}}};
  const Json port = {{"name", "https"}, {"port", kPort}, {"protocol", "TCP"}};
  return {{"apiVersion", "discovery.k8s.io/v1"},
          {"kind", "EndpointSlice"},
          {"metadata", MetadataWith({{"kubernetes.io/service-name", "kubernetes"}})},
          {"addressType", "IPv4"},
          {"endpoints", Json::List({endpoint})},
          {"ports", Json::List({port})}};
}

Json SystemClass(const char* name, std::int64_t value, const char* description) {
  return {{"apiVersion", "scheduling.k8s.io/v1"},
          {"kind", "PriorityClass"},
          {"metadata", {{"name", name}}},
          {"value", value},
          {"description", description}};
}

// The range of the addresses that Services get.
Json ServiceRange() {
  const Json ready = {{"type", "Ready"},
                      {"status", "True"},
                      {"reason", ""},
                      {"message", "Kubernetes default Service CIDR is ready"},
                      {"lastTransitionTime", NowText()}};
  return {{"apiVersion", "networking.k8s.io/v1"},
          {"kind", "ServiceCIDR"},
          {"metadata", {{"name", "kubernetes"}}},
          {"spec", {{"cidrs", Json::List({"10.0.0.0/16"})}}},
          {"status", {{"conditions", Json::List({ready})}}}};
}

bool IsServed(std::string_view api_version, std::string_view kind) {
  return FindKind(api_version, kind) != nullptr;
}

}  // namespace

std::vector<std::string> FirstObjects() {
  std::vector<std::string> objects = {ApiServerService().text()};
  if (IsServed("v1", "Endpoints")) objects.push_back(ApiServerEndpoints().text());
  if (IsServed("discovery.k8s.io/v1", "EndpointSlice")) objects.push_back(ApiServerSlice().text());
  if (IsServed("networking.k8s.io/v1", "ServiceCIDR")) objects.push_back(ServiceRange().text());
  if (!IsServed("scheduling.k8s.io/v1", "PriorityClass")) return objects;
  objects.push_back(SystemClass("system-cluster-critical", 2'000'000'000,
                                "Used for system critical pods that must run in the cluster, but "
                                "can be moved to another node if necessary.")
                        .text());
  objects.push_back(SystemClass("system-node-critical", 2'000'001'000,
                                "Used for system critical pods that must not be moved from their "
                                "current node.")
                        .text());
  return objects;
}

}  // namespace capstan::testing::apiserver
