// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/status.h"

#include <algorithm>

#include "capstan/runtime/json_writer.h"
#include "cmd/capstan/inspect/json_items.h"
#include "controllers/cainjector/rules/bundle.h"

namespace capstan::cmd::cli::inspect {
namespace {

Tone ToneOf(State state) {
  switch (state) {
    case State::kInSync:
      return Tone::kGood;
    case State::kPending:
    case State::kUnknown:
      return Tone::kWait;
    case State::kSkipped:
      return Tone::kFaint;
    case State::kBroken:
      break;
  }
  return Tone::kBad;
}

// Returns the expiry of the current bundle, or "" if it contains no certificate.
std::string Expires(const Finding& finding) {
  const cainjector::CertificateTime earliest = cainjector::ExpiryOf(finding.current).first;
  return earliest == cainjector::CertificateTime::max() ? "" : cainjector::ExpiryText(earliest);
}

}  // namespace

std::string StatusTable(const Findings& findings, const Terminal& terminal) {
  std::vector<std::vector<Cell>> rows;
  for (const Finding& finding : findings) {
    const std::string expires = Expires(finding);
    // The state comes first, because a terminal may be narrow.
    rows.push_back({{std::string(ToString(finding.state)), ToneOf(finding.state)},
                    {std::string(ToString(finding.reason))},
                    {finding.kind()},
                    {finding.name()},
                    {finding.source->text},
                    {expires.empty() ? "-" : expires},
                    {finding.message(), Tone::kFaint}});
  }
  return Table(terminal, {"STATE", "REASON", "KIND", "NAME", "SOURCE", "EXPIRES", "MESSAGE"}, rows);
}

std::string StatusJson(const Findings& findings) {
  return ItemsJson(findings, [&](runtime::JsonWriter& writer, const Finding& finding) {
    runtime::WriteField(writer, "kind", finding.kind());
    runtime::WriteField(writer, "name", finding.name());
    runtime::WriteField(writer, "source", finding.source->text);
    runtime::WriteField(writer, "state", ToString(finding.state));
    runtime::WriteField(writer, "reason", ToString(finding.reason));
    runtime::WriteField(writer, "expires", Expires(finding));
    runtime::WriteField(writer, "message", finding.message());
  });
}

bool AllWell(const Findings& findings) {
  return std::all_of(findings.begin(), findings.end(), IsWell);
}

bool AnyWrong(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.state == State::kBroken || finding.state == State::kPending;
  });
}

std::size_t CountUnknown(const Findings& findings) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [](const Finding& finding) { return finding.state == State::kUnknown; }));
}

Expected<Findings> WaitUntilWell(const std::stop_token& stop,
                                 const std::function<Expected<Findings>()>& look,
                                 const WaitOptions& options) {
  const auto deadline = options.clock.Now() + options.timeout;
  for (;;) {
    auto findings = look();
    if (findings && AllWell(*findings)) return findings;
    const auto left = deadline - options.clock.Now();
    if (left <= std::chrono::nanoseconds(0)) return findings;
    if (!options.clock.SleepFor(stop, std::min<std::chrono::nanoseconds>(options.period, left))) {
      return findings;
    }
  }
}

}  // namespace capstan::cmd::cli::inspect
