// SPDX-License-Identifier: Apache-2.0
// Gates that read only the pod: pod-ip, pod-condition, pod-annotation, pod-label, network-status.
#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "controllers/readinessgate/gates/gate_kinds.h"
#include "controllers/readinessgate/gates/protocol.h"
#include "controllers/readinessgate/gates/text.h"

namespace capstan::readinessgate {
namespace {

enum class IpFamily { kAny, kIpv4, kIpv6 };

std::string_view ToString(IpFamily family) {
  constexpr std::array<std::string_view, 3> kNames = {"any", "ipv4", "ipv6"};
  return kNames.at(static_cast<std::size_t>(family));
}

std::optional<IpFamily> ParseIpFamily(std::string_view name) {
  for (const IpFamily family : {IpFamily::kAny, IpFamily::kIpv4, IpFamily::kIpv6}) {
    if (ToString(family) == name) return family;
  }
  return {};
}

// Parses as Go's net package does: ::ffff:192.0.2.1 is IPv4; an address with a zone or a leading
// zero is invalid. Returns nullopt for text that is not an address.
std::optional<IpFamily> FamilyOf(std::string_view text) {
  if (text.size() >= INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) return {};
  const std::string terminated(text);
  in_addr v4{};
  if (inet_pton(AF_INET, terminated.c_str(), &v4) == 1) return IpFamily::kIpv4;
  in6_addr v6{};
  if (inet_pton(AF_INET6, terminated.c_str(), &v6) != 1) return {};
  return IN6_IS_ADDR_V4MAPPED(&v6) ? IpFamily::kIpv4 : IpFamily::kIpv6;
}

bool IsAddressOf(IpFamily family, std::string_view text) {
  const auto found = FamilyOf(text);
  return found && (family == IpFamily::kAny || family == *found);
}

class PodIpGate final : public Gate {
 public:
  PodIpGate(std::string_view spec, IpFamily family) : Gate(spec), family_(family) {}

  Verdict Evaluate(const GateInput& input) const override {
    const auto& ips = input.pod.pod_ips();
    const bool found = std::any_of(
        ips.begin(), ips.end(), [this](const std::string& ip) { return IsAddressOf(family_, ip); });
    if (found) return Verdict::Open();
    return Verdict::Closed("NoAddress",
                           "pod has no " + std::string(ToString(family_)) + " address yet");
  }

 private:
  IpFamily family_;
};

class PodConditionGate final : public Gate {
 public:
  PodConditionGate(std::string_view spec, ConditionValue want)
      : Gate(spec), want_(std::move(want)) {}

  Verdict Evaluate(const GateInput& input) const override {
    return Compare("pod", input.pod.FindCondition(want_.type), want_);
  }
  void AddNeeds(GateNeeds& needs) const override { needs.conditions.insert(want_.type); }
  std::string Warning() const override {
    if (want_.type != "Ready" && want_.type != "ContainersReady") return {};
    return "a pod whose containers need the certificate to become ready never opens this gate";
  }

 private:
  ConditionValue want_;
};

class PodAnnotationGate final : public Gate {
 public:
  PodAnnotationGate(std::string_view spec, std::string_view key) : Gate(spec), key_(key) {}

  // Any value opens the gate, as in csi-driver.
  Verdict Evaluate(const GateInput& input) const override {
    if (input.pod.HasMarker(key_)) return Verdict::Open();
    return Verdict::Closed("AnnotationAbsent", "pod does not yet have annotation " + Quote(key_) +
                                                   " with a non-empty value");
  }
  void AddNeeds(GateNeeds& needs) const override { needs.markers.insert(key_); }

 private:
  std::string key_;
};

class PodLabelGate final : public Gate {
 public:
  // Without `want` every value opens the gate, including the empty one.
  PodLabelGate(std::string_view spec, std::string_view key, std::optional<std::string> want)
      : Gate(spec), key_(key), want_(std::move(want)) {}

  Verdict Evaluate(const GateInput& input) const override {
    const auto found = input.pod.Label(key_);
    if (!found) {
      return Verdict::Closed("LabelAbsent", "pod does not yet have label " + Quote(key_));
    }
    if (!want_ || *found == *want_) return Verdict::Open();
    return Verdict::Closed("LabelDiffers", "pod label " + Quote(key_) + " is " + Quote(*found) +
                                               ", want " + Quote(*want_));
  }
  void AddNeeds(GateNeeds& needs) const override { needs.labels.insert(key_); }

 private:
  std::string key_;
  std::optional<std::string> want_;
};

constexpr std::string_view kNetworkStatusKey = "k8s.v1.cni.cncf.io/network-status";
// Multus before 3.8 writes this key.
constexpr std::string_view kOldNetworkStatusKey = "k8s.v1.cni.cncf.io/networks-status";

// NetworkStatusGate reads the list of networks that Multus writes to an annotation:
//   [{"name": "demo/macvlan", "interface": "net1", "ips": ["192.0.2.7"]}, ...]
class NetworkStatusGate final : public Gate {
 public:
  // Without `family` the network needs no address.
  NetworkStatusGate(std::string_view spec, std::string_view network, std::optional<IpFamily> family)
      : Gate(spec), network_(network), family_(family) {}

  Verdict Evaluate(const GateInput& input) const override {
    std::string_view key = kNetworkStatusKey;
    std::string_view text = input.pod.Annotation(kNetworkStatusKey).value_or("");
    if (text.empty()) {
      key = kOldNetworkStatusKey;
      text = input.pod.Annotation(kOldNetworkStatusKey).value_or("");
    }
    if (text.empty()) {
      return Verdict::Closed("NoNetworkStatus", "pod does not yet have annotation " +
                                                    Quote(kNetworkStatusKey) +
                                                    " with a non-empty value");
    }
    BoundedJson document(kAnnotationValueBytesMax);  // a network takes about 200 bytes
    const auto list = document.Parse(text);
    if (!list) return Invalid(key, list.error().message);
    if (!runtime::IsJsonArray(**list)) return Invalid(key, "it is no list");
    return EvaluateList(**list, input.pod);
  }

  void AddNeeds(GateNeeds& needs) const override {
    needs.annotations.emplace(kNetworkStatusKey);
    needs.annotations.emplace(kOldNetworkStatusKey);
  }

 private:
  static Verdict Invalid(std::string_view key, const std::string& why) {
    return Verdict::Closed("NetworkStatusInvalid",
                           "pod annotation " + Quote(key) + " is no list of networks: " + why);
  }

  Verdict EvaluateList(const runtime::JsonValue& list, const Pod& pod) const {
    bool attached = false;
    for (const runtime::JsonValue& network : runtime::JsonElements(list)) {
      if (!IsMine(runtime::GetString(network, "name"), pod)) continue;
      if (!family_ || HasAddress(network)) return Verdict::Open();
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

  // A network without a namespace may also be in the pod's own namespace, as in Multus.
  bool IsMine(std::string_view name, const Pod& pod) const {
    if (name == network_) return true;
    if (network_.find('/') != std::string::npos) return false;
    const auto [ns, rest] = Cut(name, '/');
    return ns == pod.namespace_() && rest == network_;
  }

  bool HasAddress(const runtime::JsonValue& network) const {
    const runtime::JsonValue* ips = runtime::Find(network, "ips");
    if (ips == nullptr) return false;
    const runtime::JsonElements list(*ips);
    return std::any_of(list.begin(), list.end(), [this](const runtime::JsonValue& ip) {
      const auto text = runtime::AsString(ip);
      return text && IsAddressOf(*family_, *text);
    });
  }

  std::string network_;
  std::optional<IpFamily> family_;
};

}  // namespace

MadeGate MakePodIpGate(std::string_view spec, std::string_view value) {
  const auto family = ParseIpFamily(value);
  if (!family) {
    return InvalidGate("pod-ip", "unsupported family " + Quote(value) + "; use any, ipv4, or ipv6");
  }
  return std::make_unique<PodIpGate>(spec, *family);
}

MadeGate MakePodConditionGate(std::string_view spec, std::string_view value) {
  auto want = ParseConditionValue("pod-condition", value);
  if (!want) return tl::unexpected(std::move(want.error()));
  // The API server accepts no other type in a pod's status.
  std::string why = WhyNotLabelKey(want->type);
  if (why.empty() && want->type == kCertGatesCondition) why = "this gate would wait for itself";
  if (!why.empty()) {
    return InvalidGate("pod-condition",
                       "no pod can ever have condition " + Quote(want->type) + ": " + why);
  }
  return std::make_unique<PodConditionGate>(spec, *std::move(want));
}

MadeGate MakePodAnnotationGate(std::string_view spec, std::string_view value) {
  const auto refuse = [&](const std::string& why) {
    return InvalidGate("pod-annotation", Quote(value) + " would never open: " + why);
  };
  if (value.find('=') != std::string_view::npos) {
    return refuse(
        "an annotation's key has no '=', and any non-empty value opens; for a value use "
        "pod-label:<key>=<value>");
  }
  if (const std::string why = WhyNotAnnotationKey(value); !why.empty()) {
    return refuse("it is no annotation's key: " + why);
  }
  if (value.starts_with(kDomain) && value.substr(kDomain.size()).starts_with('/')) {
    return refuse("the keys of " + std::string(kDomain) + " are this program's own");
  }
  return std::make_unique<PodAnnotationGate>(spec, value);
}

MadeGate MakePodLabelGate(std::string_view spec, std::string_view value) {
  const auto [key, want] = Cut(value, '=');
  if (const std::string why = WhyNotLabelKey(key); !why.empty()) {
    return InvalidGate("pod-label", Quote(key) + " is no label's key: " + why);
  }
  if (const std::string why = WhyNotLabelValue(want); !why.empty()) {
    return InvalidGate("pod-label", Quote(want) + " is no label's value: " + why);
  }
  std::optional<std::string> wanted;
  if (key.size() != value.size()) wanted = std::string(want);
  return std::make_unique<PodLabelGate>(spec, key, std::move(wanted));
}

MadeGate MakeNetworkStatusGate(std::string_view spec, std::string_view value) {
  std::string_view network = value;
  std::optional<IpFamily> family;
  if (const std::size_t slash = value.rfind('/'); slash != std::string_view::npos) {
    family = ParseIpFamily(value.substr(slash + 1));
    if (family) network = value.substr(0, slash);
  }
  // A name from a CNI configuration may contain capitals and '_'; an object's name may not.
  const std::string why = WhyNotLabelKey(network);
  if (!why.empty()) {
    return InvalidGate(
        "network-status",
        "expected [<namespace>/]<network>[/any|/ipv4|/ipv6], got " + Quote(value) + ": " + why);
  }
  return std::make_unique<NetworkStatusGate>(spec, network, family);
}

}  // namespace capstan::readinessgate
