// SPDX-License-Identifier: Apache-2.0
// Scope is a test's part of a cluster: CustomResourceDefinitions, namespaces and webhook
// configurations, which it deletes at the end. So tests can share one API server, also a real one.
//
//   testing::Scope scope(*client, "foo-test", {CustomResourceDefinition<Foo>()});
//   Foo foo;
//   foo.metadata.namespace_ = scope.NewNamespace();
//   foo.metadata.name = "a";
//   const Foo created = testing::Create(foos, foo);
//
// The functions throw as require.h does. Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "capstan/client.h"
#include "capstan/export.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/resource_type.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/require.h"
#include "capstan/unstructured.h"

namespace capstan::testing {

// Creates an object and returns it as the server has stored it. A server serves a new kind, and
// accepts objects in a new namespace, some time after its creation, so it tries for 30 s. An
// invalid object fails at once.
template <class T>
T Create(const Client<T>& client, const T& object) {
  Expected<Ptr<T>> created;
  const auto ended = [&] {
    created = client.Create({}, object);
    return created.has_value() || IsInvalid(created.error());
  };
  (void)Eventually(ended);
  return *Value(std::move(created),
                "failed to create " + client.type().kind + " " + KeyOf(object).String());
}

// LocalWebhook is a webhook that the test serves itself, or a program that it has started.
struct CAPSTAN_EXPORT LocalWebhook {
  std::string url = {};     // with the path: "https://127.0.0.1:9443/mutate-x-io-v1-foo"
  std::string ca_pem = {};  // of the serving certificate
  std::vector<std::string> operations = {"CREATE", "UPDATE"};
};

class CAPSTAN_EXPORT Scope {
 public:
  // `prefix` starts the names of all namespaces. `definitions` are JSON. `client` outlives this.
  Scope(rest::Client& client, std::string prefix, const std::vector<std::string>& definitions = {});
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope();

  // Creates a namespace and returns its name, which the server makes from the prefix.
  std::string NewNamespace(const std::map<std::string, std::string>& labels = {});

  // Lets the API server call a webhook for objects of this type: those in the namespaces that
  // NewNamespace has created so far, or in all if there are none. Objects without a namespace
  // always match. The embedded server calls it from now on, a real one, which must be able to reach
  // the URL, a little later. A call that fails fails the request.
  void InstallMutatingWebhook(const runtime::ResourceType& type, const LocalWebhook& webhook);
  void InstallValidatingWebhook(const runtime::ResourceType& type, const LocalWebhook& webhook);

 private:
  void InstallWebhook(const Client<Unstructured>& configurations, const runtime::ResourceType& type,
                      const LocalWebhook& webhook);

  const std::string prefix_;
  const Client<Unstructured> mutating_webhooks_;
  const Client<Unstructured> validating_webhooks_;
  const Client<Unstructured> definitions_;
  const Client<Unstructured> namespaces_;
  std::vector<std::string> created_definitions_;
  std::vector<std::string> created_namespaces_;
  std::vector<std::pair<const Client<Unstructured>*, std::string>> created_webhooks_;
};

}  // namespace capstan::testing
