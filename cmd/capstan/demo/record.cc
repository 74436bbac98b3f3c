// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/demo/record.h"

#include <algorithm>

#include "clientgo/util/clock.h"

namespace cmd::capstan::demo {

using clientgo::util::MutexLock;
using statusz::Cell;
using statusz::Level;

namespace {

Cell CellOf(Result result) {
  switch (result) {
    case Result::kSkipped:
      return {"skip", Level::kWarning};
    case Result::kFailed:
      return {"FAIL", Level::kBad};
    case Result::kShown:
      break;
  }
  return {"ok", Level::kGood};
}

constexpr std::size_t kReasonColumn = 1;
constexpr std::size_t kStateColumn = 4;

}  // namespace

Record::Record()
    : verdict_{"it still runs, or was killed", Level::kWarning},
      steps_{.name = "steps",
             .title = "What was shown",
             .columns = {"Step", "Result", "What"},
             .when_empty = "nothing yet"},
      broken_{.name = "broken",
              .title = "What was broken, as capstan explain told it",
              .columns = {"Broken", "Reason", "Message", "What mends it", "Afterwards"},
              .when_empty = "nothing yet"} {}

void Record::Begin(std::string_view heading) {
  const MutexLock lock(mu_);
  heading_ = heading;
  progress_.clear();
}

void Record::Add(Result result, std::string_view text) {
  const MutexLock lock(mu_);
  steps_.rows.push_back({{heading_}, CellOf(result), {std::string(text)}});
}

void Record::Progress(std::string_view text) {
  const MutexLock lock(mu_);
  progress_ = text;
}

void Record::Fact(std::string_view title, std::string_view text) {
  const MutexLock lock(mu_);
  const auto held = std::find_if(facts_.begin(), facts_.end(),
                                 [&](const auto& fact) { return fact.first == title; });
  if (held == facts_.end()) {
    facts_.emplace_back(title, Cell{std::string(text)});
  } else {
    held->second.text = text;
  }
}

void Record::AddBroken(const std::string& broken, const std::string& reason,
                       const std::string& message, const std::string& mend) {
  const MutexLock lock(mu_);
  broken_.rows.push_back({{broken}, {reason, Level::kBad}, {message}, {mend}, {""}});
}

void Record::AddMended(const std::string& reason, const std::string& state) {
  const MutexLock lock(mu_);
  for (auto& row : broken_.rows) {
    if (row[kReasonColumn].text == reason) row[kStateColumn] = {state, Level::kGood};
  }
}

void Record::AddChart(statusz::Chart chart) {
  const MutexLock lock(mu_);
  charts_.push_back(std::move(chart));
}

void Record::End(bool passed, std::string_view verdict) {
  const MutexLock lock(mu_);
  verdict_ = {std::string(verdict), passed ? Level::kGood : Level::kBad};
  ended_ = true;
}

statusz::Page Record::ToPage(bool live) const {
  const MutexLock lock(mu_);
  statusz::Page page{.program = "capstan demo",
                     .time = clientgo::util::Clock::Real().WallNow(),
                     .facts = {{"Verdict", verdict_}},
                     .tables = {steps_, broken_},
                     .charts = charts_,
                     .refresh = std::chrono::seconds(live && !ended_ ? 1 : 0),
                     .links = {}};
  if (live) page.links = {{"JSON", "?format=json"}};
  if (live && !ended_) page.facts.push_back({"Now", {heading_ + " " + progress_}});
  page.facts.insert(page.facts.end(), facts_.begin(), facts_.end());
  return page;
}

}  // namespace cmd::capstan::demo
