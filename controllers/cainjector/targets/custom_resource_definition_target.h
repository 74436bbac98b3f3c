// SPDX-License-Identifier: Apache-2.0
// CustomResourceDefinitions as Targets: the bundle of the conversion webhook. Only those with the
// strategy Webhook have a place for one.
//
// CRDs are large and many, and few have a conversion webhook, so their metadata is cached and the
// annotated ones are fetched. Immutable, shared by all; mirrors crdConversionTarget of
// cert-manager's pkg/controller/cainjector/injectors.go. Differs: upstream holds every CRD whole,
// and sends an empty write to those with nothing to inject into.
#pragma once

#include "controllers/cainjector/targets/target.h"

namespace controllers::cainjector {

const Target& CustomResourceDefinitionTarget();

}  // namespace controllers::cainjector
