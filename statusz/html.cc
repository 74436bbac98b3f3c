// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "clientgo/util/time_format.h"
#include "statusz/page.h"
#include "statusz/plot.h"

namespace statusz {
namespace {

// Colours come with a word each time: nobody needs to tell them apart.
constexpr std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --line: #8885; --good: #1a7f37; --warning: #9a6700; --bad: #cf222e;
}
@media (prefers-color-scheme: dark) {
  :root { --good: #4ac26b; --warning: #d4a72c; --bad: #ff7b72; }
}
body {
  font: 14px/1.45 system-ui, sans-serif;
  margin: 1.5rem auto; max-width: 96rem; padding: 0 1rem;
}
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
nav { margin: .3rem 0 1rem; }
nav a { margin-right: 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; }
dt { opacity: .7; }
dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; opacity: .7; }
th, td {
  border-bottom: 1px solid var(--line);
  padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top;
}
td { overflow-wrap: break-word; max-width: 32rem; font-variant-numeric: tabular-nums; }
.good { color: var(--good); }
.warning { color: var(--warning); }
.bad { color: var(--bad); font-weight: 600; }
figure { display: inline-block; margin: 0 2rem 0 0; width: min(30rem, 100%); }
svg { border: 1px solid var(--line); height: 6rem; width: 100%; }
polyline {
  fill: none; stroke: currentColor; stroke-width: 1.5;
  vector-effect: non-scaling-stroke;
}
polyline.other { stroke-dasharray: 6 4; }
)css";

std::string Escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string_view ClassOf(Level level) {
  switch (level) {
    case Level::kGood:
      return " class=\"good\"";
    case Level::kWarning:
      return " class=\"warning\"";
    case Level::kBad:
      return " class=\"bad\"";
    case Level::kNone:
      break;
  }
  return "";
}

std::string Element(std::string_view name, const Cell& cell) {
  std::string out = "<";
  out.append(name).append(ClassOf(cell.level)).append(">").append(Escaped(cell.text));
  return out.append("</").append(name).append(">");
}

std::string FactsOf(const Page& page) {
  std::string out = "<dl>\n";
  for (const auto& [title, cell] : page.facts) {
    out += "<dt>" + Escaped(title) + "</dt>" + Element("dd", cell) + "\n";
  }
  return out + "</dl>\n";
}

std::string Heading(const std::string& title, std::size_t rows) {
  return "<h2>" + Escaped(title) + " (" + std::to_string(rows) + ")</h2>\n";
}

std::string TableOf(const Table& table) {
  std::string out = Heading(table.title, table.rows.size());
  if (table.rows.empty()) {
    return out + "<p id=\"" + Escaped(table.name) + "\">" + Escaped(table.when_empty) + "</p>\n";
  }
  out += R"(<div class="scroll"><table id=")" + Escaped(table.name) + "\">\n";
  if (table.rows.size() > kRowsMax) {
    out += "<caption>the first " + std::to_string(kRowsMax) +
           R"(; all of them are in <a href="?format=json">the JSON</a></caption>)"
           "\n";
  }
  out += "<thead><tr>";
  for (const std::string& column : table.columns) out += Element("th", {column});
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < std::min(table.rows.size(), kRowsMax); ++i) {
    out += "<tr>";
    for (const Cell& cell : table.rows[i]) out += Element("td", cell);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string PlotOf(const Plot& plot) {
  std::string out = "<figure id=\"" + Escaped(plot.name) + "\"><figcaption>" + Escaped(plot.title);
  if (plot.samples.empty()) return out + ": no sample yet</figcaption></figure>\n";
  const auto higher = [](const Sample& a, const Sample& b) { return a.value < b.value; };
  const double highest = std::max_element(plot.samples.begin(), plot.samples.end(), higher)->value;
  const auto span = std::chrono::floor<std::chrono::seconds>(plot.samples.back().time -
                                                             plot.samples.front().time);
  return out + ": now " + Amount(plot.unit, plot.samples.back().value) + ", at most " +
         Amount(plot.unit, highest) + " in " + clientgo::util::FormatDuration(span) +
         "</figcaption>" + Svg(plot) + "</figure>\n";
}

// Each line's points in words, too: nobody has to read them off the drawing.
std::string ChartOf(const Chart& chart) {
  std::string out =
      "<figure id=\"" + Escaped(chart.name) + "\"><figcaption>" + Escaped(chart.title) + "<br>";
  std::vector<std::vector<Point>> lines;
  for (const Chart::Line& line : chart.lines) {
    out += lines.empty() ? "" : "<br>- - ";
    out += Escaped(line.name) + ": ";
    for (std::size_t i = 0; i < line.points.size(); ++i) {
      out += (i == 0 ? "" : ", ") + Amount(chart.unit, line.points[i].y) + " at " +
             Amount(Unit::kCount, line.points[i].x);
    }
    lines.push_back(line.points);
  }
  return out + "</figcaption>" + Svg(lines) + "</figure>\n";
}

std::string Head(const Page& page) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\">";
  const std::string seconds = std::to_string(page.refresh.count());
  const bool refreshes = page.refresh > std::chrono::seconds(0);
  if (refreshes) out += R"(<meta http-equiv="refresh" content=")" + seconds + "\">";
  out += "<title>" + Escaped(page.program) + "</title><style>";
  out.append(kStyle).append("</style></head>\n<body>\n<h1>").append(Escaped(page.program));
  out += "</h1>\n<p>" + clientgo::util::FormatTime(page.time);
  if (refreshes) out += ", again every " + seconds + " s";
  out += "</p>\n";
  if (page.links.empty()) return out;
  out += "<nav>";
  for (const auto& [text, target] : page.links) {
    out += "<a href=\"" + Escaped(target) + "\">" + Escaped(text) + "</a>";
  }
  return out + "</nav>\n";
}

}  // namespace

std::string Html(const Page& page) {
  std::string out = Head(page) + FactsOf(page);
  for (const Table& table : page.tables) out += TableOf(table);
  if (!page.plots.empty()) out += "<h2>The last hour</h2>\n";
  for (const Plot& plot : page.plots) out += PlotOf(plot);
  if (!page.charts.empty()) out += "<h2>Measured on this machine</h2>\n";
  for (const Chart& chart : page.charts) out += ChartOf(chart);
  return out + "</body></html>\n";
}

}  // namespace statusz
