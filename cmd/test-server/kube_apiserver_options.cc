// SPDX-License-Identifier: Apache-2.0
#include "cmd/test-server/kube_apiserver_options.h"

#include <string_view>
#include <utility>

#include "capstan/file.h"
#include "cmd/test-server/token.h"
#include "cmd/test-server/token_auth_file.h"

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
          NoEffect("service-cluster-ip-range", Type::kString, "",
                   "their addresses are in 10.0.0.0/16", "Range of the addresses of Services.")};
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
      Bind(
          "anonymous-auth", &options.anonymous_auth,
          "Let requests without credentials be those of system:anonymous. Otherwise they get 401."),
      Bind("token-auth-file", &options.token_auth_file,
           "Tokens as CSV: token, user, UID, and the groups in one column.")};
}

// Returns a flag that is an error, because it changes what a real server answers. `instead` is what
// to do about it.
Flag Refused(const std::string& name, const std::string& usage, const std::string& instead) {
  return Bind(name,
              flags::CustomVariable{.set = [instead](const std::string& flag,
                                                     const std::string& text) -> Expected<void> {
                if (text.empty()) return {};
                return flags::InvalidArgument(text, flag, "it is not supported; " + instead);
              }},
              usage);
}

std::vector<Flag> RefusedFlags() {
  constexpr char kCertificates[] = "use --client-ca-file or --token-auth-file";
  return {Refused("authentication-config", "AuthenticationConfiguration.", kCertificates),
          Refused("authentication-token-webhook-config-file",
                  "Kubeconfig of a server that verifies tokens.", kCertificates),
          Refused("oidc-issuer-url", "Issuer of tokens of OpenID Connect.", kCertificates),
          Refused("authorization-policy-file", "Policy of the mode ABAC.",
                  "use the mode RBAC or Webhook"),
          Refused("admission-control-config-file", "Configuration of the admission plugins.",
                  "the plugins are fixed; use an admission webhook or policy")};
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
          NoEffect("egress-selector-config-file", Type::kString, "", "webhooks are called directly",
                   "How the server reaches webhooks."),
          NoEffect("requestheader-client-ca-file", Type::kString, "",
                   "no proxy authenticates users, so its requests get 401",
                   "CAs of proxies that authenticate users."),
          NoEffect("encryption-provider-config", Type::kString, "", kInMemory,
                   "Configuration of the encryption in etcd."),
          NoEffect("feature-gates", Type::kStrings, "", "the features are fixed",
                   "Features to enable and to disable."),
          NoEffect("runtime-config", Type::kStrings, "", "the served versions are fixed",
                   "Versions of the API to enable and to disable.")};
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
  set.AddSection("Authorization", options.authorization.Flags());
  set.AddSection("Controller",
                 {Bind("run-controllers", &options.run_controllers,
                       "Run what the server has of kube-controller-manager: delete objects whose "
                       "owners do not exist, and the contents of deleted namespaces; aggregate "
                       "ClusterRoles.")});
  set.AddSection("Refused", RefusedFlags());
  set.AddSection("Ignored", FlagsWithoutEffect());
  set.AddSection("Log", flags::LogFlags("Verbosity of the log. 1: names ignored flags."));
  return set;
}

Expected<testing::apiserver::Options> ToServerOptions(const KubeApiServerOptions& options) {
  constexpr char kLoopback[] = "system:apiserver";
  auto serving = options.serving.ReadOrMake(options.bind_address);
  if (!serving) return Err(std::move(serving.error()));
  auto accounts = ServiceAccounts(options);
  if (!accounts) return Err(std::move(accounts.error()));
  testing::apiserver::Options server{.name = "kube-apiserver",
                                     .address = options.bind_address,
                                     .port = options.secure_port,
                                     // With a token, clients must authenticate.
                                     .tokens = {{NewToken(), kLoopback}},
                                     .groups = {{kLoopback, {"system:masters"}}},
                                     .anonymous_auth = options.anonymous_auth,
                                     .service_accounts = *std::move(accounts),
                                     .garbage_collection = options.run_controllers,
                                     .cluster_role_aggregation = options.run_controllers,
                                     .serving = *std::move(serving)};
  if (auto ok = options.authorization.Apply(server); !ok) return Err(std::move(ok.error()));
  if (auto ok = AddTokens(options.token_auth_file, server); !ok) return Err(std::move(ok.error()));
  auto added = Append(options.client_ca_file, "client-ca-file", server.client_ca_pem);
  if (!added) return Err(std::move(added.error()));
  return server;
}

}  // namespace capstan::cmd::test_server
