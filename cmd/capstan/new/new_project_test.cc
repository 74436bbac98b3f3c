// SPDX-License-Identifier: Apache-2.0
// Tests of the project that `capstan new` writes. e2e/scenarios/new_project.py builds one.
#include "cmd/capstan/new/new_project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "capstan/file.h"
#include "capstan/testing/temp_dir.h"

namespace capstan::cmd::project {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

struct NewProjectTest : ::testing::Test {
  std::string Read(const std::string& path) {
    return *ReadFile(dir.Path("backup-operator/" + path));
  }

  testing::TempDir dir;
  const NewProject project = {
      .name = "backup-operator", .kind = "BackupPolicy", .group = "backups.acme.io"};
};

TEST_F(NewProjectTest, WritesTheProjectWithItsNames) {
  const auto written = WriteProject(project, dir.Path("."));
  ASSERT_TRUE(written.has_value()) << written.error().message;

  EXPECT_THAT(*written, Contains(HasSubstr("/backup-operator/backup_policy.h")));
  EXPECT_THAT(*written, Contains(HasSubstr("/backup-operator/.github/workflows/test.yaml")));
  EXPECT_THAT(
      Read("backup_policy.h"),
      AllOf(HasSubstr("struct BackupPolicy {"),
            HasSubstr(R"("backups.acme.io", "v1alpha1", "BackupPolicy", "backuppolicies")")));
  EXPECT_THAT(Read("controller.cc"), HasSubstr("#include \"backup_policy.h\""));
  EXPECT_THAT(Read("chart/Chart.yaml"), HasSubstr("name: backup-operator\n"));
  for (const std::string& path : *written) {
    EXPECT_THAT(*ReadFile(path), AllOf(Not(HasSubstr("idget")), Not(HasSubstr("example.com"))))
        << path;
  }
}

TEST_F(NewProjectTest, KeepsAFolderThatExists) {
  std::filesystem::create_directory(dir.Path("backup-operator"));
  const auto written = WriteProject(project, dir.Path("."));
  ASSERT_FALSE(written.has_value());
  EXPECT_THAT(written.error().message, HasSubstr("backup-operator exists; choose another name"));
  EXPECT_TRUE(std::filesystem::is_empty(dir.Path("backup-operator")));
}

TEST_F(NewProjectTest, NamesTheArgumentThatIsWrong) {
  const auto why = [&](const NewProject& wrong) {
    const auto written = WriteProject(wrong, dir.Path("."));
    return written ? "" : written.error().message;
  };
  EXPECT_THAT(why({"Foo", "Foo", "example.com"}), HasSubstr("the name \"Foo\" is not one of"));
  EXPECT_THAT(why({"foo", "foo", "example.com"}), HasSubstr("the kind \"foo\" is not one of"));
  EXPECT_THAT(why({"foo", "", "example.com"}), HasSubstr("set --kind"));
  EXPECT_THAT(why({"foo", "Foo", "example"}), HasSubstr("the group \"example\" is not a domain"));
  EXPECT_TRUE(std::filesystem::is_empty(dir.Path(".")));
}

}  // namespace
}  // namespace capstan::cmd::project
