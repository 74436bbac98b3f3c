// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/cpprest/cpprest_tls.h"

#include <openssl/err.h>
#include <openssl/x509_vfy.h>

namespace capstan::transport {
namespace {

// Where a context keeps its CpprestTls. Boost.Asio uses the app data.
int ContextIndex() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

}  // namespace

void CpprestTls::Configure(SSL_CTX* context) {
  material_->Configure(context);
  SSL_CTX_set_ex_data(context, ContextIndex(), this);
  SSL_CTX_set_info_callback(context, OnInfo);
  if (!insecure_) SSL_CTX_set_cert_verify_callback(context, Verify, this);
}

int CpprestTls::Verify(X509_STORE_CTX* chain, void* self) {
  auto& tls = *static_cast<CpprestTls*>(self);
  const auto refusal = TlsMaterial::Verify(chain, tls.name_);
  if (!refusal) return 1;
  tls.failure_ = Error{.reason = ErrorReason::kCertificate,
                       .message = "tls: failed to verify certificate: " + *refusal};
  return 0;
}

// OpenSSL calls it for each step of a handshake and for each alert.
void CpprestTls::OnInfo(const SSL* session, int where, int value) {
  auto& tls =
      *static_cast<CpprestTls*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), ContextIndex()));
  if ((where & SSL_CB_HANDSHAKE_START) != 0) {
    tls.failure_.reset();
    // Before the first message is written.
    TlsMaterial::SendServerName(const_cast<SSL*>(session), tls.name_);
  }
  const bool received = (where & SSL_CB_ALERT) != 0 && (where & SSL_CB_READ) != 0;
  if (received && (value >> 8) == SSL3_AL_FATAL) {
    const auto reason = static_cast<unsigned>(SSL_AD_REASON_OFFSET + (value & 0xff));
    const char* const text = ERR_reason_error_string(ERR_PACK(ERR_LIB_SSL, 0, reason));
    tls.failure_ = Error{.reason = ErrorReason::kTransport,
                         .message = "tls: " + std::string(text == nullptr ? "alert" : text)};
  }
}

}  // namespace capstan::transport
