// SPDX-License-Identifier: Apache-2.0
// The grammar of names, label keys and values, and keys of data: what is wrong with a text, in the
// words of the real API server; no words: it is fine. Pure functions.
// Mirrors k8s.io/apimachinery/pkg/util/validation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace apiserver {

// "a.b-c": the names of nearly all objects.
std::vector<std::string> SubdomainErrors(std::string_view text);
// "example.com/My_Name": keys of labels and annotations, finalizers.
std::vector<std::string> QualifiedNameErrors(std::string_view text);
std::vector<std::string> LabelValueErrors(std::string_view text);
// A key of a ConfigMap's or Secret's data.
std::vector<std::string> ConfigKeyErrors(std::string_view text);

}  // namespace apiserver
