// SPDX-License-Identifier: Apache-2.0
// Tests the small parsers on any bytes: times, durations, base64 and server addresses. A parsed
// value must format to text that parses to the same value.
#include <glog/logging.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "capstan/base64.h"
#include "capstan/time.h"
#include "clientgo/transport/server_address.h"

namespace {

using capstan::transport::ParseServerAddress;

void Times(std::string_view text) {
  const auto time = capstan::ParseTime(text);
  if (!time) return;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(*time);
  CHECK(capstan::ParseTime(capstan::FormatTime(seconds)) == seconds);
  CHECK(capstan::ParseTime(capstan::FormatTime(*time)) == time);
}

void Durations(std::string_view text) {
  const auto duration = capstan::ParseDuration(text);
  if (!duration) return;
  const std::string written = capstan::FormatDuration(*duration);
  CHECK(capstan::ParseDuration(written) == duration) << written;
}

void Base64(std::string_view text) {
  const std::string encoded = capstan::Base64Encode(text);
  CHECK(capstan::Base64Decode(encoded) == text);
  const auto bytes = capstan::Base64Decode(text);
  if (bytes) CHECK(capstan::Base64Decode(capstan::Base64Encode(*bytes)) == *bytes);
}

void Addresses(std::string_view text) {
  const auto address = ParseServerAddress(text);
  if (!address) {
    const std::string& message = address.error().message;
    CHECK(!message.empty());
    // The text may contain a user and a password.
    const bool has_user = text.find('@') != std::string_view::npos;
    if (has_user) CHECK_EQ(message.find(text), std::string::npos);
    return;
  }
  CHECK(!address->host.empty());
  CHECK(!address->path_prefix.ends_with("/"));
  const auto again = ParseServerAddress(address->Url());
  CHECK(again.has_value()) << address->Url();
  CHECK_EQ(again->Url(), address->Url());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Times(text);
  Durations(text);
  Base64(text);
  Addresses(text);
  return 0;
}
