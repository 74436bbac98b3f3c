// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/new/new_project.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"
#include "cmd/capstan/generate/names.h"
#include "cmd/capstan/new/embedded_files.h"

namespace capstan::cmd::project {
namespace {

namespace fs = std::filesystem;

// A text of the template, and what replaces it.
using Renames = std::array<std::pair<std::string_view, std::string>, 6>;

std::string Replaced(std::string_view text, const Renames& renames) {
  std::string result;
  while (!text.empty()) {
    const auto* const found = std::find_if(renames.begin(), renames.end(), [&](const auto& rename) {
      return text.starts_with(rename.first);
    });
    result += found == renames.end() ? std::string(text.substr(0, 1)) : found->second;
    text.remove_prefix(found == renames.end() ? 1 : found->first.size());
  }
  return result;
}

// As Kubernetes' own plurals: foos, policies, classes.
std::string PluralOf(std::string word) {
  const auto ends = [&](std::string_view end) { return word.ends_with(end); };
  const bool vowel_before_y = ends("ay") || ends("ey") || ends("oy") || ends("uy");
  if (ends("y") && !vowel_before_y) return word.replace(word.size() - 1, 1, "ies");
  if (ends("s") || ends("x") || ends("ch") || ends("sh")) return word + "es";
  return word + "s";
}

Renames RenamesOf(const NewProject& project) {
  const std::string plural = PluralOf(LowerAscii(project.kind));
  // The longer names come first.
  return {{{R"("singular":"widget")", R"("singular":")" + LowerAscii(project.kind) + '"'},
           {"widget-operator", project.name},
           {"example.com", project.group},
           {"widgets", plural},
           {"Widget", project.kind},
           {"widget", generate::MemberName(project.kind)}}};
}

bool IsKind(std::string_view kind) {
  constexpr std::size_t kLongest = 63;
  return !kind.empty() && kind.size() <= kLongest && kind.front() >= 'A' && kind.front() <= 'Z' &&
         std::all_of(kind.begin(), kind.end(), IsAsciiAlphanumeric);
}

bool IsName(std::string_view name) {
  constexpr std::size_t kLongest = 63;
  return name.size() <= kLongest && IsDnsSubdomain(name) &&
         name.find('.') == std::string_view::npos;
}

std::string WhyInvalid(const NewProject& project) {
  if (!IsName(project.name)) {
    return "the name " + Quoted(project.name) +
           " is not one of lower-case letters, digits and dashes, such as foo-operator";
  }
  if (!IsKind(project.kind)) {
    return "the kind " + Quoted(project.kind) +
           " is not one of letters and digits that begins with a capital, such as Foo; set --kind";
  }
  if (!IsDnsSubdomain(project.group) || project.group.find('.') == std::string::npos) {
    return "the group " + Quoted(project.group) +
           " is not a domain, such as example.com; set --group";
  }
  return {};
}

bool Write(const fs::path& path, const std::string& text) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return !failed && static_cast<bool>(file);
}

}  // namespace

Expected<std::vector<std::string>> WriteProject(const NewProject& project,
                                                const std::string& parent) {
  const auto fail = [](std::string why) {
    return Err(ErrorReason::kInvalidArgument, std::move(why));
  };
  if (std::string why = WhyInvalid(project); !why.empty()) return fail(std::move(why));
  const fs::path folder = fs::path(parent) / project.name;
  std::error_code failed;
  if (fs::exists(folder, failed)) {
    return fail(folder.string() + " exists; choose another name, or remove it");
  }
  const fs::path part = folder.string() + ".part";
  fs::remove_all(part, failed);
  const Renames renames = RenamesOf(project);
  std::vector<std::string> paths;
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    const std::string path = Replaced(file.path, renames);
    if (!Write(part / path, Replaced(file.text, renames))) {
      fs::remove_all(part, failed);
      return fail("failed to write " + (folder / path).string());
    }
    paths.push_back((folder / path).string());
  }
  fs::rename(part, folder, failed);
  if (failed) return fail("failed to write " + folder.string() + ": " + failed.message());
  return paths;
}

}  // namespace capstan::cmd::project
