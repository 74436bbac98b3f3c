// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cert/public_key.h"

#include <openssl/err.h>
#include <openssl/obj_mac.h>

#include <array>
#include <cstddef>
#include <string>

#include "clientgo/cert/der.h"
#include "clientgo/cert/openssl_ptr.h"

namespace capstan::cert {
namespace {

using namespace std::string_view_literals;
using der_tag::kSequence;

constexpr std::string_view kRsa = "\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01";
constexpr std::string_view kDsa = "\x2a\x86\x48\xce\x38\x04\x01";
constexpr std::string_view kEcdsa = "\x2a\x86\x48\xce\x3d\x02\x01";
constexpr std::string_view kEd25519 = "+ep";  // 1.3.101.112, as bytes
constexpr std::string_view kNull = "\x05\x00"sv;
constexpr std::size_t kEd25519Bytes = 32;

struct Curve {
  std::string_view oid;
  int nid;
};
// The curves of Go's crypto/elliptic.
constexpr std::array<Curve, 4> kCurves = {{
    {"\x2b\x81\x04\x00\x21"sv, NID_secp224r1},
    {"\x2a\x86\x48\xce\x3d\x03\x01\x07", NID_X9_62_prime256v1},
    {"\x2b\x81\x04\x00\x22"sv, NID_secp384r1},
    {"\x2b\x81\x04\x00\x23"sv, NID_secp521r1},
}};

// Returns the bytes of the key. The bits that do not count are shifted out.
std::string RightAligned(const DerReader::Bits& bits) {
  std::string bytes(bits.bytes);
  unsigned above = 0;
  for (char& c : bytes) {
    const unsigned byte = static_cast<unsigned char>(c);
    c = static_cast<char>((above << 8U | byte) >> bits.padding & 0xffU);
    above = byte;
  }
  return bytes;
}

bool IsRsaKey(std::string_view key) {
  auto sequence = DerReader(key).Enter(kSequence);
  if (!sequence) return false;
  const auto modulus = sequence->ReadInteger();
  if (!modulus || !IsPositive(*modulus)) return false;
  const auto exponent = sequence->ReadInt64();
  return exponent && *exponent > 0;
}

bool IsDsaKey(std::string_view key, std::string_view parameters) {
  const auto y = DerReader(key).ReadInteger();
  auto sequence = DerReader(parameters).Enter(kSequence);
  if (!y || !IsPositive(*y) || !sequence) return false;
  for (int i = 0; i < 3; ++i) {
    const auto number = sequence->ReadInteger();
    if (!number || !IsPositive(*number)) return false;
  }
  return true;
}

// Returns the curve with this number in kCurves. OpenSSL needs 70 microseconds to make one.
const EC_GROUP* GroupOf(std::size_t curve) {
  static const std::array<OpensslPtr<EC_GROUP>, kCurves.size()> groups = [] {
    std::array<OpensslPtr<EC_GROUP>, kCurves.size()> made;
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i].reset(EC_GROUP_new_by_curve_name(kCurves[i].nid));
    }
    return made;
  }();
  return groups.at(curve).get();
}

// Returns whether `key` is an uncompressed point of the curve.
bool IsPoint(std::string_view key, const EC_GROUP* curve) {
  constexpr char kUncompressed = 4;
  if (key.empty() || key.front() != kUncompressed) return false;
  const OpensslPtr<EC_POINT> point(EC_POINT_new(curve));
  const auto* bytes = reinterpret_cast<const unsigned char*>(key.data());
  const bool valid = EC_POINT_oct2point(curve, point.get(), bytes, key.size(), nullptr) == 1;
  ERR_clear_error();
  return valid;
}

std::string_view ReadEcdsaKey(std::string_view key, std::string_view parameters) {
  const auto oid = DerReader(parameters).ReadOid();
  if (!oid) return "invalid ECDSA parameters";
  for (std::size_t i = 0; i < kCurves.size(); ++i) {
    if (*oid == kCurves[i].oid) return IsPoint(key, GroupOf(i)) ? "" : "invalid ECDSA public key";
  }
  return "unsupported elliptic curve";
}

}  // namespace

std::optional<Algorithm> ParseAlgorithm(std::string_view content) {
  DerReader reader(content);
  const auto oid = reader.ReadOid();
  if (!oid) return std::nullopt;
  Algorithm algorithm{.oid = *oid, .parameters = {}};
  if (reader.empty()) return algorithm;
  const auto parameters = reader.ReadAny();
  if (!parameters) return std::nullopt;
  algorithm.parameters = parameters->whole;
  return algorithm;
}

std::string_view ReadPublicKey(std::string_view info, PublicKeyKind& kind) {
  DerReader reader(info);
  const auto identifier = reader.Read(kSequence);
  const auto algorithm = identifier ? ParseAlgorithm(identifier->content) : std::nullopt;
  if (!algorithm) return "malformed public key algorithm identifier";
  const auto bits = reader.ReadBitString();
  if (!bits) return "malformed subjectPublicKey";
  const std::string_view parameters = algorithm->parameters;
  const std::string aligned = bits->padding == 0 ? std::string() : RightAligned(*bits);
  const std::string_view key = bits->padding == 0 ? bits->bytes : std::string_view(aligned);
  if (algorithm->oid == kRsa) {
    kind = PublicKeyKind::kRsa;
    if (parameters != kNull) return "RSA key missing NULL parameters";
    return IsRsaKey(key) ? "" : "invalid RSA public key";
  }
  if (algorithm->oid == kDsa) {
    kind = PublicKeyKind::kDsa;
    return IsDsaKey(key, parameters) ? "" : "invalid DSA public key";
  }
  if (algorithm->oid == kEcdsa) {
    kind = PublicKeyKind::kEcdsa;
    return ReadEcdsaKey(key, parameters);
  }
  if (algorithm->oid == kEd25519) {
    kind = PublicKeyKind::kEd25519;
    if (!parameters.empty()) return "Ed25519 key encoded with illegal parameters";
    return key.size() == kEd25519Bytes ? "" : "wrong Ed25519 public key size";
  }
  return "";  // of another algorithm, which Go does not look at
}

}  // namespace capstan::cert
