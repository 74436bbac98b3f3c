// SPDX-License-Identifier: Apache-2.0
#include "clientgo/auth/plugin_stderr.h"

#include <algorithm>

#include "clientgo/runtime/json.h"

namespace clientgo::auth {
namespace {

constexpr std::size_t kBytesMax = 500;
constexpr std::string_view kHidden = "<hidden>";
// Longer than the words of a message, no longer than a token. Paths and addresses are longer, but
// have a '/' or ':' in between.
constexpr std::size_t kSecretBytesMin = 24;

bool IsSecretCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("+=_.-").find(c) != std::string_view::npos;
}

bool IsSecretWord(std::string_view word) {
  if (word.size() < kSecretBytesMin) return false;
  if (word.find_first_of("0123456789") == std::string_view::npos) return false;
  // Lower case with dots is a host's name.
  return word.find('.') == std::string_view::npos ||
         word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string_view::npos;
}

std::string HideSecretWords(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), IsSecretCharacter);
    const auto size = static_cast<std::size_t>(end - text.begin());
    const std::string_view word = text.substr(0, size);
    out += IsSecretWord(word) ? kHidden : word;
    if (size < text.size()) out += text[size];
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return out;
}

void HideText(std::string& text, std::string_view secret) {
  if (secret.empty()) return;
  for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    text.replace(at, secret.size(), kHidden);
    at += kHidden.size();
  }
}

// After ESC: "[31m" and the like. Returns what follows it.
std::string_view SkipEscapeSequence(std::string_view text) {
  if (!text.starts_with('[')) return text;
  const std::size_t end =
      text.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  return text.substr(std::min(end, text.size() - 1) + 1);
}

}  // namespace

std::string OneLine(std::string_view text) {
  std::string out;
  while (!text.empty() && out.size() < kBytesMax) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '\x1b') {
      text = SkipEscapeSequence(text);
    } else if ((c >= 0 && c <= ' ') || c == '\x7f') {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else {
      out += c;
    }
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string ReadableStderr(std::string_view text, std::string_view out) {
  std::string readable(text);
  std::string copy(out);
  runtime::JsonParser parser;
  if (const auto root = parser.ParseInsitu(copy.data(), copy.size())) {
    if (const auto* status = runtime::Find(**root, "status")) {
      HideText(readable, runtime::GetString(*status, "token"));
    }
  }
  return OneLine(HideSecretWords(readable));
}

}  // namespace clientgo::auth
