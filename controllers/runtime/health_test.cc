// SPDX-License-Identifier: Apache-2.0
#include "capstan/health.h"

#include <gtest/gtest.h>

namespace capstan {
namespace {

Expected<void> Healthy() { return {}; }

Check Failing(const std::string& message) {
  return [message]() -> Expected<void> { return Err(ErrorReason::kUnknown, message); };
}

TEST(HealthChecksTest, AnswersOkWhenAllChecksPass) {
  HealthChecks checks("readyz");
  checks.Add("caches", Healthy);

  const auto answer = checks.Handle("");

  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "ok");
}

TEST(HealthChecksTest, AnswersPingWithoutChecks) {
  const HealthChecks checks("healthz");

  EXPECT_EQ(checks.Handle("", {{"verbose", ""}}).body, "[+]ping ok\nhealthz check passed\n");
  EXPECT_EQ(checks.Handle("/ping").body, "ok");
}

TEST(HealthChecksTest, ListsChecksInOrderWhenVerbose) {
  HealthChecks checks("livez");
  checks.Add("zebra", Healthy);
  checks.Add("apple", Healthy);

  for (const HealthChecks::Query& query : std::vector<HealthChecks::Query>{
           {{"verbose", ""}}, {{"verbose", "true"}}, {{"a", "b"}, {"verbose", ""}}}) {
    EXPECT_EQ(checks.Handle("/", query).body, "[+]zebra ok\n[+]apple ok\nlivez check passed\n");
  }
  EXPECT_EQ(checks.Handle("", {{"verbosely", ""}}).body, "ok");
}

TEST(HealthChecksTest, ShowsTheReasonOfAFailure) {
  HealthChecks checks("readyz");
  checks.Add("ping", Healthy);
  checks.Add("caches", Failing("secrets: 403 Forbidden"));

  const auto answer = checks.Handle("");

  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body,
            "[+]ping ok\n[-]caches failed: secrets: 403 Forbidden\nreadyz check failed\n");
}

TEST(HealthChecksTest, KeepsAReasonOnOneLine) {
  HealthChecks checks("readyz");
  checks.Add("caches", Failing("bad\n[+]caches ok"));

  EXPECT_EQ(checks.Handle("").body, "[-]caches failed: bad [+]caches ok\nreadyz check failed\n");
}

TEST(HealthChecksTest, DoesNotRunExcludedChecks) {
  HealthChecks checks("readyz");
  checks.Add("ping", Healthy);
  checks.Add("first pass", Failing("not yet"));

  const auto answer = checks.Handle("", {{"verbose", ""}, {"exclude", "first pass"}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "[+]ping ok\n[+]first pass excluded: ok\nreadyz check passed\n");
  EXPECT_EQ(checks.Handle("", {{"exclude", "ping"}}).status, 500);
}

TEST(HealthChecksTest, WarnsAboutUnknownExcludedChecks) {
  HealthChecks checks("readyz");
  checks.Add("ping", Healthy);

  const auto answer = checks.Handle("", {{"verbose", ""}, {"exclude", "a"}, {"exclude", "b"}});

  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body,
            "[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "
            "\"a\",\"b\"\nreadyz check passed\n");
}

TEST(HealthChecksTest, ServesEachCheckOnItsOwnPath) {
  HealthChecks checks("readyz");
  checks.Add("good", Healthy);
  checks.Add("bad", Failing("no Lease"));

  EXPECT_EQ(checks.Handle("/good").body, "ok");
  EXPECT_EQ(checks.Handle("/bad").status, 500);
  EXPECT_EQ(checks.Handle("/bad").body, "internal server error: no Lease\n");
  EXPECT_EQ(checks.Handle("/none").status, 404);
  EXPECT_EQ(checks.Handle("/good/").status, 404);
}

TEST(HealthChecksTest, AllowsACheckToAddAnother) {
  HealthChecks checks("readyz");
  checks.Add("adds", [&]() -> Expected<void> {
    checks.Add("late", Healthy);
    return {};
  });

  EXPECT_EQ(checks.Handle("").body, "ok");
  EXPECT_EQ(checks.Handle("/late").body, "ok");
}

TEST(HealthChecksTest, ShowsNotesWithoutFailing) {
  HealthChecks readyz("readyz");
  std::string note = "certificates\nare not served";
  readyz.Add("ok", [] { return Expected<void>(); });
  readyz.AddNote("optional", [&] { return note; });

  EXPECT_EQ(readyz.Handle("").body, "ok");
  EXPECT_EQ(readyz.Handle("", {{"verbose", ""}}).status, 200);
  EXPECT_EQ(readyz.Handle("", {{"verbose", ""}}).body,
            "[+]ok ok\n[i]optional: certificates are not served\nreadyz check passed\n");
  note.clear();
  EXPECT_EQ(readyz.Handle("", {{"verbose", ""}}).body, "[+]ok ok\nreadyz check passed\n");
}

}  // namespace
}  // namespace capstan
