// SPDX-License-Identifier: Apache-2.0
// The scanner: a state machine that stops and resumes at any byte. Runs inside strings and numbers
// are taken in one go, everything between them byte by byte.
#include "clientgo/runtime/json_filter.h"
#include "clientgo/runtime/json_scan.h"

namespace clientgo::runtime {
namespace {

constexpr bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string Quoted(char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (byte > 0x20 && byte < 0x7f) return {'\'', c, '\''};
  return {'0', 'x', kHex[byte >> 4U], kHex[byte & 15U]};
}

}  // namespace

const char* JsonFilter::Step(const char* p, const char* end) {
  switch (state_) {
    case State::kKey:
    case State::kString:
      return ScanString(p, end);
    case State::kNumber:
      return ScanNumber(p, end);
    case State::kLiteral:
      return ScanLiteral(p, end);
    default:
      return IsSpace(*p) ? p + 1 : ScanStructure(p);
  }
}

const char* JsonFilter::ScanString(const char* p, const char* end) {
  // Whatever follows a backslash does not end the string. The hex digits of \u are plain bytes.
  const char* stop = FindQuoteOrBackslash(after_backslash_ ? p + 1 : p, end);
  const bool closed = stop != end && *stop == '"';
  after_backslash_ = stop != end && *stop == '\\';
  if (stop != end) ++stop;  // The quote or the backslash belongs to the run.
  const std::string_view run(p, static_cast<std::size_t>(stop - p));
  if (state_ == State::kKey) {
    key_escaped_ = key_escaped_ || after_backslash_;
    if (const std::size_t fit = AppendKey(run); fit != run.size()) return p + fit;
    if (closed) EndKey();
  } else {
    if (keep_scalar_) {
      if (const std::size_t fit = Append(run); fit != run.size()) return p + fit;
    }
    if (closed) EndValue();
  }
  return stop;
}

const char* JsonFilter::ScanNumber(const char* p, const char* end) {
  const char* const begin = p;
  NumberState next = NumberState::kEnd;
  for (; p != end; ++p) {
    next = NextNumberState(number_, *p);
    if (next == NumberState::kEnd) break;
    number_ = next;
  }
  if (keep_scalar_) {
    const auto size = static_cast<std::size_t>(p - begin);
    if (const std::size_t fit = Append({begin, size}); fit != size) return begin + fit;
  }
  if (p == end) return p;
  if (IsWholeNumber(number_)) {
    EndValue();
  } else {
    Fail("a number goes on with " + Quoted(*p));
  }
  return p;
}

const char* JsonFilter::ScanLiteral(const char* p, const char* end) {
  const char* const begin = p;
  for (; p != end && !literal_rest_.empty() && *p == literal_rest_.front(); ++p) {
    literal_rest_.remove_prefix(1);
  }
  if (keep_scalar_) {
    const auto size = static_cast<std::size_t>(p - begin);
    if (const std::size_t fit = Append({begin, size}); fit != size) return begin + fit;
  }
  if (literal_rest_.empty()) {
    EndValue();
  } else if (p != end) {
    Fail("a literal goes on with " + Quoted(*p));
  }
  return p;
}

const char* JsonFilter::ScanStructure(const char* p) {
  const char c = *p;
  switch (state_) {
    case State::kTop:
    case State::kValue:
    case State::kFirstElement:
      if (c == '{' || c == '[') {
        Open(c == '{');
        return failure_.empty() ? p + 1 : p;
      }
      if (c == ']' && state_ == State::kFirstElement) {
        Close(false);
        return p + 1;
      }
      if (BeginScalar(c)) return state_ == State::kString ? p + 1 : p;
      Fail("a value starts with " + Quoted(c));
      return p;
    case State::kFirstKey:
    case State::kNextKey:
      if (c == '"') {
        BeginKey();
      } else if (c == '}' && state_ == State::kFirstKey) {
        Close(true);
      } else {
        Fail("expected a key, found " + Quoted(c));
        return p;
      }
      return p + 1;
    case State::kColon:
      if (c == ':') {
        state_ = State::kValue;
        return p + 1;
      }
      Fail("expected ':', found " + Quoted(c));
      return p;
    default:  // kAfterValue
      if (c == ',') {
        state_ = levels_.back().object ? State::kNextKey : State::kValue;
      } else if (c == '}' || c == ']') {
        Close(c == '}');
      } else {
        Fail("expected ',' or the end of a container, found " + Quoted(c));
      }
      return failure_.empty() ? p + 1 : p;
  }
}

bool JsonFilter::BeginScalar(char first) {
  switch (first) {
    case '"':
      state_ = State::kString;
      break;
    case 't':
    case 'f':
    case 'n':
      state_ = State::kLiteral;
      literal_rest_ = first == 't' ? "true" : first == 'f' ? "false" : "null";
      break;
    default:
      if (NextNumberState(NumberState::kStart, first) == NumberState::kEnd) return false;
      state_ = State::kNumber;
      number_ = NumberState::kStart;
  }
  keep_scalar_ = BeginValue(false) != nullptr;
  if (keep_scalar_ && first == '"') Append('"');
  return true;
}

}  // namespace clientgo::runtime
