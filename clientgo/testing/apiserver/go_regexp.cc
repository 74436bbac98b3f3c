// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/go_regexp.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace capstan::testing::apiserver {
namespace {

constexpr int kRepeatMax = 1000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWord(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Scanner reads an expression from left to right. Each method that returns a bool returns whether
// the expression can still be right; otherwise error_ says why not.
class Scanner {
 public:
  explicit Scanner(std::string_view pattern) : pattern_(pattern) {}

  std::string Scan() {
    while (at_ < pattern_.size()) {
      if (!ScanOne()) return error_;
    }
    if (depth_ > 0) Fail("missing closing )", pattern_);
    return error_;
  }

 private:
  bool Fail(std::string_view why, std::string_view where) {
    error_ = "error parsing regexp: " + std::string(why) + ": `" + std::string(where) + "`";
    return false;
  }
  std::string_view Rest() const { return pattern_.substr(at_); }
  bool Skip(std::size_t characters) {
    at_ += characters;
    return true;
  }
  // After something that a repetition may follow.
  bool SkipAtom(std::size_t characters) {
    repeatable_ = true;
    repeated_from_.reset();
    return Skip(characters);
  }
  // After something that no repetition may follow.
  bool SkipBegin(std::size_t characters) {
    repeatable_ = false;
    repeated_from_.reset();
    return Skip(characters);
  }

  bool ScanOne();
  bool ScanGroup();
  bool ScanEscape();
  bool ScanClass();
  bool ScanRepetition(std::size_t size);
  // Returns the size of "{2}", "{2,}" or "{2,3}" at the front of Rest(); nullopt: it is a text.
  std::optional<std::size_t> CountSize(int& least, int& most) const;

  std::string_view pattern_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool repeatable_ = false;
  std::optional<std::size_t> repeated_from_;  // where the repetition just before begins
  std::string error_;
};

bool Scanner::ScanOne() {
  switch (pattern_[at_]) {
    case '(':
      return ScanGroup();
    case ')':
      if (depth_ == 0) return Fail("unexpected )", pattern_);
      --depth_;
      return SkipAtom(1);
    case '|':
      return SkipBegin(1);
    case '[':
      return ScanClass();
    case '\\':
      return ScanEscape();
    case '*':
    case '+':
    case '?':
      return ScanRepetition(1);
    case '{': {
      int least = 0;
      int most = 0;
      const auto size = CountSize(least, most);
      if (!size) return SkipAtom(1);
      if (least > kRepeatMax || most > kRepeatMax || (most >= 0 && most < least)) {
        return Fail("invalid repeat count", Rest().substr(0, *size));
      }
      return ScanRepetition(*size);
    }
    default:
      return SkipAtom(1);
  }
}

bool Scanner::ScanGroup() {
  ++depth_;
  if (!Rest().starts_with("(?")) return SkipBegin(1);
  std::size_t name_begin = 0;
  if (Rest().starts_with("(?P<")) name_begin = 4;
  if (Rest().starts_with("(?<")) name_begin = 3;
  if (name_begin > 0) {
    const std::size_t end = Rest().find('>');
    if (end == std::string_view::npos) return Fail("invalid named capture", Rest());
    const std::string_view name = Rest().substr(name_begin, end - name_begin);
    if (name.empty() || !std::all_of(name.begin(), name.end(), IsWord)) {
      return Fail("invalid named capture", Rest().substr(0, end + 1));
    }
    return SkipBegin(end + 1);
  }
  std::size_t end = 2;
  while (end < Rest().size() &&
         std::string_view("imsU-").find(Rest()[end]) != std::string_view::npos) {
    ++end;
  }
  if (end == Rest().size()) return Fail("missing argument to repetition operator", "?");
  if (Rest()[end] == ':') return SkipBegin(end + 1);
  if (Rest()[end] != ')') {
    return Fail("invalid or unsupported Perl syntax", Rest().substr(0, end + 1));
  }
  --depth_;  // flags alone: (?i)
  return SkipBegin(end + 1);
}

bool Scanner::ScanEscape() {
  if (Rest().size() == 1) return Fail("trailing backslash at end of expression", "");
  const char c = Rest()[1];
  if (c == 'Q') {
    const std::size_t end = Rest().find("\\E");
    return SkipAtom(end == std::string_view::npos ? Rest().size() : end + 2);
  }
  // \12 is a character in octal; \1 would be a reference to a group.
  const bool octal =
      c >= '1' && c <= '7' && Rest().size() > 2 && Rest()[2] >= '0' && Rest()[2] <= '7';
  constexpr std::string_view kLetters = "ABCDEPSWabdfnprstvwxz0_";
  if (IsWord(c) && !octal && kLetters.find(c) == std::string_view::npos) {
    return Fail("invalid escape sequence", Rest().substr(0, 2));
  }
  return SkipAtom(2);
}

bool Scanner::ScanClass() {
  const std::string_view rest = Rest();
  std::size_t i = rest.starts_with("[^") ? 2 : 1;
  std::optional<char> before;  // a plain character
  bool range = false;          // after "a-"
  for (bool first = true; i < rest.size() && (first || rest[i] != ']'); first = false) {
    if (rest[i] == '\\') {
      if (i + 1 == rest.size()) break;
      i += 2;
      before.reset();
      range = false;
      continue;
    }
    const std::size_t named = rest.substr(i).starts_with("[:") ? rest.find(":]", i) : 0;
    if (named != 0 && named != std::string_view::npos) {
      i = named + 2;
      before.reset();
      continue;
    }
    if (rest[i] == '-' && before && !range && i + 1 < rest.size() && rest[i + 1] != ']') {
      range = true;
    } else if (range && before && rest[i] < *before) {
      return Fail("invalid character class range", rest.substr(i - 2, 3));
    } else {
      before = range ? std::nullopt : std::optional<char>(rest[i]);
      range = false;
    }
    ++i;
  }
  if (i >= rest.size() || rest[i] != ']') return Fail("missing closing ]", rest);
  return SkipAtom(i + 1);
}

bool Scanner::ScanRepetition(std::size_t size) {
  if (!Rest().substr(size).empty() && Rest()[size] == '?') ++size;  // not greedy
  if (repeated_from_) {
    return Fail("invalid nested repetition operator",
                pattern_.substr(*repeated_from_, at_ + size - *repeated_from_));
  }
  if (!repeatable_) {
    return Fail("missing argument to repetition operator", Rest().substr(0, size));
  }
  repeated_from_ = at_;
  return Skip(size);
}

std::optional<std::size_t> Scanner::CountSize(int& least, int& most) const {
  const std::string_view rest = Rest();
  std::size_t i = 1;
  const auto number = [&]() -> std::optional<int> {
    const std::size_t begin = i;
    int value = 0;
    for (; i < rest.size() && IsDigit(rest[i]); ++i) {
      value = std::min(value * 10 + (rest[i] - '0'), kRepeatMax + 1);
    }
    return i == begin ? std::nullopt : std::optional<int>(value);
  };
  const auto low = number();
  if (!low) return std::nullopt;
  least = *low;
  most = *low;
  if (i < rest.size() && rest[i] == ',') {
    ++i;
    most = number().value_or(-1);
  }
  if (i >= rest.size() || rest[i] != '}') return std::nullopt;
  return i + 1;
}

}  // namespace

std::string GoRegexpError(std::string_view pattern) { return Scanner(pattern).Scan(); }

}  // namespace capstan::testing::apiserver
