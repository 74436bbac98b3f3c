// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/report.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>

#include "capstan/clock.h"
#include "capstan/file.h"

namespace capstan::cmd::capstan_demo {
namespace {

constexpr std::size_t kReasonColumn = 1;
constexpr std::size_t kStateColumn = 4;

constexpr const char* kText = "text/plain; charset=utf-8";

void Answer(const Record& record, const httpserver::Request& request,
            httpserver::Exchange& exchange) {
  if (request.method != "GET" && request.method != "HEAD") {
    exchange.Respond(405, kText, "only GET is allowed\n", {{"Allow", "GET, HEAD"}});
  } else if (request.path != "/") {
    exchange.Respond(404, kText, "not found: the page is /\n");
  } else if (request.Query("format") == "json") {
    exchange.Respond(200, "application/json", Json(record.ToPage(true)));
  } else {
    exchange.Respond(200, "text/html; charset=utf-8", Html(record.ToPage(true)),
                     {{"Cache-Control", "no-store"}});
  }
}

}  // namespace

Record::Record()
    : verdict_{"no verdict: the demo is running or was killed", statusz::Level::kWarning},
      steps_{.name = "steps",
             .title = "Results",
             .columns = {"Step", "Result", "What"},
             .when_empty = "nothing yet"},
      broken_{.name = "broken",
              .title = "Broken targets, as explained by capstan explain",
              .columns = {"Broken", "Reason", "Message", "Fix", "Afterwards"},
              .when_empty = "nothing yet"} {}

void Record::Begin(std::string_view heading) {
  const MutexLock lock(mu_);
  heading_ = heading;
  progress_.clear();
}

void Record::Add(const statusz::Cell& result, std::string_view text) {
  const MutexLock lock(mu_);
  steps_.rows.push_back({{heading_}, result, {std::string(text)}});
}

void Record::Progress(std::string_view text) {
  const MutexLock lock(mu_);
  progress_ = text;
}

void Record::Fact(std::string_view title, std::string_view text) {
  const MutexLock lock(mu_);
  facts_.emplace_back(title, statusz::Cell{std::string(text)});
}

void Record::AddBroken(const std::string& broken, const std::string& reason,
                       const std::string& message, const std::string& fix) {
  const MutexLock lock(mu_);
  broken_.rows.push_back({{broken}, {reason, statusz::Level::kBad}, {message}, {fix}, {""}});
}

void Record::AddFixed(const std::string& reason, const std::string& state) {
  const MutexLock lock(mu_);
  for (auto& row : broken_.rows) {
    if (row[kReasonColumn].text == reason) row[kStateColumn] = {state, statusz::Level::kGood};
  }
}

void Record::End(bool passed, std::string_view verdict) {
  const MutexLock lock(mu_);
  verdict_ = {std::string(verdict), passed ? statusz::Level::kGood : statusz::Level::kBad};
  ended_ = true;
}

statusz::Page Record::ToPage(bool live) const {
  const MutexLock lock(mu_);
  statusz::Page page{.program = "capstan-demo",
                     .time = Clock::Real().WallNow(),
                     .facts = {{"Verdict", verdict_}},
                     .tables = {steps_, broken_},
                     .refresh = std::chrono::seconds(live && !ended_ ? 1 : 0),
                     .links = {}};
  if (live) page.links = {{"JSON", "?format=json"}};
  if (live && !ended_) page.facts.push_back({"Now", {heading_ + " " + progress_}});
  page.facts.insert(page.facts.end(), facts_.begin(), facts_.end());
  return page;
}

Console::Console(std::FILE* out, bool plain, Record& record)
    : out_(out),
      record_(record),
      terminal_(!plain && isatty(fileno(out)) == 1),
      colour_(terminal_ && cli::inspect::Terminal::Of(out).colour) {}

void Console::Line(std::string_view text) {
  EndProgress();
  std::fprintf(out_, "%.*s\n", static_cast<int>(text.size()), text.data());
  std::fflush(out_);
}

void Console::Heading(std::string_view text) {
  record_.Begin(text);
  Line(Toned(terminal(), Tone::kBold, "\n== " + std::string(text)));
}

void Console::Result(const statusz::Cell& result, Tone tone, std::string_view text) {
  record_.Add(result, text);
  std::string line = "  " + result.text;
  line.resize(8, ' ');
  Line(Toned(terminal(), tone, line.append(text)));
}

void Console::Block(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    Line("        " + std::string(line));
  }
}

void Console::Progress(std::string_view text) {
  record_.Progress(text);
  if (terminal_) {
    std::fprintf(out_, "\r  ..    %.*s\x1b[K", static_cast<int>(text.size()), text.data());
    std::fflush(out_);
    progress_open_ = true;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - last_progress_ < std::chrono::seconds(1)) return;
  last_progress_ = now;
  Line("  ..    " + std::string(text));
}

void Console::EndProgress() {
  if (progress_open_) std::fputs("\r\x1b[K", out_);
  progress_open_ = false;
}

LivePage::LivePage(const Record& record, std::uint16_t port)
    : server_({.name = "demo-page", .port = port},
              [&record](const httpserver::Request& request,
                        const std::shared_ptr<httpserver::Exchange>& exchange) {
                Answer(record, request, *exchange);
              }) {}

Expected<void> LivePage::Start() { return server_.Start(); }

std::string LivePage::url() const {
  return "http://127.0.0.1:" + std::to_string(server_.port()) + "/";
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
