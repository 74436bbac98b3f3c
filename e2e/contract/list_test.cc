// SPDX-License-Identifier: Apache-2.0
// Tests of LIST: pages, continue tokens, and resourceVersion with its match.
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class ListTest : public ContractTest {
 protected:
  Answer List(const std::string& query) const { return Get(ConfigMaps() + "?" + query); }
  void CreateAll(const std::string& names) const {
    for (const char name : names) CreateConfigMap(std::string(1, name));
  }
};

Refusal InvalidListOption(const std::string& field, const std::string& reason,
                          const std::string& message) {
  return {.code = 422,
          .reason = "Invalid",
          .message = "ListOptions.meta.k8s.io \"\" is invalid: " + field + ": " + message,
          .details = R"({"group":"meta.k8s.io","kind":"ListOptions","causes":[)" +
                     Cause(reason, message, field) + "]}"};
}

TEST_F(ListTest, OrdersByKeyAndOmitsTheKindOfItems) {
  CreateAll("cab");

  const Answer list = List("");

  EXPECT_EQ(list.code, 200);
  EXPECT_EQ(Names(list), "a b c ");
  EXPECT_EQ(runtime::GetString(list.json, "kind"), "ConfigMapList");
  EXPECT_EQ(runtime::Find(list.json["items"][0], "kind"), nullptr);
  EXPECT_EQ(runtime::Find(list.json["items"][0], "apiVersion"), nullptr);
}

TEST_F(ListTest, ReturnsAnEmptyList) {
  EXPECT_EQ(Normal(List("")), Sorted(R"({"kind":"ConfigMapList","apiVersion":"v1",)"
                                     R"("metadata":{"resourceVersion":"RV"},"items":[]})"));
}

TEST_F(ListTest, ReadsLaterPagesAtTheVersionOfTheFirst) {
  CreateAll("abcd");

  const Answer first = List("limit=2");
  Delete(ConfigMaps("c"));
  CreateAll("e");
  const Answer second = List("limit=2&continue=" + std::string(first.meta("continue")));

  EXPECT_EQ(Names(first), "a b ");
  EXPECT_EQ(first.json["metadata"]["remainingItemCount"].GetInt(), 2);
  EXPECT_EQ(Names(second), "c d ");
  EXPECT_EQ(second.meta("continue"), "");
  EXPECT_EQ(second.meta("resourceVersion"), first.meta("resourceVersion"));
}

TEST_F(ListTest, EndsTheListWithAFullLastPage) {
  CreateAll("ab");

  EXPECT_EQ(List("limit=2").meta("continue"), "");
  EXPECT_EQ(Names(List("limit=0")), "a b ");
}

TEST_F(ListTest, OmitsTheRemainingCountWithASelector) {
  CreateConfigMap("a", R"("labels":{"l":"1"})");
  CreateConfigMap("b", R"("labels":{"l":"1"})");

  const Answer first = List("limit=1&labelSelector=l");

  EXPECT_EQ(Names(first), "a ");
  EXPECT_NE(first.meta("continue"), "");
  EXPECT_EQ(runtime::Find(first.json["metadata"], "remainingItemCount"), nullptr);
}

TEST_F(ListTest, OffersAnInconsistentContinuationForAnExpiredToken) {
  CreateAll("abc");
  const Answer first = List("limit=1");
  CreateAll("d");
  if (!Compact()) GTEST_SKIP() << "needs CAPSTAN_CONTRACT_ETCD";

  const Answer expired = List("limit=5&continue=" + std::string(first.meta("continue")));
  const Answer rest = List("limit=5&continue=" + std::string(expired.meta("continue")));

  EXPECT_EQ(expired.code, 410);
  EXPECT_EQ(Normal(expired),
            Sorted(R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"TOKEN"},)"
                   R"("status":"Failure","message":"The provided continue parameter is too old to )"
                   R"(display a consistent list result. You can start a new list without the )"
                   R"(continue parameter, or use the continue token in this response to retrieve )"
                   R"(the remainder of the results. Continuing with the provided token results in )"
                   R"(an inconsistent list - objects that were created, modified, or deleted )"
                   R"(between the time the first chunk was returned and now may show up in the )"
                   R"(list.","reason":"Expired","code":410})"));
  EXPECT_EQ(Names(rest), "b c d ");
  EXPECT_NE(rest.meta("resourceVersion"), first.meta("resourceVersion"));
}

TEST_F(ListTest, RejectsInvalidContinueTokens) {
  const std::string prefix = "invalid continue token: continue key is not valid: ";

  EXPECT_REFUSED(List("continue=!!"), BadRequest(prefix + "illegal base64 data at input byte 0"));
  // The tokens are {}, one without a version, and one of an unknown version.
  EXPECT_REFUSED(List("continue=e30"),
                 BadRequest(prefix + "server does not recognize this encoded version "));
  EXPECT_REFUSED(List("continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhIn0"),
                 BadRequest(prefix + "incorrect encoded start resourceVersion (version "
                                     "meta.k8s.io/v1)"));
  EXPECT_REFUSED(List("continue=eyJ2Ijoib3RoZXIiLCJydiI6NSwic3RhcnQiOiJhIn0"),
                 BadRequest(prefix + "server does not recognize this encoded version other"));
}

TEST_F(ListTest, RejectsAVersionWithAContinueToken) {
  CreateAll("abc");
  const std::string token(List("limit=1").meta("continue"));

  for (const char* const version : {"5", "abc"}) {
    EXPECT_REFUSED(List("limit=1&continue=" + token + "&resourceVersion=" + version),
                   BadRequest("specifying resource version is not allowed when using continue"));
  }
}

TEST_F(ListTest, IgnoresTheLimitAtVersionZero) {
  CreateAll("ab");
  AwaitCache(ConfigMaps(), CreateConfigMap("c"));

  EXPECT_EQ(Names(List("resourceVersion=0&limit=1")), "a b c ");
}

TEST_F(ListTest, MatchesNotOlderThanUnlessExact) {
  CreateAll("a");
  const std::string then = CreateConfigMap("b");
  AwaitCache(ConfigMaps(), CreateConfigMap("c"));
  const std::string at = "resourceVersion=" + then;

  EXPECT_EQ(Names(List(at)), "a b c ");
  EXPECT_EQ(Names(List(at + "&resourceVersionMatch=NotOlderThan")), "a b c ");
  EXPECT_EQ(Names(List(at + "&resourceVersionMatch=NotOlderThan&limit=2")), "a b ");
  const Answer exact = List(at + "&resourceVersionMatch=Exact");
  EXPECT_EQ(Names(exact), "a b ");
  EXPECT_EQ(exact.meta("resourceVersion"), then);
  // A limit implies an exact match, because only etcd could return pages originally.
  EXPECT_EQ(Names(List(at + "&limit=5")), "a b ");
}

TEST_F(ListTest, ReportsACompactedVersionAsExpired) {
  const std::string then = CreateConfigMap("a");
  CreateAll("b");
  if (!Compact()) GTEST_SKIP() << "needs CAPSTAN_CONTRACT_ETCD";

  EXPECT_REFUSED(List("resourceVersionMatch=Exact&resourceVersion=" + then),
                 {.code = 410,
                  .reason = "Expired",
                  .message = "The resourceVersion for the provided list is too old."});
}

TEST_F(ListTest, TimesOutAtAFutureVersion) {
  const Answer answer = List("resourceVersion=99999999");

  EXPECT_EQ(answer.code, 504);
  EXPECT_THAT(answer.head, HasSubstr("retry-after: 1\r\n"));
  EXPECT_EQ(answer.reason(), "Timeout");
  EXPECT_THAT(std::string(answer.message()),
              MatchesRegex("Timeout: Too large resource version: 99999999, current: [0-9]+"));
  EXPECT_EQ(Sorted(runtime::ToJson(answer.json["details"])),
            R"({"causes":[{"message":"Too large resource version",)"
            R"("reason":"ResourceVersionTooLarge"}],"retryAfterSeconds":1})");
}

TEST_F(ListTest, TimesOutAtAnExactFutureVersion) {
  const Answer answer = List("resourceVersionMatch=Exact&resourceVersion=99999999");

  if (Minor() < 34) {
    EXPECT_EQ(answer.code, 500);
    return;
  }
  EXPECT_EQ(answer.code, 504);
  EXPECT_EQ(answer.reason(), "Timeout");
  EXPECT_EQ(runtime::GetString(answer.json["details"]["causes"][0], "reason"),
            "ResourceVersionTooLarge");
}

TEST_F(ListTest, RejectsInvalidVersionMatches) {
  const std::string field = "resourceVersionMatch";

  EXPECT_REFUSED(
      List("resourceVersionMatch=Exact"),
      InvalidListOption(field, "FieldValueForbidden",
                        "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is "
                        "provided"));
  EXPECT_REFUSED(List("resourceVersionMatch=Exact&resourceVersion=0"),
                 InvalidListOption(field, "FieldValueForbidden",
                                   "Forbidden: resourceVersionMatch \"exact\" is forbidden for "
                                   "resourceVersion \"0\""));
  EXPECT_REFUSED(
      List("resourceVersionMatch=Nope&resourceVersion=5"),
      InvalidListOption(
          field, "FieldValueNotSupported",
          R"(Unsupported value: "Nope": supported values: "Exact", "NotOlderThan", "")"));
  EXPECT_REFUSED(List("sendInitialEvents=true"),
                 InvalidListOption("sendInitialEvents", "FieldValueForbidden",
                                   "Forbidden: sendInitialEvents is forbidden for list"));
  EXPECT_EQ(List("continue=x&resourceVersion=1&resourceVersionMatch=Exact").code, 422);
}

TEST_F(ListTest, RejectsInvalidNumbers) {
  const std::string syntax =
      "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax";
  EXPECT_REFUSED(List("resourceVersion=abc"),
                 Minor() < 34 ? Refusal{.code = 500, .message = syntax}
                              : BadRequest("invalid resource version: " + syntax));
  EXPECT_REFUSED(List("limit=x"), BadRequest("strconv.ParseInt: parsing \"x\": invalid syntax"));
  EXPECT_REFUSED(List("limit=99999999999999999999"),
                 BadRequest("strconv.ParseInt: parsing \"99999999999999999999\": value out of "
                            "range"));
  EXPECT_REFUSED(List("timeoutSeconds=x"),
                 BadRequest("strconv.ParseInt: parsing \"x\": invalid syntax"));
}

TEST_F(ListTest, ListsAcrossNamespaces) {
  CreateAll("a");

  const Answer all = Get("/api/v1/configmaps?fieldSelector=metadata.namespace%3D" + ns());

  EXPECT_EQ(Names(all), "a ");
}

TEST_F(ListTest, GetsOneObjectAtAVersion) {
  const std::string version = CreateConfigMap("a");

  EXPECT_EQ(Get(ConfigMaps("a") + "?resourceVersion=0").code, 200);
  EXPECT_EQ(Get(ConfigMaps("a") + "?resourceVersion=" + version).code, 200);
  EXPECT_EQ(Get(ConfigMaps("a") + "?resourceVersion=99999999").code, 504);
  EXPECT_REFUSED(Get(ConfigMaps("a") + "?resourceVersion=abc"),
                 {.code = 500,
                  .message = "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing "
                             "\"abc\": invalid syntax"});
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
