// SPDX-License-Identifier: Apache-2.0
#include "cmd/test-server/serving_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "capstan/file.h"
#include "capstan/testing/temp_dir.h"

namespace capstan::cmd::test_server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ServingFilesTest : public ::testing::Test {
 protected:
  const testing::TempDir dir_;
};

TEST_F(ServingFilesTest, WritesMissingFilesAndKeepsThem) {
  const ServingFiles files{.cert_dir = dir_.Path("new/certs")};

  const auto first = files.ReadOrMake("10.1.2.3");
  const auto second = files.ReadOrMake("10.1.2.3");

  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_THAT(first->cert_pem, StartsWith("-----BEGIN CERTIFICATE-----"));
  EXPECT_EQ(first->cert_pem, second->cert_pem);
  EXPECT_EQ(ReadFile(dir_.Path("new/certs/apiserver.crt")).value(), first->cert_pem);
  struct stat key {};
  ASSERT_EQ(stat(dir_.Path("new/certs/apiserver.key").c_str(), &key), 0);
  EXPECT_EQ(key.st_mode & 0777U, 0600U);
}

TEST_F(ServingFilesTest, ReadsGivenFiles) {
  const ServingFiles files{.cert_file = dir_.Write("a.crt", "cert"),
                           .key_file = dir_.Write("a.key", "key"),
                           .cert_dir = dir_.Path("unused")};

  const auto read = files.ReadOrMake("127.0.0.1");

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->cert_pem, "cert");
  EXPECT_EQ(read->key_pem, "key");
}

TEST_F(ServingFilesTest, RejectsOneFileOfTwo) {
  const auto half = ServingFiles{.cert_file = "a"}.ReadOrMake("127.0.0.1");
  ASSERT_FALSE(half);
  EXPECT_THAT(half.error().message, HasSubstr("set both"));

  dir_.Write("apiserver.crt", "cert");
  const auto no_key = ServingFiles{.cert_dir = dir_.Path("")}.ReadOrMake("127.0.0.1");
  ASSERT_FALSE(no_key);
  EXPECT_THAT(no_key.error().message, HasSubstr("apiserver.key"));
}

}  // namespace
}  // namespace capstan::cmd::test_server
