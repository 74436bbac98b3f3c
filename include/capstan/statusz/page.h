// SPDX-License-Identifier: Apache-2.0
// Page is the state of a program at one moment. Html and Json render the same content. The HTML is
// one document with its style inside and without script. It follows the reader's light or dark
// mode, and can refresh itself. All text is escaped; the caller must put no secret data into a
// Page.
//
// There is no upstream; k8s.io/component-base/zpages has a plain text page named /statusz.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capstan/clock.h"
#include "capstan/export.h"
#include "capstan/mutex.h"

namespace capstan::statusz {

enum class Level { kNone, kGood, kWarning, kBad };

// Bar is a part of a horizontal line. The bar of an amount begins at 0. The bar of a moment begins
// and ends at its place between the first and the last moment.
struct CAPSTAN_EXPORT Bar {
  double begin = 0;  // of 1, the length of the line
  double end = 0;
};

struct CAPSTAN_EXPORT Cell {
  std::string text;
  Level level = Level::kNone;   // the color in HTML; JSON has only the text
  std::optional<Bar> bar = {};  // below the text in HTML
};

struct CAPSTAN_EXPORT Table {
  std::string name;                       // in JSON, and the id of the HTML element: "targets"
  std::string title;                      // "Targets"
  std::vector<std::string> columns = {};  // "Kind"; in JSON "kind"
  std::vector<std::vector<Cell>> rows = {};
  std::string when_empty = "none";
};

struct CAPSTAN_EXPORT Sample {
  Clock::WallTime time = {};
  double value = 0;
};

enum class Unit { kCount, kBytes };

// Plot is a quantity over time.
struct CAPSTAN_EXPORT Plot {
  std::string name;   // "resident_memory_bytes"
  std::string title;  // "Resident memory"
  Unit unit = Unit::kCount;
  std::vector<Sample> samples = {};  // in order
};

struct CAPSTAN_EXPORT Page {
  std::string program;
  Clock::WallTime time = {};
  std::vector<std::pair<std::string, Cell>> facts = {};  // "Leader": "yes"
  std::vector<Table> tables = {};
  std::vector<Plot> plots = {};
  std::string plots_title = "The last hour";
  // These are only for HTML.
  std::chrono::seconds refresh{10};  // the period of the refresh; 0: none
  std::vector<std::pair<std::string, std::string>> links = {{"JSON", "?format=json"},
                                                            {"flags", "flagz"},
                                                            {"metrics", "metrics"},
                                                            {"readyz", "readyz?verbose"}};
};

// HTML shows this many rows of a table, and a link to the rest.
inline constexpr std::size_t kRowsMax = 1000;

CAPSTAN_EXPORT std::string Html(const Page& page);
CAPSTAN_EXPORT std::string Json(const Page& page);

// Returns "17.1 MiB".
CAPSTAN_EXPORT std::string Bytes(double bytes);

// Adds a bar to each cell of a column: values.at(row) of the largest value. Adds no bars if no
// value is above 0. REQUIRES: there is a value for each row.
CAPSTAN_EXPORT void AddBars(Table& table, std::size_t column, const std::vector<double>& values);

// History keeps the last samples of one quantity, for plots. Thread-safe.
class CAPSTAN_EXPORT History {
 public:
  // Keeps the last `samples_max` samples.
  explicit History(std::size_t samples_max) : samples_max_(samples_max) {}

  void Add(Clock::WallTime time, double value) {
    const MutexLock lock(mu_);
    samples_.push_back({time, value});
    if (samples_.size() > samples_max_) samples_.pop_front();
  }
  std::vector<Sample> Samples() const {
    const MutexLock lock(mu_);
    return {samples_.begin(), samples_.end()};
  }

 private:
  const std::size_t samples_max_;
  mutable Mutex mu_;
  std::deque<Sample> samples_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::statusz
