// SPDX-License-Identifier: Apache-2.0
// The JSON of an AdmissionReview. Internal to this folder; pure functions.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/parsed_json.h"
#include "capstan/webhook/admission.h"

namespace capstan::webhook {

inline constexpr int kInternalError = 500;  // the status of an HTTP answer

// Checks a request for a review before it is decoded: a body of JSON. The texts are those of
// controller-runtime.
Expected<void> CheckReviewBody(std::string_view content_type, std::string_view body);

// Parses a review of this kind and one of these versions. Also a review without apiVersion and kind
// is one.
Expected<runtime::ParsedJson> ParseReview(std::string_view body,
                                          std::initializer_list<std::string_view> api_versions,
                                          std::string_view kind);

// Decodes the body of a request of the API server. A value of the wrong type is an error, because
// a decision must not be made from a part of the request. Errors hold no value of the body.
Expected<AdmissionRequest> DecodeAdmissionReview(std::string_view body);

// Returns the body of the answer to the request with this uid. It is UTF-8, whatever a handler
// says.
std::string EncodeAdmissionReview(std::string_view uid, const AdmissionResponse& response);

}  // namespace capstan::webhook
