// SPDX-License-Identifier: Apache-2.0
// The C++ types of the versions of CustomResourceDefinitions.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/runtime/json_value.h"

namespace capstan::cmd::generate {

struct Field {
  std::string json_name = {};
  std::string member = {};
  std::string type = {};  // in C++
  std::string description = {};
  bool required = false;
  // The texts that the field may have, with the names of their constants.
  std::vector<std::pair<std::string, std::string>> constants = {};
};

struct Struct {
  std::string name = {};
  std::string description = {};
  std::vector<Field> fields = {};
};

// Version is one version of one definition.
struct Version {
  std::string group = {};
  std::string version = {};
  std::string kind = {};
  std::string plural = {};
  bool namespaced = true;
  bool has_status = false;           // the subresource
  std::vector<Struct> structs = {};  // each after those that it contains; the last one is the kind
  std::set<std::string> headers = {};  // that the types need: "<string>", "\"capstan/time.h\""
  // What a struct does not keep, and where: "spec.template: has fields that are not declared".
  std::vector<std::string> notes = {};
};

struct Definition {
  std::vector<Version> versions = {};
  std::string json = {};  // the whole manifest
};

// Reads a CustomResourceDefinition of apiextensions.k8s.io/v1. kInvalidArgument: it is none.
Expected<Definition> ReadDefinition(const runtime::JsonValue& manifest);

}  // namespace capstan::cmd::generate
