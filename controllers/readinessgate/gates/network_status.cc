// SPDX-License-Identifier: Apache-2.0
// What Multus tells of a pod's networks, in an annotation that is a list:
//   [{"name": "demo/macvlan", "interface": "net1", "ips": ["192.0.2.7"]}, ...]
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "controllers/readinessgate/gates/bounded_json.h"
#include "controllers/readinessgate/gates/ip_family.h"
#include "controllers/readinessgate/gates/kinds.h"
#include "controllers/readinessgate/gates/text.h"

namespace controllers::readinessgate {
namespace {

using clientgo::runtime::Find;
using clientgo::runtime::JsonValue;

constexpr std::string_view kKey = "k8s.v1.cni.cncf.io/network-status";
constexpr std::string_view kOldKey = "k8s.v1.cni.cncf.io/networks-status";  // Multus before 3.8
// A network is some 200 bytes of it.
constexpr std::size_t kStatusBytesMax = 64U << 10U;

bool HasAddressOf(IpFamily family, const JsonValue& network) {
  const JsonValue* ips = Find(network, "ips");
  if (ips == nullptr || !ips->IsArray()) return false;
  const auto list = ips->GetArray();
  return std::any_of(list.begin(), list.end(), [family](const JsonValue& ip) {
    return ip.IsString() && IsAddressOf(family, clientgo::runtime::ToView(ip));
  });
}

class NetworkStatusGate final : public Gate {
 public:
  // `family` nullopt: the network needs no address.
  NetworkStatusGate(std::string_view spec, std::string_view network, std::optional<IpFamily> family)
      : Gate(spec), network_(network), family_(family) {}

  std::string_view kind() const override { return "network-status"; }

  Verdict Evaluate(const GateInput& input) const override {
    std::string_view key = kKey;
    std::string_view text = input.pod.Annotation(kKey).value_or("");
    if (text.empty()) {
      key = kOldKey;
      text = input.pod.Annotation(kOldKey).value_or("");
    }
    if (text.empty()) {
      return Verdict::Closed("NoNetworkStatus", "pod does not yet have annotation " + Quote(kKey) +
                                                    " with a non-empty value");
    }
    BoundedJson document(kStatusBytesMax);
    const auto list = document.Parse(text);
    if (!list) return Invalid(key, list.error().message);
    if (!(*list)->IsArray()) return Invalid(key, "it is no list");
    return EvaluateList(**list, input.pod);
  }

  void AddNeeds(GateNeeds& needs) const override {
    needs.annotations.emplace(kKey);
    needs.annotations.emplace(kOldKey);
  }

 private:
  static Verdict Invalid(std::string_view key, const std::string& why) {
    return Verdict::Closed("NetworkStatusInvalid",
                           "pod annotation " + Quote(key) + " is no list of networks: " + why);
  }

  Verdict EvaluateList(const JsonValue& list, const clientgo::api::Pod& pod) const {
    bool attached = false;
    for (const JsonValue& network : list.GetArray()) {
      if (!IsMine(clientgo::runtime::GetString(network, "name"), pod)) continue;
      if (!family_ || HasAddressOf(*family_, network)) return Verdict::Open();
      attached = true;
    }
    if (attached) {
      return Verdict::Closed("NoNetworkAddress", "network " + Quote(network_) + " has no " +
                                                     std::string(ToString(*family_)) +
                                                     " address yet");
    }
    return Verdict::Closed("NetworkAbsent",
                           "pod is not yet attached to network " + Quote(network_));
  }

  // A network without a namespace may also be one of the pod's own namespace, as for Multus.
  bool IsMine(std::string_view name, const clientgo::api::Pod& pod) const {
    if (name == network_) return true;
    if (network_.find('/') != std::string::npos) return false;
    const auto [ns, rest] = Cut(name, '/');
    return ns == pod.namespace_() && rest == network_;
  }

  std::string network_;
  std::optional<IpFamily> family_;
};

}  // namespace

MadeGate MakeNetworkStatusGate(std::string_view spec, std::string_view value) {
  std::string_view network = value;
  std::optional<IpFamily> family;
  if (const std::size_t slash = value.rfind('/'); slash != std::string_view::npos) {
    family = ParseIpFamily(value.substr(slash + 1));
    if (family) network = value.substr(0, slash);
  }
  // A name from a CNI configuration may have capitals and '_', one of an object may not.
  const std::string why = WhyNotLabelKey(network);
  if (!why.empty()) {
    return clientgo::util::Err(
        clientgo::util::ErrorReason::kInvalidArgument,
        "network-status: expected [<namespace>/]<network>[/any|/ipv4|/ipv6], got " + Quote(value) +
            ": " + why);
  }
  return std::make_unique<NetworkStatusGate>(spec, network, family);
}

}  // namespace controllers::readinessgate
