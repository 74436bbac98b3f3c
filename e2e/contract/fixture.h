// SPDX-License-Identifier: Apache-2.0
// ContractTest checks the API server behaviour that clients rely on, over TLS and with clientgo's
// own transport. The same tests run against the embedded server and against a real kube-apiserver,
// and both must pass. Where the embedded server differs from version 1.34, it is wrong. Versions of
// the real server differ in a few texts and codes; the tests select those by Minor().
//
// $CAPSTAN_CONTRACT_KUBECONFIG names the kubeconfig file of the server under test. Without it, each
// suite starts an embedded server. Each test has its own namespace and deletes its cluster-scoped
// objects, so the suite can run repeatedly and in parallel on one server.
//
// The embedded server does not support these features (include/capstan/testing/apiserver/server.h),
// so nothing here tests them: YAML and compression. Webhooks run in the test's process, so a real
// kube-apiserver must be on the same machine.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/rest/config.h"
#include "capstan/transport/http_transport.h"
#include "clientgo/testing/apiserver/testing/api_client.h"

namespace capstan::testing::apiserver::contract {

// Refusal is the expected metav1.Status of a rejected request.
struct Refusal {
  int code = 0;
  std::string reason = {};
  std::string message = {};
  std::string details = {};  // JSON
};

// The answer to a patch that the server cannot apply.
inline const Refusal kRejected = {
    .code = 422,
    .reason = "Invalid",
    .message = "the server rejected our request due to an error in our request",
    .details = "{}"};

// The collection of all CustomResourceDefinitions.
inline constexpr const char* kDefinitions =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

// Returns JSON with sorted members, for comparison by meaning. Returns other text unchanged.
std::string Sorted(std::string_view json);
// Returns the whole Status of a refusal, with sorted members.
std::string StatusText(const Refusal& refusal);
// Returns one of the causes in Refusal::details: {"reason":..,"message":..,"field":..}.
std::string Cause(std::string_view reason, std::string_view message, std::string_view field);

// Returns the Refusal of an object for one field: "<Kind> \"<name>\" is invalid: <field>:
// <message>". `kind` is "Secret", or "Lease.coordination.k8s.io" with its group.
Refusal Invalid(std::string_view kind, std::string_view name, std::string_view field,
                std::string_view reason, std::string_view message);
Refusal BadRequest(std::string message);

// WatchStream reads watch events. Every read has a time limit.
class WatchStream {
 public:
  explicit WatchStream(std::unique_ptr<transport::HttpResponse> response)
      : response_(std::move(response)) {}
  int code() const { return response_ == nullptr ? 0 : response_->status(); }
  // Returns the next line. Its type is "EOF" at the regular end of the stream, and the error's text
  // after a failure.
  WatchLine Next();
  std::string NextBrief() { return Next().Brief(); }

 private:
  std::unique_ptr<transport::HttpResponse> response_;
  std::string buffer_;
};

class ContractTest : public ::testing::Test {
 protected:
  struct Target;  // the server under test

  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;
  void TearDown() override;

  // Returns this test's namespace. No other object in the cluster has this name.
  const std::string& ns() const { return ns_; }
  // Returns the API group of this test's custom kinds.
  std::string Group() const { return ns_ + ".example.com"; }
  // These return paths: "/api/v1/namespaces/<ns>/configmaps", with "/<name>" for a name.
  std::string ConfigMaps(std::string_view name = {}) const { return Core("configmaps", name); }
  std::string Secrets(std::string_view name = {}) const { return Core("secrets", name); }
  std::string Events(std::string_view name = {}) const { return Core("events", name); }
  std::string Leases(std::string_view name = {}) const;
  // Returns the path of this test's ValidatingWebhookConfiguration, deleted when the test ends.
  std::string Webhooks() const;
  std::string Core(std::string_view plural, std::string_view name) const;
  std::string Apps(std::string_view plural, std::string_view name = {}) const;
  // Returns the path of a collection of webhook configurations.
  static std::string Configurations(bool mutating);
  // Returns the path of a kind of this group and version in the test's namespace: "/apis/apps/v1".
  std::string InNamespace(std::string_view version, std::string_view plural,
                          std::string_view name = {}) const;

  // Sends one request. Each of `headers` is "Name: value" and replaces a default; by default the
  // request accepts JSON and authenticates as a cluster administrator.
  Answer Do(std::string_view method, std::string_view target, std::string_view body = {},
            const std::vector<std::string>& headers = {}) const;
  Answer Get(std::string_view target, const std::vector<std::string>& headers = {}) const {
    return Do("GET", target, {}, headers);
  }
  Answer Post(std::string_view target, std::string_view body) const {
    return Do("POST", target, body);
  }
  Answer Put(std::string_view target, std::string_view body) const {
    return Do("PUT", target, body);
  }
  Answer JsonPatch(std::string_view target, std::string_view body) const;
  Answer MergePatch(std::string_view target, std::string_view body) const;
  Answer StrategicPatch(std::string_view target, std::string_view body) const;
  // Sends an apply patch; `query` is for example "fieldManager=x&force=true".
  Answer Apply(std::string_view target, std::string_view query, std::string_view body) const;
  Answer Delete(std::string_view target, std::string_view body = {}) const {
    return Do("DELETE", target, body);
  }
  // Watches a collection with "?watch=1&<query>".
  WatchStream Watch(std::string_view collection, std::string_view query,
                    const std::vector<std::string>& headers = {}) const;

  // Creates a ConfigMap, expects success, and returns its resourceVersion. `metadata` has further
  // members of the metadata (`"labels":{"a":"b"}`), `data` is an object (`{"k":"v"}`).
  std::string CreateConfigMap(std::string_view name, std::string_view metadata = {},
                              std::string_view data = {}) const;
  // Creates webhooks a.x.io (a service) and b.x.io (a URL) as field manager "helm".
  Answer CreateWebhooks() const;
  // Deletes `target` when the test ends, also after a failure.
  void DeleteLater(std::string target) { leftovers_.push_back(std::move(target)); }
  // Returns the current resourceVersion of the list of ConfigMaps.
  std::string Version() const { return std::string(Get(ConfigMaps()).meta("resourceVersion")); }
  // Waits until the server's cache of a collection has a version. Version 0 is served from a cache
  // of any age, and an older version by a cache that may not have the newer ones.
  void AwaitCache(std::string_view collection, std::string_view version) const;
  // Returns how a client connects to the server under test as a cluster administrator.
  static const rest::Config& config();
  // Returns the minor version of the server under test. The embedded server reports 34.
  int Minor() const;
  // Returns texts of version 1.34 as the version of the server under test has them.
  std::string OfVersion(std::string text) const;
  Refusal OfVersion(Refusal refusal) const;
  // Returns a Status without the values of its causes if the version shows them as Go prints them.
  std::string Comparable(std::string text) const;
  // Returns the Refusal of a ConfigMap's update for a field of its metadata.
  Refusal InvalidMetadata(std::string_view name, std::string_view field, std::string_view reason,
                          std::string_view message) const;
  // Returns `value` as the server's messages print values of the option dryRun.
  std::string DryRunValue(const std::string& value) const {
    return Minor() < 34 ? "[]string{\"" + value + "\"}" : "[\"" + value + "\"]";
  }
  // Returns an object as the server's messages print it. `json` has no comma in a value.
  std::string ObjectValue(std::string json) const {
    if (Minor() >= 34) return json;
    for (auto at = json.find(','); at != std::string::npos; at = json.find(',', at + 1)) {
      json.insert(at + 1, " ");
    }
    return "map[string]interface {}" + json;
  }
  static bool IsEmbedded();
  // Reports whether dependents of deleted objects are collected: by the embedded server, or in a
  // real cluster with kube-controller-manager, which CAPSTAN_CONTRACT_GARBAGE_COLLECTION says.
  static bool CollectsGarbage();
  // Reports whether the server streams lists by default (feature gate WatchList).
  bool StreamsLists() const { return Minor() >= 34; }
  // Reports whether a write that cannot be compared in the version of a manager clears the
  // managers. Otherwise it keeps them.
  bool LosesManagers() const { return Minor() < 37; }
  // Compacts the server's history up to now. Returns false if the test has no access to etcd; the
  // test then skips itself.
  bool Compact() const;

  // Returns an answer's object with sorted members. Values that differ between runs are replaced by
  // "UID", "RV", "TIME" and "NS" (this test's namespace).
  std::string Normal(const Answer& answer) const { return Normal(answer.json); }
  std::string Normal(const runtime::JsonValue& object) const;
  // Returns the JSON at a path with sorted members; "" if there is none.
  static std::string JsonAt(const Answer& answer, std::initializer_list<std::string_view> path) {
    const runtime::JsonValue* const value = runtime::FindPath(answer.json, path);
    return value == nullptr ? "" : Sorted(runtime::ToJson(*value));
  }
  // Returns the number of entries in metadata.managedFields.
  static std::size_t Managers(const Answer& answer) {
    return ListAt(ObjectAt(answer.json, "metadata"), "managedFields").Size();
  }
  // Returns the sorted fieldsV1 of one manager's entry in metadata.managedFields, or "none".
  static std::string FieldsOf(const Answer& answer, std::string_view manager,
                              std::string_view subresource = {});

 private:
  static std::unique_ptr<Target> suite_target;
  std::string ns_;
  std::vector<std::string> leftovers_;
};

// Expects that the body of `answer` is exactly the refusal, with the texts of the server's version.
#define EXPECT_REFUSED(answer, ...)                                                   \
  EXPECT_EQ(Comparable(capstan::testing::apiserver::contract::Sorted((answer).body)), \
            Comparable(capstan::testing::apiserver::contract::StatusText(             \
                OfVersion(capstan::testing::apiserver::contract::Refusal(__VA_ARGS__)))))

}  // namespace capstan::testing::apiserver::contract
