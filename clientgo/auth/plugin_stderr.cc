// SPDX-License-Identifier: Apache-2.0
#include "clientgo/auth/plugin_stderr.h"

#include <algorithm>
#include <array>

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

// Of base64, or between the parts of a path. JSON may have a '\' before the '/'.
bool IsSlash(char c) { return c == '/' || c == '\\'; }

bool IsSecretWord(std::string_view word) {
  if (word.size() < kSecretBytesMin) return false;
  if (word.find_first_of("0123456789") == std::string_view::npos) return false;
  // Lower case with dots is a host's name.
  return word.find('.') == std::string_view::npos ||
         word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string_view::npos;
}

enum class Kind { kOther, kLower, kUpper, kDigit };

Kind KindOf(char c) {
  if (c >= 'a' && c <= 'z') return Kind::kLower;
  if (c >= 'A' && c <= 'Z') return Kind::kUpper;
  return c >= '0' && c <= '9' ? Kind::kDigit : Kind::kOther;
}

// Base64, which may have slashes anywhere, and no path: lower case, upper case and digits take
// turns in it. Of secrets of 24 characters that misses 5 in 1000, of 32 less than one; of paths it
// hides 4 in 1000.
bool IsRandom(std::string_view text) {
  std::array<bool, 4> seen = {};
  std::size_t characters = 0;
  std::size_t turns = 0;
  Kind before = Kind::kOther;
  for (const char c : text) {
    const Kind kind = KindOf(c);
    if (kind == Kind::kOther) continue;
    if (before != Kind::kOther && kind != before) ++turns;
    seen[static_cast<std::size_t>(kind)] = true;
    before = kind;
    ++characters;
  }
  const auto has = [&](Kind kind) { return seen[static_cast<std::size_t>(kind)]; };
  if (text.size() < kSecretBytesMin || !has(Kind::kLower) || !has(Kind::kUpper)) return false;
  // A name like role/ClusterAdminRole takes turns, too, but has no digits.
  return has(Kind::kDigit) ? turns * 4 >= characters : turns * 5 >= characters * 2;
}

// Calls `append` for each longest run of what `is_part` takes; what is between goes to `out`.
template <class IsPart, class Append>
void ForEachWord(std::string& out, std::string_view text, IsPart is_part, Append append) {
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_part);
    const auto size = static_cast<std::size_t>(end - text.begin());
    append(text.substr(0, size));
    if (size < text.size()) out += text[size];
    text.remove_prefix(std::min(size + 1, text.size()));
  }
}

std::string HideSecretWords(std::string_view text) {
  std::string out;
  const auto append_word = [&](std::string_view word) {
    out += IsSecretWord(word) ? kHidden : word;
  };
  const auto append_run = [&](std::string_view run) {
    if (IsRandom(run)) {
      out += kHidden;
    } else {
      ForEachWord(out, run, IsSecretCharacter, append_word);
    }
  };
  ForEachWord(
      out, text, [](char c) { return IsSecretCharacter(c) || IsSlash(c); }, append_run);
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
