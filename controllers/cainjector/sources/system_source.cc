// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/system_source.h"

#include <algorithm>

namespace capstan::cainjector {
namespace {

// Returns the first line of the file, if it is a short printable text.
std::string VersionIn(const std::string& file) {
  constexpr std::size_t kLongest = 64;
  const auto text = ReadFile(file);
  if (!text) return {};
  std::string version = text->substr(0, text->find('\n'));
  const bool plain = version.size() <= kLongest &&
                     std::all_of(version.begin(), version.end(),
                                 [](unsigned char c) { return c > ' ' && c < 0x7F; });
  return plain ? version : std::string();
}

}  // namespace

SystemSource::Outcome SystemSource::GetFor(std::stop_token /*stop*/, std::string_view /*value*/,
                                           std::string_view /*target_namespace*/) {
  const MutexLock lock(mu_);
  if (!outcome_) {
    stamp_ = StampOf(file_);  // before the read, so that no change is missed
    outcome_ = Read();
  }
  return *outcome_;
}

bool SystemSource::Reload() {
  const MutexLock lock(mu_);
  if (!outcome_) return false;
  const auto stamp = StampOf(file_);
  if (stamp == stamp_) return false;
  stamp_ = stamp;
  outcome_ = Read();
  return true;
}

void SystemSource::Forget() {
  const MutexLock lock(mu_);
  outcome_.reset();
}

std::optional<SystemSource::Summary> SystemSource::Summarize() const {
  std::optional<Summary> summary;
  {
    const MutexLock lock(mu_);
    if (!outcome_) return summary;
    summary.emplace();
    if (*outcome_) summary->certificates = (**outcome_)->certificates.size();
  }
  summary->version = VersionIn(file_ + ".version");
  return summary;
}

SystemSource::Outcome SystemSource::Read() const {
  const auto pem = ReadFile(file_);
  if (!pem) return Fail(Reason::kNoCaData, "system CAs: " + pem.error().message);
  return MakeSourceBundle("system CAs in " + file_, *pem);
}

}  // namespace capstan::cainjector
