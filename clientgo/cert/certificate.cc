// SPDX-License-Identifier: Apache-2.0
#include "capstan/cert/certificate.h"

#include <cstddef>
#include <optional>
#include <string>

#include "clientgo/cert/der.h"
#include "clientgo/cert/extensions.h"
#include "clientgo/cert/names.h"
#include "clientgo/cert/public_key.h"

namespace capstan::cert {
namespace {

using der_tag::Context;
using der_tag::Explicit;
using der_tag::kSequence;

constexpr int kVersionMax = 3;

// Returns the DER of a name, a subject or an issuer.
std::optional<std::string_view> ReadName(DerReader& reader) {
  const auto name = reader.Read(kSequence);
  if (!name) return std::nullopt;
  DerReader sets(name->content);
  while (!sets.empty()) {
    auto set = sets.Enter(der_tag::kSet);
    if (!set) return std::nullopt;
    while (!set->empty()) {
      auto attribute = set->Enter(kSequence);
      if (!attribute || !attribute->ReadOid()) return std::nullopt;
      const auto value = attribute->ReadAny();
      if (!value || !IsNameString(value->tag, value->content)) return std::nullopt;
    }
  }
  return name->whole;
}

// Reads the version and the serial number. Returns what is wrong, or "".
std::string_view ReadNumbers(DerReader& tbs, ParsedCertificate& certificate) {
  if (tbs.Peek(Explicit(0))) {
    auto inner = tbs.Enter(Explicit(0));
    const auto version = inner ? inner->ReadInt64() : std::nullopt;
    if (!version || !inner->empty() || *version < 0) return "malformed version";
    if (*version >= kVersionMax) return "invalid version";
    certificate.version = static_cast<int>(*version) + 1;
  }
  const auto serial = tbs.ReadInteger();
  if (!serial) return "malformed serial number";
  if ((static_cast<unsigned char>(serial->front()) & 0x80U) != 0) return "negative serial number";
  return "";
}

std::string_view ReadAlgorithm(DerReader& tbs, DerReader& outer, ParsedCertificate& certificate) {
  const auto inner_algorithm = tbs.Read(kSequence);
  if (!inner_algorithm) return "malformed signature algorithm identifier";
  const auto outer_algorithm = outer.Read(kSequence);
  if (!outer_algorithm) return "malformed algorithm identifier";
  if (inner_algorithm->content != outer_algorithm->content) {
    return "inner and outer signature algorithm identifiers don't match";
  }
  certificate.signature_algorithm = inner_algorithm->content;
  return ParseAlgorithm(inner_algorithm->content) ? "" : "malformed algorithm";
}

std::string_view ReadValidity(DerReader& tbs, ParsedCertificate& certificate) {
  auto validity = tbs.Enter(kSequence);
  if (!validity) return "malformed validity";
  const auto not_before = validity->ReadTime();
  const auto not_after = not_before ? validity->ReadTime() : std::nullopt;
  if (!not_after) return "malformed time of validity";
  certificate.not_before = *not_before;
  certificate.not_after = *not_after;
  return "";
}

std::string_view ReadNamesAndKey(DerReader& tbs, ParsedCertificate& certificate) {
  const auto issuer = ReadName(tbs);
  if (!issuer) return "malformed issuer";
  if (const auto wrong = ReadValidity(tbs, certificate); !wrong.empty()) return wrong;
  const auto subject = ReadName(tbs);
  if (!subject) return "malformed subject";
  certificate.issuer = *issuer;
  certificate.subject = *subject;
  const auto key_info = tbs.Read(kSequence);
  if (!key_info) return "malformed public key";
  certificate.public_key_info = key_info->whole;
  return ReadPublicKey(key_info->content, certificate.public_key_kind);
}

std::string_view ReadOptionalParts(DerReader& tbs, ParsedCertificate& certificate) {
  if (certificate.version == 1) return "";
  for (const std::uint8_t tag : {Context(1), Context(2)}) {
    if (tbs.Peek(tag) && !tbs.Read(tag)) return "malformed unique ID";
  }
  if (certificate.version != kVersionMax || !tbs.Peek(Explicit(3))) return "";
  auto outer = tbs.Enter(Explicit(3));
  const auto extensions = outer ? outer->Enter(kSequence) : std::nullopt;
  return extensions ? ReadExtensions(*extensions, certificate) : "malformed extensions";
}

// Reads the parts in their order. Returns what is wrong, or "".
std::string_view ReadParts(DerReader certificate_parts, ParsedCertificate& certificate) {
  const auto tbs = certificate_parts.Read(kSequence);
  if (!tbs) return "malformed certificate";
  certificate.tbs = tbs->whole;
  DerReader parts(tbs->content);
  auto wrong = ReadNumbers(parts, certificate);
  if (wrong.empty()) wrong = ReadAlgorithm(parts, certificate_parts, certificate);
  if (wrong.empty()) wrong = ReadNamesAndKey(parts, certificate);
  if (wrong.empty()) wrong = ReadOptionalParts(parts, certificate);
  if (!wrong.empty()) return wrong;
  const auto signature = certificate_parts.ReadBitString();
  if (!signature) return "malformed signature";
  if (signature->padding == 0) certificate.signature = signature->bytes;
  return "";
}

}  // namespace

Expected<ParsedCertificate> ParseCertificate(std::string_view der) {
  DerReader reader(der);
  const auto parts = reader.Enter(kSequence);
  ParsedCertificate certificate;
  const auto wrong = parts ? ReadParts(*parts, certificate) : "malformed certificate";
  if (!wrong.empty()) return Err(ErrorReason::kInvalidArgument, std::string(wrong));
  if (!reader.empty()) return Err(ErrorReason::kInvalidArgument, "trailing data");
  return certificate;
}

}  // namespace capstan::cert
