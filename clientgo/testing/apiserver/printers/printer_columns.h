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

PrinterColumn NameColumn(int priority = 0);
PrinterColumn AgeColumn();

// Return the columns of the built-in kinds.
std::vector<PrinterColumn> ApiServiceColumns();
std::vector<PrinterColumn> BindingColumns();  // of a RoleBinding or ClusterRoleBinding
std::vector<PrinterColumn> ConfigMapColumns();
std::vector<PrinterColumn> CreatedAtColumns();  // only the name and the time
std::vector<PrinterColumn> CronJobColumns();
std::vector<PrinterColumn> DaemonSetColumns();
std::vector<PrinterColumn> DeploymentColumns();
std::vector<PrinterColumn> EventColumns();
std::vector<PrinterColumn> JobColumns();
std::vector<PrinterColumn> LeaseColumns();
std::vector<PrinterColumn> NamespaceColumns();
std::vector<PrinterColumn> NewEventColumns();  // of events.k8s.io
std::vector<PrinterColumn> NodeColumns();
std::vector<PrinterColumn> OtherColumns();  // the name and the age
std::vector<PrinterColumn> PodColumns();
std::vector<PrinterColumn> ReplicaSetColumns();
std::vector<PrinterColumn> SecretColumns();
std::vector<PrinterColumn> ServiceColumns();
std::vector<PrinterColumn> StatefulSetColumns();
std::vector<PrinterColumn> TrustBundleColumns();
std::vector<PrinterColumn> WebhookColumns();

// Returns the columns of a version of a CustomResourceDefinition.
std::vector<PrinterColumn> CustomColumns(const runtime::JsonValue& version);

}  // namespace capstan::testing::apiserver
