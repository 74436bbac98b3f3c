// SPDX-License-Identifier: Apache-2.0
// Tables are the rows of `kubectl get`: a client requests a Table of meta.k8s.io instead of an
// object or a list. Mirrors k8s.io/apiserver/pkg/endpoints/handlers/response.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/form.h"
#include "clientgo/testing/apiserver/types/json.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

struct TableOptions {
  Form form = Form::kTable;
  std::string include_object = {};  // "", "Metadata", "Object" or "None": the object in each row
  bool headers = true;              // false: after the first event of a watch
  Json metadata = {};               // the table's own
};

// Returns the table with one row for each object. The objects are JSON.
Json TableJson(const Resource& resource, const std::vector<std::string_view>& objects,
               const TableOptions& options);

}  // namespace capstan::testing::apiserver
