// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "capstan/quantity.h"
#include "capstan/time.h"
#include "e2e/oracles/modes.h"

namespace e2e::oracles {

std::string ParseQuantity(std::string_view input) {
  const auto quantity = capstan::Quantity::Parse(input);
  if (!quantity) return std::string(kRefused);
  return quantity->ToString() + " value=" + std::to_string(quantity->value()) +
         " milli=" + std::to_string(quantity->milli());
}

std::string ParseDuration(std::string_view input) {
  const auto duration = capstan::ParseDuration(input);
  if (!duration) return std::string(kRefused);
  return std::to_string(duration->count()) + " " + capstan::FormatDuration(*duration);
}

std::string ParseTime(std::string_view input) {
  const auto time = capstan::ParseTime(input);
  if (!time) return std::string(kRefused);
  const std::int64_t micros = time->time_since_epoch().count();
  const std::string micro = capstan::FormatTime(*time);
  const std::string whole = capstan::FormatTime(std::chrono::floor<std::chrono::seconds>(*time));
  return std::to_string(micros) + " " + micro + " " + whole;
}

}  // namespace e2e::oracles
