// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/object.h"

#include <glog/logging.h>

#include <charconv>
#include <cstring>
#include <limits>

#include "capstan/heap.h"

namespace capstan::runtime {
namespace {

constexpr std::string_view kLowerHexDigits = "0123456789abcdef";
constexpr std::size_t kUuidLength = 36;
constexpr std::size_t kUuidDigits = 32;

constexpr std::uint8_t kNoDigit = 0xff;
constexpr auto kDigitValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  std::uint8_t value = 0;
  for (const char digit : kLowerHexDigits) values[static_cast<unsigned char>(digit)] = value++;
  return values;
}();

// The positions of the digits in "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx".
constexpr auto kDigitPositions = [] {
  std::array<std::uint8_t, kUuidDigits> positions{};
  std::uint8_t at = 0;
  for (std::uint8_t& position : positions) {
    if (at == 8 || at == 13 || at == 18 || at == 23) ++at;
    position = at++;
  }
  return positions;
}();

// Reads a UUID in the form that FormatUuid writes. False: `text` has another form.
bool ParseUuid(std::string_view text, std::array<std::uint64_t, 2>& uuid) {
  if (text.size() != kUuidLength) return false;
  if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return false;
  unsigned all = 0;
  for (std::size_t i = 0; i < kUuidDigits; ++i) {
    const unsigned digit = kDigitValues[static_cast<unsigned char>(text[kDigitPositions[i]])];
    all |= digit;
    std::uint64_t& half = uuid[i / (kUuidDigits / 2)];
    half = half << 4U | digit;
  }
  return all < kLowerHexDigits.size();
}

std::string FormatUuid(const std::array<std::uint64_t, 2>& uuid) {
  std::string text(kUuidLength, '-');
  for (std::size_t i = 0; i < kUuidDigits; ++i) {
    const std::size_t shift = 4 * (kUuidDigits / 2 - 1 - i % (kUuidDigits / 2));
    text[kDigitPositions[i]] = kLowerHexDigits[uuid[i / (kUuidDigits / 2)] >> shift & 0xfU];
  }
  return text;
}

// Reads a number in the form that std::to_string writes. False: `text` has another form.
bool ParseNumber(std::string_view text, std::uint64_t& number) {
  if (text.empty() || (text.front() == '0' && text.size() > 1)) return false;
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && parsed == end;
}

char* Put(char* to, std::string_view text) {
  return text.empty() ? to
                      : static_cast<char*>(std::memcpy(to, text.data(), text.size())) + text.size();
}

std::size_t KeyLength(const ObjectIdentity& meta) {
  return meta.namespace_.size() + (meta.namespace_.empty() ? 0U : 1U) + meta.name.size();
}

}  // namespace

ObjectBlock::ObjectBlock(const ObjectIdentity& meta, std::size_t type_bytes)
    : meta_(meta),
      version_is_text_(!ParseNumber(meta.resource_version, version_)),
      uid_is_text_(!ParseUuid(meta.uid, uid_)) {
  if (version_is_text_) version_ = meta.resource_version.size();
  if (uid_is_text_) uid_ = {meta.uid.size(), 0};
  const std::size_t text_bytes =
      KeyLength(meta) + (version_is_text_ ? version_ : 0U) + (uid_is_text_ ? uid_.front() : 0U);
  CHECK_LE(text_bytes, std::numeric_limits<std::uint16_t>::max())
      << "the identity of an object is too long";
  memory_ = static_cast<char*>(::operator new(type_bytes + text_bytes));
  text_ = memory_ + type_bytes;
  meta_.block = this;
}

ObjectBlock::~ObjectBlock() { ::operator delete(memory_); }

Object::Object(const ObjectIdentity& meta) {
  CHECK(meta.block != nullptr) << "an object was not made by MakeObject";
  const ObjectBlock& block = *meta.block;
  const auto text_at = static_cast<std::size_t>(block.text_ - reinterpret_cast<char*>(this));
  text_at_ = (text_at / kTextAlignment) & 0x1fffU;
  key_len_ = static_cast<std::uint16_t>(KeyLength(meta));
  is_namespaced_ = !meta.namespace_.empty();
  version_is_text_ = block.version_is_text_;
  uid_is_text_ = block.uid_is_text_;
  version_ = block.version_;
  uid_ = block.uid_;
  char* to = Put(block.text_, meta.namespace_);
  if (is_namespaced_) *to++ = '/';
  to = Put(to, meta.name);
  if (version_is_text_) to = Put(to, meta.resource_version);
  if (uid_is_text_) Put(to, meta.uid);
}

void Object::Destroy(const Object* object) {
  // The block begins at the most derived object. It is known only before the destructor.
  const void* const block = dynamic_cast<const void*>(object);
  object->~Object();
  ::operator delete(const_cast<void*>(block));
}

std::string_view Object::VersionText() const { return {text() + key_len_, version_}; }

std::string_view Object::UidText() const {
  return {text() + key_len_ + (version_is_text_ ? version_ : 0U), uid_.front()};
}

std::size_t Object::TextBytes() const {
  return key_len_ + (version_is_text_ ? version_ : 0U) + (uid_is_text_ ? uid_.front() : 0U);
}

std::string Object::resource_version() const {
  return version_is_text_ ? std::string(VersionText()) : std::to_string(version_);
}

std::string Object::uid() const { return uid_is_text_ ? std::string(UidText()) : FormatUuid(uid_); }

bool Object::HasSameVersion(const Object& other) const {
  if (version_ != other.version_ || uid_ != other.uid_) return false;
  if (version_is_text_ != other.version_is_text_ || uid_is_text_ != other.uid_is_text_) {
    return false;
  }
  if (version_is_text_ && (version_ == 0 || VersionText() != other.VersionText())) return false;
  return !uid_is_text_ || UidText() == other.UidText();
}

std::size_t Object::BlockBytes() const {
  const char* const begin = static_cast<const char*>(dynamic_cast<const void*>(this));
  return HeapBlockBytes(static_cast<std::size_t>(text() - begin) + TextBytes());
}

ObjectKey ObjectKey::Parse(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return {.namespace_ = {}, .name = std::string(key)};
  return {.namespace_ = std::string(key.substr(0, slash)),
          .name = std::string(key.substr(slash + 1))};
}

}  // namespace capstan::runtime
