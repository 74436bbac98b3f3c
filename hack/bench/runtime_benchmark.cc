// SPDX-License-Identifier: Apache-2.0
// Benchmarks of single operations of clientgo. Times depend on the machine. Byte counters do not:
// they count what the heap allocates.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <memory>
#include <string>
#include <vector>

#include "capstan/clientgo/api/object_metadata.h"
#include "capstan/clientgo/cache/store.h"
#include "capstan/clientgo/runtime/decoder.h"
#include "capstan/clientgo/runtime/json_filter.h"
#include "capstan/clientgo/util/heap.h"
#include "capstan/clientgo/workqueue/queue.h"

namespace {

using capstan::clientgo::runtime::JsonFilter;

// Returns realistic metadata: a namespace, a name with a hash, a uid, a version.
std::string Name(std::size_t index) {
  return "release-name-" + std::to_string(index * 7919 % 1000003) + "-tls";
}

std::string Uid(std::size_t index) {
  const std::string digits = std::to_string(100000000000 + index);
  return "3f2a9c1e-7b54-4d0e-9a6b-" + digits.substr(0, 12);
}

capstan::clientgo::runtime::ObjectPtr MakeSecret(std::size_t index) {
  const std::string ns = "team-" + std::to_string(index % 50);
  const std::string name = Name(index);
  const std::string uid = Uid(index);
  const std::string version = std::to_string(48000000 + index);
  return capstan::clientgo::runtime::MakeObject<capstan::clientgo::api::ObjectMetadata>(
      capstan::clientgo::runtime::ObjectMeta{
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
    capstan::clientgo::cache::Indexer indexer;
    (void)indexer.AddIndex("namespace", [](const capstan::clientgo::runtime::Object& object) {
      return std::vector<std::string>{std::string(object.namespace_())};
    });
    std::vector<capstan::clientgo::runtime::ObjectPtr> items;
    items.reserve(count);
    for (std::size_t i = 0; i < count; ++i) items.push_back(MakeSecret(i));
    indexer.Replace(std::move(items));
    bytes = static_cast<double>(HeapBytes() - before) / static_cast<double>(count);
  }
  state.counters["bytes/object"] = bytes;
}
BENCHMARK(BmCachedSecret)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMillisecond)->Iterations(3);

// One event of a metadata watch, from the bytes to the object.
void BmDecodeEvent(benchmark::State& state) {
  const auto type = capstan::clientgo::api::MakeMetadataType(
      {.gvr = {"", "v1", "secrets"}, .kind = "Secret", .namespaced = true});
  const std::string event =
      R"({"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
      R"("metadata":{"name":")" +
      Name(1) + R"(","namespace":"team-1","uid":")" + Uid(1) +
      R"(","resourceVersion":"48000001","creationTimestamp":"2026-01-01T00:00:00Z",)"
      R"("labels":{"app.kubernetes.io/name":"load","part":"1"},"managedFields":[{"manager":)"
      R"("kubectl","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z",)"
      R"("fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:payload":{}},"f:metadata":)"
      R"({"f:labels":{".":{},"f:app.kubernetes.io/name":{},"f:part":{}}},"f:type":{}}}]}}})"
      "\n";
  JsonFilter filter(type.projection.watch(), {.framing = JsonFilter::Framing::kDocument});
  for (auto _ : state) {
    std::string_view bytes = event;
    while (!bytes.empty()) {
      bytes.remove_prefix(filter.Feed(bytes).value());
      if (!filter.HasFrame()) continue;
      auto decoded =
          capstan::clientgo::runtime::DecodeWatchEvent(type, filter.frame(), filter.frame_size());
      benchmark::DoNotOptimize(decoded);
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(event.size()));
}
BENCHMARK(BmDecodeEvent);

void BmGetByKey(benchmark::State& state) {
  capstan::clientgo::cache::Indexer indexer;
  for (std::size_t i = 0; i < 100000; ++i) indexer.Upsert(MakeSecret(i));
  const std::string key = "team-7/" + Name(100 * 50 + 7);
  for (auto _ : state) benchmark::DoNotOptimize(indexer.GetByKey(key));
}
BENCHMARK(BmGetByKey);

void BmQueueAddGetDone(benchmark::State& state) {
  capstan::clientgo::workqueue::RateLimitingQueue queue({});
  for (auto _ : state) {
    queue.Add("team-1/release-name");
    const auto key = queue.Get();
    queue.Done(*key);
  }
}
BENCHMARK(BmQueueAddGetDone);

}  // namespace

int main(int argc, char** argv) {
  capstan::clientgo::util::KeepHeapSmall();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
