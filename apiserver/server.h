// SPDX-License-Identifier: Apache-2.0
// Server: an embedded Kubernetes API server: the resources that the controllers here use, held in
// memory, with the semantics and the error texts of the real one. For the demo, quick tests, fault
// injection and scale runs; never for production. The contract suite compares it with a real
// kube-apiserver.
//
// Everything happens on one thread (httpserver's), so nothing here has a lock. The methods below
// are thread-safe, post to that thread and wait for it; do not call them from a callback on it.
// Differs from kube-apiserver: no admission, RBAC, protobuf, YAML, table output, compression,
// OpenAPI (kubectl needs --validate=false to create), defaults of Pods, garbage collection, not
// even of a deleted namespace's objects; unknown fields are kept; managedFields follow
// structured-merge-diff without its schemas.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/faults.h"
#include "apiserver/request_log.h"
#include "clientgo/testing/certificates.h"
#include "clientgo/util/error.h"

namespace apiserver {

struct Options {
  std::string name = "apiserver";  // of its thread
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any free one
  bool tls = true;         // with a CA of its own: ca_pem()
  // Bearer token to user name. Empty: anybody may do anything. Everybody named may, too.
  // Client certificates of its CA work, too: NewClientCertificate.
  std::map<std::string, std::string> tokens = {};
  std::map<std::string, std::string> passwords = {};  // of users, for basic authentication
  // Events kept per resource: how far back a watch may start, and a paged list may go on.
  std::size_t watch_window = 1000;
  std::chrono::milliseconds bookmark_period = std::chrono::minutes(1);
  bool watch_list = true;  // false: the server of a cluster with the feature gate WatchList off
  // Live events that wait for a watcher who does not read; one more and its watch is ended.
  std::size_t watcher_bytes_max = 16U << 20U;
};

class Server {
 public:
  explicit Server(Options options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Not while another thread calls the other methods.
  // Start after Stop serves the same objects on the same port: a restarted API server.
  clientgo::util::Expected<void> Start();
  void Stop();

  std::uint16_t port() const;
  std::string url() const;            // "https://127.0.0.1:port"
  const std::string& ca_pem() const;  // empty without TLS
  // For a user in these groups. REQUIRES: TLS, and Start was called.
  clientgo::util::Expected<clientgo::testing::KeyPair> NewClientCertificate(
      const std::string& user, const std::vector<std::string>& groups) const;
  // Instead of Options::tokens: those not in it are refused from now on.
  void SetTokens(std::map<std::string, std::string> tokens);
  // A kubeconfig file's text for this server, as the user of `token` (may be empty).
  std::string Kubeconfig(std::string_view token) const;

  // Creates objects (JSON, with apiVersion, kind and metadata.namespace) without HTTP. Missing
  // namespaces are created. Stops at the first object that is refused.
  clientgo::util::Expected<void> CreateObjects(std::vector<std::string> objects);

  void InjectFault(Fault fault);
  void ClearFaults();
  void CutWatches();          // as a broken network: no end of the stream, no warning
  void CompactWatchWindow();  // every resourceVersion but the newest is too old from now on

  // What has been asked since the start, or since ResetRequests; as the audit log counts it.
  std::vector<RequestCount> Requests() const;
  std::uint64_t CountRequests(const RequestMatch& match) const;
  void ResetRequests();
  std::size_t WatcherCount() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace apiserver
