// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/certificate_name.h"

#include <openssl/bio.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include <array>
#include <memory>

namespace controllers::cainjector {
namespace {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};

}  // namespace

std::string SubjectOf(const Certificate& certificate) {
  // OpenSSL's name for what DER is.
  const auto* der = reinterpret_cast<const unsigned char*>(certificate.der.data());
  const std::unique_ptr<X509, Deleter<X509_free>> parsed(
      d2i_X509(nullptr, &der, static_cast<int>(certificate.der.size())));
  const std::unique_ptr<BIO, Deleter<BIO_free>> out(BIO_new(BIO_s_mem()));
  if (parsed == nullptr || out == nullptr ||
      X509_NAME_print_ex(out.get(), X509_get_subject_name(parsed.get()), 0, XN_FLAG_RFC2253) < 0) {
    return "?";
  }
  std::array<char, 256> text{};  // a subject may be of any length; this is for people
  const int size = BIO_read(out.get(), text.data(), static_cast<int>(text.size()));
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string("?");
}

std::string FingerprintOf(const Certificate& certificate) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(certificate.der.data()), certificate.der.size(),
         digest.data());
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < 8; ++i) {
    text += kDigits[digest[i] >> 4U];
    text += kDigits[digest[i] & 0xFU];
  }
  return text;
}

}  // namespace controllers::cainjector
