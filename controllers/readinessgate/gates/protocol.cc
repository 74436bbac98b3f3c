// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/protocol.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "controllers/readinessgate/gates/gate_set.h"
#include "controllers/readinessgate/gates/text.h"

namespace capstan::readinessgate {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kTextBytesMax = 63;
constexpr std::size_t kShortNameBytes = 31;
constexpr std::size_t kReasonBytesMax = 64;
constexpr std::size_t kUidBytesMax = 64;
constexpr std::size_t kUidShown = 8;
constexpr std::array<std::string_view, 4> kStates = {"Pending", "Open", "Latched", "Error"};

std::string ReadyPrefix(std::string_view uid) {
  return "v1." + std::string(uid.substr(0, kUidShown)) + ".";
}

// Limits bounds the parts of a status that are written.
struct Limits {
  std::size_t message_bytes = kGateMessageBytesMax;
  std::size_t name_bytes = kTextBytesMax;
  bool open_gates = true;
  std::size_t gates = kGatesMax;
};

void Write(runtime::JsonWriter& writer, std::string_view key, std::string_view text,
           std::size_t bytes_max) {
  writer.Key(key);
  writer.String(Clip(text, bytes_max));
}

void WriteGate(runtime::JsonWriter& writer, const PodStatus::Gate& gate, const Limits& limits) {
  writer.StartObject();
  Write(writer, "name", gate.name, limits.name_bytes);
  Write(writer, "kind", gate.kind, kTextBytesMax);
  writer.Key("ok");
  writer.Bool(gate.ok);
  Write(writer, "reason", gate.reason, kReasonBytesMax);
  if (!gate.message.empty() && limits.message_bytes != 0) {
    Write(writer, "msg", gate.message, limits.message_bytes);
  }
  Write(writer, "since", gate.since, kTextBytesMax);
  writer.EndObject();
}

std::string ToJson(const PodStatus& status, const Limits& limits) {
  runtime::JsonWriter writer;
  writer.StartObject();
  writer.Key("v");
  writer.Int(kVersion);
  Write(writer, "uid", status.uid, kUidBytesMax);
  Write(writer, "gen", status.gen, kTextBytesMax);
  Write(writer, "state", kStates[static_cast<std::size_t>(status.state)], kTextBytesMax);
  writer.Key("gates");
  writer.StartArray();
  std::size_t written = 0;
  for (const PodStatus::Gate& gate : status.gates) {
    if ((gate.ok && !limits.open_gates) || written == limits.gates) continue;
    WriteGate(writer, gate, limits);
    ++written;
  }
  writer.EndArray();
  if (!status.opened.empty()) Write(writer, "opened", status.opened, kTextBytesMax);
  if (!status.by.empty()) Write(writer, "by", status.by, kTextBytesMax);
  writer.EndObject();
  return std::move(writer).Take();
}

std::optional<std::string_view> ReadString(const runtime::JsonValue& object, std::string_view key) {
  const runtime::JsonValue* value = runtime::Find(object, key);
  if (value == nullptr) return {};
  return runtime::AsString(*value);
}

std::optional<PodStatus::Gate> ReadGate(const runtime::JsonValue& value) {
  const auto name = ReadString(value, "name");
  const auto kind = ReadString(value, "kind");
  const runtime::JsonValue* ok_value = runtime::Find(value, "ok");
  const auto ok = ok_value == nullptr ? std::nullopt : runtime::AsBool(*ok_value);
  const auto reason = ReadString(value, "reason");
  const auto since = ReadString(value, "since");
  if (!name || !kind || !ok || !reason || !since) return {};
  return PodStatus::Gate{.name = std::string(*name),
                         .kind = std::string(*kind),
                         .ok = *ok,
                         .reason = std::string(*reason),
                         .message = std::string(runtime::GetString(value, "msg")),
                         .since = std::string(*since)};
}

std::optional<GateState> ReadState(const runtime::JsonValue& root) {
  const auto found = std::find(kStates.begin(), kStates.end(), runtime::GetString(root, "state"));
  if (found == kStates.end()) return {};
  return static_cast<GateState>(found - kStates.begin());
}

}  // namespace

std::string ReadyValue(std::string_view uid, Clock::WallTime opened) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(opened).time_since_epoch();
  return ReadyPrefix(uid) + std::to_string(std::max<std::int64_t>(0, seconds.count()));
}

bool IsReadyValueOf(std::string_view value, std::string_view uid) {
  constexpr std::size_t kDigitsMax = 19;
  const std::string prefix = ReadyPrefix(uid);
  if (uid.empty() || !value.starts_with(prefix)) return false;
  const std::string_view time = value.substr(prefix.size());
  return !time.empty() && time.size() <= kDigitsMax &&
         std::all_of(time.begin(), time.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string ToJson(const PodStatus& status) {
  Limits limits{.open_gates = status.gates.size() <= kGatesMax};
  std::string json = ToJson(status, limits);
  const auto fits = [&] { return json.size() <= kStatusBytesMax; };
  const auto shorten = [&](auto& limit, auto to) {
    limit = to;
    json = ToJson(status, limits);
  };
  for (const std::size_t bytes : {128U, 64U, 32U, 0U}) {
    if (!fits()) shorten(limits.message_bytes, bytes);
  }
  if (!fits()) shorten(limits.name_bytes, kShortNameBytes);
  if (!fits()) shorten(limits.open_gates, false);
  while (!fits()) shorten(limits.gates, limits.gates - 1);
  return json;
}

void KeepTimes(const PodStatus& before, PodStatus& after) {
  for (PodStatus::Gate& gate : after.gates) {
    const auto is_same = [&](const PodStatus::Gate& old) {
      return old.ok == gate.ok && old.reason == gate.reason &&
             (old.name == gate.name || old.name == Clip(gate.name, kTextBytesMax) ||
              old.name == Clip(gate.name, kShortNameBytes));
    };
    const auto same = std::find_if(before.gates.begin(), before.gates.end(), is_same);
    if (same != before.gates.end()) gate.since = same->since;
  }
}

std::optional<PodStatus> ParsePodStatus(std::string_view json) {
  BoundedJson document(2 * kStatusBytesMax);
  const auto parsed = document.Parse(json);
  if (!parsed) return {};
  const runtime::JsonValue& root = **parsed;
  const runtime::JsonValue* version = runtime::Find(root, "v");
  if (version == nullptr || runtime::AsInt(*version) != kVersion) return {};
  const auto uid = ReadString(root, "uid");
  const auto gen = ReadString(root, "gen");
  const auto state = ReadState(root);
  const runtime::JsonValue* gates = runtime::Find(root, "gates");
  if (!uid || !gen || !state || gates == nullptr) return {};
  const runtime::JsonElements elements(*gates);
  if (!runtime::IsJsonArray(*gates) || elements.size() > kGatesMax) return {};
  PodStatus status{.uid = std::string(*uid),
                   .gen = std::string(*gen),
                   .state = *state,
                   .opened = std::string(runtime::GetString(root, "opened")),
                   .by = std::string(runtime::GetString(root, "by"))};
  for (const runtime::JsonValue& value : elements) {
    auto gate = ReadGate(value);
    if (!gate) return {};
    status.gates.push_back(*std::move(gate));
  }
  return status;
}

}  // namespace capstan::readinessgate
