// SPDX-License-Identifier: Apache-2.0
// The columns of a built-in kind as one text of its row in the table of kinds:
//
//   Name|Class=spec.ingressClassName?<none>|Ports!ports|Age|+VolumeMode=spec.volumeMode
//
// Each column has a name, an operator, a path to a field, and after '?' what is shown instead of a
// missing field. A '+' before the name means that only -o wide shows it. "Name" and "Age" need no
// more. The operators:
//
//   =  the field: a text, a number or a boolean
//   %  the field as a text, also if it is a number
//   #  an integer; 0 if it is missing
//   ^  a boolean; false if it is missing
//   ~  the same in a column of texts
//   @  how many items or members the field has
//   !  a function of kind_cells.h, with the name that follows
#pragma once

#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/printers/printer_columns.h"

namespace capstan::testing::apiserver {

// REQUIRES: `text` is a constant.
std::vector<PrinterColumn> ParseColumns(std::string_view text);

}  // namespace capstan::testing::apiserver
