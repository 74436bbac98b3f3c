// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cert/x509.h"

#include <openssl/err.h>

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "capstan/cert/certificate.h"
#include "capstan/cert/pem.h"

namespace capstan::cert {
namespace {

using Size = long;  // NOLINT(google-runtime-int): OpenSSL's type

// The error names what is wrong with a text that has no certificate.
Expected<std::vector<OpensslPtr<X509>>> NoCertificate(const PemReader& reader, bool unreadable) {
  if (unreadable || HasBrokenBlock(reader.rest())) {
    return Err(ErrorReason::kInvalidArgument, "it contains a damaged certificate");
  }
  return Err(ErrorReason::kInvalidArgument, "it contains no PEM-encoded certificate");
}

}  // namespace

OpensslPtr<X509> ReadX509(std::string_view der) {
  const auto* const begin = reinterpret_cast<const unsigned char*>(der.data());
  const auto* end = begin;
  OpensslPtr<X509> x509(d2i_X509(nullptr, &end, static_cast<Size>(der.size())));
  ERR_clear_error();
  if (end != begin + der.size()) return nullptr;
  return x509;
}

Expected<std::vector<OpensslPtr<X509>>> ReadAnchors(std::string_view pem) {
  std::vector<OpensslPtr<X509>> anchors;
  bool unreadable = false;
  PemReader reader(pem);
  while (const auto block = reader.Next()) {
    if (block->label != kCertificateBlock || block->has_headers) continue;
    auto x509 = ParseCertificate(block->bytes) ? ReadX509(block->bytes) : nullptr;
    if (x509) {
      anchors.push_back(std::move(x509));
    } else {
      unreadable = true;
    }
  }
  if (anchors.empty()) return NoCertificate(reader, unreadable);
  return anchors;
}

Expected<std::vector<OpensslPtr<X509>>> ReadChain(std::string_view pem) {
  std::vector<OpensslPtr<X509>> chain;
  PemReader reader(pem);
  while (const auto block = reader.Next()) {
    if (block->label != kCertificateBlock) continue;
    auto x509 = ReadX509(block->bytes);
    if (x509 == nullptr) return NoCertificate(reader, true);
    chain.push_back(std::move(x509));
  }
  if (chain.empty()) return NoCertificate(reader, false);
  return chain;
}

Expected<OpensslPtr<EVP_PKEY>> ReadPrivateKey(std::string_view pem) {
  PemReader reader(pem);
  while (const auto block = reader.Next()) {
    if (!block->IsPrivateKey()) continue;
    const auto* der = reinterpret_cast<const unsigned char*>(block->bytes.data());
    OpensslPtr<EVP_PKEY> key(
        d2i_AutoPrivateKey(nullptr, &der, static_cast<Size>(block->bytes.size())));
    ERR_clear_error();
    if (key) return key;
    break;
  }
  return Err(ErrorReason::kInvalidArgument, "it contains no unencrypted PEM-encoded private key");
}

std::optional<std::string> SubjectText(std::string_view der) {
  const auto x509 = ReadX509(der);
  if (x509 == nullptr) return std::nullopt;
  const OpensslPtr<BIO> out(BIO_new(BIO_s_mem()));
  if (out == nullptr ||
      X509_NAME_print_ex(out.get(), X509_get_subject_name(x509.get()), 0, XN_FLAG_RFC2253) < 0) {
    return "?";
  }
  std::array<char, 256> text{};  // longer subjects are cut
  const int size = BIO_read(out.get(), text.data(), static_cast<int>(text.size()));
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "?";
}

std::string Sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += {kDigits[digest[i] >> 4U], kDigits[digest[i] & 0xFU]};
  return text;
}

}  // namespace capstan::cert
