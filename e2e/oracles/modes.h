// SPDX-License-Identifier: Apache-2.0
// The modes of capstan_oracle. Each answers one input with one line that shows everything that
// users could see of what the library makes of it. peer/ has the same modes in Go.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/runtime/json_value.h"

namespace e2e::oracles {

// The answer for an input that the library refuses.
inline constexpr std::string_view kRefused = "refused";

// Returns kRefused, with the cause if Go ignores it.
std::string RefusalOf(const capstan::Error& error);
// Returns the parts of an input with several, which NUL bytes separate; always `count`.
std::vector<std::string> Parts(std::string_view input, std::size_t count);
// Returns the value as one line of JSON that tells int64 and other numbers apart, as 1 and 1.0.
std::string TypedJson(const capstan::runtime::JsonValue& value);
// Returns the text with %XX instead of every byte that an answer does not show.
std::string Plain(std::string_view text);

std::string ParseYaml(std::string_view input);
std::string ParseJson(std::string_view input);

std::string ReadKubeconfig(std::string_view input);
std::string ReadExecCredential(std::string_view input);

std::string ReadPem(std::string_view input);
std::string VerifyCertificate(std::string_view input);

std::string ChooseProxy(std::string_view input);
std::string ParseServerUrl(std::string_view input);

// The embedded API server and CA injection must agree.
std::string ParseLabelSelector(std::string_view input);
std::string ReadSelectorOfKind(std::string_view input);
std::string ParseFieldSelector(std::string_view input);

std::string ApplyConfigurations(std::string_view input);
std::string ApplyJsonPatch(std::string_view input);
std::string ApplyMergePatch(std::string_view input);
std::string ApplyStrategicPatch(std::string_view input);

std::string EvaluateCel(std::string_view input);

std::string ValidateSchema(std::string_view input);

std::string ReadProtobuf(std::string_view input);
std::string ReadKind(std::string_view input);

std::string ParseQuantity(std::string_view input);
std::string ParseDuration(std::string_view input);
std::string ParseTime(std::string_view input);

}  // namespace e2e::oracles
