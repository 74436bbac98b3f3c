// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capstan/boxed.h"
#include "capstan/bytes.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"

namespace capstan::api::admissionregistration::v1 {

// ServiceReference holds a reference to Service.legacy.k8s.io
struct CAPSTAN_EXPORT ServiceReference {
  // namespace is the namespace of the service. Required
  std::string namespace_ = {};
  // name is the name of the service. Required
  std::string name = {};
  // path is an optional URL path which will be sent in any request to this service.
  std::optional<std::string> path = {};
  // port is the port on the service that hosts the webhook. Default to 443 for backward
  // compatibility. `port` should be a valid port number (1-65535, inclusive).
  std::optional<std::int32_t> port = {};
};
CAPSTAN_EXPORT bool operator==(const ServiceReference& a, const ServiceReference& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ServiceReference*);

// WebhookClientConfig contains the information to make a TLS connection with the webhook
struct CAPSTAN_EXPORT WebhookClientConfig {
  // url gives the location of the webhook, in standard URL form (`scheme://host:port/path`).
  // Exactly one of `url` or `service` must be specified.
  // The `host` should not refer to a service running in the cluster; use the `service` field
  // instead. The host might be resolved via external DNS in some apiservers (e.g., `kube-apiserver`
  // cannot resolve in-cluster DNS as that would be a layering violation). `host` may also be an IP
  // address.
  // Please note that using `localhost` or `127.0.0.1` as a `host` is risky unless you take great
  // care to run this webhook on all hosts which run an apiserver which might need to make calls to
  // this webhook. Such installs are likely to be non-portable, i.e., not easy to turn up in a new
  // cluster.
  // The scheme must be "https"; the URL must begin with "https://".
  // A path is optional, and if present may be any string permissible in a URL. You may use the path
  // to pass an arbitrary string to the webhook, for example, a cluster identifier.
  // Attempting to use a user or basic auth e.g. "user:password@" is not allowed. Fragments ("#...")
  // and query parameters ("?...") are not allowed, either.
  std::optional<std::string> url = {};
  // service is a reference to the service for this webhook. Either `service` or `url` must be
  // specified.
  // If the webhook is running within the cluster, then you should use `service`.
  Boxed<ServiceReference> service = {};
  // caBundle is a PEM encoded CA bundle which will be used to validate the webhook's server
  // certificate. If unspecified, system trust roots on the apiserver are used.
  Bytes ca_bundle = {};
};
CAPSTAN_EXPORT bool operator==(const WebhookClientConfig& a, const WebhookClientConfig& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const WebhookClientConfig*);

}  // namespace capstan::api::admissionregistration::v1

extern template class capstan::Boxed<capstan::api::admissionregistration::v1::ServiceReference>;
