// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/trust_bundle_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "controllers/cainjector/rules/annotations.h"

namespace capstan::cainjector {
namespace {

using ::testing::HasSubstr;

TEST(TrustBundleReferenceTest, IsANameOrASigner) {
  for (const std::string name :
       {"roots", "a.b-c", "example.com:foo:roots", "example.com:a.b:x.y"}) {
    const auto reference = ParseTrustBundleReference(name);
    ASSERT_TRUE(reference.has_value()) << name;
    EXPECT_EQ(reference->object, name);
    EXPECT_FALSE(reference->is_signer);
  }
  for (const std::string value : {"example.com/foo", " example.com/foo ;", "example.com/foo;a=b"}) {
    const auto reference = ParseTrustBundleReference(value);
    ASSERT_TRUE(reference.has_value()) << value;
    EXPECT_EQ(reference->object, "example.com/foo");
    EXPECT_TRUE(reference->is_signer);
  }
}

TEST(TrustBundleReferenceTest, SelectsBundlesOfASignerByLabels) {
  const auto reference = ParseTrustBundleReference("example.com/foo; team=web,env in (a,b)");

  ASSERT_TRUE(reference.has_value()) << reference.error().message;
  EXPECT_TRUE(reference->selector.Matches({{"team", "web"}, {"env", "b"}}));
  EXPECT_FALSE(reference->selector.Matches({{"team", "web"}}));
}

TEST(TrustBundleReferenceTest, RejectsOtherValues) {
  for (const std::string bad :
       {"", ";", "/", "Roots", "a:b", "example.com:foo:", "example:foo:roots", "com/foo",
        "example.com/", "example.com/foo/bar", "example.com/Foo", "roots;a=b", "roots;", "a,b"}) {
    const auto reference = ParseTrustBundleReference(bad);
    ASSERT_FALSE(reference.has_value()) << bad;
    EXPECT_THAT(reference.error().message, HasSubstr("\"NAME\" of a ClusterTrustBundle"));
  }
  EXPECT_THAT(ParseTrustBundleReference("example.com/foo; a b").error().message,
              HasSubstr("\"a b\" is not a label selector"));
}

TEST(TrustBundleReferenceTest, IsIndexedWithoutItsSelector) {
  EXPECT_EQ(ReferencedObject(kInjectCaFromTrustBundle, "example.com/foo; a in (b,c)"),
            "example.com/foo");
  EXPECT_EQ(ReferencedObject(kInjectCaFromTrustBundle, "roots"), "roots");
}

}  // namespace
}  // namespace capstan::cainjector
