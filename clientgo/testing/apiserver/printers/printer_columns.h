// SPDX-License-Identifier: Apache-2.0
// PrinterColumns are the columns that `kubectl get` shows of a kind: those of built-in kinds, and
// the additionalPrinterColumns of a CustomResourceDefinition. Mirrors
// k8s.io/kubernetes/pkg/printers/internalversion/printers.go, and the tableconvertor of
// k8s.io/apiextensions-apiserver. Differs: columns of built-in kinds have no description.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/resources.h"

namespace capstan::testing::apiserver {

struct PrinterColumn {
  std::string name = {};
  std::string type = {};
  std::string format = {};
  std::string description = {};
  int priority = 0;  // above 0: only with -o wide
  // Returns the JSON of the cell.
  std::function<std::string(const runtime::JsonValue& object)> cell = {};
};

// Returns the columns of a resource. The reference is valid as long as the resource.
const std::vector<PrinterColumn>& ColumnsOf(const Resource& resource);

PrinterColumn NameColumn();
// Returns the columns of a version of a CustomResourceDefinition.
std::vector<PrinterColumn> CustomColumns(const runtime::JsonValue& version);

}  // namespace capstan::testing::apiserver
