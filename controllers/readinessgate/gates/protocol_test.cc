// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/protocol.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace capstan::readinessgate {
namespace {

constexpr std::string_view kUid = "0f1e2d3c-4b5a-4968-8776-655443322110";

Clock::WallTime At(std::int64_t seconds) { return Clock::WallTime(std::chrono::seconds(seconds)); }

PodStatus Pending() {
  return {.uid = std::string(kUid),
          .gen = "0123456789ab",
          .gates = {{.name = "pod-ip:ipv4",
                     .kind = "pod-ip",
                     .ok = false,
                     .reason = "NoAddress",
                     .message = "pod has no ipv4 address yet",
                     .since = "2026-01-02T03:04:05Z"}},
          .by = "node-a/v0.1.0"};
}

// Returns a status with long texts that repeat `filler`.
PodStatus Long(const std::string& filler, std::size_t gates = 16) {
  std::string text;
  while (text.size() < 2000) text += filler;
  PodStatus status{
      .uid = text, .gen = text, .state = GateState::kError, .opened = text, .by = text};
  for (std::size_t i = 0; i < gates; ++i) {
    status.gates.push_back({.name = text,
                            .kind = "network-status",
                            .ok = i % 2 == 0,
                            .reason = text,
                            .message = text,
                            .since = "2026-01-02T03:04:05Z"});
  }
  return status;
}

TEST(ReadyValueTest, NamesThePodAndTheTime) {
  EXPECT_EQ(ReadyValue(kUid, At(1767323045)), "v1.0f1e2d3c.1767323045");
  EXPECT_TRUE(IsReadyValueOf(ReadyValue(kUid, At(1767323045)), kUid));
}

TEST(ReadyValueTest, IsNeverEmptyOrNegative) {
  EXPECT_EQ(ReadyValue(kUid, At(-5)), "v1.0f1e2d3c.0");
  EXPECT_EQ(ReadyValue("ab", At(7)), "v1.ab.7");
}

TEST(ReadyValueTest, RejectsValuesItDidNotWrite) {
  EXPECT_FALSE(IsReadyValueOf("v1.ffffffff.1767323045", kUid));  // copied from another pod
  for (const std::string value : {"",
                                  " ",
                                  "False",
                                  "false",
                                  "True",
                                  "true",
                                  "pending",
                                  "1",
                                  "v1",
                                  "v1.",
                                  "v1.0f1e2d3c",
                                  "v1.0f1e2d3c.",
                                  "v1.0f1e2d3c.x",
                                  "v1.0f1e2d3c.1 ",
                                  " v1.0f1e2d3c.1",
                                  "v1.0f1e2d3c.-1",
                                  "v1.0f1e2d3c.1.2",
                                  "V1.0f1e2d3c.1",
                                  "v2.0f1e2d3c.1",
                                  "v1.0F1E2D3C.1",
                                  "v1.0f1e2d3c.00000000000000000001",
                                  "v1..1"}) {
    EXPECT_FALSE(IsReadyValueOf(value, kUid)) << value;
  }
  EXPECT_FALSE(IsReadyValueOf("v1..1", ""));
}

TEST(PodStatusTest, IsWrittenAsDocumented) {
  EXPECT_EQ(ToJson(Pending()),
            R"({"v":1,"uid":"0f1e2d3c-4b5a-4968-8776-655443322110","gen":"0123456789ab",)"
            R"("state":"Pending","gates":[{"name":"pod-ip:ipv4","kind":"pod-ip","ok":false,)"
            R"("reason":"NoAddress","msg":"pod has no ipv4 address yet",)"
            R"("since":"2026-01-02T03:04:05Z"}],"by":"node-a/v0.1.0"})");
}

TEST(PodStatusTest, ParsesItsOwnOutput) {
  PodStatus status = Pending();
  status.state = GateState::kLatched;
  status.gates.push_back({.name = "pod-annotation:a",
                          .kind = "pod-annotation",
                          .ok = true,
                          .reason = "Open",
                          .since = "2026-01-02T03:04:06Z"});
  status.opened = "2026-01-02T03:04:06Z";

  const auto read = ParsePodStatus(ToJson(status));

  ASSERT_TRUE(read);
  EXPECT_EQ(read->uid, kUid);
  EXPECT_EQ(read->state, GateState::kLatched);
  ASSERT_EQ(read->gates.size(), 2U);
  EXPECT_EQ(read->gates[0].message, "pod has no ipv4 address yet");
  EXPECT_TRUE(read->gates[1].ok);
  EXPECT_EQ(ToJson(*read), ToJson(status));
}

TEST(PodStatusTest, FitsForTextsOfAnyLength) {
  for (const std::string filler :
       {"x", "\"", "\n", "\x01", "€", "\xff", "\xf0\x9f\x98\x80", "a\"\\\x02é"}) {
    for (const std::size_t gates : {0U, 1U, 4U, 16U, 40U}) {
      const std::string json = ToJson(Long(filler, gates));

      EXPECT_LE(json.size(), kStatusBytesMax);
      EXPECT_TRUE(ParsePodStatus(json)) << json;
    }
  }
}

TEST(PodStatusTest, ShortensMessagesBeforeItDropsGates) {
  PodStatus status = Pending();
  for (int i = 0; i < 9; ++i) status.gates.push_back(status.gates.front());
  for (auto& gate : status.gates) gate.message = std::string(256, 'm');

  const auto read = ParsePodStatus(ToJson(status));

  ASSERT_TRUE(read);
  ASSERT_EQ(read->gates.size(), 10U);
  EXPECT_EQ(read->gates.back().message, std::string(64, 'm'));
  EXPECT_EQ(read->gates.back().name, "pod-ip:ipv4");
}

TEST(PodStatusTest, OmitsOpenGatesBeforeClosedOnes) {
  const auto read = ParsePodStatus(ToJson(Long("x")));

  ASSERT_TRUE(read);
  ASSERT_FALSE(read->gates.empty());
  for (const auto& gate : read->gates) EXPECT_FALSE(gate.ok);
}

TEST(PodStatusTest, RejectsForeignText) {
  const std::string good = ToJson(Pending());
  ASSERT_TRUE(ParsePodStatus(good));
  for (const std::string& text : {std::string(),
                                  std::string(" "),
                                  std::string("null"),
                                  std::string("7"),
                                  std::string("[]"),
                                  std::string("{}"),
                                  std::string("\"text\""),
                                  good + "x",
                                  good + good,
                                  good.substr(0, good.size() - 1),
                                  "\xff" + good,
                                  std::string(1000, '[') + std::string(1000, ']'),
                                  std::string(200'000, '['),
                                  std::string(1 << 20U, ' '),
                                  std::string(R"({"v":NaN})"),
                                  std::string("\0{}", 3),
                                  good + std::string(1, '\0'),
                                  "{\"\xc0\x80\":1}" + good,
                                  "{\"\xe0\x80\xaf\":1," + good.substr(1),
                                  "{\"\xff\":1," + good.substr(1)}) {
    EXPECT_FALSE(ParsePodStatus(text)) << text.substr(0, 80);
  }
}

TEST(PodStatusTest, RejectsOtherVersionsAndTypes) {
  const std::string good = ToJson(Pending());
  struct Change {
    const char* from;
    const char* to;
  };
  for (const Change& change :
       {Change{R"("v":1)", R"("v":2)"}, Change{R"("v":1)", R"("v":"1")"},
        Change{R"("v":1)", R"("v":1.0)"}, Change{R"("v":1,)", ""}, Change{R"("uid":)", R"("UID":)"},
        Change{R"("Pending")", R"("pending")"}, Change{R"("Pending")", "1"},
        Change{R"("ok":false)", R"("ok":"false")"}, Change{R"("gates":[)", R"("gates":[null,)"},
        Change{R"("gates":[)", R"("gates":[[],)"}}) {
    std::string text = good;
    text.replace(text.find(change.from), std::string(change.from).size(), change.to);
    EXPECT_FALSE(ParsePodStatus(text)) << text;
  }
}

TEST(PodStatusTest, UsesLastOfDuplicateKeysAsGo) {
  std::string text = ToJson(Pending());
  text.replace(text.find(R"("state")"), 0, R"("state":"Open",)");

  EXPECT_EQ(ParsePodStatus(text)->state, GateState::kPending);
}

TEST(PodStatusTest, RejectsSeventeenGates) {
  std::string gate = R"({"name":"a","kind":"b","ok":true,"reason":"c","since":"d"})";
  std::string gates = gate;
  for (int i = 1; i < 16; ++i) gates += "," + gate;
  const auto with = [](const std::string& list) {
    return R"({"v":1,"uid":"u","gen":"g","state":"Open","gates":[)" + list + "]}";
  };

  EXPECT_TRUE(ParsePodStatus(with(gates)));
  EXPECT_FALSE(ParsePodStatus(with(gates + "," + gate)));
}

// A set of sixteen gates with mandatory gates.
TEST(PodStatusTest, WritesClosedGatesOfMoreThanSixteen) {
  PodStatus status = Pending();
  status.gates.clear();
  for (int i = 0; i < 20; ++i) {
    status.gates.push_back({.name = "g" + std::to_string(i),
                            .kind = "k",
                            .ok = i < 18,
                            .reason = "r",
                            .since = "2026-01-02T03:04:05Z"});
  }

  const auto written = ParsePodStatus(ToJson(status));

  ASSERT_TRUE(written);
  ASSERT_EQ(written->gates.size(), 2U);
  EXPECT_EQ(written->gates[0].name, "g18");
}

TEST(KeepTimesTest, KeepsTimesOfUnchangedGates) {
  PodStatus after = Pending();
  after.gates[0].since = "2026-01-02T09:09:09Z";
  after.gates[0].message = "another text";
  KeepTimes(Pending(), after);
  EXPECT_EQ(after.gates[0].since, "2026-01-02T03:04:05Z");

  after.gates[0].since = "2026-01-02T09:09:09Z";
  after.gates[0].ok = true;
  KeepTimes(Pending(), after);
  EXPECT_EQ(after.gates[0].since, "2026-01-02T09:09:09Z");
}

TEST(KeepTimesTest, RecognizesShortenedNames) {
  PodStatus before = Pending();
  before.gates[0].name = "configmap:" + std::string(100, 'n') + "/" + std::string(200, 'm');
  PodStatus after = before;
  after.gates[0].since = "2026-01-02T09:09:09Z";
  const auto read = ParsePodStatus(ToJson(before));
  ASSERT_TRUE(read);
  ASSERT_NE(read->gates[0].name, before.gates[0].name);

  KeepTimes(*read, after);

  EXPECT_EQ(ToJson(after), ToJson(before));
}

}  // namespace
}  // namespace capstan::readinessgate
