// SPDX-License-Identifier: Apache-2.0
// DemoCluster: the objects that the demo fills an API server with, what each target must hold, and
// the read-back that decides the verdict. It speaks to the server through clientgo like any user,
// so the embedded server and a real one are the same to it. Thread-safe where it says so.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>

#include "clientgo/rest/client.h"
#include "clientgo/util/error.h"
#include "controllers/cainjector/api/objects.h"

namespace cmd::capstan::demo {

struct ClusterOptions {
  int secrets = 20'000;
  std::size_t secret_bytes = 5U << 10U;
  int configurations = 50;  // half validating, half mutating
  int webhooks_each = 2;
  std::string ns = "capstan-demo";
};

struct ReadBack {
  int configurations = 0;        // that were read and are the demo's
  int webhooks = 0;              // in them
  int in_sync = 0;               // webhooks that hold exactly the expected bundle
  std::string first_difference;  // names the first webhook that does not; empty: none
  bool AllInSync(int expected_configurations) const {
    return configurations == expected_configurations && webhooks > 0 && in_sync == webhooks;
  }
};

class DemoCluster {
 public:
  // `client` outlives the cluster.
  DemoCluster(clientgo::rest::Client& client, ClusterOptions options);

  // Creates the namespace, a CA in the source Secret, the other Secrets and the configurations.
  // `progress` runs on several threads with the number of objects created so far. kAlreadyExists:
  // somebody else's namespace has that name.
  clientgo::util::Expected<void> Fill(const std::stop_token& stop,
                                      const std::function<void(int created)>& progress);
  // Puts a new CA into the source Secret. What targets must hold grows by it: as in a real rotation
  // the old CA stays until it expires.
  clientgo::util::Expected<void> RotateCa(const std::stop_token& stop);
  // One more annotated configuration with an empty bundle. It must get the newest CA, and may have
  // some of the older ones.
  clientgo::util::Expected<void> AddConfiguration(const std::stop_token& stop);
  clientgo::util::Expected<void> DeleteConfiguration(const std::stop_token& stop);

  // Lists every configuration afresh and compares each bundle, byte by byte.
  clientgo::util::Expected<ReadBack> Read(const std::stop_token& stop);
  // Deletes all that was created, and the manager's Lease and Events. Goes on over errors and
  // returns the first.
  clientgo::util::Expected<void> CleanUp(const std::stop_token& stop);

  // It is one of the demo's, and every webhook of it holds the expected bundle.
  bool IsInSync(const controllers::cainjector::api::WebhookConfiguration& configuration) const;
  int expected_configurations() const { return static_cast<int>(targets_.size()); }

 private:
  struct Target {
    bool validating = true;
    // Created after a rotation: which of the older CAs it had meanwhile is a matter of timing.
    bool late = false;
  };
  clientgo::util::Expected<void> CreateConfiguration(const std::stop_token& stop,
                                                     const std::string& name, bool validating);
  clientgo::util::Expected<void> CreateNamespace(const std::stop_token& stop);
  clientgo::util::Expected<void> DeleteEvents(const std::stop_token& stop);
  bool IsRight(const Target& target, const std::string& bundle) const;
  clientgo::util::Expected<void> WriteSource(const std::stop_token& stop, bool create);

  clientgo::rest::Client& client_;
  const ClusterOptions options_;
  // The CAs so far, oldest first, as PEM.
  std::string expected_bundle_;
  std::string current_ca_;
  std::map<std::string, Target, std::less<>> targets_;
  int serial_ = 0;
  bool owns_namespace_ = false;
  std::atomic<int> secrets_tried_{0};  // no Secret has this number, or a higher one
  std::atomic<int> secrets_created_{0};
};

}  // namespace cmd::capstan::demo
