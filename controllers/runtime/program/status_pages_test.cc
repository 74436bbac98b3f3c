// SPDX-License-Identifier: Apache-2.0
#include "capstan/status_pages.h"

#include <gflags/gflags.h>
#include <glog/logging.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

httpserver::Request Get(std::string path) {
  httpserver::Request request;
  request.method = "GET";
  request.path = std::move(path);
  return request;
}

class StatusPagesTest : public ::testing::Test {
 protected:
  EndpointPage::Answer Fetch(const httpserver::Request& request) {
    EndpointServerOptions endpoints;
    pages_.AddTo(endpoints, StatusAccess::kLoopback);
    EXPECT_FALSE(endpoints.pages_for_everybody);
    for (const auto& page : endpoints.pages) {
      if (page.path == request.path) return page.answer(request);
    }
    ADD_FAILURE() << request.path;
    return {};
  }

  StatusPages pages_{{.name = "capstan-x",
                      .flags = {"--a=1", "--b=two"},
                      .gates = {{"Fast", featuregate::Stage::kBeta, true}},
                      .queue_length = [] { return 3.0; },
                      .fill =
                          [](statusz::Page& page) {
                            page.facts.push_back({"Leader", {"yes"}});
                          }}};
};

TEST_F(StatusPagesTest, StatuszShowsCommonAndOwnFacts) {
  const auto html = Fetch(Get("/statusz"));
  EXPECT_EQ(html.content_type, "text/html; charset=utf-8");
  EXPECT_THAT(html.body, AllOf(HasSubstr("<h1>capstan-x</h1>"), HasSubstr("<dt>Leader</dt>"),
                               HasSubstr("<td>Fast</td><td>BETA</td><td>true</td>")));

  httpserver::Request request = Get("/statusz");
  request.query = {{"format", "json"}};
  const auto json = Fetch(request);
  EXPECT_EQ(json.content_type, "application/json");
  EXPECT_THAT(json.body, AllOf(StartsWith("{\"program\":\"capstan-x\""),
                               HasSubstr("\"leader\":\"yes\""), HasSubstr("\"queue_length\":[]")));
}

TEST_F(StatusPagesTest, RejectsUnknownFormat) {
  httpserver::Request request = Get("/statusz");
  request.query = {{"format", "xml"}};

  const auto answer = Fetch(request);

  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, "format \"xml\": expected html or json\n");
}

TEST_F(StatusPagesTest, PlotsSamples) {
  EndpointServerOptions endpoints;
  pages_.AddTo(endpoints, StatusAccess::kAll);
  EXPECT_TRUE(endpoints.pages_for_everybody);
  endpoints.periodic();

  EXPECT_THAT(Fetch(Get("/statusz")).body, AllOf(HasSubstr("Queue: now 3, at most 3 in 0s"),
                                                 HasSubstr("Resident memory: now ")));
}

TEST_F(StatusPagesTest, ServesNoPagesWhenOff) {
  EndpointServerOptions endpoints;
  pages_.AddTo(endpoints, StatusAccess::kOff);
  EXPECT_THAT(endpoints.pages, IsEmpty());
  EXPECT_FALSE(endpoints.periodic);
}

TEST_F(StatusPagesTest, FlagzPrintsOneLinePerFlag) {
  EXPECT_EQ(Fetch(Get("/flagz")).body, "--a=1\n--b=two\n");
}

TEST_F(StatusPagesTest, ReadsAndSetsLogLevel) {
  const gflags::FlagSaver saver;
  FLAGS_v = 2;
  EXPECT_EQ(Fetch(Get("/debug/loglevel")).body, "v=2\n");

  httpserver::Request put = Get("/debug/loglevel");
  put.method = "PUT";
  put.body = "6";
  EXPECT_EQ(Fetch(put).body, "v=6\n");
  EXPECT_EQ(FLAGS_v, 6);

  for (const char* bad : {"", "x", "-1", "11", "6 ", "99999999999"}) {
    put.body = bad;
    const auto answer = Fetch(put);
    EXPECT_EQ(answer.status, 400) << bad;
    EXPECT_THAT(answer.body, HasSubstr("expected a number from 0 to 10")) << bad;
    EXPECT_EQ(FLAGS_v, 6) << bad;
  }
}

TEST(StatusAccessTest, ReportsFlagForUnknownValue) {
  CommonOptions options;
  flags::FlagSet set({.name = "prog"});
  set.AddSection("Metrics", MetricsFlags(options, "0"));
  ASSERT_TRUE(set.Parse({"--status-pages=all"}));
  ASSERT_TRUE(set.Check());
  EXPECT_EQ(options.status_pages, StatusAccess::kAll);

  ASSERT_TRUE(set.Parse({"--status-pages=everybody"}));
  const auto bad = set.Check();

  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().message,
            "invalid argument \"everybody\" for --status-pages: expected all or loopback or off");
}

TEST(CachesTableTest, ShowsNeverWithoutProgress) {
  const auto table = CachesTable(
      {{.name = "secrets", .reflector = {}, .synced = false, .objects = 2, .bytes = 2048}});

  ASSERT_THAT(table.rows, SizeIs(1));
  EXPECT_EQ(table.rows[0][0].text, "secrets");
  EXPECT_EQ(table.rows[0][1].level, statusz::Level::kWarning);
  EXPECT_EQ(table.rows[0][3].text, "2.0 KiB");
  EXPECT_EQ(table.rows[0][7].text, "never");
}

TEST(CachesTableTest, ShowsTheEncodingOfEachCache) {
  cache::ReflectorStatus protobuf;
  protobuf.content_type = rest::ContentType::kProtobuf;
  cache::ReflectorStatus json;
  json.content_type = rest::ContentType::kJson;
  const auto table = CachesTable({{.name = "secrets", .reflector = protobuf},
                                  {.name = "certificates", .reflector = json},
                                  {.name = "pods", .reflector = {}}});
  ASSERT_EQ(table.columns[6], "Encoding");
  EXPECT_EQ(table.rows[0][6].text, "protobuf");
  EXPECT_EQ(table.rows[1][6].text, "JSON");
  EXPECT_EQ(table.rows[2][6].text, "");
}

TEST(CachesTableTest, DrawsTheBytesOfEachCache) {
  const auto table = CachesTable({{.name = "secrets", .reflector = {}, .bytes = 4096},
                                  {.name = "pods", .reflector = {}, .bytes = 1024}});

  ASSERT_THAT(table.rows, SizeIs(2));
  ASSERT_TRUE(table.rows[0][3].bar.has_value());
  EXPECT_EQ(table.rows[0][3].bar->end, 1);
  ASSERT_TRUE(table.rows[1][3].bar.has_value());
  EXPECT_EQ(table.rows[1][3].bar->end, 0.25);
}

}  // namespace
}  // namespace capstan
