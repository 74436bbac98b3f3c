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

  // Stores the bootstrap objects with the status and the managers that they get on a real server.
  // It does not write them through the registry, which would make the start slower.
  void CreateFirstObjects(Storage& storage);
  void Observe(const Resource& resource, const Event& event) override;

  // Flow is the FlowSchema of a request, and its PriorityLevelConfiguration.
  struct Flow {
    const std::string& schema_uid;
    const std::string& level_uid;

    // Returns the headers of the response that name both.
    httpserver::Headers Headers() const;
  };
  // Returns nullopt if no FlowSchema matches, and for the subresources of Pods and Nodes whose
  // requests last as long as the client wants, such as exec and log.
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
