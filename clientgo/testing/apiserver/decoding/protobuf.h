// SPDX-License-Identifier: Apache-2.0
// Decoding of Kubernetes' protobuf into the JSON that the server stores. Typed Go clients send
// built-in kinds in this encoding. Mirrors k8s.io/apimachinery/pkg/runtime/serializer/protobuf.
#pragma once

#include <string>
#include <string_view>

#include "capstan/error.h"

namespace capstan::testing::apiserver {

// Returns the object in `body` as JSON, with its kind and apiVersion. `body` has the prefix "k8s\0"
// and a runtime.Unknown, and may be any bytes. A kind that api_types.h does not have becomes an
// object without other fields. The error is the text of Go's decoder.
tl::expected<std::string, std::string> JsonFromProtobuf(std::string_view body);

}  // namespace capstan::testing::apiserver
