// SPDX-License-Identifier: Apache-2.0
// Users rely on outcomes and their fixes: docs/trust.md has a row for each, and no other rows.
#include "cmd/capstan/inspect/server_fix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace capstan::cmd::cli::inspect {
namespace {

using ::testing::ContainerEq;
using ::testing::HasSubstr;

// Returns the fix by outcome, of "| `Outcome` | what happened | fix |", without its formatting.
std::map<std::string, std::string> DocumentedFixes() {
  std::ifstream file(TRUST_MD);
  const std::regex row(R"(\| `([A-Z]\w+)` \| [^|]+ \| ?([^|]*) \|)");
  const std::regex link(R"(\[([^\]]*)\]\([^)]*\)|`)");
  std::map<std::string, std::string> fixes;
  bool outcomes = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| ")) outcomes = outcomes || line.starts_with("| outcome |");
    if (line.empty()) outcomes = false;
    std::smatch match;
    if (!outcomes || !std::regex_match(line, match, row)) continue;
    const auto added =
        fixes.emplace(match[1].str(), std::regex_replace(match[2].str(), link, "$1"));
    EXPECT_TRUE(added.second) << match[1] << " is there twice";
  }
  return fixes;
}

cainjector::EndpointResult Result(cainjector::EndpointOutcome outcome, const std::string& server) {
  return {.place = "spec", .server = server, .address = "", .verdict = {.outcome = outcome}};
}

TEST(ServerFixTest, IsDocumentedForEachOutcome) {
  std::map<std::string, std::string> fixes;
  for (const cainjector::EndpointOutcome outcome : cainjector::AllEndpointOutcomes()) {
    const auto fix = FixOfServer("KIND NAME", Result(outcome, "SERVICE.NAMESPACE.svc:443"));
    fixes[std::string(ToString(outcome))] =
        fix.advice + (fix.command.empty() ? "" : " " + fix.command);
  }
  EXPECT_THAT(DocumentedFixes(), ContainerEq(fixes));
}

TEST(ServerFixTest, NamesTheServiceInTheCommandAndTheAdviceInAComment) {
  const auto text = [](cainjector::EndpointOutcome outcome) {
    return FixOfServer("apiservice v1.example.com", Result(outcome, "orders.shop.svc:443")).Text();
  };
  EXPECT_EQ(text(cainjector::EndpointOutcome::kNoEndpoints),
            "kubectl describe service -n shop orders   # Start the pods, or correct the object.");
  EXPECT_THAT(text(cainjector::EndpointOutcome::kNameMismatch),
              HasSubstr("certificate -n shop CERTIFICATE   # Add orders.shop.svc to dnsNames"));
  EXPECT_EQ(text(cainjector::EndpointOutcome::kVerified), "");
}

TEST(ServerFixTest, CorrectsTheUrlOfTheTarget) {
  const auto text = [](cainjector::EndpointOutcome outcome, const std::string& server) {
    return FixOfServer("crd prices.example.com", Result(outcome, server)).Text();
  };
  EXPECT_EQ(text(cainjector::EndpointOutcome::kRefused, "127.0.0.1:8443"),
            "kubectl edit crd prices.example.com   # Start it, or correct the port.");
  EXPECT_THAT(text(cainjector::EndpointOutcome::kNameMismatch, "hooks.example.com:443"),
              HasSubstr("-n NAMESPACE CERTIFICATE   # Add hooks.example.com to dnsNames"));
  EXPECT_THAT(text(cainjector::EndpointOutcome::kNameMismatch, "[::1]:443"),
              HasSubstr("# Add ::1 to "));
  // No object in the cluster is the server's.
  EXPECT_EQ(text(cainjector::EndpointOutcome::kTimeout, "hooks.example.com:443"),
            "# Look for a NetworkPolicy or a firewall.");
}

}  // namespace
}  // namespace capstan::cmd::cli::inspect
