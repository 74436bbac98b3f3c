// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "clientgo/runtime/json.h"
#include "cmd/capstan/inspect/explain.h"
#include "cmd/capstan/inspect/json_items.h"

namespace cmd::capstan::inspect {
namespace {

using clientgo::runtime::JsonWriter;
using clientgo::runtime::WriteField;
using clientgo::runtime::WriteKey;

struct Mark {
  const char* text;  // five columns
  const char* word;
  Tone tone;
};

Mark MarkOf(ChainLink::State state) {
  switch (state) {
    case ChainLink::State::kOk:
      return {"ok   ", "ok", Tone::kGood};
    case ChainLink::State::kWaits:
      return {"wait ", "waits", Tone::kWait};
    case ChainLink::State::kBroken:
      return {"FAIL ", "broken", Tone::kBad};
    case ChainLink::State::kUnknown:
      return {"?    ", "unknown", Tone::kWait};
    case ChainLink::State::kNotReached:
      break;
  }
  return {"-    ", "notReached", Tone::kFaint};
}

Tone ToneOf(const Explanation& explanation) {
  if (explanation.all_well()) return Tone::kGood;
  return explanation.state == "Broken" ? Tone::kBad : Tone::kWait;
}

}  // namespace

std::string ToText(const Explanation& explanation, const Terminal& terminal) {
  std::string out =
      Toned(terminal, Tone::kBold, explanation.kind + "/" + explanation.name) + ": " +
      Toned(terminal, ToneOf(explanation),
            explanation.state + (explanation.reason.empty() ? "" : ", ") + explanation.reason) +
      "\n";
  std::size_t width = 0;
  for (const ChainLink& link : explanation.links) width = std::max(width, link.name.size());
  for (const ChainLink& link : explanation.links) {
    const Mark mark = MarkOf(link.state);
    std::string name = link.name;
    if (!link.detail.empty()) name.append(width - name.size(), ' ');
    out += "  " + Toned(terminal, mark.tone, mark.text) + " " + name;
    if (!link.detail.empty()) out += "  " + Printable(link.detail);
    out += "\n";
  }
  if (explanation.links.empty()) out += "  " + Printable(explanation.message) + "\n";
  if (!explanation.manager.empty()) out += "  " + Printable(explanation.manager) + "\n";
  for (const std::string& note : explanation.notes) out += "  note: " + Printable(note) + "\n";
  if (!explanation.fix.empty()) {
    out += std::string(explanation.unknown() ? "to check it" : "fix") + ":\n  " +
           Toned(terminal, Tone::kBold, Printable(explanation.fix)) + "\n";
  }
  return out;
}

std::string ToJson(const Explanation& explanation) {
  clientgo::runtime::JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  WriteField(writer, "kind", explanation.kind);
  WriteField(writer, "name", explanation.name);
  WriteField(writer, "state", explanation.state);
  WriteField(writer, "reason", explanation.reason);
  WriteField(writer, "message", explanation.message);
  WriteObjects(writer, "links", explanation.links, [&](const ChainLink& link) {
    WriteField(writer, "name", link.name);
    WriteField(writer, "state", MarkOf(link.state).word);
    WriteField(writer, "detail", link.detail);
  });
  WriteField(writer, "manager", explanation.manager);
  WriteKey(writer, "notes");
  writer.StartArray();
  for (const std::string& note : explanation.notes) clientgo::runtime::WriteString(writer, note);
  writer.EndArray();
  WriteField(writer, "fix", explanation.fix);
  writer.EndObject();
  return std::string(buffer.GetString()) + "\n";
}

}  // namespace cmd::capstan::inspect
