// SPDX-License-Identifier: Apache-2.0
// The costs in these tests are those of cel-go with the libraries of Kubernetes.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "clientgo/cel/cost_estimate.h"
#include "clientgo/cel/object_value.h"
#include "clientgo/cel/program.h"
#include "clientgo/cel/schema.h"
#include "clientgo/runtime/json.h"

namespace capstan::cel {
namespace {

struct CostCase {
  const char* expression;
  std::uint64_t cost;
};

// Compiles expressions over an object "self", and evaluates them for one object.
class CostTest : public ::testing::Test {
 protected:
  CostTest() {
    std::string schema = R"({"type": "object", "properties": {
        "i": {"type": "integer"}, "b": {"type": "boolean"}, "s": {"type": "string"},
        "t": {"type": "string", "maxLength": 30},
        "ints": {"type": "array", "items": {"type": "integer"}},
        "few": {"type": "array", "maxItems": 5, "items": {"type": "object", "properties": {
            "small": {"type": "array", "maxItems": 2, "items": {"type": "integer"}},
            "large": {"type": "array", "maxItems": 900, "items": {"type": "integer"}}}}},
        "inner": {"type": "object", "properties": {
            "i": {"type": "integer"}, "ints": {"type": "array", "items": {"type": "integer"}}}}}})";
    runtime::JsonDocument document;
    document.Parse(schema.data(), schema.size());
    schema_ = ReadSchema(document);
    type_ = TypeOfSchema(schema_, "selfType", false);
    constexpr std::string_view kObject =
        R"({"i": 0, "b": true, "s": "abc", "ints": [5], "inner": {"i": 1}})";
    object_.Parse(kObject.data(), kObject.size());
  }

  std::uint64_t Most(const char* expression) const {
    const auto program = Program::Compile(expression, {{"self", type_->type}});
    return program ? EstimateCost(program->root(), *type_)
                   : std::numeric_limits<std::uint64_t>::max();
  }
  std::uint64_t Actual(const char* expression) const {
    const auto program = Program::Compile(expression, {{"self", type_->type}});
    return program ? program->Evaluate({{"self", ValueOf(object_, *schema_)}}).cost
                   : std::numeric_limits<std::uint64_t>::max();
  }

  SchemaPtr schema_;
  std::shared_ptr<const SizedType> type_;
  runtime::JsonDocument object_;
};

TEST_F(CostTest, ChargesForFunctionsWithDotAsWithout) {
  EXPECT_EQ(Actual("{dyn(1): 'a', .dyn(1u): 'b'}"), 0U);
}

TEST_F(CostTest, ChargesForVariablesAndSteps) {
  for (const auto& [expression, cost] :
       {CostCase{"has(self.inner.ints) && has(self.s)", 2}, CostCase{"self.ints[self.i]", 4},
        CostCase{"(self.b ? self.inner : self.inner).i", 4},
        CostCase{"has((self.b ? self.inner : self.inner).i)", 3},
        CostCase{"self.?t.orValue('')", 1}, CostCase{"[self.b, self.b][0]", 16},
        CostCase{"self.i in [1, 2]", 2}, CostCase{"[1].all(x, .self.b)", 6},
        CostCase{"[1].all(self, .self.b)", 5}}) {
    EXPECT_EQ(Actual(expression), cost) << expression;
  }
}

TEST_F(CostTest, ChargesForArgumentsBehindError) {
  for (const auto& [expression, cost] :
       {CostCase{"1 / 0 == 1 || true", 2}, CostCase{"self.t.matches('a') || true", 2},
        CostCase{"self.t.matches(self.s) || true", 5},
        CostCase{"self.t.find('a') == '' || true", 2},
        CostCase{"self.t.format([1]) == '' || true", 2},
        CostCase{"'abc'.substring(1 / 0, 2) == '' || true", 1},
        CostCase{"optional.of(1).optMap(x, 2)", 3}}) {
    EXPECT_EQ(Actual(expression), cost) << expression;
  }
}

TEST_F(CostTest, EstimatesFunctionsOfUnknownArguments) {
  for (const auto& [expression, cost] :
       {CostCase{"has((self.b ? self.inner : self.inner).i)", 4},
        CostCase{"strings.quote(self.s).contains('a')", 943721}, CostCase{"dyn(1) + self.few", 4},
        CostCase{"optional.of(1).optMap(x, 2)", 15}}) {
    EXPECT_EQ(Most(expression), cost) << expression;
  }
}

TEST_F(CostTest, ChargesForGlobalMatchesAsKubernetes134) {
  EXPECT_EQ(Most("optional.none().value().indexOf('a')"),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_LT(Most("matches(self.t, self.s)"), 10);
  EXPECT_GT(Most("self.t.matches(self.s)"), 1'000'000);
  EXPECT_EQ(Actual("matches('abc', 'a.*a.*a.*a.*')"), 1);
  EXPECT_GT(Actual("'abc'.matches('a.*a.*a.*a.*')"), 1);
}

// The paths of x.small and x.large share the place of their last step in cel-go.
TEST_F(CostTest, EstimatesInnerLoopWithSizeOfLastField) {
  const std::uint64_t small = Most("self.few.all(x, x.small.all(y, y > 1))");
  EXPECT_LT(small, 100);
  EXPECT_GT(Most("self.few.all(x, x.small.all(y, y in x.large))"), 9 * 900 * 5);
}

}  // namespace
}  // namespace capstan::cel
