// SPDX-License-Identifier: Apache-2.0
// e2e_csi_driver NAME NODE PLUGIN_DIR REGISTRATION_DIR: a CSI driver for inline volumes that trusts
// the node agent as csi-driver does. When the pod's ready key has a value, it mounts a tmpfs and
// writes the value into the file "ready" there. Before that, it returns Unavailable, and the
// kubelet retries.
//
// A volume with the attribute e2e.capstan.dev/gate, "ready-key" or "address", is mounted empty and
// polled with the attribute e2e.capstan.dev/backoff (volume_polls.h). When its gate opens, the file
// "ready" stands for the certificate, and a line "issued POD MILLISECONDS" has the Unix time.
//
// It registers itself. PLUGIN_DIR is a folder of the kubelet with the same path inside and outside
// of this container. It exits at SIGTERM.
#include <grpcpp/grpcpp.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

#include "capstan/signals.h"
#include "csi/csi.grpc.pb.h"
#include "csi/registration.grpc.pb.h"
#include "e2e/kind/pod_gate.h"
#include "e2e/kind/volume_polls.h"

namespace {

using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;

Status SystemError(const std::string& what) {
  return {StatusCode::INTERNAL, what + ": " + std::strerror(errno)};
}

class Identity final : public csi::v1::Identity::Service {
 public:
  explicit Identity(std::string name) : name_(std::move(name)) {}
  Status GetPluginInfo(ServerContext* /*context*/, const csi::v1::GetPluginInfoRequest* /*request*/,
                       csi::v1::GetPluginInfoResponse* response) override {
    response->set_name(name_);
    response->set_vendor_version("e2e");
    return Status::OK;
  }
  Status GetPluginCapabilities(ServerContext* /*context*/,
                               const csi::v1::GetPluginCapabilitiesRequest* /*request*/,
                               csi::v1::GetPluginCapabilitiesResponse* /*response*/) override {
    return Status::OK;
  }
  Status Probe(ServerContext* /*context*/, const csi::v1::ProbeRequest* /*request*/,
               csi::v1::ProbeResponse* /*response*/) override {
    return Status::OK;
  }

 private:
  const std::string name_;
};

class Node final : public csi::v1::Node::Service {
 public:
  Node(std::string node, e2e::kind::PodGate& gate) : node_(std::move(node)), gate_(gate) {}

  Status NodeGetInfo(ServerContext* /*context*/, const csi::v1::NodeGetInfoRequest* /*request*/,
                     csi::v1::NodeGetInfoResponse* response) override {
    response->set_node_id(node_);
    return Status::OK;
  }
  Status NodeGetCapabilities(ServerContext* /*context*/,
                             const csi::v1::NodeGetCapabilitiesRequest* /*request*/,
                             csi::v1::NodeGetCapabilitiesResponse* /*response*/) override {
    return Status::OK;
  }

  Status NodePublishVolume(ServerContext* /*context*/,
                           const csi::v1::NodePublishVolumeRequest* request,
                           csi::v1::NodePublishVolumeResponse* /*response*/) override {
    if (!Attribute(*request, "e2e.capstan.dev/gate").empty()) return PublishEmpty(*request);
    const auto ready = Ready(*request);
    if (!ready) return {StatusCode::UNAVAILABLE, ready.error().message};
    if (Status mounted = Mount(*request); !mounted.ok()) return mounted;
    std::ofstream(request->target_path() + "/ready") << *ready << '\n';
    std::cout << "mounted " << request->volume_id() << std::endl;
    return Status::OK;
  }

  Status NodeUnpublishVolume(ServerContext* /*context*/,
                             const csi::v1::NodeUnpublishVolumeRequest* request,
                             csi::v1::NodeUnpublishVolumeResponse* /*response*/) override {
    polls_.Stop(request->volume_id());
    const std::string& target = request->target_path();
    if (umount2(target.c_str(), UMOUNT_NOFOLLOW) != 0 && errno != EINVAL && errno != ENOENT) {
      return SystemError("umount " + target);
    }
    rmdir(target.c_str());
    return Status::OK;
  }

 private:
  static std::string Attribute(const csi::v1::NodePublishVolumeRequest& request,
                               const std::string& key) {
    const auto found = request.volume_context().find(key);
    return found == request.volume_context().end() ? std::string() : found->second;
  }

  static Status Mount(const csi::v1::NodePublishVolumeRequest& request) {
    const std::string& target = request.target_path();
    if (mkdir(target.c_str(), 0755) != 0 && errno != EEXIST) return SystemError("mkdir " + target);
    // The kubelet may repeat the request. A second mount must not cover the first one.
    umount2(target.c_str(), UMOUNT_NOFOLLOW);
    if (mount("tmpfs", target.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=64k") != 0) {
      return SystemError("mount " + target);
    }
    return Status::OK;
  }

  capstan::Expected<std::string> Ready(const csi::v1::NodePublishVolumeRequest& request) {
    return gate_.Ready(Attribute(request, "csi.storage.k8s.io/pod.namespace"),
                       Attribute(request, "csi.storage.k8s.io/pod.name"),
                       Attribute(request, "csi.storage.k8s.io/pod.uid"));
  }

  Status PublishEmpty(const csi::v1::NodePublishVolumeRequest& request) {
    if (Status mounted = Mount(request); !mounted.ok()) return mounted;
    const std::string name = Attribute(request, "csi.storage.k8s.io/pod.name");
    const auto look = [this, request, name]() -> capstan::Expected<std::string> {
      if (Attribute(request, "e2e.capstan.dev/gate") == "ready-key") return Ready(request);
      return gate_.Address(Attribute(request, "csi.storage.k8s.io/pod.namespace"), name);
    };
    const auto opened = [target = request.target_path(), name](const std::string& value) {
      std::ofstream(target + "/ready") << value << '\n';
      const auto now = std::chrono::system_clock::now().time_since_epoch();
      std::cout << "issued " + name + " " +
                       std::to_string(std::chrono::floor<std::chrono::milliseconds>(now).count())
                << std::endl;
    };
    const auto started = polls_.Start(request.volume_id(),
                                      Attribute(request, "e2e.capstan.dev/backoff"), look, opened);
    if (!started) return {StatusCode::INVALID_ARGUMENT, started.error().message};
    return Status::OK;
  }

  const std::string node_;
  e2e::kind::PodGate& gate_;
  e2e::kind::VolumePolls polls_;  // last: its threads use the others
};

class Registration final : public pluginregistration::Registration::Service {
 public:
  Registration(std::string name, std::string endpoint)
      : name_(std::move(name)), endpoint_(std::move(endpoint)) {}
  Status GetInfo(ServerContext* /*context*/, const pluginregistration::InfoRequest* /*request*/,
                 pluginregistration::PluginInfo* response) override {
    response->set_type("CSIPlugin");
    response->set_name(name_);
    response->set_endpoint(endpoint_);
    response->add_supported_versions("1.0.0");
    return Status::OK;
  }
  Status NotifyRegistrationStatus(ServerContext* /*context*/,
                                  const pluginregistration::RegistrationStatus* request,
                                  pluginregistration::RegistrationStatusResponse* /*r*/) override {
    std::cout << "registered: " << request->plugin_registered() << ' ' << request->error()
              << std::endl;
    return Status::OK;
  }

 private:
  const std::string name_;
  const std::string endpoint_;
};

std::unique_ptr<grpc::Server> Serve(const std::string& socket,
                                    std::initializer_list<grpc::Service*> services) {
  unlink(socket.c_str());
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix://" + socket, grpc::InsecureServerCredentials());
  for (grpc::Service* service : services) builder.RegisterService(service);
  return builder.BuildAndStart();
}

int Fail(const std::string& why) {
  std::cerr << "e2e_csi_driver: " << why << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() != 5) return Fail("arguments: NAME NODE PLUGIN_DIR REGISTRATION_DIR");
  capstan::BlockSignals();
  const capstan::SignalWaiter signals;
  const auto gate = e2e::kind::PodGate::New();
  if (!gate) return Fail(gate.error().message);

  const std::string name = arguments[1];
  const std::string endpoint = std::string(arguments[3]) + "/csi.sock";
  const std::string registration = std::string(arguments[4]) + "/" + name + "-reg.sock";
  Identity identity(name);
  Node node(arguments[2], **gate);
  Registration registered(name, endpoint);
  const auto plugin = Serve(endpoint, {&identity, &node});
  const auto registrar = plugin ? Serve(registration, {&registered}) : nullptr;
  if (!registrar) return Fail("cannot serve on " + endpoint + " or " + registration);
  const std::stop_callback stop(signals.token(), [&] {
    registrar->Shutdown();
    plugin->Shutdown();
  });
  plugin->Wait();
  unlink(registration.c_str());
  return 0;
}
