// SPDX-License-Identifier: Apache-2.0
// Record: what the demo has shown so far, as a page: for report.html, and for a browser while it
// runs. Who adds to it sees to it that no secret data is in it. Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/util/mutex.h"
#include "statusz/page.h"

namespace cmd::capstan::demo {

enum class Result { kShown, kSkipped, kFailed };

class Record {
 public:
  Record();

  // A step begins.
  void Begin(std::string_view heading);
  // What it showed, or why not.
  void Add(Result result, std::string_view text);
  // What goes on right now.
  void Progress(std::string_view text);
  // Replaces the fact of that title.
  void Fact(std::string_view title, std::string_view text);
  // "What was broken": what `capstan explain` said of one target, and what became of it.
  void AddBroken(const std::string& broken, const std::string& reason, const std::string& message,
                 const std::string& mend);
  void AddMended(const std::string& reason, const std::string& state);
  void AddChart(statusz::Chart chart);
  void End(bool passed, std::string_view verdict);

  // `live`: it loads itself again until the end.
  statusz::Page ToPage(bool live) const;

 private:
  mutable clientgo::util::Mutex mu_;
  std::string heading_ GUARDED_BY(mu_);
  std::string progress_ GUARDED_BY(mu_);
  std::vector<std::pair<std::string, statusz::Cell>> facts_ GUARDED_BY(mu_);
  statusz::Cell verdict_ GUARDED_BY(mu_);
  bool ended_ GUARDED_BY(mu_) = false;
  statusz::Table steps_ GUARDED_BY(mu_);
  statusz::Table broken_ GUARDED_BY(mu_);
  std::vector<statusz::Chart> charts_ GUARDED_BY(mu_);
};

}  // namespace cmd::capstan::demo
