// SPDX-License-Identifier: Apache-2.0
// Namespace creates and deletes the objects of the demo, in one namespace and beside it. It uses
// clientgo like any user, for the embedded server as for a real one. It is thread-safe, and fails
// with an exception, as the helpers of tests do (capstan/testing/require.h).
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/resource_type.h"

namespace capstan::cmd::capstan_demo {

const runtime::ResourceType& NamespaceType();
const runtime::ResourceType& PodType();  // with the annotations of the node agent

// Selects the objects that the demo creates.
std::string DemoSelector();

// The names and values below need no escaping in JSON.
struct Annotation {
  std::string_view key = {};  // empty: none
  std::string value = {};
};

// Returns the member "data" of a Secret, with one key. Encodes `text`.
std::string DataMember(std::string_view key, std::string_view text);
// Returns "capstan-demo-00012".
std::string Numbered(std::string_view prefix, int number);

// Calls `call` with 0 to `count` - 1 on four threads. The first error and `stop` end the calls.
void ForEach(const std::stop_token& stop, int count, const std::function<void(int number)>& call);

struct Namespace {
  rest::Client& client;
  std::string name;
  std::stop_token stop = {};  // ends the requests

  // Creates an object. `members` are those beside apiVersion, kind and metadata. Tries for 30 s to
  // create a Pod, because Pods are forbidden until a new namespace has its service account.
  void Create(const runtime::ResourceType& type, const std::string& object,
              const std::string& members = {}, const Annotation& annotation = {}) const;
  // Creates a configuration whose webhooks have no rules, so that no API server calls them.
  void CreateWebhooks(const runtime::ResourceType& type, const std::string& object, int webhooks,
                      const Annotation& annotation) const;
  // Changes a Secret with a merge patch of these members.
  void PatchSecret(const std::string& secret, const std::string& members) const;
  // Deletes all objects of the demo with the namespace, up to this number of Secrets, and the Lease
  // and the Events of the manager. Ignores `stop`. Returns the first error and continues after
  // errors.
  Expected<void> CleanUp(int secrets) const;
};

}  // namespace capstan::cmd::capstan_demo
