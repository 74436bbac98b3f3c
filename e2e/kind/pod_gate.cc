// SPDX-License-Identifier: Apache-2.0
#include "e2e/kind/pod_gate.h"

#include <stop_token>
#include <utility>

#include "capstan/api/object_metadata.h"
#include "capstan/clientcmd/config.h"
#include "capstan/rest/client.h"
#include "capstan/unstructured.h"

namespace e2e::kind {

using capstan::Err;
using capstan::ErrorReason;
using capstan::Expected;

constexpr char kReady[] = "readiness.capstan.dev/ready";

PodGate::PodGate(std::unique_ptr<capstan::rest::Client> client) : client_(std::move(client)) {}
PodGate::~PodGate() = default;

Expected<std::unique_ptr<PodGate>> PodGate::New() {
  auto config = capstan::clientcmd::LoadConfig({});
  if (!config) return tl::unexpected(config.error());
  auto client = capstan::rest::Client::New(std::move(*config));
  if (!client) return tl::unexpected(client.error());
  return std::unique_ptr<PodGate>(new PodGate(std::move(*client)));
}

Expected<std::string> PodGate::Ready(const std::string& ns, const std::string& name,
                                     const std::string& uid) {
  static const auto pods = capstan::api::MakeMetadataType(
      {.gvr = {"", "v1", "pods"}, .kind = "Pod", .namespaced = true, .annotations = {kReady}});
  const auto pod = client_->Get(std::stop_token(), pods, {ns, name});
  if (!pod) return tl::unexpected(pod.error());
  const auto& metadata = static_cast<const capstan::api::ObjectMetadata&>(**pod);
  if (metadata.uid() != uid) return Err(ErrorReason::kConflict, "the pod has another uid");
  std::string ready(metadata.Annotation(kReady).value_or(""));
  if (ready.empty()) return Err(ErrorReason::kNotFound, "the pod's readiness gates are closed");
  return ready;
}

Expected<std::string> PodGate::Address(const std::string& ns, const std::string& name) {
  const auto response =
      client_->GetRaw(std::stop_token(), "/api/v1/namespaces/" + ns + "/pods/" + name);
  if (!response) return tl::unexpected(response.error());
  const auto pod = capstan::Unstructured::FromJson(response->body);
  if (!pod) return tl::unexpected(pod.error());
  auto address = pod->Get<std::string>({"status", "podIPs", "0", "ip"});
  if (!address) return Err(ErrorReason::kNotFound, "the pod has no address");
  return *std::move(address);
}

}  // namespace e2e::kind
