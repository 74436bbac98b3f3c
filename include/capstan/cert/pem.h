// SPDX-License-Identifier: Apache-2.0
// PemReader finds the PEM blocks of a text, as every program that is written in Go does.
//
// Mirrors Go's encoding/pem of Go 1.26, pem.Decode: text around blocks and blocks that cannot be
// read are skipped; blank lines, spaces and CRLF inside a block are allowed; of several BEGIN lines
// before an END line, the last one counts. OpenSSL's reader differs in each of these. In addition,
// the reader returns the text that it has skipped.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/export.h"

namespace capstan::cert {

inline constexpr std::string_view kCertificateBlock = "CERTIFICATE";

// PemBlock is one block. Its bytes may be a private key, so they are overwritten at its end.
struct CAPSTAN_EXPORT PemBlock {
  PemBlock() = default;
  PemBlock(PemBlock&&) noexcept = default;
  PemBlock& operator=(PemBlock&&) noexcept = delete;
  PemBlock(const PemBlock&) = delete;
  PemBlock& operator=(const PemBlock&) = delete;
  ~PemBlock();

  bool IsPrivateKey() const { return label.ends_with("PRIVATE KEY"); }

  std::string_view skipped;  // the text between the block before and this one
  std::string_view label;    // "CERTIFICATE"
  bool has_headers = false;  // such as "Proc-Type: 4,ENCRYPTED"
  std::string bytes;         // usually DER
};

// PemReader reads the blocks of `text`, which must live longer than the reader and its blocks.
class CAPSTAN_EXPORT PemReader {
 public:
  explicit PemReader(std::string_view text) : text_(text) {}

  // Returns the next block, or nullopt after the last one.
  std::optional<PemBlock> Next();
  // Returns the text after the last block that was returned.
  std::string_view rest() const { return text_.substr(position_); }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
};

// Returns true when a line of `skipped` begins a block: one that is cut off, or not valid base64.
CAPSTAN_EXPORT bool HasBrokenBlock(std::string_view skipped);

// Returns a block in PEM, with lines of 64 columns and a newline at its end.
CAPSTAN_EXPORT std::string EncodePem(std::string_view label, std::string_view bytes);

}  // namespace capstan::cert
