// SPDX-License-Identifier: Apache-2.0
#include "clientgo/remotecommand/pod_path.h"

#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::remotecommand {
namespace {

std::string Escaped(std::string_view text) { return PercentEncode(text, "-._~"); }

}  // namespace

Expected<std::string> PodPath(const runtime::ObjectKey& pod, std::string_view subresource,
                              const Query& query) {
  if (pod.namespace_.empty() || pod.name.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "a pod has a namespace and a name, not " + Quoted(pod.String()));
  }
  std::string path = "/api/v1/namespaces/" + Escaped(pod.namespace_) + "/pods/" +
                     Escaped(pod.name) + "/" + std::string(subresource);
  char separator = '?';
  for (const auto& [name, value] : query) {
    path.append(1, separator).append(name).append("=").append(Escaped(value));
    separator = '&';
  }
  return path;
}

}  // namespace capstan::remotecommand
