// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/api_service_target.h"

#include "clientgo/api/api_service.h"
#include "controllers/cainjector/rules/annotations.h"

namespace controllers::cainjector {
namespace {

using clientgo::api::ApiService;
using clientgo::runtime::JsonWriter;
using clientgo::runtime::Object;
using clientgo::runtime::WriteKey;

class ApiServices final : public Target {
 public:
  const clientgo::runtime::ResourceType& type() const override { return type_; }
  std::optional<std::string_view> Annotation(const Object& object,
                                             std::string_view name) const override {
    return Cast(object).Annotation(name);
  }
  bool Deleting(const Object& object) const override { return Cast(object).fields().deleting; }
  std::optional<Failure> Refusal(const Object& object) const override;
  std::vector<std::string> Bundles(const Object& object) const override {
    return {*Cast(object).fields().ca_bundle};
  }
  clientgo::api::ManagerEntries Entries(const Object& object) const override {
    return Cast(object).fields().manager_entries;
  }
  std::string ApplyConfiguration(const Object& object, const std::vector<std::string>& bundles,
                                 ApplyTo to) const override;

 private:
  static const ApiService& Cast(const Object& object) {
    return static_cast<const ApiService&>(object);
  }
  const clientgo::runtime::ResourceType type_ =
      clientgo::api::MakeApiServiceType({.annotations = InjectAnnotations(),
                                         .bundles = SharedBundles(),
                                         .field_manager = std::string(kFieldManager)});
};

std::optional<Failure> ApiServices::Refusal(const Object& object) const {
  if (!Cast(object).fields().has_service) {
    return Failure{.reason = Reason::kNothingToInjectInto,
                   .message =
                       "the API is served by kube-apiserver itself: there is no spec.service "
                       "whose certificate would be verified"};
  }
  if (Cast(object).fields().insecure_skip_tls_verify) {
    return Failure{.reason = Reason::kTlsVerifyDisabled,
                   .message =
                       "spec.insecureSkipTLSVerify is true, which excludes a CA bundle; "
                       "remove one of it and the annotation"};
  }
  return std::nullopt;
}

std::string ApiServices::ApplyConfiguration(const Object& object,
                                            const std::vector<std::string>& bundles,
                                            ApplyTo to) const {
  return MakeApplyConfiguration(type_, object, to, [&](JsonWriter& writer) {
    WriteKey(writer, "spec");
    writer.StartObject();
    WriteCaBundle(writer, bundles.front());
    writer.EndObject();
  });
}

}  // namespace

const Target& ApiServiceTarget() {
  static const ApiServices target;
  return target;
}

}  // namespace controllers::cainjector
