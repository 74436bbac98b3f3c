// SPDX-License-Identifier: Apache-2.0
// Plots as an inline SVG: lines from 0 to the highest value of all. Internal to statusz.
#pragma once

#include <string>
#include <vector>

#include "statusz/page.h"

namespace statusz {

// "3" or "17.1 MiB".
std::string Amount(Unit unit, double value);

// One or more lines, each with its points in order. The second and later ones are dashed.
std::string Svg(const std::vector<std::vector<Point>>& lines);
// Over the time.
std::string Svg(const Plot& plot);

}  // namespace statusz
