// SPDX-License-Identifier: Apache-2.0
// Url is a URL as Go's net/url.ParseRequestURI accepts it and url.Parse splits it. Mirrors
// net/url/url.go. Differs: the texts of errors are Go's only for the most common mistakes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::cel {

struct Url {
  std::string text;
  std::string scheme = {};
  std::string host = {};  // with its port
  std::string escaped_path = {};
  std::string query = {};

  std::string Hostname() const;
  std::string Port() const;
  std::map<std::string, std::vector<std::string>> Query() const;
};

struct ParsedUrl {
  std::optional<Url> url;
  std::string error;
};

ParsedUrl ParseUrl(std::string_view text);
// Returns why a text is no URL for Go's ParseRequestURI, which reads no host in //host; "": it is
// one.
std::string WhyNoUrl(std::string_view text);

}  // namespace capstan::cel
