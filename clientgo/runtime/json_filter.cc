// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/json_filter.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "clientgo/runtime/json.h"

namespace capstan::runtime {
namespace {

// The longest form of one byte of a key: an escape like \u0061.
constexpr std::size_t kEscapeBytesMax = 6;

// Keys with escapes are very rare, so this may be slow. An unpaired surrogate stays as it is: it
// matches no name, and Go accepts it.
bool Unescape(std::string_view text, std::string& to) {
  JsonDocument document;
  const std::string quoted = '"' + std::string(text) + '"';
  if (document.Parse(quoted.c_str()).HasParseError()) {
    to = text;
    return document.GetParseError() == rapidjson::kParseErrorStringUnicodeSurrogateInvalid;
  }
  to = ToView(document);
  return true;
}

constexpr bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string QuotedChar(char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (byte > 0x20 && byte < 0x7f) return {'\'', c, '\''};
  return {'0', 'x', kHex[byte >> 4U], kHex[byte & 15U]};
}

// The grammar of a number in JSON: -?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?
constexpr NumberState NextNumberState(NumberState state, char c) {
  const bool digit = c >= '0' && c <= '9';
  const bool exponent = c == 'e' || c == 'E';
  switch (state) {
    case NumberState::kStart:
      if (c == '-') return NumberState::kMinus;
      [[fallthrough]];
    case NumberState::kMinus:
      if (c == '0') return NumberState::kZero;
      return digit ? NumberState::kInteger : NumberState::kEnd;
    case NumberState::kInteger:
      if (digit) return NumberState::kInteger;
      [[fallthrough]];
    case NumberState::kZero:
      if (c == '.') return NumberState::kPoint;
      return exponent ? NumberState::kExponent : NumberState::kEnd;
    case NumberState::kFraction:
      if (exponent) return NumberState::kExponent;
      [[fallthrough]];
    case NumberState::kPoint:
      return digit ? NumberState::kFraction : NumberState::kEnd;
    case NumberState::kExponent:
      if (c == '+' || c == '-') return NumberState::kExponentSign;
      [[fallthrough]];
    case NumberState::kExponentSign:
    case NumberState::kExponentDigits:
      return digit ? NumberState::kExponentDigits : NumberState::kEnd;
    case NumberState::kEnd:
      break;
  }
  return NumberState::kEnd;
}

// Reports whether the number may end here.
constexpr bool IsWholeNumber(NumberState state) {
  return state == NumberState::kZero || state == NumberState::kInteger ||
         state == NumberState::kFraction || state == NumberState::kExponentDigits;
}

}  // namespace

const char* FindQuoteOrBackslash(const char* p, const char* end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  for (; end - p >= 16; p += 16) {
    const __m128i word = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i hits = _mm_or_si128(_mm_cmpeq_epi8(word, quote), _mm_cmpeq_epi8(word, backslash));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(hits));
    if (mask != 0) return p + __builtin_ctz(mask);
  }
#endif
  while (p != end && *p != '"' && *p != '\\') ++p;
  return p;
}

JsonFilter::JsonFilter(const Projection& projection, Options options)
    : FrameFilter(options), root_(&projection.root()) {}

Expected<std::size_t> JsonFilter::Feed(std::string_view bytes) {
  if (!failure_.empty()) return Err(Failure());
  BeginFrame();
  const char* const begin = bytes.data();
  const char* const end = begin + std::min(bytes.size(), options_.input_bytes_max - frame_input_);
  const char* p = begin;
  while (p != end && !HasFrame() && failure_.empty()) {
    p = Step(p, end);
    if (must_reduce_) ReduceFrame();
  }
  const auto taken = static_cast<std::size_t>(p - begin);
  offset_ += taken;
  frame_input_ += taken;
  if (frame_input_ == options_.input_bytes_max && taken != bytes.size() && !HasFrame()) {
    Fail("no end of a value in " + std::to_string(options_.input_bytes_max) + " bytes");
  }
  if (!failure_.empty()) return Err(Failure());
  return taken;
}

Expected<void> JsonFilter::Finish() {
  if (!failure_.empty()) return Err(Failure());
  if (state_ == State::kNumber && AtTop() && IsWholeNumber(number_)) {
    BeginFrame();
    EndValue();
  }
  if (state_ == State::kTop) return {};
  return Err(ErrorReason::kUnexpectedEof,
             "stream ended inside a JSON value, after byte " + std::to_string(offset_));
}

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
  // The character after a backslash does not end the string. The hex digits of \u are plain bytes.
  const char* stop = FindQuoteOrBackslash(after_backslash_ ? p + 1 : p, end);
  const bool closed = stop != end && *stop == '"';
  after_backslash_ = stop != end && *stop == '\\';
  if (stop != end) ++stop;  // the quote or the backslash belongs to the run
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
    Fail("unexpected " + QuotedChar(*p) + " in a number");
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
    Fail("unexpected " + QuotedChar(*p) + " in a literal");
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
        return Open(c == '{') ? p + 1 : p;
      }
      if (c == ']' && state_ == State::kFirstElement) {
        Close(false);
        return p + 1;
      }
      if (BeginScalar(c)) return state_ == State::kString ? p + 1 : p;
      Fail("a value starts with " + QuotedChar(c));
      return p;
    case State::kFirstKey:
    case State::kNextKey:
      if (c == '"') {
        BeginKey();
      } else if (c == '}' && state_ == State::kFirstKey) {
        Close(true);
      } else {
        Fail("expected a key, found " + QuotedChar(c));
        return p;
      }
      return p + 1;
    case State::kColon:
      if (c == ':') {
        if (InKept() && key_node_ != nullptr) Append(':');
        state_ = State::kValue;
        return p + 1;
      }
      Fail("expected ':', found " + QuotedChar(c));
      return p;
    default:  // kAfterValue
      if (c == ',') {
        state_ = InObject() ? State::kNextKey : State::kValue;
      } else if (c == '}' || c == ']') {
        Close(c == '}');
      } else {
        Fail("expected ',' or the end of a container, found " + QuotedChar(c));
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

void JsonFilter::BeginKey() {
  state_ = State::kKey;
  key_start_ = buffer_.size();
  key_escaped_ = false;
  keep_key_ = InKept();
  if (keep_key_) {
    if (levels_.back().has_members) Append(',');
    Append('"');
  }
  key_text_ = buffer_.size();
}

// A key is appended before it is known to be kept, so that it is compared in one piece for every
// split. EndKey or BeginValue removes it. The limit keeps it short.
std::size_t JsonFilter::AppendKey(std::string_view run) {
  if (!keep_key_) return run.size();
  const Projection::Node& node = *levels_.back().node;
  const bool any = node.keep_all || node.key_bytes_max == SIZE_MAX;
  if (any) return Append(run);
  // One more byte for the closing quote.
  if (buffer_.size() - key_text_ + run.size() > kEscapeBytesMax * node.key_bytes_max + 1) {
    buffer_.resize(key_start_);
    keep_key_ = false;
  } else {
    buffer_.insert(buffer_.end(), run.begin(), run.end());
  }
  return run.size();
}

void JsonFilter::EndKey() {
  state_ = State::kColon;
  key_node_ = nullptr;
  key_is_items_ = false;
  if (!keep_key_ || !failure_.empty()) return;
  std::string_view name(buffer_.data() + key_text_, buffer_.size() - key_text_ - 1);
  std::string unescaped;
  if (key_escaped_) {
    if (!Unescape(name, unescaped)) return Fail("bad escape in a key");
    name = unescaped;
  }
  const Projection::Node* node = levels_.back().node;
  key_node_ = node->keep_all ? node : node->Find(name);
  key_is_items_ = options_.framing == Framing::kList && levels_.size() == 1 && name == "items";
  if (key_node_ == nullptr) buffer_.resize(key_start_);
}

const Projection::Node* JsonFilter::BeginValue(bool container) {
  if (AtTop()) {
    const Projection::Node* const root = reduced_ != nullptr ? reduced_ : root_;
    return container || root->keep_all ? root : nullptr;
  }
  if (!dropped_.empty()) return nullptr;
  Level& parent = levels_.back();
  const Projection::Node* node = parent.object ? key_node_ : parent.node;
  if (parent.items) {
    if (reduced_ != nullptr) node = reduced_;
    frame_start_ = buffer_.size();
    return node != nullptr && (container || node->keep_all) ? node : nullptr;
  }
  if (node == nullptr) {
    if (parent.object) buffer_.resize(key_start_);
    return nullptr;
  }
  if (!parent.object && parent.has_members) Append(',');
  parent.has_members = true;
  return node;
}

bool JsonFilter::Open(bool object) {
  const bool in_kept = InKept() && (!levels_.back().object || key_node_ != nullptr);
  if (in_kept && levels_.size() >= options_.depth_max) {
    Exceed(TooDeep());
    return false;
  }
  if (dropped_.size() == kDroppedDepthMax) {
    Fail("nested deeper than " + std::to_string(kDroppedDepthMax) + " levels");
    return false;
  }
  const bool items = !object && levels_.size() == 1 && InKept() && key_is_items_;
  const Projection::Node* node = BeginValue(true);
  if (node != nullptr) {
    levels_.push_back({.node = node, .object = object, .items = items, .has_members = false});
    Append(object ? '{' : '[');
  } else {
    dropped_.push_back(object);
  }
  state_ = object ? State::kFirstKey : State::kFirstElement;
  return failure_.empty();
}

void JsonFilter::Close(bool object) {
  if (AtTop() || InObject() != object) {
    return Fail(object ? "'}' closes no object" : "']' closes no array");
  }
  if (dropped_.empty()) {
    Append(object ? '}' : ']');
    levels_.pop_back();
  } else {
    dropped_.pop_back();
  }
  EndValue();
}

void JsonFilter::EndValue() {
  state_ = AtTop() ? State::kTop : State::kAfterValue;
  if (AtTop()) {
    EndValueFrame(FrameType::kDocument);
  } else if (dropped_.empty() && levels_.back().items) {
    EndValueFrame(FrameType::kItem);
  }
}

void JsonFilter::EndValueFrame(FrameType type) {
  if (buffer_.size() == frame_start_) Append("null");
  EndFrame(type);
}

void JsonFilter::BeginFrame() {
  if (!ReleaseFrame()) return;
  must_reduce_ = false;
  reduced_ = nullptr;
  frame_input_ = 0;
}

std::size_t JsonFilter::Append(std::string_view bytes) {
  const std::size_t used = buffer_.size() - frame_start_;
  if (used + bytes.size() > options_.frame_bytes_max) {
    Exceed(TooManyBytes());
    if (must_reduce_) return 0;
    return options_.frame_bytes_max - std::min(used, options_.frame_bytes_max);
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return bytes.size();
}

// With Exceed, the byte is appended, because ReduceFrame needs every byte up to the next Step.
void JsonFilter::Append(char c) {
  if (buffer_.size() - frame_start_ >= options_.frame_bytes_max) {
    Append(std::string_view(&c, 1));  // calls Exceed
    if (!must_reduce_) return;
  }
  buffer_.push_back(c);
}

void JsonFilter::Exceed(std::string limit) {
  static const Projection nothing(std::vector<Projection::Path>{});
  const bool reducible = options_.framing == Framing::kDocument || InItem();
  if (options_.identity == nullptr || !reducible || reduced_ == &nothing.root()) {
    return Fail(std::move(limit));
  }
  if (std::exchange(must_reduce_, true)) return;
  // The identity may exceed a limit, too.
  reduced_ = reduced_ == nullptr ? &options_.identity->root() : &nothing.root();
  if (exceeded_.empty()) exceeded_ = std::move(limit);
}

// The state after reading the kept bytes of the frame once more is the current one, except for two
// states: a comma is kept only with the value or the key after it.
void JsonFilter::ReduceFrame() {
  must_reduce_ = false;
  if (HasFrame()) return;  // it exceeds the limit by its last byte
  const State state = state_;
  const std::vector<char> kept = std::move(buffer_);
  const char* p = kept.data() + frame_start_;
  const char* const end = kept.data() + kept.size();
  buffer_.assign(kept.data(), p);
  levels_.resize(InItem() ? 2 : 0, Level{});
  dropped_.clear();
  state_ = InItem() ? State::kValue : State::kTop;
  while (p != end && failure_.empty()) {
    p = Step(p, end);
    if (must_reduce_) ReduceFrame();
  }
  const bool after_comma = state == State::kValue || state == State::kNextKey;
  if (after_comma && state_ == State::kAfterValue) state_ = state;
}

void JsonFilter::Fail(std::string what) {
  if (failure_.empty()) failure_ = std::move(what);
}

Error JsonFilter::Failure() const {
  return {.reason = ErrorReason::kDecode,
          .message = "bad JSON at byte " + std::to_string(offset_) + ": " + failure_};
}

}  // namespace capstan::runtime
