// SPDX-License-Identifier: Apache-2.0
// Gate sets from a ConfigMap.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/util/text.h"
#include "controllers/readinessgate/gates/gate_set.h"
#include "controllers/readinessgate/gates/text.h"

namespace controllers::readinessgate {
namespace {

using clientgo::util::Err;
using clientgo::util::ErrorReason;

// Far beyond what any kind takes, and short enough to be quoted.
constexpr std::size_t kSpecBytesMax = 1024;
// What an Event can tell.
constexpr std::size_t kErrorBytesMax = 1000;
constexpr std::size_t kErrorsMax = 8;  // of a set
constexpr std::size_t kSetsMax = 128;
constexpr std::size_t kNamespacesMax = 256;  // of a set
constexpr std::string_view kNamespacesKey = "namespaces:";

class SetParser {
 public:
  SetParser(std::string_view name, const GateSet* last) : name_(name), last_(last) {}

  // The set; nullptr: errors() says why not.
  std::shared_ptr<const GateSet> Parse(std::string_view text) {
    if (const std::string why = WhyNotSetName(name_); !why.empty()) Fail(0, why);
    for (int line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      Line(line, clientgo::util::Trim(text.substr(0, end), " \t\r"));
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
  // What is no label's value cannot be told from a typing error in a metric or a log.
  static std::string WhyNotSetName(std::string_view name) {
    const std::string why = name.empty() ? "it is empty" : WhyNotLabelValue(name);
    return why.empty() ? why : "its name will not do: " + why;
  }

  void Line(int line, std::string_view spec) {
    if (spec.empty() || spec.starts_with('#')) return;
    if (spec.size() > kSpecBytesMax) return Fail(line, "it is longer than 1024 bytes");
    if (spec.starts_with("- ")) {
      return Fail(line, Quote(spec) + " is an item of a YAML list; leave out the \"- \"");
    }
    if (spec.starts_with(kNamespacesKey)) return NamespacesLine(line, spec);
    for (std::size_t i = 0; i < gates_.size(); ++i) {
      if (gates_[i]->spec() != spec) continue;
      return Fail(line, Quote(spec) + " stands in line " + std::to_string(lines_[i]) + " already");
    }
    if (gates_.size() == kGatesMax) {
      return Fail(line, "a set has at most " + std::to_string(kGatesMax) + " gates");
    }
    auto gate = Take(spec);
    if (!gate) return Fail(line, gate.error().message);
    gates_.push_back(*std::move(gate));
    lines_.push_back(line);
  }

  // "namespaces: [a, b]", with or without the brackets. Several lines add up.
  void NamespacesLine(int line, std::string_view text) {
    std::string_view list = clientgo::util::Trim(text.substr(kNamespacesKey.size()), " \t");
    if (list.starts_with('[') && list.ends_with(']') && list.size() > 1) {
      list = list.substr(1, list.size() - 2);
    }
    const auto names = clientgo::util::Split(list, ',');
    if (clientgo::util::Trim(list, " \t").empty()) {
      return Fail(line, Quote(text) + " names no namespace; leave the line out to allow all");
    }
    for (std::string_view name : names) {
      name = clientgo::util::Trim(name, " \t");
      const std::string why = WhyNotNamespace(name);
      if (!why.empty()) return Fail(line, Quote(name) + " is no namespace's name: " + why);
      namespaces_.emplace(name);
    }
    if (namespaces_.size() > kNamespacesMax) {
      Fail(line, "a set names at most " + std::to_string(kNamespacesMax) + " namespaces");
    }
  }

  clientgo::util::Expected<std::shared_ptr<const Gate>> Take(std::string_view spec) const {
    if (last_ != nullptr) {
      for (const auto& gate : last_->gates()) {
        if (gate->spec() == spec) return gate;
      }
    }
    auto gate = ParseGate(spec);
    if (!gate) return tl::unexpected(std::move(gate.error()));
    return *std::move(gate);
  }

  // `line` 0: it is about the whole set.
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

}  // namespace

clientgo::util::Expected<GateSets> ParseGateSets(const clientgo::api::ConfigMap& config_map,
                                                 const GateSets& last) {
  const auto refuse = [&](const std::string& why) {
    return Err(ErrorReason::kInvalidArgument,
               Clip("ConfigMap " + std::string(config_map.key()) + ": " + why, kErrorBytesMax));
  };
  if (config_map.data().size() > kSetsMax) {
    return refuse("it has " + std::to_string(config_map.data().size()) + " gate sets, at most " +
                  std::to_string(kSetsMax) + " are allowed; delete what no pod names");
  }
  GateSets sets;
  std::string errors;
  for (const auto& [name, text] : config_map.data()) {
    const auto known = last.find(name);
    SetParser parser(name, known == last.end() ? nullptr : known->second.get());
    auto set = parser.Parse(text);
    for (const std::string& error : parser.errors()) {
      // Enough to be clipped is enough.
      if (errors.size() < kErrorBytesMax) errors.append(errors.empty() ? "" : "; ").append(error);
    }
    if (set != nullptr) sets.emplace(name, std::move(set));
  }
  if (errors.empty()) return sets;
  return refuse(errors);
}

}  // namespace controllers::readinessgate
