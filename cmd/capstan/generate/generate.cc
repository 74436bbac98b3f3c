// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/generate/generate.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include "capstan/file.h"
#include "capstan/runtime/parsed_json.h"
#include "cmd/capstan/generate/model.h"
#include "cmd/capstan/generate/writer.h"

namespace capstan::cmd::generate {
namespace {

Error Invalid(const clientcmd::Manifest& manifest, const std::string& what) {
  return {.reason = ErrorReason::kInvalidArgument, .message = manifest.where + ": " + what};
}

Expected<std::vector<Definition>> ReadAll(const std::vector<clientcmd::Manifest>& manifests) {
  std::vector<Definition> definitions;
  for (const clientcmd::Manifest& manifest : manifests) {
    const auto parsed = runtime::ParsedJson::Parse(manifest.json);
    if (!parsed) return tl::unexpected(Invalid(manifest, parsed.error().message));
    if (runtime::GetString(parsed->root(), "kind") != "CustomResourceDefinition") continue;
    auto definition = ReadDefinition(parsed->root());
    if (!definition) return tl::unexpected(Invalid(manifest, definition.error().message));
    definitions.push_back(*std::move(definition));
  }
  if (!definitions.empty()) return definitions;
  return Err(ErrorReason::kInvalidArgument,
             "there is no CustomResourceDefinition; give a file that has one with -f");
}

// Replaces a file in one step. One that is the same keeps its time, so that a build leaves it.
Expected<void> WriteFile(const std::filesystem::path& path, const std::string& text) {
  if (const auto known = ReadFile(path.string()); known && *known == text) return {};
  const std::filesystem::path part = path.string() + ".part";
  std::ofstream file(part, std::ios::binary);
  file << text;
  file.close();
  std::error_code failed;
  if (file) std::filesystem::rename(part, path, failed);
  if (file && !failed) return {};
  std::filesystem::remove(part, failed);
  return Err(ErrorReason::kInvalidArgument, "failed to write " + path.string());
}

Written Describe(const Version& version, std::string header) {
  Written written{.header = std::move(header),
                  .kind = version.kind + ", " + version.group + "/" + version.version,
                  .structs = version.structs.size(),
                  .notes = version.notes};
  for (const Struct& made : version.structs) written.fields += made.fields.size();
  return written;
}

}  // namespace

Expected<std::vector<Written>> WriteTypes(const std::vector<clientcmd::Manifest>& manifests,
                                          const std::string& out) {
  const auto definitions = ReadAll(manifests);
  if (!definitions) return tl::unexpected(definitions.error());
  std::vector<Written> all;
  for (const Definition& definition : *definitions) {
    for (const Version& version : definition.versions) {
      const std::filesystem::path header = std::filesystem::path(out) / HeaderPath(version);
      std::error_code failed;
      std::filesystem::create_directories(header.parent_path(), failed);
      if (failed) {
        return Err(ErrorReason::kInvalidArgument,
                   header.parent_path().string() + ": " + failed.message());
      }
      if (auto ok = WriteFile(header, HeaderText(version)); !ok) return tl::unexpected(ok.error());
      std::filesystem::path source = header;
      source.replace_extension(".cc");
      if (auto ok = WriteFile(source, SourceText(version, definition.json)); !ok) {
        return tl::unexpected(ok.error());
      }
      all.push_back(Describe(version, header.string()));
    }
  }
  return all;
}

}  // namespace capstan::cmd::generate
