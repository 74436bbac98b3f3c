// SPDX-License-Identifier: Apache-2.0
// e2e_stream_reader URL: watches all Secrets with clientgo's client and a reader that stalls. After
// the first event it gets the Secret stall/stall, which the server delays; then it reads to the
// end. It prints "EVENTS PEAK", the number of events and the peak RSS in KiB, for
// stalled_reader_test.
#include <fstream>
#include <iostream>
#include <string>

#include "capstan/api/object_metadata.h"
#include "capstan/heap.h"
#include "capstan/rest/client.h"

namespace {

using capstan::Expected;

Expected<int> Run(const std::string& url) {
  const auto secrets = capstan::api::MakeMetadataType(
      {.gvr = {"", "v1", "secrets"}, .kind = "Secret", .namespaced = true});
  auto client = capstan::rest::Client::New({.host = url});
  if (!client) return tl::unexpected(client.error());
  auto watcher = (*client)->Watch({}, secrets, {.timeout = std::chrono::minutes(5)});
  if (!watcher) return tl::unexpected(watcher.error());
  for (int events = 0;; ++events) {
    const auto event = (*watcher)->Next();
    if (!event) return tl::unexpected(event.error());
    if (!*event) return events;
    if (events == 0) {
      const auto stalled = (*client)->Get({}, secrets, {.namespace_ = "stall", .name = "stall"});
      if (!stalled) return tl::unexpected(stalled.error());
    }
  }
}

std::string PeakRss() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmHWM:" && status >> word) return word;
  }
  return "unknown";
}

}  // namespace

int main(int argc, char** argv) {
  capstan::KeepHeapSmall();
  if (argc != 2) {
    std::cerr << "usage: e2e_stream_reader URL\n";
    return 1;
  }
  const auto events = Run(argv[1]);
  if (!events) {
    std::cerr << events.error().message << '\n';
    return 1;
  }
  std::cout << *events << ' ' << PeakRss() << '\n';
  return 0;
}
