// SPDX-License-Identifier: Apache-2.0
// Checks docs/gates.md against the code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "capstan/file.h"
#include "controllers/readinessgate/gates/gate.h"
#include "controllers/readinessgate/gates/gate_set.h"
#include "controllers/readinessgate/gates/protocol.h"

namespace capstan::readinessgate {
namespace {

using ::testing::Contains;

std::string Read(const std::filesystem::path& path) {
  auto text = ReadFile(path);
  if (text) return *std::move(text);
  ADD_FAILURE() << text.error().message;
  return {};
}

// Returns the first group of every match.
std::vector<std::string> FindAll(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    found.push_back((*it)[1].str());
  }
  return found;
}

const std::vector<std::string>& Kinds() {
  static const std::vector<std::string> kinds = {
      "pod-ip",         "pod-condition",  "pod-annotation", "pod-label",
      "network-status", "node-condition", "configmap",      "rate"};
  return kinds;
}

// Returns the text from "## <title>" to the next section.
std::string Section(const std::string& title) {
  const std::string text = Read(GATES_MD);
  const std::size_t start = text.find("\n## " + title + "\n");
  if (start == std::string::npos) {
    ADD_FAILURE() << title << " has no section";
    return {};
  }
  return text.substr(start, text.find("\n## ", start + 1) - start);
}

TEST(GatesDocumentTest, DescribesEveryKind) {
  const auto error = ParseGate("unknown:x");
  ASSERT_FALSE(error);
  std::string names;
  for (const std::string& kind : Kinds()) names += (names.empty() ? "" : ", ") + kind;
  EXPECT_EQ(error.error().message, "unknown type \"unknown\"; supported types: " + names);
}

TEST(GatesDocumentTest, ExamplesParse) {
  for (const std::string& kind : Kinds()) {
    int examples = 0;
    for (const std::string& spec : FindAll(Section(kind), "`([a-z-]+:[^`<\\[]+)`")) {
      if (!spec.starts_with(kind)) continue;
      const auto gate = ParseGate(spec);
      EXPECT_TRUE(gate) << gate.error().message;
      ++examples;
    }
    EXPECT_GE(examples, 1) << kind;
  }
}

TEST(GatesDocumentTest, ListsExactlyTheReasonsOfTheCode) {
  std::set<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(GATES_DIR)) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(".cc") || name.ends_with("_test.cc")) continue;
    for (std::string& reason : FindAll(Read(entry.path()), "Closed\\(\\s*\"(\\w+)\"")) {
      all.insert(std::move(reason));
    }
  }
  ASSERT_GE(all.size(), 10U);

  std::set<std::string> documented;
  for (const std::string& kind : Kinds()) {
    for (const std::string& reason : FindAll(Section(kind), "\n\\| `(\\w+)` \\|")) {
      EXPECT_THAT(all, Contains(reason)) << kind;
      documented.insert(reason);
    }
  }
  EXPECT_EQ(documented, all);
}

TEST(GatesDocumentTest, GateSetsParse) {
  api::ConfigMap::Data data;
  std::string name;
  std::istringstream lines(Section("Gate sets"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ") && line.ends_with(": |")) {
      name = line.substr(2, line.size() - 5);
    } else if (!name.empty() && line.starts_with("    ")) {
      data[name] += line + "\n";
    }
  }
  ASSERT_EQ(data.size(), 2U);

  const auto map = runtime::MakeObject<TypedObject<api::ConfigMap>>(
      {.namespace_ = "ns", .name = "n", .uid = {}, .resource_version = {}}, api::ConfigMap{data});
  const auto sets = ParseGateSets(*map);

  ASSERT_TRUE(sets) << sets.error().message;
  EXPECT_EQ(sets->at("storage")->gates().size(), 2U);
}

TEST(GatesDocumentTest, StatusParses) {
  const auto blocks = FindAll(Section("On a pod"), "```json\n([^`]+)\n```");
  ASSERT_EQ(blocks.size(), 1U);

  const auto status = ParsePodStatus(blocks[0]);

  ASSERT_TRUE(status);
  EXPECT_EQ(status->gates.at(0).reason, "NoAddress");
}

}  // namespace
}  // namespace capstan::readinessgate
