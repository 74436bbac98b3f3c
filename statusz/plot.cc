// SPDX-License-Identifier: Apache-2.0
#include "statusz/plot.h"

#include <algorithm>
#include <cstdio>

namespace statusz {
namespace {

constexpr int kWidth = 480;
constexpr int kHeight = 96;

std::string Printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::string Bytes(double bytes) {
  if (bytes < 1024) return Printed("%.0f B", bytes);
  if (bytes < 1024.0 * 1024) return Printed("%.1f KiB", bytes / 1024);
  return Printed("%.1f MiB", bytes / 1024 / 1024);
}

std::string Amount(Unit unit, double value) {
  return unit == Unit::kBytes ? Bytes(value) : Printed("%.0f", value);
}

std::string Svg(const std::vector<std::vector<Point>>& lines) {
  double highest = 1e-9;
  double span = 1;
  for (const auto& line : lines) {
    for (const Point& point : line) {
      highest = std::max(highest, point.y);
      span = std::max(span, point.x);
    }
  }
  const std::string box = "0 0 " + std::to_string(kWidth) + " " + std::to_string(kHeight);
  std::string out = "<svg viewBox=\"" + box + R"(" role="img" preserveAspectRatio="none">)";
  bool first = true;
  for (const auto& line : lines) {
    std::string points;
    for (const Point& point : line) {
      const double x = point.x / span * kWidth;
      const double y = kHeight - point.y / highest * (kHeight - 4);
      points += (points.empty() ? "" : " ") + Printed("%.1f", x) + "," + Printed("%.1f", y);
    }
    out += std::string("<polyline ") + (first ? "" : "class=\"other\" ") + "points=\"" + points +
           "\"/>";
    first = false;
  }
  return out + "</svg>";
}

std::string Svg(const Plot& plot) {
  std::vector<Point> line;
  const auto first = plot.samples.front().time;
  for (const Sample& sample : plot.samples) {
    line.push_back({std::chrono::duration<double>(sample.time - first).count(), sample.value});
  }
  return Svg({line});
}

}  // namespace statusz
