// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/text.h"

#include <cstddef>
#include <cstdint>

#include "capstan/text.h"

namespace capstan::readinessgate {

namespace {

constexpr std::size_t kNameBytesMax = 63;
constexpr std::size_t kDnsBytesMax = 253;

// The length of the UTF-8 character at the start of `text`; 0 when the bytes are not UTF-8.
std::size_t CharacterBytes(std::string_view text) {
  return Utf8SequenceLength(text.data(), text.data() + text.size());
}

void AppendEscaped(std::string& out, char c) {
  constexpr std::string_view kSpecial = "\a\b\f\n\r\t\v\"\\";
  constexpr std::string_view kNames = "abfnrtv\"\\";
  constexpr const char* kHex = "0123456789abcdef";
  if (const std::size_t at = kSpecial.find(c); at != std::string_view::npos) {
    out += '\\';
    out += kNames[at];
    return;
  }
  const auto byte = static_cast<std::uint8_t>(c);
  out += "\\x";
  out += kHex[byte >> 4U];
  out += kHex[byte & 0xfU];
}

// [A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?, at most 63 bytes.
std::string WhyNotName(std::string_view name) {
  if (name.empty()) return "its name is empty";
  if (name.size() > kNameBytesMax) return "its name is longer than 63 bytes";
  for (const char c : name) {
    if (!IsAsciiAlphanumeric(c) && c != '-' && c != '_' && c != '.') {
      return Quote({&c, 1}) + " is not allowed";
    }
  }
  if (!IsAsciiAlphanumeric(name.front()) || !IsAsciiAlphanumeric(name.back())) {
    return "it has to start and end with a letter or digit";
  }
  return {};
}

std::string WhyNotQualifiedName(std::string_view key, bool capitals) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return WhyNotName(key);
  if (key.find('/', slash + 1) != std::string_view::npos) return "it has more than one '/'";
  std::string prefix(key.substr(0, slash));
  if (capitals) prefix = LowerAscii(prefix);
  if (std::string why = WhyNotDnsName(prefix); !why.empty()) {
    return "before the '/' has to be a DNS name, and " + why;
  }
  return WhyNotName(key.substr(slash + 1));
}

}  // namespace

std::string Quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t bytes = CharacterBytes(text);
    const char c = text.front();
    const bool is_special =
        c == '"' || c == '\\' || c == '\x7f' || static_cast<unsigned char>(c) < ' ';
    if (bytes == 0 || is_special) {
      AppendEscaped(out, c);
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out += '"';
}

std::string Clip(std::string_view text, std::size_t bytes_max) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string out;
  while (!text.empty()) {
    const std::size_t bytes = CharacterBytes(text);
    const std::string_view character = bytes == 0 ? kReplacement : text.substr(0, bytes);
    if (out.size() + character.size() > bytes_max) break;
    out += character;
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out;
}

std::pair<std::string_view, std::string_view> Cut(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

std::string WhyNotLabelKey(std::string_view key) { return WhyNotQualifiedName(key, false); }
std::string WhyNotAnnotationKey(std::string_view key) { return WhyNotQualifiedName(key, true); }
std::string WhyNotLabelValue(std::string_view value) {
  if (value.empty()) return {};
  if (value.size() > kNameBytesMax) return "it is longer than 63 bytes";
  return WhyNotName(value);
}

std::string WhyNotDnsName(std::string_view name) {
  if (name.empty()) return "it is empty";
  if (name.size() > kDnsBytesMax) return "it is longer than 253 bytes";
  if (IsDnsSubdomain(name)) return {};
  return "it has to be of lower-case letters, digits, '-' and '.', and each part has to start and "
         "end with a letter or digit";
}

std::string WhyNotNamespace(std::string_view name) {
  std::string why = WhyNotDnsName(name);
  if (why.empty() && name.find('.') != std::string_view::npos) why = R"("." is not allowed)";
  return why.empty() ? WhyNotLabelValue(name) : why;
}

Expected<const runtime::JsonValue*> BoundedJson::Parse(std::string_view text) {
  if (text.size() > bytes_max_) {
    return Err(ErrorReason::kDecode, "it is longer than " + std::to_string(bytes_max_) + " bytes");
  }
  const auto taken = filter_.Feed(text);
  if (!taken) return Err(taken.error());
  if (!filter_.HasFrame()) {
    if (const auto finished = filter_.Finish(); !finished) return Err(finished.error());
    if (!filter_.HasFrame()) return Err(ErrorReason::kDecode, "it is empty");
  }
  if (text.find_first_not_of(" \t\r\n", *taken) != std::string_view::npos) {
    return Err(ErrorReason::kDecode,
               "something follows the JSON at byte " + std::to_string(*taken));
  }
  auto parsed = runtime::ParsedJson::Parse({filter_.frame(), filter_.frame_size()});
  if (!parsed) return Err(std::move(parsed.error()));
  parsed_ = std::move(*parsed);
  return &parsed_->root();
}

}  // namespace capstan::readinessgate
