// SPDX-License-Identifier: Apache-2.0
#include "e2e/injection/fixture.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <tuple>
#include <utility>

#include "capstan/api/config_map.h"
#include "capstan/api/object_metadata.h"
#include "capstan/clientcmd/config.h"
#include "capstan/file.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/transport/http2_transport.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/targets/target.h"

namespace capstan::injection {

namespace apiserver = testing::apiserver;

namespace {

// The part of cert-manager's definition that a source needs: the server stores Certificates.
constexpr const char* kCertificateDefinition =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
    R"("metadata":{"name":"certificates.cert-manager.io"},"spec":{"group":"cert-manager.io",)"
    R"("scope":"Namespaced","names":{"plural":"certificates","singular":"certificate",)"
    R"("kind":"Certificate","listKind":"CertificateList"},"versions":[{"name":"v1","served":true,)"
    R"("storage":true,"schema":{"openAPIV3Schema":{"type":"object",)"
    R"("x-kubernetes-preserve-unknown-fields":true}}}]}})";

const std::string kFence = "fence";

const runtime::ResourceType& NamespaceType() {
  static const runtime::ResourceType type = api::MakeMetadataType(
      {.gvr = {"", "v1", "namespaces"}, .kind = "Namespace", .annotations = {}});
  return type;
}

const runtime::ResourceType& TypeOfKind(const std::string& kind) {
  for (const cainjector::Target* target : Targets()) {
    if (target->type().kind == kind) return target->type();
  }
  if (kind == "Certificate") return cainjector::CertManagerCertificate::Type();
  if (kind == "ConfigMap") return capstan::TypeOf<api::ConfigMap>();
  if (kind == "Namespace") return NamespaceType();
  return cainjector::SecretMetadataType();
}

void ReplaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::span<const cainjector::Target* const> Targets() {
  static const std::array<const cainjector::Target*, 4> targets = {
      &cainjector::ValidatingWebhookTarget(), &cainjector::MutatingWebhookTarget(),
      &cainjector::ApiServiceTarget(), &cainjector::CustomResourceDefinitionTarget()};
  return targets;
}

struct InjectionTest::Cluster {
  std::unique_ptr<apiserver::Server> embedded;  // null for a real server
  rest::Config admin;
  rest::Config manager;
};

std::unique_ptr<InjectionTest::Cluster> InjectionTest::suite_cluster;

void InjectionTest::SetUpTestSuite() {
  suite_cluster = std::make_unique<Cluster>();
  const testing::TempDir made;
  const char* const given = std::getenv("CAPSTAN_INJECTION_CLUSTER");
  const std::string folder = given == nullptr ? made.Path("") : given + std::string("/");
  if (given == nullptr) {
    suite_cluster->embedded = std::make_unique<apiserver::Server>(
        apiserver::Options{.tokens = {{"admin", "admin"}, {"capstan", "capstan"}}});
    ASSERT_TRUE(suite_cluster->embedded->Start().has_value());
    for (const std::string user : {"admin", "capstan"}) {
      made.Write("kubeconfig." + user, suite_cluster->embedded->Kubeconfig(user));
    }
  }
  const auto load = [&](const std::string& user) {
    auto config = clientcmd::LoadKubeconfig({folder + "kubeconfig." + user}, "");
    EXPECT_TRUE(config.has_value()) << config.error().message;
    return config ? *std::move(config) : rest::Config{};
  };
  suite_cluster->admin = load("admin");
  suite_cluster->manager = load("capstan");
  if (suite_cluster->embedded != nullptr) return;  // the embedded server serves Certificates

  const auto client = rest::Client::New(suite_cluster->admin).value();
  const auto created =
      client->Create({}, TypeOfKind("CustomResourceDefinition"), "", kCertificateDefinition);
  ASSERT_TRUE(created || IsAlreadyExists(created.error())) << created.error().message;
  ASSERT_TRUE(testing::Eventually([&] {
    return client->List({}, TypeOfKind("Certificate"), {}, [](const auto&) {}).has_value();
  }));
}

void InjectionTest::TearDownTestSuite() { suite_cluster = nullptr; }

void InjectionTest::SetUp() {
  std::random_device random;
  id_ = "-" + std::to_string(random());
  observer_ = rest::Client::New(suite_cluster->admin).value();
  connection_.config = suite_cluster->manager;
  connection_.new_client =
      [this](rest::Config config,
             rest::ClientOptions options) -> Expected<std::unique_ptr<rest::Client>> {
    auto transport = transport::NewHttpTransport({.host = config.host, .tls = config.tls});
    if (!transport) return Err(std::move(transport.error()));
    return std::make_unique<rest::Client>(std::move(config), recorder_.Wrap(*std::move(transport)),
                                          std::move(options));
  };

  const auto& tls = suite_cluster->manager.tls;
  const std::string pem = tls.ca_data.empty() ? ReadFile(tls.ca_file).value() : tls.ca_data;
  const auto certificates = cainjector::ParseBundle(pem);
  ASSERT_TRUE(certificates.has_value()) << certificates.error().message;
  api_server_ca_ = cainjector::EncodeBundle(*certificates);
  Create({R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + Own("ns") + R"("}})"});
}

void InjectionTest::TearDown() {
  for (const auto& [target, name] : created_) {
    const runtime::ObjectKey key{"", TargetName(*target, Own(name))};
    const auto deleted = observer_->Delete({}, target->type(), key);
    EXPECT_TRUE(deleted || IsNotFound(deleted.error())) << deleted.error().message;
  }
}

std::string InjectionTest::Own(const std::string& name) const {
  if (name == "ns" || name.starts_with("ns-")) return "injection" + id_ + name.substr(2);
  return name + id_;
}

std::string InjectionTest::Moved(const std::string& object) const {
  std::string moved = object;
  for (const std::string after : {"\"", "/", "-"}) {
    ReplaceAll(moved, "\"ns" + after, "\"" + Own("ns") + after);
  }
  ReplaceAll(moved, "/ns/", "/" + Own("ns") + "/");  // in a list of sources
  return moved;
}

std::string InjectionTest::Translated(std::string text) const {
  ReplaceAll(text, Own("ns"), "ns");
  ReplaceAll(text, id_, "");
  return text;
}

void InjectionTest::Create(const std::vector<std::string>& objects) {
  for (const std::string& object : objects) {
    const std::string moved = Moved(object);
    const auto json = apiserver::ParseJson(moved, nullptr);
    ASSERT_NE(json, nullptr) << moved;
    const std::string ns(runtime::GetString(*runtime::Find(*json, "metadata"), "namespace"));
    const auto created = observer_->Create(
        {}, TypeOfKind(std::string(runtime::GetString(*json, "kind"))), ns, moved);
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }
}

void InjectionTest::Grant(const std::string& role, const std::string& binding) {
  for (const auto& [kind, plural, json] :
       {std::tuple("ClusterRole", "clusterroles", role),
        std::tuple("ClusterRoleBinding", "clusterrolebindings", binding)}) {
    const auto type = api::MakeMetadataType(
        {.gvr = {"rbac.authorization.k8s.io", "v1", plural}, .kind = kind, .annotations = {}});
    const auto created = observer_->Create({}, type, "", json);
    ASSERT_TRUE(created || IsAlreadyExists(created.error())) << created.error().message;
  }
}

void InjectionTest::CreateNamespace(const std::string& name) {
  Create({R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns-)" + name + R"("}})"});
}

void InjectionTest::CreateTarget(const cainjector::Target& target, const std::string& name,
                                 const cainjector::Annotations& annotations,
                                 const std::string& bundle) {
  created_.emplace_back(&target, name);
  Create({StoredTarget(target, Own(name), annotations, bundle)});
}

void InjectionTest::CreateTargets(const std::string& name,
                                  const cainjector::Annotations& annotations,
                                  const std::string& bundle) {
  for (const cainjector::Target* target : Targets())
    CreateTarget(*target, name, annotations, bundle);
}

::testing::AssertionResult InjectionTest::AllHold(const std::string& name,
                                                  const std::string& bundle) {
  for (const cainjector::Target* target : Targets()) {
    if (Holds(*target, name, bundle)) continue;
    return ::testing::AssertionFailure()
           << target->type().kind << " " << name << " holds "
           << ::testing::PrintToString(BundlesOf(*target, name)) << ", not " << bundle;
  }
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult InjectionTest::AllComeToHold(const std::string& name,
                                                        const std::string& bundle) {
  testing::Eventually([&] { return static_cast<bool>(AllHold(name, bundle)); });
  return AllHold(name, bundle);
}

::testing::AssertionResult InjectionTest::AllGetEvent(cainjector::Process& process,
                                                      const std::string& name,
                                                      const std::string& text) {
  for (const cainjector::Target* target : Targets()) {
    const std::string about = target->type().kind + "/" + TargetName(*target, name) + ": ";
    const bool found = testing::Eventually([&] {
      const auto events = Events(process);
      return std::any_of(events.begin(), events.end(), [&](const std::string& event) {
        return event.find(about) != std::string::npos && event.find(text) != std::string::npos;
      });
    });
    if (found) continue;
    return ::testing::AssertionFailure() << about << "no Event with " << text << " among "
                                         << ::testing::PrintToString(Events(process));
  }
  return ::testing::AssertionSuccess();
}

bool InjectionTest::ComesToHold(const cainjector::Target& target, const std::string& name,
                                const std::string& bundle) {
  return testing::Eventually([&] { return Holds(target, name, bundle); });
}

bool InjectionTest::GetsEvent(cainjector::Process& process, const std::string& text) {
  return testing::Eventually([&] {
    const auto events = Events(process);
    return std::any_of(events.begin(), events.end(), [&](const std::string& event) {
      return event.find(text) != std::string::npos;
    });
  });
}

void InjectionTest::PassFence(cainjector::Process& process) {
  const std::string name = kFence + std::to_string(++fences_);
  CreateTargets(name, {{cainjector::kInjectApiServerCa, "true"}});
  ASSERT_TRUE(AllComeToHold(name, api_server_ca_));
  ASSERT_TRUE(Settled(process));
}

std::vector<std::string> InjectionTest::Events(const cainjector::Process& process) const {
  std::vector<std::string> own;
  for (const std::string& event : process.events.events()) {
    const std::string translated = Translated(event);
    if (translated != event) own.push_back(translated);
  }
  return own;
}

std::string InjectionTest::Metrics(cainjector::Process& process) const {
  return Translated(process.Metrics());
}

std::uint64_t InjectionTest::Writes() const {
  const auto accepted = [&](const std::vector<std::string>& parts) {
    return recorder_.Count("PATCH", parts) - recorder_.CountConflicts("PATCH", parts);
  };
  return accepted({id_}) - accepted({kFence, id_});
}

std::uint64_t InjectionTest::Gets(const std::string& resource) const {
  return recorder_.Count("GET", {"/" + resource + "/"});
}

}  // namespace capstan::injection
