// SPDX-License-Identifier: Apache-2.0
// Tests the small parsers on any bytes: times, durations, base64 and server addresses. A parsed
// value must format to text that parses to the same value.
#include <glog/logging.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "capstan/clientgo/transport/internal/server_address.h"
#include "capstan/clientgo/util/base64.h"
#include "capstan/clientgo/util/time_format.h"

namespace {

using capstan::clientgo::transport::ParseServerAddress;

void Times(std::string_view text) {
  const auto time = capstan::clientgo::util::ParseTime(text);
  if (!time) return;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(*time);
  const auto micros = std::chrono::floor<std::chrono::microseconds>(*time);
  CHECK(capstan::clientgo::util::ParseTime(capstan::clientgo::util::FormatTime(*time)) == seconds);
  CHECK(capstan::clientgo::util::ParseTime(capstan::clientgo::util::FormatMicroTime(*time)) ==
        micros);
}

void Durations(std::string_view text) {
  const auto duration = capstan::clientgo::util::ParseDuration(text);
  if (!duration) return;
  const std::string written = capstan::clientgo::util::FormatDuration(*duration);
  CHECK(capstan::clientgo::util::ParseDuration(written) == duration) << written;
}

void Base64(std::string_view text) {
  const std::string encoded = capstan::clientgo::util::Base64Encode(text);
  CHECK(capstan::clientgo::util::Base64Decode(encoded) == text);
  const auto bytes = capstan::clientgo::util::Base64Decode(text);
  if (bytes)
    CHECK(capstan::clientgo::util::Base64Decode(capstan::clientgo::util::Base64Encode(*bytes)) ==
          *bytes);
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
