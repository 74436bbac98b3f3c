// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/apiserver/server.h"

#include <glog/logging.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <future>
#include <utility>
#include <vector>

#include "capstan/base64.h"
#include "capstan/httpserver/server.h"
#include "clientgo/testing/apiserver/admission/conversion.h"
#include "clientgo/testing/apiserver/admission/policies.h"
#include "clientgo/testing/apiserver/admission/webhook_calls.h"
#include "clientgo/testing/apiserver/admission/webhooks.h"
#include "clientgo/testing/apiserver/authentication/authenticator.h"
#include "clientgo/testing/apiserver/authorization/authorization_configuration.h"
#include "clientgo/testing/apiserver/authorization/authorizer.h"
#include "clientgo/testing/apiserver/authorization/bootstrap_policy.h"
#include "clientgo/testing/apiserver/decoding/custom_resources.h"
#include "clientgo/testing/apiserver/http/api_handler.h"
#include "clientgo/testing/apiserver/http/watcher.h"
#include "clientgo/testing/apiserver/http2/http2_session.h"
#include "clientgo/testing/apiserver/registry/cluster_role_aggregator.h"
#include "clientgo/testing/apiserver/registry/definition_names.h"
#include "clientgo/testing/apiserver/registry/first_objects.h"
#include "clientgo/testing/apiserver/registry/flow_control.h"
#include "clientgo/testing/apiserver/registry/garbage_collector.h"
#include "clientgo/testing/apiserver/registry/namespace_controller.h"
#include "clientgo/testing/apiserver/registry/quota_status.h"
#include "clientgo/testing/apiserver/registry/registry.h"
#include "clientgo/testing/apiserver/registry/volume_protection.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/large_stacks.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kFirstNamespaces[] = {"default", "kube-node-lease", "kube-public",
                                                 "kube-system"};
constexpr std::string_view kLoader = "capstan-loader";  // the field manager of CreateObjects

}  // namespace

struct Server::Rep {
  explicit Rep(Options server_options)
      : options(std::move(server_options)),
        storage(options.watch_window),
        registry(storage),
        watchers({.storage = storage,
                  .bytes_max = options.watcher_bytes_max,
                  .run_after = [this](auto delay,
                                      auto task) { http->PostAfter(delay, std::move(task)); },
                  .call_webhooks =
                      [this](const auto& calls, auto resume) {
                        webhook_calls.Run(calls, std::move(resume));
                      }}),
        service_accounts(storage, {.issuers = options.service_accounts.issuers,
                                   .api_audiences = options.service_accounts.api_audiences,
                                   .signing_key_pem = options.service_accounts.signing_key_pem,
                                   .key_pem = options.service_accounts.key_pem}),
        authenticator({.tokens = options.tokens,
                       .passwords = options.passwords,
                       .groups = options.groups,
                       .uids = options.uids,
                       .anonymous = options.anonymous_auth,
                       .trusts_everybody = !UsesRbac(),
                       .service_accounts = service_accounts}),
        authorizer(UsesRbac() ? &policy : nullptr),
        aggregator(ForControllers()),
        definition_names(ForControllers()),
        flow_control(ForControllers()),
        garbage_collector(ForControllers(), resources),
        namespace_controller(ForControllers(), resources),
        quota_controller(ForControllers()),
        volume_protection(ForControllers()),
        webhook_calls({.services = options.webhook_services,
                       .new_uid = [this] { return registry.NewFields().uid; },
                       .post = [this](auto task) { Post(std::move(task)); }}),
        handler({.storage = storage,
                 .registry = registry,
                 .watchers = watchers,
                 .faults = faults,
                 .log = log,
                 .authenticator = authenticator,
                 .authorizer = authorizer,
                 .flow_control = flow_control,
                 .service_accounts = service_accounts,
                 .resources = resources,
                 .webhooks = webhooks,
                 .policies = policies,
                 .webhook_calls = webhook_calls,
                 .watch_list = options.watch_list,
                 .protobuf = options.protobuf,
                 .run_after = [this](auto delay, auto task) {
                   http->PostAfter(delay, std::move(task));
                 }}) {
    controllers = {&definition_names, &flow_control};
    if (options.cluster_role_aggregation) controllers.push_back(&aggregator);
    if (options.garbage_collection) {
      controllers.insert(controllers.end(), {&garbage_collector, &namespace_controller,
                                             &quota_controller, &volume_protection});
    }
    const auto dispatch = [this](const Resource& resource, const Event& event) {
      watchers.Dispatch(resource, event);
    };
    const auto observe = [this](const Resource& resource, const Event& event) {
      watchers.Dispatch(resource, event);
      if (resource.kind == "CustomResourceDefinition") ServeDefinition(event);
      if (IsAdmissionConfiguration(resource)) {
        webhooks.Update(resource, event);
        policies.Update(resource, event);
      }
      if (RbacPolicy::IsStored(resource)) policy.Update(resource, event);
      for (Controller* const controller : controllers) controller->Observe(resource, event);
    };
    storage.SetObservers(observe, dispatch);
    for (const std::string_view name : kFirstNamespaces) EnsureNamespace(name);
    for (const std::string& object : FirstObjects()) (void)CreateObject(object);
    flow_control.CreateFirstObjects(storage);
    if (UsesRbac()) CreateBootstrapPolicy();
  }

  Controller::Server ForControllers() {
    return {storage, registry, [this](auto task) { return Post(std::move(task)); }};
  }
  bool UsesRbac() const {
    return options.authorization == Authorization::kRbac || !options.authorization_config.empty();
  }
  bool AllowsEverybody() const {
    return !UsesRbac() && options.tokens.empty() && options.passwords.empty();
  }
  void CreateBootstrapPolicy();

  Expected<void> MakeCertificates();
  void EnsureNamespace(std::string_view name);
  // Serves, changes or removes the resource of a CustomResourceDefinition.
  void ServeDefinition(const Event& event);
  Expected<void> CreateObject(const std::string& object);
  // Runs `task` later on the server's thread. Returns false if there is none.
  bool Post(std::function<void()> task) { return http != nullptr && http->Post(std::move(task)); }
  void ScheduleBookmarks();
  // Runs `task` on the server's thread, or here when there is none, and returns its result.
  template <class Task>
  auto Run(Task task) {
    const auto job = std::make_shared<std::packaged_task<decltype(task())()>>(std::move(task));
    auto result = job->get_future();
    if (http == nullptr || !http->Post([job] { (*job)(); })) (*job)();
    return result.get();
  }

  const Options options;
  Storage storage;
  Registry registry;
  Watchers watchers;
  Faults faults;
  RequestLog log;
  ServiceAccountTokens service_accounts;
  bool has_token_keys = false;
  Authenticator authenticator;
  RbacPolicy policy;
  Authorizer authorizer;
  ClusterRoleAggregator aggregator;
  CustomResources resources;
  DefinitionNames definition_names;
  FlowControl flow_control;
  GarbageCollector garbage_collector;
  NamespaceController namespace_controller;
  QuotaController quota_controller;
  VolumeProtection volume_protection;
  std::vector<Controller*> controllers = {};  // those that the options ask for
  Webhooks webhooks;
  AdmissionPolicies policies;
  WebhookCalls webhook_calls;
  ApiHandler handler;
  KeyPair ca = {};       // of this server only
  KeyPair serving = {};  // for localhost
  std::uint16_t port = 0;
  std::unique_ptr<httpserver::Server> http;  // last: its thread uses all of the above
};

Expected<void> Server::Rep::MakeCertificates() {
  // The CAs of the servers in one trust store need different names.
  auto new_ca = MakeCa({.common_name = options.name + "-ca"});
  if (!new_ca) return Err(std::move(new_ca.error()));
  auto new_serving = options.serving.cert_pem.empty() ? MakeLocalhostCertificate(*new_ca)
                                                      : Expected<KeyPair>(options.serving);
  if (!new_serving) return Err(std::move(new_serving.error()));
  ca = *std::move(new_ca);
  serving = *std::move(new_serving);
  return {};
}

void Server::Rep::EnsureNamespace(std::string_view name) {
  const Resource& namespaces = Resources().front();
  if (name.empty() || storage.Get(namespaces, name) != nullptr) return;
  const WriteRequest request{
      .resource = &namespaces, .field_manager = std::string(kLoader), .in_process = true};
  // A bad name is reported when the object that needs it is rejected.
  (void)registry.Create(request, Json({{"metadata", {{"name", name}}}}).text());
}

void Server::Rep::CreateBootstrapPolicy() {
  for (const BootstrapObject& object : BootstrapPolicy()) {
    const WriteRequest request{.resource = FindResource(kRbacGroup, "v1", object.plural),
                               .field_manager = "kube-apiserver",
                               .in_process = true};
    const auto created = registry.Create(request, object.json);
    CHECK(created) << created.error().message;
  }
  if (options.cluster_role_aggregation) aggregator.Run();
}

void Server::Rep::ServeDefinition(const Event& event) {
  const auto definition = ParseObject(*event.object);
  if (event.type != EventType::kDeleted) {
    resources.Update(*definition);
    return watchers.EndUnserved(resources);
  }
  const Resource* const removed = resources.Remove(*definition);
  if (removed == nullptr) return;
  std::vector<std::pair<std::string, ObjectPtr>> objects;
  storage.Visit(*removed, "", storage.resource_version(), "", [&](const Storage::Entry& entry) {
    objects.emplace_back(entry.key, entry.object);
    return true;
  });
  for (const auto& [key, object] : objects) {
    const auto last = ParseObject(*object);
    const Resource& version = StoredVersion(*removed, *object);
    storage.Write(*removed, key, MakeObject(version, *last, storage.NextVersion()), true);
  }
}

Expected<void> Server::Rep::CreateObject(const std::string& object) {
  std::string error;
  const auto document = ParseJson(object, &error);
  if (document == nullptr) return Err(ErrorReason::kInvalidArgument, error);
  const std::string_view version = runtime::GetString(*document, "apiVersion");
  const std::string_view kind = runtime::GetString(*document, "kind");
  const Resource* const resource = resources.FindKind(version, kind);
  if (resource == nullptr) {
    return Err(ErrorReason::kInvalidArgument, "no kind \"" + std::string(kind) +
                                                  "\" is served in version \"" +
                                                  std::string(version) + "\"");
  }
  WriteRequest request{
      .resource = resource, .field_manager = std::string(kLoader), .in_process = true};
  if (resource->namespaced) {
    request.namespace_ = Metadata(*document, "namespace");
    EnsureNamespace(request.namespace_);
  }
  const auto written = registry.Create(request, object);
  if (written) return {};
  return Err(Error{.reason = ReasonFromString(written.error().reason),
                   .http_code = written.error().code,
                   .message = written.error().message});
}

void Server::Rep::ScheduleBookmarks() {
  if (options.bookmark_period.count() <= 0) return;
  http->PostAfter(options.bookmark_period, [this] {
    watchers.SendBookmarks();
    ScheduleBookmarks();
  });
}

bool AnswersInProtobuf() {
  const char* const content_type = std::getenv("KUBE_API_CONTENT_TYPE");
  return content_type == nullptr || std::string_view(content_type) != "application/json";
}

Server::Server(Options options) : rep_(std::make_unique<Rep>(std::move(options))) {}

Server::~Server() { Stop(); }

Expected<void> Server::Start() {
  Rep& rep = *rep_;
  if (!rep.options.authorization_config.empty()) {
    auto chain = ReadAuthorizationConfiguration(rep.options.authorization_config);
    if (!chain) return Err(std::move(chain.error()));
    rep.authorizer.SetChain(*std::move(chain));
  }
  if (rep.options.tls && rep.ca.cert_pem.empty()) {
    if (auto made = rep.MakeCertificates(); !made) return made;
  }
  if (!rep.has_token_keys) {
    if (auto loaded = rep.service_accounts.LoadKeys(); !loaded) return loaded;
    rep.has_token_keys = true;
  }
  httpserver::ServerOptions http{.name = rep.options.name,
                                 .address = rep.options.address,
                                 .port = rep.port != 0 ? rep.port : rep.options.port,
                                 // Larger than ApiHandler accepts, so that it returns a Status.
                                 .body_bytes_max = 16U << 20U,
                                 // Over HTTP/1.1 each watch of a client is a connection.
                                 .connections_max = 4096,
                                 .http2 = Http2Session::New};
  if (rep.options.tls) {
    http.tls = std::make_unique<httpserver::TlsFiles>(
        httpserver::TlsFiles{.cert_pem = rep.serving.cert_pem,
                             .key_pem = rep.serving.key_pem,
                             .client_ca_pem = rep.ca.cert_pem + rep.options.client_ca_pem});
  }
  rep.http = std::make_unique<httpserver::Server>(
      std::move(http),
      [&rep](httpserver::Request request, std::shared_ptr<httpserver::Exchange> exchange) {
        rep.handler.Handle(std::move(request), std::move(exchange));
      });
  const LargeStacks stacks;
  rep.webhook_calls.Start();
  if (auto started = rep.http->Start(); !started) {
    rep.http = nullptr;
    return started;
  }
  rep.port = rep.http->port();
  rep.ScheduleBookmarks();
  rep.Post([&rep] {
    for (Controller* const controller : rep.controllers) controller->Start();
  });
  return {};
}

void Server::Stop() {
  if (rep_->http == nullptr) return;
  rep_->webhook_calls.Stop();
  rep_->http->Stop();
  rep_->webhook_calls.Clear();
  rep_->http = nullptr;
}

std::uint16_t Server::port() const { return rep_->port; }

std::string Server::url() const {
  std::string address = rep_->options.address;
  // One of all addresses, which the certificate has.
  if (address.empty() || address == "0.0.0.0" || address == "::") address = "127.0.0.1";
  const bool is_bare_ipv6 = address.find(':') != std::string::npos && address.front() != '[';
  return (rep_->options.tls ? "https://" : "http://") +
         (is_bare_ipv6 ? "[" + address + "]" : address) + ":" + std::to_string(rep_->port);
}

const std::string& Server::ca_pem() const { return rep_->ca.cert_pem; }

Expected<KeyPair> Server::NewClientCertificate(const std::string& user,
                                               const std::vector<std::string>& groups) const {
  return MakeCertificate(rep_->ca,
                         {.common_name = user, .client_auth = true, .organizations = groups});
}

void Server::SetTokens(std::map<std::string, std::string> tokens) {
  rep_->Run([&] { rep_->authenticator.SetTokens(std::move(tokens)); });
}

rest::Config Server::Config(std::string_view token) const {
  rest::Config config{.host = url(), .bearer_token = std::string(token)};
  config.tls.ca_data = ca_pem();
  return config;
}

std::string Server::Kubeconfig(std::string_view token) const {
  std::string text =
      "apiVersion: v1\nkind: Config\ncurrent-context: capstan\n"
      "contexts:\n- name: capstan\n  context: {cluster: capstan, user: capstan}\n"
      "clusters:\n- name: capstan\n  cluster:\n    server: \"" +
      url() + "\"\n";
  if (!ca_pem().empty()) {
    text += "    certificate-authority-data: " + Base64Encode(ca_pem()) + "\n";
  }
  text += "users:\n- name: capstan\n  user:";
  if (token.empty()) return text + (rep_->AllowsEverybody() ? " {token: any}\n" : " {}\n");
  return text + "\n    token: \"" + std::string(token) + "\"\n";
}

Expected<void> Server::CreateObjects(std::vector<std::string> objects) {
  // In batches, so that the thread can serve watches and probes between them.
  constexpr std::size_t kBatch = 200;
  Expected<void> result;
  for (std::size_t first = 0; first < objects.size() && result; first += kBatch) {
    rep_->Run([&] {
      for (std::size_t i = first; i < std::min(first + kBatch, objects.size()) && result; ++i) {
        result = rep_->CreateObject(objects[i]);
      }
    });
  }
  return result;
}

void Server::InjectFault(Fault fault) {
  rep_->Run([&] { rep_->faults.Inject(std::move(fault)); });
}

void Server::ClearFaults() {
  rep_->Run([&] { rep_->faults.Clear(); });
}

void Server::CutWatches() {
  rep_->Run([&] { rep_->watchers.AbortAll(); });
}

void Server::CompactWatchWindow() {
  rep_->Run([&] { rep_->storage.Compact(); });
}

std::vector<RequestCount> Server::Requests() const {
  return rep_->Run([&] { return rep_->log.Counts(); });
}

std::uint64_t Server::CountRequests(const RequestMatch& match) const {
  return rep_->Run([&] { return rep_->log.Count(match); });
}

void Server::ResetRequests() {
  rep_->Run([&] { rep_->log.Clear(); });
}

std::size_t Server::WatcherCount() const {
  return rep_->Run([&] { return rep_->watchers.size(); });
}

}  // namespace capstan::testing::apiserver
