// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "capstan/clientgo/util/time_format.h"
#include "capstan/kind/quantity.h"
#include "capstan/kind/time.h"
#include "e2e/oracles/modes.h"

namespace e2e::oracles {

std::string ParseQuantity(std::string_view input) {
  const auto quantity = capstan::Quantity::Parse(input);
  if (!quantity) return std::string(kRefused);
  return quantity->ToString() + " value=" + std::to_string(quantity->value()) +
         " milli=" + std::to_string(quantity->milli());
}

std::string ParseDuration(std::string_view input) {
  const auto duration = capstan::clientgo::util::ParseDuration(input);
  if (!duration) return std::string(kRefused);
  return std::to_string(duration->count()) + " " +
         capstan::clientgo::util::FormatDuration(*duration);
}

// Kinds and the runtime have a parser each. They must agree on the times that a clock can hold.
std::string ParseTime(std::string_view input) {
  const auto time = capstan::ParseTime(input);
  if (!time) return std::string(kRefused);
  const std::int64_t micros = time->time_since_epoch().count();
  const std::string micro = capstan::FormatTime(*time);
  const std::string whole = capstan::FormatTime(std::chrono::floor<std::chrono::seconds>(*time));
  if (const auto clock = capstan::clientgo::util::ParseTime(input)) {
    const auto same = std::chrono::floor<std::chrono::microseconds>(*clock) == *time;
    if (!same || capstan::clientgo::util::FormatMicroTime(*clock) != micro ||
        capstan::clientgo::util::FormatTime(*clock) != whole) {
      return "the two parsers differ";
    }
  }
  return std::to_string(micros) + " " + micro + " " + whole;
}

}  // namespace e2e::oracles
