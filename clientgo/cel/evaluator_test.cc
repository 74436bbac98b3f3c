// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/evaluator.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "clientgo/cel/testing/show.h"

namespace capstan::cel {
namespace {

TEST(EvaluatorTest, CalculatesWithNumbers) {
  for (const auto& [expression, value] :
       {Case{"1 + 2 * 3", "7"}, Case{"(1 + 2) * 3", "9"}, Case{"7 / 2", "3"}, Case{"-7 / 2", "-3"},
        Case{"-7 % 3", "-1"}, Case{"7u % 4u", "3u"}, Case{"1.5 + 1.0", "double(2.5)"},
        Case{"1.0 / 0.0", "double(+Inf)"}, Case{"- (1)", "-1"}, Case{"--1", "1"},
        Case{"2u * 3u", "6u"}, Case{"0x10", "16"}, Case{"1e3", "double(1000)"},
        Case{"-9223372036854775808", "-9223372036854775808"}, Case{"1e7", "double(1e+07)"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(EvaluatorTest, ReportsOverflowAndDivisionByZero) {
  for (const auto& [expression, value] :
       {Case{"9223372036854775807 + 1", "error: integer overflow"},
        Case{"-9223372036854775808 - 1", "error: integer overflow"},
        Case{"-(-9223372036854775808)", "error: integer overflow"},
        Case{"-9223372036854775808 / -1", "error: integer overflow"},
        Case{"9223372036854775807 * 2", "error: integer overflow"},
        Case{"0u - 1u", "error: unsigned integer overflow"},
        Case{"1 / 0", "error: division by zero"}, Case{"1u % 0u", "error: modulus by zero"},
        Case{"duration('2562047h') + duration('2562047h')", "error: integer overflow"},
        Case{"timestamp('9999-12-31T23:59:59Z') + duration('1s')", "error: timestamp overflow"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(EvaluatorTest, ComparesNumbersOfDifferentTypes) {
  for (const auto& [expression, value] :
       {Case{"1 < 2u", "true"}, Case{"1.5 > 1", "true"}, Case{"-1 < 0u", "true"},
        Case{"dyn(1) == 1u", "true"}, Case{"dyn(1) == 1.0", "true"}, Case{"dyn(1) == '1'", "false"},
        Case{"dyn(1.5) != 1", "true"}, Case{"[dyn(1)] == [dyn(1.0)]", "true"},
        Case{"double('NaN') == double('NaN')", "false"}, Case{"'a' < 'b'", "true"},
        Case{"b'a' < b'b'", "true"}, Case{"false < true", "true"},
        Case{"dyn(9223372036854775807) == 9223372036854775808.0", "true"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(EvaluatorTest, LogicIgnoresErrorOfOneSide) {
  for (const auto& [expression, value] :
       {Case{"true || 1 / 0 == 1", "true"}, Case{"1 / 0 == 1 || true", "true"},
        Case{"false && 1 / 0 == 1", "false"}, Case{"1 / 0 == 1 && false", "false"},
        Case{"1 / 0 == 1 || false", "error: division by zero"},
        Case{"1 / 0 == 1 && true", "error: division by zero"}, Case{"true ? 1 : 1 / 0", "1"},
        Case{"1 / 0 == 1 ? 1 : 2", "error: division by zero"},
        Case{"[1, 0].exists(x, 1 / x == 1)", "true"}, Case{"[0, 2].all(x, 2 / x == 2)", "false"},
        Case{"[0, 1].all(x, 1 / x == 1)", "error: division by zero"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(EvaluatorTest, ReadsListsAndMaps) {
  for (const auto& [expression, value] : {Case{"[1, 2][1]", "2"},
                                          Case{"[1][1]", "error: index out of bounds: 1"},
                                          Case{"[1][-1]", "error: index out of bounds: -1"},
                                          Case{"{'a': 1}.a", "1"},
                                          Case{"{'a': 1}['a']", "1"},
                                          Case{"{'a': 1}.b", "error: no such key: b"},
                                          Case{"{1: 'x'}[dyn(1.0)]", "\"x\""},
                                          Case{"has({'a': 1}.a)", "true"},
                                          Case{"has({'a': 1}.b)", "false"},
                                          Case{"'a' in {'a': 1}", "true"},
                                          Case{"2 in [1, 2]", "true"},
                                          Case{"[1] + [2]", "[1, 2]"},
                                          Case{"size([1, 2])", "2"},
                                          Case{"{'a': 1, 'b': 2}.size()", "2"},
                                          Case{"{'a': [1]} == {'a': [1]}", "true"},
                                          Case{"{1: 1, 1: 2}", "{1: 2}"},
                                          Case{"size('äb')", "2"},
                                          Case{"'ä'.size()", "1"},
                                          Case{"b'ä'.size()", "2"},
                                          Case{"'a' + 'b'", "\"ab\""}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(EvaluatorTest, ExpandsMacros) {
  for (const auto& [expression, value] :
       {Case{"[1, 2, 3].map(x, x * 2)", "[2, 4, 6]"},
        Case{"[1, 2, 3].map(x, x > 1, x * 2)", "[4, 6]"},
        Case{"[1, 2, 3].filter(x, x > 1)", "[2, 3]"},
        Case{"[1, 2, 2].exists_one(x, x == 1)", "true"},
        Case{"[4, 5].existsOne(i, v, i == 1)", "true"}, Case{"{'a': 1}.all(k, k == 'a')", "true"},
        Case{"{'a': 1}.map(k, k)", "[\"a\"]"}, Case{"[].all(x, false)", "true"},
        Case{"[[1], [2, 3]].map(x, x.map(y, y + size(x)))", "[[2], [4, 5]]"},
        Case{"[4, 5].all(i, v, v == i + 4)", "true"}, Case{"{'a': 1}.exists(k, v, v == 1)", "true"},
        Case{"[4, 5].exists_one(i, v, i == 1)", "true"},
        Case{"[4, 5].transformList(i, v, i + v)", "[4, 6]"},
        Case{"[4, 5].transformList(i, v, i > 0, v)", "[5]"},
        Case{"{'a': 1}.transformMap(k, v, v + 1)", "{\"a\": 2}"},
        Case{"['x'].transformMapEntry(i, v, {v: i})", "{\"x\": 0}"},
        Case{"['x', 'x'].transformMapEntry(i, v, {v: i})",
             "error: insert failed: key x already exists"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(EvaluatorTest, ReadsOptionalValues) {
  for (const auto& [expression, value] :
       {Case{"{'a': 1}.?a", "optional(1)"},
        Case{"{'a': 1}.?b", "optional()"},
        Case{"{'a': 1}[?'b']", "optional()"},
        Case{"[1][?0]", "optional(1)"},
        Case{"[1][?5].hasValue()", "false"},
        Case{"{'a': {'b': 1}}.?a.b", "optional(1)"},
        Case{"{'a': {'b': 1}}.?x.b.orValue(7)", "7"},
        Case{"optional.of(1).value()", "1"},
        Case{"optional.none().value()", "error: optional.none() dereference"},
        Case{"optional.ofNonZeroValue(0)", "optional()"},
        Case{"optional.none().or(optional.of(2))", "optional(2)"},
        Case{"optional.of(1).orValue(1 / 0)", "1"},
        Case{"[?optional.none(), ?optional.of(1)]", "[1]"},
        Case{"{?'a': optional.none(), ?'b': optional.of(1)}", "{\"b\": 1}"},
        Case{"optional.of(1).optMap(x, x + 1)", "optional(2)"},
        Case{"optional.none().optMap(x, x + 1)", "optional()"},
        Case{"optional.of(1).optFlatMap(x, optional.of(x))", "optional(1)"},
        Case{"[1, 2].first()", "optional(1)"},
        Case{"[].last()", "optional()"},
        Case{"optional.unwrap([optional.of(1), optional.none()])", "[1]"},
        Case{"optional.of(1) == optional.of(1)", "true"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(EvaluatorTest, ConvertsTypes) {
  for (const auto& [expression, value] :
       {Case{"int('5')", "5"},
        Case{"int('x' + '')", "error: type conversion error from 'string' to 'int'"},
        Case{"int(5.9)", "5"},
        Case{"int(1e30 + 0.0)", "error: integer overflow"},
        Case{"uint(5)", "5u"},
        Case{"uint(-1 + 0)", "error: unsigned integer overflow"},
        Case{"double(1)", "double(1)"},
        Case{"double('1.5e3')", "double(1500)"},
        Case{"string(1.5)", "\"1.5\""},
        Case{"string(1e20)", "\"1e+20\""},
        Case{"string(true)", "\"true\""},
        Case{"string(b'a')", "\"a\""},
        Case{"bytes('a')", "b\"61\""},
        Case{"bool('true')", "true"},
        Case{"string(duration('90s'))", "\"90s\""},
        Case{"string(duration('1.5s'))", "\"1.5s\""},
        Case{"string(timestamp('2026-01-02T03:04:05+01:00'))", "\"2026-01-02T03:04:05+01:00\""},
        Case{"type(1)", "type(int)"},
        Case{"type(1) == int", "true"},
        Case{"type([1]) == list", "true"},
        Case{"type(type(1)) == type", "true"},
        Case{"int(timestamp(5))", "5"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(EvaluatorTest, CalculatesWithTimes) {
  for (const auto& [expression, value] :
       {Case{"timestamp('2026-01-02T03:04:05Z') - timestamp('2026-01-02T03:04:00Z')",
             "duration(5s)"},
        Case{"timestamp('2026-01-02T03:04:05Z') + duration('1h')",
             "timestamp(2026-01-02T04:04:05Z)"},
        Case{"timestamp('2026-03-01T00:00:00Z').getDayOfYear()", "59"},
        Case{"timestamp('2026-01-02T03:04:05.678Z').getMilliseconds()", "678"},
        Case{"timestamp('2026-01-01T00:30:00Z').getHours('-01:00')", "23"},
        Case{"timestamp('2026-01-01T00:00:00Z').getMonth()", "0"},
        Case{"timestamp('2026-01-01T00:00:00Z').getDayOfWeek()", "4"},
        Case{"duration('3661s').getHours()", "1"}, Case{"duration('3661s').getMinutes()", "61"},
        Case{"duration('1h') > duration('59m')", "true"},
        Case{"duration('1h') + duration('1s')", "duration(3601s)"},
        Case{"duration('1h') - duration('1s')", "duration(3599s)"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

TEST(EvaluatorTest, StopsWhenCostIsTooHigh) {
  const auto program = Program::Compile("[1, 2, 3].map(x, [1, 2, 3].map(y, x * y))", {});
  ASSERT_TRUE(program) << program.error();

  const Evaluation stopped = Evaluate(program->root(), {}, 20);
  EXPECT_TRUE(stopped.exceeded);
  EXPECT_EQ(ShowValue(stopped.value), "error: operation cancelled: actual cost limit exceeded");
  EXPECT_FALSE(Evaluate(program->root(), {}).exceeded);
}

TEST(EvaluatorTest, BuildsLongListsInLinearTime) {
  std::string numbers = "[0";
  for (int i = 1; i < 300; ++i) numbers += ", " + std::to_string(i);
  const auto program = Program::Compile(numbers + "].map(x, x).size()", {});
  ASSERT_TRUE(program) << program.error();
  EXPECT_EQ(ShowValue(program->Evaluate({}).value), "300");
}

TEST(EvaluatorTest, RoundsSecondsOfDurationsAsGoDoes) {
  EXPECT_EQ(Show("duration('1767319444.999999999s').getSeconds()"), "1767319445");
  EXPECT_EQ(Show("duration('1.999999999s').getSeconds()"), "1");
}

TEST(EvaluatorTest, HasNoDurationOfANumber) {
  EXPECT_EQ(Show("duration(1)").find("invalid: ERROR"), 0U);
}

TEST(EvaluatorTest, CannotLookForBytesInListOfConstants) {
  constexpr const char* kError =
      "error: internal error: runtime error: hash of unhashable type types.Bytes";
  EXPECT_EQ(Show("dyn(b'a') in [1, 2]"), kError);
  EXPECT_EQ(Show("true && dyn(b'a') in [1] || true"), kError);
  EXPECT_EQ(Show("dyn(b'a') in [b'a', b'b']"), "true");
}

TEST(EvaluatorTest, DoesNotComputeKeyOfOptionalWithoutValue) {
  EXPECT_EQ(Show("dyn(optional.none())[1 / 0]"), "optional()");
}

TEST(EvaluatorTest, HasMapsWithKeysOfAllTypes) {
  for (const auto& [expression, value] :
       {Case{"{1.5: 'a'}[1.5]", "\"a\""}, Case{"{1.5: 'a', 1.5: 'b'}", "{double(1.5): \"b\"}"},
        Case{"{dyn(1): 'a', dyn(1u): 'b', dyn(1.0): 'c'}.size()", "3"},
        Case{"{dyn(1): 'a'}[dyn(1.0)]", "\"a\""}, Case{"1.5 in {1.5: 'a'}", "true"},
        Case{"dyn(1) in dyn({1.0: 'a'})", "false"}, Case{"null in {null: 1}", "true"},
        Case{"{0.0/0.0: 1, 0.0/0.0: 2}.size()", "2"}, Case{"{[1]: 'a'}", "{[1]: \"a\"}"},
        Case{"[1] in {[1]: 'a'}", "false"}, Case{"[[1]].all(x, x in {x: 1})", "true"},
        Case{"int in {int: 1}", "true"}, Case{"duration('1s') in {duration('1s'): 1}", "true"},
        Case{"ip('::1') in {ip('::1'): 1}", "true"},
        Case{"quantity('1') in {quantity('1'): 1}", "false"},
        Case{"dyn(optional.none()) in dyn({ip('::1'): 1})", "false"}}) {
    EXPECT_EQ(Show(expression), value) << expression;
  }
}

// Go panics here, so `|| true` does not hide the error.
TEST(EvaluatorTest, EndsAtKeysThatGoCannotHash) {
  for (const auto& [expression, type] :
       {Case{"[b'a'].all(x, {x: 1}.size() > 0) || true", "types.Bytes"},
        Case{"dyn(b'a') in dyn({'a': 1}) || true", "types.Bytes"},
        Case{"{?b'a': optional.none()}.size() > 0 || true", "types.Bytes"},
        Case{"{semver('1.0.0'): 1}.size() > 0 || true", "kubernetes.Semver"}}) {
    EXPECT_EQ(Show(expression),
              "error: internal error: runtime error: hash of unhashable type " + std::string(type))
        << expression;
  }
  EXPECT_EQ(Show("dyn(b'a') in dyn({})"), "false");
  EXPECT_EQ(Show("{b'a': 1}"),
            "invalid: program instantiation failed: internal error: runtime error: hash of "
            "unhashable type types.Bytes");
}

TEST(EvaluatorTest, MakesMapsWithOptionalMembersOfUnknownType) {
  EXPECT_EQ(Show("{?'a': dyn(optional.of(1)), ?'b': dyn(optional.none())}"), "{\"a\": 1}");
}

TEST(EvaluatorTest, LoopsOnlyOverListsAndMaps) {
  EXPECT_EQ(Show("dyn(1).all(x, true)"), "error: got 'int', expected iterable type");
  EXPECT_EQ(Show("dyn(optional.of([1])).map(x, x)"),
            "error: got 'optional_type', expected iterable type");
}

TEST(EvaluatorTest, RejectsIndexesOfOtherTypes) {
  for (const char* const expression :
       {"{'a': 1}[?dyn(optional.none())]", "{'a': 1}[dyn(optional.none())]",
        "{'a': 1}[dyn(duration('1s').getSeconds() > 0 ? null : null)]"}) {
    EXPECT_EQ(Show(expression).find("error: invalid qualifier type: "), 0U) << expression;
  }
}

TEST(EvaluatorTest, TakesElementsThatCannotBeComparedForEqual) {
  EXPECT_EQ(Show("[dyn(quantity('1'))] == [dyn(1)]"), "true");
  EXPECT_EQ(Show("{'a': dyn(quantity('1'))} == {'a': dyn(1)}"), "true");
  EXPECT_EQ(Show("[dyn(quantity('1')), dyn(1)] == [dyn(1), dyn(2)]"), "false");
}

TEST(EvaluatorTest, VariablesOfLoopsHaveNoDot) {
  EXPECT_NE(Show("[1].all(w, .w == 1)").find("undeclared reference to '.w'"), std::string::npos)
      << Show("[1].all(w, .w == 1)");
  EXPECT_EQ(Show("[1].all(x, .x == 2 && x == 1)", {{"x", SimpleType(TypeKind::kInt)}},
                 {{"x", Value::Int(2)}}),
            "true");
}

TEST(EvaluatorTest, VisitsMapsInOrderOfKeys) {
  EXPECT_EQ(Show("{'b': 1, 'c': 2, 'a': 3}.map(k, k)"), "[\"a\", \"b\", \"c\"]");
  EXPECT_EQ(Show("{'b': 1, 'a': 3}.transformList(k, v, v)"), "[3, 1]");
}

// Only the sanitizer for threads notices when one thread changes what another one reads.
TEST(EvaluatorTest, EvaluatesOneProgramInSeveralThreads) {
  const auto program = Program::Compile("([1, 2] + [3] + [4]).map(x, x + 1) == [2, 3, 4, 5]", {});
  ASSERT_TRUE(program.has_value());
  std::vector<std::string> values(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& value : values) {
      threads.emplace_back([&] { value = ShowValue(program->Evaluate({}).value); });
    }
  }
  EXPECT_EQ(values, std::vector<std::string>(4, "true"));
}

}  // namespace
}  // namespace capstan::cel
