// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/protobuf/wire.h"

#include <algorithm>

namespace capstan::runtime {
namespace {

// Reads a number of up to 64 bits, and returns how many bytes it has. 0: more bytes are needed, or
// there is an error. Like Go's, it drops the bits above 64 of a tenth byte.
std::size_t ReadVarint(std::string_view bytes, std::uint64_t& value, std::string& error) {
  constexpr std::size_t kVarintBytesMax = 10;
  value = 0;
  for (std::size_t i = 0; i < kVarintBytesMax; ++i) {
    if (i == bytes.size()) return 0;
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << (7U * i);
    if (byte < 0x80U) return i + 1;
  }
  error = "proto: integer overflow";
  return 0;
}

std::size_t ReadFixed(std::string_view bytes, std::size_t size, std::uint64_t& value) {
  if (bytes.size() < size) return 0;
  value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8U * i);
  }
  return size;
}

// Reads a header. Fields with numbers up to `bytes_numbers` are kBytes.
std::optional<WireHeader> ReadHeader(std::string_view bytes, std::uint32_t bytes_numbers,
                                     std::string& error) {
  std::uint64_t tag = 0;
  const std::size_t tag_size = ReadVarint(bytes, tag, error);
  if (tag_size == 0) return std::nullopt;
  WireHeader header{.number = static_cast<std::uint32_t>(tag >> 3U),
                    .type = static_cast<WireType>(tag & 7U),
                    .size = tag_size};
  if (header.number != 0 && header.number <= bytes_numbers) header.type = WireType::kBytes;
  const std::string_view rest = bytes.substr(tag_size);
  std::size_t size = 0;
  switch (header.type) {
    case WireType::kVarint:
    case WireType::kBytes:
      size = ReadVarint(rest, header.value, error);
      break;
    case WireType::kFixed64:
      size = ReadFixed(rest, sizeof(std::uint64_t), header.value);
      break;
    case WireType::kFixed32:
      size = ReadFixed(rest, sizeof(std::uint32_t), header.value);
      break;
    case WireType::kGroup:
    case WireType::kEndGroup:
      return header;
    default:
      error = "proto: illegal wireType " + std::to_string(tag & 7U);
  }
  if (size == 0) return std::nullopt;
  header.size += size;
  return header;
}

}  // namespace

std::optional<WireHeader> ReadWireHeader(std::string_view bytes, std::string& error) {
  return ReadHeader(bytes, 0, error);
}

std::optional<WireHeader> ReadEntryHeader(std::string_view bytes, std::string& error) {
  return ReadHeader(bytes, kEntryValue, error);
}

std::string WrongWireType(const WireHeader& header, std::string_view field) {
  return "proto: wrong wireType = " + std::to_string(static_cast<int>(header.type)) +
         " for field " + std::string(field);
}

bool WireReader::Next(WireHeader& field, std::string_view& bytes) {
  int groups = 0;
  while (error_.empty()) {
    if (rest_.empty()) {
      if (groups > 0) error_ = kTruncated;
      return false;
    }
    const bool in_entry = is_entry_ && groups == 0;
    const auto header = in_entry ? ReadEntryHeader(rest_, error_) : ReadWireHeader(rest_, error_);
    if (!header) {
      if (error_.empty()) error_ = kTruncated;
      return false;
    }
    rest_.remove_prefix(header->size);
    if (groups == 0) {
      field = *header;
      bytes = {};
    }
    if (header->type == WireType::kBytes) {
      if (header->value > rest_.size()) {
        error_ = kTruncated;
        return false;
      }
      const auto size = static_cast<std::size_t>(header->value);
      if (groups == 0) bytes = rest_.substr(0, size);
      rest_.remove_prefix(size);
    }
    if (header->type == WireType::kEndGroup && groups-- == 0) {
      error_ = "proto: end of a group without its begin";
    } else if (groups == 0 && !is_entry_ && static_cast<std::int32_t>(field.number) <= 0) {
      error_ = "proto: illegal tag " + std::to_string(static_cast<std::int32_t>(field.number));
    } else {
      groups += header->type == WireType::kGroup ? 1 : 0;
      if (groups == 0) return true;
    }
  }
  return false;
}

WireValue OneField(std::string_view message, std::uint32_t number, WireType type,
                   std::string& error) {
  WireReader reader(message);
  WireHeader field;
  std::string_view bytes;
  WireValue found;
  while (reader.Next(field, bytes)) {
    if (field.number != number) continue;
    found = {.integer = field.value, .bytes = bytes};
    if (field.type != type) error = WrongWireType(field, std::to_string(number));
  }
  if (!reader.error().empty()) error = reader.error();
  return found;
}

}  // namespace capstan::runtime
