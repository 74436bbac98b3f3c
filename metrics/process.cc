// SPDX-License-Identifier: Apache-2.0
#include "capstan/metrics/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <system_error>

#include "capstan/file.h"
#include "capstan/text.h"

namespace capstan::metrics {
namespace {

// Returns an empty text for a file that cannot be read.
std::string Read(const char* path) { return ReadFile(path).value_or(""); }

std::optional<double> Number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [parsed_to, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || parsed_to != end) return std::nullopt;
  return value;
}

std::optional<double> CountOpenFiles() {
  std::error_code error;
  double count = -1;  // reading the directory opens another
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end;
       it.increment(error)) {
    ++count;
  }
  if (error || count < 0) return std::nullopt;
  return count;
}

std::optional<double> SoftLimit(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return std::nullopt;
  return static_cast<double>(limit.rlim_cur);  // unlimited: 2^64-1, as in client_golang
}

}  // namespace

void ParseStat(std::string_view stat, double boot_time_seconds, ProcessStats& out) {
  // proc(5): the second field is the program's name in parentheses, which may contain anything.
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return;
  const auto fields = Split(stat.substr(name_end + 1), ' ');
  constexpr std::size_t kFirst = 3;  // fields[0] is proc(5)'s field 3
  const auto field = [&](std::size_t number) -> std::optional<double> {
    const std::size_t index = number - kFirst;
    return index < fields.size() ? Number(fields[index]) : std::nullopt;
  };
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto user = field(14);
  const auto system = field(15);
  if (user && system) out.cpu_seconds = (*user + *system) / ticks;
  if (const auto start = field(22)) out.start_time_seconds = boot_time_seconds + *start / ticks;
  if (const auto size = field(23)) out.virtual_memory_bytes = *size;
  if (const auto pages = field(24)) {
    out.resident_memory_bytes = *pages * static_cast<double>(sysconf(_SC_PAGESIZE));
  }
}

void ParseNetstat(std::string_view netstat, ProcessStats& out) {
  // Each protocol has two lines: "IpExt: InOctets OutOctets ..." and "IpExt: 17 4 ...".
  const auto lines = Split(netstat, '\n');
  for (std::size_t line = 0; line + 1 < lines.size(); line += 2) {
    if (!lines[line].starts_with("IpExt:")) continue;
    const auto names = Split(lines[line], ' ');
    const auto values = Split(lines[line + 1], ' ');
    for (std::size_t i = 1; i < names.size() && i < values.size(); ++i) {
      if (names[i] == "InOctets") out.network_receive_bytes = Number(values[i]);
      if (names[i] == "OutOctets") out.network_transmit_bytes = Number(values[i]);
    }
  }
}

std::optional<double> ParseBootTime(std::string_view proc_stat) {
  constexpr std::string_view kKey = "\nbtime ";
  const std::size_t at = proc_stat.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  proc_stat.remove_prefix(at + kKey.size());
  return Number(proc_stat.substr(0, proc_stat.find('\n')));
}

ProcessStats ReadProcessStats() {
  // The boot time never changes, and the file is long on machines with many processors.
  static const std::optional<double> boot_time = ParseBootTime(Read("/proc/stat"));
  ProcessStats stats;
  ParseStat(Read("/proc/self/stat"), boot_time.value_or(0), stats);
  if (!boot_time) stats.start_time_seconds.reset();
  ParseNetstat(Read("/proc/self/net/netstat"), stats);
  stats.open_fds = CountOpenFiles();
  stats.max_fds = SoftLimit(RLIMIT_NOFILE);
  stats.virtual_memory_max_bytes = SoftLimit(RLIMIT_AS);
  return stats;
}

}  // namespace capstan::metrics
