#include "controller.h"

#include <stop_token>
#include <string>
#include <utility>

#include "capstan/api/apps/v1/deployment.h"
#include "capstan/builder.h"
#include "capstan/client.h"
#include "capstan/conditions.h"
#include "capstan/controller_util.h"
#include "widget.h"

namespace {

using capstan::Expected;
using capstan::Manager;
using capstan::Request;
using capstan::api::apps::v1::Deployment;

constexpr char kFieldManager[] = "widget-operator";

// Returns the Deployment as it should be. Fields that it does not set are left to others.
Deployment DeploymentOf(const Widget& widget) {
  Deployment wanted;
  wanted.metadata.name = widget.metadata.name;
  wanted.metadata.namespace_ = widget.metadata.namespace_;
  wanted.spec.replicas = widget.spec.replicas;
  auto& labels = wanted.spec.selector.emplace().match_labels;
  labels = {{"example.com/name", widget.metadata.name}};
  wanted.spec.template_.metadata.labels = labels;
  wanted.spec.template_.spec.containers = {{.name = "app", .image = widget.spec.image}};
  return wanted;
}

Widget::Status StatusOf(const Widget& widget, const Deployment& deployment) {
  Widget::Status status = widget.status;
  status.ready_replicas = deployment.status.ready_replicas;
  const bool ready = status.ready_replicas >= widget.spec.replicas;
  capstan::SetStatusCondition(
      status.conditions,
      {.type = "Ready",
       .status = std::string(ready ? capstan::kConditionTrue : capstan::kConditionFalse),
       .observed_generation = widget.metadata.generation,
       .reason = ready ? "PodsAreReady" : "PodsAreNotReady",
       .message = std::to_string(status.ready_replicas) + " of " +
                  std::to_string(widget.spec.replicas) + " pods are ready"});
  return status;
}

// Makes the cluster equal to one Widget. It runs after each change of the Widget and of its
// Deployment, and again with backoff after an error.
Expected<void> Reconcile(Manager& manager, const std::stop_token& stop, const Request& request) {
  const auto widget = ListerFor<Widget>(manager).Get(request.String());  // from the cache
  if (widget == nullptr) return {};  // Kubernetes deletes the Deployment with its owner
  Deployment wanted = DeploymentOf(*widget);
  if (auto owned = capstan::SetControllerReference(*widget, wanted.metadata); !owned) return owned;
  // The server changes nothing if the Deployment is already as it should be.
  const auto applied = capstan::Client<Deployment>(manager.client())
                           .Apply(stop, wanted, {.field_manager = kFieldManager});
  if (!applied) return capstan::Err(applied.error());

  Widget changed = *widget;
  changed.status = StatusOf(*widget, **applied);
  if (changed.status == widget->status) return {};
  return capstan::IgnoreNotFound(
      capstan::Client<Widget>(manager.client()).UpdateStatus(stop, changed));
}

}  // namespace

Expected<void> AddWidgetController(Manager& manager) {
  return ControllerFor<Widget>(manager).Owns<Deployment>().Complete(Reconcile);
}
