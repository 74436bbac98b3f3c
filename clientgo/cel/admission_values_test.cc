// SPDX-License-Identifier: Apache-2.0
// Tests of the values that only admission expressions have: JSON without a schema, and the
// authorizer.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "clientgo/cel/access_check.h"
#include "clientgo/cel/json_value.h"
#include "clientgo/cel/testing/show.h"

namespace capstan::cel {
namespace {

class JsonValueTest : public ::testing::TestWithParam<Case> {};

TEST_P(JsonValueTest, HasValue) {
  runtime::JsonDocument json;
  json.Parse(R"({"spec":{"replicas":3,"ratio":0.5,"names":["a","b"],"labels":{"k":"v"},
                 "on":true,"none":null}})");
  EXPECT_EQ(Show(GetParam().expression, {{"object", SimpleType(TypeKind::kDyn)}},
                 {{"object", ValueOfJson(json)}}),
            GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(Expressions, JsonValueTest,
                         ::testing::Values(Case{"object.spec.replicas + 1", "4"},
                                           Case{"object.spec.ratio * 2.0 == 1.0", "true"},
                                           Case{"object.spec.names[1]", R"("b")"},
                                           Case{"object.spec.names.exists(n, n == 'a')", "true"},
                                           Case{"'k' in object.spec.labels", "true"},
                                           Case{"object.spec.labels == {'k': 'v'}", "true"},
                                           Case{"object.spec.names == ['a', 'b']", "true"},
                                           Case{"has(object.spec.other)", "false"},
                                           Case{"object.spec.none == null", "true"},
                                           Case{"object.spec.other", "error: no such key: other"},
                                           Case{"object.?spec.?on.orValue(false)", "true"},
                                           Case{"object.spec.labels.map(k, k)", R"(["k"])"}));

// Allows what user "sa" of namespace "x" or the user of the request wants with Pods.
AccessAnswer AllowPods(const AccessCheck& check) {
  const std::string what = check.verb + " " + check.path + check.group + "/" + check.resource +
                           "/" + check.subresource + " " + check.namespace_ + "/" + check.name +
                           " " + check.service_account_namespace + ":" + check.service_account;
  return {.allowed = check.resource == "pods", .reason = what};
}

class AccessTest : public ::testing::TestWithParam<Case> {};

TEST_P(AccessTest, HasValue) {
  const auto checker = std::make_shared<const AccessChecker>(AllowPods);
  const Variables variables = {{"authorizer", OpaqueType(kAuthorizerType)},
                               {"authorizer.requestResource", OpaqueType(kResourceCheckType)}};
  const Bindings bindings = {
      {"authorizer", AuthorizerValue(checker)},
      {"authorizer.requestResource",
       ResourceCheckValue(checker, {.resource = "pods", .namespace_ = "n", .name = "p"})}};
  EXPECT_EQ(Show(GetParam().expression, variables, bindings), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Expressions, AccessTest,
    ::testing::Values(
        Case{"authorizer.group('').resource('pods').namespace('x').check('get').allowed()", "true"},
        Case{"authorizer.group('apps').resource('deployments').subresource('status')"
             ".namespace('x').name('y').check('get').reason()",
             R"("get apps/deployments/status x/y :")"},
        Case{"authorizer.path('/healthz').check('get').allowed()", "false"},
        Case{"authorizer.serviceAccount('x', "
             "'sa').group('').resource('pods').check('list').reason()",
             R"("list /pods/ / x:sa")"},
        Case{"authorizer.requestResource.check('delete').reason()", R"("delete /pods/ n/p :")"},
        Case{"authorizer.requestResource.check('delete').errored()", "false"},
        Case{"authorizer.requestResource.labelSelector('a=b').check('list').error()", R"("")"},
        Case{"authorizer.path(' ').check('get').allowed()", "error: path must not be empty"},
        Case{"authorizer.group('').resource('').check('get').allowed()",
             "error: resource must not be empty"},
        Case{"authorizer.serviceAccount('x', 'S').path('/').check('get').allowed()",
             "error: Invalid service account name"},
        Case{"authorizer.group(1)",
             "invalid: ERROR: <input>:1:17: found no matching overload for 'group' applied to "
             "'kubernetes.authorization.Authorizer.(int)'\n | authorizer.group(1)\n "
             "| ................^"}));

}  // namespace
}  // namespace capstan::cel
