// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/ast.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "capstan/text.h"

namespace capstan::cel {
namespace {

// Returns the text with its place, its line, and a mark below the place.
std::string IssueText(std::string_view expression, const Issue& issue) {
  std::string text = "ERROR: <input>:" + std::to_string(issue.location.line) + ":" +
                     std::to_string(issue.location.column + 1) + ": " + issue.message;
  for (int i = 1; i < issue.location.line; ++i) {
    const std::size_t end = expression.find('\n');
    if (end == std::string_view::npos) return text;
    expression.remove_prefix(end + 1);
  }
  std::string line(expression.substr(0, expression.find('\n')));
  std::replace(line.begin(), line.end(), '\t', ' ');
  std::string mark;
  const char* p = line.data();
  const char* const end = p + line.size();
  const auto width = [&] {
    return p == end ? 0 : std::max<std::size_t>(Utf8SequenceLength(p, end), 1);
  };
  for (int i = 0; i < issue.location.column && p != end; ++i) {
    const std::size_t bytes = width();
    mark += bytes > 1 ? "\uff0e" : ".";
    p += bytes;
  }
  mark += width() > 1 ? "\uff3e" : "^";
  return text + "\n | " + line + "\n | " + mark;
}

}  // namespace

std::string IssuesText(std::string_view expression, std::vector<Issue> issues) {
  std::stable_sort(issues.begin(), issues.end(), [](const Issue& a, const Issue& b) {
    return std::tie(a.location.line, a.location.column) <
           std::tie(b.location.line, b.location.column);
  });
  return Join(issues, "\n", [&](const Issue& issue) { return IssueText(expression, issue); });
}

std::string QualifiedName(const Expr& expr) {
  if (expr.kind == ExprKind::kIdent) return expr.name;
  if (expr.kind != ExprKind::kSelect || expr.test_only) return {};
  std::string prefix = QualifiedName(*expr.operand);
  return prefix.empty() ? prefix : prefix + "." + expr.name;
}

}  // namespace capstan::cel
