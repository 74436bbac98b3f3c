// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/bytes.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::certificates::v1 {

// Denied indicates the request was denied by the signer.
inline constexpr std::string_view kPodCertificateRequestConditionTypeDenied = "Denied";
// Failed indicates the signer failed to issue the certificate.
inline constexpr std::string_view kPodCertificateRequestConditionTypeFailed = "Failed";
// Issued indicates the certificate has been issued.
inline constexpr std::string_view kPodCertificateRequestConditionTypeIssued = "Issued";
// UnsupportedKeyType should be set on "Denied" conditions when the signer doesn't support the key
// type of publicKey.
inline constexpr std::string_view kPodCertificateRequestConditionUnsupportedKeyType =
    "UnsupportedKeyType";
// InvalidUnverifiedUserAnnotations should be set on "Denied" conditions when the signer does not
// recognize one of the keys passed in userConfig, or if the signer otherwise considers the
// userConfig of the request to be invalid.
inline constexpr std::string_view kPodCertificateRequestConditionInvalidUserConfig =
    "InvalidUnverifiedUserAnnotations";

// KeyUsage specifies valid usage contexts for keys. See:
// https://tools.ietf.org/html/rfc5280#section-4.2.1.3
// https://tools.ietf.org/html/rfc5280#section-4.2.1.12
inline constexpr std::string_view kUsageSigning = "signing";
inline constexpr std::string_view kUsageDigitalSignature = "digital signature";
inline constexpr std::string_view kUsageContentCommitment = "content commitment";
inline constexpr std::string_view kUsageKeyEncipherment = "key encipherment";
inline constexpr std::string_view kUsageKeyAgreement = "key agreement";
inline constexpr std::string_view kUsageDataEncipherment = "data encipherment";
inline constexpr std::string_view kUsageCertSign = "cert sign";
inline constexpr std::string_view kUsageCRLSign = "crl sign";
inline constexpr std::string_view kUsageEncipherOnly = "encipher only";
inline constexpr std::string_view kUsageDecipherOnly = "decipher only";
inline constexpr std::string_view kUsageAny = "any";
inline constexpr std::string_view kUsageServerAuth = "server auth";
inline constexpr std::string_view kUsageClientAuth = "client auth";
inline constexpr std::string_view kUsageCodeSigning = "code signing";
inline constexpr std::string_view kUsageEmailProtection = "email protection";
inline constexpr std::string_view kUsageSMIME = "s/mime";
inline constexpr std::string_view kUsageIPsecEndSystem = "ipsec end system";
inline constexpr std::string_view kUsageIPsecTunnel = "ipsec tunnel";
inline constexpr std::string_view kUsageIPsecUser = "ipsec user";
inline constexpr std::string_view kUsageTimestamping = "timestamping";
inline constexpr std::string_view kUsageOCSPSigning = "ocsp signing";
inline constexpr std::string_view kUsageMicrosoftSGC = "microsoft sgc";
inline constexpr std::string_view kUsageNetscapeSGC = "netscape sgc";

// CertificateSigningRequestSpec contains the certificate request.
struct CAPSTAN_EXPORT CertificateSigningRequestSpec {
  // request contains an x509 certificate signing request encoded in a "CERTIFICATE REQUEST" PEM
  // block. When serialized as JSON or YAML, the data is additionally base64-encoded.
  Bytes request = {};
  // signerName indicates the requested signer, and is a qualified name.
  // List/watch requests for CertificateSigningRequests can filter on this field using a
  // "spec.signerName=NAME" fieldSelector.
  // Well-known Kubernetes signers are: 1. "kubernetes.io/kube-apiserver-client": issues client
  // certificates that can be used to authenticate to kube-apiserver.
  // Requests for this signer are never auto-approved by kube-controller-manager, can be issued by
  // the "csrsigning" controller in kube-controller-manager. 2.
  // "kubernetes.io/kube-apiserver-client-kubelet": issues client certificates that kubelets use to
  // authenticate to kube-apiserver.
  // Requests for this signer can be auto-approved by the "csrapproving" controller in
  // kube-controller-manager, and can be issued by the "csrsigning" controller in
  // kube-controller-manager. 3. "kubernetes.io/kubelet-serving" issues serving certificates that
  // kubelets use to serve TLS endpoints, which kube-apiserver can connect to securely.
  // Requests for this signer are never auto-approved by kube-controller-manager, and can be issued
  // by the "csrsigning" controller in kube-controller-manager.
  // More details are available at
  // https://k8s.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers
  // Custom signerNames can also be specified. The signer defines: 1. Trust distribution: how trust
  // (CA bundles) are distributed. 2. Permitted subjects: and behavior when a disallowed subject is
  // requested. 3. Required, permitted, or forbidden x509 extensions in the request (including
  // whether subjectAltNames are allowed, which types, restrictions on allowed values) and behavior
  // when a disallowed extension is requested. 4. Required, permitted, or forbidden key usages /
  // extended key usages. 5. Expiration/certificate lifetime: whether it is fixed by the signer,
  // configurable by the admin. 6. Whether or not requests for CA certificates are allowed.
  std::string signer_name = {};
  // expirationSeconds is the requested duration of validity of the issued certificate. The
  // certificate signer may issue a certificate with a different validity duration so a client must
  // check the delta between the notBefore and and notAfter fields in the issued certificate to
  // determine the actual duration.
  // The v1.22+ in-tree implementations of the well-known Kubernetes signers will honor this field
  // as long as the requested duration is not greater than the maximum duration they will honor per
  // the --cluster-signing-duration CLI flag to the Kubernetes controller manager.
  // Certificate signers may not honor this field for various reasons:
  // 1. Old signer that is unaware of the field (such as the in-tree
  // implementations prior to v1.22)
  // 2. Signer whose configured maximum is shorter than the requested duration
  // 3. Signer whose configured minimum is longer than the requested duration
  // The minimum valid value for expirationSeconds is 600, i.e. 10 minutes.
  std::optional<std::int32_t> expiration_seconds = {};
  // usages specifies a set of key usages requested in the issued certificate.
  // Requests for TLS client certificates typically request: "digital signature", "key
  // encipherment", "client auth".
  // Requests for TLS serving certificates typically request: "key encipherment", "digital
  // signature", "server auth".
  // Valid values are: "signing", "digital signature", "content commitment", "key encipherment",
  // "key agreement", "data encipherment", "cert sign", "crl sign", "encipher only", "decipher
  // only", "any", "server auth", "client auth", "code signing", "email protection", "s/mime",
  // "ipsec end system", "ipsec tunnel", "ipsec user", "timestamping", "ocsp signing", "microsoft
  // sgc", "netscape sgc"
  std::vector<std::string> usages = {};
  // username contains the name of the user that created the CertificateSigningRequest. Populated by
  // the API server on creation and immutable.
  std::string username = {};
  // uid contains the uid of the user that created the CertificateSigningRequest. Populated by the
  // API server on creation and immutable.
  std::string uid = {};
  // groups contains group membership of the user that created the CertificateSigningRequest.
  // Populated by the API server on creation and immutable.
  std::vector<std::string> groups = {};
  // extra contains extra attributes of the user that created the CertificateSigningRequest.
  // Populated by the API server on creation and immutable.
  std::map<std::string, std::vector<std::string>> extra = {};
};
CAPSTAN_EXPORT bool operator==(const CertificateSigningRequestSpec& a,
                               const CertificateSigningRequestSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CertificateSigningRequestSpec*);

// RequestConditionType is the type of a CertificateSigningRequestCondition
// Approved indicates the request was approved and should be issued by the signer.
inline constexpr std::string_view kCertificateApproved = "Approved";
// Denied indicates the request was denied and should not be issued by the signer.
inline constexpr std::string_view kCertificateDenied = "Denied";
// Failed indicates the signer failed to issue the certificate.
inline constexpr std::string_view kCertificateFailed = "Failed";

// CertificateSigningRequestCondition describes a condition of a CertificateSigningRequest object
struct CAPSTAN_EXPORT CertificateSigningRequestCondition {
  // type of the condition. Known conditions are "Approved", "Denied", and "Failed".
  // An "Approved" condition is added via the /approval subresource, indicating the request was
  // approved and should be issued by the signer.
  // A "Denied" condition is added via the /approval subresource, indicating the request was denied
  // and should not be issued by the signer.
  // A "Failed" condition is added via the /status subresource, indicating the signer failed to
  // issue the certificate.
  // Approved and Denied conditions are mutually exclusive. Approved, Denied, and Failed conditions
  // cannot be removed once added.
  // Only one condition of a given type is allowed.
  std::string type = {};
  // status of the condition, one of True, False, Unknown. Approved, Denied, and Failed conditions
  // may not be "False" or "Unknown".
  std::string status = {};
  // reason indicates a brief reason for the request state
  std::string reason = {};
  // message contains a human readable message with details about the request state
  std::string message = {};
  // lastUpdateTime is the time of the last update to this condition
  std::optional<Time> last_update_time = {};
  // lastTransitionTime is the time the condition last transitioned from one status to another. If
  // unset, when a new condition type is added or an existing condition's status is changed, the
  // server defaults this to the current time.
  std::optional<Time> last_transition_time = {};
};
CAPSTAN_EXPORT bool operator==(const CertificateSigningRequestCondition& a,
                               const CertificateSigningRequestCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CertificateSigningRequestCondition*);

// CertificateSigningRequestStatus contains conditions used to indicate approved/denied/failed
// status of the request, and the issued certificate.
struct CAPSTAN_EXPORT CertificateSigningRequestStatus {
  // conditions applied to the request. Known conditions are "Approved", "Denied", and "Failed".
  List<CertificateSigningRequestCondition> conditions = {};
  // certificate is populated with an issued certificate by the signer after an Approved condition
  // is present. This field is set via the /status subresource. Once populated, this field is
  // immutable.
  // If the certificate signing request is denied, a condition of type "Denied" is added and this
  // field remains empty. If the signer cannot issue the certificate, a condition of type "Failed"
  // is added and this field remains empty.
  // Validation requirements: 1. certificate must contain one or more PEM blocks. 2. All PEM blocks
  // must have the "CERTIFICATE" label, contain no headers, and the encoded data
  // must be a BER-encoded ASN.1 Certificate structure as described in section 4 of RFC5280. 3.
  // Non-PEM content may appear before or after the "CERTIFICATE" PEM blocks and is unvalidated,
  // to allow for explanatory text as described in section 5.2 of RFC7468.
  // If more than one PEM block is present, and the definition of the requested spec.signerName does
  // not indicate otherwise, the first block is the issued certificate, and subsequent blocks should
  // be treated as intermediate certificates and presented in TLS handshakes.
  // The certificate is encoded in PEM format.
  // When serialized as JSON or YAML, the data is additionally base64-encoded, so it consists of:
  // base64(
  // -----BEGIN CERTIFICATE-----
  // ...
  // -----END CERTIFICATE-----
  // )
  Bytes certificate = {};
};
CAPSTAN_EXPORT bool operator==(const CertificateSigningRequestStatus& a,
                               const CertificateSigningRequestStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CertificateSigningRequestStatus*);

// CertificateSigningRequest objects provide a mechanism to obtain x509 certificates by submitting a
// certificate signing request, and having it asynchronously approved and issued.
// Kubelets use this API to obtain: 1. client certificates to authenticate to kube-apiserver (with
// the "kubernetes.io/kube-apiserver-client-kubelet" signerName). 2. serving certificates for TLS
// endpoints kube-apiserver can connect to securely (with the "kubernetes.io/kubelet-serving"
// signerName).
// This API can be used to request client certificates to authenticate to kube-apiserver (with the
// "kubernetes.io/kube-apiserver-client" signerName), or to obtain certificates from custom
// non-Kubernetes signers.
struct CAPSTAN_EXPORT CertificateSigningRequest {
  ObjectMeta metadata = {};
  // spec contains the certificate request, and is immutable after creation. Only the request,
  // signerName, expirationSeconds, and usages fields can be set on creation. Other fields are
  // derived by Kubernetes and cannot be modified by users.
  CertificateSigningRequestSpec spec = {};
  // status contains information about whether the request is approved or denied, and the
  // certificate issued by the signer, or the failure condition indicating signer failure.
  CertificateSigningRequestStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const CertificateSigningRequest& a,
                               const CertificateSigningRequest& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const CertificateSigningRequest*);

}  // namespace capstan::api::certificates::v1

extern template class capstan::List<
    capstan::api::certificates::v1::CertificateSigningRequestCondition>;

template <>
inline constexpr auto capstan::kKind<capstan::api::certificates::v1::CertificateSigningRequest> =
    capstan::Kind("certificates.k8s.io", "v1", "CertificateSigningRequest",
                  "certificatesigningrequests")
        .ClusterScoped()
        .Whole()
        .Spec()
        .Status();
