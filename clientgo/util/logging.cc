// SPDX-License-Identifier: Apache-2.0
#include "capstan/logging.h"

#include <glog/logging.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "capstan/text.h"

namespace capstan {
namespace {

// Returns the length of the valid UTF-8 sequence at the start, or 0.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::size_t length = 0;
  unsigned char low = 0x80;   // bounds of the second byte: no overlong forms, no surrogates,
  unsigned char high = 0xbf;  // nothing above U+10FFFF
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  }
  if (length == 0 || text.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  return length;
}

void AppendJsonString(std::string& out, std::string_view text) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  out += '"';
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    const char c = text.front();
    if (length == 0) {
      out += kReplacement;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      std::array<char, 7> escaped{};
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(c));
      out += escaped.data();
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

// Removes and returns the output of AppendQuoted at the start of `text`.
std::optional<std::string> TakeQuoted(std::string_view& text) {
  if (text.empty() || text.front() != '"') return std::nullopt;
  std::string value;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return value;
    }
    if (text[i] != '\\') {
      value += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    if (text[i] == 'n') {
      value += '\n';
    } else if (text[i] == 't') {
      value += '\t';
    } else if (text[i] == 'x') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      value += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      value += text[i];
    }
  }
  return std::nullopt;
}

// Reports whether this is true, false, or a number of std::to_string except nan and inf.
bool IsJsonLiteral(std::string_view text) {
  if (text == "true" || text == "false") return true;
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  const std::size_t dot = text.find('.');
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::string_view whole = text.substr(0, dot);
  if (!digits(whole) || (whole.size() > 1 && whole.front() == '0')) return false;
  return dot == std::string_view::npos || digits(text.substr(dot + 1));
}

struct Member {
  std::string key;
  std::string value;
  bool literal = false;  // written without quotes
};

// Returns nullopt when the text is not from Kv.
std::optional<std::vector<Member>> ParseKv(std::string_view text) {
  std::vector<Member> members;
  auto message = TakeQuoted(text);
  if (!message) return std::nullopt;
  members.push_back({"msg", *std::move(message)});
  while (!text.empty()) {
    const std::size_t equals = text.find('=');
    if (text.front() != ' ' || equals == std::string_view::npos) return std::nullopt;
    Member member{.key = std::string(text.substr(1, equals - 1)), .value = {}};
    text.remove_prefix(equals + 1);
    if (!text.empty() && text.front() == '"') {
      auto value = TakeQuoted(text);
      if (!value) return std::nullopt;
      member.value = *std::move(value);
    } else {
      const std::size_t end = text.find(' ');
      member.value = text.substr(0, end);
      member.literal = IsJsonLiteral(member.value);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end);
    }
    members.push_back(std::move(member));
  }
  return members;
}

class JsonSink final : public google::LogSink {
 public:
  using google::LogSink::send;
  void send(google::LogSeverity severity, const char* /*full_filename*/, const char* base_filename,
            int line, const google::LogMessageTime& time, const char* message,
            std::size_t size) override {
    std::string text =
        ToJson({.severity = google::GetLogSeverityName(severity),
                .microseconds = std::int64_t{time.timestamp()} * 1'000'000 + time.usec(),
                .file = base_filename,
                .line = line,
                .text = std::string_view(message, size)});
    text += '\n';
    std::string_view rest = text;
    while (!rest.empty()) {
      const ssize_t written = write(STDERR_FILENO, rest.data(), rest.size());
      if (written <= 0) return;  // stderr is closed, so the error cannot be reported
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }
};

}  // namespace

void AppendQuoted(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xfU];
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string Quoted(std::string_view text) {
  std::string out;
  AppendQuoted(out, text);
  return out;
}

std::string ToJson(const LogLine& line) {
  std::array<char, 40> time{};
  std::snprintf(time.data(), time.size(), "%lld.%03lld",
                static_cast<long long>(line.microseconds / 1000),
                static_cast<long long>(line.microseconds % 1000));
  std::string out = "{\"ts\":" + std::string(time.data()) + ",\"severity\":";
  AppendJsonString(out, line.severity);
  out += ",\"caller\":";
  AppendJsonString(out, std::string(line.file) + ":" + std::to_string(line.line));
  std::set<std::string> taken = {"ts", "severity", "caller"};
  auto members = ParseKv(line.text);
  if (!members) members = {{"msg", std::string(line.text)}};
  for (const Member& member : *members) {
    std::string key = member.key;
    for (int n = 2; !taken.insert(key).second; ++n) key = member.key + "_" + std::to_string(n);
    out += ',';
    AppendJsonString(out, key);
    out += ':';
    if (member.literal) {
      out += member.value;
    } else {
      AppendJsonString(out, member.value);
    }
  }
  return out + "}";
}

void LogJson() {
  static JsonSink sink;
  google::AddLogSink(&sink);
  // Turns off glog's files, and its text on stderr for all severities.
  for (int severity = google::GLOG_INFO; severity < google::NUM_SEVERITIES; ++severity) {
    google::SetLogDestination(severity, "");
  }
  FLAGS_logtostderr = false;
  FLAGS_stderrthreshold = google::NUM_SEVERITIES;
}

}  // namespace capstan
