// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/session.h"

#include <utility>

#include "clientgo/clientcmd/config.h"
#include "clientgo/rest/config.h"
#include "cmd/capstan/inspect/fix.h"
#include "cmd/capstan/inspect/kinds.h"
#include "cmd/internal/flags/version.h"

namespace cmd::capstan {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using inspect::Findings;
using inspect::Inspector;

std::string Session::Explained(const clientgo::util::Error& error) const {
  const std::string remedy = clientgo::rest::Remedy(error, client->config());
  return error.message + (remedy.empty() ? "" : "; " + remedy);
}

Expected<std::unique_ptr<Session>> NewSession() {
  auto options = ReadInspectOptions();
  if (!options) return Err(std::move(options.error()));
  auto config = clientgo::clientcmd::LoadConfig(
      {.kubeconfig = options->kubeconfig, .context = options->context});
  if (!config) return Err(std::move(config.error()));
  config->http2 = options->http2;
  if (!options->as.empty()) config->impersonate = {.user_name = options->as};
  config->user_agent = clientgo::rest::DefaultUserAgent(
      "capstan", std::string(flags::BuildVersion()) + "+" + std::string(flags::BuildCommit()));
  auto client = clientgo::rest::Client::New(*std::move(config));
  if (!client) return Err(std::move(client.error()));
  return std::make_unique<Session>(*std::move(options), *std::move(client));
}

Expected<Named> ReadNamed(const flags::FlagSet& flags, bool required) {
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
  const auto target = inspect::ParseKind(words[0]);
  if (!target) return Err(target.error());
  return Named{.target = *target, .name = words[1]};
}

Expected<Findings> LookAt(const std::stop_token& stop, Inspector& inspector, const Named& named) {
  if (named.target == nullptr) return inspector.LookAtAll(stop);
  auto finding = inspector.Look(stop, *named.target, named.name);
  if (!finding) return Err(std::move(finding.error()));
  if (!finding->source) {
    return Err(ErrorReason::kInvalidArgument, finding->kind() + " " + finding->name() +
                                                  " does not request injection; capstan " +
                                                  "explain prints the annotation");
  }
  if (!finding->watched) {
    return Err(ErrorReason::kInvalidArgument, inspect::NotWatched(*finding));
  }
  Findings findings;
  findings.push_back(*std::move(finding));
  return findings;
}

}  // namespace cmd::capstan
