// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/kind_versions.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <tuple>

namespace capstan::testing::apiserver {
namespace {

// VersionName is a name such as "v1beta2": major 1, beta, minor 2. A stable version has no minor.
struct VersionName {
  enum class Stability { kAlpha, kBeta, kStable };

  Stability stability = Stability::kStable;
  int major = 0;
  int minor = 0;

  auto Rank() const { return std::tuple(stability, major, minor); }
};

// Takes a number from the front of `text`.
std::optional<int> TakeNumber(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.empty() || text.front() == '-') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<VersionName> ParseVersionName(std::string_view text) {
  if (!text.starts_with('v')) return std::nullopt;
  text.remove_prefix(1);
  const auto major = TakeNumber(text);
  if (!major) return std::nullopt;
  VersionName name{.major = *major};
  if (text.empty()) return name;
  const bool alpha = text.starts_with("alpha");
  if (!alpha && !text.starts_with("beta")) return std::nullopt;
  text.remove_prefix(std::string_view(alpha ? "alpha" : "beta").size());
  const auto minor = TakeNumber(text);
  if (!minor || !text.empty()) return std::nullopt;
  name.stability = alpha ? VersionName::Stability::kAlpha : VersionName::Stability::kBeta;
  name.minor = *minor;
  return name;
}

}  // namespace

const Resource* VersionOf(const Resource& resource, std::string_view api_version) {
  if (resource.ApiVersion() == api_version) return &resource;
  if (resource.versions == nullptr) return nullptr;
  const auto& all = resource.versions->all;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Resource* version) {
    return version->ApiVersion() == api_version;
  });
  return found == all.end() ? nullptr : *found;
}

bool IsPreferredVersion(std::string_view a, std::string_view b) {
  const auto left = ParseVersionName(a);
  const auto right = ParseVersionName(b);
  if (!left && !right) return a < b;
  if (!left || !right) return left.has_value();
  return left->Rank() > right->Rank();
}

}  // namespace capstan::testing::apiserver
