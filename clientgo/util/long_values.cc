// SPDX-License-Identifier: Apache-2.0
#include "capstan/long_values.h"

#include <algorithm>
#include <cstddef>

namespace capstan {
namespace {

// A name has at most 253 bytes, and the base64 of a bundle of one certificate has more than 500.
constexpr std::size_t kRunBytesMax = 256;

// The bytes of base64 and of PEM, also of PEM in a quoted string, whose line ends are escaped.
bool IsOfRun(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("+/=-_\\\r\n").find(c) != std::string_view::npos;
}

std::string Length(std::size_t bytes) { return "(" + std::to_string(bytes) + " bytes)"; }

// Returns the length of "[]byte{" or "[]uint8{" at the start of `text`, or 0.
std::size_t GoBytesPrefix(std::string_view text) {
  for (const std::string_view prefix : {"[]byte{", "[]uint8{"}) {
    if (text.starts_with(prefix)) return prefix.size();
  }
  return 0;
}

}  // namespace

std::string WithoutLongValues(std::string_view message) {
  std::string text;
  while (!message.empty()) {
    std::size_t taken = 1;
    if (const std::size_t prefix = GoBytesPrefix(message); prefix > 0) {
      const std::string_view list = message.substr(prefix, message.find('}') - prefix);
      text.append(message.substr(0, prefix));
      const auto commas = static_cast<std::size_t>(std::count(list.begin(), list.end(), ','));
      text += list.empty() ? "" : Length(commas + 1);
      taken = prefix + list.size();
    } else if (IsOfRun(message.front())) {
      const auto end = std::find_if_not(message.begin(), message.end(), IsOfRun);
      taken = static_cast<std::size_t>(end - message.begin());
      text += taken > kRunBytesMax ? Length(taken) : std::string(message.substr(0, taken));
    } else {
      text += message.front();
    }
    message.remove_prefix(taken);
  }
  return text;
}

}  // namespace capstan
