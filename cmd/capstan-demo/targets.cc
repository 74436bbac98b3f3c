// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/targets.h"

#include <algorithm>
#include <vector>

#include "capstan/testing/certificates.h"
#include "capstan/testing/require.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"
#include "controllers/cainjector/targets/target.h"

namespace capstan::cmd::capstan_demo {
namespace {

constexpr const char* kSource = "capstan-demo-ca";

const runtime::ResourceType& ConfigurationType(bool validating) {
  return (validating ? cainjector::ValidatingWebhookTarget() : cainjector::MutatingWebhookTarget())
      .content_type();
}

}  // namespace

void Targets::RotateCa() {
  ca_ = testing::Value(testing::MakeCa({.common_name = "capstan demo CA"}), "failed to make a CA")
            .cert_pem;
  if (bundle_.empty()) {
    ns_.Create(cainjector::SecretMetadataType(), kSource, DataMember("ca.crt", ca_),
               {cainjector::kAllowDirectInjection, "true"});
  } else {
    ns_.PatchSecret(kSource, DataMember("ca.crt", ca_));
  }
  bundle_ += ca_;
}

void Targets::Add(bool validating) {
  const std::string name = Numbered("capstan-demo-", serial_++);
  ns_.CreateWebhooks(ConfigurationType(validating), name, kWebhooksEach,
                     {cainjector::kInjectCaFromSecret, ns_.name + "/" + kSource});
  targets_[name] = {.validating = validating, .late = bundle_ != ca_};
}

void Targets::DeleteFirst() {
  const auto first = targets_.begin();
  testing::Value(
      ns_.client.Delete(ns_.stop, ConfigurationType(first->second.validating), {"", first->first}),
      "failed to delete " + first->first);
  targets_.erase(first);
}

bool Targets::IsRight(const Target& target, const std::string& bundle) const {
  if (!target.late) return bundle == bundle_;
  // The newest CA after any number of older ones, in order.
  return bundle_.ends_with(bundle) && bundle.ends_with(ca_) && bundle.starts_with("-----BEGIN");
}

Targets::ReadBack Targets::Read() const {
  ReadBack read;
  const auto compare = [&](const runtime::ObjectPtr& object) {
    const auto target = targets_.find(object->name());
    if (target == targets_.end()) return;
    const std::vector<std::string> bundles = cainjector::Target::Bundles(*object);
    const auto right = std::count_if(bundles.begin(), bundles.end(), [&](const std::string& one) {
      return IsRight(target->second, one);
    });
    if (right == kWebhooksEach && bundles.size() == kWebhooksEach) {
      ++read.in_sync;
    } else if (read.first_wrong == "none") {
      read.first_wrong = target->first;
    }
  };
  for (const bool validating : {true, false}) {
    testing::Value(ns_.client.List(ns_.stop, ConfigurationType(validating),
                                   {.label_selector = DemoSelector()}, compare),
                   "failed to read the targets back");
  }
  return read;
}

}  // namespace capstan::cmd::capstan_demo
