// SPDX-License-Identifier: Apache-2.0
// Server is an embedded Kubernetes API server for tests, demos, fault injection and scale runs:
// envtest for C++. It serves the resources that the controllers here use from memory, with the
// semantics and the error texts of kube-apiserver 1.34. The contract suite (e2e/contract) compares
// it with a real kube-apiserver. Do not use it in production.
//
// A CustomResourceDefinition adds its resource as soon as it is created: each served version, with
// the schema's types, limits, defaults, list types and unknown fields, and the subresources.
// Objects are converted between versions, with the strategy None or by a webhook. A definition of a
// kind that this server has without one, such as cert-manager's Certificate, replaces that kind
// until it is deleted. Deleting it removes all its objects, also those with finalizers. A
// definition with a wrong name, version, conversion, pattern, default, list key or printer column
// is rejected.
//
// Webhooks are called as the stored objects say (Options::webhook_services): for admission, and for
// conversion.
// Dependents of deleted owners and the contents of deleted namespaces are deleted soon afterwards.
//
// A Server has one thread, so nothing in this folder has a lock, except the threads that call
// webhooks. The first such call starts them. The methods of Server are thread-safe: they post to
// the server's thread and wait. Do not call them from a callback on it.
//
// kubectl and typed Go clients work unmodified: the server reads and writes protobuf of built-in
// kinds, checks fields (fieldValidation), and serves OpenAPI and tables with the columns of
// `kubectl get`.
//
// It serves all kinds of Kubernetes that are served by default, with their defaults and most of
// their rules, and limits what LimitRanges and ResourceQuotas limit. Of what
// kube-controller-manager does, it collects garbage, computes quotas, and releases deleted volumes.
//
// Users are found by client certificate, token, token of a service account, or password, and may
// impersonate others. Options::authorization decides what they may do. RBAC has the bootstrap roles
// of users, aggregation, and checks that nobody grants more than they have.
//
// Not supported: YAML, compression, and apply of a scale. Of webhooks:
// AdmissionReview v1beta1. Of webhooks and policies: evictions and bindings.
// managedFields follow structured-merge-diff without its schemas. docs/library/server-limits.md
// says what to do instead.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/config.h"
#include "capstan/testing/apiserver/faults.h"
#include "capstan/testing/certificates.h"

namespace capstan::testing::apiserver {

// Reports whether the environment leaves KUBE_API_CONTENT_TYPE at protobuf, its default. With
// KUBE_API_CONTENT_TYPE=application/json a suite runs in the other encoding without a change.
CAPSTAN_EXPORT bool AnswersInProtobuf();

// Authorization is what users may do. Mirrors kube-apiserver's --authorization-mode.
enum class Authorization {
  kAlwaysAllow,  // everything; without tokens and passwords also for clients without credentials
  kRbac,         // what Roles and ClusterRoles grant; anonymous clients may read little
};

// ServiceAccountOptions are those of the tokens of service accounts. The names are those of
// kube-apiserver's flags --service-account-issuer, --api-audiences and so on; keys are PEM texts.
struct CAPSTAN_EXPORT ServiceAccountOptions {
  // The first one issues tokens. Those of the others are accepted, too.
  std::vector<std::string> issuers = {"https://kubernetes.default.svc"};
  std::vector<std::string> api_audiences = {};  // empty: the issuers
  // A private key, RSA or on a curve of NIST. Empty: a new one at the first Start.
  std::string signing_key_pem = {};
  // More keys or certificates whose tokens are accepted.
  std::string key_pem = {};
};

struct CAPSTAN_EXPORT Options {
  std::string name = "apiserver";  // of the thread and of the CA
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free port
  bool tls = true;         // with its own CA: ca_pem()
  // With kAlwaysAllow, every request is allowed without tokens and passwords; with them, every
  // authenticated request is. NewClientCertificate and tokens of service accounts authenticate in
  // each mode.
  Authorization authorization = Authorization::kAlwaysAllow;
  // The text of an AuthorizationConfiguration of apiserver.config.k8s.io, as in the file of
  // kube-apiserver's --authorization-config: the chain of authorizers, webhooks among them. It
  // replaces `authorization`. Start fails if it is wrong.
  std::string authorization_config = {};
  // Bearer token to user name.
  std::map<std::string, std::string> tokens = {};
  // User name to password, for basic authentication.
  std::map<std::string, std::string> passwords = {};
  // The groups of the users above. "system:masters" may do everything.
  std::map<std::string, std::vector<std::string>> groups = {};
  // The UIDs of the users above.
  std::map<std::string, std::string> uids = {};
  // Requests without credentials are those of system:anonymous. Otherwise they get 401. Has no
  // effect if nobody needs credentials, because there are no users and everything is allowed.
  bool anonymous_auth = true;
  // CAs, besides the server's own one, whose client certificates authenticate: the common name is
  // the user, the organizations are the groups. REQUIRES: TLS.
  std::string client_ca_pem = {};
  ServiceAccountOptions service_accounts = {};
  // Events kept per resource: how far back a watch may start and a paged list may continue.
  std::size_t watch_window = 1000;
  std::chrono::milliseconds bookmark_period = std::chrono::minutes(1);
  bool watch_list = true;  // the feature gate WatchList
  // Answers in protobuf to clients that prefer it. Without it the server has only JSON, as most
  // aggregated API servers.
  bool protobuf = AnswersInProtobuf();
  // Bytes of live events that may wait for a slow watcher. Beyond that its watch is ended.
  std::size_t watcher_bytes_max = 16U << 20U;
  // Deletes objects whose owners do not exist and the contents of deleted namespaces, as
  // kube-controller-manager does. Without it a deleted namespace stays Terminating.
  bool garbage_collection = true;
  // Fills the rules of ClusterRoles with an aggregationRule, as kube-controller-manager does.
  bool cluster_role_aggregation = true;
  // The address ("127.0.0.1:9443") of each service that webhooks name ("namespace/name:port"). Its
  // certificate must be valid for the address, as with envtest. Calls of other services fail.
  // Webhooks with a URL need no entry.
  std::map<std::string, std::string> webhook_services = {};
  // The server's certificate and key, for clients that trust another CA than ca_pem(). By default
  // the server's own CA issues a certificate for localhost.
  KeyPair serving = {};
};

class CAPSTAN_EXPORT Server {
 public:
  explicit Server(Options options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Start after Stop serves the same objects on the same port, as a restarted API server does.
  // REQUIRES: no other thread calls a method during Start or Stop.
  Expected<void> Start();
  void Stop();

  std::uint16_t port() const;
  std::string url() const;            // "https://127.0.0.1:port", also of all addresses
  const std::string& ca_pem() const;  // empty without TLS
  // Returns a client certificate for a user in these groups. REQUIRES: TLS, and Start was called.
  Expected<KeyPair> NewClientCertificate(const std::string& user,
                                         const std::vector<std::string>& groups) const;
  // Replaces Options::tokens. Other tokens are rejected from now on.
  void SetTokens(std::map<std::string, std::string> tokens);
  // Returns what a client of this server needs, and the same as the text of a kubeconfig file.
  // Empty `token`: no credentials. If every request is allowed, the kubeconfig then has any token,
  // because kubectl prompts for a user name without one.
  rest::Config Config(std::string_view token = {}) const;
  std::string Kubeconfig(std::string_view token) const;

  // Creates objects (JSON, with apiVersion, kind and metadata.namespace) without HTTP, and their
  // missing namespaces. Stops at the first invalid object.
  Expected<void> CreateObjects(std::vector<std::string> objects);

  void InjectFault(Fault fault);
  void ClearFaults();
  void CutWatches();          // breaks the connections without ending the streams
  void CompactWatchWindow();  // expires every resourceVersion but the newest

  // Requests since the start or ResetRequests, counted like the entries of an audit log.
  std::vector<RequestCount> Requests() const;
  std::uint64_t CountRequests(const RequestMatch& match) const;
  void ResetRequests();
  std::size_t WatcherCount() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan::testing::apiserver
