// SPDX-License-Identifier: Apache-2.0
// The simple rules of a built-in kind as one text of its row in the table of kinds:
//
//   spec.attacher! spec.attacher~ spec.policies[]=Ingress,Egress
//
// Each rule has the path of a field, with "[]" for each item of a list, and an operator:
//
//   !     the field is required and not empty
//   =A,B  a text that is given is one of these; they are in the order of the error text
//   +     a number is not negative
//   >     a number is given and greater than 0
//   $     a text that is given is a DNS subdomain
//   :     a text that is given is a DNS label
//   ?     a label selector is valid
//   ~     the field does not change
#pragma once

#include <string_view>

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

// REQUIRES: `text` is a constant.
void CheckRules(std::string_view text, const Place& object, FieldRules& rules);
// Checks only the rules about changes.
void CheckRulesOfUpdate(std::string_view text, const Place& live, const Place& next,
                        FieldRules& rules);

}  // namespace capstan::testing::apiserver
