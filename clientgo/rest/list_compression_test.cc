// SPDX-License-Identifier: Apache-2.0
// Tests of which responses a Client requests compressed, and that it decodes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "capstan/testing/gzip.h"
#include "clientgo/rest/testing/client_fixture.h"

namespace capstan::rest {
namespace {

using ::testing::HasSubstr;

constexpr char kLongList[] =
    R"({"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[)"
    R"({"metadata":{"name":"a","namespace":"n","resourceVersion":"1"}},)"
    R"({"metadata":{"name":"b","namespace":"n","resourceVersion":"2"}}]})";

testing::FakeResponse Compressed(std::vector<std::string> chunks) {
  return {.headers = {{"Content-Encoding", "gzip"}}, .chunks = std::move(chunks)};
}

class ListCompressionTest : public ClientFixture {
 protected:
  Expected<runtime::ListMeta> List() {
    return client_->List({}, kSecretType, {}, [this](const runtime::ObjectPtr& object) {
      listed_.emplace_back(object->key());
    });
  }
  std::vector<std::string> listed_;
};

TEST_F(ListCompressionTest, AllowsItForListsAndWatchesThatBeginWithList) {
  Start({.list_compression = transport::Compression::kOn});
  for (int i = 0; i < 3; ++i) transport_->Push({.chunks = {kLongList}});
  transport_->Push({.chunks = {R"({"kind":"Secret","metadata":{"name":"a","namespace":"n"}})"}});

  ASSERT_TRUE(List().has_value());
  ASSERT_TRUE(client_->Watch({}, kSecretType, {.send_initial_events = true}).has_value());
  ASSERT_TRUE(client_->Watch({}, kSecretType, {}).has_value());
  const auto object = client_->Get({}, kSecretType, {"n", "a"});
  ASSERT_TRUE(object.has_value()) << object.error().message;

  const auto requests = transport_->requests();
  EXPECT_EQ(requests.at(0).compression, transport::Compression::kOn);
  EXPECT_EQ(requests.at(1).compression, transport::Compression::kOn);
  EXPECT_EQ(requests.at(2).compression, transport::Compression::kOff);
  EXPECT_EQ(requests.at(3).compression, transport::Compression::kOff);
}

TEST_F(ListCompressionTest, ConfigDecides) {
  for (const auto compression : {transport::Compression::kOff, transport::Compression::kAuto}) {
    Start({.list_compression = compression});
    transport_->Push({.chunks = {kLongList}});
    ASSERT_TRUE(List().has_value());
    EXPECT_EQ(transport_->requests().at(0).compression, compression);
  }
  EXPECT_EQ(Config().list_compression, transport::Compression::kAuto);
}

TEST_F(ListCompressionTest, DecodesCompressedList) {
  Start();
  transport_->Push(Compressed({testing::Gzip(kLongList)}));

  const auto meta = List();

  ASSERT_TRUE(meta.has_value()) << meta.error().message;
  EXPECT_EQ(meta->resource_version, "9");
  EXPECT_THAT(listed_, ::testing::ElementsAre("n/a", "n/b"));
}

TEST_F(ListCompressionTest, ReturnsEventsOfCompressedWatchAsTheyArrive) {
  Start();
  auto body = std::make_shared<testing::FakeBody>();
  transport_->Push({.headers = {{"Content-Encoding", "gzip"}}, .body = body});
  const auto watcher = client_->Watch({}, kSecretType, {.send_initial_events = true});
  ASSERT_TRUE(watcher.has_value());

  for (const std::string version : {"1", "2", "3"}) {
    body->Push(
        testing::Gzip(R"({"type":"MODIFIED","object":{"kind":"Secret","metadata":{"name":"a",)"
                      R"("resourceVersion":")" +
                      version + "\"}}}\n"));
    const auto event = (*watcher)->Next();
    ASSERT_TRUE(event.has_value()) << event.error().message;
    EXPECT_EQ((*event)->resource_version, version);
  }
  body->End();
  EXPECT_FALSE((*watcher)->Next()->has_value());
}

TEST_F(ListCompressionTest, ReportsTruncatedAndCorruptLists) {
  Start();
  const std::string list = testing::Gzip(kLongList);
  transport_->Push(Compressed({list.substr(0, list.size() - 1)}));
  transport_->Push(Compressed({kLongList}));

  const auto truncated = List();
  ASSERT_FALSE(truncated.has_value());
  EXPECT_EQ(truncated.error().reason, ErrorReason::kUnexpectedEof);
  EXPECT_THAT(truncated.error().message, HasSubstr("10.0.0.1:6443: unexpected EOF in the gzip"));
  const auto corrupt = List();
  ASSERT_FALSE(corrupt.has_value());
  EXPECT_EQ(corrupt.error().reason, ErrorReason::kDecode);
  EXPECT_THAT(corrupt.error().message, HasSubstr("10.0.0.1:6443: corrupt gzip body"));
}

TEST_F(ListCompressionTest, DecodesCompressedError) {
  Start();
  transport_->Push(
      {.status = 403,
       .headers = {{"Content-Encoding", "gzip"}},
       .chunks = {testing::Gzip(R"({"kind":"Status","status":"Failure","reason":"Forbidden",)"
                                R"("message":"no rights","code":403})")}});

  const auto meta = List();

  ASSERT_FALSE(meta.has_value());
  EXPECT_EQ(meta.error().reason, ErrorReason::kForbidden);
  EXPECT_THAT(meta.error().message, HasSubstr("no rights"));
}

}  // namespace
}  // namespace capstan::rest
