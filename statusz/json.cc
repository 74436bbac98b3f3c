// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/json.h"

#include <algorithm>
#include <string_view>

#include "clientgo/util/text.h"
#include "clientgo/util/time_format.h"
#include "statusz/page.h"

namespace statusz {
namespace {

using clientgo::runtime::JsonBuffer;
using clientgo::runtime::JsonWriter;

void Write(JsonWriter& writer, std::string_view text) {
  clientgo::runtime::WriteString(writer, text);
}

// "Resource version" is "resource_version".
std::string Key(std::string_view title) {
  std::string key = clientgo::util::LowerAscii(title);
  std::replace(key.begin(), key.end(), ' ', '_');
  return key;
}

void Write(JsonWriter& writer, const Table& table) {
  Write(writer, table.name);
  writer.StartArray();
  for (const auto& row : table.rows) {
    writer.StartObject();
    for (std::size_t i = 0; i < row.size(); ++i) {
      Write(writer, Key(table.columns.at(i)));
      Write(writer, row[i].text);
    }
    writer.EndObject();
  }
  writer.EndArray();
}

// [[seconds since 1970, value], ...]
void Write(JsonWriter& writer, const Plot& plot) {
  Write(writer, plot.name);
  writer.StartArray();
  for (const Sample& sample : plot.samples) {
    writer.StartArray();
    writer.Int64(std::chrono::floor<std::chrono::seconds>(sample.time).time_since_epoch().count());
    writer.Double(sample.value);
    writer.EndArray();
  }
  writer.EndArray();
}

// {"program": [[x, value], ...]}
void Write(JsonWriter& writer, const Chart& chart) {
  Write(writer, chart.name);
  writer.StartObject();
  for (const Chart::Line& line : chart.lines) {
    Write(writer, line.name);
    writer.StartArray();
    for (const Point& point : line.points) {
      writer.StartArray();
      writer.Double(point.x);
      writer.Double(point.y);
      writer.EndArray();
    }
    writer.EndArray();
  }
  writer.EndObject();
}

}  // namespace

std::string Json(const Page& page) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  Write(writer, "program");
  Write(writer, page.program);
  Write(writer, "time");
  Write(writer, clientgo::util::FormatTime(page.time));
  Write(writer, "facts");
  writer.StartObject();
  for (const auto& [title, cell] : page.facts) {
    Write(writer, Key(title));
    Write(writer, cell.text);
  }
  writer.EndObject();
  for (const Table& table : page.tables) Write(writer, table);
  for (const Plot& plot : page.plots) Write(writer, plot);
  for (const Chart& chart : page.charts) Write(writer, chart);
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace statusz
