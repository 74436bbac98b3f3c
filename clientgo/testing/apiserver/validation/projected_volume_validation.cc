// SPDX-License-Identifier: Apache-2.0
// Rules of the files in a volume from ConfigMaps, Secrets and the Pod itself.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "clientgo/testing/apiserver/validation/pod_rules.h"

namespace capstan::testing::apiserver {
namespace {

using FilePaths = std::set<std::string_view>;

bool HasBackstep(std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = path.find('/');
    if (path.substr(0, end) == "..") return true;
    path = end == std::string_view::npos ? std::string_view() : path.substr(end + 1);
  }
  return false;
}

// Checks a file with a field of the Pod or a resource of a container. `source` has the files.
void CheckFile(const Place& file, const Place& source, FieldRules& rules) {
  const Place here = file.At(source.path());  // kube-apiserver does not name the item
  rules.RequireText(here["path"]);
  CheckNonReservedPath(here["path"], rules);
  const Place field = here["fieldRef"];
  const Place resource = here["resourceFieldRef"];
  if (field.Given()) {
    CheckFieldReference(field,
                        {"metadata.annotations", "metadata.labels", "metadata.name",
                         "metadata.namespace", "metadata.uid"},
                        rules);
    if (resource.Given()) {
      rules.InvalidAs(here, R"("resource")",
                      "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (resource.Given()) {
    CheckResourceReference(resource, true, rules);
  } else {
    rules.Required(here, "one of fieldRef and resourceFieldRef is required");
  }
  CheckMode(here["mode"], rules);
}

void CheckToken(const Place& token, const Place& volume, FieldRules& rules) {
  constexpr std::int64_t kLeast = 600;
  constexpr std::int64_t kMost = std::int64_t{1} << 32;
  const Place seconds = token["expirationSeconds"];
  const std::int64_t number = seconds.Number().value_or(0);
  if (number < kLeast) {
    rules.Invalid(seconds, "may not specify a duration less than 10 minutes");
  }
  if (number > kMost) {
    rules.Invalid(seconds, "may not specify a duration larger than 2^32 seconds");
  }
  const Place path = token["path"].At(volume["path"].path());
  if (rules.RequireText(path)) CheckNonReservedPath(path, rules);
}

// Adds the path of a file to `paths`. `shown` is the text in the error about one that is used.
void AddPath(std::string_view path, const Place& volume, std::string_view shown, FilePaths& paths,
             FieldRules& rules) {
  if (path.empty() || paths.insert(path).second) return;
  rules.InvalidAs(volume, Quote(shown), "conflicting duplicate paths");
}

void CheckProjection(const Place& projection, const Place& volume, FilePaths& paths,
                     FieldRules& rules) {
  int types = 0;
  for (const char* const type : {"secret", "configMap"}) {
    const Place source = projection[type];
    if (!source.Given()) continue;
    ++types;
    rules.RequireText(source["name"]);
    for (const Place& item : source["items"].Items()) {
      CheckKeyToPath(item, rules);
      AddPath(item["path"].Text(), volume, source["name"].Text(), paths, rules);
    }
  }
  if (const Place source = projection["downwardAPI"]; source.Given()) {
    ++types;
    for (const Place& file : source["items"].Items()) {
      CheckFile(file, source, rules);
      AddPath(file["path"].Text(), volume, file["path"].Text(), paths, rules);
    }
  }
  if (const Place token = projection["serviceAccountToken"]; token.Given()) {
    ++types;
    CheckToken(token, volume, rules);
  }
  if (types > 1) {
    rules.Forbidden(projection, "may not specify more than 1 volume type per source");
  }
}

}  // namespace

void CheckPathNoBacksteps(const Place& path, const Place& shown_as, FieldRules& rules) {
  if (HasBackstep(path.Text())) {
    rules.InvalidAs(shown_as, Quote(path.Text()), "must not contain '..'");
  }
}

void CheckDescendingPath(const Place& path, const Place& shown_as, FieldRules& rules) {
  if (path.Text().starts_with('/')) {
    rules.InvalidAs(shown_as, Quote(path.Text()), "must be a relative path");
  }
  CheckPathNoBacksteps(path, shown_as, rules);
}

void CheckNonReservedPath(const Place& path, FieldRules& rules) {
  CheckDescendingPath(path, path, rules);
  if (path.Text().starts_with("..") && !path.Text().starts_with("../")) {
    rules.Invalid(path, "must not start with '..'");
  }
}

void CheckMode(const Place& mode, FieldRules& rules) {
  constexpr std::int64_t kModeMax = 0777;
  const std::int64_t number = mode.Number().value_or(0);
  if (number >= 0 && number <= kModeMax) return;
  rules.Invalid(mode, "must be a number between 0 and 0777 (octal), both inclusive");
}

void CheckKeyToPath(const Place& item, FieldRules& rules) {
  rules.RequireText(item["key"]);
  rules.RequireText(item["path"]);
  CheckNonReservedPath(item["path"], rules);
  CheckMode(item["mode"], rules);
}

void CheckDownwardApiVolume(const Place& source, FieldRules& rules) {
  CheckMode(source["defaultMode"], rules);
  for (const Place& file : source["items"].Items()) CheckFile(file, source, rules);
}

void CheckProjectedVolume(const Place& source, FieldRules& rules) {
  CheckMode(source["defaultMode"], rules);
  FilePaths paths;
  for (const Place& projection : source["sources"].Items()) {
    CheckProjection(projection, source, paths, rules);
  }
}

}  // namespace capstan::testing::apiserver
