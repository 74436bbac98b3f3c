// SPDX-License-Identifier: Apache-2.0
// secret_mirror_test PROGRAM [--real KUBECONFIG] runs secret-mirror on the embedded API server, or
// on the cluster of a kubeconfig. Exit code 0: passed.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "capstan/client.h"
#include "capstan/clientcmd/config.h"
#include "capstan/log.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/running.h"
#include "capstan/testing/scope.h"
#include "capstan/unstructured.h"
#include "secret-mirror/controller.h"
#include "secret-mirror/kinds.h"
#include "testing/example_test.h"
#include "testing/objects.h"
#include "testing/program.h"

namespace {

using capstan::Patch;
using capstan::Unstructured;
using capstan::runtime::ObjectKey;
using capstan::testing::Create;
using capstan::testing::Eventually;
using capstan::testing::Running;
using capstan::testing::Scope;
using Data = std::map<std::string, std::string>;
using Labels = std::map<std::string, std::string>;

const Data kFirst = {{"password", "c2VjcmV0"}};
const Data kSecond = {{"password", "Y2hhbmdlZA=="}, {"user", "YWRtaW4="}};

Secret NewSecret(const std::string& ns, const std::string& name, const Data& data,
                 const Labels& labels = {}) {
  Secret secret;
  secret.metadata.name = name;
  secret.metadata.namespace_ = ns;
  secret.metadata.labels = labels;
  secret.data = data;
  return secret;
}

// Secrets are those of a test, with checks that wait.
class Secrets {
 public:
  explicit Secrets(capstan::rest::Client& client) : client_(client) {}

  void Add(const Secret& secret) { Create(client_, secret); }
  void Change(const ObjectKey& key, const Patch& patch) {
    Value(client_.Patch({}, key, patch), "a patch of Secret " + key.String());
  }
  void Replace(const ObjectKey& key, const Data& data) {
    Secret secret = *Value(client_.Get({}, key), "get Secret " + key.String());
    secret.data = data;
    Value(client_.Update({}, secret), "update Secret " + key.String());
  }
  void Delete(const ObjectKey& key) {
    Value(client_.Delete({}, key), "delete Secret " + key.String());
  }
  std::optional<Secret> Get(const ObjectKey& key) {
    const auto found = client_.Get({}, key);
    Require(found || IsNotFound(found.error()), "get Secret " + key.String());
    if (!found) return std::nullopt;
    return **found;
  }
  void RequireData(const ObjectKey& key, const Data& data, const std::string& what) {
    const auto equal = [&] {
      const auto found = Get(key);
      return found && found->data == data;
    };
    Require(Eventually(equal), what);
  }
  void RequireGone(const ObjectKey& key, const std::string& what) {
    Require(Eventually([&] { return !Get(key); }), what);
  }

 private:
  const capstan::Client<Secret> client_;
};

// World is a source, a namespace with its copy, one with another Secret of that name, and one that
// joins the group later.
struct World {
  explicit World(const std::string& kubeconfig)
      : client(Value(capstan::rest::Client::New(
                         Value(capstan::clientcmd::LoadConfig({.kubeconfig = kubeconfig}),
                               "the kubeconfig is read")),
                     "a client")),
        scope(*client, "secret-mirror"),
        namespaces(*client, Unstructured::TypeFor({"", "v1", "namespaces"}, "Namespace", false)),
        secrets(*client) {
    secrets.Add(NewSecret(home, "shared", kFirst, group));
    secrets.Add(NewSecret(home, "private", kFirst));
    secrets.Add(NewSecret(taken.namespace_, "shared", {{"other", "eA=="}}));
  }

  // `value` is JSON.
  static Patch SetGroup(const std::string& value) {
    return Patch::Merge(R"({"metadata":{"labels":{")" + std::string(kGroupLabel) + "\":" + value +
                        "}}}");
  }
  void SetGroupOf(const std::string& ns, const std::string& value) const {
    Value(namespaces.Patch({}, {"", ns}, SetGroup(value)), "label a namespace");
  }

  std::unique_ptr<capstan::rest::Client> client;
  Scope scope;
  capstan::Client<Unstructured> namespaces;
  Secrets secrets;
  std::string home = scope.NewNamespace();
  Labels group = {{kGroupLabel, home}};  // unique on this server
  ObjectKey source{home, "shared"};
  ObjectKey copy{scope.NewNamespace(group), "shared"};
  ObjectKey taken{scope.NewNamespace(group), "shared"};
  ObjectKey late{scope.NewNamespace(), "shared"};
};

void TestCopies(World& world) {
  Secrets& secrets = world.secrets;
  secrets.RequireData(world.copy, kFirst, "a namespace of the group gets a copy");
  Require(Eventually([&] {
            return HasEvent(
                *world.client, secrets.Get(world.source)->metadata.uid, "SecretExists",
                "Secret " + world.taken.String() + " exists and is not a copy of this one", 2);
          }),
          "an Event about the Secret that is in the way, with each attempt");
  Require(secrets.Get(world.taken)->data == Data{{"other", "eA=="}}, "it is not overwritten");
  secrets.Delete(world.taken);
  secrets.RequireData(world.taken, kFirst, "the copy follows when the name is free");

  world.SetGroupOf(world.late.namespace_, '"' + world.home + '"');
  secrets.RequireData(world.late, kFirst, "a namespace that joins the group gets a copy");
  secrets.Replace(world.source, kSecond);
  for (const auto& key : {world.copy, world.taken, world.late}) {
    secrets.RequireData(key, kSecond, "copies follow their source");
  }
  secrets.Replace(world.copy, kFirst);
  secrets.RequireData(world.copy, kSecond, "a changed copy is repaired");
  secrets.Delete(world.copy);
  secrets.RequireData(world.copy, kSecond, "a deleted copy is created again");
  Require(!secrets.Get({world.copy.namespace_, "private"}), "other Secrets are not copied");
}

void TestChangedGroups(World& world) {
  Secrets& secrets = world.secrets;
  const std::string home = '"' + world.home + '"';
  const std::string other = '"' + world.home + "-b\"";
  world.SetGroupOf(world.late.namespace_, other);
  secrets.RequireGone(world.late, "a namespace that changes its group loses its copy");
  secrets.Change(world.source, World::SetGroup(other));
  secrets.RequireData(world.late, kSecond, "a source that changes its group has copies there");
  secrets.RequireGone(world.copy, "the old group loses its copies");
  secrets.RequireGone(world.taken, "all of them");
  secrets.Change(world.source, World::SetGroup(home));
  secrets.RequireData(world.copy, kSecond, "the first group has copies again");
  secrets.RequireData(world.taken, kSecond, "in all its namespaces");
  secrets.RequireGone(world.late, "the other group loses its copy");
  world.SetGroupOf(world.late.namespace_, home);
  secrets.RequireData(world.late, kSecond, "the namespace is in the group again");

  secrets.Change(world.copy,
                 Patch::Merge(R"({"metadata":{"annotations":{")" + std::string(kSourceAnnotation) +
                              "\":\"" + world.home + R"(/private"}}})"));
  Require(Eventually([&] {
            const auto found = secrets.Get(world.copy);
            if (!found) return false;
            const auto source = found->metadata.annotations.find(kSourceAnnotation);
            return source != found->metadata.annotations.end() &&
                   source->second == world.source.String() && found->data == kSecond;
          }),
          "a copy whose annotation is changed is repaired");
}

void TestCleanUp(World& world) {
  Secrets& secrets = world.secrets;
  world.SetGroupOf(world.late.namespace_, "null");
  secrets.RequireGone(world.late, "a namespace that leaves the group loses its copy");
  secrets.Change(world.source, World::SetGroup("null"));
  secrets.RequireGone(world.copy, "a Secret without the label has no copies");
  secrets.Change(world.source, World::SetGroup('"' + world.home + '"'));
  secrets.RequireData(world.copy, kSecond, "the copies are back with the label");

  // A type cannot be changed, so the copy is another object.
  secrets.Delete(world.source);
  Secret typed = NewSecret(world.home, "shared", kFirst, world.group);
  typed.type = "example.com/credentials";
  secrets.Add(typed);
  Require(Eventually([&] {
            const auto found = secrets.Get(world.copy);
            return found && found->type == typed.type && found->data == kFirst;
          }),
          "a copy has the type of its source");
}

void TestMirror(const std::string& path, const std::string& kubeconfig) {
  World world(kubeconfig);
  {
    Program program(path, kubeconfig, {"--retry=100ms", "--source-namespaces=other," + world.home});
    TestCopies(world);
    TestChangedGroups(world);
    TestCleanUp(world);
    program.Stop();
  }
  world.secrets.Delete(world.source);
  Program program(path, kubeconfig);
  world.secrets.RequireGone(world.copy, "the source was deleted while nothing ran");
  world.secrets.RequireGone(world.taken, "all its copies go");
  program.Stop();
}

// What is in sync causes no request, and the values of Secrets are in no cache.
void TestReadsAndKeepsLittle() {
  capstan::testing::apiserver::Server server;
  Value(server.Start(), "the embedded API server starts");
  const auto client = Value(capstan::rest::Client::New(server.Config()), "a client");
  Scope scope(*client, "secret-mirror");
  const Labels group = {{kGroupLabel, "a"}};
  const ObjectKey copy{scope.NewNamespace(group), "large"};
  const Data data = {{"large", std::string(100'000, 'a')}};
  Secrets secrets(*client);
  secrets.Add(NewSecret("default", "large", data, group));
  for (const bool first : {true, false}) {
    const auto manager = Value(
        capstan::Manager::New(server.Config(),
                              {.name = "secret-mirror", .cluster = {.cache = CacheOptions({})}}),
        "a manager");
    const auto* controller = Value(AddSecretMirror(*manager, {}), "the controller");
    server.ResetRequests();
    Running running(*manager);
    Require(Eventually([&] { return controller->FirstPassDone(); }), "all keys are reconciled");
    if (first) secrets.RequireData(copy, data, "the copy is created");
    const auto count = [&](const std::string& verb) {
      return server.CountRequests(
          {.verb = verb, .resource = "secrets", .user_agent = "secret-mirror"});
    };
    Require(count("get") == (first ? 1 : 0), "a source is read when a copy is written");
    Require(count("create") == (first ? 1 : 0), "only a missing copy is created");
    Require(count("update") == 0, "a copy in sync is not updated");
    const auto cached = ListerFor<SourceSecret>(*manager).Get("default/large");
    Require(cached != nullptr && cached->ByteSize() < 1000, "the cache has no data");
    Value(running.Stop(), "the manager ends");
  }
}

// Embedded is an API server in this process, with a client and a Manager with the controller. A
// fault needs it.
struct Embedded {
  explicit Embedded(const Settings& settings = {})
      : manager(Value(
            capstan::Manager::New(server.Config(), {.name = "secret-mirror",
                                                    .cluster = {.cache = CacheOptions(settings)}}),
            "a manager")),
        controller(Value(AddSecretMirror(*manager, settings), "the controller")) {}
  std::string NewNamespace(const std::string& group) {
    return scope.NewNamespace(group.empty() ? Labels{} : Labels{{kGroupLabel, group}});
  }

  static capstan::testing::apiserver::Server& Start(capstan::testing::apiserver::Server& server) {
    Value(server.Start(), "the embedded API server starts");
    return server;
  }
  capstan::testing::apiserver::Server server;
  std::unique_ptr<capstan::rest::Client> client =
      Value(capstan::rest::Client::New(Start(server).Config()), "a client");
  Scope scope{*client, "secret-mirror"};
  Secrets secrets{*client};
  std::unique_ptr<capstan::Manager> manager;
  const capstan::Controller* controller;
};

// A namespace that takes no copies, or does not lose one, does not keep the others from theirs.
void TestOneNamespaceFails() {
  Embedded one;
  const std::string home = one.NewNamespace("");
  std::map<std::string, ObjectKey> copies;  // by namespace: in the order of the controller
  for (int i = 0; i < 3; ++i) {
    const std::string ns = one.NewNamespace("a");
    copies[ns] = {ns, "shared"};
  }
  const std::string bad = copies.begin()->first;
  const ObjectKey good = copies.rbegin()->second;
  one.server.InjectFault({.match = {.verb = "create", .resource = "secrets", .namespace_ = bad},
                          .code = 403,
                          .message = "exceeded quota",
                          .count = -1});
  one.secrets.Add(NewSecret(home, "shared", kFirst, {{kGroupLabel, "a"}}));
  Running running(*one.manager);
  one.secrets.RequireData(good, kFirst, "the next namespaces get their copies");
  one.server.ClearFaults();
  one.secrets.RequireData(copies[bad], kFirst, "the write is retried");

  // A copy that cannot be deleted keeps neither the others nor a new one back.
  one.server.InjectFault({.match = {.verb = "delete", .resource = "secrets", .namespace_ = bad},
                          .code = 403,
                          .count = -1});
  const ObjectKey late{one.NewNamespace("b"), "shared"};
  one.secrets.Change({home, "shared"}, World::SetGroup("\"b\""));
  one.secrets.RequireGone(good, "the copies in other namespaces are deleted");
  one.secrets.RequireData(late, kFirst, "the namespaces of the new group get their copies");
  Require(one.secrets.Get(copies[bad]).has_value(), "one copy is left");
  one.server.ClearFaults();
  one.secrets.RequireGone(copies[bad], "the deletion is retried");
  Value(running.Stop(), "the manager ends");
}

// Settings::source_namespaces are the only ones whose Secrets are copied.
void TestSourceNamespaces() {
  Embedded one({.source_namespaces = {"platform", "default"}});
  const std::string other = one.NewNamespace("");
  const std::string ns = one.NewNamespace("a");
  const Labels group = {{kGroupLabel, "a"}};
  one.secrets.Add(NewSecret(other, "hostile", kFirst, group));
  Secret old = NewSecret(ns, "old", kFirst, {{kCopyLabel, "true"}});
  old.metadata.annotations = {{kSourceAnnotation, other + "/old"}};
  one.secrets.Add(old);
  one.secrets.Add(NewSecret(other, "old", kFirst, group));
  one.secrets.Add(NewSecret("default", "shared", kFirst, group));
  Running running(*one.manager);
  one.secrets.RequireData({ns, "shared"}, kFirst, "a source in a namespace of the list is copied");
  one.secrets.RequireGone({ns, "old"}, "the copy of a source in another namespace is deleted");
  Require(Eventually([&] { return one.controller->FirstPassDone(); }), "all keys are reconciled");
  Require(!one.secrets.Get({ns, "hostile"}), "no source in another namespace is copied");
  Value(running.Stop(), "the manager ends");
}

// The source is read when a copy is written, and may be newer than the cache. Its new data belong
// to its new group only.
void TestNewDataStayInTheirGroup() {
  Embedded one;
  const ObjectKey source{one.NewNamespace(""), "shared"};
  const ObjectKey old_group{one.NewNamespace("a"), "shared"};
  const ObjectKey new_group{one.NewNamespace("b"), "shared"};
  one.secrets.Add(NewSecret(source.namespace_, source.name, kFirst, {{kGroupLabel, "a"}}));
  Running running(*one.manager);
  one.secrets.RequireData(old_group, kFirst, "the old group has a copy");
  const auto count = [&](const std::string& verb) {
    return one.server.CountRequests(
        {.verb = verb, .resource = "secrets", .user_agent = "secret-mirror"});
  };
  const auto reads = count("get");

  for (const char* verb : {"watch", "list"}) {  // the cache of Secrets stays as it is
    one.server.InjectFault(
        {.match = {.verb = verb, .resource = "secrets"}, .code = 503, .count = -1});
  }
  one.server.CutWatches();
  one.secrets.Change(source,
                     Patch::Merge(R"({"metadata":{"labels":{"example.com/mirror-group":"b"}},)"
                                  R"("data":{"password":"Y2hhbmdlZA==","user":"YWRtaW4="}})"));
  one.NewNamespace("a");
  Require(Eventually([&] { return count("get") > reads; }), "a copy for a new namespace is due");
  one.server.ClearFaults();
  one.secrets.RequireData(new_group, kSecond, "the new group gets the new data");
  one.secrets.RequireGone(old_group, "the old group loses its copy");
  Require(count("create") == 2 && count("update") == 0, "the old group never gets the new data");
  Value(running.Stop(), "the manager ends");
}

}  // namespace

int main(int argc, char** argv) {
  capstan::InitLogs("secret_mirror_test");
  return RunTest(argc, argv, [&](const std::string& kubeconfig) {
    Require(argc == 2 || argc == 4, "usage: secret_mirror_test PROGRAM [--real KUBECONFIG]");
    TestMirror(argv[1], kubeconfig);
    TestReadsAndKeepsLittle();
    TestOneNamespaceFails();
    TestNewDataStayInTheirGroup();
    TestSourceNamespaces();
  });
}
