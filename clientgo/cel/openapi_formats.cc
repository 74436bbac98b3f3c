// SPDX-License-Identifier: Apache-2.0
// The formats of OpenAPI that are times. Mirrors k8s.io/kube-openapi/pkg/validation/strfmt.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "capstan/text.h"
#include "capstan/time.h"
#include "clientgo/cel/go_regexp.h"
#include "clientgo/cel/timestamps.h"

namespace capstan::cel {
namespace {

constexpr std::int64_t kNanosPerHour = 3'600'000'000'000;
constexpr std::int64_t kNanosPerWeek = kNanosPerHour * 24 * 7;

struct TimeUnit {
  std::array<std::string_view, 3> names;  // a unit may have more letters behind the last name
  std::int64_t nanos;
};
constexpr std::array kTimeUnits = std::to_array<TimeUnit>({
    {{"ns", "ns", "nano"}, 1},
    {{"us", "µs", "micro"}, 1'000},
    {{"ms", "ms", "milli"}, 1'000'000},
    {{"s", "s", "sec"}, 1'000'000'000},
    {{"m", "m", "min"}, 60'000'000'000},
    {{"h", "hr", "hour"}, kNanosPerHour},
    {{"d", "d", "day"}, 24 * kNanosPerHour},
    {{"w", "wk", "week"}, kNanosPerWeek},
});

const TimeUnit* FindTimeUnit(std::string_view name) {
  const auto* const found =
      std::find_if(kTimeUnits.begin(), kTimeUnits.end(), [&](const TimeUnit& unit) {
        return std::find(unit.names.begin(), unit.names.end(), name) != unit.names.end() ||
               name.starts_with(unit.names.back());
      });
  return found == kTimeUnits.end() ? nullptr : found;
}

}  // namespace

bool IsDateTime(std::string_view text) {
  static const GoRegexp time(
      "^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$");
  const std::string lower = LowerAscii(text);
  const std::size_t t = lower.find('t');
  if (t == std::string::npos || !ParseDate(std::string_view(lower).substr(0, t))) return false;
  const std::size_t next = lower.find('t', t + 1);
  return time.Matches(std::string_view(lower).substr(t + 1, next - t - 1));
}

std::optional<Duration> ParseFormatDuration(const std::string& text) {
  if (const auto duration = ParseDuration(text)) return Duration{duration->count()};
  static const GoRegexp part(R"(\d+\s*[A-Za-zµ]+)");
  std::optional<Duration> sum;
  for (const std::string& found : part.FindAll(text, text.size())) {
    std::int64_t factor = 0;
    const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), factor);
    if (error != std::errc()) return std::nullopt;
    const std::string unit = LowerAscii(
        Trim({end, static_cast<std::size_t>(found.data() + found.size() - end)}, " \t\r\n\f"));
    const TimeUnit* const known = FindTimeUnit(unit);
    if (known == nullptr) continue;
    std::int64_t nanos = 0;
    (void)__builtin_mul_overflow(factor, known->nanos, &nanos);  // Go's numbers wrap around
    if (!sum) sum = Duration{};
    (void)__builtin_add_overflow(sum->nanos, nanos, &sum->nanos);
  }
  return sum;
}

}  // namespace capstan::cel
