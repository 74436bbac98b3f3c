// SPDX-License-Identifier: Apache-2.0
// Benchmarks of single operations of clientgo. Times depend on the machine. Byte counters do not:
// they count what the heap allocates.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/api/object_metadata.h"
#include "capstan/cache/store.h"
#include "capstan/heap.h"
#include "capstan/runtime/decoder.h"
#include "capstan/runtime/json_filter.h"
#include "capstan/typed_object.h"
#include "capstan/workqueue/queue.h"

namespace {

namespace runtime = capstan::runtime;

using runtime::JsonFilter;

// Returns realistic metadata: a namespace, a name with a hash, a uid, a version.
std::string Name(std::size_t index) {
  return "release-name-" + std::to_string(index * 7919 % 1000003) + "-tls";
}

std::string Uid(std::size_t index) {
  const std::string digits = std::to_string(100000000000 + index);
  return "3f2a9c1e-7b54-4d0e-9a6b-" + digits.substr(0, 12);
}

runtime::ObjectPtr MakeSecret(std::size_t index) {
  const std::string ns = "team-" + std::to_string(index % 50);
  const std::string name = Name(index);
  const std::string uid = Uid(index);
  const std::string version = std::to_string(48000000 + index);
  return runtime::MakeObject<capstan::api::ObjectMetadata>(runtime::ObjectIdentity{
      .namespace_ = ns, .name = name, .uid = uid, .resource_version = version});
}

std::size_t HeapBytes() {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

// One cached Secret: the object, its key, its entries in the store and in one index.
void BmCachedSecret(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  double bytes = 0;
  for (auto _ : state) {
    const std::size_t before = HeapBytes();
    capstan::cache::Indexer indexer;
    (void)indexer.AddIndex("namespace", [](const runtime::Object& object) {
      return std::vector<std::string>{std::string(object.namespace_())};
    });
    std::vector<runtime::ObjectPtr> items;
    items.reserve(count);
    for (std::size_t i = 0; i < count; ++i) items.push_back(MakeSecret(i));
    indexer.Replace(std::move(items));
    bytes = static_cast<double>(HeapBytes() - before) / static_cast<double>(count);
  }
  state.counters["bytes/object"] = bytes;
}
BENCHMARK(BmCachedSecret)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMillisecond)->Iterations(3);

// Workload is a kind with the usual members: texts, a number, and lists of texts and of structs.
struct Condition {
  std::string type;
  std::string status;
};
struct Workload {
  struct Spec {
    std::string node_name;
    int replicas = 0;
  } spec;
  struct Status {
    std::string phase;
    std::vector<std::string> addresses;
    std::vector<Condition> conditions;
  } status;
};

}  // namespace

template <>
inline constexpr auto capstan::kKind<Workload> =
    capstan::Kind("example.io", "v1", "Workload", "workloads")
        .Namespaced()
        .Spec(capstan::Field("nodeName", &Workload::Spec::node_name),
              capstan::Field("replicas", &Workload::Spec::replicas))
        .Status(capstan::Field("phase", &Workload::Status::phase),
                capstan::Field("addresses", &Workload::Status::addresses),
                capstan::Field("conditions", &Workload::Status::conditions,
                               capstan::Field("type", &Condition::type),
                               capstan::Field("status", &Condition::status)));

namespace {

// WrittenWorkload is the same kind with a decoder that is written by hand.
class WrittenWorkload final : public runtime::Object {
 public:
  WrittenWorkload(const runtime::ObjectIdentity& identity, Workload workload)
      : Object(identity), workload_(std::move(workload)) {}

 private:
  Workload workload_;
};

Workload DecodeWorkload(const runtime::JsonValue& value) {
  Workload workload;
  if (const runtime::JsonValue* spec = runtime::Find(value, "spec")) {
    workload.spec.node_name = runtime::GetString(*spec, "nodeName");
    workload.spec.replicas = runtime::GetInt(*spec, "replicas");
  }
  const runtime::JsonValue* status = runtime::Find(value, "status");
  if (status == nullptr) return workload;
  workload.status.phase = runtime::GetString(*status, "phase");
  if (const runtime::JsonValue* list = runtime::Find(*status, "addresses")) {
    const runtime::JsonElements elements(*list);
    workload.status.addresses.reserve(elements.size());
    for (const runtime::JsonValue& address : elements) {
      workload.status.addresses.emplace_back(runtime::AsString(address).value_or(""));
    }
  }
  if (const runtime::JsonValue* list = runtime::Find(*status, "conditions")) {
    const runtime::JsonElements elements(*list);
    workload.status.conditions.reserve(elements.size());
    for (const runtime::JsonValue& condition : elements) {
      workload.status.conditions.push_back(
          {.type = std::string(runtime::GetString(condition, "type")),
           .status = std::string(runtime::GetString(condition, "status"))});
    }
  }
  return workload;
}

const runtime::ResourceType& WrittenType() {
  static const runtime::ResourceType type = {
      .gvr = {"example.io", "v1", "workloads"},
      .kind = "Workload",
      .namespaced = true,
      .projection = {{"spec", "nodeName"},
                     {"spec", "replicas"},
                     {"status", "phase"},
                     {"status", "addresses"},
                     {"status", "conditions", "type"},
                     {"status", "conditions", "status"}},
      .decode = [](const runtime::ObjectIdentity& identity,
                   const runtime::JsonValue& value) -> capstan::Expected<runtime::ObjectPtr> {
        return runtime::MakeObject<WrittenWorkload>(identity, DecodeWorkload(value));
      }};
  return type;
}

runtime::ObjectPtr DecodeOne(JsonFilter& filter, const runtime::ResourceType& type,
                             std::string_view event) {
  runtime::ObjectPtr object;
  while (!event.empty()) {
    event.remove_prefix(filter.Feed(event).value());
    if (!filter.HasFrame()) continue;
    auto decoded = runtime::DecodeWatchEvent(type, filter.frame(), filter.frame_size());
    object = std::move(decoded->object);
  }
  return object;
}

// An event of a kind, from the bytes to the object, and the memory of that object.
void DecodeWorkloads(benchmark::State& state, const runtime::ResourceType& type) {
  const std::string event =
      R"({"type":"MODIFIED","object":{"apiVersion":"example.io/v1","kind":"Workload","metadata":{)"
      R"("name":")" +
      Name(1) + R"(","namespace":"team-1","uid":")" + Uid(1) +
      R"(","resourceVersion":"48000001","creationTimestamp":"2026-01-01T00:00:00Z",)"
      R"("labels":{"app.kubernetes.io/name":"load"}},"spec":{"nodeName":)"
      R"("worker-12.example.internal","replicas":3,"other":[1,2,3]},"status":{"phase":"Running",)"
      R"("addresses":["10.0.0.1","fd00:1234:5678:9abc::1"],"conditions":[)"
      R"({"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"},)"
      R"({"type":"ContainersReady","status":"True","message":"all containers are ready"}]}}})"
      "\n";
  constexpr std::size_t kObjects = 1000;
  JsonFilter filter(type.projection.watch(), {.framing = JsonFilter::Framing::kDocument});
  std::vector<runtime::ObjectPtr> objects(kObjects);
  benchmark::DoNotOptimize(DecodeOne(filter, type, event));
  const std::size_t before = HeapBytes();
  for (runtime::ObjectPtr& object : objects) object = DecodeOne(filter, type, event);
  state.counters["bytes/object"] = static_cast<double>(HeapBytes() - before) / kObjects;
  for (auto _ : state) benchmark::DoNotOptimize(DecodeOne(filter, type, event));
}
void BmDecodeWrittenKind(benchmark::State& state) { DecodeWorkloads(state, WrittenType()); }
void BmDecodeDeclaredKind(benchmark::State& state) {
  DecodeWorkloads(state, capstan::TypeOf<Workload>());
}
BENCHMARK(BmDecodeWrittenKind);
BENCHMARK(BmDecodeDeclaredKind);

void BmGetByKey(benchmark::State& state) {
  capstan::cache::Indexer indexer;
  for (std::size_t i = 0; i < 100000; ++i) indexer.Upsert(MakeSecret(i));
  const std::string key = "team-7/" + Name(100 * 50 + 7);
  for (auto _ : state) benchmark::DoNotOptimize(indexer.GetByKey(key));
}
BENCHMARK(BmGetByKey);

void BmQueueAddGetDone(benchmark::State& state) {
  capstan::workqueue::RateLimitingQueue queue({});
  for (auto _ : state) {
    queue.Add("team-1/release-name");
    const auto key = queue.Get();
    queue.Done(*key);
  }
}
BENCHMARK(BmQueueAddGetDone);

}  // namespace

int main(int argc, char** argv) {
  capstan::KeepHeapSmall();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
