// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/controller_util.h"
#include "capstan/runtime/parsed_json.h"
#include "clientgo/kinds/testing/all_kinds.h"
#include "e2e/oracles/modes.h"

namespace e2e::oracles {
namespace {

using Reader = std::string (*)(const std::string& json);

template <class T>
std::string Read(const std::string& json) {
  const auto object = capstan::FromJson<T>(json);
  return object ? capstan::ToJson(**object) : RefusalOf(object.error());
}

// By apiVersion and kind.
const std::map<std::pair<std::string, std::string>, Reader>& Readers() {
  static const auto readers = [] {
    std::map<std::pair<std::string, std::string>, Reader> made;
    capstan::api::ForEachKind([&]<class T>() {
      const auto& info = capstan::kKind<T>.info();
      made[{capstan::detail::ApiVersionOf(info), std::string(info.kind)}] = &Read<T>;
    });
    return made;
  }();
  return readers;
}

}  // namespace

std::string ReadKind(std::string_view input) {
  const auto parsed = capstan::runtime::ParsedJson::Parse(input);
  if (!parsed || !capstan::runtime::IsJsonObject(parsed->root())) return std::string(kRefused);
  const auto found =
      Readers().find({std::string(capstan::runtime::GetString(parsed->root(), "apiVersion")),
                      std::string(capstan::runtime::GetString(parsed->root(), "kind"))});
  return found == Readers().end() ? std::string(kRefused) : found->second(std::string(input));
}

}  // namespace e2e::oracles
