// SPDX-License-Identifier: Apache-2.0
#include "cmd/test-server/kube_apiserver_options.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "capstan/file.h"
#include "cmd/test-server/token.h"

namespace capstan::cmd::test_server {
namespace {

using flags::Bind;
using flags::Flag;
using flags::NoEffect;
using flags::Number;
using flags::Type;

constexpr char kInMemory[] = "objects are in memory";
constexpr char kNoPlugins[] = "the admission plugins are fixed";

std::vector<Flag> ServingFlags(KubeApiServerOptions& options) {
  return {Bind("bind-address", &options.bind_address,
               "IP address to listen on. 0.0.0.0 and :: are all addresses."),
          Bind("secure-port", Number(&options.secure_port, 0, 65'535),
               "Port to serve on, with TLS. 0: any free port."),
          Bind("cert-dir", &options.serving.cert_dir,
               "Folder of apiserver.crt and apiserver.key. Both are written if they are missing."),
          Bind("tls-cert-file", &options.serving.cert_file,
               "Certificate of the server. Default: that of --cert-dir."),
          Bind("tls-private-key-file", &options.serving.key_file, "Key of the certificate."),
          NoEffect("advertise-address", Type::kString, "", "there are no other servers",
                   "IP address for other servers."),
          NoEffect("service-cluster-ip-range", Type::kString, "", "Services get no addresses",
                   "Range of the addresses of Services.")};
}

std::vector<Flag> IdentityFlags(KubeApiServerOptions& options) {
  return {
      Bind("client-ca-file", &options.client_ca_file,
           "CAs of client certificates. The common name is the user, the organizations are the "
           "user's groups."),
      Bind("service-account-issuer", &options.service_account_issuers,
           "Issuers of tokens of service accounts. The first one issues new tokens."),
      Bind("service-account-key-file", &options.service_account_key_files,
           "Keys or certificates that tokens of service accounts are verified with."),
      Bind("service-account-signing-key-file", &options.service_account_signing_key_file,
           "Key that tokens of service accounts are signed with. Default: a new one."),
      Bind("api-audiences", &options.api_audiences, "Audiences of tokens. Default: the issuers."),
      Bind("authorization-mode", &options.authorization_modes,
           "Authorization modes: AlwaysAllow, RBAC and Node.")};
}

std::vector<Flag> FlagsWithoutEffect() {
  return {NoEffect("allow-privileged", Type::kBool, "true", "privileged containers are allowed",
                   "Allow privileged containers."),
          NoEffect("disable-admission-plugins", Type::kStrings, "ServiceAccount", kNoPlugins,
                   "Admission plugins to disable."),
          NoEffect("enable-admission-plugins", Type::kStrings, "", kNoPlugins,
                   "Admission plugins to enable."),
          NoEffect("etcd-servers", Type::kStrings, "", kInMemory, "URLs of etcd."),
          NoEffect("etcd-cafile", Type::kString, "", kInMemory, "CA of etcd."),
          NoEffect("etcd-certfile", Type::kString, "", kInMemory, "Client certificate for etcd."),
          NoEffect("etcd-keyfile", Type::kString, "", kInMemory, "Key of the certificate."),
          NoEffect("feature-gates", Type::kStrings, "", "the features are fixed",
                   "Features to enable and to disable."),
          NoEffect("runtime-config", Type::kStrings, "", "the served versions are fixed",
                   "Versions of the API to enable and to disable.")};
}

// Any mode may allow a request, so AlwaysAllow leaves nothing to the others.
Expected<testing::apiserver::Authorization> AuthorizationOf(const std::vector<std::string>& modes) {
  for (const std::string& mode : modes) {
    if (mode == "AlwaysAllow" || mode == "RBAC" || mode == "Node") continue;
    return flags::InvalidArgument(mode, "authorization-mode", "expected AlwaysAllow, RBAC or Node");
  }
  const bool allows_all = std::count(modes.begin(), modes.end(), "AlwaysAllow") > 0;
  return allows_all ? testing::apiserver::Authorization::kAlwaysAllow
                    : testing::apiserver::Authorization::kRbac;
}

// Appends the contents of a file, if a flag names one.
Expected<void> Append(const std::string& file, std::string_view flag, std::string& text) {
  if (file.empty()) return {};
  auto read = ReadFile(file);
  if (!read) return Err(read.error().Wrap("--" + std::string(flag)));
  text += *read;
  return {};
}

Expected<testing::apiserver::ServiceAccountOptions> ServiceAccounts(
    const KubeApiServerOptions& options) {
  testing::apiserver::ServiceAccountOptions accounts;
  if (!options.service_account_issuers.empty()) accounts.issuers = options.service_account_issuers;
  accounts.api_audiences = options.api_audiences;
  if (auto ok = Append(options.service_account_signing_key_file, "service-account-signing-key-file",
                       accounts.signing_key_pem);
      !ok) {
    return Err(std::move(ok.error()));
  }
  for (const std::string& file : options.service_account_key_files) {
    if (auto ok = Append(file, "service-account-key-file", accounts.key_pem); !ok) {
      return Err(std::move(ok.error()));
    }
  }
  return accounts;
}

}  // namespace

flags::FlagSet NewKubeApiServerFlagSet(KubeApiServerOptions& options) {
  flags::FlagSet set(
      {.name = "kube-apiserver",
       .description =
           "This is capstan-test-server under the name kube-apiserver. It serves a Kubernetes API\n"
           "for tests, from memory, until SIGINT or SIGTERM. All other flags of kube-apiserver\n"
           "are accepted and ignored, and one line of the log names them."});
  set.AddSection("Serving", ServingFlags(options));
  set.AddSection("User", IdentityFlags(options));
  set.AddSection("Controller",
                 {Bind("run-controllers", &options.run_controllers,
                       "Run what the server has of kube-controller-manager: delete objects whose "
                       "owners do not exist, and the contents of deleted namespaces; aggregate "
                       "ClusterRoles.")});
  set.AddSection("Ignored", FlagsWithoutEffect());
  set.AddSection("Log", flags::LogFlags("Verbosity of the log. 1: names ignored flags."));
  return set;
}

Expected<testing::apiserver::Options> ToServerOptions(const KubeApiServerOptions& options) {
  constexpr char kLoopback[] = "system:apiserver";
  auto serving = options.serving.ReadOrMake(options.bind_address);
  if (!serving) return Err(std::move(serving.error()));
  auto authorization = AuthorizationOf(options.authorization_modes);
  if (!authorization) return Err(std::move(authorization.error()));
  auto accounts = ServiceAccounts(options);
  if (!accounts) return Err(std::move(accounts.error()));
  testing::apiserver::Options server{.name = "kube-apiserver",
                                     .address = options.bind_address,
                                     .port = options.secure_port,
                                     .authorization = *authorization,
                                     // With a token, clients must authenticate.
                                     .tokens = {{NewToken(), kLoopback}},
                                     .groups = {{kLoopback, {"system:masters"}}},
                                     .service_accounts = *std::move(accounts),
                                     .garbage_collection = options.run_controllers,
                                     .cluster_role_aggregation = options.run_controllers,
                                     .serving = *std::move(serving)};
  auto added = Append(options.client_ca_file, "client-ca-file", server.client_ca_pem);
  if (!added) return Err(std::move(added.error()));
  return server;
}

}  // namespace capstan::cmd::test_server
