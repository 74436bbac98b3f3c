// SPDX-License-Identifier: Apache-2.0
// The examples in the comments of public headers, with what they need around them. They only have
// to compile; hack/doc_examples.py checks that each of them is here.
#include <glog/logging.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "capstan/api/core/v1/config_map.h"
#include "capstan/api/core/v1/pod.h"
#include "capstan/boxed.h"
#include "capstan/cache/informer_factory.h"
#include "capstan/capstan.h"
#include "capstan/cluster.h"
#include "capstan/discovery/discovery_client.h"
#include "capstan/flags/flag_set.h"
#include "capstan/logging.h"
#include "capstan/metrics/metrics.h"
#include "capstan/object_meta.h"
#include "capstan/restmapper/dynamic_rest_mapper.h"
#include "capstan/restmapper/shortcut_expander.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/events.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/fake_recorder.h"
#include "capstan/testing/fake_transport.h"
#include "capstan/testing/fault_proxy.h"
#include "capstan/testing/fields.h"
#include "capstan/testing/require.h"
#include "capstan/testing/running.h"
#include "capstan/testing/scope.h"
#include "capstan/webhook/server.h"

// clang-format off: as the comments are written
struct Folder {
  std::string name;
  capstan::Boxed<Folder> parent;
};

struct NodeOfPod : capstan::api::core::v1::Pod {};
template <>
inline constexpr auto capstan::kKind<NodeOfPod> =
    capstan::kKind<capstan::api::core::v1::Pod>.Keep("spec.nodeName", "status.phase");

struct Foo {
  capstan::ObjectMeta metadata;  // optional: without it only the identity is kept
  struct Spec {
    std::string deployment_name;
    int replicas = 1;
  } spec;
  struct Status {
    int available_replicas = 0;
  } status;
};
template <>
inline constexpr auto capstan::kKind<Foo> =
    capstan::Kind("samplecontroller.k8s.io", "v1alpha1", "Foo", "foos")
        .Namespaced()
        .Spec(capstan::Field("deploymentName", &Foo::Spec::deployment_name).Required(),
              capstan::Field("replicas", &Foo::Spec::replicas).Minimum(0).Maximum(10))
        .Status(capstan::Field("availableReplicas", &Foo::Status::available_replicas));

struct Volume {
  std::string name;
  std::string path;
};
template <>
inline constexpr auto capstan::kFields<Volume> = capstan::Fields(
    capstan::Field("name", &Volume::name).Required(), capstan::Field("path", &Volume::path));
// clang-format on

struct WorkloadSpec {
  std::optional<int> replicas;
};
template <>
inline constexpr auto capstan::kFields<WorkloadSpec> =
    capstan::Fields(capstan::Field("replicas", &WorkloadSpec::replicas));

// clang-format off
struct StatefulSet {
  capstan::ObjectMeta metadata;
  WorkloadSpec spec;
};
template <>
inline constexpr auto capstan::kKind<StatefulSet> =
    capstan::Kind("apps", "v1", "StatefulSet", "statefulsets")
        .Namespaced()
        .Partial()
        .Fields(capstan::Field("spec", &StatefulSet::spec));
// clang-format on

struct FooV2 {
  capstan::ObjectMeta metadata;
  struct Spec {
    int size = 1;
  } spec;
};
template <>
inline constexpr auto capstan::kKind<FooV2> = capstan::Kind("samplecontroller.k8s.io", "v2", "Foo",
                                                            "foos")
                                                  .Namespaced()
                                                  .Spec(capstan::Field("size", &FooV2::Spec::size));

struct Backup {
  capstan::ObjectMeta metadata;
  struct BackupStatus {
    std::vector<capstan::ObjectReference> active;
  };
  BackupStatus status;
};
constexpr auto MakeBackup() {
  using capstan::Field;
  using BackupStatus = Backup::BackupStatus;
  return capstan::Kind("example.com", "v1", "Backup", "backups")
      .Namespaced()
      .Status(Field("active", &BackupStatus::active));
}
template <>
inline constexpr auto capstan::kKind<Backup> = MakeBackup();

struct PodTemplate {
  std::string name;
  std::string image;
};
struct Deployment {
  capstan::ObjectMeta metadata;
  struct Spec {
    int replicas = 1;
    PodTemplate pod_template;
    std::vector<Volume> volumes;
  } spec;
};
constexpr auto MakeDeployment() {
  using capstan::Field;
  using Spec = Deployment::Spec;
  // clang-format off
  return capstan::Kind("example.com", "v1", "Deployment", "deployments").Namespaced().Spec(
      Field("replicas", &Spec::replicas).Minimum(0).Maximum(10).Default(1),
      Field("template", &Spec::pod_template, Field("name", &PodTemplate::name),
            Field("image", &PodTemplate::image)),
      Field("volumes", &Spec::volumes));
  // clang-format on
}
template <>
inline constexpr auto capstan::kKind<Deployment> = MakeDeployment();

struct ConfigMap {
  std::map<std::string, std::string> data;
};
template <>
inline constexpr auto capstan::kKind<ConfigMap> = capstan::Kind("", "v1", "ConfigMap", "configmaps")
                                                      .Namespaced()
                                                      .Partial()
                                                      .Fields(capstan::Field("data",
                                                                             &ConfigMap::data));

// The type that a program adds for fields.
struct Port {
  int number = 0;
};
template <>
struct capstan::Codec<Port> {
  using T = Port;
  // clang-format off
  static constexpr ValueType kType = ValueType::kInteger;
  // clang-format on
  static bool Decode(const runtime::JsonValue& json, T& to, DecodeProblem& problem) {
    return Codec<int>::Decode(json, to.number, problem);
  }
  static void Encode(runtime::JsonWriter& writer, const T& from) { writer.Int(from.number); }
  static bool IsEmpty(const T& value) { return value.number == 0; }
  static std::size_t HeapBytes(const T& value) { return 0 * sizeof(value); }
  static void WriteSchema(runtime::JsonWriter& writer) { Codec<int>::WriteSchema(writer); }
};

namespace capstan::docs {

Deployment NewDeployment(const Foo& foo) {
  Deployment deployment;
  deployment.metadata.name = foo.spec.deployment_name;
  return deployment;
}

Expected<Ptr<Foo>> GetAndUpdate(rest::Client& rest_client, const CallOptions& call) {
  capstan::Client<Foo> foos(rest_client);
  auto foo = foos.Get(call, {"default", "example"});  // Expected<Ptr<Foo>>
  if (!foo) return tl::unexpected(foo.error());
  Foo wanted = **foo;
  wanted.spec.replicas = 3;
  auto updated = foos.Update(call, wanted);  // kConflict: read again
  return updated;
}

void ReadYourWrites(Client<Foo>& foos, const CallOptions& call, const Foo& foo,
                    const cache::SharedInformer& informer) {
  auto updated = foos.Update(call, foo);
  if (updated) auto waited = WaitForCacheVersion(call, informer, **updated);
}

// Returns when the cache has the patched Foo.
Expected<void> PatchAndWait(const std::stop_token& stop, Manager& manager, const Foo& before,
                            const Foo& after) {
  const Client<Foo> foos(manager.client());
  const auto patched = foos.Patch(stop, capstan::KeyOf(before),
                                  capstan::MergeFrom(before, after, {.optimistic_lock = true}));
  if (!patched) return capstan::IgnoreNotFound(patched);
  return WaitForCacheVersion(stop, manager, **patched);
}

using api::core::v1::ConfigMap;

void WriteSettings(const Client<ConfigMap>& config_maps, const std::stop_token& stop) {
  // clang-format off
  ConfigMap map;
  map.metadata = {.name = "settings", .namespace_ = "default"};
  auto result = CreateOrUpdate(stop, config_maps, map, [](ConfigMap& object) {
    object.data["color"] = "red";
  });
  // clang-format on
}

Expected<void> DeleteFoo(const Client<Foo>& foos, const std::stop_token& stop,
                         const ObjectKey& key) {
  return IgnoreNotFound(foos.Delete(stop, key));
}

Expected<void> SetOwner(const Foo& foo) {
  Deployment deployment = NewDeployment(foo);
  auto set = SetControllerReference(foo, deployment.metadata);
  return set;
}

void Finalizer(Client<Foo>& foos, const CallOptions& call, const Ptr<Foo>& pointer) {
  Foo foo = *pointer;
  AddFinalizer(foo.metadata, "example.com/cleanup");
  const Patch patch = MergeFrom(*pointer, foo, {.optimistic_lock = true});
  auto patched = foos.Patch(call, KeyOf(foo), patch);
}

void Status(Client<Foo>& client, const CallOptions& call, const Ptr<Foo>& pointer) {
  Foo foo = *pointer;
  foo.status.available_replicas = 3;
  auto updated = client.UpdateStatus(call, foo);
}

Expected<Ptr<Foo>> Retry(Client<Foo>& foos, const std::stop_token& stop, const ObjectKey& key) {
  auto updated = RetryOnConflict({.stop = stop}, [&]() -> Expected<Ptr<Foo>> {
    auto current = foos.Get(stop, key);  // in each attempt
    if (!current) return tl::unexpected(current.error());
    Foo wanted = **current;
    wanted.spec.replicas = 3;
    return foos.Update(stop, wanted);
  });
  return updated;
}

std::vector<Request> FoosOf(const ConfigMap& map) { return std::vector<Request>(map.data.size()); }

void Build(Manager& manager, Client<Foo>& client) {
  const auto foos = ListerFor<Foo>(manager);
  // clang-format off
  auto built = ControllerFor<Foo>(manager)
                   .Owns<Deployment>(OnGenerationChange())
                   .Watches<ConfigMap>([](const ConfigMap& map) { return FoosOf(map); })
                   .Reconcile([&](std::stop_token stop, const Request& request) -> Expected<void>
                   {
                     const Ptr<Foo> foo = foos.Get(request.String());
                     auto updated = client.UpdateStatus(stop, *foo);
                     return {};
                   });
  // clang-format on
}

void Predicates(Manager& manager) {
  const auto map = [](const ConfigMap& config) { return std::vector<Request>(config.data.size()); };
  (void)ControllerFor<Foo>(manager, Or(OnGenerationChange(), OnLabelChange()))
      .Owns<Deployment>(OnGenerationChange())
      .Watches<ConfigMap>(map, [](const ConfigMap& cm) { return cm.data.contains("foo"); })
      .Reconcile([](const std::stop_token& /*stop*/, const Request& /*request*/) -> Expected<void> {
        return {};
      });
}

int Read(const runtime::JsonValue& spec, const runtime::JsonValue& object) {
  int members = 0;
  for (const runtime::JsonValue& container :
       runtime::JsonElements(*runtime::Find(spec, "containers"))) {
    members += runtime::IsJsonObject(container) ? 1 : 0;
  }
  for (const auto& [name, value] : runtime::JsonMembers(*runtime::Find(object, "data"))) {
    members += !name.empty() && runtime::AsString(value) ? 1 : 0;
  }
  return members;
}

std::string Write() {
  runtime::JsonWriter writer;
  writer.StartObject();
  writer.Key("replicas");
  writer.Int(3);
  writer.EndObject();
  std::string text = std::move(writer).Take();
  return text;
}

std::optional<int> GetByPath(const Unstructured& object) {
  return object.Get<int>({"spec", "replicas"});
}

void Log(const std::string& name, const std::string& key) {
  LOG(FATAL) << Kv("Impossible state", "controller", name, "object", key);
}

void LogWithoutGlog(const Error& error, const ObjectKey& key) {
  InfoS("Reconciled object", "object", key.String(), "replicas", 3);
  ErrorS(error, "Failed to delete", "object", key.String());
  V(2).InfoS("Nothing to do");
}

std::unique_ptr<transport::HttpTransport> Script() {
  // clang-format off
  auto transport = std::make_unique<testing::FakeTransport>();
  transport->Push({.chunks = {R"({"type":"ADD)", R"(ED",...})" "\n"},
                   .end = testing::FakeEnd::kHang});
  transport->Push({.fail = Error{.reason = ErrorReason::kConnectionRefused}});
  // clang-format on
  return transport;
}

void Damage(const testing::apiserver::Server& server) {
  testing::FaultProxy proxy(server.port());
  proxy.Damage({.bytes_max = 700, .end = testing::FaultProxy::End::kReset}, 3);  // the next three
}

void LogEvents(const Foo& foo) {
  testing::FakeRecorder recorder;
  recorder.Event(ReferenceTo(foo), "Normal", "Synced", "Foo synced");
  for (const auto& event : recorder.Take()) InfoS("Event", "text", event.String());
}

void AddFlags(flags::FlagSet& flags) {
  // clang-format off
  std::string registry = "docker.io";
  std::chrono::nanoseconds resync = std::chrono::minutes(5);
  flags.AddSection("Images", {{.name = "image-registry", .usage = "The registry of all images.",
                               .variable = &registry},
                              {.name = "resync", .usage = "Time between two checks.",
                               .variable = &resync}});
  // clang-format on
}

Expected<void> AddFooWebhooks(Manager& manager) {
  return capstan::WebhookFor<Foo>(manager)
      .Default([](Foo& foo) {
        if (foo.spec.deployment_name.empty()) foo.spec.deployment_name = foo.metadata.name;
      })
      .ValidateCreate([](const Foo& foo) -> Expected<void> {
        if (foo.spec.replicas % 2 == 1) return {};
        return Err(ErrorReason::kInvalid, "spec.replicas: must be odd");
      })
      .ValidateUpdate([](const Foo& old, const Foo& foo, AdmissionContext& context) {
        if (foo.spec.replicas < old.spec.replicas) context.Warn("fewer replicas than before");
      })
      .Complete();
}

Expected<void> AddFooConversion(Manager& manager) {
  return capstan::ConversionFor<FooV2>(manager)
      .Spoke<Foo>([](const Foo& foo, FooV2& hub) { hub.spec.size = foo.spec.replicas; },
                  [](const FooV2& hub, Foo& foo) { foo.spec.replicas = hub.spec.size; })
      .Complete();
}

Expected<void> AddNameWebhook(Manager& manager) {
  const auto found = webhook::ServerFor(manager);
  if (!found) return tl::unexpected(found.error());
  webhook::Server& server = **found;
  return server.Register(
      "/check-names", [](AdmissionContext&, const webhook::AdmissionRequest& request) {
        return request.name.starts_with("team-") ? webhook::Allowed()
                                                 : webhook::Denied("the name needs a team");
      });
}

void Discover(rest::Client& client, const std::stop_token& stop) {
  discovery::DiscoveryClient discovery(client);
  auto found = discovery.ServerGroupsAndResources(stop);
  if (!found) return;
  for (const discovery::ApiResourceList& list : found->resources) {
    InfoS("Found", "version", list.group_version.String());
  }
  if (!found->failed.empty())
    ErrorS(discovery::GroupDiscoveryFailed(found->failed), "Some groups are missing");
}

void MapKinds(rest::Client& client, restmapper::RestMapper& dynamic_mapper,
              const std::stop_token& stop) {
  restmapper::ShortcutExpander mapper(dynamic_mapper, client);
  auto resource = mapper.ResourceFor(stop, {.resource = "deploy"});
  auto type = restmapper::UnstructuredTypeFor(stop, mapper, {"apps", "v1", "Deployment"});
}

// Logs the objects of a kind that is known at run time only, until `stop`.
Expected<void> LogObjects(const std::stop_token& stop, rest::Client& client,
                          const GroupVersionKind& kind) {
  restmapper::DynamicRestMapper mapper(client);
  const auto type = restmapper::UnstructuredTypeFor(stop, mapper, kind);
  if (!type) return Err(type.error());
  cache::SharedInformerFactory informers(client, {});
  const auto handler = informers.ForType(*type).AddEventHandler(
      {.on_add = [](const runtime::ObjectPtr& object, bool /*is_in_initial_list*/) {
        const auto& added = static_cast<const TypedObject<Unstructured>&>(*object);
        InfoS("Added", "object", added.key(), "replicas",
              added.Get<int>({"spec", "replicas"}).value_or(1));
      }});
  if (!handler) return Err(handler.error());
  informers.Start(stop);
  WaitForStop(stop);
  informers.Shutdown();
  return {};
}

Expected<void> AddEast(Manager& manager, const rest::Config& config) {
  auto east = Cluster::New(config, {.name = "east", .component = "my-controller"});
  if (!east) return Err(east.error());
  return manager.AddCluster(*std::move(east));
}

// Reconciles the Foos of all clusters, which come and go while the Manager runs.
Expected<void> ReconcileEverywhere(Manager& manager) {
  const auto reconcile = [&](const std::stop_token& stop,
                             const Request& request) -> Expected<void> {
    const std::shared_ptr<Cluster> cluster = manager.GetCluster(request.cluster);
    if (cluster == nullptr) return {};  // it was removed
    const Ptr<Foo> foo = ListerFor<Foo>(*cluster).Get(request.String());
    if (foo == nullptr) return {};
    Foo wanted = *foo;
    wanted.status.available_replicas = wanted.spec.replicas;
    const auto updated = Client<Foo>(cluster->client()).UpdateStatus(stop, wanted);
    if (!updated) return Err(updated.error());
    return {};
  };
  return ControllerFor<Foo>(manager).EngageClusters().Complete(reconcile);
}

// Reconciles the Foos of this cluster when a ConfigMap of another one changes.
Expected<void> WatchBoth(Manager& manager, Cluster& east) {
  return ControllerFor<Foo>(manager)
      .Watches<ConfigMap>(east, FoosOf)
      .Complete([](const std::stop_token&, const Request&) {});
}

void InjectFaults(testing::apiserver::Server& server) {
  server.InjectFault({.match = {.verb = "update", .resource = "foos", .subresource = "status"},
                      .code = 409,
                      .message = "injected conflict"});
  server.InjectFault({.match = {.verb = "list", .resource = "foos"},
                      .action = testing::apiserver::FaultAction::kHang});
  server.CutWatches();          // as a load balancer does
  server.CompactWatchWindow();  // the next watch gets 410 Gone
}

// The wait for an Event in a test.
void AwaitEvent(rest::Client* client, const Foo& foo) {
  testing::Require(testing::UnknownField<ConfigMap>().empty(), "ConfigMap has these fields");
  testing::Require(testing::Eventually([&] {
                     return std::ranges::any_of(
                         testing::EventsOf(*client, foo.metadata.uid),
                         [](const api::EventFields& event) { return event.reason == "Synced"; });
                   }),
                   "an Event about the Foo");
}

// The helpers of a test that uses no test framework.
void TestFoo(const rest::Config& config, Manager* const manager, const ObjectKey& key) {
  const auto client = testing::Value(rest::Client::New(config), "a client");
  const Client<Foo> foos(*client);
  testing::Require(testing::Eventually([&] { return foos.Get({}, key).has_value(); }),
                   "the Foo is there");
  testing::Scope scope(*client, "foo-test", {CustomResourceDefinition<Foo>()});
  testing::Running running(*manager);
  testing::Require(manager->informers().WaitForCacheSync({}), "the caches sync");
  Foo foo;
  foo.metadata.namespace_ = scope.NewNamespace();
  foo.metadata.name = "a";
  const Foo created = testing::Create(foos, foo);
  testing::Value(running.Stop(), "the manager ends");
}

}  // namespace capstan::docs

using capstan::ControllerFor;
using capstan::Expected;
using capstan::Manager;
using capstan::Request;

Expected<void> Reconcile(Manager& manager, const Request& request) {
  if (ListerFor<Foo>(manager).Get(request.String()) == nullptr) return {};
  capstan::docs::Predicates(manager);
  return {};
}

// clang-format off
int main(int argc, char** argv) {
  return capstan::RunManager(
      argc, argv,
      {.name = "foo-controller",
       .set_up = [](Manager& manager) { return ControllerFor<Foo>(manager).Reconcile(
           [&](std::stop_token, const Request& key) { return Reconcile(manager, key); }); },
       .crds = {capstan::CustomResourceDefinition<Foo>()}});
}
