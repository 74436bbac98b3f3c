// SPDX-License-Identifier: Apache-2.0
// What the author of a controller needs, with one include: kinds, the client, ControllerFor, the
// Manager and RunManager, and the names of other packages that such a program writes often.
// Mirrors controller-runtime's alias.go. The headers below it are there for programs that need less.
#pragma once

#include "capstan/client/client.h"
#include "capstan/client/conditions.h"
#include "capstan/client/consistency.h"
#include "capstan/client/controller_util.h"
#include "capstan/client/create_or_update.h"
#include "capstan/client/names.h"
#include "capstan/client/object_reference.h"
#include "capstan/client/patch.h"
#include "capstan/clientgo/util/log.h"
#include "capstan/clientgo/util/time.h"
#include "capstan/controller_runtime/builder.h"
#include "capstan/controller_runtime/controller.h"
#include "capstan/controller_runtime/manager.h"
#include "capstan/controller_runtime/predicate.h"
#include "capstan/kind/crd.h"
#include "capstan/kind/field.h"
#include "capstan/kind/int_or_string.h"
#include "capstan/kind/kind.h"
#include "capstan/kind/quantity.h"
#include "capstan/kind/typed_object.h"
#include "capstan/kind/unstructured.h"
#include "capstan/program/manager_program.h"
#include "capstan/webhook/builder.h"
#include "capstan/webhook/conversion.h"

namespace capstan {

using api::ObjectReference;
using rest::CallOptions;
using rest::DeleteOptions;
using rest::FieldValidation;
using rest::ListOptions;
using rest::PropagationPolicy;
using runtime::GroupKind;
using runtime::GroupVersion;
using runtime::GroupVersionKind;
using runtime::ObjectKey;
using webhook::AdmissionContext;
using webhook::ConversionFor;
using webhook::WebhookFor;

}  // namespace capstan
