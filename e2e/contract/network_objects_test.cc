// SPDX-License-Identifier: Apache-2.0
// Tests of what a server rejects, changes and warns of in new objects:
// addresses, ports and names in the kinds about networks.
#include "e2e/contract/object_cases.h"

namespace capstan::testing::apiserver::contract {
namespace {

using NetworkObjectsTest = ObjectCases;

TEST_F(NetworkObjectsTest, Services) {
  Expect(
      "v1", "services",
      {
          {R"("spec":{"type":"LoadBalancer","ports":[{"port":80}],)"
           R"("loadBalancerSourceRanges":["x"," 10.0.0.0/8 "]})",
           R"(Invalid spec.LoadBalancerSourceRanges[0]: Invalid value: "x": must be a valid )"
           "CIDR value,"},
          {R"("metadata":{"annotations":{"service.beta.kubernetes.io/load-balancer-source-range)"
           R"(s":"10.0.0.0/8,y"}},"spec":{"ports":[{"port":80}]})",
           "Forbidden metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ra"
           "nges]: Forbidden: may only be used when `type` is 'LoadBalancer'\n"
           "Invalid metadata.annotations[service.beta.kubernetes.io/load-balancer-source-rang"
           R"(es]: Invalid value: "y": must be a valid CIDR value,)"},
          {R"("metadata":{"annotations":{"service.kubernetes.io/topology-mode":"a",)"
           R"("service.kubernetes.io/topology-aware-hints":"b"}},"spec":{"ports":[{"port":80}]})",
           "Invalid metadata.annotations[service.kubernetes.io/topology-mode]: Invalid "
           R"(value: "a": must match annotations[service.kubernetes.io/topology-aware-hints] )"
           "when both are specified"},
          {R"("spec":{"ports":[{"port":80,"name":"a.b"}]})",
           R"(Invalid spec.ports[0].name: Invalid value: "a.b": must not contain dots)"},
          {R"("spec":{"ports":[{"port":80,"targetPort":""}]})",
           R"(spec.ports [{"port":80,"protocol":"TCP","targetPort":80}])", "spec.ports"},
          {R"("spec":{"clusterIPs":["10.0.0.9"]})",
           R"(Invalid spec.clusterIPs: Invalid value: ["10.0.0.9"]: must be empty when )"
           "`clusterIP` is not specified",
           "", 34},
          {R"("spec":{"ipFamilyPolicy":"RequireDualStack"})",
           R"(Invalid spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is )"
           "not configured for dual-stack services"},
          {R"("spec":{"ipFamilies":["IPv6"]})",
           R"(Invalid spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster)"},
          {R"("spec":{"ipFamilies":["IPv4","IPv6"],"ports":[{"port":80}]})",
           R"(Invalid spec.ipFamilyPolicy: Invalid value: "SingleStack": must be )"
           "'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified"},
          {R"("spec":{"clusterIP":"fd00::1"})",
           R"(Invalid spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured )"
           "on this cluster",
           "", 34},
          {R"("spec":{"clusterIP":"None","ipFamilyPolicy":"SingleStack"})",
           R"(spec.ipFamilies ["IPv4"])", "spec.ipFamilies"},
          {R"("spec":{"clusterIP":"None","ipFamilies":["IPv6"]})",
           R"(spec.ipFamilies ["IPv6","IPv4"])", "spec.ipFamilies"},
          {R"("spec":{"clusterIP":"None","selector":{"a":"b"},"ipFamilies":["IPv6"]})",
           R"(Invalid spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster)"},
          {R"("spec":{"type":"ExternalName","externalName":"a.b",)"
           R"("internalTrafficPolicy":"Local"})",
           R"(spec {"externalName":"a.b","sessionAffinity":"None","type":"ExternalName"})", "spec"},
          {R"("spec":{"type":"ExternalName","externalName":"a.b","externalIPs":["1.2.3.4"]})",
           R"(warning "spec.externalIPs is ignored when spec.type is \"ExternalName\"")"},
          {R"("spec":{"externalName":"a.b","ports":[{"port":80}]})",
           R"(warning "spec.externalName is ignored when spec.type is not \"ExternalName\"")"},
          {R"("spec":{"clusterIP":"None","loadBalancerIP":"1.2.3.4","externalIPs":["1.2.3.4"],)"
           R"("sessionAffinity":"ClientIP"})",
           R"(warning "spec.SessionAffinity is ignored for headless services")"
           "\n"
           R"(warning "spec.externalIPs is ignored for headless services")"
           "\n"
           R"(warning "spec.loadBalancerIP is ignored for headless services")",
           "", 34},
          {R"("spec":{"externalIPs":["010.1.2.3"],"ports":[{"port":80}]})",
           R"(warning "spec.externalIPs[0]: non-standard IP address \"010.1.2.3\" will be )"
           R"(considered invalid in a future Kubernetes release: use \"10.1.2.3\"")",
           "", 34, 34},
          {R"("spec":{"externalIPs":["010.1.2.3"],"ports":[{"port":80}]})",
           R"(Invalid spec.externalIPs[0]: Invalid value: "010.1.2.3": must not have leading 0s)",
           "", 37},
          {R"("spec":{"externalIPs":["fd00:0::1"],"ports":[{"port":80}]})",
           R"(warning "spec.externalIPs[0]: IPv6 address \"fd00:0::1\" should be in RFC 5952 )"
           R"_(canonical format (\"fd00::1\")")_",
           "", 34, 34},
          {R"("spec":{"externalIPs":["fd00:0::1"],"ports":[{"port":80}]})",
           R"(warning "spec.externalIPs is deprecated and may no longer be implemented in some )"
           R"(clusters")"
           "\n"
           R"(warning "spec.externalIPs[0]: IPv6 address \"fd00:0::1\" should be in RFC 5952 )"
           R"_(canonical format (\"fd00::1\")")_",
           "", 37},
          {R"("spec":{"externalIPs":["224.0.0.1","::1","0.0.0.0","fe80::1"],"ports":[{)"
           R"("port":80}]})",
           R"(Invalid spec.externalIPs[0]: Invalid value: "224.0.0.1": may not be in the )"
           "link-local multicast range (224.0.0.0/24, ff02::/10)\n"
           R"(Invalid spec.externalIPs[1]: Invalid value: "::1": may not be in the loopback )"
           "range (127.0.0.0/8, ::1/128)\n"
           R"(Invalid spec.externalIPs[2]: Invalid value: "0.0.0.0": may not be unspecified )"
           "(0.0.0.0)\n"
           R"(Invalid spec.externalIPs[3]: Invalid value: "fe80::1": may not be in the )"
           "link-local range (169.254.0.0/16, fe80::/10)"},
          {R"("spec":{"type":"LoadBalancer","loadBalancerSourceRanges":["10.0.0.1/8"],)"
           R"("ports":[{"port":80}]})",
           R"(warning "spec.loadBalancerSourceRanges[0]: CIDR value \"10.0.0.1/8\" is )"
           R"_(ambiguous in this context (should be \"10.0.0.0/8\" or \"10.0.0.1/32\"?)")_",
           "", 34, 34},
          {R"("spec":{"type":"LoadBalancer","loadBalancerSourceRanges":["10.0.0.1/8"],)"
           R"("ports":[{"port":80}]})",
           R"(Invalid spec.LoadBalancerSourceRanges[0]: Invalid value: "10.0.0.1/8": must not )"
           "have bits set beyond the prefix length",
           "", 37},
          {R"("spec":{"type":"LoadBalancer","loadBalancerSourceRanges":["010.0.0.0/8",)"
           R"("FD00::/64"],"ports":[{"port":80}]})",
           R"(warning "spec.loadBalancerSourceRanges[0]: non-standard CIDR value )"
           R"(\"010.0.0.0/8\" will be considered invalid in a future Kubernetes release: use )"
           R"(\"10.0.0.0/8\"")"
           "\n"
           R"(warning "spec.loadBalancerSourceRanges[1]: IPv6 CIDR value \"FD00::/64\" should )"
           R"_(be in RFC 5952 canonical format (\"fd00::/64\")")_",
           "", 34, 34},
          {R"("spec":{"type":"LoadBalancer","loadBalancerSourceRanges":["010.0.0.0/8",)"
           R"("FD00::/64"],"ports":[{"port":80}]})",
           R"(Invalid spec.LoadBalancerSourceRanges[0]: Invalid value: "010.0.0.0/8": must not )"
           "have leading 0s in IP or prefix length",
           "", 37},
          {R"("metadata":{"annotations":{"service.kubernetes.io/topology-aware-hints":"auto"}},)"
           R"("spec":{"ports":[{"port":80}]})",
           R"(warning "annotation service.kubernetes.io/topology-aware-hints is deprecated, )"
           R"(please use service.kubernetes.io/topology-mode instead")"},
          {R"("spec":{"type":"NodePort","ports":[{"port":80,"nodePort":5}]})",
           R"(spec.ports [{"nodePort":5,"port":80,"protocol":"TCP","targetPort":80}])",
           "spec.ports"},
      });
}

TEST_F(NetworkObjectsTest, Endpoints) {
  Expect("v1", "endpoints",
         {
             {R"("subsets":[{"addresses":[{"ip":"x"}]}])",
              R"(Invalid subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP )"
              "address\n"
              R"(Invalid subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP )"
              "address,"},
             {R"("subsets":[{"notReadyAddresses":[{"ip":"127.0.0.1","hostname":"a.b"}]}])",
              R"(Invalid subsets[0].notReadyAddresses[0].hostname: Invalid value: "a.b": must not )"
              "contain dots\n"
              R"(Invalid subsets[0].notReadyAddresses[0].ip: Invalid value: "127.0.0.1": may not )"
              "be in the loopback range (127.0.0.0/8, ::1/128)"},
             {R"("subsets":[{"addresses":[{"ip":"1.2.3.4","nodeName":""}],"ports":[{"port":80,)"
              R"("name":"a.b"}]}])",
              R"(Invalid subsets[0].addresses[0].nodeName: Invalid value: "": a lowercase RFC )"
              "1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
              "and must start and end with an alphanumeric character\n"
              R"(Invalid subsets[0].ports[0].name: Invalid value: "a.b": must not contain dots)"},
             {R"("subsets":[{"addresses":[{"ip":"010.2.3.4"}]}])",
              R"(warning "subsets[0].addresses[0].ip: non-standard IP address \"010.2.3.4\" will )"
              R"(be considered invalid in a future Kubernetes release: use \"10.2.3.4\"")"
              "\n"
              R"(warning "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 )"
              R"(EndpointSlice")",
              "", 34, 34},
             {R"("subsets":[{"addresses":[{"ip":"010.2.3.4"}]}])",
              R"(Invalid subsets[0].addresses[0].ip: Invalid value: "010.2.3.4": must not have )"
              "leading 0s",
              "", 37},
         });
}

TEST_F(NetworkObjectsTest, EndpointSlices) {
  Expect(
      "discovery.k8s.io/v1", "endpointslices",
      {
          {R"("addressType":"IPv4","endpoints":[{"addresses":["fd00::1"]}])",
           R"(Invalid endpoints[0].addresses: Invalid value: "fd00::1": must be an IPv4 address)",
           "", 34},
          {R"("addressType":"IPv4","endpoints":[{"addresses":["1.2.3.4"],"hostname":"",)"
           R"("nodeName":"A"}])",
           R"(Invalid endpoints[0].hostname: Invalid value: "": a lowercase RFC 1123 label )"
           "must consist of lower case alphanumeric characters or '-', and must start and "
           "end with an alphanumeric character\n"
           R"(Invalid endpoints[0].nodeName: Invalid value: "A": a lowercase RFC 1123 )"
           "subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
           "must start and end with an alphanumeric character"},
          {R"("addressType":"FQDN","endpoints":[{"addresses":["a"]},{"addresses":["A.b"]},{)"
           R"("addresses":["a.b."]}])",
           R"(Invalid endpoints[0].addresses[0]: Invalid value: "a": should be a domain with )"
           "at least two segments separated by dots\n"
           R"(Invalid endpoints[1].addresses[0]: Invalid value: "A.b": a lowercase RFC 1123 )"
           "subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
           "must start and end with an alphanumeric character"},
          {R"("addressType":"FQDN","endpoints":[{"addresses":["a.b"]}])",
           R"(warning "spec.addressType: FQDN endpoints are deprecated")"},
          {R"("addressType":"IPv4","endpoints":[{"addresses":["1.2.3.4"],"hints":{"forZones":[{)"
           R"("name":"a"},{"name":"a"},{"name":"-"}]}}])",
           R"(Duplicate endpoints[0].hints.forZones[1].name: Duplicate value: "a")"
           "\n"
           R"(Invalid endpoints[0].hints.forZones[2].name: Invalid value: "-": a valid label )"
           "must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
           "and must start and end with an alphanumeric character"},
          {R"("addressType":"IPv4","endpoints":[{"addresses":["1.2.3.4"],"hints":{"forNodes":[{)"
           R"("name":"A"},{"name":"A"}]}}])",
           R"(Duplicate endpoints[0].hints.forNodes[1].name: Duplicate value: "A")"
           "\n"
           R"(Invalid endpoints[0].hints.forNodes[0].name: Invalid value: "A": a lowercase RFC )"
           "1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
           "and must start and end with an alphanumeric character\n"
           R"(Invalid endpoints[0].hints.forNodes[1].name: Invalid value: "A": a lowercase RFC )"
           "1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
           "and must start and end with an alphanumeric character",
           "", 34},
          {R"("addressType":"IPv4","endpoints":[{"addresses":["1.2.3.4"],"deprecatedTopology":{)"
           R"("a":"*"}}])",
           R"(endpoints [{"addresses":["1.2.3.4"],"conditions":{}}])", "endpoints"},
          {R"("addressType":"IPv4","endpoints":[{"addresses":["01.2.3.4"]}])",
           R"(warning "endpoints[0].addresses[0]: non-standard IP address \"01.2.3.4\" will be )"
           R"(considered invalid in a future Kubernetes release: use \"1.2.3.4\"")",
           "", 34, 34},
          {R"("addressType":"IPv4","endpoints":[{"addresses":["01.2.3.4"]}])",
           R"(Invalid endpoints[0].addresses[0]: Invalid value: "01.2.3.4": must not have )"
           "leading 0s",
           "", 37},
      });
}

TEST_F(NetworkObjectsTest, Ingresses) {
  Expect("networking.k8s.io/v1", "ingresses",
         {
             {R"("spec":{"defaultBackend":{"service":{"name":"a","port":{"name":"A--"}}}})",
              R"(Invalid spec.defaultBackend.service.port.name: Invalid value: "A--": must )"
              "contain at least one letter (a-z)\n"
              R"(Invalid spec.defaultBackend.service.port.name: Invalid value: "A--": must )"
              "contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)\n"
              R"(Invalid spec.defaultBackend.service.port.name: Invalid value: "A--": must not )"
              "begin or end with a hyphen\n"
              R"(Invalid spec.defaultBackend.service.port.name: Invalid value: "A--": must not )"
              "contain consecutive hyphens"},
             {R"("spec":{"defaultBackend":{"resource":{"apiGroup":"","kind":"a/b","name":"50%"}}})",
              R"(Invalid spec.defaultBackend.resource.apiGroup: Invalid value: "": a lowercase )"
              "RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
              "'.', and must start and end with an alphanumeric character\n"
              R"(Invalid spec.defaultBackend.resource.kind: Invalid value: "a/b": may not contain )"
              "'/'\n"
              R"(Invalid spec.defaultBackend.resource.name: Invalid value: "50%": may not contain )"
              "'%'"},
             {R"("metadata":{"annotations":{"kubernetes.io/ingress.class":"x"}},"spec":{)"
              R"("defaultBackend":{"service":{"name":"a","port":{"number":80}}}})",
              R"(warning "annotation \"kubernetes.io/ingress.class\" is deprecated, please use )"
              R"('spec.ingressClassName' instead")"},
         });
}

TEST_F(NetworkObjectsTest, IngressClasses) {
  Expect("networking.k8s.io/v1", "-ingressclasses",
         {
             {R"("spec":{"controller":"-/a"})",
              R"(Invalid spec.controller: Invalid value: "-": a lowercase RFC 1123 subdomain must )"
              "consist of lower case alphanumeric characters, '-' or '.', and must start and "
              "end with an alphanumeric character"},
             {R"("spec":{"controller":"a.b/c","parameters":{"apiGroup":"A","kind":"a/b",)"
              R"("name":".."}})",
              R"(Invalid spec.parameters.apiGroup: Invalid value: "A": a lowercase RFC 1123 )"
              "subdomain must consist of lower case alphanumeric characters, '-' or '.', and "
              "must start and end with an alphanumeric character\n"
              R"(Invalid spec.parameters.kind: Invalid value: "a/b": may not contain '/')"
              "\n"
              R"(Invalid spec.parameters.name: Invalid value: "..": may not be '..')"},
             {R"("spec":{"controller":"a.b/c","parameters":{"kind":"a","name":"b","scope":""}})",
              R"(NotSupported spec.parameters.scope: Unsupported value: "": supported values: )"
              R"("Cluster", "Namespace")"},
             {R"("spec":{"controller":"a.b/c","parameters":{"kind":"a","name":"b",)"
              R"("scope":"Namespace","namespace":"A"}})",
              R"(Invalid spec.parameters.namespace: Invalid value: "A": a lowercase RFC 1123 )"
              "label must consist of lower case alphanumeric characters or '-', and must start "
              "and end with an alphanumeric character"},
             {R"("spec":{"controller":"a.b/c","parameters":{"kind":"a","name":"b",)"
              R"("scope":"Namespace"}})",
              "Required spec.parameters.namespace: Required value: `parameters.scope` is set to "
              "'Namespace'"},
         });
}

TEST_F(NetworkObjectsTest, NetworkPolicies) {
  Expect("networking.k8s.io/v1", "networkpolicies",
         {
             {R"("spec":{"podSelector":{},"ingress":[{"ports":[{"port":"1"},{"port":""}]}]})",
              R"(Invalid spec.ingress[0].ports[0].port: Invalid value: "1": must contain at least )"
              "one letter (a-z)\n"
              R"(Invalid spec.ingress[0].ports[1].port: Invalid value: "": must contain at least )"
              "one letter (a-z)\n"
              R"(Invalid spec.ingress[0].ports[1].port: Invalid value: "": must contain only )"
              "alpha-numeric characters (a-z, 0-9), and hyphens (-)"},
             {R"("spec":{"podSelector":{},"policyTypes":[""]})",
              R"(NotSupported spec.policyTypes[0]: Unsupported value: "": supported values: )"
              R"("Ingress", "Egress")"},
             {R"("spec":{"podSelector":{},"egress":[{"to":[{"ipBlock":{"cidr":"10.0.0.0/8",)"
              R"("except":["10.0.0.0/8","11.0.0.0/9","10.1.0.0/16","x"]}}]}]})",
              R"(Invalid spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "10.0.0.0/8": )"
              "must be a strict subset of `cidr`\n"
              R"(Invalid spec.egress[0].to[0].ipBlock.except[1]: Invalid value: "11.0.0.0/9": )"
              "must be a strict subset of `cidr`\n"
              R"(Invalid spec.egress[0].to[0].ipBlock.except[3]: Invalid value: "x": must be a )"
              "valid CIDR value,"},
             {R"("spec":{"podSelector":{},"egress":[{"to":[{"ipBlock":{"cidr":"x",)"
              R"("except":["y"]}}]}]})",
              R"(Invalid spec.egress[0].to[0].ipBlock.cidr: Invalid value: "x": must be a valid )"
              "CIDR value,"},
             {R"("spec":{"podSelector":{},"ingress":[{"from":[{"ipBlock":{)"
              R"("cidr":"10.0.0.1/8"}}]}]})",
              R"(warning "spec.ingress[0].from[0].ipBlock.cidr: CIDR value \"10.0.0.1/8\" is )"
              R"_(ambiguous in this context (should be \"10.0.0.0/8\" or \"10.0.0.1/32\"?)")_",
              "", 34, 34},
             {R"("spec":{"podSelector":{},"ingress":[{"from":[{"ipBlock":{)"
              R"("cidr":"10.0.0.1/8"}}]}]})",
              R"(Invalid spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "10.0.0.1/8": must )"
              "not have bits set beyond the prefix length",
              "", 37},
         });
}

TEST_F(NetworkObjectsTest, PortsOfTwoProtocolsShareNodePort) {
  const Answer created = Post(Core("services", ""),
                              R"({"metadata":{"name":"dns"},"spec":{"type":"NodePort","ports":[)"
                              R"({"name":"a","port":53,"protocol":"UDP"},{"name":"b","port":53},)"
                              R"({"name":"c","port":54}]}})");
  ASSERT_EQ(created.code, 201) << created.body;

  const auto port = [&](rapidjson::SizeType i) {
    return NumberAt(ListAt(ObjectAt(created.json, "spec"), "ports")[i], "nodePort");
  };
  EXPECT_EQ(port(0), port(1));
  EXPECT_NE(port(0), port(2));
}

TEST_F(NetworkObjectsTest, ServersHaveRangeOfAddresses) {
  if (Minor() < 33) GTEST_SKIP() << "the kind is new in 1.33";

  const Answer range = Get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes");

  ASSERT_EQ(range.code, 200) << range.body;
  const runtime::JsonValue& conditions = ListAt(ObjectAt(range.json, "status"), "conditions");
  ASSERT_FALSE(conditions.Empty()) << range.body;
  EXPECT_EQ(runtime::GetString(conditions[0], "type"), "Ready");
  EXPECT_EQ(runtime::GetString(conditions[0], "status"), "True");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
