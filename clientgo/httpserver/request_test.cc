// SPDX-License-Identifier: Apache-2.0
#include "capstan/httpserver/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::httpserver {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(RequestTest, SplitsAndDecodesTarget) {
  Request request;

  ASSERT_TRUE(ParseTarget("/api/v1/a%2Fb?labelSelector=a%3Db%2Cc+in+%28d%29&watch&x=", request));

  EXPECT_EQ(request.path, "/api/v1/a/b");
  EXPECT_THAT(request.query,
              ElementsAre(Pair("labelSelector", "a=b,c in (d)"), Pair("watch", ""), Pair("x", "")));
  EXPECT_EQ(request.Query("labelSelector"), "a=b,c in (d)");
  EXPECT_EQ(request.Query("absent"), "");
}

TEST(RequestTest, KeepsPlusInPath) {
  Request request;

  ASSERT_TRUE(ParseTarget("/a+b?c=d+e", request));

  EXPECT_EQ(request.path, "/a+b");
  EXPECT_EQ(request.Query("c"), "d e");
}

TEST(RequestTest, RejectsBadEncodingAndRelativePath) {
  for (const char* target : {"", "x", "http://host/", "/%", "/%4", "/%zz", "/?a=%", "/?%g0=1"}) {
    Request request;
    EXPECT_FALSE(ParseTarget(target, request)) << target;
  }
}

TEST(RequestTest, FindsHeadersIgnoringCase) {
  const Request request{.headers = {{"User-Agent", "first"}, {"user-agent", "second"}}};

  EXPECT_EQ(request.Header("USER-AGENT"), "first");
  EXPECT_EQ(request.Header("Accept"), "");
}

}  // namespace
}  // namespace capstan::httpserver
