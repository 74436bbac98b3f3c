// SPDX-License-Identifier: Apache-2.0
#include "clientgo/yaml/parse.h"

#include <yaml.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "clientgo/yaml/documents.h"
#include "clientgo/yaml/scalar.h"

namespace capstan::yaml {
namespace {

constexpr int kDepthMax = 500;
constexpr std::size_t kValuesMax = 1'000'000;
constexpr std::string_view kMergeTag = "tag:yaml.org,2002:merge";

std::string_view Text(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

// Event owns an event of libyaml.
class Event {
 public:
  Event() = default;
  ~Event() { yaml_event_delete(&event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  yaml_event_t* get() { return &event_; }
  const yaml_event_t* operator->() const { return &event_; }

 private:
  yaml_event_t event_ = {};
};

// Parser owns a parser of libyaml. The text must outlive the Parser.
class Parser {
 public:
  // `skipped` is the number of bytes that precede `utf8` in the file.
  Parser(std::string_view utf8, std::size_t skipped) : skipped_(skipped), unread_(utf8) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input(&parser_, &Parser::Read, this);
  }
  ~Parser() { yaml_parser_delete(&parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // Returns false after an error.
  bool Next(Event& event) {
    yaml_event_delete(event.get());
    const bool good = yaml_parser_parse(&parser_, event.get()) != 0;
    if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    return good;
  }
  const yaml_parser_t* operator->() const { return &parser_; }

 private:
  // The size of go-yaml's buffer. It does not see an invalid character after the document that it
  // has not read by then.
  static constexpr std::size_t kBytesAtOnce = 512;

  static int Read(void* data, unsigned char* buffer, std::size_t size, std::size_t* size_read) {
    Parser& self = *static_cast<Parser*>(data);
    const auto& raw = self.parser_.raw_buffer;
    const auto kept = static_cast<std::size_t>(raw.end - raw.start) - size + self.skipped_;
    self.skipped_ = 0;
    *size_read = self.unread_.copy(reinterpret_cast<char*>(buffer), kBytesAtOnce - kept);
    self.unread_.remove_prefix(*size_read);
    return 1;
  }

  std::size_t skipped_;
  std::string_view unread_;
  yaml_parser_t parser_ = {};
};

// Source finds a place in the text by libyaml's index. An index counts characters, not bytes.
class Source {
 public:
  explicit Source(std::string_view utf8) : text_(utf8) {}

  // Returns the text before the character. The indexes must not decrease.
  std::string_view Before(std::size_t index) {
    for (; index_ < index && at_ < text_.size(); ++index_) {
      do {
        ++at_;
      } while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xc0U) == 0x80);
    }
    return text_.substr(0, at_);
  }
  bool HasNext(char c) const { return at_ < text_.size() && text_[at_] == c; }

 private:
  const std::string_view text_;
  std::size_t index_ = 0;
  std::size_t at_ = 0;
};

// Reports whether the text ends with an anchor.
bool EndsWithAnchor(std::string_view text) {
  const auto is_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  while (!text.empty() && is_name(text.back())) text.remove_suffix(1);
  if (!text.ends_with('&')) return false;
  text.remove_suffix(1);
  return text.empty() || std::string_view(" \t\r\n,[{").find(text.back()) != std::string_view::npos;
}

// Problem is why a text is not accepted.
struct Problem {
  int line = 0;
  std::string why;
};

// Builder makes a Value from libyaml's events. go-yaml is a port of libyaml. Where the two differ,
// Builder follows go-yaml.
class Builder {
 public:
  Builder(std::string_view utf8, int first_line) : source_(utf8), first_line_(first_line) {}

  // Returns false after an error.
  bool Handle(const Event& event) {
    switch (event->type) {
      case YAML_DOCUMENT_START_EVENT: {
        const auto* const version = event->data.document_start.version_directive;
        if (version != nullptr && version->minor != 1) {
          Fail(LineOf(event), "invalid YAML: only the directive %YAML 1.1 is supported");
        }
        break;
      }
      case YAML_ALIAS_EVENT:
        HandleAlias(event);
        break;
      case YAML_SCALAR_EVENT:
        HandleScalar(event);
        break;
      case YAML_SEQUENCE_START_EVENT: {
        const auto& start = event->data.sequence_start;
        Open(Value::Type::kList, LineOf(event), Text(start.anchor),
             start.style == YAML_FLOW_SEQUENCE_STYLE);
        break;
      }
      case YAML_MAPPING_START_EVENT: {
        const auto& start = event->data.mapping_start;
        Open(Value::Type::kMap, LineOf(event), Text(start.anchor),
             start.style == YAML_FLOW_MAPPING_STYLE);
        break;
      }
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        Close();
        break;
      default:
        break;
    }
    return !error_;
  }

  // Reports whether the whole document has been read.
  bool IsComplete() const { return root_ != nullptr && frames_.empty(); }

  // Returns the document. Null: it is empty.
  Expected<ValuePtr> Take() {
    if (root_) {
      if (const auto found = problems_.find(root_); found != problems_.end()) {
        Fail(found->second.line, found->second.why);
      }
    }
    if (error_) return Err(*std::move(error_));
    return root_ ? root_ : std::make_shared<const Value>();
  }
  int error_line() const { return error_line_; }

 private:
  // Frame is a list or map that is not yet complete.
  struct Frame {
    std::shared_ptr<Value> value;
    std::string anchor = {};
    bool flow = false;  // in brackets
    // Of a map whose next value is missing:
    std::optional<std::string> key = {};
    int key_line = 0;
    bool merges = false;
    bool has_bad_key = false;
    std::optional<Problem> problem = {};  // of the keys
  };
  struct Anchor {
    ValuePtr value;  // null: the value is not yet complete
    const Value* owner = nullptr;
  };
  enum class Origin { kMergeKey, kAlias, kOther };

  int LineOf(const Event& event) const {
    return first_line_ + static_cast<int>(event->start_mark.line);
  }

  void Fail(int line, std::string why) {
    if (error_) return;
    error_line_ = line;
    error_ = Error{.reason = ErrorReason::kInvalidArgument, .message = std::move(why)};
  }

  bool Count(int line, std::size_t values) {
    values_ += values;
    if (values_ > kValuesMax) {
      Fail(line, "more than " + std::to_string(kValuesMax) + " values are not supported");
    }
    return !error_;
  }

  void HandleAlias(const Event& event) {
    const auto found = anchors_.find(std::string(Text(event->data.alias.anchor)));
    if (found == anchors_.end()) return Fail(LineOf(event), "invalid YAML: an unknown anchor");
    if (!found->second.value) return Fail(LineOf(event), "an anchor's value contains itself");
    Place(LineOf(event), found->second.value, Origin::kAlias);
  }

  void HandleScalar(const Event& event) {
    const auto& scalar = event->data.scalar;
    const std::string text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const bool plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    const bool flow = !frames_.empty() && frames_.back().flow;
    std::string_view tag = Text(scalar.tag);
    // In brackets, go-yaml ends a plain scalar at '?' and reads "!a,b" as one tag.
    if (flow && plain && text.find('?') != std::string::npos) {
      return Fail(LineOf(event), "invalid YAML: quote text with ? in brackets");
    }
    if (flow && plain && text.empty() && !tag.empty()) {
      const std::string_view before = source_.Before(event->end_mark.index);
      if (source_.HasNext(',') && !EndsWithAnchor(before)) {
        return Fail(LineOf(event), "invalid YAML: a tag without a space after it");
      }
    }
    const bool merges = text == "<<" && (scalar.plain_implicit != 0 || tag == kMergeTag);
    if (tag.empty()) {
      tag = plain ? kPlain : kQuoted;
    } else if (tag == kPlain) {
      tag = kQuoted;  // an unknown tag
    }
    auto value = ResolveScalar(tag, text);
    if (!value) return Fail(LineOf(event), value.error().message);
    value->line = LineOf(event);
    auto shared = std::make_shared<const Value>(*std::move(value));
    if (scalar.anchor != nullptr) {
      anchors_[std::string(Text(scalar.anchor))] = {.value = shared, .owner = shared.get()};
    }
    if (!shared->IsFinite()) {
      problems_[shared] = {.line = shared->line, .why = "JSON has no infinity and no .nan"};
    }
    Place(shared->line, shared, merges ? Origin::kMergeKey : Origin::kOther);
  }

  void Open(Value::Type type, int line, std::string_view anchor, bool flow) {
    Frame frame{.value = std::make_shared<Value>(), .anchor = std::string(anchor), .flow = flow};
    frame.value->type = type;
    frame.value->line = line;
    if (!anchor.empty()) anchors_[frame.anchor] = {.value = nullptr, .owner = frame.value.get()};
    frames_.push_back(std::move(frame));
    CheckDepth(line, 0);
  }

  void CheckDepth(int line, int below) {
    if (below + static_cast<int>(frames_.size()) > kDepthMax) {
      Fail(line, "more than " + std::to_string(kDepthMax) + " levels are not supported");
    }
  }

  void Close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    KeepLast(*frame.value);
    if (frame.problem) key_problems_[frame.value] = *frame.problem;
    if (auto problem = ProblemOf(frame)) problems_[frame.value] = *std::move(problem);
    if (!frame.anchor.empty()) {
      Anchor& anchor = anchors_[frame.anchor];
      if (anchor.owner == frame.value.get()) anchor.value = frame.value;
    }
    const int line = frame.value->line;
    Place(line, std::move(frame.value), Origin::kOther);
  }

  // Returns the first problem of a list or a map.
  std::optional<Problem> ProblemOf(const Frame& frame) const {
    if (frame.problem || problems_.empty()) return frame.problem;
    const auto find = [&](const ValuePtr& value) -> std::optional<Problem> {
      const auto found = problems_.find(value);
      return found == problems_.end() ? std::nullopt : std::optional(found->second);
    };
    for (const ValuePtr& item : frame.value->items) {
      if (auto problem = find(item)) return problem;
    }
    for (const Member& member : frame.value->members) {
      if (auto problem = find(member.value)) return problem;
    }
    return std::nullopt;
  }

  // Puts a complete value where it belongs.
  void Place(int line, ValuePtr value, Origin origin) {
    if (!Count(line, 1)) return;
    CheckDepth(line, value->depth);
    if (error_) return;
    if (frames_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& frame = frames_.back();
    frame.value->depth = std::max(frame.value->depth, value->depth + 1);
    if (frame.value->IsList()) {
      frame.value->items.push_back(std::move(value));
    } else if (!frame.key) {
      PlaceKey(frame, line, *value, origin == Origin::kMergeKey);
    } else if (frame.merges) {
      frame.key.reset();
      if (origin == Origin::kAlias && value->IsList()) return FailWantMap(line);
      Merge(line, frame, value);
    } else {
      if (!frame.has_bad_key) {
        frame.value->members.push_back(
            {.key = *std::move(frame.key), .line = frame.key_line, .value = std::move(value)});
      }
      frame.key.reset();
    }
  }

  void PlaceKey(Frame& frame, int line, const Value& value, bool merges) {
    constexpr std::string_view kWhy = "the key of a map must be text, a number or a boolean";
    if (!value.IsScalar()) return Fail(line, std::string(kWhy));
    frame.key = KeyOf(value);
    frame.key_line = line;
    frame.merges = merges;
    frame.has_bad_key = !frame.key;
    if (frame.key) return;
    frame.key = "";
    if (!frame.problem) frame.problem = {.line = line, .why = std::string(kWhy)};
  }

  void FailWantMap(int line) { Fail(line, "<< needs a map or a list of maps"); }

  // Adds the members of a map, or of a list of maps of which the first ones win. As in go-yaml, a
  // merged member replaces one that is before it.
  void Merge(int line, Frame& frame, const ValuePtr& from) {
    if (from->IsList()) {
      for (auto item = from->items.rbegin(); item != from->items.rend() && !error_; ++item) {
        MergeMap(line, frame, *item);
      }
    } else {
      MergeMap(line, frame, from);
    }
  }
  void MergeMap(int line, Frame& frame, const ValuePtr& from) {
    if (!from->IsMap()) return FailWantMap(line);
    if (!Count(line, from->members.size())) return;
    const auto problem = key_problems_.find(from);
    if (problem != key_problems_.end() && !frame.problem) frame.problem = problem->second;
    for (Member member : from->members) {
      member.line = 0;  // merged: it may be given again
      frame.value->members.push_back(std::move(member));
    }
  }
  // Keeps the last of the members with the same key.
  static void KeepLast(Value& map) {
    std::unordered_set<std::string_view> seen;
    std::vector<bool> is_last(map.members.size());
    for (std::size_t i = map.members.size(); i-- > 0;) {
      is_last[i] = seen.insert(map.members[i].key).second;
    }
    if (seen.size() == map.members.size()) return;
    std::unordered_map<std::string_view, int> lines;
    for (const Member& member : map.members) {
      if (member.line == 0) continue;
      if (!lines.emplace(member.key, member.line).second) {
        map.repeats.push_back({.key = member.key, .line = member.line, .value = nullptr});
      }
    }
    std::vector<Member> kept;
    for (std::size_t i = 0; i < map.members.size(); ++i) {
      if (is_last[i]) kept.push_back(std::move(map.members[i]));
    }
    map.members = std::move(kept);
  }

  Source source_;
  const int first_line_;
  std::vector<Frame> frames_;
  std::unordered_map<std::string, Anchor> anchors_;
  ValuePtr root_;
  // Why values cannot become JSON. As in Go, it matters only if the value is kept: a later member
  // of the map may replace it.
  std::unordered_map<ValuePtr, Problem> problems_;
  std::unordered_map<ValuePtr, Problem> key_problems_;
  std::size_t values_ = 0;
  std::optional<Error> error_;
  int error_line_ = 0;
};

// Returns libyaml's error. Its texts are constant, so they have no credentials.
Problem ProblemOf(const Parser& parser, std::string_view utf8) {
  const std::string_view why = parser->problem == nullptr ? "" : parser->problem;
  if (parser->error == YAML_READER_ERROR) {
    return {.line = LinesIn(utf8.substr(0, parser->problem_offset)),
            .why = why.starts_with("control") ? std::string(why) : "invalid UTF-8"};
  }
  if (why == "could not find expected ':'") {
    return {.line = static_cast<int>(parser->context_mark.line), .why = "a key without a colon"};
  }
  return {.line = static_cast<int>(parser->problem_mark.line), .why = std::string(why)};
}

Problem RestOf(const Parser& parser) {
  return {.line = static_cast<int>(parser->problem_mark.line),
          .why = "text after the end of the document"};
}

// Reads the first document. Returns the error of libyaml.
std::optional<Problem> Read(Parser& parser, std::string_view utf8, Builder& builder) {
  Event event;
  do {
    if (!parser.Next(event)) {
      if (parser->error == YAML_READER_ERROR || !builder.IsComplete()) {
        return ProblemOf(parser, utf8);
      }
      return RestOf(parser);
    }
    if (!builder.Handle(event) || event->type == YAML_STREAM_END_EVENT) return std::nullopt;
  } while (event->type != YAML_DOCUMENT_END_EVENT);
  // Go ignores what follows.
  if (event->data.document_end.implicit != 0 && !parser.Next(event)) return RestOf(parser);
  return std::nullopt;
}

}  // namespace

Expected<ValuePtr> Parse(std::string_view text, const std::string& name, int first_line) {
  const auto fail = [&](int line, const std::string& why) {
    return Err(ErrorReason::kInvalidArgument, FileAndLine(name, line) + ": " + why);
  };
  const std::string utf8 = ToUtf8(text);
  Builder builder(utf8, first_line);
  Parser parser(utf8, text.starts_with(kMark) ? kMark.size() : 0);
  if (const auto problem = Read(parser, utf8, builder)) {
    return fail(first_line + std::clamp(problem->line, 0, LinesIn(utf8)),
                "invalid YAML: " + problem->why);
  }
  auto root = builder.Take();
  if (!root) return fail(builder.error_line(), root.error().message);
  return root;
}

std::string FileAndLine(const std::string& path, int line) {
  return path + ":" + std::to_string(line);
}

}  // namespace capstan::yaml
