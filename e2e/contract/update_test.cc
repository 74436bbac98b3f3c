// SPDX-License-Identifier: Apache-2.0
// Tests of PUT: optimistic locking, identity, and the kinds that an update may create.
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using UpdateTest = ContractTest;

constexpr std::string_view kModified =
    "the object has been modified; please apply your changes to the latest version and try again";

std::string Body(const std::string& metadata, const std::string& value) {
  return R"({"metadata":{)" + metadata + R"(},"data":{"k":")" + value + R"("}})";
}

Refusal ConflictOnUpdate(const std::string& why) {
  return {.code = 409,
          .reason = "Conflict",
          .message = "Operation cannot be fulfilled on configmaps \"a\": " + why,
          .details = R"({"name":"a","kind":"configmaps"})"};
}

TEST_F(UpdateTest, ReplacesTheGivenVersion) {
  const std::string first = CreateConfigMap("a", R"("labels":{"x":"1"})", R"({"k":"0"})");

  const Answer updated =
      Put(ConfigMaps("a"), Body(R"("name":"a","resourceVersion":")" + first + '"', "1"));

  EXPECT_EQ(updated.code, 200);
  EXPECT_NE(updated.meta("resourceVersion"), first);
  EXPECT_EQ(Normal(updated), Sorted(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{)"
                                    R"("name":"a","namespace":"NS","uid":"UID",)"
                                    R"("resourceVersion":"RV","creationTimestamp":"TIME",)"
                                    R"("managedFields":[{"manager":"contract",)"
                                    R"("operation":"Update","apiVersion":"v1","time":"TIME",)"
                                    R"("fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},)"
                                    R"("f:k":{}}}}]},"data":{"k":"1"}})"));
}

TEST_F(UpdateTest, ConflictsWithAnOlderVersion) {
  const std::string first = CreateConfigMap("a");
  MergePatch(ConfigMaps("a"), R"({"data":{"k":"1"}})");

  EXPECT_REFUSED(Put(ConfigMaps("a"), Body(R"("name":"a","resourceVersion":")" + first + '"', "2")),
                 ConflictOnUpdate(std::string(kModified)));
}

TEST_F(UpdateTest, ReplacesAnyVersionWithoutAPrecondition) {
  CreateConfigMap("a");

  EXPECT_EQ(Put(ConfigMaps("a"), Body(R"("name":"a")", "1")).code, 200);
}

TEST_F(UpdateTest, RequiresAVersionForSomeKinds) {
  Post(Leases(), R"({"metadata":{"name":"l"}})");
  CreateWebhooks();
  const std::string zero = Minor() < 34 ? "0x0" : "0";
  const auto required = [&zero](const std::string& resource, const std::string& group,
                                const std::string& name) -> Refusal {
    const std::string message = "Invalid value: " + zero + ": must be specified for an update";
    return {.code = 422,
            .reason = "Invalid",
            .message = resource + "." + group + " \"" + name +
                       "\" is invalid: metadata.resourceVersion: " + message,
            .details = R"({"name":")" + name + R"(","group":")" + group + R"(","kind":")" +
                       resource + R"(","causes":[)" +
                       Cause("FieldValueInvalid", message, "metadata.resourceVersion") + "]}"};
  };

  EXPECT_REFUSED(Put(Leases("l"), R"({"metadata":{"name":"l"}})"),
                 required("leases", "coordination.k8s.io", "l"));
  EXPECT_REFUSED(Put(Webhooks(), R"({"metadata":{"name":")" + ns() + R"("}})"),
                 required("validatingwebhookconfigurations", "admissionregistration.k8s.io", ns()));
}

TEST_F(UpdateTest, RejectsANonNumericVersion) {
  CreateConfigMap("a");

  EXPECT_REFUSED(Put(ConfigMaps("a"), Body(R"("name":"a","resourceVersion":"abc")", "1")),
                 {.code = 500, .message = "strconv.ParseUint: parsing \"abc\": invalid syntax"});
}

TEST_F(UpdateTest, ConflictsWithAnotherUid) {
  CreateConfigMap("a");
  const std::string uid(Get(ConfigMaps("a")).meta("uid"));

  EXPECT_REFUSED(
      Put(ConfigMaps("a"), Body(R"("name":"a","uid":"xx")", "1")),
      ConflictOnUpdate("StorageError: invalid object, Code: 4, Key: /registry/configmaps/" + ns() +
                       "/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
                       "precondition: xx, UID in object meta: " +
                       uid));
}

TEST_F(UpdateTest, RejectsAnotherNameOrNamespace) {
  CreateConfigMap("a");

  EXPECT_REFUSED(Put(ConfigMaps("a"), Body(R"("name":"b")", "1")),
                 BadRequest("the name of the object (b) does not match the name on the URL (a)"));
  EXPECT_REFUSED(Put(ConfigMaps("a"), Body("", "1")),
                 BadRequest("the name of the object (a based on URL) was undeterminable: name must "
                            "be provided"));
  EXPECT_REFUSED(Put(ConfigMaps("a"), Body(R"("name":"a","namespace":"other")", "1")),
                 BadRequest("the namespace of the provided object does not match the namespace "
                            "sent on the request"));
}

TEST_F(UpdateTest, ReportsAMissingObjectAsNotFound) {
  EXPECT_REFUSED(Put(ConfigMaps("none"), Body(R"("name":"none")", "1")),
                 {.code = 404,
                  .reason = "NotFound",
                  .message = "configmaps \"none\" not found",
                  .details = R"({"name":"none","kind":"configmaps"})"});
}

TEST_F(UpdateTest, CreatesAMissingLease) {
  const Answer created = Put(Leases("l"), R"({"metadata":{"name":"l","resourceVersion":"5"},)"
                                          R"("spec":{"holderIdentity":"me"}})");

  EXPECT_EQ(created.code, 201);
  EXPECT_EQ(Sorted(Get(Leases("l")).body), Sorted(created.body));
}

TEST_F(UpdateTest, CreatesAMissingEvent) {
  EXPECT_EQ(Put(Events("e"),
                R"({"metadata":{"name":"e"},"involvedObject":{"namespace":")" + ns() + R"("}})")
                .code,
            201);
}

TEST_F(UpdateTest, SkipsTheWriteWithoutAChange) {
  CreateWebhooks();
  const Answer before = Get(Webhooks());

  const Answer put = Put(Webhooks(), before.body);

  EXPECT_EQ(put.code, 200);
  EXPECT_EQ(Sorted(put.body), Sorted(before.body));
}

TEST_F(UpdateTest, KeepsServerOwnedFields) {
  CreateConfigMap("a");
  const Answer before = Get(ConfigMaps("a"));

  const Answer after = Put(ConfigMaps("a"), Body(R"("name":"a")", "1"));

  EXPECT_EQ(after.meta("uid"), before.meta("uid"));
  EXPECT_EQ(after.meta("creationTimestamp"), before.meta("creationTimestamp"));
}

TEST_F(UpdateTest, DryRunStoresNothing) {
  const std::string version = CreateConfigMap("a");

  const Answer dry = Put(ConfigMaps("a") + "?dryRun=All", Body(R"("name":"a")", "1"));

  EXPECT_EQ(dry.code, 200);
  EXPECT_EQ(dry.meta("resourceVersion"), version);
  EXPECT_EQ(Get(ConfigMaps("a")).meta("resourceVersion"), version);
  EXPECT_EQ(runtime::Find(Get(ConfigMaps("a")).json, "data"), nullptr);
}

TEST_F(UpdateTest, RejectsMalformedBodies) {
  CreateConfigMap("a");

  EXPECT_REFUSED(Put(ConfigMaps("a"), "{"),
                 BadRequest("the object provided is unrecognized (must be of type ConfigMap): "
                            "couldn't get version/kind; json parse error: unexpected end of JSON "
                            "input ({)"));
  EXPECT_REFUSED(Put(ConfigMaps("a"), R"({"kind":"Secret","apiVersion":"v1"})"),
                 BadRequest("Secret in version \"v1\" cannot be handled as a ConfigMap: converting "
                            "(v1.Secret) to (core.ConfigMap): unknown conversion"));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
