// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/session.h"

#include <string>
#include <utility>

#include "capstan/flags/version.h"
#include "cmd/capstan/inspect_commands.h"
#include "controllers/cainjector/targets/cluster_trust_bundle_target.h"

namespace capstan::cmd::cli {

Session::Session(const InspectOptions& the_options, std::unique_ptr<rest::Client> the_client)
    : options(the_options), client(std::move(the_client)) {}

int Session::Fail(const Error& error) const {
  const std::string remedy = rest::Remedy(error, client->config());
  return cli::Fail(error.message + (remedy.empty() ? "" : "; " + remedy));
}

Expected<std::unique_ptr<Session>> NewSession(InspectOptions& options) {
  auto config = LoadConfig(options, options.context);
  if (!config) return Err(std::move(config.error()));
  if (!options.as.empty()) config->impersonate = {.user_name = options.as};
  config->user_agent = rest::DefaultUserAgent(
      "capstan", std::string(flags::BuildVersion()) + "+" + std::string(flags::BuildCommit()));
  auto client = rest::Client::New(*std::move(config));
  if (!client) return Err(std::move(client.error()));
  auto& kinds = options.injector.kinds;
  if (kinds.cluster_trust_bundles) {
    auto version = cainjector::FindClusterTrustBundleVersion({}, **client);
    if (!version) return Err(std::move(version.error()));
    kinds.trust_bundle_version = *std::move(version);
  }
  return std::make_unique<Session>(options, *std::move(client));
}

}  // namespace capstan::cmd::cli
