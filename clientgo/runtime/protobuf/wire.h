// SPDX-License-Identifier: Apache-2.0
// The wire format of protocol buffers, one field at a time. Mirrors the code that Kubernetes
// generates (generated.pb.go), which decides what is valid. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/export.h"

namespace capstan::runtime {

enum class WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

inline constexpr std::string_view kTruncated = "unexpected EOF";  // the error for missing bytes

// WireHeader is a field without the bytes of its value.
struct WireHeader {
  static constexpr std::size_t kBytesMax = 20;

  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;  // the integer; of kBytes, their number
  std::size_t size = 0;     // of this header
};

// Reads the header at the beginning of `bytes`. Returns nullopt if more bytes are needed. If
// `error` is not empty afterwards, no bytes can complete the header.
std::optional<WireHeader> ReadWireHeader(std::string_view bytes, std::string& error);

inline constexpr std::string_view kBadEntry = "proto: malformed map entry";
inline constexpr std::uint32_t kEntryKey = 1;
inline constexpr std::uint32_t kEntryValue = 2;

// Reads a header of a map entry. Go takes its key and its value for kBytes, whatever their type.
std::optional<WireHeader> ReadEntryHeader(std::string_view bytes, std::string& error);

// Appends an integer, as values, lengths and tags are written.
inline void AppendVarint(std::uint64_t value, std::string& to) {
  for (; value >= 0x80U; value >>= 7U) to += static_cast<char>(0x80U | (value & 0x7fU));
  to += static_cast<char>(value);
}

// Returns the error for a field with a type that it cannot have.
[[gnu::cold]] std::string WrongWireType(const WireHeader& header, std::string_view field);

// WireReader reads the fields of a whole message or map entry. It keeps the first error.
class WireReader {
 public:
  explicit WireReader(std::string_view message, bool is_entry = false)
      : rest_(message), is_entry_(is_entry) {}

  // Returns false at the end, and after an error. A group is one field, without its content.
  bool Next(WireHeader& field, std::string_view& bytes);
  const std::string& error() const { return error_; }

 private:
  std::string_view rest_;
  const bool is_entry_;
  std::string error_;
};

// WireValue is the value of a field: the integer, or the bytes.
struct WireValue {
  std::uint64_t integer = 0;
  std::string_view bytes = {};
};

// Returns the last value of one field of a message; a missing one is zero. Sets `error` for a
// message that is malformed, and if the field is not of this type.
CAPSTAN_EXPORT_INTERNAL WireValue OneField(std::string_view message, std::uint32_t number,
                                           WireType type, std::string& error);

}  // namespace capstan::runtime
