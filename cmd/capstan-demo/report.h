// SPDX-License-Identifier: Apache-2.0
// Report is what the demo shows: it prints each line, and keeps the results as a page for a file
// and for browsers. On a terminal it redraws the line of progress; elsewhere each line is printed
// once. It contains no data of Secrets. One thread, except ToPage, which is thread-safe.
#pragma once

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/httpserver/server.h"
#include "capstan/mutex.h"
#include "capstan/statusz/page.h"
#include "cmd/capstan/inspect/terminal.h"

namespace capstan::cmd::capstan_demo {

class Report {
 public:
  // With `plain`, `out` is not treated as a terminal. NO_COLOR turns colours off.
  Report(std::FILE* out, bool plain);

  // Begins a step.
  void Heading(std::string_view text);
  // Add a result of the current step.
  void Good(std::string_view text) { Result("ok", Level::kGood, Tone::kGood, text); }
  void Bad(std::string_view text) { Result("FAIL", Level::kBad, Tone::kBad, text); }
  void Skip(std::string_view text) { Result("skip", Level::kWarning, Tone::kWait, text); }
  // Shows a state that will change. Elsewhere than on a terminal: at most one line a second.
  void Progress(std::string_view text);
  // Prints lines, each after `indent`. They are not on the page.
  void Lines(std::string_view text, std::string_view indent = "");
  cli::inspect::Terminal terminal() const { return {.colour = colour_}; }

  // These are only on the page.
  void Fact(std::string_view title, std::string_view text);
  // Adds a broken target with its explanation by `capstan explain`.
  void AddBroken(const std::string& broken, const std::string& reason, const std::string& message,
                 const std::string& fix);
  // Sets the state of the target with this reason after its fix.
  void AddFixed(std::string_view reason, const std::string& state);
  // Cost is what a program needs: its peak memory, and the time until all targets are in sync.
  struct Cost {
    std::string program;
    double mebibytes = 0;
    double seconds = 0;
  };
  // Adds a table that compares programs.
  void Compare(const std::vector<Cost>& costs);
  void Plot(statusz::Plot plot);
  void End(bool passed, std::string_view verdict);

  // A live page reloads itself until End.
  statusz::Page ToPage(bool live) const;

 private:
  using Level = statusz::Level;
  using Tone = cli::inspect::Tone;

  void Result(const std::string& result, Level level, Tone tone, std::string_view text);

  std::FILE* const out_;
  const bool terminal_;
  const bool colour_;
  bool progress_open_ = false;
  std::chrono::steady_clock::time_point last_progress_{};

  mutable Mutex mu_;
  std::string heading_ CAPSTAN_GUARDED_BY(mu_);
  std::string progress_ CAPSTAN_GUARDED_BY(mu_);
  statusz::Page page_ CAPSTAN_GUARDED_BY(mu_);
  bool ended_ CAPSTAN_GUARDED_BY(mu_) = false;
};

// LivePage serves the page of a Report, as HTML or with ?format=json. Read-only.
struct LivePage {
  std::unique_ptr<httpserver::Server> server;
  std::string url;  // "http://127.0.0.1:<port>/"
};
// Serves the page of `report`, which outlives the result. Port 0 is any free port.
Expected<LivePage> ServePage(const Report& report, int port);

// Writes a file that only its owner can read. Replaces an existing file atomically.
Expected<void> WritePrivateFile(const std::string& path, const std::string& text);

}  // namespace capstan::cmd::capstan_demo
