// SPDX-License-Identifier: Apache-2.0
// Scope is a test's part of a cluster: CustomResourceDefinitions and namespaces, which it deletes
// at the end. So tests can share one API server, also a real one.
//
//   Scope scope(*client, "foo-test", {CustomResourceDefinition<Foo>()});
//   Foo foo;
//   foo.metadata.namespace_ = scope.NewNamespace();
//   foo.metadata.name = "a";
//   const Foo created = Create(foos, foo);
//
// The functions throw as require.h does. Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "capstan/client/client.h"
#include "capstan/clientgo/rest/client.h"
#include "capstan/export.h"
#include "capstan/kind/unstructured.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/require.h"

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

class CAPSTAN_EXPORT Scope {
 public:
  // `prefix` starts the names of all namespaces. `definitions` are JSON. `client` outlives this.
  Scope(clientgo::rest::Client& client, std::string prefix,
        const std::vector<std::string>& definitions = {});
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope();

  // Creates a namespace and returns its name, which the server makes from the prefix.
  std::string NewNamespace(const std::map<std::string, std::string>& labels = {});

 private:
  const std::string prefix_;
  const Client<Unstructured> definitions_;
  const Client<Unstructured> namespaces_;
  std::vector<std::string> created_definitions_;
  std::vector<std::string> created_namespaces_;
};

}  // namespace capstan::testing
