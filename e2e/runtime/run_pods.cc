// SPDX-License-Identifier: Apache-2.0
// run_pods ENDPOINT IMAGE: a kubelet in little. For each line of its input it runs one pod of that
// name with one container on a real container runtime, removes both, and prints "NAME done".
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

#include "cri/runtime_client.grpc.pb.h"

namespace {

using runtime::v1::RuntimeService;

bool Ok(const grpc::Status& status, const char* call) {
  if (!status.ok()) std::fprintf(stderr, "%s: %s\n", call, status.error_message().c_str());
  return status.ok();
}

// A sandbox and a container in it, created and removed.
bool RunPod(RuntimeService::Stub& runtime, const std::string& name, const std::string& image) {
  using grpc::ClientContext;
  runtime::v1::RunPodSandboxRequest run;
  runtime::v1::PodSandboxConfig& config = *run.mutable_config();
  config.mutable_metadata()->set_name(name);
  config.mutable_metadata()->set_uid(name + "-uid");
  config.mutable_metadata()->set_namespace_("work");
  // The node's network: no CNI plugin is needed.
  config.mutable_linux()->mutable_security_context()->mutable_namespace_options()->set_network(
      runtime::v1::NODE);
  runtime::v1::PodSandboxId sandbox;
  ClientContext contexts[5];
  if (!Ok(runtime.RunPodSandbox(&contexts[0], run, &sandbox), "RunPodSandbox")) return false;

  runtime::v1::CreateContainerRequest create;
  create.set_pod_sandbox_id(sandbox.pod_sandbox_id());
  create.mutable_config()->mutable_metadata()->set_name("main");
  create.mutable_config()->mutable_image()->set_image(image);
  *create.mutable_sandbox_config() = config;
  runtime::v1::ContainerId container;
  runtime::v1::Nothing nothing;
  return Ok(runtime.CreateContainer(&contexts[1], create, &container), "CreateContainer") &&
         Ok(runtime.RemoveContainer(&contexts[2], container, &nothing), "RemoveContainer") &&
         Ok(runtime.StopPodSandbox(&contexts[3], sandbox, &nothing), "StopPodSandbox") &&
         Ok(runtime.RemovePodSandbox(&contexts[4], sandbox, &nothing), "RemovePodSandbox");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s ENDPOINT IMAGE, the names of pods on stdin\n", argv[0]);
    return 1;
  }
  const auto runtime =
      RuntimeService::NewStub(grpc::CreateChannel(argv[1], grpc::InsecureChannelCredentials()));
  for (std::string name; std::getline(std::cin, name);) {
    if (!RunPod(*runtime, name, argv[2])) return 1;
    std::cout << name << " done" << std::endl;
  }
  return 0;
}
