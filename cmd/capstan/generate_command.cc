// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/generate_command.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capstan/client.h"
#include "capstan/discovery/discovery_client.h"
#include "capstan/runtime/parsed_json.h"
#include "cmd/capstan/generate/generate.h"
#include "cmd/capstan/generate/openapi.h"
#include "cmd/capstan/inspect/manifests.h"
#include "cmd/capstan/inspect_commands.h"
#include "cmd/capstan/session.h"

namespace capstan::cmd::cli {
namespace {

using Manifests = std::vector<clientcmd::Manifest>;

Expected<Manifests> ReadFiles(const std::vector<std::string>& files) {
  Manifests all;
  for (const std::string& file : files) {
    auto manifests = inspect::ReadManifests(file);
    if (!manifests) return manifests;
    all.insert(all.end(), std::make_move_iterator(manifests->begin()),
               std::make_move_iterator(manifests->end()));
  }
  return all;
}

// Returns the definition of "PLURAL.GROUP" from the OpenAPI of the server, in each served version.
Expected<Manifests> ReadOpenApi(Session& session, const std::string& name) {
  const rest::CallOptions call(session.signals.token());
  const std::string plural = name.substr(0, name.find('.'));
  const std::string group = name.substr(std::min(name.size(), plural.size() + 1));
  const discovery::DiscoveryClient discovery(*session.client);
  const auto found = discovery.ServerGroupsAndResources(call);
  if (!found) return tl::unexpected(found.error());
  Manifests all;
  for (const discovery::ApiResourceList& list : found->resources) {
    const auto resource =
        std::find_if(list.resources.begin(), list.resources.end(),
                     [&](const discovery::ApiResource& each) { return each.name == plural; });
    if (list.group_version.group != group || resource == list.resources.end()) continue;
    const bool has_status = std::any_of(
        list.resources.begin(), list.resources.end(),
        [&](const discovery::ApiResource& each) { return each.name == plural + "/status"; });
    const std::string path = "/openapi/v3/apis/" + group + "/" + list.group_version.version;
    const auto response = session.client->GetRaw(call, path);
    if (!response) return tl::unexpected(response.error());
    const auto document = runtime::ParsedJson::Parse(response->body);
    if (!document) return tl::unexpected(document.error());
    auto definition = generate::DefinitionOf({.group = group,
                                              .version = list.group_version.version,
                                              .kind = resource->kind,
                                              .plural = plural,
                                              .namespaced = resource->namespaced,
                                              .has_status = has_status},
                                             document->root());
    if (!definition) return tl::unexpected(definition.error());
    all.push_back({.json = *std::move(definition), .where = path});
  }
  if (!all.empty()) return all;
  return Err(ErrorReason::kNotFound,
             "the API server does not serve " + name + "; kubectl api-resources lists the names");
}

Expected<Manifests> ReadCluster(Session& session, const std::vector<std::string>& names) {
  const Client<Unstructured> definitions(
      *session.client,
      Unstructured::TypeFor({"apiextensions.k8s.io", "v1", "customresourcedefinitions"},
                            "CustomResourceDefinition", false));
  Manifests all;
  for (const std::string& name : names) {
    const auto found = definitions.Get(session.signals.token(), {"", name});
    if (found) {
      all.push_back({.json = (*found)->ToJson(), .where = "customresourcedefinition " + name});
      continue;
    }
    if (!IsNotFound(found.error())) return tl::unexpected(found.error());
    auto described = ReadOpenApi(session, name);
    if (!described) return described;
    all.insert(all.end(), std::make_move_iterator(described->begin()),
               std::make_move_iterator(described->end()));
  }
  return all;
}

std::string Report(const std::vector<generate::Written>& written) {
  std::string text;
  for (const generate::Written& one : written) {
    text += one.header + ": " + one.kind + ", " + std::to_string(one.structs) + " structs, " +
            std::to_string(one.fields) + " fields\n";
    for (const std::string& note : one.notes) text += "  kept as text: " + note + "\n";
  }
  return text;
}

int Write(const Manifests& manifests, const std::string& out) {
  const auto written = generate::WriteTypes(manifests, out);
  if (!written) return Fail(written.error().message);
  Print(Report(*written));
  return kFine;
}

}  // namespace

int RunGenerate(const flags::FlagSet& flags, InspectOptions& options) {
  std::vector<std::string> names = flags.arguments();
  if (names.empty() || names.front() != "types") {
    return Fail("capstan generate writes types: capstan generate types -f crds.yaml --out DIR");
  }
  names.erase(names.begin());
  if (names.empty() == options.files.empty()) {
    return Fail(
        "capstan generate types needs either files (-f) or names of definitions in a cluster, such "
        "as issuers.cert-manager.io");
  }
  if (!options.files.empty()) {
    const auto manifests = ReadFiles(options.files);
    return manifests ? Write(*manifests, options.out) : Fail(manifests.error().message);
  }
  auto session = NewSession(options);
  if (!session) return Fail(session.error().message);
  const auto manifests = ReadCluster(**session, names);
  return manifests ? Write(*manifests, options.out) : (*session)->Fail(manifests.error());
}

}  // namespace capstan::cmd::cli
