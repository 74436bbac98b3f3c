// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect_commands.h"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capstan/clock.h"
#include "capstan/logging.h"
#include "capstan/rest/client.h"
#include "cmd/capstan/inspect/audit.h"
#include "cmd/capstan/inspect/dry_run.h"
#include "cmd/capstan/inspect/endpoints.h"
#include "cmd/capstan/inspect/explain.h"
#include "cmd/capstan/inspect/fix.h"
#include "cmd/capstan/inspect/gates.h"
#include "cmd/capstan/inspect/kinds.h"
#include "cmd/capstan/inspect/manifests.h"
#include "cmd/capstan/inspect/server_links.h"
#include "cmd/capstan/options.h"
#include "cmd/capstan/session.h"

namespace capstan::cmd::cli {
namespace {

using inspect::Finding;
using inspect::Findings;
using inspect::Inspector;
using inspect::Terminal;

struct Named {
  std::string kind = {};  // that ParseKind accepts; empty: no target is named
  std::string name = {};
};

// Parses KIND NAME or KIND/NAME. kInvalidArgument: neither, or nothing although `required`.
Expected<Named> ReadNamed(const flags::FlagSet& flags, const InspectOptions& options,
                          bool required) {
  std::vector<std::string> words = flags.arguments();
  if (words.size() == 1) {
    const std::size_t slash = words[0].find('/');
    if (slash != std::string::npos) {
      words = {words[0].substr(0, slash), words[0].substr(slash + 1)};
    }
  }
  if (words.empty() && !required) return Named{};
  if (words.size() != 2 || words[1].empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "a KIND and a NAME are needed, for example: validatingwebhookconfiguration NAME");
  }
  const auto target = inspect::ParseKind(words[0], options.injector.kinds);
  if (!target) return Err(target.error());
  return Named{.kind = words[0], .name = words[1]};
}

Expected<Finding> LookAtOne(const std::stop_token& stop, Inspector& inspector, const Named& named,
                            const InspectOptions& options) {
  const auto target = inspect::ParseKind(named.kind, options.injector.kinds);
  if (!target) return Err(target.error());
  return inspector.Look(stop, **target, named.name);
}

// Checks the named target, or all. kInvalidArgument: the named target does not request injection.
Expected<Findings> LookAt(const std::stop_token& stop, Inspector& inspector, const Named& named,
                          const InspectOptions& options) {
  if (named.kind.empty()) return inspector.LookAtAll(stop);
  auto finding = LookAtOne(stop, inspector, named, options);
  if (!finding) return Err(std::move(finding.error()));
  if (!finding->source) {
    return Err(ErrorReason::kInvalidArgument, finding->kind() + " " + finding->name() +
                                                  " does not request injection; capstan " +
                                                  "explain prints the annotation");
  }
  if (!finding->watched) {
    return Err(ErrorReason::kInvalidArgument, inspect::NotWatched(*finding));
  }
  return Findings{*std::move(finding)};
}

cainjector::CertificateTime Now() {
  return std::chrono::floor<std::chrono::seconds>(Clock::Real().WallNow());
}

int FailUnknown(const Findings& findings) {
  return Fail(std::to_string(inspect::CountUnknown(findings)) + " of " +
              std::to_string(findings.size()) +
              " targets could not be checked; run capstan explain KIND NAME for the reason");
}

// Broken and missing bundles win over targets that could not be checked.
int CodeOf(const Findings& findings) {
  if (inspect::AllWell(findings)) return kFine;
  if (inspect::AnyWrong(findings)) return kFound;
  return FailUnknown(findings);
}

// Reads files or the cluster, depending on `client`.
int ShowDryRun(const std::stop_token& stop, rest::Client& client, const Named& named,
               const InspectOptions& options) {
  Inspector inspector(client, {.try_write = true, .injector = options.injector});
  const auto findings = LookAt(stop, inspector, named, options);
  if (!findings) return Fail(findings.error().message);
  Print(options.json ? inspect::DiffJson(*findings)
                     : inspect::DiffText(*findings, Terminal::Of(stdout)));
  return CodeOf(*findings);
}

int DryRunOfFiles(const InspectOptions& options, const Named& named) {
  const SignalWaiter signals;
  const auto manifests = inspect::Manifests::Load(options.files, options.injector.kinds.additional);
  if (!manifests) return Fail(manifests.error().message);
  if ((*manifests)->ignored() > 0) {
    std::fprintf(stderr, "%zu objects of other kinds are ignored\n", (*manifests)->ignored());
  }
  return ShowDryRun(signals.token(), (*manifests)->client(), named, options);
}

cainjector::EndpointCheck NewCheck(const Session& session) {
  return cainjector::EndpointCheck(*session.client);
}

// Prints the servers of these targets that are not verified. With -o json it prints all servers.
int CheckServers(const Session& session, const Findings& targets) {
  const auto servers = inspect::VerifyServers(session.signals.token(), NewCheck(session), targets);
  if (!servers) return session.Fail(servers.error());
  inspect::ServerFindings wrong;
  std::size_t unknown = 0;
  for (const auto& server : *servers) {
    if (!server.verified()) wrong.push_back(server);
    if (server.unknown()) ++unknown;
  }
  if (session.options.json) {
    Print(inspect::ServersJson(*servers));
  } else if (!wrong.empty()) {
    Print(inspect::ServersTable(wrong, Terminal::Of(stdout)));
  }
  std::fprintf(stderr, "%zu of %zu servers are verified\n", servers->size() - wrong.size(),
               servers->size());
  if (wrong.size() > unknown) return kFound;
  return unknown == 0 ? kFine
                      : Fail(std::to_string(unknown) +
                             " servers could not be verified; see the messages above");
}

}  // namespace

void Print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int Fail(std::string_view message) {
  std::fputs(inspect::ErrorLine(message).c_str(), stderr);
  return kFailed;
}

int RunStatus(const flags::FlagSet& /*flags*/, InspectOptions& options) {
  auto session = NewSession(options);
  if (!session) return Fail(session.error().message);
  Inspector inspector(*(*session)->client, {.injector = options.injector});
  const auto findings = inspector.LookAtAll((*session)->signals.token());
  if (!findings) return (*session)->Fail(findings.error());
  if (options.json) {
    Print(inspect::StatusJson(*findings));
  } else if (findings->empty()) {
    std::fputs("No target requests injection.\n", stderr);
  } else {
    Print(inspect::StatusTable(*findings, Terminal::Of(stdout)));
  }
  return inspect::CountUnknown(*findings) == 0 ? kFine : FailUnknown(*findings);
}

int RunExplain(const flags::FlagSet& flags, InspectOptions& options) {
  const auto named = ReadNamed(flags, options, true);
  if (!named) return Fail(named.error().message);
  auto session = NewSession(options);
  if (!session) return Fail(session.error().message);
  Inspector inspector(*(*session)->client, {.try_write = true, .injector = options.injector});
  const auto finding = LookAtOne((*session)->signals.token(), inspector, *named, options);
  if (!finding) return (*session)->Fail(finding.error());
  auto explanation = inspect::Explain((*session)->signals.token(), *(*session)->client, *finding);
  if (options.endpoints) {
    inspect::AddServerLinks((*session)->signals.token(), NewCheck(**session), *finding,
                            options.as.empty(), explanation);
  }
  Print(options.json ? ToJson(explanation) : ToText(explanation, Terminal::Of(stdout)));
  if (explanation.unknown()) return Fail("check failed: " + explanation.message);
  return explanation.all_well() ? kFine : kFound;
}

int RunCheck(const flags::FlagSet& flags, InspectOptions& options) {
  const auto named = ReadNamed(flags, options, false);
  if (!named) return Fail(named.error().message);
  auto session = NewSession(options);
  if (!session) return Fail(session.error().message);
  Session& running = **session;
  const auto findings =
      inspect::WaitUntilWell(running.signals.token(),
                             [&]() {
                               // A new Inspector, because this one caches what it has read.
                               Inspector inspector(*running.client, {.injector = options.injector});
                               return LookAt(running.signals.token(), inspector, *named, options);
                             },
                             {.timeout = options.wait});
  if (!findings) return running.Fail(findings.error());
  Findings wrong;
  for (const Finding& finding : *findings) {
    if (!IsWell(finding)) wrong.push_back(finding);
  }
  const bool servers = options.endpoints;
  if (options.json) {
    if (!servers) Print(inspect::StatusJson(*findings));  // one document
  } else if (!wrong.empty()) {
    Print(inspect::StatusTable(wrong, Terminal::Of(stdout)));
  }
  std::fprintf(stderr, "%zu of %zu targets are fine\n", findings->size() - wrong.size(),
               findings->size());
  const int code = CodeOf(*findings);
  if (!servers) return code;
  // Something wrong wins over what could not be checked.
  const int servers_code = CheckServers(running, *findings);
  return code == kFound || servers_code == kFine ? code : servers_code;
}

int RunAudit(const flags::FlagSet& /*flags*/, InspectOptions& options) {
  auto session = NewSession(options);
  if (!session) return Fail(session.error().message);
  const auto entries =
      inspect::Audit((*session)->signals.token(), *(*session)->client, options.injector);
  if (!entries) return (*session)->Fail(entries.error());
  Print(options.json ? inspect::AuditJson(*entries, Now())
                     : inspect::AuditTable(*entries, Now(), Terminal::Of(stdout)));
  return kFine;
}

int RunInject(const flags::FlagSet& flags, InspectOptions& options) {
  if (!options.dry_run) {
    return Fail(
        "capstan inject only shows what capstan-controller-manager would write: add "
        "--dry-run");
  }
  const auto named = ReadNamed(flags, options, false);
  if (!named) return Fail(named.error().message);
  if (!options.files.empty()) return DryRunOfFiles(options, *named);
  auto session = NewSession(options);
  if (!session) return Fail(session.error().message);
  return ShowDryRun((*session)->signals.token(), *(*session)->client, *named, options);
}

int RunGates(const flags::FlagSet& flags, InspectOptions& options) {
  std::string ns;
  std::string name;
  if (!flags.arguments().empty()) {
    const std::string& given = flags.arguments().front();
    const std::size_t slash = given.find('/');
    ns = given.substr(0, slash);
    if (slash != std::string::npos) name = given.substr(slash + 1);
    if (ns.empty() || (slash != std::string::npos && name.empty())) {
      return Fail("invalid argument " + Quoted(given) + ": expected NAMESPACE or NAMESPACE/POD");
    }
  }
  auto session = NewSession(options);
  if (!session) return Fail(session.error().message);
  const auto pods = inspect::Gates((*session)->signals.token(), *(*session)->client, ns, name);
  if (!pods) return (*session)->Fail(pods.error());
  Print(options.json
            ? inspect::GatesJson(*pods)
            : inspect::GatesTable(*pods, Terminal::Of(stdout)) + inspect::GatesHints(*pods));
  return kFine;
}

}  // namespace capstan::cmd::cli
