// SPDX-License-Identifier: Apache-2.0
// Names in generated C++. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace capstan::cmd::generate {

// Returns the name of a member: "podIPs" is pod_ips, "default" is default_.
std::string MemberName(std::string_view json_name);

// Returns a name in CamelCase: "issuer-ref" is IssuerRef. It begins with a letter.
std::string TypeName(std::string_view json_name);

// Returns the namespace of a group or a version: "cert-manager.io" is cert_manager_io.
std::string NamespaceName(std::string_view name);

// Returns a string literal. A long text is several of them.
std::string Literal(std::string_view text);

// Returns `text` as lines of a comment of at most 100 columns.
std::vector<std::string> Comment(std::string_view text, std::string_view indent);

}  // namespace capstan::cmd::generate
