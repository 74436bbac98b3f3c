// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/protobuf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "clientgo/testing/apiserver/testing/server_fixture.h"
#include "clientgo/testing/apiserver/types/api_types.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;

// Return one field as Go's encoder writes it.
std::string Varint(std::uint64_t value) {
  std::string text;
  for (; value >= 0x80U; value >>= 7U) text += static_cast<char>(0x80U | (value & 0x7fU));
  return text + static_cast<char>(value);
}
std::string Number(std::uint32_t field, std::uint64_t value) {
  return Varint(field << 3U) + Varint(value);
}
std::string Bytes(std::uint32_t field, std::string_view value) {
  return Varint((field << 3U) | 2U) + Varint(value.size()) + std::string(value);
}
std::string Entry(std::uint32_t field, std::string_view key, std::string_view value) {
  return Bytes(field, Bytes(1, key) + Bytes(2, value));
}

// Returns the body of a request.
std::string Body(std::string_view api_version, std::string_view kind, std::string_view raw) {
  return std::string("k8s\0", 4) + Bytes(1, Bytes(1, api_version) + Bytes(2, kind)) + Bytes(2, raw);
}

std::string Decoded(std::string_view api_version, std::string_view kind, std::string_view raw) {
  const auto json = JsonFromProtobuf(Body(api_version, kind, raw));
  return json ? *json : "error: " + json.error();
}

TEST(ProtobufTest, DecodesMapsBytesAndStrings) {
  EXPECT_EQ(Decoded("v1", "Secret",
                    Bytes(1, Bytes(1, "s") + Bytes(2, "") + Entry(11, "app", "x")) +
                        Entry(2, "key", "\x01\xff") + Bytes(3, "Opaque") + Number(5, 0)),
            R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","labels":{"app":"x"}},)"
            R"("data":{"key":"Af8="},"type":"Opaque","immutable":false})");
}

TEST(ProtobufTest, DecodesNumbersQuantitiesAndIntOrString) {
  const std::string resources = Bytes(1, Bytes(1, "cpu") + Bytes(2, Bytes(1, "100m")));
  const std::string probe =
      Bytes(1, Bytes(2, Bytes(1, "/x") + Bytes(2, Number(1, 0) + Number(2, 8080))));
  const std::string container = Bytes(1, "c") + Bytes(8, resources) + Bytes(10, probe);
  EXPECT_EQ(Decoded("v1", "Pod",
                    Bytes(2, Bytes(2, container) +
                                 Number(4, static_cast<std::uint64_t>(std::int64_t{-5})))),
            R"({"kind":"Pod","apiVersion":"v1","spec":{"containers":[{"name":"c","resources":)"
            R"({"limits":{"cpu":"100m"}},"livenessProbe":{"httpGet":{"path":"/x","port":8080}}}],)"
            R"("terminationGracePeriodSeconds":-5}})");
}

TEST(ProtobufTest, DecodesFieldsOfInlinedMessages) {
  // A Volume's source is a message in protobuf, and members of the volume in JSON.
  const std::string volume = Bytes(1, "v") + Bytes(2, Bytes(6, Bytes(1, "s")));
  EXPECT_EQ(Decoded("v1", "Pod", Bytes(2, Bytes(1, volume))),
            R"({"kind":"Pod","apiVersion":"v1","spec":{"volumes":[{"name":"v",)"
            R"("secret":{"secretName":"s"}}]}})");
}

TEST(ProtobufTest, DecodesTimes) {
  const std::string time = Number(1, 1767323045) + Number(2, 6000);
  EXPECT_EQ(
      Decoded("coordination.k8s.io/v1", "Lease",
              Bytes(1, Bytes(1, "l") + Bytes(8, "") + Bytes(9, time)) + Bytes(2, Bytes(4, time))),
      R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l",)"
      R"("creationTimestamp":null,"deletionTimestamp":"2026-01-02T03:04:05Z"},)"
      R"("spec":{"renewTime":"2026-01-02T03:04:05.000006Z"}})");
}

TEST(ProtobufTest, DecodesJsonSchemaUnions) {
  const std::string list = Bytes(24, Bytes(2, Bytes(5, "string")));
  const std::string any = Bytes(30, Number(1, 1));
  const std::string fallback = Bytes(8, Bytes(1, R"({"a":1})"));
  EXPECT_EQ(Decoded("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                    Bytes(2, Bytes(7, Bytes(4, Bytes(1, list + any + fallback))))),
            R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1",)"
            R"("spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":[{"type":"string"}],)"
            R"("additionalProperties":true,"default":{"a":1}}}}]}})");
}

TEST(ProtobufTest, KnowsEveryBuiltInKind) {
  for (const Resource& resource : Resources()) {
    EXPECT_TRUE(resource.custom || FindMessage(resource) != nullptr) << resource.kind;
  }
}

TEST(ProtobufTest, SkipsUnknownFields) {
  EXPECT_EQ(Decoded("v1", "ConfigMap", Number(99, 7) + Bytes(98, "x") + Entry(2, "k", "v")),
            R"({"kind":"ConfigMap","apiVersion":"v1","data":{"k":"v"}})");
}

TEST(ProtobufTest, RejectsMalformedBodies) {
  const auto error = [](std::string_view body) { return JsonFromProtobuf(body).error(); };
  EXPECT_THAT(error("{}"), HasSubstr("expected prefix [107 56 115 0]"));
  EXPECT_EQ(error(Body("v1", "Secret", Bytes(1, "x").substr(0, 2))), "unexpected EOF");
  EXPECT_EQ(error(Body("v1", "Secret", Number(1, 3))),
            "proto: wrong wireType = 0 for field metadata");
  EXPECT_EQ(error(Body("v1", "Secret", "\x0b")), "proto: illegal wireType 3");
  EXPECT_EQ(error(Body("v1", "Secret", std::string(12, '\xff'))), "proto: integer overflow");
}

TEST(ProtobufTest, RejectsDeepNesting) {
  std::string schema = Bytes(5, "object");
  for (int i = 0; i < 1000; ++i) schema = Bytes(28, schema);  // not: {not: {..}}
  EXPECT_EQ(Decoded("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                    Bytes(2, Bytes(7, Bytes(4, Bytes(1, schema))))),
            "error: proto: message nested too deeply");
}

class ProtobufServerTest : public ServerTest {
 protected:
  Answer Send(std::string_view method, std::string_view target, std::string_view body) {
    return client_->Do(method, target, body,
                       "Content-Type: application/vnd.kubernetes.protobuf\r\n"
                       "Accept: application/vnd.kubernetes.protobuf,application/json\r\n");
  }
};

TEST_F(ProtobufServerTest, CreatesAndUpdatesAnObject) {
  const Answer created =
      Send("POST", kSecrets, Body("v1", "Secret", Bytes(1, Bytes(1, "s")) + Entry(2, "k", "v")));
  EXPECT_EQ(created.code, 201) << created.body;
  EXPECT_EQ(runtime::GetString(ObjectAt(created.json, "data"), "k"), "dg==");
  EXPECT_EQ(runtime::GetString(created.json, "type"), "Opaque");

  const Answer updated = Send("PUT", Path(kSecrets, "/s"),
                              Body("v1", "Secret", Bytes(1, Bytes(1, "s")) + Entry(2, "k", "w")));
  EXPECT_EQ(updated.code, 200) << updated.body;
  EXPECT_EQ(runtime::GetString(ObjectAt(client_->Get(Path(kSecrets, "/s")).json, "data"), "k"),
            "dw==");
}

TEST_F(ProtobufServerTest, ReadsOptionsOfADeletion) {
  CreateConfigMap("a");
  // The precondition is another uid.
  const std::string options = Bytes(2, Bytes(1, "other"));
  EXPECT_EQ(Send("DELETE", Path(kConfigMaps, "/a"), Body("v1", "DeleteOptions", options)).code,
            409);
  EXPECT_EQ(Send("DELETE", Path(kConfigMaps, "/a"), Body("v1", "DeleteOptions", "")).code, 200);
}

TEST_F(ProtobufServerTest, RejectsAnotherKindAndMalformedBodies) {
  const Answer kind = Send("POST", kSecrets, Body("v1", "ConfigMap", Bytes(1, Bytes(1, "s"))));
  EXPECT_EQ(kind.code, 400);
  EXPECT_THAT(std::string(kind.message()), HasSubstr("unknown conversion"));
  EXPECT_EQ(Send("POST", kSecrets, "k8s").code, 400);
}

TEST_F(ProtobufServerTest, RejectsProtobufForCustomResources) {
  EXPECT_EQ(Send("POST", "/apis/cert-manager.io/v1/namespaces/default/certificates",
                 Body("cert-manager.io/v1", "Certificate", ""))
                .code,
            415);
}

}  // namespace
}  // namespace capstan::testing::apiserver
