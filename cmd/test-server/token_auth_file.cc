// SPDX-License-Identifier: Apache-2.0
#include "cmd/test-server/token_auth_file.h"

#include <string_view>
#include <utility>
#include <vector>

#include "capstan/file.h"
#include "capstan/text.h"

namespace capstan::cmd::test_server {
namespace {

using Record = std::vector<std::string>;

// Returns the records of a CSV text. Two quotes in a quoted column are one quote.
std::vector<Record> ParseCsv(std::string_view text) {
  std::vector<Record> records;
  Record record;
  std::string column;
  bool quoted = false;
  const auto end_record = [&] {
    const bool empty = record.empty() && column.empty();
    if (!empty) record.push_back(std::exchange(column, {}));
    if (!empty) records.push_back(std::exchange(record, {}));
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && text.substr(i + 1).starts_with('"')) {
      column += text[i++];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      record.push_back(std::exchange(column, {}));
    } else if (c == '\n' && !quoted) {
      end_record();
    } else if (c != '\r' || quoted) {
      column += c;
    }
  }
  end_record();
  return records;
}

}  // namespace

Expected<void> AddTokens(const std::string& file, testing::apiserver::Options& server) {
  if (file.empty()) return {};
  const auto text = ReadFile(file);
  if (!text) return Err(text.error().Wrap("--token-auth-file"));
  for (Record& record : ParseCsv(*text)) {
    if (record.size() < 3) {
      return Err(ErrorReason::kInvalidArgument,
                 "token file '" + file +
                     "' must have at least 3 columns (token, user name, user uid), found " +
                     std::to_string(record.size()));
    }
    if (record[0].empty()) continue;
    const std::string& user = server.tokens[record[0]] = record[1];
    server.uids[user] = record[2];
    auto& groups = server.groups[user];
    groups.clear();
    if (record.size() < 4) continue;
    for (const std::string_view group : Split(record[3], ',')) groups.emplace_back(group);
  }
  return {};
}

}  // namespace capstan::cmd::test_server
