// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/demo/memory_curve.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "clientgo/testing/apiserver/server.h"
#include "clientgo/util/clock.h"
#include "cmd/capstan/demo/objects.h"
#include "cmd/capstan/demo/private_file.h"
#include "cmd/capstan/demo/program.h"

namespace cmd::capstan::demo {

using clientgo::util::Clock;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;

namespace {

constexpr char kToken[] = "demo";  // of a server that lives as long as the measurement, on loopback
constexpr int kBatch = 500;
constexpr auto kPatience = std::chrono::minutes(2);
constexpr auto kLook = std::chrono::milliseconds(50);
// So long without work, it has no more.
constexpr auto kIdle = std::chrono::milliseconds(700);
constexpr double kIdleCpuSeconds = 0.03;

std::string NameOf(FillWith kind, int number) {
  return kind == FillWith::kSecrets ? Numbered("secret-", number)
                                    : Numbered("larges", number) + ".capstan-demo.example.com";
}

// A schema of about kCrdKib, as those of operators are: many fields, each with its sentences.
std::string Schema() {
  const std::string sentence = "What it is for, and what it must not be. It may be left out. ";
  const std::string field =
      R"(":{"type":"string","description":")" + sentence + sentence + sentence + "\"}";
  std::string fields;
  for (int i = 0; static_cast<int>(fields.size()) < kCrdKib << 10; ++i) {
    fields.append(i == 0 ? "\"" : ",\"").append(Numbered("field", i)).append(field);
  }
  return R"({"type":"object","properties":{"spec":{"type":"object","properties":{)" + fields +
         "}}}}";
}

std::string CrdJson(int number, const std::string& schema) {
  const std::string group = R"("group":"capstan-demo.example.com","scope":"Namespaced",)";
  const std::string names = R"("names":{"plural":")" + Numbered("larges", number) +
                            R"(","kind":")" + Numbered("Large", number) + R"("},)";
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
         R"("metadata":{"name":")" +
         NameOf(FillWith::kCustomResourceDefinitions, number) + R"("},"spec":{)" + group + names +
         R"("versions":[{"name":"v1","served":false,"storage":true,)"
         R"("schema":{"openAPIV3Schema":)" +
         schema + "}}]}}";
}

const char* ResourceOf(FillWith kind) {
  return kind == FillWith::kSecrets ? "secrets" : "customresourcedefinitions";
}

Expected<void> Fill(clientgo::testing::apiserver::Server& server, FillWith kind, int first,
                    int last) {
  const std::string data(5U << 10U, 'x');
  const std::string schema = kind == FillWith::kSecrets ? "" : Schema();
  while (first < last) {
    std::vector<std::string> objects;
    for (; first < last && objects.size() < kBatch; ++first) {
      objects.push_back(kind == FillWith::kSecrets
                            ? SecretJson({"load", NameOf(kind, first)}, {}, "blob", data)
                            : CrdJson(first, schema));
    }
    if (auto made = server.CreateObjects(std::move(objects)); !made) return made;
  }
  return {};
}

// Our own metrics say what the caches hold; of another program the server knows that it watches.
bool HasCached(const std::stop_token& stop, const clientgo::testing::apiserver::Server& server,
               const Program& program, const Injector& injector, FillWith kind, int objects) {
  const std::string resource = ResourceOf(kind);
  if (!injector.user_agent.empty()) {
    return server.CountRequests(
               {.verb = "watch", .resource = resource, .user_agent = injector.user_agent}) > 0;
  }
  // A cache without an object has no series.
  if (objects == 0) return program.Metric(stop, "workqueue_depth").has_value();
  return program.Metric(stop, "capstan_cache_objects", "\"" + resource + '"') >= objects;
}

// Its caches are full, and the kernel says that it does nothing more.
Expected<void> AwaitFull(const std::stop_token& stop,
                         const clientgo::testing::apiserver::Server& server, Program& program,
                         const Injector& injector, FillWith kind, int objects) {
  auto& clock = Clock::Real();
  const auto deadline = clock.Now() + kPatience;
  bool cached = false;
  auto busy = clock.Now();
  double busy_cpu = 0;
  while (!cached || clock.Now() - busy < kIdle) {
    if (!cached) cached = HasCached(stop, server, program, injector, kind, objects);
    const double cpu = program.process().CpuSeconds().value_or(0);
    if (!cached || cpu - busy_cpu > kIdleCpuSeconds) {
      busy = clock.Now();
      busy_cpu = cpu;
    }
    if (program.Ended()) return Err(ErrorReason::kUnknown, injector.name + " ended");
    if (clock.Now() > deadline) {
      return Err(ErrorReason::kTimeout, injector.name + " has not cached " +
                                            std::to_string(objects) + " " + ResourceOf(kind) +
                                            " within two minutes");
    }
    if (!clock.SleepFor(stop, kLook)) return Err(ErrorReason::kCanceled, "interrupted");
  }
  return {};
}

Expected<double> MeasureOne(const std::stop_token& stop,
                            clientgo::testing::apiserver::Server& server,
                            const CurveOptions& options, const Injector& injector, int objects) {
  Program program;
  server.ResetRequests();
  std::vector<std::string> arguments = injector.arguments;
  arguments.emplace_back("--leader-elect=false");
  const auto started =
      program.Start({.name = injector.name,
                     .path = injector.path,
                     .arguments = std::move(arguments),
                     .log_path = options.folder + "/measured.log",
                     .environment = {"KUBECONFIG=" + options.folder + "/measured.kubeconfig"}});
  if (!started) return Err(started.error());
  auto full = AwaitFull(stop, server, program, injector, options.kind, objects);
  if (!full) return Err(std::move(full.error()));
  const auto peak = program.process().MemoryKib("VmHWM");
  program.Stop();
  if (!peak) return Err(ErrorReason::kUnknown, injector.name + " ended");
  return static_cast<double>(*peak) * 1024;
}

}  // namespace

Expected<std::vector<statusz::Chart::Line>> MeasureMemory(
    const std::stop_token& stop, const CurveOptions& options,
    const std::function<void(const std::string&)>& progress) {
  clientgo::testing::apiserver::Server server(
      clientgo::testing::apiserver::Options{.tokens = {{kToken, "capstan-demo"}}});
  if (auto started = server.Start(); !started) return Err(started.error());
  auto written =
      WritePrivateFile(options.folder + "/measured.kubeconfig", server.Kubeconfig(kToken));
  if (!written) return Err(std::move(written.error()));
  std::vector<statusz::Chart::Line> lines;
  for (const Injector& injector : options.injectors) lines.push_back({injector.name, {}});
  int filled = 0;
  for (int step = 0; step < kCurveSteps; ++step) {
    const int objects = options.objects * step / (kCurveSteps - 1);
    if (step > 0 && objects == filled) continue;
    if (auto made = Fill(server, options.kind, filled, objects); !made) {
      return Err(std::move(made.error()));
    }
    filled = objects;
    for (std::size_t i = 0; i < options.injectors.size(); ++i) {
      progress(options.injectors[i].name + " with " + std::to_string(objects) + " " +
               ResourceOf(options.kind));
      auto peak = MeasureOne(stop, server, options, options.injectors[i], objects);
      if (!peak) return Err(std::move(peak.error()));
      lines[i].points.push_back({static_cast<double>(objects), *peak});
    }
  }
  return lines;
}

}  // namespace cmd::capstan::demo
