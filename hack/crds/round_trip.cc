// SPDX-License-Identifier: Apache-2.0
// round_trip reads objects, one line of JSON each, into their generated types, and prints what it
// writes of each; "error: TEXT" for an object that it cannot read. kinds.inc, which run.py writes,
// has the headers and HAS_KIND(type) for each kind.
#include <iostream>
#include <map>
#include <string>
#include <utility>

#include "capstan/controller_util.h"
#include "capstan/runtime/parsed_json.h"
#include "capstan/typed_object.h"
#include "headers.inc"

namespace {

using Function = std::string (*)(const std::string& json);

template <class T>
std::string Repeat(const std::string& json) {
  const auto object = capstan::FromJson<T>(json);
  if (!object) return "error: " + object.error().message;
  return capstan::ToJson(**object);
}

std::map<std::pair<std::string, std::string>, Function> Functions() {
  std::map<std::pair<std::string, std::string>, Function> functions;
  const auto add = [&]<class T>(const T*) {
    const auto& info = capstan::kKind<T>.info();
    functions[{capstan::detail::ApiVersionOf(info), std::string(info.kind)}] = &Repeat<T>;
  };
#define HAS_KIND(type) add(static_cast<const type*>(nullptr));
#include "kinds.inc"
  return functions;
}

}  // namespace

int main() {
  const auto functions = Functions();
  for (std::string line; std::getline(std::cin, line);) {
    const auto parsed = capstan::runtime::ParsedJson::Parse(line);
    if (!parsed) return 1;
    const auto found =
        functions.find({std::string(capstan::runtime::GetString(parsed->root(), "apiVersion")),
                        std::string(capstan::runtime::GetString(parsed->root(), "kind"))});
    std::cout << (found == functions.end() ? "error: unknown kind" : found->second(line)) << '\n';
  }
}
