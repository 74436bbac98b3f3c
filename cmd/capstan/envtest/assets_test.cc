// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/envtest/assets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "capstan/testing/temp_dir.h"

namespace capstan::cmd::cli::envtest {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class AssetsTest : public ::testing::Test {
 protected:
  // Writes a program, and returns its path.
  std::string Program(const std::string& folder, const std::string& name) const {
    fs::create_directories(dir_.Path(folder));
    const std::string path = dir_.Write(folder + "/" + name, "#!/bin/sh\n");
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  AssetsOptions Options() const {
    return {.beside = dir_.Path("beside"),
            .path = dir_.Path("none") + ":" + dir_.Path("bin"),
            .cache = dir_.Path("cache")};
  }

  const testing::TempDir dir_;
};

TEST_F(AssetsTest, LinksTheServerBesideTheProgramAndKubectl) {
  const std::string server = Program("beside", "capstan-test-server");
  Program("bin", "capstan-test-server");
  const std::string kubectl = Program("bin", "kubectl");

  const auto folder = MakeAssets(Options());
  const auto again = MakeAssets(Options());

  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_EQ(fs::read_symlink(*folder + "/kube-apiserver"), server);
  EXPECT_EQ(fs::read_symlink(*folder + "/etcd"), server);
  EXPECT_EQ(fs::read_symlink(*folder + "/kubectl"), kubectl);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, *folder);
}

TEST_F(AssetsTest, FindsTheServerOnThePath) {
  const std::string server = Program("bin", "capstan-test-server");

  const auto folder = MakeAssets(Options());

  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_EQ(fs::read_symlink(*folder + "/etcd"), server);
  EXPECT_FALSE(fs::exists(*folder + "/kubectl"));
}

TEST_F(AssetsTest, EachServerHasItsFolder) {
  Program("bin", "capstan-test-server");
  const auto on_path = MakeAssets(Options());
  Program("beside", "capstan-test-server");
  const auto beside = MakeAssets(Options());

  ASSERT_TRUE(on_path && beside);
  EXPECT_NE(*on_path, *beside);
}

TEST_F(AssetsTest, RemovesALinkToARemovedKubectl) {
  Program("bin", "capstan-test-server");
  const std::string kubectl = Program("bin", "kubectl");
  ASSERT_TRUE(MakeAssets(Options()));
  fs::remove(kubectl);

  const auto folder = MakeAssets(Options());

  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_FALSE(fs::is_symlink(*folder + "/kubectl"));
}

TEST_F(AssetsTest, SaysWhatIsMissing) {
  const auto folder = MakeAssets(Options());

  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr("found no capstan-test-server; install it"));
}

TEST_F(AssetsTest, SaysThatTheCacheCannotBeWritten) {
  Program("bin", "capstan-test-server");
  AssetsOptions options = Options();
  options.cache = dir_.Write("file", "");

  const auto folder = MakeAssets(options);

  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr("set XDG_CACHE_HOME"));
}

}  // namespace
}  // namespace capstan::cmd::cli::envtest
