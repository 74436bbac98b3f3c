// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/dry_run.h"

#include <algorithm>

#include "capstan/runtime/json_writer.h"
#include "cmd/capstan/inspect/json_items.h"
#include "controllers/cainjector/rules/bundle.h"

namespace capstan::cmd::cli::inspect {
namespace {

std::string Line(const cainjector::Certificate& certificate) {
  return cainjector::SubjectOf(certificate) + ", expires " +
         cainjector::ExpiryText(certificate.not_after) + ", sha256 " +
         cainjector::FingerprintOf(certificate);
}

bool Holds(const cainjector::Certificates& certificates, const cainjector::Certificate& wanted) {
  return std::any_of(certificates.begin(), certificates.end(),
                     [&](const cainjector::Certificate& one) { return one.der == wanted.der; });
}

std::string Changed(const Terminal& terminal, char sign, const std::string& text) {
  return Toned(terminal, sign == '+' ? Tone::kGood : Tone::kBad,
               std::string("  ") + sign + " " + Printable(text)) +
         "\n";
}

std::string PlaceDiff(const std::string& before, const std::string& after,
                      const Terminal& terminal) {
  std::string out;
  const cainjector::Certificates now = cainjector::TrustedCertificates(after);
  const cainjector::Certificates was = cainjector::TrustedCertificates(before);
  if (was.empty() && !before.empty()) {
    out +=
        Changed(terminal, '-', std::to_string(before.size()) + " bytes that are not a CA bundle");
  }
  bool same = true;
  for (const cainjector::Certificate& certificate : was) {
    const bool stays = Holds(now, certificate);
    same = same && stays;
    out += stays ? "    " + Printable(Line(certificate)) + "\n"
                 : Changed(terminal, '-', Line(certificate));
  }
  for (const cainjector::Certificate& certificate : now) {
    if (Holds(was, certificate)) continue;
    same = false;
    out += Changed(terminal, '+', Line(certificate));
  }
  if (same && !was.empty()) out += "    (the same certificates, encoded differently)\n";
  return out;
}

// Returns whether the bundle of some sources is used although others have failed.
bool IsPartial(const Finding& finding) {
  return finding.state == State::kBroken && finding.plan && finding.plan->incomplete;
}

std::string FindingDiff(const Finding& finding, const Terminal& terminal) {
  std::string out = Toned(terminal, Tone::kBold, finding.kind() + "/" + finding.name()) + " from " +
                    Printable(finding.source->text) + "\n";
  if (IsPartial(finding)) {
    out += "  only in part: " + Printable(finding.message()) + "\n";
  } else if (finding.state == State::kBroken || finding.state == State::kUnknown) {
    return out + (finding.state == State::kBroken ? "  nothing is written: " : "  check failed: ") +
           std::string(ToString(finding.reason)) + ": " + Printable(finding.message()) + "\n";
  }
  for (std::size_t i = 0; i < finding.current.size(); ++i) {
    if (finding.current[i] == finding.plan->bundles[i]) continue;
    out += "  caBundle " + std::to_string(i + 1) + " of " + std::to_string(finding.current.size()) +
           ":\n" + PlaceDiff(finding.current[i], finding.plan->bundles[i], terminal);
  }
  if (!finding.note.empty()) out += "  note: " + Printable(finding.note) + "\n";
  return out;
}

}  // namespace

std::string DiffText(const Findings& findings, const Terminal& terminal) {
  std::string out;
  for (const Finding& finding : findings) {
    if (!IsWell(finding)) out += FindingDiff(finding, terminal);
  }
  return out;
}

std::string DiffJson(const Findings& findings) {
  return ItemsJson(findings, [&](runtime::JsonWriter& writer, const Finding& finding) {
    runtime::WriteField(writer, "kind", finding.kind());
    runtime::WriteField(writer, "name", finding.name());
    runtime::WriteField(writer, "state", ToString(finding.state));
    runtime::WriteField(writer, "reason", ToString(finding.reason));
    runtime::WriteField(writer, "message", finding.message());
    if (finding.state == State::kPending ||
        (IsPartial(finding) && finding.plan->bundles != finding.current)) {
      writer.Key("patch");
      writer.RawValue(
          finding.target
              ->Write(*finding.content, finding.plan->bundles, cainjector::ApplyTo::kThisObject)
              .body);
    }
  });
}

}  // namespace capstan::cmd::cli::inspect
