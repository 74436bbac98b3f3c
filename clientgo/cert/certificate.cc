// SPDX-License-Identifier: Apache-2.0
#include "capstan/cert/certificate.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "clientgo/cert/der.h"
#include "clientgo/cert/names.h"
#include "clientgo/cert/public_key.h"

namespace capstan::cert {
namespace {

using namespace std::string_view_literals;
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

struct Extension {
  std::string_view oid;
  bool critical = false;
  std::string_view value;
};

constexpr std::string_view kIdCe = "\x55\x1d";  // 2.5.29, the prefix of most extensions
constexpr std::string_view kAuthorityInfoAccess = "\x2b\x06\x01\x05\x05\x07\x01\x01";
constexpr std::string_view kServerAuth = "\x2b\x06\x01\x05\x05\x07\x03\x01";
constexpr std::string_view kAnyUsage = "\x55\x1d\x25\x00"sv;

// The tags of a GeneralName.
constexpr std::uint8_t kEmail = Context(1);
constexpr std::uint8_t kDnsName = Context(2);
constexpr std::uint8_t kUri = Context(6);
constexpr std::uint8_t kIpAddress = Context(7);

bool ReadKeyUsage(const Extension& extension, ParsedCertificate& certificate) {
  constexpr std::size_t kBits = 9;
  const auto bits = DerReader(extension.value).ReadBitString();
  if (!bits) return false;
  for (std::size_t i = 0; i < std::min(kBits, bits->bytes.size() * 8); ++i) {
    const auto byte = static_cast<unsigned char>(bits->bytes[i / 8]);
    if ((byte >> (7 - i % 8) & 1U) != 0) certificate.key_usage |= 1U << i;
  }
  return true;
}

bool ReadBasicConstraints(const Extension& extension, ParsedCertificate& certificate) {
  auto sequence = DerReader(extension.value).Enter(kSequence);
  if (!sequence) return false;
  if (sequence->Peek(der_tag::kBoolean)) {
    const auto is_ca = sequence->ReadBoolean();
    if (!is_ca) return false;
    certificate.is_ca = *is_ca;
  }
  if (sequence->Peek(der_tag::kInteger)) {
    const auto length = sequence->ReadInt64();
    if (!length || *length < 0) return false;
    certificate.path_length_max = *length;
  }
  certificate.has_basic_constraints = true;
  return true;
}

// A URI whose host is not a domain name is refused, and so is a text that is not a URL.
bool IsUri(std::string_view text) {
  if (!IsAscii(text)) return false;
  const auto host = HostOfUrl(text);
  return host && IsDomainName(*host, false);
}

bool ReadSubjectNames(const Extension& extension, ParsedCertificate& certificate) {
  certificate.has_subject_names = true;
  certificate.subject_names = extension.value;
  auto names = DerReader(extension.value).Enter(kSequence);
  if (!names) return false;
  while (!names->empty()) {
    const auto name = names->ReadAny();
    if (!name) return false;
    if (name->tag == kEmail) {
      if (!IsAscii(name->content)) return false;
      certificate.emails.push_back(name->content);
    } else if (name->tag == kDnsName) {
      if (!IsAscii(name->content)) return false;
      certificate.dns_names.push_back(name->content);
    } else if (name->tag == kUri) {
      if (!IsUri(name->content)) return false;
      certificate.uris.push_back(name->content);
    } else if (name->tag == kIpAddress) {
      if (name->content.size() != 4 && name->content.size() != 16) return false;
      certificate.ip_addresses.push_back(name->content);
    }
  }
  return true;
}

// Returns whether the bits of the mask are ones, then zeros.
bool IsMask(std::string_view mask) {
  bool ended = false;
  for (const char c : mask) {
    const auto byte = static_cast<unsigned char>(c);
    const auto inverted = static_cast<unsigned char>(~byte);
    if (ended ? byte != 0 : (inverted & (inverted + 1U)) != 0) return false;
    ended = ended || byte != 0xff;
  }
  return true;
}

bool AddConstraint(const DerReader::Value& name, NameConstraints& constraints, bool& unhandled) {
  const std::string_view text = name.content;
  switch (name.tag) {
    case kDnsName:
      constraints.dns_names.push_back(text);
      return IsAscii(text) && IsDomainName(text, true);
    case kIpAddress:
      constraints.ip_ranges.push_back(text);
      return (text.size() == 8 || text.size() == 32) && IsMask(text.substr(text.size() / 2));
    case kEmail:
      constraints.emails.push_back(text);
      return IsAscii(text) &&
             (text.find('@') == std::string_view::npos ? IsDomainName(text, true)
                                                       : ParseMailbox(text).has_value());
    case kUri:
      constraints.uris.push_back(text);
      return IsAscii(text) && !IsIpAddress(text) && IsDomainName(text, true);
    default:
      unhandled = true;
      return true;
  }
}

bool ReadSubtrees(DerReader subtrees, NameConstraints& constraints, bool& unhandled) {
  while (!subtrees.empty()) {
    auto subtree = subtrees.Enter(kSequence);
    if (!subtree) return false;
    const auto name = subtree->ReadAny();
    if (!name || !AddConstraint(*name, constraints, unhandled)) return false;
  }
  return true;
}

// Reads an optional value. Returns nullopt for a broken one, and an empty reader for none.
std::optional<DerReader> EnterOptional(DerReader& reader, std::uint8_t tag) {
  return reader.Peek(tag) ? reader.Enter(tag) : DerReader();
}

bool ReadNameConstraints(const Extension& extension, ParsedCertificate& certificate,
                         bool& unhandled) {
  certificate.has_name_constraints = true;
  DerReader outer(extension.value);
  auto sequence = outer.Enter(kSequence);
  if (!sequence || !outer.empty()) return false;
  const auto permitted = EnterOptional(*sequence, Explicit(0));
  if (!permitted) return false;
  const auto excluded = EnterOptional(*sequence, Explicit(1));
  if (!excluded || !sequence->empty()) return false;
  if (permitted->empty() && excluded->empty()) return false;
  return ReadSubtrees(*permitted, certificate.permitted, unhandled) &&
         ReadSubtrees(*excluded, certificate.excluded, unhandled);
}

// Reports whether the extension is a sequence of sequences that `check` accepts.
template <class Check>
bool EachSequence(const Extension& extension, Check check) {
  auto outer = DerReader(extension.value).Enter(kSequence);
  if (!outer) return false;
  while (!outer->empty()) {
    auto inner = outer->Enter(kSequence);
    if (!inner || !check(*inner)) return false;
  }
  return true;
}

bool AreDistributionPoints(const Extension& extension) {
  return EachSequence(extension, [](DerReader& point) {
    if (!point.Peek(Explicit(0))) return true;
    auto name = point.Enter(Explicit(0));
    auto full_name = name ? name->Enter(Explicit(0)) : std::nullopt;
    if (!full_name) return false;
    while (full_name->Peek(kUri)) {
      if (!full_name->Read(kUri)) return false;
    }
    return true;
  });
}

bool IsAuthorityKeyId(const Extension& extension) {
  auto id = DerReader(extension.value).Enter(kSequence);
  return id && (!id->Peek(Context(0)) || id->Read(Context(0)));
}

bool ArePolicyConstraints(const Extension& extension) {
  auto sequence = DerReader(extension.value).Enter(kSequence);
  if (!sequence) return false;
  for (const std::uint8_t tag : {Context(0), Context(1)}) {
    if (sequence->Peek(tag) && !sequence->ReadInt64(tag)) return false;
  }
  return true;
}

bool ReadExtendedKeyUsage(const Extension& extension, ParsedCertificate& certificate) {
  certificate.has_extended_key_usage = true;
  auto usages = DerReader(extension.value).Enter(kSequence);
  if (!usages) return false;
  certificate.has_extended_key_usage = !usages->empty();
  while (!usages->empty()) {
    const auto usage = usages->ReadOid();
    if (!usage) return false;
    if (*usage == kServerAuth || *usage == kAnyUsage) certificate.for_servers = true;
  }
  return true;
}

// Returns whether `oid` is one with components of any size.
bool IsLongOid(std::string_view oid) {
  if (oid.empty() || (static_cast<unsigned char>(oid.back()) & 0x80U) != 0) return false;
  bool first = true;  // of a component
  for (const char c : oid) {
    const auto byte = static_cast<unsigned char>(c);
    if (first && byte == 0x80) return false;
    first = (byte & 0x80U) == 0;
  }
  return true;
}

bool ArePolicies(const Extension& extension) {
  std::set<std::string_view> seen;
  return EachSequence(extension, [&seen](DerReader& policy) {
    const auto oid = policy.Read(der_tag::kOid);
    return oid && IsLongOid(oid->content) && seen.insert(oid->content).second;
  });
}

bool ArePolicyMappings(const Extension& extension) {
  return EachSequence(extension, [](DerReader& mapping) {
    return mapping.Read(der_tag::kOid) && mapping.Read(der_tag::kOid);
  });
}

bool IsAuthorityInfoAccess(const Extension& extension) {
  return EachSequence(extension, [](DerReader& description) {
    return description.ReadOid() && (!description.Peek(kUri) || description.Read(kUri));
  });
}

// Reads 2.5.29.`number`. Returns what is wrong, or "".
std::string_view ReadStandard(unsigned number, const Extension& extension,
                              ParsedCertificate& certificate, bool& unhandled) {
  switch (number) {
    case 14:
      if (extension.critical) return "subject key identifier incorrectly marked critical";
      return DerReader(extension.value).Read(der_tag::kOctetString)
                 ? ""
                 : "invalid subject key identifier";
    case 15:
      return ReadKeyUsage(extension, certificate) ? "" : "invalid key usage";
    case 17:
      if (!ReadSubjectNames(extension, certificate)) return "invalid subject alternative names";
      unhandled = certificate.dns_names.empty() && certificate.emails.empty() &&
                  certificate.ip_addresses.empty() && certificate.uris.empty();
      return "";
    case 19:
      return ReadBasicConstraints(extension, certificate) ? "" : "invalid basic constraints";
    case 30:
      return ReadNameConstraints(extension, certificate, unhandled) ? ""
                                                                    : "invalid name constraints";
    case 31:
      return AreDistributionPoints(extension) ? "" : "invalid CRL distribution points";
    case 32:
      return ArePolicies(extension) ? "" : "invalid certificate policies";
    case 33:
      return ArePolicyMappings(extension) ? "" : "invalid policy mappings extension";
    case 35:
      if (extension.critical) return "authority key identifier incorrectly marked critical";
      return IsAuthorityKeyId(extension) ? "" : "invalid authority key identifier";
    case 36:
      return ArePolicyConstraints(extension) ? "" : "invalid policy constraints extension";
    case 37:
      return ReadExtendedKeyUsage(extension, certificate) ? "" : "invalid extended key usages";
    case 54:
      return DerReader(extension.value).ReadInt64() ? "" : "invalid inhibit any policy extension";
    default:
      unhandled = true;
      return "";
  }
}

std::string_view ReadOne(const Extension& extension, ParsedCertificate& certificate) {
  bool unhandled = false;
  std::string_view wrong;
  if (extension.oid.size() == kIdCe.size() + 1 && extension.oid.starts_with(kIdCe)) {
    wrong = ReadStandard(static_cast<unsigned char>(extension.oid.back()), extension, certificate,
                         unhandled);
  } else if (extension.oid == kAuthorityInfoAccess) {
    if (extension.critical) return "authority info access incorrectly marked critical";
    if (!IsAuthorityInfoAccess(extension)) wrong = "invalid authority info access";
  } else {
    unhandled = true;
  }
  if (extension.critical && unhandled) certificate.critical_extension = extension.oid;
  return wrong;
}

std::optional<Extension> ParseExtension(DerReader reader) {
  Extension extension;
  const auto oid = reader.ReadOid();
  if (!oid) return std::nullopt;
  extension.oid = *oid;
  if (reader.Peek(der_tag::kBoolean)) {
    const auto critical = reader.ReadBoolean();
    if (!critical) return std::nullopt;
    extension.critical = *critical;
  }
  const auto value = reader.Read(der_tag::kOctetString);
  if (!value) return std::nullopt;
  extension.value = value->content;
  return extension;
}

// Reads the extensions into `certificate`. Returns what is wrong, or "". Mirrors processExtensions
// in parser.go of Go's crypto/x509.
std::string_view ReadExtensions(DerReader extensions, ParsedCertificate& certificate) {
  std::set<std::string_view> seen;
  while (!extensions.empty()) {
    const auto reader = extensions.Enter(kSequence);
    const auto extension = reader ? ParseExtension(*reader) : std::nullopt;
    if (!extension) return "malformed extension";
    if (!seen.insert(extension->oid).second) return "duplicate extension";
    if (const auto wrong = ReadOne(*extension, certificate); !wrong.empty()) return wrong;
  }
  return "";
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
