// SPDX-License-Identifier: Apache-2.0
#include "capstan/cert/pem.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "capstan/base64.h"

namespace capstan::cert {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "\n-----END ";
constexpr std::string_view kDashes = "-----";

void Wipe(std::string& bytes) { explicit_bzero(bytes.data(), bytes.size()); }

struct Line {
  std::string_view text;     // without white space at its end
  std::size_t consumed = 0;  // with the newline
};

Line FirstLine(std::string_view data) {
  const std::size_t newline = data.find('\n');
  std::string_view text = data.substr(0, newline);
  const bool whole = newline != std::string_view::npos;
  if (whole && text.ends_with('\r')) text.remove_suffix(1);
  const std::size_t last = text.find_last_not_of(" \t");
  return {.text = text.substr(0, last == std::string_view::npos ? 0 : last + 1),
          .consumed = whole ? newline + 1 : data.size()};
}

std::optional<std::string> DecodeBody(std::string_view body) {
  if (body.find_first_of(" \t") == std::string_view::npos) return Base64Decode(body);
  std::string dense;
  dense.reserve(body.size());
  std::copy_if(body.begin(), body.end(), std::back_inserter(dense),
               [](char c) { return c != ' ' && c != '\t'; });
  auto bytes = Base64Decode(dense);
  Wipe(dense);
  return bytes;
}

// Found is the result of one attempt to read the block that ends at an END line.
enum class Found { kBlock, kBadBlock, kNothingMore };

// Reads the block whose label begins at `cursor` and whose END line begins at `end`. `cursor` is
// where the next attempt must not go back to.
Found ReadBlock(std::string_view text, std::size_t& cursor, std::size_t end, PemBlock& block) {
  const Line first = FirstLine(text.substr(cursor));
  cursor += first.consumed;
  if (!first.text.ends_with(kDashes)) return Found::kBadBlock;
  block.label = first.text.substr(0, first.text.size() - kDashes.size());
  for (;;) {  // the headers may pass the END line
    if (cursor == text.size()) return Found::kNothingMore;
    const Line line = FirstLine(text.substr(cursor));
    if (line.text.find(':') == std::string_view::npos) break;
    block.has_headers = true;
    cursor += line.consumed;
  }
  if (block.has_headers && cursor > end) return Found::kBadBlock;
  std::string_view trailer = text.substr(end + kEnd.size());
  if (!trailer.starts_with(block.label)) return Found::kBadBlock;
  trailer.remove_prefix(block.label.size());
  if (!trailer.starts_with(kDashes)) return Found::kBadBlock;
  trailer.remove_prefix(kDashes.size());
  if (!FirstLine(trailer).text.empty()) return Found::kBadBlock;
  if (cursor >= end) return Found::kBlock;  // it is empty
  auto bytes = DecodeBody(text.substr(cursor, end - cursor));
  if (!bytes) return Found::kBadBlock;
  block.bytes = *std::move(bytes);
  return Found::kBlock;
}

}  // namespace

PemBlock::~PemBlock() { Wipe(bytes); }

// Each attempt looks for an END line first, and begins behind that of the one before. So the work
// is proportional to the text, also when it has many BEGIN lines.
std::optional<PemBlock> PemReader::Next() {
  std::size_t from = position_;
  for (;;) {
    const std::size_t end = text_.find(kEnd, from);
    if (end == std::string_view::npos) return std::nullopt;
    const std::size_t behind = end + kEnd.size();
    const std::size_t begin = text_.substr(from, end - from).rfind(kBegin);
    if (begin == std::string_view::npos || (begin > 0 && text_[from + begin - 1] != '\n')) {
      from = behind;
      continue;
    }
    std::size_t cursor = from + begin + kBegin.size();
    PemBlock block;
    block.skipped = text_.substr(position_, from + begin - position_);
    const Found found = ReadBlock(text_, cursor, end, block);
    if (found == Found::kBlock) {
      const std::size_t last_line = end + 1;
      position_ = last_line + FirstLine(text_.substr(last_line)).consumed;
      return block;
    }
    if (found == Found::kNothingMore || cursor > behind) return std::nullopt;
    from = behind;
  }
}

bool HasBrokenBlock(std::string_view skipped) {
  while (!skipped.empty()) {
    if (skipped.starts_with(kBegin)) return true;
    skipped.remove_prefix(std::min(skipped.find('\n'), skipped.size() - 1) + 1);
  }
  return false;
}

std::string EncodePem(std::string_view label, std::string_view bytes) {
  constexpr std::size_t kColumns = 64;
  const std::string body = Base64Encode(bytes);
  std::string text = std::string(kBegin) + std::string(label) + "-----\n";
  for (std::size_t at = 0; at < body.size(); at += kColumns) {
    text += body.substr(at, kColumns);
    text += '\n';
  }
  return text + std::string(kEnd.substr(1)) + std::string(label) + "-----\n";
}

}  // namespace capstan::cert
