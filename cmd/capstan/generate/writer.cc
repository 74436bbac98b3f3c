// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/generate/writer.h"

#include <set>
#include <vector>

#include "capstan/text.h"
#include "cmd/capstan/generate/names.h"

namespace capstan::cmd::generate {
namespace {

std::string NamespaceOf(const Version& version) {
  return NamespaceName(version.group) + "::" + NamespaceName(version.version);
}

void AddLines(std::string& to, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) to += line + "\n";
}

void AddField(std::string& to, const Field& field) {
  AddLines(to, Comment(field.description, "  "));
  to += "  " + field.type + " " + field.member + " = {};\n";
  for (const auto& [name, text] : field.constants) {
    to += "  static constexpr std::string_view " + name + " = " + Literal(text) + ";\n";
  }
}

// The lists and boxes of structs, of which the source has the code.
std::set<std::string> TemplatesOf(const Version& version) {
  std::set<std::string> templates;
  for (const Struct& made : version.structs) {
    for (const Field& field : made.fields) {
      for (std::string_view type = field.type; !type.empty();) {
        const std::size_t open = type.find('<');
        if (open == std::string_view::npos) break;
        const std::string_view outer = type.substr(0, open);
        if (outer == "List" || outer == "Boxed") {
          templates.insert(std::string(outer) + "<" + NamespaceOf(version) +
                           "::" + std::string(type.substr(open + 1, type.size() - open - 2)) + ">");
          break;
        }
        type = type.substr(open + 1, type.size() - open - 2);
        if (const std::size_t comma = type.find(", "); comma != std::string_view::npos) {
          type.remove_prefix(comma + 2);
        }
      }
    }
  }
  return templates;
}

std::string KindDeclaration(const Version& version) {
  std::string text = "template <>\ninline constexpr auto capstan::kKind<" + NamespaceOf(version) +
                     "::" + version.kind + "> =\n    capstan::Kind(" + Literal(version.group) +
                     ", " + Literal(version.version) + ", " + Literal(version.kind) + ", " +
                     Literal(version.plural) + ")\n        ." +
                     (version.namespaced ? "Namespaced()" : "ClusterScoped()") + ".Whole()";
  for (const Field& field : version.structs.back().fields) {
    if (field.json_name == "spec") text += ".Spec()";
    if (field.json_name == "status" && version.has_status) text += ".Status()";
  }
  return text + ";\n";
}

bool HasConstants(const Version& version) {
  for (const Struct& made : version.structs) {
    for (const Field& field : made.fields) {
      if (!field.constants.empty()) return true;
    }
  }
  return false;
}

std::string FileName(const Version& version) { return MemberName(version.kind); }

std::string Row(const Version& version, const Struct& owner, const Field& field) {
  const bool is_kind = &owner == &version.structs.back();
  const std::string arguments = owner.name + ", " + Literal(field.json_name) + ", " + field.member;
  if (is_kind && field.json_name == "metadata") return "CAPSTAN_PART(" + arguments + ", kMetadata)";
  if (is_kind && field.json_name == "spec") return "CAPSTAN_PART(" + arguments + ", kSpec)";
  if (is_kind && field.json_name == "status" && version.has_status) {
    return "CAPSTAN_PART(" + arguments + ", kStatus)";
  }
  return (field.required ? "CAPSTAN_REQUIRED(" : "CAPSTAN_FIELD(") + arguments + ")";
}

constexpr std::string_view kWrittenBy = "// Written by `capstan generate types`.\n";

}  // namespace

std::string HeaderPath(const Version& version) {
  return NamespaceName(version.group) + "/" + NamespaceName(version.version) + "/" +
         FileName(version) + ".h";
}

std::string HeaderText(const Version& version) {
  std::set<std::string> headers = version.headers;
  headers.insert({"\"capstan/detail/layout.h\"", "\"capstan/kind.h\""});
  headers.erase("");
  if (HasConstants(version)) headers.insert("<string_view>");
  std::string text(kWrittenBy);
  text += "#pragma once\n\n";
  for (const std::string& header : headers) {
    if (header.front() == '<') text += "#include " + header + "\n";
  }
  text += "\n";
  for (const std::string& header : headers) {
    if (header.front() == '"') text += "#include " + header + "\n";
  }
  text += "\nnamespace " + NamespaceOf(version) +
          " {\n\nusing capstan::Boxed;\nusing capstan::List;\n\n";
  for (const Struct& made : version.structs) {
    AddLines(text, Comment(made.description, ""));
    text += "struct " + made.name + " {\n";
    for (const Field& field : made.fields) AddField(text, field);
    text += "};\nbool operator==(const " + made.name + "& a, const " + made.name + "& b);\n" +
            "const capstan::detail::StructLayout& LayoutOf(const " + made.name + "*);\n\n";
  }
  text += "// The manifest that defines the kind, in JSON.\nstd::string_view DefinitionOf(const " +
          version.kind + "*);\n\n}  // namespace " + NamespaceOf(version) + "\n\n";
  for (const std::string& used : TemplatesOf(version)) {
    text += "extern template class capstan::" + used + ";\n";
  }
  return text + "\n" + KindDeclaration(version);
}

std::string SourceText(const Version& version, const std::string& definition) {
  std::string text(kWrittenBy);
  text += "#include \"" + FileName(version) +
          ".h\"\n\n#include \"capstan/generated.h\"\n\nnamespace " + NamespaceOf(version) +
          " {\n\n";
  for (const Struct& made : version.structs) {
    if (made.fields.empty()) {
      text += "CAPSTAN_EMPTY_LAYOUT(" + made.name + ")\n\n";
      continue;
    }
    text += "CAPSTAN_LAYOUT(" + made.name + ",";
    std::string separator = "\n    ";
    for (const Field& field : made.fields) {
      text += separator + Row(version, made, field);
      separator = ",\n    ";
    }
    text += ")\n\n";
  }
  text += "std::string_view DefinitionOf(const " + version.kind + "*) {\n  return " +
          Literal(definition) + ";\n}\n\n}  // namespace " + NamespaceOf(version) + "\n\n";
  for (const std::string& used : TemplatesOf(version)) {
    text += "template class capstan::" + used + ";\n";
  }
  return text;
}

}  // namespace capstan::cmd::generate
