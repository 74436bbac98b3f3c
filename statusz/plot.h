// SPDX-License-Identifier: Apache-2.0
// A plot as an inline SVG: a line over the time, from 0 to its highest value. Internal to statusz.
#pragma once

#include <string>

#include "statusz/page.h"

namespace statusz {

// "3" or "17.1 MiB".
std::string Amount(Plot::Unit unit, double value);
std::string Svg(const Plot& plot);

}  // namespace statusz
