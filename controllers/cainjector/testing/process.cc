// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/testing/process.h"

#include <algorithm>

#include "controllers/cainjector/sources/ca_cert_loader.h"

namespace capstan::cainjector {

Process::Process(const Connection& connection, CaInjectorOptions options, ManagerOptions manager) {
  manager.name = "under-test";
  manager.cluster.metrics = &metrics_;
  manager.cluster.new_client = connection.new_client;
  manager_ = Manager::New(connection.config, std::move(manager)).value();
  injector_.emplace(CaInjector::Collaborators{.client = manager_->client(),
                                              .informers = manager_->informers(),
                                              .events = events,
                                              .metrics = metrics_},
                    std::move(options));
  injector_->AddTo(*manager_);
  running_.emplace(*manager_);
}

void ProcessSteps::Update(const std::string& name, const std::string& secret) {
  const auto updated =
      observer_->Update({}, SecretMetadataType(), {Own("ns"), name}, Moved(secret));
  ASSERT_TRUE(updated.has_value()) << updated.error().message;
}

void ProcessSteps::Delete(const runtime::ResourceType& type, const std::string& key) {
  runtime::ObjectKey parsed = runtime::ObjectKey::Parse(key);
  if (!parsed.namespace_.empty()) parsed.namespace_ = Own(parsed.namespace_);
  const auto deleted = observer_->Delete({}, type, parsed);
  ASSERT_TRUE(deleted.has_value()) << deleted.error().message;
}

void ProcessSteps::MergePatch(const Target& target, const std::string& name,
                              const std::string& patch) {
  const auto patched = observer_->Patch({}, target.type(), {"", TargetName(target, Own(name))},
                                        rest::PatchType::kMerge, Moved(patch));
  ASSERT_TRUE(patched.has_value()) << patched.error().message;
}

std::vector<std::string> ProcessSteps::BundlesOf(const Target& target, const std::string& name) {
  const auto object =
      observer_->Get({}, target.content_type(), {"", TargetName(target, Own(name))});
  if (!object) return {object.error().message};
  return target.Bundles(**object);
}

bool ProcessSteps::Holds(const Target& target, const std::string& name, const std::string& bundle) {
  const auto bundles = BundlesOf(target, name);
  return std::all_of(bundles.begin(), bundles.end(),
                     [&](const std::string& held) { return held == bundle; });
}

ProcessTest::ProcessTest() {
  EXPECT_TRUE(server_.Start().has_value());
  connection_.config = {.host = server_.url(), .user_agent = "under-test"};
  observer_ = rest::Client::New({.host = server_.url(), .user_agent = "observer"}).value();
}

void ProcessTest::Create(std::vector<std::string> objects) {
  const auto created = server_.CreateObjects(std::move(objects));
  ASSERT_TRUE(created.has_value()) << created.error().message;
}

}  // namespace capstan::cainjector
