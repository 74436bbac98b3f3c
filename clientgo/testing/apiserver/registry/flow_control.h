// SPDX-License-Identifier: Apache-2.0
// FlowControl finds the FlowSchema and the PriorityLevelConfiguration of a request, and keeps the
// condition Dangling of the FlowSchemas. Mirrors k8s.io/apiserver/pkg/util/flowcontrol. Differs:
// requests never wait and are never rejected, and deleted bootstrap objects stay deleted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capstan/httpserver/server.h"
#include "clientgo/testing/apiserver/authorization/access_attributes.h"
#include "clientgo/testing/apiserver/registry/controller.h"
#include "clientgo/testing/apiserver/registry/flow_schema.h"

namespace capstan::testing::apiserver {

class FlowControl : public Controller {
 public:
  explicit FlowControl(const Server& server) : Controller(server) {}

  // Stores the bootstrap objects as they are after a while on a real server. That costs a fraction
  // of 30 writes.
  void CreateFirstObjects(Storage& storage);
  void Observe(const Resource& resource, const Event& event) override;

  // Flow is where a request belongs.
  struct Flow {
    const std::string& schema_uid;
    const std::string& level_uid;

    // Returns what a response says about it.
    httpserver::Headers Headers() const;
  };
  // Returns nullopt if no FlowSchema matches, and for a request that lasts as long as the client
  // wants but is no watch.
  std::optional<Flow> Classify(const AccessAttributes& request) const;

 private:
  // Sets the condition Dangling of a FlowSchema.
  void Process(const Item& item) override;
  void ObserveLevel(const Event& event);
  void ObserveSchema(const Event& event);

  std::vector<FlowSchema> schemas_;  // in the order in which they are tried
  std::map<std::string, std::string, std::less<>> level_uids_;  // by name
};

}  // namespace capstan::testing::apiserver
