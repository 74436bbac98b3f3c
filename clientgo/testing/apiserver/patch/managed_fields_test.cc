// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/patch/managed_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/runtime/testing/must_parse.h"
#include "clientgo/testing/apiserver/decoding/decoding.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kLive =
    R"({"metadata":{"name":"w"},"webhooks":[)"
    R"({"name":"a","clientConfig":{"url":"https://a"}},{"name":"b","clientConfig":{}}]})";

ManagedFieldsEntry ManagerOf(const Resource& resource, const std::string& name) {
  return {.manager = name,
          .api_version = resource.ApiVersion(),
          .time = "2026-01-01T00:00:00Z",
          .type = MergeType(resource)};
}

// Returns a manager of webhooks.
ManagedFieldsEntry Manager(const std::string& name) {
  ManagedFieldsEntry entry = ManagerOf(
      *FindResource("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations"), name);
  entry.api_version = "v1";
  return entry;
}

// Applies configurations one after the other, each as {manager, configuration}, with force.
class Applied {
 public:
  explicit Applied(std::string_view group, std::string_view plural)
      : resource_(*FindResource(group, "v1", plural)),
        live_(std::make_shared<runtime::JsonDocument>()) {
    live_->SetObject();
  }

  Applied& Apply(const std::string& manager, std::string_view configuration) {
    const runtime::JsonDocument applied = runtime::MustParse(configuration);
    const auto rejected = CheckApplied(resource_, applied);
    EXPECT_FALSE(rejected.has_value()) << rejected->message;
    auto next = apiserver::Apply(*live_, applied, ManagerOf(resource_, manager), /*force=*/true);
    EXPECT_TRUE(next.has_value()) << next.error().message;
    if (next) live_ = *std::move(next);
    return *this;
  }

  std::string At(std::initializer_list<std::string_view> path) const {
    const runtime::JsonValue* const value = runtime::FindPath(*live_, path);
    return value == nullptr ? "missing" : runtime::ToJson(*value);
  }
  std::string Owned(const std::string& manager) const;

 private:
  const Resource& resource_;
  std::shared_ptr<runtime::JsonDocument> live_;
};

// Returns a live object whose fields belong to "creator".
runtime::JsonDocument Live() {
  runtime::JsonDocument live = runtime::MustParse(kLive);
  EXPECT_TRUE(TrackUpdate(runtime::JsonValue(rapidjson::kObjectType), live, Manager("creator")));
  return live;
}

std::string FieldsOwnedBy(const runtime::JsonValue& object, const std::string& manager) {
  runtime::JsonDocument scratch;
  for (const auto& entry : ReadManagedFields(object)) {
    if (entry.manager == manager)
      return runtime::ToJson(entry.fields.ToJson(scratch.GetAllocator()));
  }
  return "";
}

std::string Applied::Owned(const std::string& manager) const {
  return FieldsOwnedBy(*live_, manager);
}

std::string Webhooks(const runtime::JsonValue& object) {
  return runtime::ToJson(*runtime::Find(object, "webhooks"));
}

constexpr std::string_view kApplied =
    R"({"metadata":{"name":"w"},"webhooks":[{"name":"a","clientConfig":{"caBundle":"Q0E="}}]})";

TEST(ApplyTest, MergesByNameAndOwnsAppliedFields) {
  const auto next = Apply(Live(), runtime::MustParse(kApplied), Manager("injector"), false);

  ASSERT_TRUE(next.has_value()) << next.error().message;
  EXPECT_EQ(Webhooks(**next),
            R"([{"name":"a","clientConfig":{"url":"https://a","caBundle":"Q0E="}},)"
            R"({"name":"b","clientConfig":{}}])");
  EXPECT_EQ(FieldsOwnedBy(**next, "injector"),
            R"({"f:webhooks":{"k:{\"name\":\"a\"}":{".":{},)"
            R"("f:clientConfig":{"f:caBundle":{}},"f:name":{}}}})");
}

TEST(ApplyTest, RemovesUnappliedFieldsButNotThoseOfOthers) {
  const auto first = Apply(Live(), runtime::MustParse(kApplied), Manager("injector"), false);
  ASSERT_TRUE(first.has_value());

  const auto second = Apply(**first, runtime::MustParse(R"({"metadata":{"name":"w"}})"),
                            Manager("injector"), false);

  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(Webhooks(**second),
            R"([{"name":"a","clientConfig":{"url":"https://a"}},{"name":"b","clientConfig":{}}])");
  EXPECT_EQ(FieldsOwnedBy(**second, "injector"), "");
}

TEST(ApplyTest, RemovesItemThatOnlyItOwned) {
  const auto first =
      Apply(Live(), runtime::MustParse(R"({"webhooks":[{"name":"c","timeoutSeconds":1}]})"),
            Manager("injector"), false);
  ASSERT_TRUE(first.has_value());

  const auto second =
      Apply(**first, runtime::MustParse(R"({"webhooks":[]})"), Manager("injector"), false);

  ASSERT_TRUE(second.has_value());
  EXPECT_THAT(Webhooks(**second), Not(::testing::HasSubstr("\"c\"")));
}

TEST(ApplyTest, ConflictsOnFieldOfAnotherManager) {
  const auto first = Apply(Live(), runtime::MustParse(kApplied), Manager("injector"), false);
  ASSERT_TRUE(first.has_value());
  const runtime::JsonDocument other =
      runtime::MustParse(R"({"webhooks":[{"name":"a","clientConfig":{"caBundle":"WFhY"}}]})");

  const auto rejected = Apply(**first, other, Manager("other"), false);
  const auto forced = Apply(**first, other, Manager("other"), true);

  ASSERT_FALSE(rejected.has_value());
  EXPECT_EQ(rejected.error().code, 409);
  EXPECT_EQ(rejected.error().message,
            "Apply failed with 1 conflict: conflict with \"injector\": "
            ".webhooks[name=\"a\"].clientConfig.caBundle");
  ASSERT_TRUE(forced.has_value());
  EXPECT_EQ(FieldsOwnedBy(**forced, "injector"),
            R"({"f:webhooks":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}})");
}

TEST(ApplyTest, SharesFieldWithEqualValue) {
  const auto first = Apply(Live(), runtime::MustParse(kApplied), Manager("injector"), false);
  ASSERT_TRUE(first.has_value());

  const auto second = Apply(**first, runtime::MustParse(kApplied), Manager("other"), false);

  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(FieldsOwnedBy(**second, "injector"), FieldsOwnedBy(**second, "other"));
}

TEST(ApplyTest, KeepsMapForWhichNullIsApplied) {
  const Applied applied = Applied("", "configmaps")
                              .Apply("a", R"({"data":{"a":"1"},"metadata":{"finalizers":["x"]}})")
                              .Apply("b", R"({"data":null,"metadata":{"finalizers":null}})");

  EXPECT_EQ(applied.At({"data"}), R"({"a":"1"})");
  EXPECT_EQ(applied.At({"metadata", "finalizers"}), R"(["x"])");
  EXPECT_EQ(applied.Owned("a"),
            R"({"f:data":{"f:a":{}},"f:metadata":{"f:finalizers":{"v:\"x\"":{}}}})");
}

TEST(ApplyTest, LeavesNullWhenLastMemberOfAppliedMapIsUnapplied) {
  const Applied applied =
      Applied("", "configmaps").Apply("a", R"({"data":{"a":"1"}})").Apply("a", R"({"data":{}})");

  EXPECT_EQ(applied.At({"data"}), "null");
  EXPECT_EQ(applied.Owned("a"), R"({"f:data":{}})");
}

TEST(ApplyTest, RemovesMapWhenItIsUnapplied) {
  const Applied applied = Applied("", "configmaps")
                              .Apply("a", R"({"data":{"a":"1"},"immutable":true})")
                              .Apply("a", R"({"immutable":true})");

  EXPECT_EQ(applied.At({"data"}), "missing");
}

TEST(ApplyTest, OwnsNothingOfEmptyListWithKeys) {
  const Applied applied = Applied("", "services").Apply("a", R"({"spec":{"ports":[]}})");

  EXPECT_EQ(applied.At({"spec", "ports"}), "[]");
  EXPECT_EQ(applied.Owned("a"), "");
}

TEST(ApplyTest, OwnsEmptyAtomicList) {
  const Applied applied =
      Applied("", "services").Apply("a", R"({"spec":{"loadBalancerSourceRanges":[]}})");

  EXPECT_EQ(applied.Owned("a"), R"({"f:spec":{"f:loadBalancerSourceRanges":{}}})");
}

TEST(ApplyTest, MergesPortsByNumberAndDefaultProtocol) {
  const Applied applied = Applied("", "services")
                              .Apply("a", R"({"spec":{"ports":[{"port":53,"name":"tcp"}]}})")
                              .Apply("b", R"({"spec":{"ports":[{"port":53,"protocol":"UDP"},)"
                                          R"({"port":53,"protocol":"TCP","nodePort":30053}]}})");

  EXPECT_EQ(applied.At({"spec", "ports"}),
            R"([{"port":53,"protocol":"UDP"},)"
            R"({"port":53,"name":"tcp","protocol":"TCP","nodePort":30053}])");
  EXPECT_EQ(applied.Owned("a"), R"({"f:spec":{"f:ports":{"k:{\"port\":53,\"protocol\":\"TCP\"}":)"
                                R"({".":{},"f:name":{},"f:port":{}}}}})");
}

TEST(ApplyTest, MergesNamelessContainersByEmptyName) {
  const auto containers = [](std::string_view list) {
    return R"({"spec":{"template":{"spec":{"containers":)" + std::string(list) + "}}}}";
  };
  const Applied applied = Applied("apps", "deployments")
                              .Apply("a", containers(R"([{"image":"i"}])"))
                              .Apply("b", containers(R"([{"imagePullPolicy":"Always"}])"));

  EXPECT_EQ(applied.At({"spec", "template", "spec", "containers"}),
            R"([{"image":"i","imagePullPolicy":"Always"}])");
}

TEST(ApplyTest, ReplacesAtomicSelectorAsAWhole) {
  const Applied applied = Applied("", "services")
                              .Apply("a", R"({"spec":{"selector":{"a":"1"}}})")
                              .Apply("b", R"({"spec":{"selector":{"b":"1"}}})");

  EXPECT_EQ(applied.At({"spec", "selector"}), R"({"b":"1"})");
  EXPECT_EQ(applied.Owned("a"), "");
  EXPECT_EQ(applied.Owned("b"), R"({"f:spec":{"f:selector":{}}})");
}

TEST(ApplyTest, OrdersItemsAsTheLastConfigurationDoes) {
  const Applied applied = Applied("", "configmaps")
                              .Apply("a", R"({"metadata":{"finalizers":["x/a","x/b","x/c"]}})")
                              .Apply("b", R"({"metadata":{"finalizers":["x/c","x/a"]}})");

  EXPECT_EQ(applied.At({"metadata", "finalizers"}), R"(["x/b","x/c","x/a"])");
}

TEST(ApplyTest, RecordsFieldsWithoutManagerAsBeforeFirstApply) {
  const runtime::JsonDocument zero = runtime::MustParse(R"({"webhooks":null})");
  runtime::JsonDocument live = runtime::MustParse(kLive);
  const runtime::JsonDocument owned = runtime::MustParse(R"({"webhooks":[{"name":"a"}]})");

  TrackBeforeFirstApply(zero, owned, Manager("a"), live);
  TrackBeforeFirstApply(zero, live, Manager("b"), live);  // it has managers now

  EXPECT_EQ(FieldsOwnedBy(live, "before-first-apply"),
            R"({"f:webhooks":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}})");
}

TEST(ApplyTest, KeepsObjectWhenAllValuesAreEqual) {
  const Applied applied = Applied("apps", "deployments")
                              .Apply("a", R"({"spec":{"replicas":1}})")
                              .Apply("b", R"({"spec":{"replicas":1.0}})");

  EXPECT_EQ(applied.At({"spec"}), R"({"replicas":1})");
  EXPECT_EQ(applied.Owned("b"), R"({"f:spec":{"f:replicas":{}}})");
}

TEST(ApplyTest, RecordsManagersOfObjectWithNullMetadata) {
  const Applied applied =
      Applied("", "configmaps").Apply("a", R"({"metadata":null,"data":{"a":"1"}})");

  EXPECT_EQ(applied.Owned("a"), R"({"f:data":{"f:a":{}}})");
}

TEST(ApplyTest, KeepsOwnerWhenItAppliesAnotherVersion) {
  ManagedFieldsEntry before = Manager("a");
  before.operation = "Apply";
  ManagedFieldsEntry after = before;
  after.api_version = "v2";
  EXPECT_TRUE(after.SameOwner(before));
  before.operation = after.operation = "Update";
  EXPECT_FALSE(after.SameOwner(before));
}

TEST(ApplyTest, RejectsValuesOfTheWrongType) {
  const auto why = [&](std::string_view group, std::string_view plural, std::string_view text) {
    const auto rejected =
        CheckApplied(*FindResource(group, "v1", plural), runtime::MustParse(text));
    return rejected ? rejected->message.substr(rejected->message.find("): ") + 3) : "";
  };
  EXPECT_EQ(why("", "services", R"({"spec":{"ports":[{"port":"x"}]}})"),
            ".spec.ports[port=\"x\",protocol=\"TCP\"].port: expected numeric (int or float), got "
            "string");
  EXPECT_EQ(why("", "services", R"({"spec":{"ports":{}}})"),
            ".spec.ports: expected list, got &{map[]}");
  EXPECT_EQ(why("", "services", R"({"spec":{"odd":1}})"),
            ".spec.odd: field not declared in schema");
  EXPECT_EQ(why("", "configmaps", R"({"immutable":1})"), ".immutable: expected boolean, got &{1}");
  EXPECT_EQ(why("", "configmaps", R"({"metadata":{"finalizers":[null]}})"),
            ".metadata.finalizers: element 0: associative list without keys has an element that's "
            "an explicit null");
  EXPECT_EQ(why("", "configmaps", R"({"metadata":{"managedFields":null}})"), "");
}

TEST(ApplyTest, RejectsListsWithRepeatedKeys) {
  const Resource& deployments = *FindResource("apps", "v1", "deployments");
  const auto why = [&](std::string_view configuration) {
    const auto rejected = CheckApplied(deployments, runtime::MustParse(configuration));
    const std::string message = rejected ? rejected->message : "";
    return message.substr(std::min(message.size(), message.find("): ") + 3));
  };
  EXPECT_EQ(why(R"({"metadata":{"finalizers":["a","b","a"]}})"),
            ".metadata.finalizers: duplicate entries for key [=\"a\"]");
  EXPECT_EQ(
      why(R"({"spec":{"template":{"spec":{"containers":[)"
          R"({"name":"a","env":[{"name":"E"},{"name":"E"}]}]}}}})"),
      ".spec.template.spec.containers[name=\"a\"].env: duplicate entries for key [name=\"E\"]");
  EXPECT_EQ(why(R"({"spec":{"template":{"spec":{"containers":[{"name":"a","args":["x","x"]}]}}}})"),
            "");
}

TEST(ApplyTest, ConflictsWhenAnEmptyMapReplacesNull) {
  const Resource& config_maps = *FindResource("", "v1", "configmaps");
  const auto apply = [&](const runtime::JsonValue& live, std::string_view text, const char* manager,
                         bool force) {
    return Apply(live, runtime::MustParse(text), ManagerOf(config_maps, manager), force);
  };
  const auto first = apply(runtime::MustParse("{}"), R"({"data":null})", "a", false);
  ASSERT_TRUE(first.has_value());

  const auto rejected = apply(**first, R"({"data":{}})", "b", false);
  const auto forced = apply(**first, R"({"data":{}})", "b", true);

  ASSERT_FALSE(rejected.has_value());
  EXPECT_EQ(rejected.error().message, "Apply failed with 1 conflict: conflict with \"a\": .data");
  ASSERT_TRUE(forced.has_value());
  EXPECT_EQ(FieldsOwnedBy(**forced, "a"), "");
  EXPECT_EQ(FieldsOwnedBy(**forced, "b"), R"({"f:data":{}})");
}

TEST(TrackUpdateTest, MovesOwnershipToManagerThatChangesField) {
  const auto applied = Apply(Live(), runtime::MustParse(kApplied), Manager("injector"), false);
  ASSERT_TRUE(applied.has_value());
  runtime::JsonDocument next;
  next.CopyFrom(**applied, next.GetAllocator());
  SetString(*FindMutablePath((*FindMutable(next, "webhooks"))[0], {"clientConfig"}), "caBundle",
            "WVlZ", next.GetAllocator());

  const Comparison difference = TrackUpdate(**applied, next, Manager("editor")).value();

  EXPECT_THAT(difference.changed.Paths(),
              ElementsAre(".webhooks[name=\"a\"].clientConfig.caBundle"));
  EXPECT_EQ(FieldsOwnedBy(next, "editor"),
            R"({"f:webhooks":{"k:{\"name\":\"a\"}":{"f:clientConfig":{"f:caBundle":{}}}}})");
  EXPECT_EQ(FieldsOwnedBy(next, "injector"),
            R"({"f:webhooks":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}})");
}

TEST(TrackUpdateTest, EmptyListClearsManagers) {
  const runtime::JsonDocument live = Live();
  runtime::JsonDocument next;
  next.CopyFrom(live, next.GetAllocator());
  Set(*FindMutable(next, "metadata"), "managedFields", runtime::JsonValue(rapidjson::kArrayType),
      next.GetAllocator());

  EXPECT_TRUE(TrackUpdate(live, next, Manager("editor")));

  EXPECT_TRUE(ReadManagedFields(next).empty());
}

TEST(TrackUpdateTest, KeepsEqualObjectUnchanged) {
  const runtime::JsonDocument live = Live();
  runtime::JsonDocument next;
  next.CopyFrom(live, next.GetAllocator());

  EXPECT_TRUE(TrackUpdate(live, next, Manager("editor")).value().empty());
  EXPECT_EQ(runtime::ToJson(next), runtime::ToJson(live));
}

TEST(TrackUpdateTest, ClearsManagersWhenTheirVersionLacksAField) {
  const auto applied = Apply(Live(), runtime::MustParse(kApplied), Manager("injector"), false);
  ASSERT_TRUE(applied.has_value());
  runtime::JsonDocument next;
  next.CopyFrom(**applied, next.GetAllocator());
  SetString(*FindMutable(next, "metadata"), "generateName", "x", next.GetAllocator());
  ManagedFieldsEntry editor = Manager("editor");
  editor.api_version = "other/v2";
  const InVersion lacking = [](const runtime::JsonValue&, std::string_view) {
    return VersionedObject{.type_error = ".spec.new: field not declared in schema"};
  };

  EXPECT_TRUE(TrackUpdate(**applied, next, editor, lacking));
  const auto rejected = Apply(**applied, runtime::MustParse(kApplied), editor, true, lacking);

  EXPECT_EQ(runtime::FindPath(next, {"metadata", "managedFields"}), nullptr);
  ASSERT_FALSE(rejected.has_value());
  EXPECT_EQ(rejected.error().message, ".spec.new: field not declared in schema");
  EXPECT_EQ(rejected.error().code, 500);
}

TEST(FieldSetTest, RoundTripsThroughJson) {
  const runtime::JsonDocument json = runtime::MustParse(
      R"({"f:a":{},"f:b":{".":{},"f:c":{}},"f:d":{"k:{\"name\":\"x\"}":{".":{},"v:1":{}}}})");
  runtime::JsonDocument scratch;

  const FieldSet set = FieldSet::FromJson(json);

  EXPECT_EQ(runtime::ToJson(set.ToJson(scratch.GetAllocator())), runtime::ToJson(json));
  EXPECT_THAT(set.Paths(), ElementsAre(".a", ".b", ".b.c", ".d[name=\"x\"]", ".d[name=\"x\"][=1]"));
}

}  // namespace
}  // namespace capstan::testing::apiserver
