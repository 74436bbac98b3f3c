// SPDX-License-Identifier: Apache-2.0
// Tests of the parameters of policies: paramKind and paramRef.
#include <string>

#include "e2e/contract/policy_fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

// The parameters are Roles, which a kube-apiserver always watches. It stops a watch that it started
// for a policy alone when the policy is deleted, and never starts it again.
class PolicyParamsTest : public PolicyContractTest {
 protected:
  // Creates a policy that allows as many keys as the parameter says.
  void CreateLimit(const std::string& more = "") {
    CreatePolicy(
        R"j("paramKind":{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role"},)j"
        R"j("validations":[{"expression":"params == null || )j"
        R"j(size(object.data) <= int(params.metadata.annotations.max)","messageExpression":)j"
        R"j("'more than ' + params.metadata.annotations.max + ' of ' + params.kind"}])j" +
        more);
  }
  // Creates a binding with a paramRef.
  void Bind(const std::string& ref) {
    CreateBinding(std::string(kDenyAction) + R"(,"paramRef":{)" + ref + "}");
    Await();
  }
  std::string Roles(const std::string& name = "") const {
    return "/apis/rbac.authorization.k8s.io/v1/namespaces/" + ns() + "/roles" + name;
  }
  void CreateParam(const std::string& name, const std::string& max,
                   const std::string& label = "x") const {
    const Answer created =
        Post(Roles(), R"({"metadata":{"name":")" + name + R"(","labels":{"param":")" + label +
                          R"("},"annotations":{"max":")" + max + R"("}},"rules":[]})");
    EXPECT_EQ(created.code, 201) << created.body;
  }
  Answer TryKeys(int count) const {
    std::string data;
    for (int i = 0; i < count; ++i) {
      data += (i == 0 ? "" : ",") + std::string("\"k") + std::to_string(i) + R"(":"")";
    }
    return Try("a", R"("data":{)" + data + "}");
  }
};

TEST_F(PolicyParamsTest, AreTheObjectWithAName) {
  CreateParam("limit", "1");
  CreateLimit();
  Bind(R"("name":"limit","parameterNotFoundAction":"Deny")");

  EXPECT_TRUE(Eventually([&] { return TryKeys(1).code == 201; }));
  EXPECT_REFUSED(TryKeys(2), Denied("a", "more than 1 of Role"));

  MergePatch(Roles("/limit"), R"({"metadata":{"annotations":{"max":"2"}}})");
  EXPECT_TRUE(Eventually([&] { return TryKeys(2).code == 201; }));
}

TEST_F(PolicyParamsTest, AreInTheNamespaceOfTheReference) {
  CreateParam("limit", "1");
  CreateLimit();
  Bind(R"("name":"limit","namespace":")" + ns() + R"(","parameterNotFoundAction":"Deny")");

  EXPECT_TRUE(Eventually([&] { return TryKeys(1).code == 201; }));
  EXPECT_EQ(TryKeys(2).code, 422);
}

TEST_F(PolicyParamsTest, AreAllObjectsOfASelector) {
  CreateParam("one", "3");
  CreateParam("two", "2");
  CreateParam("other", "0", "y");
  CreateLimit();
  Bind(R"("selector":{"matchLabels":{"param":"x"}},"parameterNotFoundAction":"Deny")");

  EXPECT_TRUE(Eventually([&] { return TryKeys(2).code == 201; }));
  EXPECT_REFUSED(TryKeys(3), Denied("a", "more than 2 of Role"));
}

TEST_F(PolicyParamsTest, AreAllObjectsOfAnEmptySelector) {
  CreateParam("one", "1");
  CreateLimit(R"(,"failurePolicy":"Ignore")");
  Bind(R"("selector":{},"parameterNotFoundAction":"Deny")");

  EXPECT_TRUE(Eventually([&] { return TryKeys(2).code == 422; }));
}

TEST_F(PolicyParamsTest, AreMissingAndDenied) {
  CreateLimit();
  Bind(R"("name":"none","parameterNotFoundAction":"Deny")");

  EXPECT_REFUSED(TryKeys(0), Denied("a",
                                    "failed to configure binding: no params found for policy "
                                    "binding with `Deny` parameterNotFoundAction"));
}

TEST_F(PolicyParamsTest, AreMissingAndAllowed) {
  CreateLimit();
  Bind(R"("name":"none","parameterNotFoundAction":"Allow")");

  EXPECT_EQ(TryKeys(5).code, 201);
}

TEST_F(PolicyParamsTest, AreMissingWithFailurePolicyIgnore) {
  CreateLimit(R"(,"failurePolicy":"Ignore")");
  Bind(R"("selector":{"matchLabels":{"param":"none"}},"parameterNotFoundAction":"Deny")");

  EXPECT_EQ(TryKeys(5).code, 201);
}

TEST_F(PolicyParamsTest, AreNullWithoutAReference) {
  CreateLimit();
  CreateBinding();
  Await();

  EXPECT_EQ(TryKeys(5).code, 201);
}

TEST_F(PolicyParamsTest, HaveAnUnknownKind) {
  CreatePolicy(R"("paramKind":{"apiVersion":"x.io/v1","kind":"None"},)"
               R"("validations":[{"expression":"params == null"}])");
  Bind(R"("name":"none","parameterNotFoundAction":"Allow")");

  EXPECT_REFUSED(TryKeys(0),
                 DeniedBy("ValidatingAdmissionPolicy '" + ns() + "'", "a",
                          "failed to configure policy: failed to find resource referenced by "
                          "paramKind: 'x.io/v1, Kind=None'"));
}

TEST_F(PolicyParamsTest, CannotHaveANamespaceIfTheirKindHasNone) {
  CreatePolicy(R"("paramKind":{"apiVersion":"v1","kind":"Namespace"},)"
               R"("validations":[{"expression":"params.metadata.name == 'default'"}])");
  Bind(R"("name":"default","namespace":"default","parameterNotFoundAction":"Allow")");

  EXPECT_REFUSED(TryKeys(0), Denied("a",
                                    "failed to configure binding: paramRef.namespace must not "
                                    "be provided for a cluster-scoped `paramKind`"));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
