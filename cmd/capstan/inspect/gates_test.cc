// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/gates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::cmd::cli::inspect {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

PodGates Waiting(const std::string& reason, bool open = false) {
  PodGates pod{.pod = "ns/" + reason, .state = open ? "Open" : "Pending"};
  pod.status.gates.push_back({.name = "g", .kind = "k", .ok = open, .reason = reason});
  return pod;
}

TEST(GatesHintsTest, PrintsEachFixOnce) {
  const std::string hints = GatesHints({Waiting("ConfigMapUnknown"), Waiting("NoAddress"),
                                        Waiting("GateSetNotAllowed"), Waiting("ConfigMapUnknown")});

  EXPECT_THAT(hints, StartsWith("\nGateSetNotAllowed: name another gate set"));
  EXPECT_THAT(hints, HasSubstr("\nConfigMapUnknown: grant the agent's service account list"));
  EXPECT_EQ(hints.find("ConfigMapUnknown"), hints.rfind("ConfigMapUnknown"));
  EXPECT_THAT(hints, Not(HasSubstr("NoAddress")));
}

TEST(GatesHintsTest, CoversEveryReasonThatWaitingDoesNotResolve) {
  for (const char* reason : {"NoGates", "UnknownGateSet", "GateSetNotAllowed", "GateSetsUnknown",
                             "ConfigMapUnknown", "NodeUnknown"}) {
    EXPECT_THAT(GatesHints({Waiting(reason)}),
                AllOf(StartsWith("\n" + std::string(reason) + ": "), HasSubstr("\n")));
  }
}

TEST(GatesHintsTest, IsEmptyWhenNothingNeedsAFix) {
  EXPECT_EQ(GatesHints({}), "");
  EXPECT_EQ(GatesHints({Waiting("NoAddress"), Waiting("NoGates", true)}), "");
}

}  // namespace
}  // namespace capstan::cmd::cli::inspect
