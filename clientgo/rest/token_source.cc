// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/token_source.h"

#include <glog/logging.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "clientgo/rest/read_file.h"
#include "clientgo/util/logging.h"

namespace clientgo::rest {
namespace {

// The kubelet replaces a token at 80 % of its life, an hour as a rule; client-go's numbers.
constexpr auto kPeriod = std::chrono::seconds(50);
constexpr auto kPeriodAfterError = std::chrono::seconds(10);

util::Expected<std::string> ReadToken(const std::string& path) {
  auto text = ReadFile(path);
  if (!text) return util::Err(text.error().Wrap("failed to read the token file"));
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text->find_first_not_of(kSpace);
  if (first == std::string::npos) {
    return util::Err(util::ErrorReason::kInvalidArgument, "token file " + path + " is empty");
  }
  std::string token = text->substr(first, text->find_last_not_of(kSpace) - first + 1);
  // It goes into a header: nothing may end the line or start another.
  const bool printable =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!printable) {
    return util::Err(util::ErrorReason::kInvalidArgument,
                     "token file " + path + " does not hold a token");
  }
  return token;
}

}  // namespace

TokenSource::TokenSource(std::string token, std::string path, util::Clock& clock)
    : path_(token.empty() ? std::move(path) : ""),
      clock_(clock),
      token_(std::move(token)),
      read_again_(clock.Now()) {}

util::Expected<std::string> TokenSource::Token() {
  util::MutexLock lock(mu_);
  const auto now = clock_.Now();
  if (path_.empty() || now < read_again_) return token_;
  auto fresh = ReadToken(path_);
  read_again_ = now + (fresh ? kPeriod : kPeriodAfterError);
  if (fresh) {
    token_ = std::move(*fresh);
  } else if (token_.empty()) {
    read_again_ = now;
    return fresh;
  } else {
    LOG(WARNING) << util::Kv("Unable to read the token, keeping the old one", "err", fresh.error());
  }
  return token_;
}

void TokenSource::OnUnauthorized() {
  util::MutexLock lock(mu_);
  read_again_ = clock_.Now();
}

}  // namespace clientgo::rest
