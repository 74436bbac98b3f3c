// SPDX-License-Identifier: Apache-2.0
// Kinds for tests of Controllers, and a Manager that runs on the embedded API server.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "capstan/manager.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/thread.h"
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

// RunningManager runs a Manager on its own thread until it is stopped or destroyed.
class RunningManager {
 public:
  explicit RunningManager(Manager& manager)
      : thread_(StartThread("manager", [this, &manager](std::stop_token stop) {
          result_ = manager.Start(std::move(stop));
        })) {}
  ~RunningManager() {
    if (!thread_.joinable()) return;
    EXPECT_TRUE(Stop().has_value());
  }
  Expected<void> Stop() {
    thread_.request_stop();
    thread_.join();
    return result_;
  }

 private:
  Expected<void> result_;
  std::jthread thread_;
};

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
