// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/certificates/v1/certificate_signing_request.h"
#include "capstan/api/certificates/v1/cluster_trust_bundle.h"
#include "capstan/api/certificates/v1/pod_certificate_request.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::certificates::v1 {

CAPSTAN_LAYOUT(CertificateSigningRequestSpec,
    CAPSTAN_REQUIRED(CertificateSigningRequestSpec, "request", request),
    CAPSTAN_REQUIRED(CertificateSigningRequestSpec, "signerName", signer_name),
    CAPSTAN_FIELD(CertificateSigningRequestSpec, "expirationSeconds", expiration_seconds),
    CAPSTAN_FIELD(CertificateSigningRequestSpec, "usages", usages),
    CAPSTAN_FIELD(CertificateSigningRequestSpec, "username", username),
    CAPSTAN_FIELD(CertificateSigningRequestSpec, "uid", uid),
    CAPSTAN_FIELD(CertificateSigningRequestSpec, "groups", groups),
    CAPSTAN_FIELD(CertificateSigningRequestSpec, "extra", extra))

CAPSTAN_LAYOUT(CertificateSigningRequestCondition,
    CAPSTAN_REQUIRED(CertificateSigningRequestCondition, "type", type),
    CAPSTAN_REQUIRED(CertificateSigningRequestCondition, "status", status),
    CAPSTAN_FIELD(CertificateSigningRequestCondition, "reason", reason),
    CAPSTAN_FIELD(CertificateSigningRequestCondition, "message", message),
    CAPSTAN_FIELD(CertificateSigningRequestCondition, "lastUpdateTime", last_update_time),
    CAPSTAN_FIELD(CertificateSigningRequestCondition, "lastTransitionTime", last_transition_time))

CAPSTAN_LAYOUT(CertificateSigningRequestStatus,
    CAPSTAN_FIELD(CertificateSigningRequestStatus, "conditions", conditions),
    CAPSTAN_FIELD(CertificateSigningRequestStatus, "certificate", certificate))

CAPSTAN_LAYOUT(CertificateSigningRequest,
    CAPSTAN_PART(CertificateSigningRequest, "metadata", metadata, kMetadata),
    CAPSTAN_PART(CertificateSigningRequest, "spec", spec, kSpec),
    CAPSTAN_PART(CertificateSigningRequest, "status", status, kStatus))

CAPSTAN_LAYOUT(ClusterTrustBundleSpec,
    CAPSTAN_FIELD(ClusterTrustBundleSpec, "signerName", signer_name),
    CAPSTAN_REQUIRED(ClusterTrustBundleSpec, "trustBundle", trust_bundle))

CAPSTAN_LAYOUT(ClusterTrustBundle,
    CAPSTAN_PART(ClusterTrustBundle, "metadata", metadata, kMetadata),
    CAPSTAN_PART(ClusterTrustBundle, "spec", spec, kSpec))

CAPSTAN_LAYOUT(PodCertificateRequestSpec,
    CAPSTAN_REQUIRED(PodCertificateRequestSpec, "signerName", signer_name),
    CAPSTAN_REQUIRED(PodCertificateRequestSpec, "podName", pod_name),
    CAPSTAN_REQUIRED(PodCertificateRequestSpec, "podUID", pod_uid),
    CAPSTAN_REQUIRED(PodCertificateRequestSpec, "serviceAccountName", service_account_name),
    CAPSTAN_REQUIRED(PodCertificateRequestSpec, "serviceAccountUID", service_account_uid),
    CAPSTAN_REQUIRED(PodCertificateRequestSpec, "nodeName", node_name),
    CAPSTAN_REQUIRED(PodCertificateRequestSpec, "nodeUID", node_uid),
    CAPSTAN_FIELD(PodCertificateRequestSpec, "maxExpirationSeconds", max_expiration_seconds),
    CAPSTAN_REQUIRED(PodCertificateRequestSpec, "stubPKCS10Request", stub_pkcs10_request),
    CAPSTAN_FIELD(PodCertificateRequestSpec, "unverifiedUserAnnotations", unverified_user_annotations))

CAPSTAN_LAYOUT(PodCertificateRequestStatus,
    CAPSTAN_FIELD(PodCertificateRequestStatus, "conditions", conditions),
    CAPSTAN_FIELD(PodCertificateRequestStatus, "certificateChain", certificate_chain),
    CAPSTAN_FIELD(PodCertificateRequestStatus, "notBefore", not_before),
    CAPSTAN_FIELD(PodCertificateRequestStatus, "beginRefreshAt", begin_refresh_at),
    CAPSTAN_FIELD(PodCertificateRequestStatus, "notAfter", not_after))

CAPSTAN_LAYOUT(PodCertificateRequest,
    CAPSTAN_PART(PodCertificateRequest, "metadata", metadata, kMetadata),
    CAPSTAN_PART(PodCertificateRequest, "spec", spec, kSpec),
    CAPSTAN_PART(PodCertificateRequest, "status", status, kStatus))

}  // namespace capstan::api::certificates::v1

template class capstan::List<capstan::api::certificates::v1::CertificateSigningRequestCondition>;
