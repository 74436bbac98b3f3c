// SPDX-License-Identifier: Apache-2.0
#include "capstan/cert/verify.h"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "clientgo/cert/name_constraints.h"
#include "clientgo/cert/public_key.h"
#include "clientgo/cert/x509.h"

namespace capstan::cert {
namespace {

// The limit of Go for a chain that an attacker has made.
constexpr int kSignatureChecksMax = 100;
constexpr int kRsaBitsMin = 1024;

// The signatures that Go accepts: no MD5, SHA-1 and DSA.
struct SignatureKind {
  std::string_view oid;
  PublicKeyKind key;
  const EVP_MD* (*digest)();  // null: that of the algorithm's parameters, or none
};
constexpr std::string_view kPss = "\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0a";
constexpr std::array<SignatureKind, 8> kSignatures = {{
    {kPss, PublicKeyKind::kRsa, nullptr},
    {"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0b", PublicKeyKind::kRsa, EVP_sha256},
    {"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0c", PublicKeyKind::kRsa, EVP_sha384},
    {"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0d", PublicKeyKind::kRsa, EVP_sha512},
    {"\x2a\x86\x48\xce\x3d\x04\x03\x02", PublicKeyKind::kEcdsa, EVP_sha256},
    {"\x2a\x86\x48\xce\x3d\x04\x03\x03", PublicKeyKind::kEcdsa, EVP_sha384},
    {"\x2a\x86\x48\xce\x3d\x04\x03\x04", PublicKeyKind::kEcdsa, EVP_sha512},
    {"+ep", PublicKeyKind::kEd25519, nullptr},  // 1.3.101.112, as bytes
}};

struct Node {
  std::string_view der;
  ParsedCertificate parsed;
};
using Chain = std::vector<const Node*>;  // the server's own certificate first

const SignatureKind* FindSignature(const Algorithm& algorithm, PublicKeyKind key) {
  const auto* const found = std::find_if(
      kSignatures.begin(), kSignatures.end(),
      [&](const SignatureKind& known) { return known.oid == algorithm.oid && known.key == key; });
  return found == kSignatures.end() ? nullptr : found;
}

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Verifies the bytes that were signed. OpenSSL refuses some certificates that Go reads, such as one
// with more values in a name, so it only reads those whose signature has parameters.
bool IsSignature(const Node& child, EVP_PKEY* key, const SignatureKind& kind) {
  if (kind.oid == kPss) {
    const OpensslPtr<X509> certificate = ReadX509(child.der);
    return certificate && X509_verify(certificate.get(), key) == 1;
  }
  const OpensslPtr<EVP_MD_CTX> context(EVP_MD_CTX_new());
  const EVP_MD* const digest = kind.digest == nullptr ? nullptr : kind.digest();
  const std::string_view signature = child.parsed.signature;
  const std::string_view tbs = child.parsed.tbs;
  return context && !signature.empty() &&
         EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key) == 1 &&
         EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(tbs),
                          tbs.size()) == 1;
}

bool HasSigned(const Node& parent, const Node& child) {
  const auto algorithm = ParseAlgorithm(child.parsed.signature_algorithm);
  const auto kind_of_key = parent.parsed.public_key_kind;
  const auto* const kind = algorithm ? FindSignature(*algorithm, kind_of_key) : nullptr;
  if (kind == nullptr) return false;
  // RFC 8410 allows no parameters.
  if (kind_of_key == PublicKeyKind::kEd25519 && !algorithm->parameters.empty()) return false;
  const std::string_view info = parent.parsed.public_key_info;
  const auto* bytes = Bytes(info);
  const auto size = static_cast<long>(info.size());  // NOLINT(google-runtime-int): OpenSSL's type
  const OpensslPtr<EVP_PKEY> key(d2i_PUBKEY(nullptr, &bytes, size));
  const bool weak =
      kind_of_key == PublicKeyKind::kRsa && key && EVP_PKEY_bits(key.get()) < kRsaBitsMin;
  const bool valid = key && !weak && IsSignature(child, key.get(), *kind);
  ERR_clear_error();
  return valid;
}

// Returns whether `candidate` is in the chain, perhaps as another certificate for the same key.
bool IsIn(const Chain& chain, const ParsedCertificate& candidate) {
  return std::any_of(chain.begin(), chain.end(), [&](const Node* node) {
    const ParsedCertificate& one = node->parsed;
    return one.subject == candidate.subject && one.public_key_info == candidate.public_key_info &&
           one.has_subject_names == candidate.has_subject_names &&
           one.subject_names == candidate.subject_names;
  });
}

// Returns why `issuer` may not be the next certificate of the chain.
std::optional<Refusal> WhyNotAnIssuer(const ParsedCertificate& issuer, bool is_root,
                                      std::size_t intermediates, std::chrono::sys_seconds now) {
  const bool no_ca = issuer.has_basic_constraints ? !issuer.is_ca : issuer.version == 3 || !is_root;
  const bool no_signer = issuer.key_usage != 0 && (issuer.key_usage & kKeyUsageCertSign) == 0;
  if (no_ca || no_signer) return Refusal::kNotACa;
  if (!issuer.critical_extension.empty()) return Refusal::kCaExtension;
  if (now < issuer.not_before) return Refusal::kCaNotYetValid;
  if (now > issuer.not_after) return Refusal::kCaExpired;
  const auto length = static_cast<std::int64_t>(intermediates);
  if (issuer.has_basic_constraints && issuer.path_length_max >= 0 &&
      length > issuer.path_length_max) {
    return Refusal::kPathTooLong;
  }
  return std::nullopt;
}

std::optional<Refusal> WhyNotThisChain(const Chain& chain) {
  for (const Node* node : chain) {
    if (node->parsed.has_extended_key_usage && !node->parsed.for_servers) return Refusal::kUsage;
  }
  for (std::size_t i = 0; i < chain.size(); ++i) {
    for (std::size_t above = i + 1; above < chain.size(); ++above) {
      if (!AllowsNames(chain[above]->parsed, chain[i]->parsed)) return Refusal::kNameConstraint;
    }
  }
  return std::nullopt;
}

// Search looks for a chain that is trusted. Depth first, as buildChains of Go.
class Search {
 public:
  Search(const std::vector<Node>& roots, const std::vector<Node>& intermediates,
         std::chrono::sys_seconds now)
      : roots_(roots), intermediates_(intermediates), now_(now) {}

  // Returns why no chain from this certificate is trusted.
  std::optional<Refusal> Run(const Node& leaf) {
    const bool in_roots = std::any_of(roots_.begin(), roots_.end(),
                                      [&](const Node& root) { return root.der == leaf.der; });
    if (in_roots) return WhyNotThisChain({&leaf});
    Extend({&leaf});
    if (trusted_) return std::nullopt;
    return why_.value_or(Refusal::kUnknownAuthority);
  }

 private:
  void Extend(const Chain& chain) {
    for (const Node& root : roots_) Consider(chain, root, /*is_root=*/true);
    for (const Node& node : intermediates_) Consider(chain, node, /*is_root=*/false);
  }

  void Consider(const Chain& chain, const Node& candidate, bool is_root) {
    const ParsedCertificate& issuer = candidate.parsed;
    if (trusted_ || chain.back()->parsed.issuer != issuer.subject) return;
    if (++checks_ > kSignatureChecksMax) return;
    if (issuer.public_key_kind == PublicKeyKind::kUnknown || IsIn(chain, issuer)) return;
    if (!HasSigned(candidate, *chain.back())) return;
    if (const auto why = WhyNotAnIssuer(issuer, is_root, chain.size() - 1, now_)) {
      if (!why_) why_ = why;
      return;
    }
    Chain longer = chain;
    longer.push_back(&candidate);
    if (!is_root) return Extend(longer);
    const auto why = WhyNotThisChain(longer);
    trusted_ = !why;
    if (why && !why_) why_ = why;
  }

  const std::vector<Node>& roots_;
  const std::vector<Node>& intermediates_;
  const std::chrono::sys_seconds now_;
  int checks_ = 0;
  bool trusted_ = false;
  std::optional<Refusal> why_;  // of the first issuer that has signed
};

}  // namespace

std::optional<Refusal> VerifyServer(const std::vector<std::string_view>& chain,
                                    const std::vector<std::string_view>& roots,
                                    std::string_view name, std::chrono::sys_seconds now) {
  std::vector<Node> sent;
  for (const std::string_view der : chain) {
    auto parsed = ParseCertificate(der);
    if (!parsed) return Refusal::kUnreadable;
    sent.push_back({.der = der, .parsed = *std::move(parsed)});
  }
  if (sent.empty()) return Refusal::kUnreadable;
  std::vector<Node> anchors;
  for (const std::string_view der : roots) {
    if (auto parsed = ParseCertificate(der)) {
      anchors.push_back({.der = der, .parsed = *std::move(parsed)});
    }
  }
  const Node leaf = std::move(sent.front());
  sent.erase(sent.begin());
  if (const auto why = Search(anchors, sent, now).Run(leaf)) return why;
  if (!leaf.parsed.critical_extension.empty()) return Refusal::kExtension;
  if (now < leaf.parsed.not_before) return Refusal::kNotYetValid;
  if (now > leaf.parsed.not_after) return Refusal::kExpired;
  if (!IsFor(leaf.parsed, name)) return Refusal::kNameMismatch;
  return std::nullopt;
}

}  // namespace capstan::cert
