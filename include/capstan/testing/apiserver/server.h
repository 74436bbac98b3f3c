// SPDX-License-Identifier: Apache-2.0
// Server is an embedded Kubernetes API server for tests, demos, fault injection and scale runs:
// envtest for C++. It serves the resources that the controllers here use from memory, with the
// semantics and the error texts of kube-apiserver 1.34. The contract suite (e2e/contract) compares
// it with a real kube-apiserver. Do not use it in production.
//
// A CustomResourceDefinition adds its resource as soon as it is created: the storage version, with
// the schema's types, limits, defaults, list types and unknown fields, and the subresource
// "status". Deleting it removes all its objects, also those with finalizers. A definition with a
// wrong name, pattern, default, list key or printer column is rejected.
//
// Admission webhooks are called as their stored configurations say (Options::webhook_services).
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
// Not supported: RBAC, YAML, compression, defaults of Pods, of Pod templates and of Jobs, cluster
// IPs, the grace period of Pods, PodDisruptionBudgets, and apply of a scale. Of webhooks:
// matchConditions (a Warning says so), AdmissionReview v1beta1, evictions and bindings. Of
// CustomResourceDefinitions: CEL rules (a Warning says so), allOf, anyOf, oneOf, not, scale,
// conversion, and formats except date-time. managedFields follow structured-merge-diff without its
// schemas. docs/library/testing.md says what to do instead.
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

struct CAPSTAN_EXPORT Options {
  std::string name = "apiserver";  // of the thread and of the CA
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free port
  bool tls = true;         // with its own CA: ca_pem()
  // Bearer token to user name. Without tokens and passwords every request is allowed; with them
  // every authenticated request is. NewClientCertificate also authenticates.
  std::map<std::string, std::string> tokens = {};
  // User name to password, for basic authentication.
  std::map<std::string, std::string> passwords = {};
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
  // The address ("127.0.0.1:9443") of each service that admission webhooks name
  // ("namespace/name:port"). Its certificate must be valid for the address, as with envtest. Calls
  // of other services fail. Webhooks with a URL need no entry.
  std::map<std::string, std::string> webhook_services = {};
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
  std::string url() const;            // "https://127.0.0.1:port"
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
