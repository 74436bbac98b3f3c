// SPDX-License-Identifier: Apache-2.0
// Tests of LIST over HTTP: pages, resourceVersion semantics and forms.
#include "clientgo/testing/apiserver/testing/server_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using ListTest = ServerTest;

TEST_F(ListTest, LaterPagesShowStateOfFirstPage) {
  for (const char* name : {"a", "b", "c", "d"}) CreateConfigMap(name);

  const Answer first = client_->Get(Path(kConfigMaps, "?limit=2"));
  client_->Delete(Path(kConfigMaps, "/c"));
  CreateConfigMap("ab");
  CreateConfigMap("e");
  const Answer second =
      client_->Get(Path(kConfigMaps, "?limit=2&continue=" + std::string(first.meta("continue"))));

  EXPECT_EQ(Names(first), "a b ");
  EXPECT_EQ(runtime::FindPath(first.json, {"metadata", "remainingItemCount"})->GetInt(), 2);
  EXPECT_EQ(Names(second), "c d ");
  EXPECT_EQ(second.meta("continue"), "");
  EXPECT_EQ(second.meta("resourceVersion"), first.meta("resourceVersion"));
}

TEST_F(ListTest, EachPageCountsTheRemainingObjects) {
  for (const char* name : {"a", "b", "c", "d"}) CreateConfigMap(name);

  const Answer first = client_->Get(Path(kConfigMaps, "?limit=1"));
  const Answer second =
      client_->Get(Path(kConfigMaps, "?limit=2&continue=" + std::string(first.meta("continue"))));
  const Answer third =
      client_->Get(Path(kConfigMaps, "?limit=2&continue=" + std::string(second.meta("continue"))));

  EXPECT_EQ(runtime::FindPath(first.json, {"metadata", "remainingItemCount"})->GetInt(), 3);
  EXPECT_EQ(runtime::FindPath(second.json, {"metadata", "remainingItemCount"})->GetInt(), 1);
  EXPECT_EQ(Names(third), "d ");
  EXPECT_EQ(runtime::FindPath(third.json, {"metadata", "remainingItemCount"}), nullptr);
}

TEST_F(ListTest, ExpiredPageOffersInconsistentContinueToken) {
  for (const char* name : {"a", "b", "c"}) CreateConfigMap(name);
  const Answer first = client_->Get(Path(kConfigMaps, "?limit=1"));
  CreateConfigMap("d");
  server_->CompactWatchWindow();

  const Answer expired =
      client_->Get(Path(kConfigMaps, "?limit=5&continue=" + std::string(first.meta("continue"))));
  const Answer rest =
      client_->Get(Path(kConfigMaps, "?limit=5&continue=" + std::string(expired.meta("continue"))));

  EXPECT_EQ(expired.code, 410);
  EXPECT_EQ(expired.reason(), "Expired");
  EXPECT_THAT(expired.message(), HasSubstr("The provided continue parameter is too old"));
  EXPECT_EQ(Names(rest), "b c d ");
}

TEST_F(ListTest, ServesExactAndNotOlderThanVersions) {
  CreateConfigMap("a");
  const std::string two = CreateConfigMap("b");
  CreateConfigMap("c");

  EXPECT_EQ(client_->Get(Path(kConfigMaps, "?resourceVersion=0&limit=1")).items(), 3U);
  EXPECT_EQ(client_->Get(Path(kConfigMaps, "?resourceVersion=" + two)).items(), 3U);
  const Answer exact =
      client_->Get(Path(kConfigMaps, "?resourceVersionMatch=Exact&resourceVersion=" + two));
  EXPECT_EQ(Names(exact), "a b ");
  EXPECT_EQ(exact.meta("resourceVersion"), two);
  EXPECT_EQ(Names(client_->Get(Path(kConfigMaps, "?limit=5&resourceVersion=" + two))), "a b ");
  server_->CompactWatchWindow();
  EXPECT_EQ(client_->Get(Path(kConfigMaps, "?resourceVersionMatch=Exact&resourceVersion=" + two))
                .message(),
            "The resourceVersion for the provided list is too old.");
}

TEST_F(ListTest, RejectsTooLargeVersion) {
  const Answer answer = client_->Get(Path(kConfigMaps, "?resourceVersion=99999999"));

  EXPECT_EQ(answer.code, 504);
  EXPECT_THAT(answer.head, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_EQ(answer.reason(), "Timeout");
  EXPECT_THAT(std::string(answer.message()),
              HasSubstr("Timeout: Too large resource version: 99999999, current: "));
  EXPECT_THAT(answer.body, HasSubstr(R"("causes":[{"reason":"ResourceVersionTooLarge",)"
                                     R"("message":"Too large resource version"}],)"
                                     R"("retryAfterSeconds":1)"));
}

TEST_F(ListTest, RejectsOptionsAsKubeApiserver) {
  const auto message = [&](std::string_view query) {
    return std::string(client_->Get(Path(kConfigMaps, query)).message());
  };
  const std::string prefix = "ListOptions.meta.k8s.io \"\" is invalid: ";

  EXPECT_EQ(message("?resourceVersion=abc"),
            "invalid resource version: resourceVersion: Invalid value: \"abc\": strconv.ParseUint: "
            "parsing \"abc\": invalid syntax");
  EXPECT_EQ(message("?resourceVersionMatch=Exact"),
            prefix +
                "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless "
                "resourceVersion is provided");
  EXPECT_EQ(message("?resourceVersion=5&resourceVersionMatch=Nope"),
            prefix +
                "resourceVersionMatch: Unsupported value: \"Nope\": supported values: "
                "\"Exact\", \"NotOlderThan\", \"\"");
  EXPECT_EQ(message("?sendInitialEvents=true"),
            prefix + "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list");
  EXPECT_EQ(message("?limit=x"), "strconv.ParseInt: parsing \"x\": invalid syntax");
  EXPECT_EQ(client_->Get(Path(kConfigMaps, "?continue=garbage")).code, 400);
}

TEST_F(ListTest, SelectsByLabelFieldAndNamespace) {
  CreateConfigMap("a", "x");
  CreateConfigMap("b", "y");
  client_->Post("/api/v1/namespaces/kube-system/configmaps", R"({"metadata":{"name":"c"}})");

  EXPECT_EQ(Names(client_->Get(Path(kConfigMaps, "?labelSelector=app%3Dx"))), "a ");
  EXPECT_EQ(Names(client_->Get(Path(kConfigMaps, "?fieldSelector=metadata.name%3Db"))), "b ");
  EXPECT_EQ(Names(client_->Get("/api/v1/configmaps")), "a b c ");
  EXPECT_EQ(Names(client_->Get("/api/v1/configmaps?fieldSelector=metadata.namespace%21%3Ddefault")),
            "c ");
}

TEST_F(ListTest, SendsPartialObjectMetadataOnRequest) {
  client_->Post(kSecrets, R"({"metadata":{"name":"a"},"stringData":{"k":"v"}})");
  constexpr std::string_view kOne =
      "Accept: application/cbor;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json\r\n";
  constexpr std::string_view kMany =
      "Accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1\r\n";

  const Answer one = client_->Get(Path(kSecrets, "/a"), kOne);
  const Answer many = client_->Get(kSecrets, kMany);

  EXPECT_EQ(runtime::GetString(one.json, "kind"), "PartialObjectMetadata");
  EXPECT_EQ(runtime::GetString(many.json, "kind"), "PartialObjectMetadataList");
  EXPECT_EQ(runtime::GetString(many.json, "apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(Names(many), "a ");
  EXPECT_EQ(runtime::Find(one.json, "data"), nullptr);
  EXPECT_THAT(many.body, Not(HasSubstr("\"data\"")));
  EXPECT_EQ(client_->Get(kSecrets, kOne).code, 406);
  EXPECT_EQ(client_->Get(kSecrets, "Accept: text/html\r\n").code, 406);
}

TEST_F(ListTest, StreamsLongListCompletely) {
  std::vector<std::string> objects;
  const std::string text(50000, 'x');
  for (int i = 100; i < 200; ++i) {
    objects.push_back(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"big",)"
                      R"("name":"c)" +
                      std::to_string(i) + R"("},"data":{"t":")" + text + "\"}}");
  }
  ASSERT_TRUE(server_->CreateObjects(std::move(objects)).has_value());

  const Answer all = client_->Get("/api/v1/namespaces/big/configmaps");

  EXPECT_THAT(all.head, HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_EQ(all.items(), 100U);
  EXPECT_GT(all.body.size(), 100 * text.size());
}

}  // namespace
}  // namespace capstan::testing::apiserver
