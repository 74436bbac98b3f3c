// SPDX-License-Identifier: Apache-2.0
// The AdmissionReview that a webhook gets, what it answers, and the errors that result. They
// do not depend on HTTP.
// Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/{request,errors}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/admission/webhooks.h"
#include "clientgo/testing/apiserver/authentication/user_info.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// Returns the request of an AdmissionReview as JSON, without its uid. `options` is an object with
// the members of the CreateOptions, UpdateOptions or DeleteOptions.
Json AdmissionRequestJson(const AdmissionAttributes& attributes, const UserInfo& user, bool dry_run,
                          const runtime::JsonValue& options);
// Returns the AdmissionReview of `version`, which is "v1" or "v1beta1", with this request and
// `uid`.
Json AdmissionReviewJson(std::string_view version, std::string_view request, std::string_view uid);

struct AdmissionResponse {
  bool allowed = false;
  Status denial = {};      // if it is not allowed
  std::string patch = {};  // a JSON patch; empty: none
  std::vector<std::string> warnings = {};
};

// AdmissionResult is the outcome of one call. The error is the reason in the text of FailedCalling.
using AdmissionResult = tl::expected<AdmissionResponse, std::string>;

// Parses the AdmissionReview that a webhook answered to the one with `uid`.
AdmissionResult ParseAdmissionReview(const Webhook& webhook, std::string_view uid,
                                     std::string_view body);

// Returns the error for a webhook that could not be called, or whose answer is invalid.
Status FailedCalling(std::string_view webhook, std::string_view reason);

}  // namespace capstan::testing::apiserver
