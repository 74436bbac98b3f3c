// SPDX-License-Identifier: Apache-2.0
// Sources and targets as an API server takes them, valid on a real one too. What has a namespace is
// in "ns". Pure functions. Tests only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controllers/cainjector/targets/target.h"

namespace controllers::cainjector {

using Annotations = std::vector<std::pair<std::string_view, std::string>>;

// The Secret ns/<name>, with ca.crt and these annotations.
std::string StoredSecret(const std::string& ca_crt, const std::string& name = "ca",
                         const Annotations& annotations = {
                             {"cert-manager.io/allow-direct-injection", "true"}});
// The Secret that cert-manager keeps for the Certificate ns/<certificate>.
std::string StoredCertificateSecret(const std::string& ca_crt, const std::string& certificate,
                                    const std::string& name);
std::string StoredCertificate(const std::string& name, const std::string& secret_name);
std::string StoredConfigMap(const std::string& name, bool labelled, const std::string& data_key,
                            const std::string& value);
// A target called `name`, in its kind's way, with `bundle` in every place: a webhook configuration
// has one webhook with a url, and one with a service.
std::string StoredTarget(const Target& target, const std::string& name,
                         const Annotations& annotations, const std::string& bundle = "");
// The name of that object: "name", "v1.name.example.com", "names.example.com".
std::string TargetName(const Target& target, const std::string& name);

}  // namespace controllers::cainjector
