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
  return program ? ShowValue(program->Evaluate(bindings).value) : "invalid: " + program.error();
}

}  // namespace capstan::cel
