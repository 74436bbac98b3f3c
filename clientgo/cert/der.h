// SPDX-License-Identifier: Apache-2.0
// DerReader reads DER values from the front of a text, which must live longer than the reader and
// the views that it returns. A read that fails leaves the reader in any state.
//
// Mirrors String of Go's golang.org/x/crypto/cryptobyte: tags of one byte, lengths of at most four
// bytes in the shortest form.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace capstan::cert {

namespace der_tag {
inline constexpr std::uint8_t kBoolean = 0x01;
inline constexpr std::uint8_t kInteger = 0x02;
inline constexpr std::uint8_t kBitString = 0x03;
inline constexpr std::uint8_t kOctetString = 0x04;
inline constexpr std::uint8_t kOid = 0x06;
inline constexpr std::uint8_t kUtf8String = 0x0c;
inline constexpr std::uint8_t kNumericString = 0x12;
inline constexpr std::uint8_t kPrintableString = 0x13;
inline constexpr std::uint8_t kT61String = 0x14;
inline constexpr std::uint8_t kIa5String = 0x16;
inline constexpr std::uint8_t kUtcTime = 0x17;
inline constexpr std::uint8_t kGeneralizedTime = 0x18;
inline constexpr std::uint8_t kBmpString = 0x1e;
inline constexpr std::uint8_t kSequence = 0x30;
inline constexpr std::uint8_t kSet = 0x31;
// Context-specific tags.
inline constexpr std::uint8_t Context(std::uint8_t number) { return 0x80 | number; }
inline constexpr std::uint8_t Explicit(std::uint8_t number) { return 0xa0 | number; }
}  // namespace der_tag

class DerReader {
 public:
  explicit DerReader(std::string_view text = {}) : rest_(text) {}

  struct Value {
    std::uint8_t tag = 0;
    std::string_view content;
    std::string_view whole;  // with tag and length
  };
  struct Bits {
    std::string_view bytes;
    unsigned padding = 0;  // bits of the last byte that do not count
  };

  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  bool Peek(std::uint8_t tag) const {
    return !rest_.empty() && static_cast<std::uint8_t>(rest_.front()) == tag;
  }

  std::optional<Value> ReadAny();
  // Returns the next value, if it has this tag.
  std::optional<Value> Read(std::uint8_t tag);
  // Returns a reader of the content of the next value, if it has this tag.
  std::optional<DerReader> Enter(std::uint8_t tag);

  std::optional<bool> ReadBoolean();
  // Returns the bytes of an integer in its shortest form.
  std::optional<std::string_view> ReadInteger(std::uint8_t tag = der_tag::kInteger);
  // Returns an integer of at most 64 bits.
  std::optional<std::int64_t> ReadInt64(std::uint8_t tag = der_tag::kInteger);
  // Returns the content of an OBJECT IDENTIFIER whose components are less than 2^31.
  std::optional<std::string_view> ReadOid();
  std::optional<Bits> ReadBitString();
  // Returns the time of a UTCTime or GeneralizedTime.
  std::optional<std::chrono::sys_seconds> ReadTime();

 private:
  std::string_view rest_;
};

// Returns true for an integer as of ReadInteger that is greater than zero.
bool IsPositive(std::string_view integer);

}  // namespace capstan::cert
