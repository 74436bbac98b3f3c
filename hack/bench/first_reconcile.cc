// SPDX-License-Identifier: Apache-2.0
// bench_first_reconcile CRD... does what a test of a controller does before it can check anything:
// it starts the embedded API server, creates the CustomResourceDefinitions in these files, runs a
// Manager with a controller of Widgets, and creates a Widget. It prints a line when the controller
// has reconciled it, and stops everything. The Go original is peers/envtest.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <latch>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/builder.h"
#include "capstan/client.h"
#include "capstan/error.h"
#include "capstan/kind.h"
#include "capstan/manager.h"
#include "capstan/rest/client.h"
#include "capstan/testing/apiserver/server.h"

struct Widget {
  capstan::ObjectMeta metadata;
  struct Spec {
    int size = 0;
  } spec;
};
template <>
inline constexpr auto capstan::kKind<Widget> = Kind("bench.capstan.dev", "v1", "Widget", "widgets")
                                                   .Namespaced()
                                                   .Spec(Field("size", &Widget::Spec::size));

namespace {

template <class T>
T Value(capstan::Expected<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw std::runtime_error("cannot read " + path);
  return text;
}

void Run(const std::vector<std::string>& definitions) {
  capstan::testing::apiserver::Server server;
  Value(server.Start());
  Value(server.CreateObjects(definitions));

  std::latch reconciled(1);
  const auto manager = Value(capstan::Manager::New(server.Config(), {.name = "bench"}));
  const auto reconcile = [&](const std::stop_token&,
                             const capstan::Request&) -> capstan::Expected<void> {
    if (!reconciled.try_wait()) reconciled.count_down();
    return {};
  };
  Value(ControllerFor<Widget>(*manager).Reconcile(reconcile));
  std::jthread thread([&](const std::stop_token& stop) { (void)manager->Start(stop); });

  const auto client = Value(capstan::rest::Client::New(server.Config()));
  Widget widget;
  widget.metadata.name = "first";
  widget.metadata.namespace_ = "default";
  Value(capstan::Client<Widget>(*client).Create({}, widget));
  reconciled.wait();
  std::puts("reconciled");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<std::string> definitions;
    for (int i = 1; i < argc; ++i) definitions.push_back(Read(argv[i]));
    Run(definitions);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "bench_first_reconcile: " << error.what() << '\n';
    return 1;
  }
}
