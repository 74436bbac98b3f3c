// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authentication/token_keys.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "capstan/base64.h"
#include "capstan/cert/pem.h"
#include "clientgo/cert/openssl_ptr.h"
#include "clientgo/cert/x509.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

using cert::OpensslPtr;

// Algorithm is how a key signs. The signature of an elliptic curve is two numbers of the same size
// in tokens, and DER in OpenSSL.
struct Algorithm {
  std::string_view name = {};  // of RFC 7518
  const EVP_MD* digest = nullptr;
  std::size_t number_size = 0;  // in bytes; 0: the signature is not two numbers
};

std::optional<Algorithm> AlgorithmOf(const EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "RSA") == 1) return Algorithm{.name = "RS256", .digest = EVP_sha256()};
  std::array<char, 32> buffer{};
  std::size_t size = 0;
  if (EVP_PKEY_get_group_name(key, buffer.data(), buffer.size(), &size) != 1) return std::nullopt;
  const std::string_view curve(buffer.data(), size);
  if (curve == "prime256v1") {
    return Algorithm{.name = "ES256", .digest = EVP_sha256(), .number_size = 32};
  }
  if (curve == "secp384r1") {
    return Algorithm{.name = "ES384", .digest = EVP_sha384(), .number_size = 48};
  }
  if (curve == "secp521r1") {
    return Algorithm{.name = "ES512", .digest = EVP_sha512(), .number_size = 66};
  }
  return std::nullopt;
}

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* Bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

// Base64 of RFC 4648, section 5, without padding.
std::string Base64Url(std::string_view bytes) {
  std::string text = Base64Encode(bytes);
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

std::optional<std::string> FromBase64Url(std::string_view text) {
  std::string standard(text);
  for (char& c : standard) {
    if (c == '+' || c == '/' || c == '=' || c == '\n' || c == '\r') return std::nullopt;
    c = c == '-' ? '+' : c == '_' ? '/' : c;
  }
  standard.append((4 - standard.size() % 4) % 4, '=');
  return Base64Decode(standard);
}

// Returns the two numbers of a signature in DER.
std::optional<std::string> NumbersFromDer(std::string_view der, std::size_t size) {
  const unsigned char* bytes = Bytes(der);
  const OpensslPtr<ECDSA_SIG> signature(
      d2i_ECDSA_SIG(nullptr, &bytes, static_cast<long>(der.size())));
  if (signature == nullptr) return std::nullopt;
  std::string numbers(2 * size, '\0');
  const int length = static_cast<int>(size);
  const bool fits =
      BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), Bytes(numbers), length) == length &&
      BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), Bytes(numbers) + size, length) == length;
  return fits ? std::optional(std::move(numbers)) : std::nullopt;
}

std::optional<std::string> DerFromNumbers(std::string_view numbers, std::size_t size) {
  if (numbers.size() != 2 * size) return std::nullopt;
  const int length = static_cast<int>(size);
  OpensslPtr<BIGNUM> first(BN_bin2bn(Bytes(numbers), length, nullptr));
  OpensslPtr<BIGNUM> second(BN_bin2bn(Bytes(numbers) + size, length, nullptr));
  const OpensslPtr<ECDSA_SIG> signature(ECDSA_SIG_new());
  if (first == nullptr || second == nullptr || signature == nullptr) return std::nullopt;
  if (ECDSA_SIG_set0(signature.get(), first.get(), second.get()) != 1) return std::nullopt;
  (void)first.release();  // the signature owns them now
  (void)second.release();
  const int der_size = i2d_ECDSA_SIG(signature.get(), nullptr);
  if (der_size <= 0) return std::nullopt;
  std::string der(static_cast<std::size_t>(der_size), '\0');
  unsigned char* out = Bytes(der);
  i2d_ECDSA_SIG(signature.get(), &out);
  return der;
}

// Returns the SHA-256 of the public key, which does not reveal the key to who has no token of it.
std::string KeyId(EVP_PKEY* key) {
  const int size = i2d_PUBKEY(key, nullptr);
  std::string der(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
  unsigned char* out = Bytes(der);
  if (size > 0) i2d_PUBKEY(key, &out);
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(Bytes(der), der.size(), digest.data());
  return Base64Url({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

// Returns the public key of a block, or null if it has none.
OpensslPtr<EVP_PKEY> PublicKeyOf(const cert::PemBlock& block) {
  const unsigned char* bytes = Bytes(std::string_view(block.bytes));
  const long size = static_cast<long>(block.bytes.size());
  if (block.label == cert::kCertificateBlock) {
    const auto certificate = cert::ReadX509(block.bytes);
    return OpensslPtr<EVP_PKEY>(certificate == nullptr ? nullptr
                                                       : X509_get_pubkey(certificate.get()));
  }
  if (block.label == "PUBLIC KEY") {
    return OpensslPtr<EVP_PKEY>(d2i_PUBKEY(nullptr, &bytes, size));
  }
  if (block.label == "RSA PUBLIC KEY") {
    return OpensslPtr<EVP_PKEY>(d2i_PublicKey(EVP_PKEY_RSA, nullptr, &bytes, size));
  }
  if (!block.IsPrivateKey()) return nullptr;
  return OpensslPtr<EVP_PKEY>(d2i_AutoPrivateKey(nullptr, &bytes, size));
}

tl::unexpected<Error> FailedTo(const std::string& what) {
  ERR_clear_error();  // the next TLS operation of this thread would take it for its own
  return Err(ErrorReason::kInvalidArgument, "failed to " + what);
}

}  // namespace

struct TokenKeys::Key {
  // Returns null for a key that cannot sign tokens.
  static KeyPtr From(OpensslPtr<EVP_PKEY> key) {
    const auto algorithm = key == nullptr ? std::nullopt : AlgorithmOf(key.get());
    if (!algorithm) return nullptr;
    std::string id = KeyId(key.get());
    return std::make_shared<const Key>(
        Key{.key = std::move(key), .algorithm = *algorithm, .id = std::move(id)});
  }

  bool Verifies(std::string_view content, std::string_view signature) const {
    const auto der = algorithm.number_size == 0 ? std::optional(std::string(signature))
                                                : DerFromNumbers(signature, algorithm.number_size);
    const OpensslPtr<EVP_MD_CTX> context(EVP_MD_CTX_new());
    const bool valid =
        der && context != nullptr &&
        EVP_DigestVerifyInit(context.get(), nullptr, algorithm.digest, nullptr, key.get()) == 1 &&
        EVP_DigestVerify(context.get(), Bytes(std::string_view(*der)), der->size(), Bytes(content),
                         content.size()) == 1;
    ERR_clear_error();
    return valid;
  }

  OpensslPtr<EVP_PKEY> key;
  Algorithm algorithm;
  std::string id;
};

Expected<TokenKeys> TokenKeys::New(std::string_view signing_pem, std::string_view verifying_pem) {
  TokenKeys keys;
  OpensslPtr<EVP_PKEY> signing;
  if (signing_pem.empty()) {
    signing.reset(EVP_EC_gen("P-256"));
  } else {
    auto read = cert::ReadPrivateKey(signing_pem);
    if (!read) return Err(read.error().Wrap("the key that signs tokens"));
    signing = *std::move(read);
  }
  keys.keys_.push_back(Key::From(std::move(signing)));
  if (keys.keys_.front() == nullptr) {
    return FailedTo(
        "use the key that signs tokens: it is no RSA key and not on a curve P-256, P-384 or P-521");
  }
  cert::PemReader reader(verifying_pem);
  while (const auto block = reader.Next()) {
    if (KeyPtr key = Key::From(PublicKeyOf(*block))) keys.keys_.push_back(std::move(key));
  }
  ERR_clear_error();
  if (!verifying_pem.empty() && keys.keys_.size() == 1) {
    return FailedTo("read a key that verifies tokens: the PEM has neither a key nor a certificate");
  }
  return keys;
}

Expected<std::string> TokenKeys::Sign(std::string_view claims) const {
  const Key& key = *keys_.front();
  const Json header = {{"alg", key.algorithm.name}, {"kid", key.id}};
  std::string token = Base64Url(header.text()) + "." + Base64Url(claims);
  const OpensslPtr<EVP_MD_CTX> context(EVP_MD_CTX_new());
  std::size_t size = 0;
  const bool begun = context != nullptr &&
                     EVP_DigestSignInit(context.get(), nullptr, key.algorithm.digest, nullptr,
                                        key.key.get()) == 1 &&
                     EVP_DigestSign(context.get(), nullptr, &size, Bytes(std::string_view(token)),
                                    token.size()) == 1;
  std::string signature(size, '\0');
  if (!begun || EVP_DigestSign(context.get(), Bytes(signature), &size,
                               Bytes(std::string_view(token)), token.size()) != 1) {
    return FailedTo("sign a token");
  }
  signature.resize(size);
  if (key.algorithm.number_size != 0) {
    auto numbers = NumbersFromDer(signature, key.algorithm.number_size);
    if (!numbers) return FailedTo("sign a token");
    signature = *std::move(numbers);
  }
  return token + "." + Base64Url(signature);
}

std::string TokenKeys::UnverifiedClaims(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t second = token.find('.', first + 1);
  const bool three = first != std::string_view::npos && second != std::string_view::npos &&
                     token.find('.', second + 1) == std::string_view::npos;
  if (!three) return {};
  return FromBase64Url(token.substr(first + 1, second - first - 1)).value_or("");
}

tl::expected<std::string, std::string> TokenKeys::Verify(std::string_view token) const {
  std::string claims = UnverifiedClaims(token);
  const std::size_t end = token.rfind('.');
  const auto header = FromBase64Url(token.substr(0, token.find('.')));
  const auto signature =
      FromBase64Url(end == std::string_view::npos ? token : token.substr(end + 1));
  std::string error;
  const auto parsed = header ? ParseJson(*header, &error) : nullptr;
  if (claims.empty() || parsed == nullptr || !parsed->IsObject() || !signature) {
    return tl::unexpected(std::string("the token has no valid form"));
  }
  const std::string_view id = runtime::GetString(*parsed, "kid");
  bool known = false;
  for (const KeyPtr& key : keys_) {
    if (!id.empty() && key->id != id) continue;
    known = true;
    // The algorithm is that of the key. One in a header could be chosen by an attacker.
    if (runtime::GetString(*parsed, "alg") != key->algorithm.name) continue;
    if (key->Verifies(token.substr(0, end), *signature)) return claims;
  }
  return tl::unexpected(std::string(known ? "go-jose/go-jose: error in cryptographic primitive"
                                          : "invalid signature, no keys found"));
}

}  // namespace capstan::testing::apiserver
