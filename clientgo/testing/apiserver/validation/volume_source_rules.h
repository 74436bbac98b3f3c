// SPDX-License-Identifier: Apache-2.0
// The rules of types of volumes that Pods and PersistentVolumes share. What must not be empty is in
// their tables. Mirrors a part of k8s.io/kubernetes/pkg/apis/core/validation.
#pragma once

#include <string_view>

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

void CheckHostPath(const Place& source, FieldRules& rules);
void CheckPartition(const Place& source, FieldRules& rules);
void CheckNfs(const Place& source, FieldRules& rules);
// `no_prefix` is the error of a name that has none of the three prefixes.
void CheckIscsi(const Place& source, std::string_view no_prefix, FieldRules& rules);
void CheckFlocker(const Place& source, FieldRules& rules);
void CheckQuobyte(const Place& source, FieldRules& rules);
void CheckFibreChannel(const Place& source, FieldRules& rules);
void CheckFlexOptions(const Place& source, FieldRules& rules);
void CheckAzureDisk(const Place& source, FieldRules& rules);

}  // namespace capstan::testing::apiserver
