// SPDX-License-Identifier: Apache-2.0
#include "cmd/test-server/token_auth_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/testing/temp_dir.h"

namespace capstan::cmd::test_server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(TokenAuthFileTest, ReadsUsersAndGroups) {
  const testing::TempDir dir;
  testing::apiserver::Options server;

  const auto added = AddTokens(
      dir.Write("tokens", "t1,jane,1,\"devs,\"\"ops\"\"\"\r\n,nobody,3\n\nt2,joe,2"), server);

  ASSERT_TRUE(added) << added.error().message;
  EXPECT_THAT(server.tokens, ElementsAre(Pair("t1", "jane"), Pair("t2", "joe")));
  EXPECT_THAT(server.uids, ElementsAre(Pair("jane", "1"), Pair("joe", "2")));
  EXPECT_THAT(server.groups["jane"], ElementsAre("devs", "\"ops\""));
  EXPECT_THAT(server.groups["joe"], ElementsAre());
}

TEST(TokenAuthFileTest, RejectsShortLine) {
  const testing::TempDir dir;
  testing::apiserver::Options server;

  const auto added = AddTokens(dir.Write("tokens", "t1,jane\n"), server);

  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("must have at least 3 columns (token, user name, "
                                               "user uid), found 2"));
}

}  // namespace
}  // namespace capstan::cmd::test_server
