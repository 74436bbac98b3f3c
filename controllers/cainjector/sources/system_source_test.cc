// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/system_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "capstan/testing/temp_dir.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SystemSourceTest : public ::testing::Test {
 protected:
  // Returns the bundle as PEM, or the failure.
  std::string Get() {
    const auto bundle = source_.Get({}, "");
    if (bundle) return EncodeBundle((*bundle)->certificates);
    return std::string(ToString(bundle.error().reason)) + ": " + bundle.error().message;
  }

  const testing::TempDir dir_;
  SystemSource source_{dir_.Path("cas.crt")};
  const std::string ca_ = NewCaPem();
};

TEST_F(SystemSourceTest, ReadsTheFileWhenFirstUsedAndAfterAChange) {
  EXPECT_FALSE(source_.Reload()) << "not used yet";
  EXPECT_FALSE(source_.Summarize().has_value());
  dir_.Write("cas.crt", "# Root\n" + ca_);
  EXPECT_EQ(Get(), ca_);
  EXPECT_FALSE(source_.Reload());
  const std::string other = NewCaPem();
  dir_.Write("cas.crt", ca_ + other);
  EXPECT_EQ(Get(), ca_) << "from memory";

  EXPECT_TRUE(source_.Reload());

  EXPECT_EQ(Get(), ca_ + other);
}

TEST_F(SystemSourceTest, ReportsAMissingFileAndFindsItLater) {
  EXPECT_THAT(Get(), AllOf(HasSubstr("NoCaData: system CAs: "), HasSubstr("cas.crt")));
  dir_.Write("cas.crt", ca_);

  EXPECT_TRUE(source_.Reload());

  EXPECT_EQ(Get(), ca_);
}

TEST_F(SystemSourceTest, RejectsWhatIsNotABundle) {
  dir_.Write("cas.crt", "hush");
  EXPECT_THAT(Get(), AllOf(HasSubstr("InvalidBundle: system CAs in "), Not(HasSubstr("hush"))));
  dir_.Write("cas.crt", std::string(kBundleBytesMax + 1, '\n'));
  EXPECT_TRUE(source_.Reload());
  EXPECT_THAT(Get(), HasSubstr("at most 330000"));
}

TEST_F(SystemSourceTest, HasTheVersionOfAFileBesideIt) {
  dir_.Write("cas.crt", ca_);
  Get();
  EXPECT_EQ(source_.Summarize()->version, "");
  EXPECT_EQ(source_.Summarize()->certificates, 1U);
  dir_.Write("cas.crt.version", "20230311+deb12u1\n");
  EXPECT_EQ(source_.Summarize()->version, "20230311+deb12u1");
  dir_.Write("cas.crt.version", "<b>not a version</b>\n");
  EXPECT_EQ(source_.Summarize()->version, "");
}

TEST_F(SystemSourceTest, ForgetsTheCertificates) {
  dir_.Write("cas.crt", ca_);
  Get();

  source_.Forget();

  EXPECT_FALSE(source_.Summarize().has_value());
  EXPECT_EQ(Get(), ca_);
}

}  // namespace
}  // namespace capstan::cainjector
