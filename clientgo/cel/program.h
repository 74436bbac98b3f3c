// SPDX-License-Identifier: Apache-2.0
// Program is an expression that is compiled once and evaluated often:
//
//   const auto program = Program::Compile("self.replicas <= 5", {{"self", type}});
//   if (!program) return program.error();  // compilation failed: ERROR: <input>:1:6: ...
//   const Evaluation evaluation = program->Evaluate({{"self", ValueOf(json, schema)}});
//
// Thread-safe after Compile.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "clientgo/cel/ast.h"
#include "clientgo/cel/checker.h"
#include "clientgo/cel/evaluator.h"

namespace capstan::cel {

class Program {
 public:
  // Returns the error as Kubernetes writes it if the expression is wrong.
  static tl::expected<Program, std::string> Compile(std::string_view expression,
                                                    const Variables& variables);

  // Returns the type of the value.
  const Type& type() const { return root_->type; }
  // Reports whether the expression uses a variable.
  bool Uses(std::string_view variable) const;
  const Expr& root() const { return *root_; }

  Evaluation Evaluate(const Bindings& bindings) const;

 private:
  explicit Program(ExprPtr root) : root_(std::move(root)) {}

  std::shared_ptr<const Expr> root_;
};

}  // namespace capstan::cel
