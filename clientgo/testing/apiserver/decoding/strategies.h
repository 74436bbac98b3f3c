// SPDX-License-Identifier: Apache-2.0
// What the server sets in new and changed objects of built-in kinds, to which the table of kinds
// refers. No field manager owns it. Mirrors PrepareForCreate and PrepareForUpdate of the strategies
// in k8s.io/kubernetes/pkg/registry.
#pragma once

#include <string_view>

#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

// A ServiceAccount keeps only the names of its Secrets.
void CleanSecretReferences(runtime::JsonDocument& account);
void CleanSecretReferencesOfUpdate(const runtime::JsonValue& live, runtime::JsonDocument& account);

// Set the first phase of a new object, and the finalizer of a Namespace.
void ActivateNamespace(runtime::JsonDocument& ns);
// A Namespace whose update clears its phase is active.
void ActivateUpdatedNamespace(const runtime::JsonValue& live, runtime::JsonDocument& ns);
void MakePodPending(runtime::JsonDocument& pod);
void MakeClaimPending(runtime::JsonDocument& claim);
void NameDataSourceOfUpdate(const runtime::JsonValue& live, runtime::JsonDocument& claim);
void MakeVolumePending(runtime::JsonDocument& volume);
// A PersistentVolume has the time of the last change of its phase.
void StampPhaseOfVolume(const runtime::JsonValue& live, runtime::JsonDocument& volume);

// Returns the quality of service of a Pod with this spec.
std::string_view QualityOfService(const runtime::JsonValue& spec);
// A Pod keeps the quality of service that it was created with.
void KeepQualityOfService(const runtime::JsonValue& live, runtime::JsonDocument& pod);

// Keeps the spec of a CertificateSigningRequest, and sets the times of its conditions that lack
// them. Only its subresources change them.
void PrepareSigningRequest(const runtime::JsonValue& live, runtime::JsonDocument& request);

// Selects a new Job's Pods by its uid, unless the user selects them.
void SelectPodsOfJob(runtime::JsonDocument& job);

// Counts the changes of a DaemonSet's template in an annotation, as the first versions of its API
// did in a field.
inline constexpr const char* kTemplateGeneration = "deprecated.daemonset.template.generation";
void CountTemplate(runtime::JsonDocument& set);
void CountTemplateChange(const runtime::JsonValue& live, runtime::JsonDocument& set);

}  // namespace capstan::testing::apiserver
