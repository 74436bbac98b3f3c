// SPDX-License-Identifier: Apache-2.0
#include "cmd/test-server/known_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::cmd::test_server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class KnownArgumentsTest : public ::testing::Test {
 protected:
  KnownArgumentsTest() : set_({.name = "program"}) {
    set_.AddSection("Serving", {flags::Bind("secure-port", &port_, "Port."),
                                flags::Bind("allow-privileged", &allow_, "Allow.")});
  }

  std::string port_;
  bool allow_ = false;
  flags::FlagSet set_;
};

TEST_F(KnownArgumentsTest, KeepsKnownFlagsWithTheirValues) {
  const auto split =
      SplitKnown(set_, {"--secure-port=1", "--secure_port", "2", "--allow-privileged", "--help"});

  EXPECT_THAT(split.known,
              ElementsAre("--secure-port=1", "--secure_port", "2", "--allow-privileged", "--help"));
  EXPECT_THAT(split.unknown, IsEmpty());
}

TEST_F(KnownArgumentsTest, NamesUnknownFlagsAndDropsTheirValues) {
  const auto split = SplitKnown(
      set_, {"--audit-log-path=-", "--profiling", "false", "--secure-port=1", "--goaway", "-v=4"});

  EXPECT_THAT(split.known, ElementsAre("--secure-port=1", "-v=4"));
  EXPECT_THAT(split.unknown, ElementsAre("--audit-log-path", "--profiling", "--goaway"));
}

TEST_F(KnownArgumentsTest, LeavesOtherArgumentsToTheParser) {
  const auto split = SplitKnown(set_, {"--allow-privileged", "x", "--", "--y"});

  EXPECT_THAT(split.known, ElementsAre("--allow-privileged", "x", "--"));
  EXPECT_THAT(split.unknown, ElementsAre("--y"));
}

}  // namespace
}  // namespace capstan::cmd::test_server
