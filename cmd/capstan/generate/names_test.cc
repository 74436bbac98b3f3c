// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/generate/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::cmd::generate {
namespace {

using ::testing::ElementsAre;

TEST(NamesTest, WritesMembersInSnakeCase) {
  EXPECT_EQ(MemberName("secretName"), "secret_name");
  EXPECT_EQ(MemberName("podIPs"), "pod_ips");
  EXPECT_EQ(MemberName("clusterIPsPolicy"), "cluster_ips_policy");
  EXPECT_EQ(MemberName("APIServerURL"), "api_server_url");
  EXPECT_EQ(MemberName("x-kubernetes.io/name"), "x_kubernetes_io_name");
}

TEST(NamesTest, AvoidsKeywordsAndDigits) {
  EXPECT_EQ(MemberName("default"), "default_");
  EXPECT_EQ(MemberName("2fa"), "x_2fa");
  EXPECT_EQ(TypeName("2fa"), "X2fa");
  EXPECT_EQ(NamespaceName("export"), "export_");
}

TEST(NamesTest, WritesTypesInCamelCase) {
  EXPECT_EQ(TypeName("issuerRef"), "IssuerRef");
  EXPECT_EQ(TypeName("issuer-ref"), "IssuerRef");
}

TEST(NamesTest, EscapesLiterals) {
  EXPECT_EQ(Literal("a\"b\\c\n"), R"("a\"b\\c\n")");
  EXPECT_EQ(Literal(std::string("\x01", 1)), R"("\001")");
}

TEST(NamesTest, WrapsComments) {
  EXPECT_THAT(Comment("one\ntwo", "  "), ElementsAre("  // one", "  // two"));
  EXPECT_THAT(Comment(std::string(60, 'a') + " " + std::string(60, 'b'), ""),
              ElementsAre("// " + std::string(60, 'a'), "// " + std::string(60, 'b')));
}

// The texts are those of a stranger's definition.
TEST(NamesTest, NoCommentEndsBeforeItsLine) {
  EXPECT_THAT(Comment("ends with \\", ""), ElementsAre("// ends with \\."));
  EXPECT_THAT(Comment(std::string(90, 'a') + " \\ " + std::string(60, 'b'), ""),
              ElementsAre("// " + std::string(90, 'a') + " \\.", "// " + std::string(60, 'b')));
  EXPECT_THAT(Comment("a\rint b;\v\f", ""), ElementsAre("// a int b;"));
}

}  // namespace
}  // namespace capstan::cmd::generate
