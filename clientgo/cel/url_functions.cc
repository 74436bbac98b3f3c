// SPDX-License-Identifier: Apache-2.0
// The functions of URLs. Mirrors Kubernetes' cel/library/urls.go.
#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/cel/functions.h"
#include "clientgo/cel/url.h"

namespace capstan::cel {
namespace {

class UrlValue : public Opaque {
 public:
  explicit UrlValue(Url given) : url(std::move(given)) {}
  std::string_view type_name() const override { return "kubernetes.URL"; }
  bool Equals(const Opaque& other) const override {
    return url.text == static_cast<const UrlValue&>(other).url.text;
  }
  Url url;
};

const Url& UrlOf(Arguments args) { return static_cast<const UrlValue*>(args[0].opaque())->url; }

Value MakeUrl(Arguments args) {
  auto parsed = ParseUrl(*args[0].Get<std::string>());
  if (!parsed.url) {
    return Value::Failure("URL parse error during conversion from string: " + parsed.error);
  }
  return Value::Of(std::make_shared<const UrlValue>(*std::move(parsed.url)));
}
Value IsUrl(Arguments args) { return Value::Bool(WhyNoUrl(*args[0].Get<std::string>()).empty()); }
Value SchemeOfUrl(Arguments args) { return Value::String(UrlOf(args).scheme); }
Value HostOfUrl(Arguments args) { return Value::String(UrlOf(args).host); }
Value HostnameOfUrl(Arguments args) { return Value::String(UrlOf(args).Hostname()); }
Value PortOfUrl(Arguments args) { return Value::String(UrlOf(args).Port()); }
Value PathOfUrl(Arguments args) { return Value::String(UrlOf(args).escaped_path); }
Value QueryOfUrl(Arguments args) {
  MapBuilder builder;
  for (auto& [key, values] : UrlOf(args).Query()) {
    builder.Insert(Value::String(key), NewStringList(values));
  }
  return builder.Finish();
}

constexpr std::array kUrlRows = std::to_array<OverloadRow>({
    {"url", "string -> kubernetes.URL", MakeUrl},
    {"isURL", "string -> bool", IsUrl},
    {"getScheme", ". kubernetes.URL -> string", SchemeOfUrl},
    {"getHost", ". kubernetes.URL -> string", HostOfUrl},
    {"getHostname", ". kubernetes.URL -> string", HostnameOfUrl},
    {"getPort", ". kubernetes.URL -> string", PortOfUrl},
    {"getEscapedPath", ". kubernetes.URL -> string", PathOfUrl},
    {"getQuery", ". kubernetes.URL -> map(string, list(string))", QueryOfUrl},
});

}  // namespace

std::span<const OverloadRow> UrlRows() { return kUrlRows; }

}  // namespace capstan::cel
