// SPDX-License-Identifier: Apache-2.0
#include "capstan/rest/pager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clientgo/rest/testing/client_fixture.h"

namespace capstan::rest {
namespace {

using ::testing::ElementsAre;

struct PagerTest : ClientFixture {
  void PushPage(const std::string& version, const std::string& token,
                const std::vector<std::string>& names) {
    std::string items;
    for (const std::string& name : names) {
      items += (items.empty() ? "" : ",");
      items += R"({"metadata":{"namespace":"ns",)" +
               (name.empty() ? std::string(R"("uid":"x")") : R"("name":")" + name + '"') + "}}";
    }
    transport_->Push(
        {.chunks = {R"({"kind":"SecretList","metadata":{"resourceVersion":")" + version +
                    R"(","continue":")" + token + R"("},"items":[)" + items + "]}"}});
  }
  void PushExpired() {
    transport_->Push({.status = 410,
                      .chunks = {R"({"kind":"Status","status":"Failure","reason":"Expired",)"
                                 R"("code":410,"message":"the token has expired"})"}});
  }
  std::vector<std::string> Targets() const {
    std::vector<std::string> targets;
    for (const auto& request : transport_->requests()) {
      targets.push_back(request.target.substr(request.target.find('?') + 1));
    }
    return targets;
  }
  static std::vector<std::string> Names(const ObjectList& list) {
    std::vector<std::string> names;
    for (const auto& item : list.items) names.emplace_back(item->name());
    return names;
  }
};

TEST_F(PagerTest, ReadsAllPages) {
  Start();
  PushPage("7", "t1", {"a", "b"});
  PushPage("7", "t2", {"c", "d"});
  PushPage("7", "", {"e"});

  const auto list =
      ListAll({}, *client_, kSecretType,
              {.namespace_ = "ns", .label_selector = "x", .resource_version = "5", .limit = 2});

  ASSERT_TRUE(list.has_value()) << list.error().message;
  EXPECT_THAT(Names(*list), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_EQ(list->meta.resource_version, "7");
  EXPECT_EQ(list->meta.continue_token, "");
  EXPECT_THAT(Targets(), ElementsAre("labelSelector=x&resourceVersion=5&limit=2",
                                     "labelSelector=x&limit=2&continue=t1",
                                     "labelSelector=x&limit=2&continue=t2"));
}

TEST_F(PagerTest, RequestsPagesOf500ByDefault) {
  Start();
  PushPage("7", "", {"a"});

  ASSERT_TRUE(ListAll({}, *client_, kSecretType).has_value());

  EXPECT_THAT(Targets(), ElementsAre("limit=500"));
}

TEST_F(PagerTest, ReadsWholeListWhenTokenExpires) {
  Start();
  PushPage("7", "t1", {"a", "gone"});
  PushExpired();
  PushPage("9", "", {"a", "b"});

  const auto list =
      ListAll({}, *client_, kSecretType,
              {.resource_version = "5", .resource_version_match = "NotOlderThan", .limit = 2});

  ASSERT_TRUE(list.has_value()) << list.error().message;
  EXPECT_THAT(Names(*list), ElementsAre("a", "b"));
  EXPECT_EQ(list->meta.resource_version, "9");
  EXPECT_EQ(Targets().back(), "resourceVersion=5&resourceVersionMatch=NotOlderThan");
}

TEST_F(PagerTest, ReturnsExpirationOfFirstPageAndOtherErrors) {
  Start();
  PushExpired();
  const auto first = ListAll({}, *client_, kSecretType);
  PushPage("7", "t1", {"a"});
  transport_->Push({.status = 403});
  const auto forbidden = ListAll({}, *client_, kSecretType);

  ASSERT_FALSE(first.has_value());
  EXPECT_TRUE(IsExpired(first.error()));
  ASSERT_FALSE(forbidden.has_value());
  EXPECT_TRUE(IsForbidden(forbidden.error()));
  EXPECT_EQ(transport_->requests().size(), 3U);
}

TEST_F(PagerTest, ReportsUndecodableItemsOfAllPages) {
  Start();
  PushPage("7", "t1", {"a", ""});
  PushPage("7", "t2", {"b", ""});
  PushPage("7", "", {"c"});

  const auto list = ListAll({}, *client_, kSecretType);

  ASSERT_TRUE(list.has_value()) << list.error().message;
  EXPECT_THAT(Names(*list), ElementsAre("a", "b", "c"));
  EXPECT_EQ(list->meta.undecodable.size(), 2U);
}

}  // namespace
}  // namespace capstan::rest
