// SPDX-License-Identifier: Apache-2.0
#include "capstan/statusz/page.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"
#include "capstan/time.h"

namespace capstan::statusz {
namespace {

constexpr int kWidth = 480;
constexpr int kHeight = 96;

std::string Printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Returns "3" or "17.1 MiB".
std::string Amount(Unit unit, double value) {
  return unit == Unit::kBytes ? Bytes(value) : Printed("%.0f", value);
}

// Returns an inline SVG with the samples, from 0 to the highest value.
std::string Svg(const std::vector<Sample>& samples) {
  const auto seconds = [&](const Sample& sample) {
    return std::chrono::duration<double>(sample.time - samples.front().time).count();
  };
  double highest = 1e-9;
  for (const Sample& sample : samples) highest = std::max(highest, sample.value);
  const double span = std::max(1.0, seconds(samples.back()));
  std::string points;
  for (const Sample& sample : samples) {
    const double x = seconds(sample) / span * kWidth;
    const double y = kHeight - sample.value / highest * (kHeight - 4);
    points += (points.empty() ? "" : " ") + Printed("%.1f", x) + "," + Printed("%.1f", y);
  }
  const std::string box = "0 0 " + std::to_string(kWidth) + " " + std::to_string(kHeight);
  return "<svg viewBox=\"" + box + R"(" role="img" preserveAspectRatio="none"><polyline points=")" +
         points + "\"/></svg>";
}

// Every color comes with a word, so no reader needs to distinguish colors.
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
.bar {
  background: var(--line); height: .4rem; min-width: 8rem;
  overflow: hidden; padding-right: 2px;
}
.bar i { background: currentColor; display: block; height: 100%; min-width: 2px; }
)css";

std::string Escaped(std::string_view text) {
  constexpr std::string_view kSpecial = "&<>\"";
  constexpr std::string_view kReferences[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
  std::string out;
  for (const char c : text) {
    const std::size_t at = kSpecial.find(c);
    out += at == std::string_view::npos ? std::string_view(&c, 1) : kReferences[at];
  }
  return out;
}

std::string BarOf(const Bar& bar) {
  return R"(<div class="bar"><i style="margin-left:)" + Printed("%.1f", 100 * bar.begin) +
         "%;width:" + Printed("%.1f", 100 * (bar.end - bar.begin)) + "%\"></i></div>";
}

std::string Element(const std::string& name, const Cell& cell) {
  // In the order of Level.
  constexpr std::string_view kClasses[] = {"", " class=\"good\"", " class=\"warning\"",
                                           " class=\"bad\""};
  const std::string attribute(kClasses[static_cast<std::size_t>(cell.level)]);
  return "<" + name + attribute + ">" + Escaped(cell.text) + (cell.bar ? BarOf(*cell.bar) : "") +
         "</" + name + ">";
}

std::string FactsOf(const Page& page) {
  std::string out = "<dl>\n";
  for (const auto& [title, cell] : page.facts) {
    out += "<dt>" + Escaped(title) + "</dt>" + Element("dd", cell) + "\n";
  }
  return out + "</dl>\n";
}

std::string TableOf(const Table& table) {
  std::string out =
      "<h2>" + Escaped(table.title) + " (" + std::to_string(table.rows.size()) + ")</h2>\n";
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
  const auto exactly = plot.samples.back().time - plot.samples.front().time;
  std::chrono::nanoseconds span = std::chrono::floor<std::chrono::seconds>(exactly);
  if (span < std::chrono::seconds(10))
    span = std::chrono::floor<std::chrono::milliseconds>(exactly);
  return out + ": now " + Amount(plot.unit, plot.samples.back().value) + ", at most " +
         Amount(plot.unit, highest) + " in " + FormatDuration(span) + "</figcaption>" +
         Svg(plot.samples) + "</figure>\n";
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
  out += "</h1>\n<p>" + FormatTime(ToTime(page.time));
  if (refreshes) out += ", again every " + seconds + " s";
  out += "</p>\n";
  if (page.links.empty()) return out;
  out += "<nav>";
  for (const auto& [text, target] : page.links) {
    out += "<a href=\"" + Escaped(target) + "\">" + Escaped(text) + "</a>";
  }
  return out + "</nav>\n";
}

// Converts "Resource version" to "resource_version".
std::string Key(std::string_view title) {
  std::string key = LowerAscii(title);
  std::replace(key.begin(), key.end(), ' ', '_');
  return key;
}

void Write(runtime::JsonWriter& writer, const Table& table) {
  writer.Key(table.name);
  writer.StartArray();
  for (const auto& row : table.rows) {
    writer.StartObject();
    for (std::size_t i = 0; i < row.size(); ++i) {
      writer.Key(Key(table.columns.at(i)));
      writer.String(row[i].text);
    }
    writer.EndObject();
  }
  writer.EndArray();
}

// Writes [[seconds since 1970 with milliseconds, value], ...].
void Write(runtime::JsonWriter& writer, const Plot& plot) {
  writer.Key(plot.name);
  writer.StartArray();
  for (const Sample& sample : plot.samples) {
    writer.StartArray();
    const auto time = std::chrono::floor<std::chrono::milliseconds>(sample.time);
    writer.RawValue(Printed("%.3f", static_cast<double>(time.time_since_epoch().count()) / 1000));
    writer.Double(sample.value);
    writer.EndArray();
  }
  writer.EndArray();
}

}  // namespace

std::string Bytes(double bytes) {
  if (bytes < 1024) return Printed("%.0f B", bytes);
  if (bytes < 1024.0 * 1024) return Printed("%.1f KiB", bytes / 1024);
  return Printed("%.1f MiB", bytes / 1024 / 1024);
}

void AddBars(Table& table, std::size_t column, const std::vector<double>& values) {
  const auto largest = std::max_element(values.begin(), values.end());
  if (largest == values.end() || *largest <= 0) return;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    table.rows[row].at(column).bar = Bar{.end = values.at(row) / *largest};
  }
}

std::string Html(const Page& page) {
  std::string out = Head(page) + FactsOf(page);
  for (const Table& table : page.tables) out += TableOf(table);
  if (!page.plots.empty()) out += "<h2>" + Escaped(page.plots_title) + "</h2>\n";
  for (const Plot& plot : page.plots) out += PlotOf(plot);
  return out + "</body></html>\n";
}

std::string Json(const Page& page) {
  runtime::JsonWriter writer;
  writer.StartObject();
  writer.Key("program");
  writer.String(page.program);
  writer.Key("time");
  writer.String(FormatTime(ToTime(page.time)));
  writer.Key("facts");
  writer.StartObject();
  for (const auto& [title, cell] : page.facts) {
    writer.Key(Key(title));
    writer.String(cell.text);
  }
  writer.EndObject();
  for (const Table& table : page.tables) Write(writer, table);
  for (const Plot& plot : page.plots) Write(writer, plot);
  writer.EndObject();
  return writer.text() + "\n";
}

}  // namespace capstan::statusz
