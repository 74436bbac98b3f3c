// SPDX-License-Identifier: Apache-2.0
#include "capstan/featuregate/feature_gate.h"

#include <glog/logging.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::featuregate {
namespace {

constexpr std::string_view kAllAlpha = "AllAlpha";
constexpr std::string_view kAllBeta = "AllBeta";
constexpr std::string_view kSpace = " \t\n\v\f\r";

std::optional<std::string> ProcessEnvironment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::string ParseBoolError(std::string_view text) {
  return "strconv.ParseBool: parsing " + Quoted(text) + ": invalid syntax";
}

std::string Text(bool value) { return value ? "true" : "false"; }

// Parses "A=true,B=false". A duplicate name has its last value.
Expected<std::map<std::string, bool>> Parse(std::string_view value) {
  std::map<std::string, bool> parsed;
  for (const std::string_view part : Split(value, ',')) {
    const std::size_t equals = part.find('=');
    const std::string name(Trim(part.substr(0, equals), kSpace));
    if (equals == std::string_view::npos) {
      return Err(ErrorReason::kInvalidArgument, "missing bool value for " + name);
    }
    const std::string_view text = Trim(part.substr(equals + 1), kSpace);
    const std::optional<bool> enabled = ParseBool(text);
    if (!enabled) {
      return Err(
          ErrorReason::kInvalidArgument,
          "invalid value of " + name + "=" + std::string(text) + ", err: " + ParseBoolError(text));
    }
    parsed[name] = *enabled;
  }
  return parsed;
}

// Mirrors apimachinery's NewAggregate: one error is unchanged, several are in brackets.
std::string Aggregate(const std::vector<std::string>& errors) {
  return errors.size() == 1 ? errors.front() : "[" + Join(errors, ", ") + "]";
}

std::optional<Stage> StageOfAll(std::string_view name) {
  if (name == kAllAlpha) return Stage::kAlpha;
  if (name == kAllBeta) return Stage::kBeta;
  return std::nullopt;
}

}  // namespace

std::string_view ToString(Stage stage) {
  switch (stage) {
    case Stage::kAlpha:
      return "ALPHA";
    case Stage::kBeta:
      return "BETA";
    case Stage::kGa:
      return "";
    case Stage::kDeprecated:
      return "DEPRECATED";
  }
  return "";
}

FeatureGate::FeatureGate(std::function<std::optional<std::string>(const std::string&)> environment)
    : environment_(environment ? std::move(environment) : ProcessEnvironment) {
  Add({{std::string(kAllAlpha), {.stage = Stage::kAlpha}},
       {std::string(kAllBeta), {.stage = Stage::kBeta}}});
}

void FeatureGate::Add(const std::map<std::string, FeatureSpec>& features) {
  CHECK(!closed_) << "cannot add a feature gate after values were set or read";
  for (const auto& [name, spec] : features) {
    const bool added = features_.emplace(name, Entry{spec, std::nullopt, std::nullopt}).second;
    CHECK(added) << "feature gate " << Quoted(name) << " already exists";
  }
}

Expected<void> FeatureGate::Set(std::string_view value) {
  closed_ = true;
  const auto parsed = Parse(value);
  if (!parsed) return tl::unexpected(parsed.error());

  Entries changed = features_;
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  for (const auto& [name, enabled] : *parsed) {
    const auto found = changed.find(name);
    if (found == changed.end()) {
      errors.push_back("unrecognized feature gate: " + name);
      break;
    }
    Entry& entry = found->second;
    if (entry.spec.lock_to_default && enabled != entry.spec.default_value) {
      errors.push_back("cannot set feature gate " + name + " to " + Text(enabled) +
                       ", feature is locked to " + Text(entry.spec.default_value));
      continue;
    }
    entry.explicit_value = enabled;
    if (const auto stage = StageOfAll(name)) {
      // A value set by name stays in any order, and so does an earlier expansion.
      for (auto& [other_name, other] : changed) {
        const bool applies = other.spec.stage == *stage && !StageOfAll(other_name);
        if (applies && !other.spec.lock_to_default && !other.explicit_value) {
          other.explicit_value = enabled;
        }
      }
    } else if (entry.spec.stage == Stage::kDeprecated || entry.spec.stage == Stage::kGa) {
      const char* const kind = entry.spec.stage == Stage::kGa ? "GA" : "deprecated";
      warnings.push_back(std::string("Setting ") + kind + " feature gate " + name + "=" +
                         Text(enabled) + ". It will be removed in a future release.");
    }
  }
  if (!errors.empty()) return Err(ErrorReason::kInvalidArgument, Aggregate(errors));
  features_ = std::move(changed);
  for (std::string& line : warnings) Warn(std::move(line));
  return {};
}

void FeatureGate::Warn(std::string line) const {
  if (std::find(warnings_.begin(), warnings_.end(), line) == warnings_.end()) {
    warnings_.push_back(std::move(line));
  }
}

void FeatureGate::ReadEnvironment() const {
  closed_ = true;
  if (std::exchange(environment_read_, true)) return;
  for (auto& [name, entry] : features_) {
    if (StageOfAll(name)) continue;  // client-go has no KUBE_FEATURE_AllAlpha
    const auto text = environment_("KUBE_FEATURE_" + name);
    if (!text) continue;
    const std::string cannot =
        "cannot set feature gate " + Quoted(name) + " to " + Quoted(*text) + ", ";
    const auto enabled = ParseBool(*text);
    if (!enabled) {
      Warn(cannot + "due to " + ParseBoolError(*text));
    } else if (entry.spec.lock_to_default && *enabled != entry.spec.default_value) {
      Warn(cannot + "feature is locked to " + Text(entry.spec.default_value));
    } else {
      entry.environment_value = enabled;
    }
  }
}

bool FeatureGate::Value(const Entry& entry) {
  return entry.explicit_value.value_or(entry.environment_value.value_or(entry.spec.default_value));
}

bool FeatureGate::Enabled(std::string_view name) const {
  ReadEnvironment();
  const auto found = features_.find(name);
  CHECK(found != features_.end()) << "feature " << Quoted(name) << " is not registered";
  return Value(found->second);
}

std::vector<std::string> FeatureGate::KnownFeatures() const {
  std::vector<std::string> lines;
  for (const auto& [name, entry] : features_) {
    if (entry.spec.stage == Stage::kGa || entry.spec.stage == Stage::kDeprecated) continue;
    lines.push_back(name + "=true|false (" + std::string(ToString(entry.spec.stage)) +
                    " - default=" + Text(entry.spec.default_value) + ")");
  }
  return lines;  // in the map's order, which is sorted
}

std::string FeatureGate::Help() const {
  std::string help =
      "A set of key=value pairs that describe feature gates for alpha/experimental features. "
      "Options are:";
  for (const std::string& line : KnownFeatures()) help += "\n" + line;
  return help;
}

std::vector<FeatureGate::State> FeatureGate::States() const {
  ReadEnvironment();
  std::vector<State> states;
  states.reserve(features_.size());
  for (const auto& [name, entry] : features_) {
    states.push_back({name, entry.spec.stage, Value(entry)});
  }
  return states;
}

std::vector<std::string> FeatureGate::Warnings() const {
  ReadEnvironment();
  return warnings_;
}

}  // namespace capstan::featuregate
