// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/api_server_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "capstan/testing/temp_dir.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {
namespace {

using ::testing::HasSubstr;

class ApiServerSourceTest : public ::testing::Test {
 protected:
  std::string Path() const { return dir_.Path("ca.crt"); }
  void Write(const std::string& text) { std::ofstream(Path()) << text; }
  static std::string Held(ApiServerSource& source) {
    const auto bundle = source.Get({}, "true");
    return bundle ? EncodeBundle((*bundle)->certificates) : bundle.error().message;
  }
  testing::TempDir dir_;
  const std::string ca_ = NewCaPem();
};

TEST_F(ApiServerSourceTest, ReturnsEveryCertificateOfItsData) {
  const std::string two = ca_ + NewCaPem();
  ApiServerSource source({.ca_data = two, .ca_file = "/not/read"});

  EXPECT_EQ(Held(source), two);
  EXPECT_FALSE(source.Reload());
}

TEST_F(ApiServerSourceTest, ReturnsTheNewCaAfterReload) {
  Write(ca_);
  ApiServerSource source({.ca_file = Path()});
  EXPECT_EQ(Held(source), ca_);
  EXPECT_FALSE(source.Reload());

  const std::string rotated = NewCaPem();
  Write(rotated);

  EXPECT_TRUE(source.Reload());
  EXPECT_EQ(Held(source), rotated);
  EXPECT_FALSE(source.Reload());
}

TEST_F(ApiServerSourceTest, FailsUntilABadFileIsFixed) {
  ApiServerSource source({.ca_file = Path()});
  EXPECT_EQ(source.Get({}, "true").error().reason, Reason::kNoCaData);
  EXPECT_THAT(Held(source), HasSubstr("No such file"));

  Write("garbage");
  EXPECT_TRUE(source.Reload());
  EXPECT_EQ(source.Get({}, "true").error().reason, Reason::kInvalidBundle);

  Write(ca_);
  EXPECT_TRUE(source.Reload());
  EXPECT_EQ(Held(source), ca_);
}

TEST_F(ApiServerSourceTest, FailsWithoutACa) {
  ApiServerSource source({.insecure_skip_verify = true});

  EXPECT_EQ(source.Get({}, "true").error().reason, Reason::kNoCaData);
  EXPECT_FALSE(source.Reload());
}

}  // namespace
}  // namespace capstan::cainjector
