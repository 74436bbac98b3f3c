// SPDX-License-Identifier: Apache-2.0
// What the demo shows: Record keeps it as a page, Console prints it, and LivePage serves it to
// browsers. None of it contains data of Secrets.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/error.h"
#include "capstan/httpserver/server.h"
#include "capstan/mutex.h"
#include "capstan/statusz/page.h"
#include "cmd/capstan/inspect/terminal.h"

namespace capstan::cmd::capstan_demo {

// Record is the page of the report. Thread-safe.
class Record {
 public:
  Record();

  // Begins a step.
  void Begin(std::string_view heading);
  // Adds a result of the current step, such as "ok".
  void Add(const statusz::Cell& result, std::string_view text);
  // Sets the current activity, for the live page.
  void Progress(std::string_view text);
  void Fact(std::string_view title, std::string_view text);
  // Adds a broken target with its explanation by `capstan explain`.
  void AddBroken(const std::string& broken, const std::string& reason, const std::string& message,
                 const std::string& fix);
  // Sets the state of the target with this reason after its fix.
  void AddFixed(const std::string& reason, const std::string& state);
  void End(bool passed, std::string_view verdict);

  // A live page reloads itself until End.
  statusz::Page ToPage(bool live) const;

 private:
  mutable Mutex mu_;
  std::string heading_ CAPSTAN_GUARDED_BY(mu_);
  std::string progress_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<std::pair<std::string, statusz::Cell>> facts_ CAPSTAN_GUARDED_BY(mu_);
  statusz::Cell verdict_ CAPSTAN_GUARDED_BY(mu_);
  bool ended_ CAPSTAN_GUARDED_BY(mu_) = false;
  statusz::Table steps_ CAPSTAN_GUARDED_BY(mu_);
  statusz::Table broken_ CAPSTAN_GUARDED_BY(mu_);
};

// Console prints the progress and the results, and adds them to a Record. On a terminal it redraws
// the progress line; elsewhere each line is printed once. One thread.
class Console {
 public:
  // With `plain`, `out` is not treated as a terminal. NO_COLOR turns colours off. `record` must
  // outlive the Console.
  Console(std::FILE* out, bool plain, Record& record);

  void Line(std::string_view text);  // not recorded
  void Heading(std::string_view text);
  void Good(std::string_view text) { Result({"ok", Level::kGood}, Tone::kGood, text); }
  void Bad(std::string_view text) { Result({"FAIL", Level::kBad}, Tone::kBad, text); }
  void Skip(std::string_view text) { Result({"skip", Level::kWarning}, Tone::kWait, text); }
  // Prints indented lines. Not recorded.
  void Block(std::string_view text);
  cli::inspect::Terminal terminal() const { return {.colour = colour_}; }
  // Shows a state that will change. Elsewhere than on a terminal: at most one line a second.
  void Progress(std::string_view text);

 private:
  using Level = statusz::Level;
  using Tone = cli::inspect::Tone;

  void EndProgress();
  void Result(const statusz::Cell& result, Tone tone, std::string_view text);

  std::FILE* out_;
  Record& record_;
  bool terminal_;
  bool colour_;
  bool progress_open_ = false;
  std::chrono::steady_clock::time_point last_progress_{};
};

// LivePage serves a Record at http://127.0.0.1:<port>/, as HTML or with ?format=json. Read-only.
class LivePage {
 public:
  // `record` must outlive the page. Port 0: any free port.
  LivePage(const Record& record, std::uint16_t port);

  Expected<void> Start();
  std::string url() const;  // after Start

 private:
  httpserver::Server server_;
};

// Writes a file that only its owner can read. Replaces an existing file atomically.
Expected<void> WritePrivateFile(const std::string& path, const std::string& text);

}  // namespace capstan::cmd::capstan_demo
