// SPDX-License-Identifier: Apache-2.0
#include "cmd/program/serving_flags.h"

#include "clientgo/util/logging.h"
#include "cmd/flags/value.h"

namespace cmd::program {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using controllers::runtime::ServingTls;

tl::unexpected<clientgo::util::Error> InvalidArgument(std::string_view value, std::string_view flag,
                                                      std::string_view why) {
  return Err(ErrorReason::kInvalidArgument, "invalid argument " + clientgo::util::Quoted(value) +
                                                " for --" + std::string(flag) + ": " +
                                                std::string(why));
}

Expected<std::optional<ServingTls>> ServingTlsOf(const MetricsTlsFlags& flags) {
  ServingTls tls{.cert_file = flags.cert_file, .key_file = flags.private_key_file};
  tls.options.cipher_suites = flags::SplitList(flags.cipher_suites);
  if (auto known = httpserver::CheckCipherSuites(tls.options.cipher_suites); !known) {
    return Err(known.error().Wrap("--metrics-tls-cipher-suites"));
  }
  if (!flags.min_version.empty()) {
    const auto version = httpserver::ParseTlsVersion(flags.min_version);
    if (!version) return Err(version.error().Wrap("--metrics-tls-min-version"));
    tls.options.min_version = *version;
  }
  if (tls.cert_file.empty() != tls.key_file.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "--metrics-tls-cert-file and --metrics-tls-private-key-file need each other");
  }
  if (tls.cert_file.empty()) return std::nullopt;
  return tls;
}

Expected<StatusAccess> StatusAccessOf(const std::string& value) {
  return OneOf<StatusAccess>("status-pages", value,
                             {{"off", StatusAccess::kOff},
                              {"loopback", StatusAccess::kLoopback},
                              {"all", StatusAccess::kAll}});
}

}  // namespace cmd::program
