// SPDX-License-Identifier: Apache-2.0
// The text of a kubeconfig file for one server and one user. Pure function.
#pragma once

#include <string>
#include <string_view>

namespace apiserver {

// Empty `ca_pem`: plain HTTP. Empty `token`: no credentials.
std::string FormatKubeconfig(std::string_view url, std::string_view ca_pem, std::string_view token);

}  // namespace apiserver
