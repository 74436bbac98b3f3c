// SPDX-License-Identifier: Apache-2.0
// Shows values of CEL in tests.
#pragma once

#include <string>
#include <string_view>

#include "clientgo/cel/evaluator.h"
#include "clientgo/cel/program.h"
#include "clientgo/cel/show_value.h"

namespace capstan::cel {

struct Case {
  const char* expression;
  const char* value;
};

// Returns the value of an expression, "error: <message>", or "invalid: <issues>".
inline std::string Show(std::string_view expression, const Variables& variables = {},
                        const Bindings& bindings = {}) {
  const auto program = Program::Compile(expression, variables);
  if (program) return ShowValue(program->Evaluate(bindings).value);
  constexpr std::string_view kPrefix = "compilation failed: ";
  const std::string& error = program.error();
  return "invalid: " + (error.starts_with(kPrefix) ? error.substr(kPrefix.size()) : error);
}

}  // namespace capstan::cel
