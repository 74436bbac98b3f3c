// SPDX-License-Identifier: Apache-2.0
// Validation of names, of objects, and of their changes, with the error texts of kube-apiserver. It
// covers the rules that clients here can break. Mirrors k8s.io/apimachinery/pkg/util/validation,
// and the validation of the kinds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"
#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

// Returns what is wrong with a key of labels or annotations, or with a finalizer.
std::vector<std::string> QualifiedNameErrors(std::string_view text);
std::vector<std::string> LabelValueErrors(std::string_view text);
std::vector<std::string> SubdomainErrors(std::string_view text);
std::vector<std::string> DnsLabelErrors(std::string_view text);
std::vector<std::string> Dns1035LabelErrors(std::string_view text);
// Returns what is wrong with a name that is a segment of a path and no DNS name: "system:node".
std::vector<std::string> PathSegmentErrors(std::string_view text);
// Returns what is wrong with a key of the data of a ConfigMap or a Secret.
std::vector<std::string> ConfigKeyErrors(std::string_view text);

// Returns why no root certificate can be read from PEM text. Returns nullopt if one can, or if
// the text is empty.
// Mirrors rootCertPool of k8s.io/client-go/transport.
std::optional<std::string> WhyNoRootCertificates(std::string_view pem);

// Returns why the object is invalid. `create`: it is new.
std::vector<Cause> Validate(const Resource& resource, const runtime::JsonValue& object,
                            bool create);
// Returns why `next` may not replace `live` in a write of this subresource.
std::vector<Cause> ValidateUpdate(const Resource& resource, const runtime::JsonValue& live,
                                  const runtime::JsonValue& next, std::string_view subresource);

}  // namespace capstan::testing::apiserver
