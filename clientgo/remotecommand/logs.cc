// SPDX-License-Identifier: Apache-2.0
#include "capstan/remotecommand/logs.h"

#include <utility>

#include "clientgo/remotecommand/pod_path.h"

namespace capstan::remotecommand {
namespace {

Query QueryOf(const LogOptions& options) {
  Query query;
  const auto add = [&](std::string_view name, bool is_set, auto value) {
    if (is_set) query.emplace_back(name, value());
  };
  const auto yes = [] { return std::string("true"); };
  add("container", !options.container.empty(), [&] { return options.container; });
  add("follow", options.follow, yes);
  add("previous", options.previous, yes);
  add("timestamps", options.timestamps, yes);
  add("sinceSeconds", options.since.has_value(),
      [&] { return std::to_string(options.since->count()); });
  add("sinceTime", options.since_time.has_value(), [&] { return FormatTime(*options.since_time); });
  add("tailLines", options.tail_lines.has_value(),
      [&] { return std::to_string(*options.tail_lines); });
  add("limitBytes", options.limit_bytes.has_value(),
      [&] { return std::to_string(*options.limit_bytes); });
  return query;
}

}  // namespace

Expected<void> Logs(rest::Client& client, const rest::CallOptions& call,
                    const runtime::ObjectKey& pod, const LogOptions& options,
                    const std::function<void(std::string_view)>& on_bytes) {
  auto path = PodPath(pod, "log", QueryOf(options));
  if (!path) return Err(std::move(path.error()));
  const auto response = client.Stream(call, {.target = *std::move(path)});
  if (!response) return Err(response.error().Wrap("failed to read the log of " + pod.String()));
  for (;;) {
    const auto bytes = (*response)->Read();
    if (!bytes) return Err(bytes.error().Wrap("failed to read the log of " + pod.String()));
    if (bytes->empty()) return {};
    on_bytes(*bytes);
  }
}

}  // namespace capstan::remotecommand
