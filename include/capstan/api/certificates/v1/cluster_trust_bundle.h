// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <string>

#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::certificates::v1 {

// ClusterTrustBundleSpec contains the signer and trust anchors.
struct CAPSTAN_EXPORT ClusterTrustBundleSpec {
  // signerName indicates the associated signer, if any.
  // In order to create or update a ClusterTrustBundle that sets signerName, you must have the
  // following cluster-scoped permission: group=certificates.k8s.io resource=signers
  // resourceName=<the signer name> verb=attest.
  // If signerName is not empty, then the ClusterTrustBundle object must be named with the signer
  // name as a prefix (translating slashes to colons). For example, for the signer name
  // `example.com/foo`, valid ClusterTrustBundle object names include `example.com:foo:abc` and
  // `example.com:foo:v1`.
  // If signerName is empty, then the ClusterTrustBundle object's name must not have such a prefix.
  // List/watch requests for ClusterTrustBundles can filter on this field using a
  // `spec.signerName=NAME` field selector.
  std::string signer_name = {};
  // trustBundle contains the individual X.509 trust anchors for this bundle, as PEM bundle of
  // PEM-wrapped, DER-formatted X.509 certificates.
  // The data must consist only of PEM certificate blocks that parse as valid X.509 certificates.
  // Each certificate must include a basic constraints extension with the CA bit set.  The API
  // server will reject objects that contain duplicate certificates, or that use PEM block headers.
  // Users of ClusterTrustBundles, including Kubelet, are free to reorder and deduplicate
  // certificate blocks in this file according to their own logic, as well as to drop PEM block
  // headers and inter-block data.
  std::string trust_bundle = {};
};
CAPSTAN_EXPORT bool operator==(const ClusterTrustBundleSpec& a, const ClusterTrustBundleSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ClusterTrustBundleSpec*);

// ClusterTrustBundle is a cluster-scoped container for X.509 trust anchors (root certificates).
// ClusterTrustBundle objects are considered to be readable by any authenticated user in the
// cluster, because they can be mounted by pods using the `clusterTrustBundle` projection.  All
// service accounts have read access to ClusterTrustBundles by default.  Users who only have
// namespace-level access to a cluster can read ClusterTrustBundles by impersonating a
// serviceaccount that they have access to.
// It can be optionally associated with a particular signer, in which case it contains one valid set
// of trust anchors for that signer. Signers may have multiple associated ClusterTrustBundles; each
// is an independent set of trust anchors for that signer. Admission control is used to enforce that
// only users with permissions on the signer can create or modify the corresponding bundle.
struct CAPSTAN_EXPORT ClusterTrustBundle {
  // metadata contains the object metadata.
  ObjectMeta metadata = {};
  // spec contains the signer (if any) and trust anchors.
  ClusterTrustBundleSpec spec = {};
};
CAPSTAN_EXPORT bool operator==(const ClusterTrustBundle& a, const ClusterTrustBundle& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ClusterTrustBundle*);

}  // namespace capstan::api::certificates::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::certificates::v1::ClusterTrustBundle> =
    capstan::Kind("certificates.k8s.io", "v1", "ClusterTrustBundle", "clustertrustbundles")
        .ClusterScoped()
        .Whole()
        .Spec();
