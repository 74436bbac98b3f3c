// SPDX-License-Identifier: Apache-2.0
// Page: what a program tells of itself at one moment, and that as HTML or as JSON. The HTML is one
// document without script, with its style inside, light or dark as the reader's system is; it may
// load itself again. Both say the same. Pure functions: who fills a Page sees to it that no secret
// data is in it; every text is escaped.
//
// No upstream; k8s.io/component-base/zpages has a page of the name /statusz, as plain text.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/util/clock.h"

namespace statusz {

enum class Level { kNone, kGood, kWarning, kBad };

struct Cell {
  std::string text;
  Level level = Level::kNone;  // how it looks; JSON has the text alone
};

struct Table {
  std::string name;                       // in JSON, and of the HTML element: "targets"
  std::string title;                      // "Targets"
  std::vector<std::string> columns = {};  // "Kind"; in JSON "kind"
  std::vector<std::vector<Cell>> rows = {};
  std::string when_empty = "none";
};

struct Sample {
  clientgo::util::Clock::WallTime time = {};
  double value = 0;
};

enum class Unit { kCount, kBytes };

// A quantity over the time.
struct Plot {
  std::string name;   // "resident_memory_bytes"
  std::string title;  // "Resident memory"
  Unit unit = Unit::kCount;
  std::vector<Sample> samples = {};  // in order
};

struct Point {
  double x = 0;
  double y = 0;
};

// A quantity of one or more programs over another quantity, both from 0.
struct Chart {
  std::string name;   // "memory_by_secrets"
  std::string title;  // "Peak resident memory by number of Secrets"
  Unit unit = Unit::kCount;
  struct Line {
    std::string name;                // of the program
    std::vector<Point> points = {};  // in order
  };
  std::vector<Line> lines = {};
};

struct Page {
  std::string program;
  clientgo::util::Clock::WallTime time = {};
  std::vector<std::pair<std::string, Cell>> facts = {};  // "Leader": "yes"
  std::vector<Table> tables = {};
  std::vector<Plot> plots = {};
  std::vector<Chart> charts = {};
  // How the HTML alone is.
  std::chrono::seconds refresh{10};  // it loads itself again; 0: it does not
  std::vector<std::pair<std::string, std::string>> links = {{"JSON", "?format=json"},
                                                            {"flags", "flagz"},
                                                            {"metrics", "metrics"},
                                                            {"readyz", "readyz?verbose"}};
};

// A longer table is cut in HTML, and says by how much and where the rest is.
inline constexpr std::size_t kRowsMax = 1000;

std::string Html(const Page& page);
std::string Json(const Page& page);

// "17.1 MiB".
std::string Bytes(double bytes);

}  // namespace statusz
