// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/protobuf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/runtime/testing/protobuf_bytes.h"
#include "clientgo/testing/apiserver/testing/server_fixture.h"
#include "clientgo/testing/apiserver/types/built_in.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;

using runtime::Bytes;
using runtime::Entry;
using runtime::Number;

TEST(ProtobufTest, KnowsEveryBuiltInKind) {
  for (const Resource& resource : Resources()) {
    EXPECT_TRUE(resource.custom || FindMessage(resource) != nullptr) << resource.kind;
  }
}

TEST(ProtobufTest, RejectsMalformedBodies) {
  const auto error = [](std::string_view body) { return JsonFromProtobuf(body).error(); };
  EXPECT_THAT(error("{}"), HasSubstr("expected prefix [107 56 115 0]"));
  EXPECT_EQ(error(runtime::Envelope("v1", "Secret", Bytes(1, "x").substr(0, 2))), "unexpected EOF");
  EXPECT_EQ(error(runtime::Envelope("v1", "Secret", Number(1, 3))),
            "proto: wrong wireType = 0 for field metadata");
  EXPECT_EQ(error(runtime::Envelope("v1", "Secret", "\x0b")),
            "proto: wrong wireType = 3 for field metadata");
  EXPECT_EQ(error(runtime::Envelope("v1", "Secret", std::string(12, '\xff'))),
            "proto: integer overflow");
}

class ProtobufServerTest : public ServerTest {
 protected:
  void SetUp() override { Start({.protobuf = true}); }
  Answer Send(std::string_view method, std::string_view target, std::string_view body) {
    return client_->Do(method, target, body,
                       "Content-Type: application/vnd.kubernetes.protobuf\r\n"
                       "Accept: application/vnd.kubernetes.protobuf,application/json\r\n");
  }
};

TEST_F(ProtobufServerTest, CreatesAndUpdatesAnObject) {
  const Answer created =
      Send("POST", kSecrets,
           runtime::Envelope("v1", "Secret", Bytes(1, Bytes(1, "s")) + Entry(2, "k", "v")));
  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_THAT(JsonFromProtobuf(created.body).value_or(""),
              AllOf(HasSubstr(R"("data":{"k":"dg=="})"), HasSubstr(R"("type":"Opaque")")));

  const Answer updated =
      Send("PUT", Path(kSecrets, "/s"),
           runtime::Envelope("v1", "Secret", Bytes(1, Bytes(1, "s")) + Entry(2, "k", "w")));
  EXPECT_EQ(updated.code, 200) << updated.body;
  EXPECT_EQ(runtime::GetString(ObjectAt(client_->Get(Path(kSecrets, "/s")).json, "data"), "k"),
            "dw==");
}

class JsonServerTest : public ServerTest {
 protected:
  void SetUp() override {
    Start({.protobuf = false});
    CreateConfigMap("a");
  }
  Answer Read(std::string_view target, const std::string& accept) {
    return client_->Get(std::string(target), "Accept: " + accept + "\r\n");
  }
};

TEST_F(JsonServerTest, AnswersInJsonWhateverTheClientPrefers) {
  const std::string both = "application/vnd.kubernetes.protobuf,application/json";
  EXPECT_EQ(Read(kConfigMaps, both).items(), 1);
  EXPECT_EQ(Read(Path(kConfigMaps, "/a"), both).meta("name"), "a");
  EXPECT_EQ(ObjectAt(Read(Path(kConfigMaps, "/none"), both).json, "details").MemberCount(), 2U);
}

TEST_F(JsonServerTest, RefusesAClientThatReadsOnlyProtobuf) {
  EXPECT_EQ(Read(kConfigMaps, "application/vnd.kubernetes.protobuf").code, 406);
}

TEST_F(ProtobufServerTest, ReadsOptionsOfADeletion) {
  CreateConfigMap("a");
  // The precondition is another uid.
  const std::string options = Bytes(2, Bytes(1, "other"));
  EXPECT_EQ(
      Send("DELETE", Path(kConfigMaps, "/a"), runtime::Envelope("v1", "DeleteOptions", options))
          .code,
      409);
  EXPECT_EQ(
      Send("DELETE", Path(kConfigMaps, "/a"), runtime::Envelope("v1", "DeleteOptions", "")).code,
      200);
}

TEST_F(ProtobufServerTest, RejectsAnotherKindAndMalformedBodies) {
  const Answer kind =
      Send("POST", kSecrets, runtime::Envelope("v1", "ConfigMap", Bytes(1, Bytes(1, "s"))));
  EXPECT_EQ(kind.code, 400);
  EXPECT_THAT(JsonFromProtobuf(kind.body).value_or(""), HasSubstr("unknown conversion"));
  EXPECT_EQ(Send("POST", kSecrets, "k8s").code, 400);
}

TEST_F(ProtobufServerTest, RejectsProtobufForCustomResources) {
  EXPECT_EQ(Send("POST", "/apis/cert-manager.io/v1/namespaces/default/certificates",
                 runtime::Envelope("cert-manager.io/v1", "Certificate", ""))
                .code,
            415);
}

}  // namespace
}  // namespace capstan::testing::apiserver
