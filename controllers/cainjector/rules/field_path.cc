// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/field_path.h"

#include <cstddef>

#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::cainjector {
namespace {

constexpr std::string_view kEach = "[*]";
constexpr std::size_t kBytesMax = 256;

bool IsLetter(char c) { return IsAsciiLetter(c) || c == '_'; }
bool IsNameByte(char c) { return IsLetter(c) || IsAsciiDigit(c) || c == '-'; }

tl::unexpected<Error> Bad(std::string_view text, std::size_t position, const std::string& why) {
  return Err(ErrorReason::kInvalidArgument, "field path " + Quoted(text) + ", position " +
                                                std::to_string(position + 1) + ": " + why);
}

}  // namespace

std::string FieldPath::String() const {
  return Join(steps, ".",
              [](const Step& step) { return step.name + std::string(step.each ? kEach : ""); });
}

std::vector<std::string> FieldPath::Names() const {
  std::vector<std::string> names;
  names.reserve(steps.size());
  for (const Step& step : steps) names.push_back(step.name);
  return names;
}

Expected<FieldPath> ParseFieldPath(std::string_view text) {
  if (text.size() > kBytesMax) {
    return Err(ErrorReason::kInvalidArgument,
               "a field path has at most " + std::to_string(kBytesMax) + " characters");
  }
  FieldPath path;
  std::size_t at = 0;
  for (;;) {
    const std::size_t start = at;
    if (at == text.size() || !IsLetter(text[at])) return Bad(text, at, "expected a field name");
    while (at < text.size() && IsNameByte(text[at])) ++at;
    path.steps.push_back({.name = std::string(text.substr(start, at - start))});
    if (text.substr(at).starts_with(kEach)) {
      path.steps.back().each = true;
      at += kEach.size();
    }
    if (at == text.size()) break;
    if (text[at] == '[' && !path.steps.back().each) {
      return Bad(text, at, "expected [*]; a single element cannot be selected");
    }
    if (text[at] != '.') return Bad(text, at, R"(expected "." or "[*]")");
    ++at;
  }
  if (path.steps.back().each) {
    return Bad(text, text.size() - kEach.size(), "the last field must be a string, not an array");
  }
  const std::string& first = path.steps.front().name;
  if (path.steps.size() < 2 || first == "metadata" || first == "status") {
    return Bad(text, 0, "expected a field below spec or another part that users write");
  }
  return path;
}

}  // namespace capstan::cainjector
