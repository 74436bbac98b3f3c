// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/networking/v1/ingress.h"
#include "capstan/api/networking/v1/ingress_class.h"
#include "capstan/api/networking/v1/ip_address.h"
#include "capstan/api/networking/v1/network_policy.h"
#include "capstan/api/networking/v1/service_cidr.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::networking::v1 {

CAPSTAN_LAYOUT(ServiceBackendPort,
    CAPSTAN_FIELD(ServiceBackendPort, "name", name),
    CAPSTAN_NUMBER(ServiceBackendPort, "number", number))

CAPSTAN_LAYOUT(IngressServiceBackend,
    CAPSTAN_REQUIRED(IngressServiceBackend, "name", name),
    CAPSTAN_FIELD(IngressServiceBackend, "port", port))

CAPSTAN_LAYOUT(IngressBackend,
    CAPSTAN_FIELD(IngressBackend, "service", service),
    CAPSTAN_FIELD(IngressBackend, "resource", resource))

CAPSTAN_LAYOUT(IngressTLS,
    CAPSTAN_FIELD(IngressTLS, "hosts", hosts),
    CAPSTAN_FIELD(IngressTLS, "secretName", secret_name))

CAPSTAN_LAYOUT(HTTPIngressPath,
    CAPSTAN_FIELD(HTTPIngressPath, "path", path),
    CAPSTAN_REQUIRED(HTTPIngressPath, "pathType", path_type),
    CAPSTAN_REQUIRED(HTTPIngressPath, "backend", backend))

CAPSTAN_LAYOUT(HTTPIngressRuleValue,
    CAPSTAN_REQUIRED(HTTPIngressRuleValue, "paths", paths))

CAPSTAN_LAYOUT(IngressRule,
    CAPSTAN_FIELD(IngressRule, "host", host),
    CAPSTAN_FIELD(IngressRule, "http", http))

CAPSTAN_LAYOUT(IngressSpec,
    CAPSTAN_FIELD(IngressSpec, "ingressClassName", ingress_class_name),
    CAPSTAN_FIELD(IngressSpec, "defaultBackend", default_backend),
    CAPSTAN_FIELD(IngressSpec, "tls", tls),
    CAPSTAN_FIELD(IngressSpec, "rules", rules))

CAPSTAN_LAYOUT(IngressPortStatus,
    CAPSTAN_REQUIRED(IngressPortStatus, "port", port),
    CAPSTAN_REQUIRED(IngressPortStatus, "protocol", protocol),
    CAPSTAN_FIELD(IngressPortStatus, "error", error))

CAPSTAN_LAYOUT(IngressLoadBalancerIngress,
    CAPSTAN_FIELD(IngressLoadBalancerIngress, "ip", ip),
    CAPSTAN_FIELD(IngressLoadBalancerIngress, "hostname", hostname),
    CAPSTAN_FIELD(IngressLoadBalancerIngress, "ports", ports))

CAPSTAN_LAYOUT(IngressLoadBalancerStatus,
    CAPSTAN_FIELD(IngressLoadBalancerStatus, "ingress", ingress))

CAPSTAN_LAYOUT(IngressStatus,
    CAPSTAN_FIELD(IngressStatus, "loadBalancer", load_balancer))

CAPSTAN_LAYOUT(Ingress,
    CAPSTAN_PART(Ingress, "metadata", metadata, kMetadata),
    CAPSTAN_PART(Ingress, "spec", spec, kSpec),
    CAPSTAN_PART(Ingress, "status", status, kStatus))

CAPSTAN_LAYOUT(IngressClassParametersReference,
    CAPSTAN_FIELD(IngressClassParametersReference, "apiGroup", api_group),
    CAPSTAN_REQUIRED(IngressClassParametersReference, "kind", kind),
    CAPSTAN_REQUIRED(IngressClassParametersReference, "name", name),
    CAPSTAN_REQUIRED(IngressClassParametersReference, "scope", scope),
    CAPSTAN_FIELD(IngressClassParametersReference, "namespace", namespace_))

CAPSTAN_LAYOUT(IngressClassSpec,
    CAPSTAN_FIELD(IngressClassSpec, "controller", controller),
    CAPSTAN_FIELD(IngressClassSpec, "parameters", parameters))

CAPSTAN_LAYOUT(IngressClass,
    CAPSTAN_PART(IngressClass, "metadata", metadata, kMetadata),
    CAPSTAN_PART(IngressClass, "spec", spec, kSpec))

CAPSTAN_LAYOUT(ParentReference,
    CAPSTAN_FIELD(ParentReference, "group", group),
    CAPSTAN_FIELD(ParentReference, "resource", resource),
    CAPSTAN_FIELD(ParentReference, "namespace", namespace_),
    CAPSTAN_FIELD(ParentReference, "name", name))

CAPSTAN_LAYOUT(IPAddressSpec,
    CAPSTAN_FIELD(IPAddressSpec, "parentRef", parent_ref))

CAPSTAN_LAYOUT(IPAddress,
    CAPSTAN_PART(IPAddress, "metadata", metadata, kMetadata),
    CAPSTAN_PART(IPAddress, "spec", spec, kSpec))

CAPSTAN_LAYOUT(NetworkPolicyPort,
    CAPSTAN_FIELD(NetworkPolicyPort, "protocol", protocol),
    CAPSTAN_FIELD(NetworkPolicyPort, "port", port),
    CAPSTAN_FIELD(NetworkPolicyPort, "endPort", end_port))

CAPSTAN_LAYOUT(IPBlock,
    CAPSTAN_REQUIRED(IPBlock, "cidr", cidr),
    CAPSTAN_FIELD(IPBlock, "except", except))

CAPSTAN_LAYOUT(NetworkPolicyPeer,
    CAPSTAN_FIELD(NetworkPolicyPeer, "podSelector", pod_selector),
    CAPSTAN_FIELD(NetworkPolicyPeer, "namespaceSelector", namespace_selector),
    CAPSTAN_FIELD(NetworkPolicyPeer, "ipBlock", ip_block))

CAPSTAN_LAYOUT(NetworkPolicyIngressRule,
    CAPSTAN_FIELD(NetworkPolicyIngressRule, "ports", ports),
    CAPSTAN_FIELD(NetworkPolicyIngressRule, "from", from))

CAPSTAN_LAYOUT(NetworkPolicyEgressRule,
    CAPSTAN_FIELD(NetworkPolicyEgressRule, "ports", ports),
    CAPSTAN_FIELD(NetworkPolicyEgressRule, "to", to))

CAPSTAN_LAYOUT(NetworkPolicySpec,
    CAPSTAN_REQUIRED(NetworkPolicySpec, "podSelector", pod_selector),
    CAPSTAN_FIELD(NetworkPolicySpec, "ingress", ingress),
    CAPSTAN_FIELD(NetworkPolicySpec, "egress", egress),
    CAPSTAN_FIELD(NetworkPolicySpec, "policyTypes", policy_types))

CAPSTAN_LAYOUT(NetworkPolicy,
    CAPSTAN_PART(NetworkPolicy, "metadata", metadata, kMetadata),
    CAPSTAN_PART(NetworkPolicy, "spec", spec, kSpec))

CAPSTAN_LAYOUT(ServiceCIDRSpec,
    CAPSTAN_FIELD(ServiceCIDRSpec, "cidrs", cidrs))

CAPSTAN_LAYOUT(ServiceCIDRStatus,
    CAPSTAN_FIELD(ServiceCIDRStatus, "conditions", conditions))

CAPSTAN_LAYOUT(ServiceCIDR,
    CAPSTAN_PART(ServiceCIDR, "metadata", metadata, kMetadata),
    CAPSTAN_PART(ServiceCIDR, "spec", spec, kSpec),
    CAPSTAN_PART(ServiceCIDR, "status", status, kStatus))

}  // namespace capstan::api::networking::v1

template class capstan::Boxed<capstan::api::networking::v1::IngressServiceBackend>;
template class capstan::Boxed<capstan::api::networking::v1::IngressBackend>;
template class capstan::List<capstan::api::networking::v1::IngressTLS>;
template class capstan::List<capstan::api::networking::v1::HTTPIngressPath>;
template class capstan::Boxed<capstan::api::networking::v1::HTTPIngressRuleValue>;
template class capstan::List<capstan::api::networking::v1::IngressRule>;
template class capstan::List<capstan::api::networking::v1::IngressPortStatus>;
template class capstan::List<capstan::api::networking::v1::IngressLoadBalancerIngress>;
template class capstan::Boxed<capstan::api::networking::v1::IngressClassParametersReference>;
template class capstan::Boxed<capstan::api::networking::v1::ParentReference>;
template class capstan::List<capstan::api::networking::v1::NetworkPolicyPort>;
template class capstan::Boxed<capstan::api::networking::v1::IPBlock>;
template class capstan::List<capstan::api::networking::v1::NetworkPolicyPeer>;
template class capstan::List<capstan::api::networking::v1::NetworkPolicyIngressRule>;
template class capstan::List<capstan::api::networking::v1::NetworkPolicyEgressRule>;
