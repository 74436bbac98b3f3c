// SPDX-License-Identifier: Apache-2.0
// DemoCluster creates the objects of the demo in an API server and reads the targets back for the
// verdict. It uses clientgo like any user, for the embedded server as for a real one. The functions
// below make the JSON of objects; names and values need no escaping.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"
#include "controllers/cainjector/api/objects.h"

namespace capstan::cmd::capstan_demo {

inline constexpr std::string_view kPrefix = "capstan-demo-";

const runtime::ResourceType& NamespaceType();
// The type of webhook configurations, with the name and the bundle of each webhook.
const runtime::ResourceType& ConfigurationType(bool validating);

struct Annotation {
  std::string_view key = {};  // empty: none
  std::string value = {};
};

// "capstan-demo-00012".
std::string Numbered(std::string_view prefix, int number);
std::string NamespaceJson(const std::string& name);
// Returns a Secret with one key. SecretJson encodes `text`.
std::string SecretJson(const runtime::ObjectKey& key, const Annotation& annotation,
                       std::string_view data_key, std::string_view text);
// Returns a Certificate for this Secret. Its issuer does not exist.
std::string CertificateJson(const runtime::ObjectKey& key, const std::string& secret);

struct ConfigurationOptions {
  std::string name;
  bool validating = true;
  Annotation annotation;
  int webhooks = 1;
  std::string service_namespace;
};
// The webhooks have no rules, so that no API server calls them.
std::string ConfigurationJson(const ConfigurationOptions& options);

// Merge patches: {"data":{"ca.crt":...}} and {"metadata":{"annotations":{...}}}.
std::string CaPatch(std::string_view pem);
std::string AnnotationPatch(const Annotation& annotation);

// Calls `write` with 0 to `count` - 1 on four threads. Returns the first error, which ends the
// calls. `stop` ends them without an error.
Expected<void> ForEach(
    const std::stop_token& stop, int count,
    const std::function<Expected<void>(const std::stop_token& stop, int number)>& write);

struct ClusterOptions {
  int secrets = 20'000;
  std::size_t secret_bytes = 5U << 10U;
  int configurations = 50;  // half validating, half mutating
  int webhooks_each = 2;
  std::string ns = "capstan-demo";
};

struct ReadBack {
  int configurations = 0;        // of the demo
  int webhooks = 0;              // in them
  int in_sync = 0;               // webhooks with exactly the expected bundle
  std::string first_difference;  // the first webhook with another bundle
  bool AllInSync(int expected_configurations) const {
    return configurations == expected_configurations && webhooks > 0 && in_sync == webhooks;
  }
};

class DemoCluster {
 public:
  // `client` must outlive the DemoCluster.
  DemoCluster(rest::Client& client, ClusterOptions options);

  // Creates the namespace, a CA in the source Secret, the other Secrets and the configurations.
  // Calls `progress` on several threads with the number of created objects. kAlreadyExists: the
  // namespace exists.
  Expected<void> Fill(const std::stop_token& stop,
                      const std::function<void(int created)>& progress);
  // Writes a new CA into the source Secret. The targets must then hold it beside the old CAs.
  Expected<void> RotateCa(const std::stop_token& stop);
  // Creates another annotated configuration with an empty bundle. It must get the newest CA, and
  // may get older ones.
  Expected<void> AddConfiguration(const std::stop_token& stop);
  Expected<void> DeleteConfiguration(const std::stop_token& stop);

  // Lists all configurations and compares each bundle.
  Expected<ReadBack> Read(const std::stop_token& stop);
  // Deletes the created objects, and the Lease and the Events of the manager. Returns the first
  // error and continues after errors.
  Expected<void> CleanUp(const std::stop_token& stop);

  // Reports whether this is a configuration of the demo whose webhooks hold the expected bundle.
  // Thread-safe.
  bool IsInSync(const cainjector::Injectable& configuration) const;
  int expected_configurations() const { return static_cast<int>(targets_.size()); }

 private:
  struct Target {
    bool validating = true;
    // Created after a rotation: the number of its older CAs depends on timing.
    bool late = false;
  };
  Expected<void> CreateConfiguration(const std::stop_token& stop, const std::string& name,
                                     bool validating);
  Expected<void> CreateNamespace(const std::stop_token& stop);
  Expected<void> DeleteEvents(const std::stop_token& stop);
  bool IsRight(const Target& target, const std::string& bundle) const;

  rest::Client& client_;
  const ClusterOptions options_;
  // The CAs so far, oldest first, as PEM.
  std::string expected_bundle_;
  std::string current_ca_;
  std::map<std::string, Target, std::less<>> targets_;
  int serial_ = 0;
  bool owns_namespace_ = false;
  std::atomic<int> secrets_tried_{0};  // the highest Secret number + 1
  std::atomic<int> secrets_created_{0};
};

}  // namespace capstan::cmd::capstan_demo
