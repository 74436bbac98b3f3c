// SPDX-License-Identifier: Apache-2.0
// The JSON of objects for tests of Controllers, and a fixture with Managers on the embedded server.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "capstan/manager.h"
#include "capstan/typed_object.h"
#include "clientgo/client/testing/kinds.h"
#include "clientgo/testing/apiserver/testing/rest_fixture.h"

namespace capstan::testing {

// Returns a ConfigMap as JSON. `more` are further members of metadata and of the object.
inline std::string ConfigMapJson(const std::string& ns, const std::string& name,
                                 const std::string& metadata = "", const std::string& more = "") {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":")" + ns +
         R"(","name":")" + name + "\"" + (metadata.empty() ? "" : "," + metadata) + "}" +
         (more.empty() ? "" : "," + more) + "}";
}

// Returns a Secret as JSON whose owners are `owners`, a list of OwnerReferences.
inline std::string SecretJson(const std::string& ns, const std::string& name,
                              const std::string& owners = "") {
  return R"({"apiVersion":"v1","kind":"Secret","metadata":{"namespace":")" + ns + R"(","name":")" +
         name + R"(","ownerReferences":[)" + owners + "]}}";
}

// Returns the OwnerReference of a ConfigMap.
inline std::string OwnedBy(const std::string& name, bool controller) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","name":")" + name + R"(","uid":"u-)" + name +
         R"(","controller":)" + (controller ? "true}" : "false}");
}

// ManagerFixture has an embedded API server.
class ManagerFixture : public apiserver::RestFixture {
 protected:
  // The owners that these tests name do not exist.
  ManagerFixture() : RestFixture({.garbage_collection = false}) {}

  std::unique_ptr<Manager> NewManager(ManagerOptions options = {}) {
    if (options.name.empty()) options.name = "test";
    auto made = Manager::New(rest::Config{.host = server_.url()}, std::move(options));
    EXPECT_TRUE(made.has_value()) << made.error().message;
    return *std::move(made);
  }
};

}  // namespace capstan::testing
