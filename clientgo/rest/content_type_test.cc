// SPDX-License-Identifier: Apache-2.0
// Tests of the encoding that a Client asks for, and of how it reads what the server chooses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/rest/client.h"
#include "clientgo/rest/testing/client_fixture.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/protobuf_encoder.h"
#include "clientgo/util/testing/log_lines.h"

namespace capstan::rest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::apiserver::EncodeWatchEvent;
using testing::apiserver::ProtobufFromText;

constexpr char kProtobufFirst[] = "application/vnd.kubernetes.protobuf,application/json";
constexpr char kNotAcceptable[] =
    R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotAcceptable",)"
    R"("message":"only JSON","code":406})";
constexpr char kSecretOfServer[] =
    R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","namespace":"ns",)"
    R"("resourceVersion":"7"},"data":{"k":"djE="}})";

testing::FakeResponse Protobuf(const std::string& body, int status = 200) {
  return {.status = status,
          .headers = {{"Content-Type", "application/vnd.kubernetes.protobuf"}},
          .chunks = {body}};
}

// Returns a list of Secrets of the version 42.
std::string ListOf(const std::vector<std::string>& items) {
  std::string encoded;
  for (const std::string& item : items) {
    std::string error;
    encoded += testing::apiserver::EncodeListItem(*runtime::FindMessage("v1", "Secret"),
                                                  *testing::apiserver::ParseJson(item, &error));
  }
  std::string error;
  const auto head = testing::apiserver::ParseJson(
      R"({"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"42"}})", &error);
  return testing::apiserver::EncodeListHead(*head, encoded.size()) + encoded +
         std::string(testing::apiserver::kProtobufTail);
}

runtime::ResourceType TypeOf(std::string group, std::string kind, runtime::Projection::Path path) {
  runtime::ResourceType type = SecretType(false);
  type.gvr = {std::move(group), "v1", "things"};
  type.kind = std::move(kind);
  type.projection = {{"metadata", "name"}, std::move(path)};
  return type;
}

class ContentTypeTest : public ClientFixture {
 protected:
  std::string Accepted(std::size_t request) {
    const auto headers = transport_->requests().at(request).headers;
    return std::string(transport::FindHeader(headers, "Accept"));
  }
  // Returns the Accept header of a GET of the type.
  std::string AcceptedFor(const runtime::ResourceType& type) {
    const std::string kind = type.metadata_only ? "PartialObjectMetadata" : type.kind;
    transport_->Push({.chunks = {R"({"kind":")" + kind + R"(","metadata":{"name":"s"}})"}});
    EXPECT_TRUE(client_->Get({}, type, {"ns", "s"}).has_value());
    return Accepted(transport_->requests().size() - 1);
  }
};

TEST_F(ContentTypeTest, ReadsAnObjectInProtobuf) {
  Start();
  transport_->Push(Protobuf(ProtobufFromText(kSecretOfServer)));

  const auto object = client_->Get({}, kSecretType, {"ns", "s"});

  ASSERT_TRUE(object.has_value()) << object.error().message;
  EXPECT_EQ((*object)->key(), "ns/s");
  EXPECT_EQ((*object)->resource_version(), "7");
  EXPECT_EQ(Accepted(0), kProtobufFirst);
}

TEST_F(ContentTypeTest, ReadsAListInProtobuf) {
  Start();
  transport_->Push(Protobuf(ListOf({R"({"metadata":{"name":"a","namespace":"n"}})",
                                    R"({"metadata":{"name":"b","namespace":"n"}})"})));
  std::vector<std::string> keys;

  const auto meta = client_->List({}, kSecretType, {}, [&](const runtime::ObjectPtr& object) {
    keys.emplace_back(object->key());
  });

  ASSERT_TRUE(meta.has_value()) << meta.error().message;
  EXPECT_EQ(meta->resource_version, "42");
  EXPECT_THAT(keys, ElementsAre("n/a", "n/b"));
}

TEST_F(ContentTypeTest, ReadsAWatchInProtobuf) {
  Start();
  transport_->Push(Protobuf(EncodeWatchEvent("ADDED", ProtobufFromText(kSecretOfServer)) +
                            EncodeWatchEvent("ERROR", ProtobufFromText(kNotAcceptable))));

  const auto watch = client_->Watch({}, kSecretType, {});
  ASSERT_TRUE(watch.has_value());
  EXPECT_EQ((*watch)->content_type(), ContentType::kProtobuf);
  const auto added = (*watch)->Next();
  const auto failed = (*watch)->Next();

  ASSERT_TRUE(added.has_value() && *added);
  ASSERT_NE((**added).object, nullptr);
  EXPECT_EQ((**added).object->key(), "ns/s");
  ASSERT_TRUE(failed.has_value() && *failed);
  EXPECT_EQ((**failed).type, runtime::EventType::kError);
  EXPECT_EQ((**failed).error.message, "only JSON");
}

TEST_F(ContentTypeTest, ReadsAStatusInProtobuf) {
  Start();
  transport_->Push(Protobuf(
      ProtobufFromText(
          R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404,)"
          R"("message":"secrets \"s\" not found"})"),
      404));

  const auto object = client_->Get({}, kSecretType, {"ns", "s"});

  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().reason, ErrorReason::kNotFound);
  EXPECT_THAT(object.error().message, HasSubstr("secrets \"s\" not found"));
}

TEST_F(ContentTypeTest, ShowsNoBytesOfAStatusThatIsCutOff) {
  Start();
  transport_->Push(Protobuf(std::string("k8s\0\x0a\x7f", 6), 500));

  const auto object = client_->Get({}, kSecretType, {"ns", "s"});

  ASSERT_FALSE(object.has_value());
  EXPECT_THAT(object.error().message, HasSubstr("the server answered 500 without a message"));
}

TEST_F(ContentTypeTest, AsksForJsonOnceAServerRefusesProtobuf) {
  for (const int code : {406, 415}) {
    Start();
    const LogLines log(google::GLOG_WARNING);
    transport_->Push({.status = code, .chunks = {kNotAcceptable}});
    transport_->Push({.chunks = {kSecretOfServer}});

    const auto object = client_->Get({}, kSecretType, {"ns", "s"});

    ASSERT_TRUE(object.has_value()) << code << ": " << object.error().message;
    EXPECT_EQ(Accepted(0), kProtobufFirst);
    EXPECT_EQ(Accepted(1), "application/json");
    EXPECT_EQ(AcceptedFor(kSecretType), "application/json") << "asked again";
    EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("The server refuses protobuf for a kind")));
  }
  EXPECT_THAT(metrics_.refused(), ElementsAre("secrets", "secrets")) << "once for each client";
}

TEST_F(ContentTypeTest, FallsBackForOneKindOnly) {
  Start();
  transport_->Push({.status = 406, .chunks = {kNotAcceptable}});
  transport_->Push({.chunks = {kSecretOfServer}});
  ASSERT_TRUE(client_->Get({}, kSecretType, {"ns", "s"}).has_value());

  EXPECT_EQ(AcceptedFor(TypeOf("apps", "Deployment", {"spec", "replicas"})), kProtobufFirst);
}

TEST_F(ContentTypeTest, ReportsARefusalOfJson) {
  Start({.content_type = ContentType::kJson});
  transport_->Push({.status = 406, .chunks = {kNotAcceptable}});

  EXPECT_FALSE(client_->Get({}, kSecretType, {"ns", "s"}).has_value());

  EXPECT_EQ(transport_->requests().size(), 1U);
  EXPECT_THAT(metrics_.refused(), IsEmpty());
}

TEST_F(ContentTypeTest, AsksForJsonWhereProtobufHasNoNumbers) {
  Start();
  EXPECT_EQ(AcceptedFor(TypeOf("example.com", "Thing", {"spec", "replicas"})), "application/json");
  // Its metadata is the same for every kind.
  runtime::ResourceType metadata = TypeOf("example.com", "Thing", {"metadata", "labels"});
  metadata.metadata_only = true;
  EXPECT_THAT(AcceptedFor(metadata),
              HasSubstr("application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;"));
  EXPECT_EQ(AcceptedFor(TypeOf("", "ConfigMap", {"data", "any.key"})), kProtobufFirst);
}

TEST_F(ContentTypeTest, NamesTheFieldThatMakesAKindJson) {
  Start();
  const LogLines log(google::GLOG_INFO);
  const auto type = TypeOf("apps", "Deployment", {"spec", "template", "spec", "newField"});

  EXPECT_EQ(AcceptedFor(type), "application/json");
  EXPECT_EQ(AcceptedFor(type), "application/json");

  EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("field=\"spec.template.spec.newField\"")));
}

}  // namespace
}  // namespace capstan::rest
