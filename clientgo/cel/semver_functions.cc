// SPDX-License-Identifier: Apache-2.0
// The functions of semantic versions. Mirrors version 1 of Kubernetes' cel/library/semverlib.go.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/text.h"
#include "clientgo/cel/functions.h"

namespace capstan::cel {
namespace {

struct SemanticVersion {
  std::array<std::uint64_t, 3> numbers{};  // major, minor, patch
  std::vector<std::string> prerelease;
};

std::optional<std::uint64_t> VersionNumber(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool zero = text.size() > 1 && text[0] == '0';
  if (error != std::errc() || end != text.data() + text.size() || zero) return std::nullopt;
  return number;
}

// Returns the parts between the dots of a text. An empty text has one empty part.
std::vector<std::string_view> PartsOf(std::string_view suffix) {
  std::vector<std::string_view> parts;
  for (std::size_t dot = suffix.find('.'); dot != std::string_view::npos; dot = suffix.find('.')) {
    parts.push_back(suffix.substr(0, dot));
    suffix.remove_prefix(dot + 1);
  }
  parts.push_back(suffix);
  return parts;
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return IsAsciiAlphanumeric(c) || c == '-'; });
}

bool IsNumeric(std::string_view text) {
  return std::all_of(text.begin(), text.end(), IsAsciiDigit);
}

std::optional<SemanticVersion> ParseVersion(std::string_view text) {
  SemanticVersion version;
  if (const std::size_t plus = text.find('+'); plus != std::string_view::npos) {
    for (const std::string_view part : PartsOf(text.substr(plus + 1))) {
      if (!IsIdentifier(part)) return std::nullopt;
    }
    text = text.substr(0, plus);
  }
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    for (const std::string_view part : PartsOf(text.substr(dash + 1))) {
      if (!IsIdentifier(part) || (IsNumeric(part) && !VersionNumber(part))) return std::nullopt;
      version.prerelease.emplace_back(part);
    }
    text = text.substr(0, dash);
  }
  const auto parts = PartsOf(text);
  if (parts.size() != version.numbers.size()) return std::nullopt;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto number = VersionNumber(parts[i]);
    if (!number) return std::nullopt;
    version.numbers.at(i) = *number;
  }
  return version;
}

// Returns 1.0.0 for v01. A short version cannot have a suffix.
std::optional<SemanticVersion> NormalizeVersion(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<std::string> parts;
  while (parts.size() < 2 && text.find('.') != std::string_view::npos) {
    parts.emplace_back(text.substr(0, text.find('.')));
    text.remove_prefix(text.find('.') + 1);
  }
  parts.emplace_back(text);
  for (std::string& part : parts) {
    if (part.size() < 2) continue;
    part.erase(0, std::min(part.find_first_not_of('0'), part.size()));
    if (part.empty() || !IsAsciiDigit(part[0])) part.insert(0, "0");
  }
  if (parts.size() < 3 && parts.back().find_first_of("+-") != std::string::npos)
    return std::nullopt;
  while (parts.size() < 3) parts.emplace_back("0");
  return ParseVersion(Join(parts, "."));
}

template <class T>
int OrderOf(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

int ComparePart(const std::string& a, const std::string& b) {
  const bool a_number = IsNumeric(a);
  const bool b_number = IsNumeric(b);
  if (a_number && b_number) return OrderOf(*VersionNumber(a), *VersionNumber(b));
  if (a_number != b_number) return a_number ? -1 : 1;
  return OrderOf(a, b);
}

int CompareVersions(const SemanticVersion& a, const SemanticVersion& b) {
  if (a.numbers != b.numbers) return a.numbers < b.numbers ? -1 : 1;
  // A version with a prerelease is before the one without.
  if (a.prerelease.empty() || b.prerelease.empty()) {
    return OrderOf(a.prerelease.empty(), b.prerelease.empty());
  }
  for (std::size_t i = 0; i < std::min(a.prerelease.size(), b.prerelease.size()); ++i) {
    const int order = ComparePart(a.prerelease[i], b.prerelease[i]);
    if (order != 0) return order;
  }
  return OrderOf(a.prerelease.size(), b.prerelease.size());
}

class SemverValue : public Opaque {
 public:
  explicit SemverValue(SemanticVersion given) : version(std::move(given)) {}
  std::string_view type_name() const override { return "kubernetes.Semver"; }
  bool Equals(const Opaque& other) const override {
    return CompareVersions(version, static_cast<const SemverValue&>(other).version) == 0;
  }
  bool IsHashable() const override { return false; }
  SemanticVersion version;
};

const SemanticVersion& VersionOf(const Value& value) {
  return static_cast<const SemverValue*>(value.opaque())->version;
}

std::optional<SemanticVersion> ReadVersion(Arguments args) {
  const std::string& text = *args[0].Get<std::string>();
  return args.size() == 2 && args[1].IsTrue() ? NormalizeVersion(text) : ParseVersion(text);
}
Value MakeSemver(Arguments args) {
  auto version = ReadVersion(args);
  if (!version)
    return Value::Failure("Invalid semantic version \"" + *args[0].Get<std::string>() + "\"");
  return Value::Of(std::make_shared<const SemverValue>(*std::move(version)));
}
Value IsSemver(Arguments args) { return Value::Bool(ReadVersion(args).has_value()); }

template <std::size_t Index>
Value NumberOfVersion(Arguments args) {
  return Value::Int(static_cast<std::int64_t>(VersionOf(args[0]).numbers.at(Index)));
}

int OrderOfVersions(Arguments args) {
  return CompareVersions(VersionOf(args[0]), VersionOf(args[1]));
}
Value VersionIsGreater(Arguments args) { return Value::Bool(OrderOfVersions(args) > 0); }
Value VersionIsLess(Arguments args) { return Value::Bool(OrderOfVersions(args) < 0); }
Value VersionOrder(Arguments args) { return Value::Int(OrderOfVersions(args)); }

constexpr std::array kSemverRows = std::to_array<OverloadRow>({
    {"semver", "string -> kubernetes.Semver", MakeSemver},
    {"semver", "string, bool -> kubernetes.Semver", MakeSemver},
    {"isSemver", "string -> bool", IsSemver},
    {"isSemver", "string, bool -> bool", IsSemver},
    {"isGreaterThan", ". kubernetes.Semver, kubernetes.Semver -> bool", VersionIsGreater},
    {"isLessThan", ". kubernetes.Semver, kubernetes.Semver -> bool", VersionIsLess},
    {"compareTo", ". kubernetes.Semver, kubernetes.Semver -> int", VersionOrder},
    {"major", ". kubernetes.Semver -> int", NumberOfVersion<0>},
    {"minor", ". kubernetes.Semver -> int", NumberOfVersion<1>},
    {"patch", ". kubernetes.Semver -> int", NumberOfVersion<2>},
});

}  // namespace

std::span<const OverloadRow> SemverRows() { return kSemverRows; }

}  // namespace capstan::cel
