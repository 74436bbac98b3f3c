// SPDX-License-Identifier: Apache-2.0
// GoRegexp is a regular expression as Go's package regexp reads it, with the error texts of
// regexp/syntax. RE2 evaluates it in time proportional to the text. Differs: \C is allowed, and
// for a few expressions with two errors the reported error is not the one that Go reports.
// Thread-safe.
#pragma once

#include <re2/re2.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::cel {

class GoRegexp {
 public:
  explicit GoRegexp(std::string_view expression);

  // Returns why Go cannot compile the expression: "error parsing regexp: ...". Returns "" if Go
  // can.
  const std::string& Error() const { return error_; }
  // Reports whether a part of `text` matches. Nothing matches an expression with an error.
  bool Matches(std::string_view text) const {
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
  }
  // Return the first part that matches, and at most `count_max` parts that follow each other.
  std::optional<std::string> Find(std::string_view text) const;
  std::vector<std::string> FindAll(std::string_view text, std::size_t count_max) const;

 private:
  std::unique_ptr<const RE2> compiled_;
  std::string error_;
};

}  // namespace capstan::cel
