// Runs the controller on an API server in this process. Exit code 0: passed.
#include <exception>
#include <iostream>

#include "capstan/api/apps/v1/deployment.h"
#include "capstan/client.h"
#include "capstan/conditions.h"
#include "capstan/controller_util.h"
#include "capstan/crd.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/require.h"
#include "capstan/testing/running.h"
#include "capstan/testing/scope.h"
#include "controller.h"
#include "widget.h"

namespace {

using capstan::Client;
using capstan::Patch;
using capstan::api::apps::v1::Deployment;
using capstan::testing::Eventually;
using capstan::testing::Require;
using capstan::testing::Value;

void TestWidget() {
  capstan::testing::apiserver::Server server;
  Value(server.Start(), "the API server starts");
  const auto client = Value(capstan::rest::Client::New(server.Config()), "a client");
  capstan::testing::Scope scope(*client, "test", {capstan::CustomResourceDefinition<Widget>()});
  const auto manager =
      Value(capstan::Manager::New(server.Config(), {.name = "widget-operator"}), "a manager");
  Value(AddWidgetController(*manager), "the controller");
  capstan::testing::Running running(*manager);
  const Client<Widget> widgets(*client);
  const Client<Deployment> deployments(*client);

  Widget widget;
  widget.metadata.name = "web";
  widget.metadata.namespace_ = scope.NewNamespace();
  widget.spec = {.replicas = 2, .image = "nginx:latest"};
  widget = capstan::testing::Create(widgets, widget);
  const auto key = capstan::KeyOf(widget);
  const auto has_replicas = [&](int replicas) {
    const auto found = deployments.Get({}, key);
    return found.has_value() && (*found)->spec.replicas == replicas &&
           capstan::IsControlledBy((*found)->metadata, widget);
  };
  const auto is_ready = [&](bool ready) {
    const auto found = widgets.Get({}, key);
    const auto& conditions = Value(found, "the Widget")->status.conditions;
    return ready ? capstan::IsStatusConditionTrue(conditions, "Ready")
                 : capstan::IsStatusConditionFalse(conditions, "Ready");
  };
  Require(Eventually([&] { return has_replicas(2); }), "the Widget has a Deployment");
  Require(Eventually([&] { return is_ready(false); }), "it is not ready");

  Value(deployments.PatchStatus({}, key,
                                Patch::Merge(R"({"status":{"replicas":2,"readyReplicas":2}})")),
        "the pods start");
  Require(Eventually([&] { return is_ready(true); }), "it is ready");

  Value(widgets.Patch({}, key, Patch::Merge(R"({"spec":{"replicas":3}})")), "a change");
  Require(Eventually([&] { return has_replicas(3); }), "the Deployment follows");

  widget.metadata = {.name = "bad", .namespace_ = widget.metadata.namespace_};
  widget.spec = {.replicas = -1, .image = "nginx"};
  const auto refused = widgets.Create({}, widget);
  Require(!refused && capstan::IsInvalid(refused.error()), "the schema refuses -1 replicas");
}

}  // namespace

int main() {
  try {
    TestWidget();
  } catch (const std::exception& error) {
    std::cerr << "FAILED: " << error.what() << '\n';
    return 1;
  }
}
