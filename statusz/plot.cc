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

double Highest(const std::vector<Sample>& samples) {
  double highest = 0;
  for (const Sample& sample : samples) highest = std::max(highest, sample.value);
  return highest;
}

}  // namespace

std::string Bytes(double bytes) {
  if (bytes < 1024) return Printed("%.0f B", bytes);
  if (bytes < 1024.0 * 1024) return Printed("%.1f KiB", bytes / 1024);
  return Printed("%.1f MiB", bytes / 1024 / 1024);
}

std::string Amount(Plot::Unit unit, double value) {
  return unit == Plot::Unit::kBytes ? Bytes(value) : Printed("%.0f", value);
}

std::string Svg(const Plot& plot) {
  const double highest = std::max(Highest(plot.samples), 1e-9);
  const auto first = plot.samples.front().time;
  const double span =
      std::max(std::chrono::duration<double>(plot.samples.back().time - first).count(), 1.0);
  std::string points;
  for (const Sample& sample : plot.samples) {
    const double x = std::chrono::duration<double>(sample.time - first).count() / span * kWidth;
    const double y = kHeight - sample.value / highest * (kHeight - 4);
    points += (points.empty() ? "" : " ") + Printed("%.1f", x) + "," + Printed("%.1f", y);
  }
  const std::string box = "0 0 " + std::to_string(kWidth) + " " + std::to_string(kHeight);
  return "<svg viewBox=\"" + box + R"(" role="img" preserveAspectRatio="none">)" +
         "<polyline points=\"" + points + "\"/></svg>";
}

}  // namespace statusz
