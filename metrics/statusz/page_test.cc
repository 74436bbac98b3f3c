// SPDX-License-Identifier: Apache-2.0
#include "capstan/statusz/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/runtime/json.h"

namespace capstan::statusz {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using WallTime = Clock::WallTime;
constexpr WallTime kStart{seconds(1'700'000'000)};

Page OneOfEach() {
  return {.program = "capstan-x",
          .time = kStart,
          .facts = {{"Leader", {"no", Level::kWarning}}},
          .tables = {{.name = "targets",
                      .title = "Targets",
                      .columns = {"Kind", "Resource version"},
                      .rows = {{{"APIService"}, {"Expired", Level::kBad}}}}},
          .plots = {{.name = "queue",
                     .title = "Queue",
                     .samples = {{kStart, 0}, {kStart + seconds(60), 4}}}}};
}

TEST(PageTest, HtmlHasEveryPartAndNoScript) {
  const std::string html = Html(OneOfEach());

  EXPECT_THAT(html, AllOf(HasSubstr("<h1>capstan-x</h1>"),
                          HasSubstr("<dt>Leader</dt><dd class=\"warning\">no</dd>"),
                          HasSubstr("<table id=\"targets\">"),
                          HasSubstr("<td>APIService</td><td class=\"bad\">Expired</td>"),
                          HasSubstr("Queue: now 4, at most 4 in 1m0s"),
                          HasSubstr("points=\"0.0,96.0 480.0,4.0\"")));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("<script")), HasSubstr("http-equiv=\"refresh\"")));
}

TEST(PageTest, JsonHasSameContent) {
  EXPECT_EQ(Json(OneOfEach()),
            R"({"program":"capstan-x","time":"2023-11-14T22:13:20Z","facts":{"leader":"no"},)"
            R"("targets":[{"kind":"APIService","resource_version":"Expired"}],)"
            R"("queue":[[1700000000.000,0],[1700000060.000,4]]})"
            "\n");
}

TEST(PageTest, EscapesText) {
  Page page = OneOfEach();
  page.tables[0].rows = {{{"<script>alert('x')</script>"}, {"\"&\""}}};

  const std::string html = Html(page);

  EXPECT_THAT(html, HasSubstr("<td>&lt;script&gt;alert('x')&lt;/script&gt;</td>"
                              "<td>&quot;&amp;&quot;</td>"));
  EXPECT_THAT(Json(page), HasSubstr(R"("\"&\"")"));
}

TEST(PageTest, HtmlDrawsBarsBelowTheText) {
  Page page = OneOfEach();
  page.tables[0].rows = {{{"small"}, {"1 MiB"}}, {{"large"}, {"4 MiB"}}};
  AddBars(page.tables[0], 1, {1, 4});

  EXPECT_THAT(
      Html(page),
      AllOf(HasSubstr("<td>1 MiB<div class=\"bar\"><i style=\"margin-left:0.0%;width:25.0%\">"),
            HasSubstr("<td>4 MiB<div class=\"bar\"><i style=\"margin-left:0.0%;width:100.0%\">")));
  EXPECT_THAT(Json(page), HasSubstr(R"({"kind":"small","resource_version":"1 MiB"})"));
}

TEST(PageTest, ShowsMillisecondsOfAShortPlot) {
  Page page = OneOfEach();
  page.plots_title = "While it rotated";
  page.plots[0].samples = {{kStart, 0}, {kStart + std::chrono::milliseconds(250), 4}};

  EXPECT_THAT(Html(page), AllOf(HasSubstr("<h2>While it rotated</h2>"),
                                HasSubstr("Queue: now 4, at most 4 in 250ms")));
}

TEST(PageTest, DrawsNoBarsOfNothing) {
  Page page = OneOfEach();
  AddBars(page.tables[0], 1, {0});

  EXPECT_THAT(Html(page), Not(HasSubstr("<div class=\"bar\">")));
}

TEST(PageTest, ShowsTextForEmptyTable) {
  Page page = OneOfEach();
  page.tables[0].rows.clear();
  page.tables[0].when_empty = "no target asks for a bundle";
  page.plots[0].samples.clear();

  EXPECT_THAT(Html(page), AllOf(HasSubstr("<p id=\"targets\">no target asks for a bundle</p>"),
                                HasSubstr("Queue: no sample yet")));
  EXPECT_THAT(Json(page), AllOf(HasSubstr(R"("targets":[])"), HasSubstr(R"("queue":[])")));
}

TEST(PageTest, OmitsRefreshAndLinks) {
  Page page = OneOfEach();
  page.refresh = seconds(0);
  page.links.clear();

  EXPECT_THAT(Html(page), AllOf(Not(HasSubstr("http-equiv")), Not(HasSubstr("href")),
                                Not(HasSubstr("again every"))));
}

TEST(PageTest, CutsLongTableOnlyInHtml) {
  Page page = OneOfEach();
  page.tables[0].rows.assign(kRowsMax + 5, {{"CRD"}, {"1"}});

  const std::string html = Html(page);

  EXPECT_THAT(html, AllOf(HasSubstr("<h2>Targets (1005)</h2>"), HasSubstr("the first 1000;")));
  std::size_t rows = 0;
  for (std::size_t at = html.find("<tr><td>"); at != std::string::npos;
       at = html.find("<tr><td>", at + 1)) {
    ++rows;
  }
  EXPECT_EQ(rows, kRowsMax);
  runtime::JsonDocument json;
  json.Parse(Json(page).c_str());
  EXPECT_EQ(json["targets"].Size(), kRowsMax + 5);
}

TEST(BytesTest, UseReadableUnits) {
  EXPECT_EQ(Bytes(0), "0 B");
  EXPECT_EQ(Bytes(2048), "2.0 KiB");
  EXPECT_EQ(Bytes(17.1 * 1024 * 1024), "17.1 MiB");
}

TEST(HistoryTest, KeepsLastSamples) {
  History history(2);
  for (int i = 1; i <= 3; ++i) history.Add(kStart + seconds(i), i);

  std::vector<double> values;
  for (const Sample& sample : history.Samples()) values.push_back(sample.value);
  EXPECT_THAT(values, ElementsAre(2, 3));
}

}  // namespace
}  // namespace capstan::statusz
