// SPDX-License-Identifier: Apache-2.0
// Reading and stamping the metadata of a document. Pure functions; internal to the registry.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/json_edit.h"

namespace apiserver {

std::string NowText();  // metav1.Time
// A string of metadata; empty when missing.
std::string_view Metadata(const JsonValue& object, std::string_view key);
// An empty value removes the member.
void SetMetadata(JsonDocument& object, std::string_view key, std::string_view value);
// Copies a member of metadata that no client may change.
void KeepMetadata(const JsonDocument& from, JsonDocument& to, std::string_view key);
void KeepMember(const JsonDocument& from, JsonDocument& to, std::string_view key);
std::int64_t Generation(const JsonValue& object);
void SetGeneration(JsonDocument& object, std::int64_t generation);
bool HasFinalizers(const JsonValue& object);
void AddFinalizer(JsonDocument& object, std::string_view finalizer);  // unless it has it

}  // namespace apiserver
