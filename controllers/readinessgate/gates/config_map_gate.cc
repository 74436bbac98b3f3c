// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "controllers/readinessgate/gates/kinds.h"
#include "controllers/readinessgate/gates/text.h"

namespace controllers::readinessgate {
namespace {

class ConfigMapGate final : public Gate {
 public:
  // `data_key` empty: the ConfigMap only has to exist.
  ConfigMapGate(std::string_view spec, clientgo::runtime::ObjectKey key, std::string_view data_key)
      : Gate(spec), key_(std::move(key)), data_key_(data_key) {}

  std::string_view kind() const override { return "configmap"; }
  Verdict Evaluate(const GateInput& input) const override {
    const std::string what = "ConfigMap " + key_.String();
    const auto found = input.world.FindConfigMap(key_);
    if (!found && clientgo::util::IsNotFound(found.error())) {
      return Verdict::Closed("ConfigMapAbsent", what + " does not exist yet");
    }
    if (!found) {
      return Verdict::Closed("ConfigMapUnknown", "cannot tell yet whether " + what +
                                                     " exists: " + found.error().message);
    }
    if (data_key_.empty() || !(*found)->Find(data_key_).value_or("").empty()) {
      return Verdict::Open();
    }
    return Verdict::Closed("ConfigMapKeyAbsent", what + " does not yet have key " +
                                                     Quote(data_key_) + " with a non-empty value");
  }
  void AddNeeds(GateNeeds& needs) const override { needs.config_maps.insert(key_.String()); }

 private:
  clientgo::runtime::ObjectKey key_;
  std::string data_key_;
};

// Mirrors apimachinery's validation.IsConfigMapKey.
bool IsDataKey(std::string_view key) {
  constexpr std::size_t kBytesMax = 253;
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !key.empty() && key.size() <= kBytesMax && key != "." && !key.starts_with("..") &&
         key.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace

MadeGate MakeConfigMapGate(std::string_view spec, std::string_view value) {
  const auto refuse = [](std::string why) {
    return clientgo::util::Err(clientgo::util::ErrorReason::kInvalidArgument,
                               "configmap: " + std::move(why));
  };
  const auto [object, data_key] = Cut(value, ':');
  const auto [ns, name] = Cut(object, '/');
  if (ns.size() == object.size()) {
    return refuse("expected <namespace>/<name>[:<key>], got " + Quote(value));
  }
  std::string why = WhyNotNamespace(ns);
  if (!why.empty()) return refuse(Quote(ns) + " is no namespace's name: " + why);
  why = WhyNotDnsName(name);
  if (!why.empty()) return refuse(Quote(name) + " is no ConfigMap's name: " + why);
  if (object.size() != value.size() && !IsDataKey(data_key)) {
    return refuse(Quote(data_key) +
                  " is no key of a ConfigMap: use letters, digits, '-', '_' and '.'");
  }
  return std::make_unique<ConfigMapGate>(
      spec, clientgo::runtime::ObjectKey{.namespace_ = std::string(ns), .name = std::string(name)},
      data_key);
}

}  // namespace controllers::readinessgate
