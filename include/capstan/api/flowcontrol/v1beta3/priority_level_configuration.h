// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::flowcontrol::v1beta3 {

// QueuingConfiguration holds the configuration parameters for queuing
struct CAPSTAN_EXPORT QueuingConfiguration {
  // `queues` is the number of queues for this priority level. The queues exist independently at
  // each apiserver. The value must be positive.  Setting it to 1 effectively precludes
  // shufflesharding and thus makes the distinguisher method of associated flow schemas irrelevant.
  // This field has a default value of 64.
  std::int32_t queues = {};
  // `handSize` is a small positive number that configures the shuffle sharding of requests into
  // queues.  When enqueuing a request at this priority level the request's flow identifier (a
  // string pair) is hashed and the hash value is used to shuffle the list of queues and deal a hand
  // of the size specified here.  The request is put into one of the shortest queues in that hand.
  // `handSize` must be no larger than `queues`, and should be significantly smaller (so that a few
  // heavy flows do not saturate most of the queues).  See the user-facing documentation for more
  // extensive guidance on setting this field.  This field has a default value of 8.
  std::int32_t hand_size = {};
  // `queueLengthLimit` is the maximum number of requests allowed to be waiting in a given queue of
  // this priority level at a time; excess requests are rejected.  This value must be positive.  If
  // not specified, it will be defaulted to 50.
  std::int32_t queue_length_limit = {};
};
CAPSTAN_EXPORT bool operator==(const QueuingConfiguration& a, const QueuingConfiguration& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const QueuingConfiguration*);

// LimitResponseType identifies how a Limited priority level handles a request that can not be
// executed right now
// LimitResponseTypeQueue means that requests that can not be executed right now are queued until
// they can be executed or a queuing limit is hit
inline constexpr std::string_view kLimitResponseTypeQueue = "Queue";
// LimitResponseTypeReject means that requests that can not be executed right now are rejected
inline constexpr std::string_view kLimitResponseTypeReject = "Reject";

// LimitResponse defines how to handle requests that can not be executed right now.
struct CAPSTAN_EXPORT LimitResponse {
  // `type` is "Queue" or "Reject". "Queue" means that requests that can not be executed upon
  // arrival are held in a queue until they can be executed or a queuing limit is reached. "Reject"
  // means that requests that can not be executed upon arrival are rejected. Required.
  std::string type = {};
  // `queuing` holds the configuration parameters for queuing. This field may be non-empty only if
  // `type` is `"Queue"`.
  Boxed<QueuingConfiguration> queuing = {};
};
CAPSTAN_EXPORT bool operator==(const LimitResponse& a, const LimitResponse& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LimitResponse*);

// LimitedPriorityLevelConfiguration specifies how to handle requests that are subject to limits. It
// addresses two issues:
// - How are requests for this priority level limited?
// - What should be done with requests that exceed the limit?
struct CAPSTAN_EXPORT LimitedPriorityLevelConfiguration {
  // `nominalConcurrencyShares` (NCS) contributes to the computation of the NominalConcurrencyLimit
  // (NominalCL) of this level. This is the number of execution seats available at this priority
  // level. This is used both for requests dispatched from this priority level as well as requests
  // dispatched from other priority levels borrowing seats from this level. The server's concurrency
  // limit (ServerCL) is divided among the Limited priority levels in proportion to their NCS
  // values:
  // NominalCL(i)  = ceil( ServerCL * NCS(i) / sum_ncs ) sum_ncs = sum[priority level k] NCS(k)
  // Bigger numbers mean a larger nominal concurrency limit, at the expense of every other priority
  // level. This field has a default value of 30.
  std::int32_t nominal_concurrency_shares = {};
  // `limitResponse` indicates what to do with requests that can not be executed right now
  LimitResponse limit_response = {};
  // `lendablePercent` prescribes the fraction of the level's NominalCL that can be borrowed by
  // other priority levels. The value of this field must be between 0 and 100, inclusive, and it
  // defaults to 0. The number of seats that other levels can borrow from this level, known as this
  // level's LendableConcurrencyLimit (LendableCL), is defined as follows.
  // LendableCL(i) = round( NominalCL(i) * lendablePercent(i)/100.0 )
  std::optional<std::int32_t> lendable_percent = {};
  // `borrowingLimitPercent`, if present, configures a limit on how many seats this priority level
  // can borrow from other priority levels. The limit is known as this level's
  // BorrowingConcurrencyLimit (BorrowingCL) and is a limit on the total number of seats that this
  // level may borrow at any one time. This field holds the ratio of that limit to the level's
  // nominal concurrency limit. When this field is non-nil, it must hold a non-negative integer and
  // the limit is calculated as follows.
  // BorrowingCL(i) = round( NominalCL(i) * borrowingLimitPercent(i)/100.0 )
  // The value of this field can be more than 100, implying that this priority level can borrow a
  // number of seats that is greater than its own nominal concurrency limit (NominalCL). When this
  // field is left `nil`, the limit is effectively infinite.
  std::optional<std::int32_t> borrowing_limit_percent = {};
};
CAPSTAN_EXPORT bool operator==(const LimitedPriorityLevelConfiguration& a,
                               const LimitedPriorityLevelConfiguration& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const LimitedPriorityLevelConfiguration*);

// ExemptPriorityLevelConfiguration describes the configurable aspects of the handling of exempt
// requests. In the mandatory exempt configuration object the values in the fields here can be
// modified by authorized users, unlike the rest of the `spec`.
struct CAPSTAN_EXPORT ExemptPriorityLevelConfiguration {
  // `nominalConcurrencyShares` (NCS) contributes to the computation of the NominalConcurrencyLimit
  // (NominalCL) of this level. This is the number of execution seats nominally reserved for this
  // priority level. This DOES NOT limit the dispatching from this priority level but affects the
  // other priority levels through the borrowing mechanism. The server's concurrency limit
  // (ServerCL) is divided among all the priority levels in proportion to their NCS values:
  // NominalCL(i)  = ceil( ServerCL * NCS(i) / sum_ncs ) sum_ncs = sum[priority level k] NCS(k)
  // Bigger numbers mean a larger nominal concurrency limit, at the expense of every other priority
  // level. This field has a default value of zero.
  std::optional<std::int32_t> nominal_concurrency_shares = {};
  // `lendablePercent` prescribes the fraction of the level's NominalCL that can be borrowed by
  // other priority levels.  This value of this field must be between 0 and 100, inclusive, and it
  // defaults to 0. The number of seats that other levels can borrow from this level, known as this
  // level's LendableConcurrencyLimit (LendableCL), is defined as follows.
  // LendableCL(i) = round( NominalCL(i) * lendablePercent(i)/100.0 )
  std::optional<std::int32_t> lendable_percent = {};
};
CAPSTAN_EXPORT bool operator==(const ExemptPriorityLevelConfiguration& a,
                               const ExemptPriorityLevelConfiguration& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ExemptPriorityLevelConfiguration*);

// PriorityLevelEnablement indicates whether limits on execution are enabled for the priority level
// PriorityLevelEnablementExempt means that requests are not subject to limits
inline constexpr std::string_view kPriorityLevelEnablementExempt = "Exempt";
// PriorityLevelEnablementLimited means that requests are subject to limits
inline constexpr std::string_view kPriorityLevelEnablementLimited = "Limited";

// PriorityLevelConfigurationSpec specifies the configuration of a priority level.
struct CAPSTAN_EXPORT PriorityLevelConfigurationSpec {
  // `type` indicates whether this priority level is subject to limitation on request execution.  A
  // value of `"Exempt"` means that requests of this priority level are not subject to a limit (and
  // thus are never queued) and do not detract from the capacity made available to other priority
  // levels.  A value of `"Limited"` means that (a) requests of this priority level _are_ subject to
  // limits and (b) some of the server's limited capacity is made available exclusively to this
  // priority level. Required.
  std::string type = {};
  // `limited` specifies how requests are handled for a Limited priority level. This field must be
  // non-empty if and only if `type` is `"Limited"`.
  Boxed<LimitedPriorityLevelConfiguration> limited = {};
  // `exempt` specifies how requests are handled for an exempt priority level. This field MUST be
  // empty if `type` is `"Limited"`. This field MAY be non-empty if `type` is `"Exempt"`. If empty
  // and `type` is `"Exempt"` then the default values for `ExemptPriorityLevelConfiguration` apply.
  Boxed<ExemptPriorityLevelConfiguration> exempt = {};
};
CAPSTAN_EXPORT bool operator==(const PriorityLevelConfigurationSpec& a,
                               const PriorityLevelConfigurationSpec& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PriorityLevelConfigurationSpec*);

// PriorityLevelConfigurationCondition defines the condition of priority level.
struct CAPSTAN_EXPORT PriorityLevelConfigurationCondition {
  // `type` is the type of the condition. Required.
  std::string type = {};
  // `status` is the status of the condition. Should be specified and set to one of True, False,
  // Unknown.
  std::string status = {};
  // `lastTransitionTime` is the last time the condition transitioned from one status to another.
  std::optional<Time> last_transition_time = {};
  // `reason` is a unique, one-word, CamelCase reason for the condition's last transition.
  std::string reason = {};
  // `message` is a human-readable message indicating details about last transition.
  std::string message = {};
};
CAPSTAN_EXPORT bool operator==(const PriorityLevelConfigurationCondition& a,
                               const PriorityLevelConfigurationCondition& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PriorityLevelConfigurationCondition*);

// PriorityLevelConfigurationStatus represents the current state of a "request-priority".
struct CAPSTAN_EXPORT PriorityLevelConfigurationStatus {
  // `conditions` is the current state of "request-priority".
  List<PriorityLevelConfigurationCondition> conditions = {};
};
CAPSTAN_EXPORT bool operator==(const PriorityLevelConfigurationStatus& a,
                               const PriorityLevelConfigurationStatus& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PriorityLevelConfigurationStatus*);

// PriorityLevelConfiguration represents the configuration of a priority level.
struct CAPSTAN_EXPORT PriorityLevelConfiguration {
  // `metadata` is the standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // `spec` is the specification of the desired behavior of a "request-priority". More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  PriorityLevelConfigurationSpec spec = {};
  // `status` is the current status of a "request-priority". More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#spec-and-status
  PriorityLevelConfigurationStatus status = {};
};
CAPSTAN_EXPORT bool operator==(const PriorityLevelConfiguration& a,
                               const PriorityLevelConfiguration& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const PriorityLevelConfiguration*);

}  // namespace capstan::api::flowcontrol::v1beta3

extern template class capstan::Boxed<capstan::api::flowcontrol::v1beta3::QueuingConfiguration>;
extern template class capstan::Boxed<
    capstan::api::flowcontrol::v1beta3::LimitedPriorityLevelConfiguration>;
extern template class capstan::Boxed<
    capstan::api::flowcontrol::v1beta3::ExemptPriorityLevelConfiguration>;
extern template class capstan::List<
    capstan::api::flowcontrol::v1beta3::PriorityLevelConfigurationCondition>;

template <>
inline constexpr auto
    capstan::kKind<capstan::api::flowcontrol::v1beta3::PriorityLevelConfiguration> =
        capstan::Kind("flowcontrol.apiserver.k8s.io", "v1beta3", "PriorityLevelConfiguration",
                      "prioritylevelconfigurations")
            .ClusterScoped()
            .Whole()
            .Spec()
            .Status();
