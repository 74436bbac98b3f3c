// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/constants.h"

#include <gtest/gtest.h>

#include "clientgo/cel/testing/show.h"

namespace capstan::cel {
namespace {

TEST(ConstantsTest, RejectsExpressionWhoseConstantsAreWrong) {
  for (const auto& [expression, error] :
       {Case{"int('x') == 1", "type conversion error from 'string' to 'int'"},
        Case{"false && uint(-1) == 1u", "unsigned integer overflow"},
        Case{"[].map(x, int(string('x')))", "type conversion error from 'string' to 'int'"},
        Case{"'a'.find('(') == ''", "error parsing regexp: missing closing ): `(`"},
        Case{"'a'.findAll('[', 1) == []", "error parsing regexp: missing closing ]: `[`"},
        Case{"{}[?b'a'].hasValue()", "invalid qualifier type: bytes"},
        Case{"[int].map(t, t)", "reference to undefined type: t"}}) {
    EXPECT_EQ(Show(expression), "invalid: program instantiation failed: " + std::string(error))
        << expression;
  }
}

TEST(ConstantsTest, FailsAtEvaluationIfAPartIsNoConstant) {
  EXPECT_EQ(Show("int('x' + '')"), "error: type conversion error from 'string' to 'int'");
  EXPECT_EQ(Show("'a'.find('(' + '')").find("error: "), 0U);
}

TEST(ConstantsTest, KnowsThatAnEmptyListHasNoElement) {
  EXPECT_EQ(Show("1 / 0 in []"), "false");
  EXPECT_EQ(Show("1 / 0 in [1]"), "error: division by zero");
}

TEST(ConstantsTest, KeepsValuesOfConstants) {
  EXPECT_EQ(Show("[1, int('2')].map(x, x + 1)"), "[2, 3]");
  EXPECT_EQ(Show("{'a': [1]}.a[0]"), "1");
  EXPECT_EQ(Show("type(1) == int && [int, int].size() == 2"), "true");
}

}  // namespace
}  // namespace capstan::cel
