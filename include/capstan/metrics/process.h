// SPDX-License-Identifier: Apache-2.0
// ReadProcessStats returns the values of process_* from /proc and getrlimit. It is called at each
// scrape; nothing is sampled in between. A value that cannot be read is absent, never 0. Mirrors
// the process collector of prometheus/client_golang. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "capstan/export.h"

namespace capstan::metrics {

struct CAPSTAN_EXPORT ProcessStats {
  std::optional<double> cpu_seconds;
  std::optional<double> open_fds;
  std::optional<double> max_fds;
  std::optional<double> virtual_memory_bytes;
  std::optional<double> virtual_memory_max_bytes;
  std::optional<double> resident_memory_bytes;
  std::optional<double> start_time_seconds;
  std::optional<double> network_receive_bytes;  // of the network namespace, so of the pod
  std::optional<double> network_transmit_bytes;
};

CAPSTAN_EXPORT ProcessStats ReadProcessStats();

// These parsers are public for tests. They change only the values that the text contains.
CAPSTAN_EXPORT void ParseStat(std::string_view stat, double boot_time_seconds, ProcessStats& out);
CAPSTAN_EXPORT void ParseNetstat(std::string_view netstat, ProcessStats& out);
CAPSTAN_EXPORT std::optional<double> ParseBootTime(std::string_view proc_stat);

}  // namespace capstan::metrics
