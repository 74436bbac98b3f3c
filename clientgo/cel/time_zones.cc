// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/time_zones.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "capstan/text.h"

namespace capstan::cel {
namespace {

constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::size_t kFileSizeMax = std::size_t{1} << 20U;

struct Transition {
  std::int64_t time;
  std::size_t kind;  // the index of its offset
};
struct Offset {
  std::int64_t seconds;
  bool daylight;
};
struct Zone {
  std::vector<Transition> transitions;
  std::vector<Offset> offsets;
  std::string rule;
};

// Reads numbers and names from the start of a text. A read past the end sets `wrong`.
struct Reader {
  std::string_view rest;
  bool wrong = false;

  std::string_view Take(std::size_t size) {
    wrong = wrong || size > rest.size();
    const std::string_view part = rest.substr(0, wrong ? 0 : size);
    rest.remove_prefix(part.size());
    return part;
  }
  // A number of `size` bytes with a sign, the highest byte first.
  std::int64_t Number(std::size_t size) {
    std::uint64_t number = 0;
    const std::string_view bytes = Take(size);
    if (!bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0) number = ~number;
    for (const char byte : bytes) number = (number << 8U) | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(number);
  }
  bool TakeIf(char c) {
    if (!rest.starts_with(c)) return false;
    rest.remove_prefix(1);
    return true;
  }
  int Digits() {
    constexpr int kMax = 1000;
    int number = 0;
    wrong = wrong || rest.empty() || !IsAsciiDigit(rest[0]);
    while (!rest.empty() && IsAsciiDigit(rest[0]) && number < kMax) {
      number = number * 10 + (rest[0] - '0');
      rest.remove_prefix(1);
    }
    return number;
  }
  // hh[:mm[:ss]] with an optional sign.
  std::int64_t Clock() {
    const bool minus = TakeIf('-');
    if (!minus) TakeIf('+');
    std::int64_t seconds = Digits() * kHour;
    if (TakeIf(':')) seconds += std::int64_t{Digits()} * 60;
    if (TakeIf(':')) seconds += Digits();
    return minus ? -seconds : seconds;
  }
  void ZoneName() {
    const std::size_t end =
        TakeIf('<') ? rest.find('>')
                    : static_cast<std::size_t>(
                          std::find_if_not(rest.begin(), rest.end(), IsAsciiLetter) - rest.begin());
    const bool bracket = end < rest.size() && rest[end] == '>';
    wrong = wrong || end == std::string_view::npos || end == 0;
    if (!wrong) rest.remove_prefix(end + (bracket ? 1 : 0));
  }
};

struct Header {
  char version;
  std::array<std::size_t, 6> counts;  // of UTC flags, standard flags, leaps, times, kinds, letters
};

Header ReadHeader(Reader& file) {
  file.wrong = file.wrong || file.Take(4) != "TZif";
  const std::string_view version = file.Take(1);
  Header header{.version = version.empty() ? '\0' : version[0], .counts = {}};
  file.Take(15);
  for (std::size_t& count : header.counts) {
    count = static_cast<std::size_t>(file.Number(4));
    if (count > kFileSizeMax) file.wrong = true;
  }
  return header;
}

std::optional<Zone> ParseZone(std::string_view text) {
  Reader file{text};
  Header header = ReadHeader(file);
  std::size_t width = 4;
  if (header.version >= '2' && !file.wrong) {
    const auto& [utc, standard, leaps, times, kinds, letters] = header.counts;
    file.Take(times * 5 + kinds * 6 + letters + leaps * 8 + standard + utc);
    header = ReadHeader(file);
    width = 8;
  }
  if (file.wrong) return std::nullopt;
  const auto& [utc, standard, leaps, times, kinds, letters] = header.counts;
  Zone zone;
  for (std::size_t i = 0; i < times && !file.wrong; ++i) {
    zone.transitions.push_back({file.Number(width), 0});
  }
  for (Transition& each : zone.transitions) {
    each.kind = static_cast<std::size_t>(file.Number(1)) & 0xffU;
    if (each.kind >= kinds) return std::nullopt;
  }
  for (std::size_t i = 0; i < kinds && !file.wrong; ++i) {
    const std::int64_t seconds = file.Number(4);
    zone.offsets.push_back({seconds, file.Number(1) != 0});
    file.Take(1);
  }
  file.Take(letters + leaps * (width + 4) + standard + utc);
  if (file.TakeIf('\n')) zone.rule = file.rest.substr(0, file.rest.find('\n'));
  if (file.wrong || zone.offsets.empty()) return std::nullopt;
  return zone;
}

std::shared_ptr<const Zone> FindZone(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Zone>> zones;
  constexpr std::size_t kZonesMax = 1000;
  if (name.find("..") != std::string::npos || name.starts_with('/') || name.starts_with('\\') ||
      name.find('\0') != std::string::npos) {
    return nullptr;
  }
  const std::scoped_lock lock(mutex);
  if (const auto found = zones.find(name); found != zones.end()) return found->second;
  std::ifstream file("/usr/share/zoneinfo/" + name, std::ios::binary);
  std::string text(kFileSizeMax, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  auto zone = ParseZone(text);
  if (!zone) return nullptr;
  auto shared = std::make_shared<const Zone>(*std::move(zone));
  if (zones.size() < kZonesMax) zones[name] = shared;
  return shared;
}

// Returns the offset before the first transition, as Go's lookupFirstZone does.
std::int64_t FirstOffset(const Zone& zone) {
  const auto& offsets = zone.offsets;
  const auto uses_first = [](const Transition& each) { return each.kind == 0; };
  if (std::none_of(zone.transitions.begin(), zone.transitions.end(), uses_first)) {
    return offsets[0].seconds;
  }
  if (offsets[zone.transitions[0].kind].daylight) {
    for (std::size_t i = zone.transitions[0].kind; i > 0; --i) {
      if (!offsets[i - 1].daylight) return offsets[i - 1].seconds;
    }
  }
  const auto standard = std::find_if(offsets.begin(), offsets.end(),
                                     [](const Offset& each) { return !each.daylight; });
  return standard == offsets.end() ? offsets[0].seconds : standard->seconds;
}

// Reads the time of a change, such as M3.2.0/2, in a year. Returns seconds since its start.
std::int64_t TakeChange(Reader& rule, int year) {
  using std::chrono::days;
  using std::chrono::sys_days;
  const std::chrono::year civil(year);
  const sys_days first(civil / 1 / 1);
  std::int64_t day = 0;
  if (rule.TakeIf('M')) {
    const int month = rule.Digits();
    rule.wrong = rule.wrong || !rule.TakeIf('.');
    const int week = rule.Digits();
    rule.wrong = rule.wrong || !rule.TakeIf('.');
    const int weekday = rule.Digits();
    if (rule.wrong || month < 1 || month > 12 || week < 1 || week > 5 || weekday > 6) {
      rule.wrong = true;
      return 0;
    }
    const std::chrono::month in(static_cast<unsigned>(month));
    const std::chrono::weekday on(static_cast<unsigned>(weekday));
    const sys_days found = week == 5 ? sys_days(civil / in / on[std::chrono::last])
                                     : sys_days(civil / in / on[static_cast<unsigned>(week)]);
    day = (found - first).count();
  } else if (rule.TakeIf('J')) {  // from 1, without February 29
    day = rule.Digits() - 1;
    if (civil.is_leap() && day >= 31 + 28) ++day;
  } else {
    day = rule.Digits();
  }
  return day * kDay + (rule.TakeIf('/') ? rule.Clock() : 2 * kHour);
}

}  // namespace

std::optional<std::int64_t> OffsetOfRule(std::string_view text, std::int64_t time) {
  Reader rule{text};
  rule.ZoneName();
  const std::int64_t standard = -rule.Clock();
  if (rule.wrong) return std::nullopt;
  if (rule.rest.empty() || rule.rest.starts_with(',')) return standard;
  rule.ZoneName();
  const bool given = !rule.rest.empty() && !rule.rest.starts_with(',');
  const std::int64_t daylight = given ? -rule.Clock() : standard + kHour;
  if (rule.rest.empty()) rule.rest = ",M3.2.0,M11.1.0";
  // Go takes the year of the time in UTC.
  const auto day =
      std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(time)));
  const auto year = std::chrono::year_month_day(day).year();
  const std::int64_t in_year =
      time - std::chrono::sys_days(year / 1 / 1).time_since_epoch().count() * kDay;
  rule.wrong = rule.wrong || !rule.TakeIf(',');
  std::int64_t start = TakeChange(rule, static_cast<int>(year)) - standard;
  rule.wrong = rule.wrong || !rule.TakeIf(',');
  std::int64_t end = TakeChange(rule, static_cast<int>(year)) - daylight;
  if (rule.wrong || !rule.rest.empty()) return std::nullopt;
  const bool south = end < start;
  if (south) std::swap(start, end);
  const bool inside = in_year >= start && in_year < end;
  return inside != south ? daylight : standard;
}

std::optional<std::int64_t> ZoneOffset(const std::string& name, std::int64_t time) {
  if (name.empty() || name == "UTC" || name == "Local") return 0;
  const auto zone = FindZone(name);
  if (zone == nullptr) return std::nullopt;
  const auto& transitions = zone->transitions;
  const auto next =
      std::upper_bound(transitions.begin(), transitions.end(), time,
                       [](std::int64_t at, const Transition& each) { return at < each.time; });
  if (next == transitions.end() && !zone->rule.empty()) {
    if (const auto offset = OffsetOfRule(zone->rule, time)) return offset;
  }
  if (next == transitions.begin()) return FirstOffset(*zone);
  return zone->offsets[std::prev(next)->kind].seconds;
}

}  // namespace capstan::cel
