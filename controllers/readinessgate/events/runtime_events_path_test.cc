// SPDX-License-Identifier: Apache-2.0
// What becomes of the socket's path, and of what lies there before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "clientgo/testing/fake_clock.h"
#include "clientgo/testing/temp_dir.h"
#include "controllers/readinessgate/events/runtime_events.h"

namespace controllers::readinessgate {
namespace {

using clientgo::testing::FakeClock;
using clientgo::testing::TempDir;
using ::testing::HasSubstr;

bool Connects(const std::string& path) {
  const int client = socket(AF_UNIX, SOCK_DGRAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const bool connected =
      connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(client);
  return connected;
}

class RuntimeEventsPathTest : public ::testing::Test {
 protected:
  std::unique_ptr<RuntimeEvents> Open() {
    auto opened = RuntimeEvents::Open(clock_, {.path = path_, .on_event = {}});
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }
  std::string OpenError(const std::string& path) {
    auto opened = RuntimeEvents::Open(clock_, {.path = path, .on_event = {}});
    return opened ? "" : opened.error().message;
  }

  TempDir folder_;
  const std::string path_ = folder_.Path("events.sock");
  FakeClock clock_;
};

TEST_F(RuntimeEventsPathTest, TheSocketHasItsModeAndIsRemovedAtTheEnd) {
  {
    const auto events = Open();
    struct stat found {};
    ASSERT_EQ(lstat(path_.c_str(), &found), 0);
    EXPECT_TRUE(S_ISSOCK(found.st_mode));
    EXPECT_EQ(found.st_mode & 07777, 0660U);
    EXPECT_NE(access((path_ + ".new").c_str(), F_OK), 0);
  }

  EXPECT_NE(access(path_.c_str(), F_OK), 0);
}

TEST_F(RuntimeEventsPathTest, TakesOverTheSocketOfAProcessThatIsGone) {
  const int dead = socket(AF_UNIX, SOCK_DGRAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path_.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(dead, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  close(dead);  // as after a SIGKILL: the file stays

  const auto events = Open();

  EXPECT_TRUE(Connects(path_));
}

TEST_F(RuntimeEventsPathTest, LeavesTheSocketOfALivingProcessAlone) {
  const auto first = Open();

  EXPECT_THAT(OpenError(path_), HasSubstr("another process listens there"));

  EXPECT_TRUE(Connects(path_));
}

TEST_F(RuntimeEventsPathTest, RemovesNothingThatIsNoSocket) {
  folder_.Write("file", "precious");
  ASSERT_EQ(symlink(folder_.Path("file").c_str(), folder_.Path("link").c_str()), 0);

  EXPECT_THAT(OpenError(folder_.Path("file")), HasSubstr("is no socket"));
  EXPECT_THAT(OpenError(folder_.Path("link")), HasSubstr("is no socket"));

  EXPECT_EQ(access(folder_.Path("file").c_str(), F_OK), 0);
  EXPECT_EQ(access(folder_.Path("link").c_str(), F_OK), 0);
}

TEST_F(RuntimeEventsPathTest, NamesThePathThatCannotBe) {
  EXPECT_THAT(OpenError(""), HasSubstr("absolute path"));
  EXPECT_THAT(OpenError("events.sock"), HasSubstr("absolute path"));
  EXPECT_THAT(OpenError("/" + std::string(200, 'x')), HasSubstr("at most 100 bytes"));
  EXPECT_THAT(OpenError(folder_.Path("no/such/folder")), HasSubstr("No such file or directory"));
}

TEST_F(RuntimeEventsPathTest, LeavesThePathToItsSuccessor) {
  auto old = Open();
  folder_.Remove("events.sock");
  const auto successor = Open();

  old.reset();

  EXPECT_TRUE(Connects(path_));
}

}  // namespace
}  // namespace controllers::readinessgate
