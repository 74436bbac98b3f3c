// SPDX-License-Identifier: Apache-2.0
// LIST, page by page. Mirrors Reflector.list and client-go's tools/pager.
#include <utility>

#include "clientgo/cache/reflector_rep.h"
#include "clientgo/util/logging.h"

namespace clientgo::cache {

using util::ErrorReason;
using util::Expected;
using util::Kv;

ReflectorOutcome Reflector::Rep::InitialList(const std::stop_token& stop) {
  SetListWay(fall_back_reason.empty() ? "LIST" : "LIST (WATCH-LIST: " + fall_back_reason + ")");
  // "0": any version that the server has in memory. Only a first list may ask so: later it could go
  // back in time.
  std::string from = version.empty() ? "0" : version;
  if (version_unavailable) from.clear();
  auto listed = ListAt(stop, from);
  if (!listed && (IsExpired(listed.error()) || listed.error().resource_version_too_large)) {
    // Exactly one more attempt, now: any version does, as long as it is the newest.
    version_unavailable = true;
    VLOG(2) << Kv("Resource version unavailable, listing without one", "reflector", options.name,
                  "resourceVersion", from, "err", listed.error());
    if (!stop.stop_requested()) listed = ListAt(stop, "");
  }
  if (listed) return ReflectorOutcome::kDone;
  if (stop.stop_requested()) return ReflectorOutcome::kStop;
  ReportFailure(listed.error().Wrap("failed to list " + options.name));
  return ReflectorOutcome::kFailed;
}

Expected<void> Reflector::Rep::ListAt(const std::stop_token& stop, const std::string& from) {
  const bool any_version = from.empty() || from == "0";
  rest::ListOptions whole;
  whole.resource_version = from;
  rest::ListOptions page = whole;
  // A limit at a version means exactly that version, which the server would read from etcd. Without
  // a limit its memory answers, and the reply is decoded as a stream, however long it is.
  if (any_version || paginated) page.limit = options.page_size;

  std::vector<runtime::ObjectPtr> items;
  fresh_objects = 0;
  found_undecodable = {};
  auto meta = ListPage(stop, page, items);
  std::string listed_version = meta ? meta->resource_version : "";
  if (meta && !meta->continue_token.empty() && from == "0") paginated = true;
  while (meta && !meta->continue_token.empty()) {
    // The token stands for the version; the server rejects both together.
    page = {};
    page.limit = options.page_size;
    page.continue_token = std::move(meta->continue_token);
    meta = ListPage(stop, page, items);
    if (!meta && meta.error().reason == ErrorReason::kExpired) {
      // The pages took longer than the server keeps a version: ask for all of it at once.
      VLOG(2) << Kv("Continue token expired, listing in one piece", "reflector", options.name);
      items.clear();
      fresh_objects = 0;
      found_undecodable = {};
      meta = ListPage(stop, whole, items);
      if (meta) listed_version = meta->resource_version;
      break;
    }
  }
  if (!meta) return util::Err(std::move(meta.error()));
  if (stop.stop_requested()) return util::Err(ErrorReason::kCanceled, "stopped");
  Commit(std::move(items), std::move(listed_version));
  return {};
}

Expected<runtime::ListMeta> Reflector::Rep::ListPage(const std::stop_token& stop,
                                                     const rest::ListOptions& page,
                                                     std::vector<runtime::ObjectPtr>& items) {
  rest::CallOptions call(stop);
  call.answer_timeout = list_answer.current();
  const util::Clock::TimePoint requested = options.clock.Now();
  auto meta = source.List(call, page, [&](runtime::ObjectPtr object) {
    ReportObject();
    items.push_back(KeepKnown(std::move(object)));
  });
  if (meta) {
    list_answer.OnAnswered(options.clock.Now() - requested);
  } else if (meta.error().reason == ErrorReason::kDeadlineExceeded) {
    list_answer.OnUnanswered();
  }
  if (options.metrics != nullptr) options.metrics->OnList(options.resource, meta.has_value());
  if (meta) {
    for (auto& object : meta->undecodable) found_undecodable.Add(std::move(object));
  }
  return meta;
}

}  // namespace clientgo::cache
