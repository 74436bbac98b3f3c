// SPDX-License-Identifier: Apache-2.0
// Kinds for tests of Controllers, and a fixture with Managers on the embedded API server.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "capstan/manager.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/typed_object.h"

namespace capstan::testing {

struct ConfigMap {
  ObjectMeta metadata = {};
  std::map<std::string, std::string> data = {};
};

struct Secret {
  ObjectMeta metadata = {};
};

}  // namespace capstan::testing

template <>
inline constexpr auto capstan::kKind<capstan::testing::ConfigMap> =
    capstan::Kind("", "v1", "ConfigMap", "configmaps")
        .Namespaced()
        .Fields(capstan::Field("data", &capstan::testing::ConfigMap::data))
        .Partial();

template <>
inline constexpr auto capstan::kKind<capstan::testing::Secret> =
    capstan::Kind("", "v1", "Secret", "secrets").Namespaced().Partial();

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
class ManagerFixture : public ::testing::Test {
 protected:
  ManagerFixture() { EXPECT_TRUE(server_.Start().has_value()); }

  std::unique_ptr<Manager> NewManager(ManagerOptions options = {}) {
    if (options.name.empty()) options.name = "test";
    auto made = Manager::New(rest::Config{.host = server_.url()}, std::move(options));
    EXPECT_TRUE(made.has_value()) << made.error().message;
    return *std::move(made);
  }
  void Create(std::string json) {
    const auto created = server_.CreateObjects({std::move(json)});
    EXPECT_TRUE(created.has_value()) << created.error().message;
  }

  // The owners that these tests name do not exist.
  testing::apiserver::Server server_{{.tls = false, .garbage_collection = false}};
};

}  // namespace capstan::testing
