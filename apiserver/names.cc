// SPDX-License-Identifier: Apache-2.0
#include "apiserver/names.h"

#include <algorithm>
#include <cstddef>

#include "clientgo/util/text.h"

namespace apiserver {
namespace {

constexpr std::size_t kSubdomainMax = 253;
constexpr std::size_t kPartMax = 63;

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool IsKeyCharacter(char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; }

// Letters, digits and "-_." inside.
bool IsPart(std::string_view text) {
  return !text.empty() && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(), IsKeyCharacter);
}

std::string TooLong(std::size_t length_max) {
  return "must be no more than " + std::to_string(length_max) + " characters";
}

void AppendNamePartErrors(std::string_view name, std::vector<std::string>& errors) {
  if (name.empty()) errors.emplace_back("name part must be non-empty");
  if (name.size() > kPartMax) errors.push_back("name part " + TooLong(kPartMax));
  if (IsPart(name)) return;
  errors.emplace_back(
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
      "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
      "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
}

}  // namespace

std::vector<std::string> SubdomainErrors(std::string_view text) {
  std::vector<std::string> errors;
  if (text.size() > kSubdomainMax) errors.push_back(TooLong(kSubdomainMax));
  if (!clientgo::util::IsDnsSubdomain(text)) {
    errors.emplace_back(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
        "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "
        "used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  }
  return errors;
}

std::vector<std::string> QualifiedNameErrors(std::string_view text) {
  std::vector<std::string> errors;
  const auto slashes = std::count(text.begin(), text.end(), '/');
  if (slashes > 1) {
    errors.emplace_back(
        "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start "
        "and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', "
        "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional "
        "DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    return errors;
  }
  if (slashes == 1) {
    const std::string_view prefix = text.substr(0, text.find('/'));
    if (prefix.empty()) errors.emplace_back("prefix part must be non-empty");
    if (!prefix.empty()) {
      for (const std::string& error : SubdomainErrors(prefix)) {
        errors.push_back("prefix part " + error);
      }
    }
    text.remove_prefix(prefix.size() + 1);
  }
  AppendNamePartErrors(text, errors);
  return errors;
}

std::vector<std::string> LabelValueErrors(std::string_view text) {
  std::vector<std::string> errors;
  if (text.size() > kPartMax) errors.push_back(TooLong(kPartMax));
  if (!text.empty() && !IsPart(text)) {
    errors.emplace_back(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
        "'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
  }
  return errors;
}

std::vector<std::string> ConfigKeyErrors(std::string_view text) {
  std::vector<std::string> errors;
  if (text.size() > kSubdomainMax) errors.push_back(TooLong(kSubdomainMax));
  if (text.empty() || !std::all_of(text.begin(), text.end(), IsKeyCharacter)) {
    errors.emplace_back(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
        "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
        "'[-._a-zA-Z0-9]+')");
  }
  if (text == "." || text == "..") errors.push_back("must not be '" + std::string(text) + "'");
  return errors;
}

}  // namespace apiserver
