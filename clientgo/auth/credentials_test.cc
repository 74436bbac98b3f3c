// SPDX-License-Identifier: Apache-2.0
#include "capstan/auth/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/testing/fake_clock.h"
#include "capstan/testing/temp_dir.h"

namespace capstan::auth {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

class TokenFileTest : public ::testing::Test {
 protected:
  static std::string Sent(Credentials& credentials) {
    auto current = credentials.Current({});
    return current ? (*current)->authorization : current.error().message;
  }
  testing::FakeClock clock_;
  const testing::TempDir dir_;
};

TEST_F(TokenFileTest, ReadsRotatedFileWithinOneMinute) {
  const auto file = NewTokenFile(dir_.Write("token", "one\n"), clock_);
  EXPECT_EQ(Sent(*file), "Bearer one");
  dir_.Write("token", "two");

  clock_.Step(seconds(49));
  EXPECT_EQ(Sent(*file), "Bearer one");
  clock_.Step(seconds(1));
  EXPECT_EQ(Sent(*file), "Bearer two");
}

TEST_F(TokenFileTest, ReadsAgainAtOnceAfter401) {
  const auto file = NewTokenFile(dir_.Write("token", "one"), clock_);
  const CredentialPtr one = file->Current({}).value();
  dir_.Write("token", "two");

  file->OnUnauthorized(one);
  EXPECT_EQ(Sent(*file), "Bearer two");

  // A 401 for the old token does not make it read the file again.
  dir_.Write("token", "three");
  file->OnUnauthorized(one);
  EXPECT_EQ(Sent(*file), "Bearer two");
}

TEST_F(TokenFileTest, KeepsOldTokenWhenFileIsUnreadable) {
  const auto file = NewTokenFile(dir_.Write("token", "one"), clock_);
  EXPECT_EQ(Sent(*file), "Bearer one");
  dir_.Remove("token");
  clock_.Step(seconds(51));
  EXPECT_EQ(Sent(*file), "Bearer one");

  dir_.Write("token", "two");
  clock_.Step(seconds(10));

  EXPECT_EQ(Sent(*file), "Bearer two");
}

TEST_F(TokenFileTest, NamesBadFileWithoutQuotingIt) {
  const auto why = [&](const std::string& path) {
    const auto checked = NewTokenFile(path, clock_)->Check();
    return checked ? "accepted" : checked.error().message;
  };

  EXPECT_THAT(why("/nonexistent/token"), HasSubstr("open /nonexistent/token: No such file"));
  EXPECT_THAT(why(dir_.Write("empty", " \n")), HasSubstr("empty is empty"));
  // The line break would end the header and begin another.
  const std::string injected = why(dir_.Write("bad", "secret\r\nX-Remote-User: admin"));
  EXPECT_THAT(injected, HasSubstr("does not contain a token"));
  EXPECT_THAT(injected, Not(HasSubstr("secret")));
}

TEST_F(TokenFileTest, RetriesUntilFirstTokenIsRead) {
  const auto file = NewTokenFile(dir_.Path("token"), clock_);
  EXPECT_THAT(Sent(*file), HasSubstr("No such file"));

  dir_.Write("token", "late");

  EXPECT_EQ(Sent(*file), "Bearer late");
}

TEST(StaticCredentialsTest, NeverChange) {
  const auto token = NewStaticCredentials(BearerAuthorization("t"), "the token");
  const CredentialPtr first = token->Current({}).value();
  token->OnUnauthorized(first);

  EXPECT_EQ(token->Current({}).value(), first);
  EXPECT_EQ(first->authorization, "Bearer t");
  // RFC 7617's example.
  EXPECT_EQ(BasicAuthorization("Aladdin", "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST(StaticCredentialsTest, RejectTokenWithLineBreak) {
  // YAML's `token: |` gives a line break.
  const auto token = NewStaticCredentials(BearerAuthorization("secret\n"), "the token (user u)");

  const auto checked = token->Check();

  ASSERT_FALSE(checked.has_value());
  EXPECT_THAT(checked.error().message, HasSubstr("the token (user u) contains a line break"));
  EXPECT_THAT(checked.error().message, Not(HasSubstr("secret")));
  EXPECT_FALSE(token->Current({}).has_value());
}

TEST(StaticCredentialsTest, RejectsTokenThatIsNotAscii) {
  for (const char* token : {"\xC3\xA4", "t\t", "t "}) {
    EXPECT_FALSE(NewStaticCredentials(BearerAuthorization(token), "the token")->Check()) << token;
  }
}

}  // namespace
}  // namespace capstan::auth
