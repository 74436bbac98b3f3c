// SPDX-License-Identifier: Apache-2.0
// ContractTest: what clients rely on, asked of an API server over TLS with clientgo's own
// transport. The same tests, hence the same bytes, run against the embedded server and against a
// real kube-apiserver, and both must pass: where the embedded server differs from version 1.34 it
// is wrong. The versions of the real one differ in a few texts and codes, which a test names by
// Minor().
//
// The server is that of the kubeconfig file in $CAPSTAN_CONTRACT_KUBECONFIG; without it each suite
// starts an embedded one. Each test has a namespace of its own, and deletes what is in none, so the
// suite may run again and again, and in parallel, on one server.
//
// Left out, because the embedded server does not claim to have it
// (clientgo/testing/apiserver/server.h): RBAC, admission, protobuf, YAML, tables, compression,
// OpenAPI and its schemas (unknown fields, strict validation), the defaults of Pods, garbage
// collection, and the life of namespaces.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/testing/apiserver/api_client.h"
#include "clientgo/transport/http_transport.h"

namespace contract {

using clientgo::runtime::JsonDocument;
using clientgo::runtime::JsonValue;
using clientgo::testing::apiserver::Answer;
using clientgo::testing::apiserver::Names;
using clientgo::testing::apiserver::WatchLine;

// What a refused request is answered with: a metav1.Status.
struct Refusal {
  int code = 0;
  std::string reason = {};
  std::string message = {};
  std::string details = {};  // JSON
};

// JSON with its members sorted, for comparison by meaning. Text that is no JSON stays as it is.
std::string Sorted(std::string_view json);
// The whole Status of a refusal, sorted.
std::string StatusText(const Refusal& refusal);
// {"reason":..,"message":..,"field":..}: one of the causes in Refusal::details.
std::string Cause(std::string_view reason, std::string_view message, std::string_view field);

// The Refusal of an object for one field: "<Kind> \"<name>\" is invalid: <field>: <message>".
// `kind` is "Secret", or "Lease.coordination.k8s.io" with its group.
Refusal Invalid(std::string_view kind, std::string_view name, std::string_view field,
                std::string_view reason, std::string_view message);
Refusal BadRequest(std::string message);

// A stream of watch events. Every wait is bounded.
class WatchStream {
 public:
  explicit WatchStream(std::unique_ptr<clientgo::transport::HttpResponse> response)
      : response_(std::move(response)) {}
  int code() const { return response_ == nullptr ? 0 : response_->status(); }
  // Its type is "EOF" at the proper end of the stream, and the error at any other.
  WatchLine Next();
  // As WatchLine::Brief.
  std::string NextBrief() { return Next().Brief(); }

 private:
  std::unique_ptr<clientgo::transport::HttpResponse> response_;
  std::string buffer_;
};

class ContractTest : public testing::Test {
 protected:
  struct Target;  // the server under test

  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;
  void TearDown() override;

  // This test's namespace; also a name that nothing else in the cluster has.
  const std::string& ns() const { return ns_; }
  // Paths: "/api/v1/namespaces/<ns>/configmaps", and with a name "/<name>" behind it.
  std::string ConfigMaps(std::string_view name = {}) const { return Core("configmaps", name); }
  std::string Secrets(std::string_view name = {}) const { return Core("secrets", name); }
  std::string Events(std::string_view name = {}) const { return Core("events", name); }
  std::string Leases(std::string_view name = {}) const;
  // The ValidatingWebhookConfiguration of this test; it is deleted when the test ends.
  std::string Webhooks() const;
  static std::string_view WebhookCollection();
  std::string Core(std::string_view plural, std::string_view name) const;

  // `headers`: "Name: value" each; they replace the defaults, which ask for JSON as a user who may
  // do everything.
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
  // `query`: "fieldManager=x&force=true".
  Answer Apply(std::string_view target, std::string_view query, std::string_view body) const;
  Answer Delete(std::string_view target, std::string_view body = {}) const {
    return Do("DELETE", target, body);
  }
  // "?watch=1&<query>" of a collection.
  WatchStream Watch(std::string_view collection, std::string_view query,
                    const std::vector<std::string>& headers = {}) const;

  // Creates, and expects that to succeed; the answer's resourceVersion. `metadata`: further members
  // of it, `"labels":{"a":"b"}`; `data`: `{"k":"v"}`.
  std::string CreateConfigMap(std::string_view name, std::string_view metadata = {},
                              std::string_view data = {}) const;
  // Webhooks a.x.io (a service) and b.x.io (a URL), as field manager "helm".
  Answer CreateWebhooks() const;
  // Asks to delete `target` when the test ends, whatever becomes of it.
  void DeleteLater(std::string target) { leftovers_.push_back(std::move(target)); }
  // The resourceVersion of the ConfigMaps' list now.
  std::string Version() const { return std::string(Get(ConfigMaps()).meta("resourceVersion")); }
  // The minor version of the server under test: 34 of 1.34, as which the embedded one answers.
  int Minor() const;
  // The Refusal of an update of a ConfigMap for a field of its metadata.
  Refusal InvalidMetadata(std::string_view name, std::string_view field, std::string_view reason,
                          std::string_view message) const;
  // How the server writes the values of the option dryRun.
  std::string DryRunValue(const std::string& value) const {
    return Minor() < 34 ? "[]string{\"" + value + "\"}" : "[\"" + value + "\"]";
  }
  // Whether the server streams lists by default (feature gate WatchList).
  bool StreamsLists() const { return Minor() >= 34; }
  // Everything before now is lost, as after etcd's compaction. False where that cannot be done:
  // the test is then skipped.
  bool Compact() const;

  // An answer's object, sorted, with what no two runs have in common replaced: "UID", "RV", "TIME",
  // and "NS" for this test's namespace.
  std::string Normal(const Answer& answer) const { return Normal(answer.json); }
  std::string Normal(const JsonValue& object) const;
  // One member of metadata.managedFields: its fieldsV1, sorted; "none" when there is none.
  static std::string FieldsOf(const Answer& answer, std::string_view manager,
                              std::string_view subresource = {});

 private:
  static std::unique_ptr<Target> suite_target;
  std::string ns_;
  std::vector<std::string> leftovers_;
};

// EXPECT that `answer` is the refusal, to the letter.
#define EXPECT_REFUSED(answer, ...) \
  EXPECT_EQ(::contract::Sorted((answer).body), ::contract::StatusText(__VA_ARGS__))

}  // namespace contract
