// SPDX-License-Identifier: Apache-2.0
// The functions of IP addresses and networks. Mirrors Kubernetes' cel/library/ip.go and cidr.go.
#include <array>
#include <memory>
#include <optional>
#include <string>

#include "clientgo/cel/functions.h"
#include "clientgo/cel/ip_address.h"

namespace capstan::cel {
namespace {

class IpValue : public Opaque {
 public:
  explicit IpValue(const IpAddress& given) : address(given) {}
  std::string_view type_name() const override { return "net.IP"; }
  bool Equals(const Opaque& other) const override {
    return address == static_cast<const IpValue&>(other).address;
  }
  bool IsSameKey(const Opaque& other) const override { return Equals(other); }
  std::size_t size() const override { return static_cast<std::size_t>(address.bits() / 8); }
  IpAddress address;
};

class NetworkValue : public Opaque {
 public:
  explicit NetworkValue(const IpNetwork& given) : network(given) {}
  std::string_view type_name() const override { return "net.CIDR"; }
  bool Equals(const Opaque& other) const override {
    return network == static_cast<const NetworkValue&>(other).network;
  }
  bool IsSameKey(const Opaque& other) const override { return Equals(other); }
  std::size_t size() const override { return static_cast<std::size_t>((network.prefix + 7) / 8); }
  IpNetwork network;
};

Value NewIp(const IpAddress& address) {
  return Value::Of(std::make_shared<const IpValue>(address));
}
Value NewNetwork(const IpNetwork& network) {
  return Value::Of(std::make_shared<const NetworkValue>(network));
}

const IpAddress& IpOf(const Value& value) {
  return static_cast<const IpValue*>(value.opaque())->address;
}
const IpNetwork& NetworkOf(const Value& value) {
  return static_cast<const NetworkValue*>(value.opaque())->network;
}

Value MakeIp(Arguments args) {
  std::string error;
  const auto address = ParseIp(*args[0].Get<std::string>(), error);
  return address ? NewIp(*address) : Value::Failure(error);
}
Value IsIp(Arguments args) {
  std::string error;
  return Value::Bool(ParseIp(*args[0].Get<std::string>(), error).has_value());
}
Value IsCanonicalIp(Arguments args) {
  std::string error;
  const std::string& text = *args[0].Get<std::string>();
  const auto address = ParseIp(text, error);
  return address ? Value::Bool(address->ToString() == text) : Value::Failure(error);
}
Value IpToText(Arguments args) { return Value::String(IpOf(args[0]).ToString()); }
Value FamilyOfIp(Arguments args) { return Value::Int(IpOf(args[0]).v4 ? 4 : 6); }

bool IsUnspecifiedIp(const IpAddress& ip) { return ip.bytes == decltype(ip.bytes){}; }
bool IsLoopbackIp(const IpAddress& ip) {
  if (ip.v4) return ip.bytes[0] == 127;
  decltype(ip.bytes) loopback{};
  loopback.back() = 1;
  return ip.bytes == loopback;
}
bool IsLinkLocalMulticastIp(const IpAddress& ip) {
  if (ip.v4) return ip.bytes[0] == 224 && ip.bytes[1] == 0 && ip.bytes[2] == 0;
  return ip.bytes[0] == 0xff && (ip.bytes[1] & 0xfU) == 2;
}
bool IsLinkLocalUnicastIp(const IpAddress& ip) {
  if (ip.v4) return ip.bytes[0] == 169 && ip.bytes[1] == 254;
  return ip.bytes[0] == 0xfe && (ip.bytes[1] & 0xc0U) == 0x80;
}
bool IsMulticastIp(const IpAddress& ip) {
  return ip.v4 ? (ip.bytes[0] & 0xf0U) == 0xe0 : ip.bytes[0] == 0xff;
}
bool IsGlobalUnicastIp(const IpAddress& ip) {
  constexpr std::uint8_t kAll = 0xff;
  const bool broadcast = ip.v4 && ip.bytes[0] == kAll && ip.bytes[1] == kAll &&
                         ip.bytes[2] == kAll && ip.bytes[3] == kAll;
  return !broadcast && !IsUnspecifiedIp(ip) && !IsLoopbackIp(ip) && !IsMulticastIp(ip) &&
         !IsLinkLocalUnicastIp(ip);
}

template <bool (*Is)(const IpAddress&)>
Value TestIp(Arguments args) {
  return Value::Bool(Is(IpOf(args[0])));
}

Value MakeNetwork(Arguments args) {
  std::string error;
  const auto network = ParseNetwork(*args[0].Get<std::string>(), error);
  if (network) return NewNetwork(*network);
  return Value::Failure("network address parse error during conversion from string: " + error);
}
Value IsNetwork(Arguments args) {
  std::string error;
  return Value::Bool(ParseNetwork(*args[0].Get<std::string>(), error).has_value());
}
Value NetworkToText(Arguments args) {
  const IpNetwork& network = NetworkOf(args[0]);
  return Value::String(network.address.ToString() + "/" + std::to_string(network.prefix));
}
Value ContainsIp(Arguments args) {
  const Value ip = args[1].Is<std::string>() ? MakeIp(args.subspan(1)) : args[1];
  // cel/library/cidr.go does not return the error of the text.
  return ip.IsError() ? NoSuchOverload() : Value::Bool(NetworkOf(args[0]).Contains(IpOf(ip)));
}
Value ContainsNetwork(Arguments args) {
  Value inner = args[1].Is<std::string>() ? MakeNetwork(args.subspan(1)) : args[1];
  if (inner.IsError()) return inner;
  const IpNetwork& outer = NetworkOf(args[0]);
  return Value::Bool(outer.prefix <= NetworkOf(inner).prefix &&
                     outer.Contains(NetworkOf(inner).address));
}
Value AddressOfNetwork(Arguments args) { return NewIp(NetworkOf(args[0]).address); }
Value PrefixOfNetwork(Arguments args) { return Value::Int(NetworkOf(args[0]).prefix); }
Value MaskedNetwork(Arguments args) {
  const IpNetwork& network = NetworkOf(args[0]);
  return NewNetwork({.address = network.Masked(), .prefix = network.prefix});
}

constexpr std::array kNetRows = std::to_array<OverloadRow>({
    {"ip", "string -> net.IP", MakeIp},
    {"family", ". net.IP -> int", FamilyOfIp},
    {"ip.isCanonical", "string -> bool", IsCanonicalIp},
    {"isUnspecified", ". net.IP -> bool", TestIp<IsUnspecifiedIp>},
    {"isLoopback", ". net.IP -> bool", TestIp<IsLoopbackIp>},
    {"isLinkLocalMulticast", ". net.IP -> bool", TestIp<IsLinkLocalMulticastIp>},
    {"isLinkLocalUnicast", ". net.IP -> bool", TestIp<IsLinkLocalUnicastIp>},
    {"isGlobalUnicast", ". net.IP -> bool", TestIp<IsGlobalUnicastIp>},
    {"isIP", "string -> bool", IsIp},
    {"string", "net.IP -> string", IpToText},
    {"cidr", "string -> net.CIDR", MakeNetwork},
    {"containsIP", ". net.CIDR, string -> bool", ContainsIp},
    {"containsIP", ". net.CIDR, net.IP -> bool", ContainsIp},
    {"containsCIDR", ". net.CIDR, string -> bool", ContainsNetwork},
    {"containsCIDR", ". net.CIDR, net.CIDR -> bool", ContainsNetwork},
    {"ip", ". net.CIDR -> net.IP", AddressOfNetwork},
    {"prefixLength", ". net.CIDR -> int", PrefixOfNetwork},
    {"masked", ". net.CIDR -> net.CIDR", MaskedNetwork},
    {"isCIDR", "string -> bool", IsNetwork},
    {"string", "net.CIDR -> string", NetworkToText},
});

}  // namespace

std::span<const OverloadRow> NetRows() { return kNetRows; }

}  // namespace capstan::cel
