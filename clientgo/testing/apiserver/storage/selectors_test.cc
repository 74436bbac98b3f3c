// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/storage/selectors.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace capstan::testing::apiserver {
namespace {

const Resource& Pods() { return *FindResource("", "v1", "pods"); }

ObjectPtr Pod() {
  runtime::JsonDocument document;
  document.Parse(
      R"({"metadata":{"name":"p","namespace":"ns","labels":{"app":"web","tier":"","n":"5"}},)"
      R"("spec":{"nodeName":"node-1"},"status":{"phase":"Running"}})");
  return MakeObject(Pods(), document, 1);
}

struct SelectorCase {
  const char* selector;
  bool matches;
};

class LabelSelectorTest : public ::testing::TestWithParam<SelectorCase> {};

TEST_P(LabelSelectorTest, Matches) {
  const auto selector = Selector::Parse(Pods(), GetParam().selector, "");

  ASSERT_TRUE(selector.has_value()) << selector.error().message;
  EXPECT_EQ(selector->Matches(*Pod()), GetParam().matches) << GetParam().selector;
}

INSTANTIATE_TEST_SUITE_P(
    Grammar, LabelSelectorTest,
    ::testing::Values(
        SelectorCase{"", true}, SelectorCase{"app", true}, SelectorCase{"!app", false},
        SelectorCase{"!other", true}, SelectorCase{"app=web", true}, SelectorCase{"app==web", true},
        SelectorCase{"app!=web", false}, SelectorCase{"other!=web", true},
        SelectorCase{"app in (db, web)", true}, SelectorCase{"app notin (db,web)", false},
        SelectorCase{"other notin (db)", true}, SelectorCase{"tier=", true},
        SelectorCase{"tier in (,x)", true}, SelectorCase{"app=", false}, SelectorCase{"n>4", true},
        SelectorCase{"n<4", false}, SelectorCase{"app>4", false},
        SelectorCase{"app=web,!other,n", true}, SelectorCase{"app=web,other", false},
        SelectorCase{" app = web ", true}, SelectorCase{"in=x", false}));

struct BadCase {
  const char* selector;
  const char* message;
};

class BadLabelSelectorTest : public ::testing::TestWithParam<BadCase> {};

// The error texts are those of kube-apiserver 1.34.
TEST_P(BadLabelSelectorTest, IsRejected) {
  const auto selector = Selector::Parse(Pods(), GetParam().selector, "");

  ASSERT_FALSE(selector.has_value());
  EXPECT_EQ(selector.error().code, 400);
  EXPECT_EQ(selector.error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Grammar, BadLabelSelectorTest,
    ::testing::Values(
        BadCase{"a===b", "unable to parse requirement: found '=', expected: identifier"},
        BadCase{"a in b", "unable to parse requirement: found 'b' expected: '('"},
        BadCase{"a in (b", "unable to parse requirement: found '', expected: ',' or ')'"},
        BadCase{"a b",
                "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, "
                "gt, lt"},
        BadCase{"a,", "found '', expected: identifier after ','"},
        BadCase{"a=b c", "found 'c', expected: ',' or 'end of string'"}));

TEST(LabelSelectorTest, RejectsNulByte) {
  using namespace std::string_view_literals;  // NOLINT(google-build-using-namespace): literals only
  EXPECT_FALSE(Selector::Parse(Pods(), "app\0=web"sv, "").has_value());
  EXPECT_FALSE(Selector::Parse(Pods(), "\0"sv, "").has_value());
}

TEST(FieldSelectorTest, MatchesSupportedPaths) {
  for (const auto& [text, matches] :
       {SelectorCase{"metadata.name=p", true}, SelectorCase{"metadata.name!=p", false},
        SelectorCase{"metadata.namespace==ns", true}, SelectorCase{"spec.nodeName=node-1", true},
        SelectorCase{"spec.nodeName=node-2", false}, SelectorCase{"status.phase!=Running", false},
        SelectorCase{"spec.nodeName=node-1,metadata.name=q", false},
        SelectorCase{"status.podIP=", true}}) {
    const auto selector = Selector::Parse(Pods(), "app=web", text);
    ASSERT_TRUE(selector.has_value()) << selector.error().message;
    EXPECT_EQ(selector->Matches(*Pod()), matches) << text;
  }
}

TEST(FieldSelectorTest, ExcludesOtherNamesByTheKey) {
  for (const auto& [text, matches] :
       {SelectorCase{"metadata.name=p", true}, SelectorCase{"metadata.name=q", false},
        SelectorCase{"metadata.name!=p", false}, SelectorCase{"metadata.name!=q", true},
        SelectorCase{"spec.nodeName=none", true}, SelectorCase{"", true}}) {
    const auto selector = Selector::Parse(Pods(), "app=none", text);
    ASSERT_TRUE(selector.has_value()) << selector.error().message;
    EXPECT_EQ(selector->MayMatchKey("ns/p"), matches) << text;
    EXPECT_EQ(selector->MayMatchKey("p"), matches) << text;
  }
}

TEST(FieldSelectorTest, ReadsValueAsKubeApiserver) {
  const Resource& configmaps = *FindResource("", "v1", "configmaps");
  EXPECT_EQ(ParseFieldSelector(configmaps, R"(metadata.name=a\,b\=c\\)")->front().value,
            R"(a,b=c\)");
  EXPECT_TRUE(ParseFieldSelector(configmaps, "=")->empty());
  EXPECT_EQ(ParseFieldSelector(configmaps, "metadata.name=a=b").error().message,
            "invalid field selector: unescaped character in value: 61");
  EXPECT_EQ(ParseFieldSelector(configmaps, R"(metadata.name=a\b)").error().message,
            R"(invalid field selector: invalid escape sequence: \b)");
  EXPECT_EQ(ParseFieldSelector(configmaps, R"(metadata.name=a\)").error().message,
            R"(invalid field selector: invalid escape sequence: \)");
}

TEST(FieldSelectorTest, RejectsUnsupportedPathsAsKubeApiserver) {
  const Resource& configmaps = *FindResource("", "v1", "configmaps");

  EXPECT_EQ(ParseFieldSelector(configmaps, "data.k=v").error().message,
            "\"data.k\" is not a known field selector: only \"metadata.name\", "
            "\"metadata.namespace\"");
  EXPECT_EQ(ParseFieldSelector(Pods(), "spec.foo=v").error().message,
            "field label not supported: spec.foo");
  EXPECT_EQ(ParseFieldSelector(configmaps, "nonsense").error().message,
            "invalid selector: 'nonsense'; can't understand 'nonsense'");
}

}  // namespace
}  // namespace capstan::testing::apiserver
