// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/kinds.h"

#include "capstan/flags/value.h"
#include "capstan/logging.h"
#include "capstan/text.h"
#include "controllers/cainjector/verdict.h"

namespace capstan::cmd::cli::inspect {

std::vector<const cainjector::Target*> AllTargets(const cainjector::InjectableKinds& kinds) {
  return cainjector::TargetsOf({.config_maps = true,
                                .cluster_trust_bundles = true,
                                .trust_bundle_version = kinds.trust_bundle_version,
                                .additional = kinds.additional});
}

std::string KubectlName(const cainjector::Target& target) {
  const auto& gvr = target.type().gvr;
  if (target.optional()) return gvr.resource + (gvr.group.empty() ? "" : "." + gvr.group);
  const std::string singular = LowerAscii(target.type().kind);
  return singular == "customresourcedefinition" ? "crd" : singular;
}

Expected<const cainjector::Target*> ParseKind(std::string_view text,
                                              const cainjector::InjectableKinds& kinds) {
  const std::string given = LowerAscii(text);
  std::vector<std::string> known;
  for (const cainjector::Target* target : AllTargets(kinds)) {
    const auto& gvr = target->type().gvr;
    const std::string singular = LowerAscii(target->type().kind);
    const std::string suffixes[] = {"", "." + gvr.group, "." + gvr.version + "." + gvr.group};
    for (const std::string& suffix : suffixes) {
      if (given == singular + suffix || given == gvr.resource + suffix) return target;
    }
    if (given == KubectlName(*target) || given == KubectlName(*target) + "s") return target;
    known.push_back(singular);
  }
  const auto nearest = flags::Nearest(given, known);
  return Err(ErrorReason::kInvalidArgument,
             "unknown kind " + Quoted(text) + "; " +
                 (nearest ? "did you mean " + *nearest + "?"
                          : "use validatingwebhookconfiguration, mutatingwebhookconfiguration, "
                            "apiservice, crd, configmap, clustertrustbundle, or a kind of "
                            "--additional-targets"));
}

}  // namespace capstan::cmd::cli::inspect
