// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/options.h"

#include <gflags/gflags.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace capstan::cmd::cri_event_broker {
namespace {

using ::testing::HasSubstr;

// Returns the error of invalid arguments, or "".
std::string ErrorOf(const std::vector<std::string>& arguments) {
  const gflags::FlagSaver saver;
  Options options;
  flags::FlagSet set = NewFlagSet(options);
  if (const auto parsed = set.Parse(arguments); !parsed) return parsed.error().message;
  const auto checked = set.Check();
  return checked ? "" : checked.error().message;
}

TEST(OptionsTest, DefaultsToContainerd) {
  const gflags::FlagSaver saver;
  Options options;
  flags::FlagSet set = NewFlagSet(options);
  ASSERT_TRUE(set.Parse({"--socket=/run/capstan/events.sock"}));

  ASSERT_TRUE(set.Check());

  EXPECT_EQ(options.runtime_socket, "/run/containerd/containerd.sock");
  EXPECT_EQ(options.socket, "/run/capstan/events.sock");
}

TEST(OptionsTest, RequiresSocketOfTheAgent) {
  EXPECT_THAT(ErrorOf({}), HasSubstr("for --socket: expected the absolute path"));
}

TEST(OptionsTest, ErrorsNameFlagValueAndFix) {
  for (const std::string endpoint :
       {"/run/containerd/containerd.sock", "tcp://127.0.0.1:1", "unix://run/x.sock", "unix://"}) {
    EXPECT_THAT(ErrorOf({"--socket=/s", "--runtime-endpoint=" + endpoint}),
                HasSubstr("invalid argument \"" + endpoint + "\" for --runtime-endpoint"));
  }
  EXPECT_THAT(ErrorOf({"--socket=/" + std::string(100, 'x')}), HasSubstr("at most 100 bytes"));
  EXPECT_THAT(ErrorOf({"--socket=relative"}), HasSubstr("\"relative\" for --socket"));
}

}  // namespace
}  // namespace capstan::cmd::cri_event_broker
