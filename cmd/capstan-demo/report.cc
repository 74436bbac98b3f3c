// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/report.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "capstan/clock.h"
#include "capstan/file.h"

namespace capstan::cmd::capstan_demo {
namespace {

constexpr std::size_t kSteps = 0;  // tables
constexpr std::size_t kBroken = 1;
constexpr std::size_t kReason = 1;  // columns of the broken targets
constexpr std::size_t kState = 4;

constexpr const char* kText = "text/plain; charset=utf-8";

std::string Printed(const char* format, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace

Report::Report(std::FILE* out, bool plain)
    : out_(out),
      terminal_(!plain && isatty(fileno(out)) == 1),
      colour_(terminal_ && cli::inspect::Terminal::Of(out).colour),
      page_{.program = "capstan-demo",
            .facts = {{"Verdict",
                       {"no verdict: the demo is running or was killed", Level::kWarning}}},
            .tables = {{.name = "steps",
                        .title = "Results",
                        .columns = {"Step", "Result", "What"},
                        .when_empty = "nothing yet"},
                       {.name = "broken",
                        .title = "Broken targets, as explained by capstan explain",
                        .columns = {"Broken", "Reason", "Message", "Fix", "Afterwards"},
                        .when_empty = "nothing yet"}},
            .plots_title = "Targets in sync"} {}

void Report::Heading(std::string_view text) {
  Lines("\n" + Toned(terminal(), Tone::kBold, "== " + std::string(text)));
  const MutexLock lock(mu_);
  heading_ = text;
  progress_.clear();
}

void Report::Result(const std::string& result, Level level, Tone tone, std::string_view text) {
  std::string line = "  " + result;
  line.resize(8, ' ');
  Lines(Toned(terminal(), tone, line.append(text)));
  const MutexLock lock(mu_);
  page_.tables[kSteps].rows.push_back({{heading_}, {result, level}, {std::string(text)}});
}

void Report::Progress(std::string_view text) {
  {
    const MutexLock lock(mu_);
    progress_ = text;
  }
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    std::fprintf(out_, "\r  ..    %s\x1b[K", std::string(text).c_str());
    std::fflush(out_);
    progress_open_ = true;
  } else if (now - last_progress_ >= std::chrono::seconds(1)) {
    last_progress_ = now;
    Lines(text, "  ..    ");
  }
}

void Report::Lines(std::string_view text, std::string_view indent) {
  if (std::exchange(progress_open_, false)) std::fputs("\r\x1b[K", out_);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    std::fputs((std::string(indent).append(line) + "\n").c_str(), out_);
  }
  std::fflush(out_);
}

void Report::Fact(std::string_view title, std::string_view text) {
  const MutexLock lock(mu_);
  page_.facts.emplace_back(title, statusz::Cell{std::string(text)});
}

void Report::AddBroken(const std::string& broken, const std::string& reason,
                       const std::string& message, const std::string& fix) {
  const MutexLock lock(mu_);
  page_.tables[kBroken].rows.push_back({{broken}, {reason, Level::kBad}, {message}, {fix}, {""}});
}

void Report::AddFixed(std::string_view reason, const std::string& state) {
  const MutexLock lock(mu_);
  for (auto& row : page_.tables[kBroken].rows) {
    if (row[kReason].text == reason) row[kState] = {state, Level::kGood};
  }
}

void Report::Compare(const std::vector<Cost>& costs) {
  statusz::Table table{.name = "costs",
                       .title = "Beside cainjector",
                       .columns = {"Program", "Peak memory", "Until all targets are in sync"}};
  std::vector<double> memory;
  std::vector<double> time;
  for (const Cost& cost : costs) {
    memory.push_back(cost.mebibytes);
    time.push_back(cost.seconds);
    table.rows.push_back(
        {{cost.program}, {Printed("%.1f MiB", cost.mebibytes)}, {Printed("%.2f s", cost.seconds)}});
  }
  AddBars(table, 1, memory);
  AddBars(table, 2, time);
  const MutexLock lock(mu_);
  page_.tables.push_back(std::move(table));
}

void Report::Plot(statusz::Plot plot) {
  const MutexLock lock(mu_);
  page_.plots.push_back(std::move(plot));
}

void Report::End(bool passed, std::string_view verdict) {
  const MutexLock lock(mu_);
  page_.facts.front().second = {std::string(verdict), passed ? Level::kGood : Level::kBad};
  ended_ = true;
}

statusz::Page Report::ToPage(bool live) const {
  const MutexLock lock(mu_);
  statusz::Page page = page_;
  page.time = Clock::Real().WallNow();
  page.refresh = std::chrono::seconds(live && !ended_ ? 1 : 0);
  page.links.clear();
  if (live) page.links = {{"JSON", "?format=json"}};
  if (live && !ended_) {
    page.facts.insert(page.facts.begin() + 1, {"Now", {heading_ + " " + progress_}});
  }
  return page;
}

Expected<LivePage> ServePage(const Report& report, int port) {
  const auto respond = [&report](const httpserver::Request& request, const auto& exchange) {
    if (request.method != "GET" && request.method != "HEAD") {
      exchange->Respond(405, kText, "only GET is allowed\n", {{"Allow", "GET, HEAD"}});
    } else if (request.path != "/") {
      exchange->Respond(404, kText, "not found: the page is /\n");
    } else if (request.Query("format") == "json") {
      exchange->Respond(200, "application/json", Json(report.ToPage(true)));
    } else {
      exchange->Respond(200, "text/html; charset=utf-8", Html(report.ToPage(true)),
                        {{"Cache-Control", "no-store"}});
    }
  };
  auto server = std::make_unique<httpserver::Server>(
      httpserver::ServerOptions{.name = "demo-page", .port = static_cast<std::uint16_t>(port)},
      respond);
  if (auto started = server->Start(); !started) return Err(std::move(started.error()));
  std::string url = "http://127.0.0.1:" + std::to_string(server->port()) + "/";
  return LivePage{std::move(server), std::move(url)};
}

Expected<void> WritePrivateFile(const std::string& path, const std::string& text) {
  std::string temporary = path + ".XXXXXX";
  const FileDescriptor created(mkstemp(temporary.data()));  // mode 0600
  const bool ok = created.get() >= 0 && (std::ofstream(temporary) << text).flush().good() &&
                  rename(temporary.c_str(), path.c_str()) == 0;
  if (ok) return {};
  const int error = errno;
  if (created.get() >= 0) unlink(temporary.c_str());
  return Err(ErrorReason::kInvalidArgument,
             "failed to write " + path + ": " + std::strerror(error));
}

}  // namespace capstan::cmd::capstan_demo
