// SPDX-License-Identifier: Apache-2.0
// What the author of a controller needs, with one include: kinds, the client, ControllerFor, the
// Manager and RunManager, and the names of other packages that such a program writes often.
// A program that needs less includes single headers instead. Mirrors controller-runtime's alias.go.
#pragma once

#include "capstan/api/object_reference.h"
#include "capstan/builder.h"
#include "capstan/client.h"
#include "capstan/conditions.h"
#include "capstan/consistency.h"
#include "capstan/controller.h"
#include "capstan/controller_util.h"
#include "capstan/crd.h"
#include "capstan/create_or_update.h"
#include "capstan/error.h"
#include "capstan/field.h"
#include "capstan/int_or_string.h"
#include "capstan/kind.h"
#include "capstan/log.h"
#include "capstan/manager.h"
#include "capstan/manager_program.h"
#include "capstan/patch.h"
#include "capstan/predicate.h"
#include "capstan/quantity.h"
#include "capstan/time.h"
#include "capstan/typed_object.h"
#include "capstan/unstructured.h"
#include "capstan/webhook/builder.h"
#include "capstan/webhook/conversion.h"

namespace capstan {

using api::ObjectReference;
using rest::CallOptions;
using rest::DeleteOptions;
using rest::FieldValidation;
using rest::ListOptions;
using rest::PropagationPolicy;
using rest::WriteOptions;
using runtime::GroupKind;
using runtime::GroupVersion;
using runtime::GroupVersionKind;
using runtime::ObjectKey;
using webhook::AdmissionContext;
using webhook::ConversionFor;
using webhook::WebhookFor;

}  // namespace capstan
