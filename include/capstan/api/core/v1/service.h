// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/boxed.h"
#include "capstan/conditions.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/int_or_string.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"

namespace capstan::api::core::v1 {

// ServicePort contains information on service's port.
struct CAPSTAN_EXPORT ServicePort {
  // The name of this port within the service. This must be a DNS_LABEL. All ports within a
  // ServiceSpec must have unique names. When considering the endpoints for a Service, this must
  // match the 'name' field in the EndpointPort. Optional if only one ServicePort is defined on this
  // service.
  std::string name = {};
  // The IP protocol for this port. Supports "TCP", "UDP", and "SCTP". Default is TCP.
  std::string protocol = {};
  // The application protocol for this port. This is used as a hint for implementations to offer
  // richer behavior for protocols that they understand. This field follows standard Kubernetes
  // label syntax. Valid values are either:
  // * Un-prefixed protocol names - reserved for IANA standard service names (as per RFC-6335 and
  // https://www.iana.org/assignments/service-names).
  // * Kubernetes-defined prefixed names:
  // * 'kubernetes.io/h2c' - HTTP/2 prior knowledge over cleartext as described in
  // https://www.rfc-editor.org/rfc/rfc9113.html#name-starting-http-2-with-prior-
  // * 'kubernetes.io/ws'  - WebSocket over cleartext as described in
  // https://www.rfc-editor.org/rfc/rfc6455
  // * 'kubernetes.io/wss' - WebSocket over TLS as described in
  // https://www.rfc-editor.org/rfc/rfc6455
  // * Other protocols should use implementation-defined prefixed names such as
  // mycompany.com/my-custom-protocol.
  std::optional<std::string> app_protocol = {};
  // The port that will be exposed by this service.
  std::int32_t port = {};
  // Number or name of the port to access on the pods targeted by the service. Number must be in the
  // range 1 to 65535. Name must be an IANA_SVC_NAME. If this is a string, it will be looked up as a
  // named port in the target Pod's container ports. If this is not specified, the value of the
  // 'port' field is used (an identity map). This field is ignored for services with clusterIP=None,
  // and should be omitted or set equal to the 'port' field. More info:
  // https://kubernetes.io/docs/concepts/services-networking/service/#defining-a-service
  IntOrString target_port = {};
  // The port on each node on which this service is exposed when type is NodePort or LoadBalancer.
  // Usually assigned by the system. If a value is specified, in-range, and not in use it will be
  // used, otherwise the operation will fail.  If not specified, a port will be allocated if this
  // Service requires one.  If this field is specified when creating a Service which does not need
  // it, creation will fail. This field will be wiped when updating a Service to no longer need it
  // (e.g. changing type from NodePort to ClusterIP). More info:
  // https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport
  std::int32_t node_port = {};
};
CAPSTAN_EXPORT bool operator==(const ServicePort& a, const ServicePort& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ServicePort*);

// ClientIPConfig represents the configurations of Client IP based session affinity.
struct CAPSTAN_EXPORT ClientIPConfig {
  // timeoutSeconds specifies the seconds of ClientIP type session sticky time. The value must be >0
  // && <=86400(for 1 day) if ServiceAffinity == "ClientIP". Default value is 10800(for 3 hours).
  std::optional<std::int32_t> timeout_seconds = {};
};
CAPSTAN_EXPORT bool operator==(const ClientIPConfig& a, const ClientIPConfig& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ClientIPConfig*);

// SessionAffinityConfig represents the configurations of session affinity.
struct CAPSTAN_EXPORT SessionAffinityConfig {
  // clientIP contains the configurations of Client IP based session affinity.
  Boxed<ClientIPConfig> client_ip = {};
};
CAPSTAN_EXPORT bool operator==(const SessionAffinityConfig& a, const SessionAffinityConfig& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const SessionAffinityConfig*);

// Service Type string describes ingress methods for a service
// ServiceTypeClusterIP means a service will only be accessible inside the cluster, via the cluster
// IP.
inline constexpr std::string_view kServiceTypeClusterIP = "ClusterIP";
// ServiceTypeNodePort means a service will be exposed on one port of every node, in addition to
// 'ClusterIP' type.
inline constexpr std::string_view kServiceTypeNodePort = "NodePort";
// ServiceTypeLoadBalancer means a service will be exposed via an external load balancer (if the
// cloud provider supports it), in addition to 'NodePort' type.
inline constexpr std::string_view kServiceTypeLoadBalancer = "LoadBalancer";
// ServiceTypeExternalName means a service consists of only a reference to an external name that
// kubedns or equivalent will return as a CNAME record, with no exposing or proxying of any pods
// involved.
inline constexpr std::string_view kServiceTypeExternalName = "ExternalName";

// Session Affinity Type string
// ServiceAffinityClientIP is the Client IP based.
inline constexpr std::string_view kServiceAffinityClientIP = "ClientIP";
// ServiceAffinityNone - no session affinity.
inline constexpr std::string_view kServiceAffinityNone = "None";

// ServiceExternalTrafficPolicy describes how nodes distribute service traffic they receive on one
// of the Service's "externally-facing" addresses (NodePorts, ExternalIPs, and LoadBalancer IPs.
// ServiceExternalTrafficPolicyCluster routes traffic to all endpoints.
inline constexpr std::string_view kServiceExternalTrafficPolicyCluster = "Cluster";
// ServiceExternalTrafficPolicyLocal preserves the source IP of the traffic by routing only to
// endpoints on the same node as the traffic was received on (dropping the traffic if there are no
// local endpoints).
inline constexpr std::string_view kServiceExternalTrafficPolicyLocal = "Local";

// IPFamily represents the IP Family (IPv4 or IPv6). This type is used to express the family of an
// IP expressed by a type (e.g. service.spec.ipFamilies).
// IPv4Protocol indicates that this IP is IPv4 protocol
inline constexpr std::string_view kIPv4Protocol = "IPv4";
// IPv6Protocol indicates that this IP is IPv6 protocol
inline constexpr std::string_view kIPv6Protocol = "IPv6";
// IPFamilyUnknown indicates that this IP is unknown protocol
inline constexpr std::string_view kIPFamilyUnknown = "";

// IPFamilyPolicy represents the dual-stack-ness requested or required by a Service
// IPFamilyPolicySingleStack indicates that this service is required to have a single IPFamily. The
// IPFamily assigned is based on the default IPFamily used by the cluster or as identified by
// service.spec.ipFamilies field
inline constexpr std::string_view kIPFamilyPolicySingleStack = "SingleStack";
// IPFamilyPolicyPreferDualStack indicates that this service prefers dual-stack when the cluster is
// configured for dual-stack. If the cluster is not configured for dual-stack the service will be
// assigned a single IPFamily. If the IPFamily is not set in service.spec.ipFamilies then the
// service will be assigned the default IPFamily configured on the cluster
inline constexpr std::string_view kIPFamilyPolicyPreferDualStack = "PreferDualStack";
// IPFamilyPolicyRequireDualStack indicates that this service requires dual-stack. Using
// IPFamilyPolicyRequireDualStack on a single stack cluster will result in validation errors. The
// IPFamilies (and their order) assigned  to this service is based on service.spec.ipFamilies. If
// service.spec.ipFamilies was not provided then it will be assigned according to how they are
// configured on the cluster. If service.spec.ipFamilies has only one entry then the alternative
// IPFamily will be added by apiserver
inline constexpr std::string_view kIPFamilyPolicyRequireDualStack = "RequireDualStack";

// ServiceInternalTrafficPolicy describes how nodes distribute service traffic they receive on the
// ClusterIP.
// ServiceInternalTrafficPolicyCluster routes traffic to all endpoints.
inline constexpr std::string_view kServiceInternalTrafficPolicyCluster = "Cluster";
// ServiceInternalTrafficPolicyLocal routes traffic only to endpoints on the same node as the client
// pod (dropping the traffic if there are no local endpoints).
inline constexpr std::string_view kServiceInternalTrafficPolicyLocal = "Local";

// ServiceSpec describes the attributes that a user creates on a service.
struct CAPSTAN_EXPORT ServiceSpec {
  // The list of ports that are exposed by this service. More info:
  // https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies
  List<ServicePort> ports = {};
  // Route service traffic to pods with label keys and values matching this selector. If empty or
  // not present, the service is assumed to have an external process managing its endpoints, which
  // Kubernetes will not modify. Only applies to types ClusterIP, NodePort, and LoadBalancer.
  // Ignored if type is ExternalName. More info:
  // https://kubernetes.io/docs/concepts/services-networking/service/
  std::map<std::string, std::string> selector = {};
  // clusterIP is the IP address of the service and is usually assigned randomly. If an address is
  // specified manually, is in-range (as per system configuration), and is not in use, it will be
  // allocated to the service; otherwise creation of the service will fail. This field may not be
  // changed through updates unless the type field is also being changed to ExternalName (which
  // requires this field to be blank) or the type field is being changed from ExternalName (in which
  // case this field may optionally be specified, as describe above).  Valid values are "None",
  // empty string (""), or a valid IP address. Setting this to "None" makes a "headless service" (no
  // virtual IP), which is useful when direct endpoint connections are preferred and proxying is not
  // required.  Only applies to types ClusterIP, NodePort, and LoadBalancer. If this field is
  // specified when creating a Service of type ExternalName, creation will fail. This field will be
  // wiped when updating a Service to type ExternalName. More info:
  // https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies
  std::string cluster_ip = {};
  // ClusterIPs is a list of IP addresses assigned to this service, and are usually assigned
  // randomly.  If an address is specified manually, is in-range (as per system configuration), and
  // is not in use, it will be allocated to the service; otherwise creation of the service will
  // fail. This field may not be changed through updates unless the type field is also being changed
  // to ExternalName (which requires this field to be empty) or the type field is being changed from
  // ExternalName (in which case this field may optionally be specified, as describe above).  Valid
  // values are "None", empty string (""), or a valid IP address.  Setting this to "None" makes a
  // "headless service" (no virtual IP), which is useful when direct endpoint connections are
  // preferred and proxying is not required.  Only applies to types ClusterIP, NodePort, and
  // LoadBalancer. If this field is specified when creating a Service of type ExternalName, creation
  // will fail. This field will be wiped when updating a Service to type ExternalName.  If this
  // field is not specified, it will be initialized from the clusterIP field.  If this field is
  // specified, clients must ensure that clusterIPs[0] and clusterIP have the same value.
  // This field may hold a maximum of two entries (dual-stack IPs, in either order). These IPs must
  // correspond to the values of the ipFamilies field. Both clusterIPs and ipFamilies are governed
  // by the ipFamilyPolicy field. More info:
  // https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies
  std::vector<std::string> cluster_ips = {};
  // type determines how the Service is exposed. Defaults to ClusterIP. Valid options are
  // ExternalName, ClusterIP, NodePort, and LoadBalancer. "ClusterIP" allocates a cluster-internal
  // IP address for load-balancing to endpoints. Endpoints are determined by the selector or if that
  // is not specified, by manual construction of an Endpoints object or EndpointSlice objects. If
  // clusterIP is "None", no virtual IP is allocated and the endpoints are published as a set of
  // endpoints rather than a virtual IP. "NodePort" builds on ClusterIP and allocates a port on
  // every node which routes to the same endpoints as the clusterIP. "LoadBalancer" builds on
  // NodePort and creates an external load-balancer (if supported in the current cloud) which routes
  // to the same endpoints as the clusterIP. "ExternalName" aliases this service to the specified
  // externalName. Several other fields do not apply to ExternalName services. More info:
  // https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types
  std::string type = {};
  // externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic
  // for this service.  These IPs are not managed by Kubernetes.  The user is responsible for
  // ensuring that traffic arrives at a node with this IP.  A common example is external
  // load-balancers that are not part of the Kubernetes system.
  std::vector<std::string> external_ips = {};
  // Supports "ClientIP" and "None". Used to maintain session affinity. Enable client IP based
  // session affinity. Must be ClientIP or None. Defaults to None. More info:
  // https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies
  std::string session_affinity = {};
  // Only applies to Service Type: LoadBalancer. This feature depends on whether the underlying
  // cloud-provider supports specifying the loadBalancerIP when a load balancer is created. This
  // field will be ignored if the cloud-provider does not support the feature. Deprecated: This
  // field was under-specified and its meaning varies across implementations. Using it is
  // non-portable and it may not support dual-stack. Users are encouraged to use
  // implementation-specific annotations when available.
  std::string load_balancer_ip = {};
  // If specified and supported by the platform, this will restrict traffic through the
  // cloud-provider load-balancer will be restricted to the specified client IPs. This field will be
  // ignored if the cloud-provider does not support the feature." More info:
  // https://kubernetes.io/docs/tasks/access-application-cluster/create-external-load-balancer/
  std::vector<std::string> load_balancer_source_ranges = {};
  // externalName is the external reference that discovery mechanisms will return as an alias for
  // this service (e.g. a DNS CNAME record). No proxying will be involved.  Must be a lowercase
  // RFC-1123 hostname (https://tools.ietf.org/html/rfc1123) and requires `type` to be
  // "ExternalName".
  std::string external_name = {};
  // externalTrafficPolicy describes how nodes distribute service traffic they receive on one of the
  // Service's "externally-facing" addresses (NodePorts, ExternalIPs, and LoadBalancer IPs). If set
  // to "Local", the proxy will configure the service in a way that assumes that external load
  // balancers will take care of balancing the service traffic between nodes, and so each node will
  // deliver traffic only to the node-local endpoints of the service, without masquerading the
  // client source IP. (Traffic mistakenly sent to a node with no endpoints will be dropped.) The
  // default value, "Cluster", uses the standard behavior of routing to all endpoints evenly
  // (possibly modified by topology and other features). Note that traffic sent to an External IP or
  // LoadBalancer IP from within the cluster will always get "Cluster" semantics, but clients
  // sending to a NodePort from within the cluster may need to take traffic policy into account when
  // picking a node.
  std::string external_traffic_policy = {};
  // healthCheckNodePort specifies the healthcheck nodePort for the service. This only applies when
  // type is set to LoadBalancer and externalTrafficPolicy is set to Local. If a value is specified,
  // is in-range, and is not in use, it will be used.  If not specified, a value will be
  // automatically allocated.  External systems (e.g. load-balancers) can use this port to determine
  // if a given node holds endpoints for this service or not.  If this field is specified when
  // creating a Service which does not need it, creation will fail. This field will be wiped when
  // updating a Service to no longer need it (e.g. changing type). This field cannot be updated once
  // set.
  std::int32_t health_check_node_port = {};
  // publishNotReadyAddresses indicates that any agent which deals with endpoints for this Service
  // should disregard any indications of ready/not-ready. The primary use case for setting this
  // field is for a StatefulSet's Headless Service to propagate SRV DNS records for its Pods for the
  // purpose of peer discovery. The Kubernetes controllers that generate Endpoints and EndpointSlice
  // resources for Services interpret this to mean that all endpoints are considered "ready" even if
  // the Pods themselves are not. Agents which consume only Kubernetes generated endpoints through
  // the Endpoints or EndpointSlice resources can safely assume this behavior.
  bool publish_not_ready_addresses = {};
  // sessionAffinityConfig contains the configurations of session affinity.
  Boxed<SessionAffinityConfig> session_affinity_config = {};
  // IPFamilies is a list of IP families (e.g. IPv4, IPv6) assigned to this service. This field is
  // usually assigned automatically based on cluster configuration and the ipFamilyPolicy field. If
  // this field is specified manually, the requested family is available in the cluster, and
  // ipFamilyPolicy allows it, it will be used; otherwise creation of the service will fail. This
  // field is conditionally mutable: it allows for adding or removing a secondary IP family, but it
  // does not allow changing the primary IP family of the Service. Valid values are "IPv4" and
  // "IPv6".  This field only applies to Services of types ClusterIP, NodePort, and LoadBalancer,
  // and does apply to "headless" services. This field will be wiped when updating a Service to type
  // ExternalName.
  // This field may hold a maximum of two entries (dual-stack families, in either order).  These
  // families must correspond to the values of the clusterIPs field, if specified. Both clusterIPs
  // and ipFamilies are governed by the ipFamilyPolicy field.
  std::vector<std::string> ip_families = {};
  // IPFamilyPolicy represents the dual-stack-ness requested or required by this Service. If there
  // is no value provided, then this field will be set to SingleStack. Services can be "SingleStack"
  // (a single IP family), "PreferDualStack" (two IP families on dual-stack configured clusters or a
  // single IP family on single-stack clusters), or "RequireDualStack" (two IP families on
  // dual-stack configured clusters, otherwise fail). The ipFamilies and clusterIPs fields depend on
  // the value of this field. This field will be wiped when updating a service to type ExternalName.
  std::optional<std::string> ip_family_policy = {};
  // allocateLoadBalancerNodePorts defines if NodePorts will be automatically allocated for services
  // with type LoadBalancer.  Default is "true". It may be set to "false" if the cluster
  // load-balancer does not rely on NodePorts.  If the caller requests specific NodePorts (by
  // specifying a value), those requests will be respected, regardless of this field. This field may
  // only be set for services with type LoadBalancer and will be cleared if the type is changed to
  // any other type.
  std::optional<bool> allocate_load_balancer_node_ports = {};
  // loadBalancerClass is the class of the load balancer implementation this Service belongs to. If
  // specified, the value of this field must be a label-style identifier, with an optional prefix,
  // e.g. "internal-vip" or "example.com/internal-vip". Unprefixed names are reserved for end-users.
  // This field can only be set when the Service type is 'LoadBalancer'. If not set, the default
  // load balancer implementation is used, today this is typically done through the cloud provider
  // integration, but should apply for any default implementation. If set, it is assumed that a load
  // balancer implementation is watching for Services with a matching class. Any default load
  // balancer implementation (e.g. cloud providers) should ignore Services that set this field. This
  // field can only be set when creating or updating a Service to type 'LoadBalancer'. Once set, it
  // can not be changed. This field will be wiped when a service is updated to a non 'LoadBalancer'
  // type.
  std::optional<std::string> load_balancer_class = {};
  // InternalTrafficPolicy describes how nodes distribute service traffic they receive on the
  // ClusterIP. If set to "Local", the proxy will assume that pods only want to talk to endpoints of
  // the service on the same node as the pod, dropping the traffic if there are no local endpoints.
  // The default value, "Cluster", uses the standard behavior of routing to all endpoints evenly
  // (possibly modified by topology and other features).
  std::optional<std::string> internal_traffic_policy = {};
  // TrafficDistribution offers a way to express preferences for how traffic is distributed to
  // Service endpoints. Implementations can use this field as a hint, but are not required to
  // guarantee strict adherence. If the field is not set, the implementation will apply its default
  // routing strategy. If set to "PreferClose", implementations should prioritize endpoints that are
  // in the same zone.
  std::optional<std::string> traffic_distribution = {};
};
CAPSTAN_EXPORT bool operator==(const ServiceSpec& a, const ServiceSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ServiceSpec*);

// PortStatus represents the error condition of a service port
struct CAPSTAN_EXPORT PortStatus {
  // Port is the port number of the service port of which status is recorded here
  std::int32_t port = {};
  // Protocol is the protocol of the service port of which status is recorded here The supported
  // values are: "TCP", "UDP", "SCTP"
  std::string protocol = {};
  // Error is to record the problem with the service port The format of the error shall comply with
  // the following rules:
  // - built-in error values shall be specified in this file and those shall use
  // CamelCase names
  // - cloud provider specific error values must have names that comply with the
  // format foo.example.com/CamelCase.
  std::optional<std::string> error = {};
};
CAPSTAN_EXPORT bool operator==(const PortStatus& a, const PortStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PortStatus*);

// LoadBalancerIPMode represents the mode of the LoadBalancer ingress IP
// LoadBalancerIPModeVIP indicates that traffic is delivered to the node with the destination set to
// the load-balancer's IP and port.
inline constexpr std::string_view kLoadBalancerIPModeVIP = "VIP";
// LoadBalancerIPModeProxy indicates that traffic is delivered to the node or pod with the
// destination set to the node's IP and port or the pod's IP and port.
inline constexpr std::string_view kLoadBalancerIPModeProxy = "Proxy";

// LoadBalancerIngress represents the status of a load-balancer ingress point: traffic intended for
// the service should be sent to an ingress point.
struct CAPSTAN_EXPORT LoadBalancerIngress {
  // IP is set for load-balancer ingress points that are IP based (typically GCE or OpenStack
  // load-balancers)
  std::string ip = {};
  // Hostname is set for load-balancer ingress points that are DNS based (typically AWS
  // load-balancers)
  std::string hostname = {};
  // IPMode specifies how the load-balancer IP behaves, and may only be specified when the ip field
  // is specified. Setting this to "VIP" indicates that traffic is delivered to the node with the
  // destination set to the load-balancer's IP and port. Setting this to "Proxy" indicates that
  // traffic is delivered to the node or pod with the destination set to the node's IP and node port
  // or the pod's IP and port. Service implementations may use this information to adjust traffic
  // routing.
  std::optional<std::string> ip_mode = {};
  // Ports is a list of records of service ports If used, every port defined in the service should
  // have an entry in it
  List<PortStatus> ports = {};
};
CAPSTAN_EXPORT bool operator==(const LoadBalancerIngress& a, const LoadBalancerIngress& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LoadBalancerIngress*);

// LoadBalancerStatus represents the status of a load-balancer.
struct CAPSTAN_EXPORT LoadBalancerStatus {
  // Ingress is a list containing ingress points for the load-balancer. Traffic intended for the
  // service should be sent to these ingress points.
  List<LoadBalancerIngress> ingress = {};
};
CAPSTAN_EXPORT bool operator==(const LoadBalancerStatus& a, const LoadBalancerStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LoadBalancerStatus*);

// ServiceStatus represents the current status of a service.
struct CAPSTAN_EXPORT ServiceStatus {
  // LoadBalancer contains the current status of the load-balancer, if one is present.
  LoadBalancerStatus load_balancer = {};
  // Current service state
  std::vector<Condition> conditions = {};
};
CAPSTAN_EXPORT bool operator==(const ServiceStatus& a, const ServiceStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ServiceStatus*);

// Service is a named abstraction of software service (for example, mysql) consisting of local port
// (for example 3306) that the proxy listens on, and the selector that determines which pods will
// answer requests sent through the proxy.
struct CAPSTAN_EXPORT Service {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Spec defines the behavior of a service.
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  ServiceSpec spec = {};
  // Most recently observed status of the service. Populated by the system. Read-only. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  ServiceStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const Service& a, const Service& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Service*);

}  // namespace capstan::api::core::v1

extern template class capstan::List<capstan::api::core::v1::ServicePort>;
extern template class capstan::Boxed<capstan::api::core::v1::ClientIPConfig>;
extern template class capstan::Boxed<capstan::api::core::v1::SessionAffinityConfig>;
extern template class capstan::List<capstan::api::core::v1::PortStatus>;
extern template class capstan::List<capstan::api::core::v1::LoadBalancerIngress>;

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::Service> =
    capstan::Kind("", "v1", "Service", "services").Namespaced().Whole().Spec().Status();
