// SPDX-License-Identifier: Apache-2.0
// What the real API server asks of a CA bundle where it asks anything: one certificate that can be
// parsed; whatever else there is does not matter. Pure function. Mirrors rootCertPool of
// k8s.io/client-go/transport, in its words.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace apiserver {

// Why no certificate authority can be read from PEM text; nullopt: one can, or it is empty.
std::optional<std::string> WhyNoRootCertificates(std::string_view pem);

}  // namespace apiserver
