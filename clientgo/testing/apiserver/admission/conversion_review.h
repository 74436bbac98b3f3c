// SPDX-License-Identifier: Apache-2.0
// The ConversionReview that a conversion webhook gets, and the checks of its answer: the same
// objects in the other version, of whose metadata only labels and annotations may change. The texts
// are those of kube-apiserver. They do not depend on HTTP.
// Mirrors k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

struct ConversionRequest {
  std::string review_version = "v1";      // of the ConversionReview: "v1" or "v1beta1"
  std::string api_version = {};           // the objects are to be converted to it
  std::vector<std::string> objects = {};  // JSON
};

Json ConversionReviewJson(const ConversionRequest& request, std::string_view uid);

// Returns the converted objects as JSON, with the metadata that they may not change. The error is
// why the answer to the review with `uid` is not accepted.
tl::expected<std::vector<std::string>, std::string> ParseConversionReview(
    const ConversionRequest& request, std::string_view uid, std::string_view body);

// Returns the text of a failed conversion of an object. `why` is the error of
// ParseConversionReview, or "failed: ..." if there was no answer.
std::string ConversionFailure(const runtime::JsonValue& object, std::string_view why);

}  // namespace capstan::testing::apiserver
