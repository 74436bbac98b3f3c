// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capstan/api/core/v1/typed_local_object_reference.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"

namespace capstan::api::networking::v1 {

// ServiceBackendPort is the service port being referenced.
struct CAPSTAN_EXPORT ServiceBackendPort {
  // name is the name of the port on the Service. This is a mutually exclusive setting with
  // "Number".
  std::string name = {};
  // number is the numerical port number (e.g. 80) on the Service. This is a mutually exclusive
  // setting with "Name".
  std::int32_t number = {};
};
CAPSTAN_EXPORT bool operator==(const ServiceBackendPort& a, const ServiceBackendPort& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ServiceBackendPort*);

// IngressServiceBackend references a Kubernetes Service as a Backend.
struct CAPSTAN_EXPORT IngressServiceBackend {
  // name is the referenced service. The service must exist in the same namespace as the Ingress
  // object.
  std::string name = {};
  // port of the referenced service. A port name or port number is required for a
  // IngressServiceBackend.
  ServiceBackendPort port = {};
};
CAPSTAN_EXPORT bool operator==(const IngressServiceBackend& a, const IngressServiceBackend& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const IngressServiceBackend*);

// IngressBackend describes all endpoints for a given service and port.
struct CAPSTAN_EXPORT IngressBackend {
  // service references a service as a backend. This is a mutually exclusive setting with
  // "Resource".
  Boxed<IngressServiceBackend> service = {};
  // resource is an ObjectRef to another Kubernetes resource in the namespace of the Ingress object.
  // If resource is specified, a service.Name and service.Port must not be specified. This is a
  // mutually exclusive setting with "Service".
  Boxed<core::v1::TypedLocalObjectReference> resource = {};
};
CAPSTAN_EXPORT bool operator==(const IngressBackend& a, const IngressBackend& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const IngressBackend*);

// IngressTLS describes the transport layer security associated with an ingress.
struct CAPSTAN_EXPORT IngressTLS {
  // hosts is a list of hosts included in the TLS certificate. The values in this list must match
  // the name/s used in the tlsSecret. Defaults to the wildcard host setting for the loadbalancer
  // controller fulfilling this Ingress, if left unspecified.
  std::vector<std::string> hosts = {};
  // secretName is the name of the secret used to terminate TLS traffic on port 443. Field is left
  // optional to allow TLS routing based on SNI hostname alone. If the SNI host in a listener
  // conflicts with the "Host" header field used by an IngressRule, the SNI host is used for
  // termination and value of the "Host" header is used for routing.
  std::string secret_name = {};
};
CAPSTAN_EXPORT bool operator==(const IngressTLS& a, const IngressTLS& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const IngressTLS*);

// HTTPIngressPath associates a path with a backend. Incoming urls matching the path are forwarded
// to the backend.
struct CAPSTAN_EXPORT HTTPIngressPath {
  // path is matched against the path of an incoming request. Currently it can contain characters
  // disallowed from the conventional "path" part of a URL as defined by RFC 3986. Paths must begin
  // with a '/' and must be present when using PathType with value "Exact" or "Prefix".
  std::string path = {};
  // pathType determines the interpretation of the path matching. PathType can be one of the
  // following values:
  // * Exact: Matches the URL path exactly.
  // * Prefix: Matches based on a URL path prefix split by '/'. Matching is
  // done on a path element by element basis. A path element refers is the
  // list of labels in the path split by the '/' separator. A request is a
  // match for path p if every p is an element-wise prefix of p of the
  // request path. Note that if the last element of the path is a substring
  // of the last element in request path, it is not a match (e.g. /foo/bar
  // matches /foo/bar/baz, but does not match /foo/barbaz).
  // * ImplementationSpecific: Interpretation of the Path matching is up to
  // the IngressClass. Implementations can treat this as a separate PathType
  // or treat it identically to Prefix or Exact path types. Implementations are required to support
  // all path types.
  std::optional<std::string> path_type = {};
  // backend defines the referenced service endpoint to which the traffic will be forwarded to.
  IngressBackend backend = {};
};
CAPSTAN_EXPORT bool operator==(const HTTPIngressPath& a, const HTTPIngressPath& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const HTTPIngressPath*);

// HTTPIngressRuleValue is a list of http selectors pointing to backends. In the example:
// http://<host>/<path>?<searchpart> -> backend where where parts of the url correspond to RFC 3986,
// this resource will be used to match against everything after the last '/' and before the first
// '?' or '#'.
struct CAPSTAN_EXPORT HTTPIngressRuleValue {
  // paths is a collection of paths that map requests to backends.
  List<HTTPIngressPath> paths = {};
};
CAPSTAN_EXPORT bool operator==(const HTTPIngressRuleValue& a, const HTTPIngressRuleValue& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const HTTPIngressRuleValue*);

// IngressRule represents the rules mapping the paths under a specified host to the related backend
// services. Incoming requests are first evaluated for a host match, then routed to the backend
// associated with the matching IngressRuleValue.
struct CAPSTAN_EXPORT IngressRule {
  // host is the fully qualified domain name of a network host, as defined by RFC 3986. Note the
  // following deviations from the "host" part of the URI as defined in RFC 3986: 1. IPs are not
  // allowed. Currently an IngressRuleValue can only apply to
  // the IP in the Spec of the parent Ingress. 2. The `:` delimiter is not respected because ports
  // are not allowed.
  // Currently the port of an Ingress is implicitly :80 for http and
  // :443 for https. Both these may change in the future. Incoming requests are matched against the
  // host before the IngressRuleValue. If the host is unspecified, the Ingress routes all traffic
  // based on the specified IngressRuleValue.
  // host can be "precise" which is a domain name without the terminating dot of a network host
  // (e.g. "foo.bar.com") or "wildcard", which is a domain name prefixed with a single wildcard
  // label (e.g. "*.foo.com"). The wildcard character '*' must appear by itself as the first DNS
  // label and matches only a single label. You cannot have a wildcard label by itself (e.g. Host ==
  // "*"). Requests will be matched against the Host field in the following way: 1. If host is
  // precise, the request matches this rule if the http host header is equal to Host. 2. If host is
  // a wildcard, then the request matches this rule if the http host header is to equal to the
  // suffix (removing the first label) of the wildcard rule.
  std::string host = {};
  // http is a HTTP IngressRuleValue, which contains a list of http selectors
  Boxed<HTTPIngressRuleValue> http = {};
};
CAPSTAN_EXPORT bool operator==(const IngressRule& a, const IngressRule& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const IngressRule*);

// IngressSpec describes the Ingress the user wishes to exist.
struct CAPSTAN_EXPORT IngressSpec {
  // ingressClassName is the name of an IngressClass cluster resource. Ingress controller
  // implementations use this field to know whether they should be serving this Ingress resource, by
  // a transitive connection (controller -> IngressClass -> Ingress resource). Although the
  // `kubernetes.io/ingress.class` annotation (simple constant name) was never formally defined, it
  // was widely supported by Ingress controllers to create a direct binding between Ingress
  // controller and Ingress resources. Newly created Ingress resources should prefer using the
  // field. However, even though the annotation is officially deprecated, for backwards
  // compatibility reasons, ingress controllers should still honor that annotation if present.
  std::optional<std::string> ingress_class_name = {};
  // defaultBackend is the backend that should handle requests that don't match any rule. If Rules
  // are not specified, DefaultBackend must be specified. If DefaultBackend is not set, the handling
  // of requests that do not match any of the rules will be up to the Ingress controller.
  Boxed<IngressBackend> default_backend = {};
  // tls represents the TLS configuration. Currently the Ingress only supports a single TLS port,
  // 443. If multiple members of this list specify different hosts, they will be multiplexed on the
  // same port according to the hostname specified through the SNI TLS extension, if the ingress
  // controller fulfilling the ingress supports SNI.
  List<IngressTLS> tls = {};
  // rules is a list of host rules used to configure the Ingress. If unspecified, or no rule
  // matches, all traffic is sent to the default backend.
  List<IngressRule> rules = {};
};
CAPSTAN_EXPORT bool operator==(const IngressSpec& a, const IngressSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const IngressSpec*);

// IngressPortStatus represents the error condition of a service port
struct CAPSTAN_EXPORT IngressPortStatus {
  // port is the port number of the ingress port.
  std::int32_t port = {};
  // protocol is the protocol of the ingress port. The supported values are: "TCP", "UDP", "SCTP"
  std::string protocol = {};
  // error is to record the problem with the service port The format of the error shall comply with
  // the following rules:
  // - built-in error values shall be specified in this file and those shall use
  // CamelCase names
  // - cloud provider specific error values must have names that comply with the
  // format foo.example.com/CamelCase.
  std::optional<std::string> error = {};
};
CAPSTAN_EXPORT bool operator==(const IngressPortStatus& a, const IngressPortStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const IngressPortStatus*);

// IngressLoadBalancerIngress represents the status of a load-balancer ingress point.
struct CAPSTAN_EXPORT IngressLoadBalancerIngress {
  // ip is set for load-balancer ingress points that are IP based.
  std::string ip = {};
  // hostname is set for load-balancer ingress points that are DNS based.
  std::string hostname = {};
  // ports provides information about the ports exposed by this LoadBalancer.
  List<IngressPortStatus> ports = {};
};
CAPSTAN_EXPORT bool operator==(const IngressLoadBalancerIngress& a,
                               const IngressLoadBalancerIngress& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const IngressLoadBalancerIngress*);

// IngressLoadBalancerStatus represents the status of a load-balancer.
struct CAPSTAN_EXPORT IngressLoadBalancerStatus {
  // ingress is a list containing ingress points for the load-balancer.
  List<IngressLoadBalancerIngress> ingress = {};
};
CAPSTAN_EXPORT bool operator==(const IngressLoadBalancerStatus& a,
                               const IngressLoadBalancerStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const IngressLoadBalancerStatus*);

// IngressStatus describe the current state of the Ingress.
struct CAPSTAN_EXPORT IngressStatus {
  // loadBalancer contains the current status of the load-balancer.
  IngressLoadBalancerStatus load_balancer = {};
};
CAPSTAN_EXPORT bool operator==(const IngressStatus& a, const IngressStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const IngressStatus*);

// Ingress is a collection of rules that allow inbound connections to reach the endpoints defined by
// a backend. An Ingress can be configured to give services externally-reachable urls, load balance
// traffic, terminate SSL, offer name based virtual hosting etc.
struct CAPSTAN_EXPORT Ingress {
  // metadata is the standard object metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // spec is the desired state of the Ingress. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  IngressSpec spec = {};
  // status is the current state of the Ingress. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  IngressStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const Ingress& a, const Ingress& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Ingress*);

}  // namespace capstan::api::networking::v1

extern template class capstan::Boxed<capstan::api::networking::v1::IngressServiceBackend>;
extern template class capstan::Boxed<capstan::api::networking::v1::IngressBackend>;
extern template class capstan::List<capstan::api::networking::v1::IngressTLS>;
extern template class capstan::List<capstan::api::networking::v1::HTTPIngressPath>;
extern template class capstan::Boxed<capstan::api::networking::v1::HTTPIngressRuleValue>;
extern template class capstan::List<capstan::api::networking::v1::IngressRule>;
extern template class capstan::List<capstan::api::networking::v1::IngressPortStatus>;
extern template class capstan::List<capstan::api::networking::v1::IngressLoadBalancerIngress>;

template <>
inline constexpr auto capstan::kKind<capstan::api::networking::v1::Ingress> =
    capstan::Kind("networking.k8s.io", "v1", "Ingress", "ingresses")
        .Namespaced()
        .Whole()
        .Spec()
        .Status();
