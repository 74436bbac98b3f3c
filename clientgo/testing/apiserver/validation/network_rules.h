// SPDX-License-Identifier: Apache-2.0
// Rules of addresses and ports that the kinds about networks share. The texts are those of
// kube-apiserver 1.34.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

// Reports whether the text is an address of a family: AF_INET or AF_INET6.
bool IsAddress(std::string_view text, int family);
// The address of an endpoint is neither unspecified, of the loopback interface, nor link-local.
void CheckAddress(const Place& address, FieldRules& rules);
// Returns what is wrong with the name of a port of a container: "http".
std::vector<std::string> PortNameErrors(std::string_view name);
void CheckPortNumber(const Place& port, FieldRules& rules);
void CheckAppProtocol(const Place& protocol, FieldRules& rules);

}  // namespace capstan::testing::apiserver
