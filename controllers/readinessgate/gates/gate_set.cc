// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/gate_set.h"

#include <algorithm>
#include <utility>

#include "capstan/cert/certificate.h"
#include "capstan/text.h"
#include "controllers/readinessgate/gates/protocol.h"
#include "controllers/readinessgate/gates/text.h"

namespace capstan::readinessgate {
namespace {

void EvaluateInto(const Gate& gate, const GateInput& input, Evaluation& evaluation,
                  Verdict& verdict) {
  verdict = gate.Evaluate(input);
  if (verdict.open) return;
  verdict.message = Clip(verdict.message, kGateMessageBytesMax);
  evaluation.open = false;
  if (!verdict.recheck) return;
  evaluation.recheck = std::min(evaluation.recheck.value_or(*verdict.recheck), *verdict.recheck);
}

constexpr std::size_t kGenerationDigits = 12;
constexpr std::size_t kSpecBytesMax = 1024;   // short enough to be quoted
constexpr std::size_t kErrorBytesMax = 1000;  // fits in an Event
constexpr std::size_t kErrorsMax = 8;         // of a set
constexpr std::size_t kSetsMax = 128;
constexpr std::size_t kNamespacesMax = 256;  // of a set
constexpr std::string_view kNamespacesKey = "namespaces:";

// SetParser parses one key of the ConfigMap.
class SetParser {
 public:
  SetParser(std::string_view name, const GateSet* last) : name_(name), last_(last) {}

  // Returns the set, or nullptr when there are errors().
  std::shared_ptr<const GateSet> Parse(std::string_view text) {
    if (const std::string why = WhyNotSetName(name_); !why.empty()) Fail(0, why);
    for (int line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ParseLine(line, Trim(text.substr(0, end), " \t\r"));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (gates_.empty() && errors_.empty()) {
      Fail(0, "it has no gates, so it would open at once; give it one, or delete its key");
    }
    if (!errors_.empty()) return nullptr;
    return std::make_shared<const GateSet>(std::string(name_), std::move(gates_),
                                           std::move(namespaces_));
  }
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  // A set has the name of a label value, so that typing errors show in metrics and logs.
  static std::string WhyNotSetName(std::string_view name) {
    const std::string why = name.empty() ? "it is empty" : WhyNotLabelValue(name);
    return why.empty() ? why : "its name is invalid: " + why;
  }

  void ParseLine(int line, std::string_view spec) {
    if (spec.empty() || spec.starts_with('#')) return;
    if (spec.size() > kSpecBytesMax) return Fail(line, "it is longer than 1024 bytes");
    if (spec.starts_with("- ")) {
      return Fail(line, Quote(spec) + " is an item of a YAML list; leave out the \"- \"");
    }
    if (spec.starts_with(kNamespacesKey)) return ParseNamespaces(line, spec);
    for (std::size_t i = 0; i < gates_.size(); ++i) {
      if (gates_[i]->spec() != spec) continue;
      return Fail(line, Quote(spec) + " stands in line " + std::to_string(lines_[i]) + " already");
    }
    if (gates_.size() == kGatesMax) {
      return Fail(line, "a set has at most " + std::to_string(kGatesMax) + " gates");
    }
    auto gate = MakeGate(spec);
    if (!gate) return Fail(line, gate.error().message);
    gates_.push_back(*std::move(gate));
    lines_.push_back(line);
  }

  // Parses "namespaces: [a, b]", with or without the brackets. Several such lines are combined.
  void ParseNamespaces(int line, std::string_view text) {
    std::string_view list = Trim(text.substr(kNamespacesKey.size()), " \t");
    if (list.starts_with('[') && list.ends_with(']') && list.size() > 1) {
      list = list.substr(1, list.size() - 2);
    }
    const auto names = Split(list, ',');
    if (Trim(list, " \t").empty()) {
      return Fail(line, Quote(text) + " names no namespace; leave the line out to allow all");
    }
    for (std::string_view name : names) {
      name = Trim(name, " \t");
      const std::string why = WhyNotNamespace(name);
      if (!why.empty()) return Fail(line, Quote(name) + " is no namespace's name: " + why);
      namespaces_.emplace(name);
    }
    if (namespaces_.size() > kNamespacesMax) {
      Fail(line, "a set names at most " + std::to_string(kNamespacesMax) + " namespaces");
    }
  }

  Expected<std::shared_ptr<const Gate>> MakeGate(std::string_view spec) const {
    if (last_ != nullptr) {
      for (const auto& gate : last_->gates()) {
        if (gate->spec() == spec) return gate;
      }
    }
    auto gate = ParseGate(spec);
    if (!gate) return tl::unexpected(std::move(gate.error()));
    return *std::move(gate);
  }

  // Line 0 stands for the whole set.
  void Fail(int line, const std::string& why) {
    if (errors_.size() == kErrorsMax) return;
    std::string error = "gate set " + Quote(name_);
    if (line != 0) error += ", line " + std::to_string(line);
    errors_.push_back(error + ": " + why);
  }

  std::string_view name_;
  const GateSet* last_;
  GateSet::Gates gates_;
  std::vector<int> lines_;  // of gates_
  GateSet::Namespaces namespaces_;
  std::vector<std::string> errors_;
};

GateChoice ChoiceWithoutGates(const GateRules& rules) {
  const bool open = rules.pods_without_gates == PodsWithoutGates::kOpen;
  std::string message = "the pod names no gate set (annotation " + std::string(kGateSetKey) +
                        "), and there are no default gates";
  if (!open) message += "; --pods-without-gates=closed keeps such pods closed";
  return {.open = open,
          .is_error = !open,
          .is_final = !open,
          .reason = "NoGates",
          .message = std::move(message)};
}

}  // namespace

GateSet::GateSet(std::string name, Gates gates, Namespaces namespaces)
    : name_(std::move(name)), gates_(std::move(gates)), namespaces_(std::move(namespaces)) {
  std::string text = name_ + "\n";
  for (const auto& gate : gates_) text.append(gate->spec()).append("\n");
  generation_ = cert::Sha256(text).substr(0, kGenerationDigits);
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
    if (!gate->is_last()) EvaluateInto(*gate, input, evaluation, evaluation.results.back().verdict);
  }
  for (GateResult& result : evaluation.results) {
    // A closed gate keeps those after it from consuming anything.
    if (!result.gate->is_last() || !evaluation.open) continue;
    EvaluateInto(*result.gate, input, evaluation, result.verdict);
  }
  return evaluation;
}

Expected<std::shared_ptr<const GateSet>> ParseGateSet(std::string name,
                                                      const std::vector<std::string>& specs,
                                                      std::string_view flag) {
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

Expected<GateSets> ParseGateSets(const TypedObject<api::ConfigMap>& config_map,
                                 const GateSets& last) {
  const auto refuse = [&](const std::string& why) {
    return Err(ErrorReason::kInvalidArgument,
               Clip("ConfigMap " + std::string(config_map.key()) + ": " + why, kErrorBytesMax));
  };
  if (config_map.data.size() > kSetsMax) {
    return refuse("it has " + std::to_string(config_map.data.size()) + " gate sets, at most " +
                  std::to_string(kSetsMax) + " are allowed; delete what no pod names");
  }
  GateSets sets;
  std::string errors;
  for (const auto& [name, text] : config_map.data) {
    const auto known = last.find(name);
    SetParser parser(name, known == last.end() ? nullptr : known->second.get());
    auto set = parser.Parse(text);
    for (const std::string& error : parser.errors()) {
      // More would be clipped.
      if (errors.size() < kErrorBytesMax) errors.append(errors.empty() ? "" : "; ").append(error);
    }
    if (set != nullptr) sets.emplace(name, std::move(set));
  }
  if (errors.empty()) return sets;
  return refuse(errors);
}

std::shared_ptr<const GateSet> WithMandatory(const std::shared_ptr<const GateSet>& mandatory,
                                             const std::shared_ptr<const GateSet>& set) {
  if (mandatory == nullptr) return set;
  if (set == nullptr) return mandatory;
  GateSet::Gates gates = mandatory->gates();
  for (const auto& gate : set->gates()) {
    const auto is_same = [&](const auto& other) { return other->spec() == gate->spec(); };
    if (std::none_of(mandatory->gates().begin(), mandatory->gates().end(), is_same)) {
      gates.push_back(gate);
    }
  }
  return std::make_shared<const GateSet>(set->name(), std::move(gates), set->namespaces());
}

GateChoice ChooseGates(const GateRules& rules, const Pod& pod) {
  const std::string_view name = pod.Annotation(kGateSetKey).value_or("");
  if (name.empty()) {
    if (rules.default_gates == nullptr) return ChoiceWithoutGates(rules);
    return {.gates = rules.default_gates};
  }
  const std::string annotation = " (annotation " + std::string(kGateSetKey) + ")";
  if (!rules.why_named_unknown.empty()) {
    return {.reason = "GateSetsUnknown",
            .message = "cannot tell yet what gate set " + Quote(name) + annotation +
                       " is: " + rules.why_named_unknown};
  }
  const auto found = rules.named.find(name);
  if (found == rules.named.end()) {
    return {.is_error = true,
            .reason = "UnknownGateSet",
            .message = "there is no gate set " + Quote(name) + annotation};
  }
  if (!found->second->IsAllowedIn(pod.namespace_())) {
    return {.is_error = true,
            .is_final = true,
            .reason = "GateSetNotAllowed",
            .message = "gate set " + Quote(name) + annotation + " may not be used in namespace " +
                       std::string(pod.namespace_())};
  }
  return {.gates = found->second};
}

}  // namespace capstan::readinessgate
