// SPDX-License-Identifier: Apache-2.0
// Rules of addresses and ports that several kinds share. The texts are those of kube-apiserver
// 1.34. Addresses and ranges are read as Go's ParseIPSloppy does: "010.1.2.3" is 10.1.2.3. Mirrors
// k8s.io/apimachinery/pkg/util/validation/ip.go.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

struct Address {
  int family = 0;  // AF_INET or AF_INET6
  std::array<unsigned char, 16> bytes = {};
  // Returns the text as Go writes it.
  std::string Text() const;
};

// Cidr is a range of addresses, which begins at any address in it.
struct Cidr {
  Address address;
  int bits = 0;
  // Returns the first address.
  Address First() const;
  bool Contains(const Address& other) const;
};

std::optional<Address> ParseAddress(std::string_view text);
std::optional<Cidr> ParseCidr(std::string_view text);
// Reports whether the text is an address of a family: AF_INET or AF_INET6.
bool IsAddress(std::string_view text, int family);

void CheckAnyAddress(const Place& address, FieldRules& rules);
// The address of an endpoint is neither unspecified, of the loopback interface, nor link-local.
void CheckEndpointAddress(const Place& address, FieldRules& rules);
// Checks both. An address of an external client or of an EndpointSlice is only checked as that of
// an endpoint if it is valid.
void CheckAddress(const Place& address, FieldRules& rules);
void CheckCidr(const Place& cidr, FieldRules& rules);
// Add what a client is told about an address or a range that Kubernetes will reject in future, or
// that is not written in the canonical form. A text that is not valid adds nothing.
void WarnOfAddress(const Place& address, std::vector<std::string>& warnings);
void WarnOfCidr(const Place& cidr, std::vector<std::string>& warnings);

// Returns what is wrong with the name of a port of a container: "http".
std::vector<std::string> PortNameErrors(std::string_view name);
void CheckPortNumber(const Place& port, FieldRules& rules);
void CheckAppProtocol(const Place& protocol, FieldRules& rules);

}  // namespace capstan::testing::apiserver
