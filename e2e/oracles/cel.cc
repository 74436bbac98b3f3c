// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "clientgo/cel/cost_estimate.h"
#include "clientgo/cel/object_value.h"
#include "clientgo/cel/program.h"
#include "clientgo/cel/schema.h"
#include "clientgo/cel/show_value.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "e2e/oracles/modes.h"

namespace e2e::oracles {
namespace {

namespace cel = capstan::cel;

// The beginnings of errors that the two programs compare.
constexpr std::array<std::string_view, 13> kCelErrorKinds = {
    "no such overload",           "no such key",
    "index out of bounds",        "index out of range",
    "division by zero",           "modulus by zero",
    "integer overflow",           "unsigned integer overflow",
    "duration overflow",          "timestamp overflow",
    "type conversion error",      "operation cancelled",
    "optional.none() dereference"};

// The schema of "self", which the Go program has too.
const cel::SchemaPtr& CelSchema() {
  static const cel::SchemaPtr schema = [] {
    std::ifstream file(CAPSTAN_CEL_SCHEMA);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    capstan::runtime::JsonDocument json;
    json.Parse(text.data(), text.size());
    return cel::ReadSchema(json);
  }();
  return schema;
}

std::string PlainLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c >= ' ' && c < 0x7f && c != '%') {
      line += c;
      continue;
    }
    std::array<char, 4> hex{};
    std::snprintf(hex.data(), hex.size(), "%%%02X", static_cast<unsigned char>(c));
    line += hex.data();
  }
  return line;
}

std::string ErrorKind(const std::string& message) {
  const auto* const kind =
      std::find_if(kCelErrorKinds.begin(), kCelErrorKinds.end(),
                   [&](std::string_view each) { return message.starts_with(each); });
  return std::string(kind == kCelErrorKinds.end() ? "other" : *kind);
}

}  // namespace

std::string EvaluateCel(std::string_view input) {
  static const auto type = cel::TypeOfSchema(CelSchema(), "selfType", false);
  const auto parts = Parts(input, 2);
  const auto program = cel::Program::Compile(parts[0], {{"self", type->type}});
  if (!program) return std::string(kRefused) + ": " + PlainLine(program.error());
  std::string error;
  const auto object = capstan::testing::apiserver::ParseJson(parts[1], &error);
  if (object == nullptr || !object->IsObject()) return "no object";
  const auto evaluation = program->Evaluate({{"self", cel::ValueOf(*object, *CelSchema())}});
  const cel::Value& value = evaluation.value;
  const std::string shown = PlainLine(cel::ShowValue(value, ErrorKind));
  const std::string most =
      "at most " + std::to_string(cel::EstimateCost(program->root(), *type)) + ", ";
  if (value.IsError()) return most + shown;
  return most + "cost " + std::to_string(evaluation.cost) + ": " + shown;
}

}  // namespace e2e::oracles
