// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientgo/yaml/internal/parse.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "capstan/clientgo/util/text.h"
#include "capstan/clientgo/yaml/internal/documents.h"
#include "capstan/clientgo/yaml/internal/scalar.h"

namespace capstan::clientgo::yaml {
namespace {

using util::Err;
using util::Error;
using util::ErrorReason;
using util::Expected;

constexpr int kDepthMax = 500;
constexpr std::size_t kValuesMax = 1'000'000;
constexpr std::string_view kMergeTag = "tag:yaml.org,2002:merge";

// Returns a quoted text as YAML defines it: yaml-cpp makes one byte of \N and \_, which are U+0085
// and U+00A0. Other invalid UTF-8 remains.
std::string WithEscapes(const std::string& text) {
  std::string out;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    const std::size_t size = util::Utf8SequenceLength(at, end);
    if (size == 0 && (*at == '\x85' || *at == '\xa0')) out += '\xc2';
    out.append(at, std::max<std::size_t>(size, 1));
    at += std::max<std::size_t>(size, 1);
  }
  return out;
}

// Builder makes a Value of yaml-cpp's events. It ignores all events after the first error.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(int first_line) : first_line_(first_line) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (!error_ && !frames_.empty() && frames_.back().block && frames_.back().key &&
        frames_.back().key_position == mark.pos) {
      return Fail(LineOf(mark), "invalid YAML: a key without a colon");
    }
    Add(mark, Value(), anchor, false);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (error_) return;
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) return Fail(LineOf(mark), "an anchor's value contains itself");
    Place(LineOf(mark), found->second, false);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    if (error_) return;
    auto value = ResolveScalar(tag, tag == kQuoted ? WithEscapes(text) : text);
    if (!value) return Fail(LineOf(mark), value.error().message);
    Add(mark, *std::move(value), anchor, text == "<<" && (tag == kPlain || tag == kMergeTag));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    Open(mark, Value::Type::kList, anchor, style);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    Open(mark, Value::Type::kMap, anchor, style);
  }
  void OnMapEnd() override { Close(); }

  // Returns the document. Null: it is empty.
  Expected<ValuePtr> Take() {
    if (error_) return Err(*std::move(error_));
    return root_ ? root_ : std::make_shared<const Value>();
  }
  int error_line() const { return error_line_; }

  void FailAtRest(const YAML::Mark& mark) {
    Fail(LineOf(mark), "invalid YAML: text after the end of the document");
  }

 private:
  // Frame is a list or map that is not yet complete.
  struct Frame {
    std::shared_ptr<Value> value;
    YAML::anchor_t anchor = 0;
    // Of a map whose next value is missing:
    std::optional<std::string> key = {};
    int key_line = 0;
    int key_position = 0;
    bool merges = false;
    bool block = false;  // not in brackets
  };

  int LineOf(const YAML::Mark& mark) const { return first_line_ + std::max(mark.line, 0); }

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

  void Add(const YAML::Mark& mark, Value value, YAML::anchor_t anchor, bool merges) {
    if (error_) return;
    value.line = LineOf(mark);
    if (!frames_.empty() && !frames_.back().key) frames_.back().key_position = mark.pos;
    auto shared = std::make_shared<const Value>(std::move(value));
    if (anchor != 0) anchors_[anchor] = shared;
    Place(LineOf(mark), std::move(shared), merges);
  }

  void Open(const YAML::Mark& mark, Value::Type type, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style) {
    if (error_) return;
    Frame frame{.value = std::make_shared<Value>(), .anchor = anchor};
    frame.value->type = type;
    frame.value->line = LineOf(mark);
    frame.block = style == YAML::EmitterStyle::Block;
    frames_.push_back(std::move(frame));
  }

  void Close() {
    if (error_) return;
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    KeepLast(*frame.value);
    if (frame.anchor != 0) anchors_[frame.anchor] = frame.value;
    const int line = frame.value->line;
    Place(line, std::move(frame.value), false);
  }

  // Puts a complete value where it belongs. `merges`: it is the scalar <<.
  void Place(int line, ValuePtr value, bool merges) {
    if (!Count(line, 1)) return;
    const bool is_key = !frames_.empty() && frames_.back().value->IsMap() && !frames_.back().key;
    if (!value->IsFinite() && !is_key) return Fail(line, "JSON has no infinity and no .nan");
    if (value->depth + static_cast<int>(frames_.size()) > kDepthMax) {
      return Fail(line, "more than " + std::to_string(kDepthMax) + " levels are not supported");
    }
    if (frames_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& frame = frames_.back();
    frame.value->depth = std::max(frame.value->depth, value->depth + 1);
    if (frame.value->IsList()) {
      frame.value->items.push_back(std::move(value));
    } else if (!frame.key) {
      PlaceKey(frame, line, *value, merges);
    } else if (frame.merges) {
      frame.key.reset();
      Merge(line, *frame.value, *value);
    } else {
      frame.value->members.push_back(
          {.key = *std::move(frame.key), .line = frame.key_line, .value = std::move(value)});
      frame.key.reset();
    }
  }

  void PlaceKey(Frame& frame, int line, const Value& value, bool merges) {
    frame.key = KeyOf(value);
    frame.key_line = line;
    frame.merges = merges;
    if (!frame.key) Fail(line, "the key of a map must be text, a number or a boolean");
  }

  // Adds the members of a map, or of a list of maps of which the first ones win. As in go-yaml, a
  // merged member replaces one that is before it.
  void Merge(int line, Value& map, const Value& from) {
    if (from.IsList()) {
      for (auto item = from.items.rbegin(); item != from.items.rend() && !error_; ++item) {
        MergeMap(line, map, **item);
      }
    } else {
      MergeMap(line, map, from);
    }
  }
  void MergeMap(int line, Value& map, const Value& from) {
    if (!from.IsMap()) return Fail(line, "<< needs a map or a list of maps");
    if (!Count(line, from.members.size())) return;
    for (Member member : from.members) {
      member.line = 0;  // merged: it may be given again
      map.members.push_back(std::move(member));
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
      if (!lines.emplace(member.key, member.line).second && map.repeated_line == 0) {
        map.repeated_key = member.key;
        map.repeated_line = member.line;
      }
    }
    std::vector<Member> kept;
    for (std::size_t i = 0; i < map.members.size(); ++i) {
      if (is_last[i]) kept.push_back(std::move(map.members[i]));
    }
    map.members = std::move(kept);
  }

  const int first_line_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, ValuePtr> anchors_;
  ValuePtr root_;
  std::size_t values_ = 0;
  std::optional<Error> error_;
  int error_line_ = 0;
};

// StartFinder finds the start of a document.
class StartFinder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { start = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*text*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}

  std::optional<YAML::Mark> start;
};

// Reports whether "---" is at `at`, or "..." on the line with text before it.
bool IsBoundary(std::string_view text, std::size_t at) {
  if (text.substr(std::min(at, text.size())).starts_with("---")) return true;
  const std::size_t last = text.substr(0, at).find_last_not_of(" \t\n");
  if (last == std::string_view::npos) return false;
  const std::string_view before = text.substr(0, last + 1);
  return before.substr(before.rfind('\n') + 1).starts_with("...");
}

// Reads the first document. yaml-cpp takes text that does not belong to it for another document.
void Read(const std::string& text, Builder& builder) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  parser.HandleNextDocument(builder);
  StartFinder next;
  try {
    parser.HandleNextDocument(next);
  } catch (const YAML::Exception&) {
    if (!next.start) throw;
  }
  if (next.start && !IsBoundary(text, static_cast<std::size_t>(next.start->pos))) {
    builder.FailAtRest(*next.start);
  }
}

// Returns yaml-cpp's message without the text that it quotes.
std::string Problem(const YAML::Exception& error) {
  return error.msg.substr(0, error.msg.find(':'));
}

}  // namespace

Expected<ValuePtr> Parse(std::string_view text, const std::string& name, int first_line) {
  const auto fail = [&](int line, const std::string& why) {
    return Err(ErrorReason::kInvalidArgument, FileAndLine(name, line) + ": " + why);
  };
  std::string utf8 = WithLineFeeds(ToUtf8(text));
  if (const auto bad = FindUnprintable(utf8)) {
    return fail(first_line + bad->line, "invalid YAML: " + bad->what);
  }
  const int last_line = static_cast<int>(std::count(utf8.begin(), utf8.end(), '\n'));
  const bool ends_line = utf8.ends_with('\n');
  // yaml-cpp closes a quoted scalar at the end of the text, but not at the end of a document.
  const std::string ended = utf8 + (ends_line ? "...\n" : "\n...\n");
  // A block scalar at the end of the text would get another line feed.
  const std::string& read = ends_line ? ended : utf8;
  Builder builder(first_line);
  try {
    if (!ends_line && utf8.find_first_of("'\"") != std::string::npos) {
      Builder ignored(first_line);
      Read(ended, ignored);
    }
    Read(read, builder);
  } catch (const YAML::Exception& error) {
    return fail(first_line + std::clamp(error.mark.line, 0, last_line),
                "invalid YAML: " + Problem(error));
  }
  auto root = builder.Take();
  if (!root) return fail(builder.error_line(), root.error().message);
  return root;
}

std::string FileAndLine(const std::string& path, int line) {
  return path + ":" + std::to_string(line);
}

}  // namespace capstan::clientgo::yaml
