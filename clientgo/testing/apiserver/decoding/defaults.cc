// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/defaults.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/base64.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/decoding/fields.h"
#include "clientgo/testing/apiserver/decoding/strategies.h"
#include "clientgo/testing/apiserver/types/amounts.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kRollingUpdate = "RollingUpdate";

// Requests are by default as high as the limits. Containers in templates have no such default.
void DefaultRequests(const Fields& spec) {
  for (const char* const list : {"containers", "initContainers"}) {
    for (const Fields& container : spec.Items(list)) {
      const auto resources = container.Find("resources");
      if (resources) resources->Fill("requests", ObjectAt(resources->value(), "limits"));
    }
  }
}

// Sets the defaults of the resources of a whole Pod. The huge pages of its containers become
// limits. If there are limits, the requests of its containers become its requests, and where they
// have none, the limits do.
void DefaultPodResources(const Fields& spec) {
  const auto resources = spec.Find("resources");
  if (!resources) return;
  const auto is_empty = [&](const char* key) {
    return ObjectAt(resources->value(), key).ObjectEmpty();
  };
  const auto set_missing = [&](const char* key, const char* unless, bool huge_pages) {
    for (const auto& [name, amount] : ContainerAmounts(spec.value(), key)) {
      const bool counts =
          huge_pages ? name.starts_with("hugepages-") : name == "cpu" || name == "memory";
      if (!counts) continue;
      if (runtime::FindPath(resources->value(), {unless, name}) != nullptr) continue;
      (*resources)[key].Default({{name, amount.Text()}});
    }
  };
  if (is_empty("limits") && is_empty("requests")) return;
  set_missing("limits", "requests", true);
  if (is_empty("limits")) return;
  set_missing("requests", "requests", false);
  resources->Fill("requests", ObjectAt(resources->value(), "limits"));
}

// The ports of Pods on the host's network are ports of the host.
void DefaultHostPorts(const Fields& spec) {
  const runtime::JsonValue* const host = runtime::Find(spec.value(), "hostNetwork");
  if (host == nullptr || !host->IsTrue()) return;
  for (const char* const list : {"containers", "initContainers"}) {
    for (const Fields& container : spec.Items(list)) {
      for (const Fields& port : container.Items("ports")) {
        port.Default({{"hostPort", port.Value("containerPort")}});
      }
    }
  }
}

// Returns the options of the strategy if it is a rolling update.
std::optional<Fields> RollingUpdate(const Fields& strategy) {
  strategy.DefaultText({{"type", kRollingUpdate}});
  if (strategy.Text("type") != kRollingUpdate) return std::nullopt;
  return strategy["rollingUpdate"];
}

void DefaultPort(const std::optional<Fields>& service) {
  if (service) service->Default({{"port", 443}});
}

void DefaultWebhooks(runtime::JsonDocument& object, bool mutating) {
  for (const Fields& webhook : Fields(object).Items("webhooks")) {
    webhook.Default({{"failurePolicy", "Fail"}, {"matchPolicy", "Equivalent"}});
    for (const char* const key : {"namespaceSelector", "objectSelector"}) (void)webhook[key];
    if (mutating) webhook.Default({{"reinvocationPolicy", "Never"}});
    for (const Fields& rule : webhook.Items("rules")) rule.Default({{"scope", "*"}});
    webhook.Default({{"timeoutSeconds", 10}});
    if (const auto client = webhook.Find("clientConfig")) DefaultPort(client->Find("service"));
  }
}

}  // namespace

void DefaultDeployment(runtime::JsonDocument& object) {
  const Fields spec = Fields(object)["spec"];
  spec.Default({{"replicas", 1}, {"revisionHistoryLimit", 10}, {"progressDeadlineSeconds", 600}});
  const auto options = RollingUpdate(spec["strategy"]);
  if (options) options->Default({{"maxUnavailable", "25%"}, {"maxSurge", "25%"}});
}

void DefaultReplicaSet(runtime::JsonDocument& object) {
  Fields(object)["spec"].Default({{"replicas", 1}});
}

void DefaultDaemonSet(runtime::JsonDocument& object) {
  Fields(object)["metadata"]["annotations"].Default({{kTemplateGeneration, "0"}});
  const Fields spec = Fields(object)["spec"];
  spec.Default({{"revisionHistoryLimit", 10}});
  const auto options = RollingUpdate(spec["updateStrategy"]);
  if (options) options->Default({{"maxUnavailable", 1}, {"maxSurge", 0}});
}

void DefaultStatefulSet(runtime::JsonDocument& object) {
  const Fields spec = Fields(object)["spec"];
  spec.Default({{"replicas", 1}, {"revisionHistoryLimit", 10}});
  spec.DefaultText({{"podManagementPolicy", "OrderedReady"}});
  spec["persistentVolumeClaimRetentionPolicy"].DefaultText(
      {{"whenDeleted", "Retain"}, {"whenScaled", "Retain"}});
  const Fields strategy = spec["updateStrategy"];
  if (strategy.Text("type").empty()) RollingUpdate(strategy);
  // A strategy with a type keeps missing options.
  const auto options = strategy.Find("rollingUpdate");
  if (options && strategy.Text("type") == kRollingUpdate) options->Default({{"partition", 0}});
  for (const Fields& claim : spec.Items("volumeClaimTemplates")) {
    claim.Put("kind", "PersistentVolumeClaim");
    claim.Put("apiVersion", "v1");
    (void)claim["spec"];
    claim["status"].DefaultText({{"phase", "Pending"}});
  }
}

void DefaultPod(runtime::JsonDocument& object) {
  const Fields spec = Fields(object)["spec"];
  DefaultRequests(spec);
  DefaultPodResources(spec);
  spec.Default({{"enableServiceLinks", true}});
  DefaultHostPorts(spec);
}

void DefaultJob(runtime::JsonDocument& object) {
  const Fields job(object);
  const Fields spec = job["spec"];
  if (!spec.Has("parallelism")) spec.Default({{"completions", 1}});
  spec.Default({{"parallelism", 1}});
  constexpr int kNoLimit = std::numeric_limits<std::int32_t>::max();
  spec.Default({{"backoffLimit", spec.Has("backoffLimitPerIndex") ? kNoLimit : 6}});
  if (ObjectAt(job["metadata"].value(), "labels").ObjectEmpty()) {
    const runtime::JsonValue& metadata = ObjectAt(spec["template"].value(), "metadata");
    job["metadata"].Fill("labels", ObjectAt(metadata, "labels"));
  }
  const bool policy = spec.Has("podFailurePolicy");
  spec.Default({{"completionMode", "NonIndexed"},
                {"suspend", false},
                {"podReplacementPolicy", policy ? "Failed" : "TerminatingOrFailed"},
                {"manualSelector", false}});
}

void DefaultReplicationController(runtime::JsonDocument& object) {
  const Fields controller(object);
  const Fields spec = controller["spec"];
  spec.Default({{"replicas", 1}});
  const auto pod_template = spec.Find("template");
  if (!pod_template) return;
  const Json labels = ObjectAt(ObjectAt(pod_template->value(), "metadata"), "labels");
  if (labels == Json::Object()) return;
  if (ObjectAt(spec.value(), "selector").ObjectEmpty()) spec.Put("selector", labels);
  const Fields metadata = controller["metadata"];
  if (ObjectAt(metadata.value(), "labels").ObjectEmpty()) metadata.Put("labels", labels);
}

void DefaultCronJob(runtime::JsonDocument& object) {
  const Fields spec = Fields(object)["spec"];
  spec.DefaultText({{"concurrencyPolicy", "Allow"}});
  spec.Default(
      {{"suspend", false}, {"successfulJobsHistoryLimit", 3}, {"failedJobsHistoryLimit", 1}});
}

void DefaultBinding(runtime::JsonDocument& object) {
  Fields(object)["roleRef"].DefaultText({{"apiGroup", kRbacGroup}});
  for (const Fields& subject : Fields(object).Items("subjects")) {
    const std::string kind = subject.Text("kind");
    if (kind == "User" || kind == "Group") subject.DefaultText({{"apiGroup", kRbacGroup}});
  }
}

void DefaultValidatingWebhooks(runtime::JsonDocument& object) { DefaultWebhooks(object, false); }

void DefaultMutatingWebhooks(runtime::JsonDocument& object) { DefaultWebhooks(object, true); }

void DefaultApiService(runtime::JsonDocument& object) {
  if (const auto spec = Fields(object).Find("spec")) DefaultPort(spec->Find("service"));
}

void MarkLocalAvailable(runtime::JsonDocument& api_service) {
  if (!ObjectAt(ObjectAt(api_service, "spec"), "service").ObjectEmpty()) return;
  auto& allocator = api_service.GetAllocator();
  const Json condition = {{"type", "Available"},
                          {"status", "True"},
                          {"lastTransitionTime", NowText()},
                          {"reason", "Local"},
                          {"message", "Local APIServices are always available"}};
  SetJson(Ensure(api_service, "status", allocator), "conditions",
          Json::List(std::vector<Json>{condition}), allocator);
}

void DefaultSecret(runtime::JsonDocument& object) {
  const Fields secret(object);
  secret.Default({{"type", "Opaque"}});
  if (!secret.Has("stringData")) return;
  const Fields data = secret["data"];
  for (const auto& member : ObjectAt(object, "stringData").GetObject()) {
    if (!member.value.IsString()) continue;
    data.Put(runtime::ToView(member.name), Base64Encode(runtime::ToView(member.value)));
  }
  Remove(object, "stringData");
}

void DefaultDefinition(runtime::JsonDocument& object) {
  const Fields spec = Fields(object)["spec"];
  spec.Default({{"conversion", {{"strategy", "None"}}}});
  if (const auto webhook = spec["conversion"].Find("webhook")) {
    if (const auto client = webhook->Find("clientConfig")) DefaultPort(client->Find("service"));
  }
  const Fields names = spec["names"];
  const std::string kind = names.Text("kind");
  if (!kind.empty()) names.Default({{"singular", LowerAscii(kind)}, {"listKind", kind + "List"}});
}

void DefaultService(runtime::JsonDocument& object) {
  const Fields spec = Fields(object)["spec"];
  spec.DefaultText({{"sessionAffinity", "None"}, {"type", "ClusterIP"}});
  if (spec.Text("sessionAffinity") == "None") {
    spec.Drop("sessionAffinityConfig");
  } else if (spec.Text("sessionAffinity") == "ClientIP") {
    constexpr int kThreeHours = 10800;
    spec["sessionAffinityConfig"]["clientIP"].Default({{"timeoutSeconds", kThreeHours}});
  }
  for (const Fields& port : spec.Items("ports")) {
    port.DefaultText({{"protocol", "TCP"}});
    const Json target = port.Value("targetPort");
    if (target == Json() || target == Json(0) || target == Json("")) {
      port.Put("targetPort", port.Value("port"));
    }
  }
  const std::string type = spec.Text("type");
  const bool node_port = type == "NodePort" || type == "LoadBalancer";
  const bool external = type == "ClusterIP" && !ListAt(spec.value(), "externalIPs").Empty();
  if (node_port || external) spec.DefaultText({{"externalTrafficPolicy", "Cluster"}});
  if (node_port || type == "ClusterIP") spec.Default({{"internalTrafficPolicy", "Cluster"}});
  if (type == "ExternalName") spec.Drop("internalTrafficPolicy");
  if (type == "LoadBalancer") spec.Default({{"allocateLoadBalancerNodePorts", true}});
}

void DefaultNamespace(runtime::JsonDocument& object) {
  const std::string name(Metadata(object, "name"));
  if (!name.empty()) Fields(object)["metadata"]["labels"].Put("kubernetes.io/metadata.name", name);
}

}  // namespace capstan::testing::apiserver
