// SPDX-License-Identifier: Apache-2.0
// Tests of the functions of strings, lists, sets and regular expressions.
#include "clientgo/cel/functions.h"

#include <gtest/gtest.h>

#include <string>

#include "clientgo/cel/testing/show.h"

namespace capstan::cel {
namespace {

TEST(StringFunctionsTest, CountCharacters) {
  for (const auto& [expression, value] :
       {Case{"'täst'.charAt(1)", "\"ä\""}, Case{"'a'.charAt(1)", "\"\""},
        Case{"'a'.charAt(2)", "error: index out of range: 2"}, Case{"'täst'.indexOf('s')", "2"},
        Case{"'abab'.indexOf('b', 2)", "3"}, Case{"'a'.indexOf('x')", "-1"},
        Case{"'abab'.lastIndexOf('b')", "3"}, Case{"'abab'.lastIndexOf('b', 2)", "1"},
        Case{"'a'.indexOf('b', -1)", "error: index out of range: -1"},
        Case{"'abc'.indexOf('', 7)", "3"}, Case{"'abc'.lastIndexOf('', 7)", "3"},
        Case{"'abc'.lastIndexOf('', -1)", "error: index out of range: -1"},
        Case{"'täst'.substring(1)", "\"äst\""}, Case{"'täst'.substring(1, 2)", "\"ä\""},
        Case{"'a'.substring(2)", "error: index out of range: 2"},
        Case{"'abc'.substring(2, 1)", "error: invalid substring range. start: 2, end: 1"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(StringFunctionsTest, ChangeText) {
  for (const auto& [expression, value] :
       {Case{"'AbÄ'.lowerAscii()", "\"abÄ\""}, Case{"'abä'.upperAscii()", "\"ABä\""},
        Case{"'aaa'.replace('a', 'b')", "\"bbb\""}, Case{"'aaa'.replace('a', 'b', 2)", "\"bba\""},
        Case{"'ab'.replace('', '-')", "\"-a-b-\""},
        Case{"'a,b,c'.split(',')", "[\"a\", \"b\", \"c\"]"},
        Case{"'a,b,c'.split(',', 2)", "[\"a\", \"b,c\"]"}, Case{"'a,b'.split(',', 0)", "[]"},
        Case{"'ab'.split('')", "[\"a\", \"b\"]"}, Case{"' a\\t'.trim()", "\"a\""},
        Case{"['a', 'b'].join()", "\"ab\""}, Case{"['a', 'b'].join('-')", "\"a-b\""},
        Case{"strings.quote('a\\n\"')", "\"\"a\\n\\\"\"\""}, Case{"'abc'.contains('b')", "true"},
        Case{"'abc'.startsWith('ab')", "true"}, Case{"'abc'.endsWith('ab')", "false"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(StringFunctionsTest, HaveNoReverse) {
  EXPECT_NE(Show("'abc'.reverse()").find("undeclared reference to 'reverse'"), std::string::npos);
}

TEST(StringFunctionsTest, Format) {
  for (const auto& [expression, value] :
       {Case{"'%s is %d'.format(['a', dyn(5)])", "\"a is 5\""}, Case{"'%%'.format([])", "\"%\""},
        Case{"'%s'.format([[1, 2]])", "\"[1, 2]\""}, Case{"'%s'.format([['a']])", "\"[\"a\"]\""},
        Case{"'%s'.format([{'b': 1, 'a': 2}])", "\"{\"a\":2, \"b\":1}\""},
        Case{"'%f'.format([1.5])", "\"1.500000\""}, Case{"'%.2f'.format([1234.5])", "\"1,234.50\""},
        Case{"'%b'.format([5])", "\"101\""}, Case{"'%x'.format([255])", "\"ff\""},
        Case{"'%X'.format(['hi'])", "\"6869\""}, Case{"'%o'.format([8])", "\"10\""},
        Case{"'%d'.format([-5])", "\"-5\""}, Case{"'%s'.format([null])", "\"null\""},
        Case{"'%s'.format([1.5])", "\"1.5\""}, Case{"'%s'.format([true])", "\"true\""},
        Case{"'%s'.format([duration('1h')])", "\"3600s\""}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(StringFunctionsTest, RefuseClassesByOtherNames) {
  EXPECT_EQ(Show(R"('a'.matches('\\p{greek}'))").find("invalid: "), 0U);
  EXPECT_EQ(Show(R"('a'.matches('\\p{Greek}'))"), "false");
}

TEST(StringFunctionsTest, MatchPatterns) {
  for (const auto& [expression, value] :
       {Case{"'abc'.matches('b')", "true"}, Case{"'abc'.matches('^b')", "false"},
        Case{"matches('abc', 'a.c')", "true"}, Case{"'abc 123'.find('[0-9]+')", "\"123\""},
        Case{"'abc'.find('[0-9]+')", "\"\""},
        Case{"'1 22 3'.findAll('[0-9]+')", "[\"1\", \"22\", \"3\"]"},
        Case{"'1 22 3'.findAll('[0-9]+', 2)", "[\"1\", \"22\"]"},
        Case{"'ab'.findAll('x*')", "[\"\", \"\", \"\"]"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(ListFunctionsTest, SearchAndSum) {
  for (const auto& [expression, value] :
       {Case{"[1, 2, 2].isSorted()", "true"}, Case{"[2, 1].isSorted()", "false"},
        Case{"[1, 2].sum()", "3"}, Case{"[].sum() == 0", "true"},
        Case{"[1.5, 1.5].sum()", "double(3)"},
        Case{"[duration('1s'), duration('2s')].sum()", "duration(3s)"},
        Case{"[1, 3, 2].max()", "3"}, Case{"['b', 'a'].min()", "\"a\""},
        Case{"[1, 2, 1].indexOf(1)", "0"}, Case{"[1, 2, 1].lastIndexOf(1)", "2"},
        Case{"[1].indexOf(5)", "-1"},
        Case{"[1].filter(x, x > 1).max()", "error: max called on empty list"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(ListFunctionsTest, CompareSets) {
  for (const auto& [expression, value] :
       {Case{"sets.contains([1, 2], [2])", "true"}, Case{"sets.contains([1], [2])", "false"},
        Case{"sets.equivalent([1, 2, 2], [2, 1])", "true"},
        Case{"sets.intersects([1], [1, 2])", "true"}, Case{"sets.intersects([], [1])", "false"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

}  // namespace
}  // namespace capstan::cel
