// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/gate_set.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <utility>

#include "controllers/readinessgate/gates/text.h"

namespace controllers::readinessgate {
namespace {

using clientgo::util::Err;
using clientgo::util::ErrorReason;

std::string Digest(std::string_view text) {
  constexpr std::size_t kDigits = 12;
  constexpr const char* kHex = "0123456789abcdef";
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  EVP_Digest(text.data(), text.size(), hash.data(), nullptr, EVP_sha256(), nullptr);
  std::string digits;
  for (std::size_t i = 0; digits.size() < kDigits; ++i) {
    digits += kHex[hash[i] >> 4U];
    digits += kHex[hash[i] & 0xfU];
  }
  return digits;
}

void Ask(const Gate& gate, const GateInput& input, Evaluation& evaluation, Verdict& verdict) {
  verdict = gate.Evaluate(input);
  if (verdict.open) return;
  verdict.message = Clip(verdict.message, kGateMessageBytesMax);
  evaluation.open = false;
  if (!verdict.recheck) return;
  evaluation.recheck = std::min(evaluation.recheck.value_or(*verdict.recheck), *verdict.recheck);
}

}  // namespace

GateSet::GateSet(std::string name, Gates gates, Namespaces namespaces)
    : name_(std::move(name)), gates_(std::move(gates)), namespaces_(std::move(namespaces)) {
  std::string text = name_ + "\n";
  for (const auto& gate : gates_) text.append(gate->spec()).append("\n");
  generation_ = Digest(text);
}

void GateSet::AddNeeds(GateNeeds& needs) const {
  for (const auto& gate : gates_) gate->AddNeeds(needs);
}

std::string Evaluation::Reasons() const {
  std::string reasons;
  for (const GateResult& result : results) {
    if (result.verdict.open || result.verdict.message.empty()) continue;
    reasons.append(reasons.empty() ? "" : "; ").append(result.verdict.message);
  }
  return reasons;
}

Evaluation Evaluate(const GateSet& set, const GateInput& input) {
  Evaluation evaluation{.open = true};
  evaluation.results.reserve(set.gates().size());
  for (const auto& gate : set.gates()) {
    evaluation.results.push_back(
        {.gate = gate.get(), .verdict = Verdict::Closed("WaitsForOthers", "")});
    if (!gate->is_last()) Ask(*gate, input, evaluation, evaluation.results.back().verdict);
  }
  for (GateResult& result : evaluation.results) {
    // One that is closed keeps those after it from using anything up.
    if (!result.gate->is_last() || !evaluation.open) continue;
    Ask(*result.gate, input, evaluation, result.verdict);
  }
  return evaluation;
}

clientgo::util::Expected<std::shared_ptr<const GateSet>> ParseGateSet(
    std::string name, const std::vector<std::string>& specs, std::string_view flag) {
  if (specs.size() > kGatesMax) {
    return Err(ErrorReason::kInvalidArgument,
               std::string(flag) + " is given " + std::to_string(specs.size()) +
                   " times; a pod has at most " + std::to_string(kGatesMax) + " gates");
  }
  GateSet::Gates gates;
  for (const std::string& spec : specs) {
    auto gate = ParseGate(spec);
    if (!gate) {
      return Err(gate.error().Wrap("invalid " + std::string(flag) + " " + Quote(spec)));
    }
    gates.push_back(*std::move(gate));
  }
  return std::make_shared<const GateSet>(std::move(name), std::move(gates));
}

}  // namespace controllers::readinessgate
