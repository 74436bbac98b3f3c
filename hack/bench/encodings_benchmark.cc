// SPDX-License-Identifier: Apache-2.0
// One event of a watch, from the bytes of the socket's buffer to the object, in JSON and in
// protobuf. The pod is an answer of kube-apiserver; the agent reads six of its fields.
#include <benchmark/benchmark.h>
#include <glog/logging.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "capstan/api/object_metadata.h"
#include "capstan/runtime/decoder.h"
#include "capstan/runtime/json_filter.h"
#include "clientgo/runtime/protobuf/protobuf_filter.h"
#include "clientgo/runtime/testing/protobuf_bytes.h"
#include "clientgo/testing/apiserver/types/protobuf_encoder.h"
#include "controllers/readinessgate/gates/objects.h"

namespace {

namespace runtime = capstan::runtime;

constexpr std::string_view kSecret =
    R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
    R"("metadata":{"name":"release-name-7919-tls","namespace":"team-1",)"
    R"("uid":"0e3a5f1c-7b0d-4b43-9f63-5d1f3c2a9b17",)"
    R"("resourceVersion":"48000001","creationTimestamp":"2026-01-01T00:00:00Z",)"
    R"("labels":{"app.kubernetes.io/name":"load","part":"1"},"managedFields":[{"manager":)"
    R"("kubectl","operation":"Update","apiVersion":"v1","time":"2026-01-01T00:00:00Z",)"
    R"("fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:payload":{}},"f:metadata":)"
    R"({"f:labels":{".":{},"f:app.kubernetes.io/name":{},"f:part":{}}},"f:type":{}}}]}})";

std::string ReadFile(const std::string& name) {
  std::ifstream file(std::string(TESTDATA_DIR) + "/" + name, std::ios::binary);
  CHECK(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the object without white space, as an API server sends it.
std::string Compact(std::string_view json) {
  static const auto all = runtime::Projection::All();
  runtime::JsonFilter filter(all, {});
  CHECK(filter.Feed(json).has_value() && filter.HasFrame());
  return {filter.frame(), filter.frame_size()};
}

// Decodes the same event again and again.
void Decode(benchmark::State& state, runtime::FrameFilter& filter,
            const runtime::ResourceType& type, std::string_view event) {
  for (auto _ : state) {
    std::string_view bytes = event;
    while (!bytes.empty()) {
      bytes.remove_prefix(filter.Feed(bytes).value());
      if (!filter.HasFrame()) continue;
      auto decoded = runtime::DecodeWatchEvent(type, filter.frame(), filter.frame_size());
      benchmark::DoNotOptimize(decoded);
    }
  }
  state.counters["bytes"] = static_cast<double>(event.size());
}

void DecodeJson(benchmark::State& state, const runtime::ResourceType& type,
                const std::string& object) {
  runtime::JsonFilter filter(type.projection.watch(), {});
  Decode(state, filter, type, R"({"type":"MODIFIED","object":)" + object + "}\n");
}

void DecodeProtobuf(benchmark::State& state, const runtime::ResourceType& type,
                    const std::string& object) {
  runtime::ProtobufFilter filter(type.projection.watch(), runtime::ProtobufFilter::Stream::kWatch,
                                 {});
  Decode(state, filter, type, runtime::WatchEvent("MODIFIED", object));
}

runtime::ResourceType SecretType() {
  return capstan::api::MakeMetadataType(
      {.gvr = {"", "v1", "secrets"}, .kind = "Secret", .namespaced = true});
}

void BmSecretInJson(benchmark::State& state) {
  DecodeJson(state, SecretType(), std::string(kSecret));
}
BENCHMARK(BmSecretInJson);

void BmSecretInProtobuf(benchmark::State& state) {
  DecodeProtobuf(state, SecretType(), capstan::testing::apiserver::ProtobufFromText(kSecret));
}
BENCHMARK(BmSecretInProtobuf);

void BmPodOfAgentInJson(benchmark::State& state) {
  DecodeJson(state, capstan::readinessgate::MakePodType({}), Compact(ReadFile("pod.json")));
}
BENCHMARK(BmPodOfAgentInJson);

void BmPodOfAgentInProtobuf(benchmark::State& state) {
  DecodeProtobuf(state, capstan::readinessgate::MakePodType({}), ReadFile("pod.pb"));
}
BENCHMARK(BmPodOfAgentInProtobuf);

}  // namespace
