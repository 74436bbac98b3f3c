// SPDX-License-Identifier: Apache-2.0
#include "clientgo/record/event_correlator.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <utility>

#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"

namespace capstan::record {
namespace {

// client-go's defaults.
constexpr std::size_t kSimilarMax = 10;
constexpr auto kSimilarInterval = std::chrono::minutes(10);
constexpr int kSpamBurst = 25;
constexpr auto kSpamInterval = std::chrono::minutes(5);
constexpr std::string_view kCombinedPrefix = "(combined from similar events): ";

std::uint64_t Hash(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    text += part;
    text += '\0';
  }
  return std::hash<std::string>()(text);
}

std::uint64_t ObjectKey(const api::ObjectReference& object) {
  return Hash({object.api_version, object.kind, object.namespace_, object.name, object.uid});
}

}  // namespace

runtime::ObjectKey EventRecord::Key() const {
  const std::string& ns = fields.involved_object.namespace_;
  return {.namespace_ = ns.empty() ? "default" : ns, .name = name};
}

std::string EventName(std::string_view object_name, Clock::WallTime time) {
  const auto nanos =
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  constexpr std::size_t kNameMax = 253;
  std::array<char, 16> hex{};
  const auto end = std::to_chars(hex.begin(), hex.end(), static_cast<std::uint64_t>(nanos), 16).ptr;
  const std::string suffix = "." + std::string(hex.begin(), end);
  std::string name = std::string(object_name) + suffix;
  if (name.size() > kNameMax || !IsDnsSubdomain(name)) name = "event" + suffix;
  return name;
}

std::string ToPatch(const EventRecord& event) {
  runtime::JsonWriter writer;
  writer.StartObject();
  writer.Key("count");
  writer.Int(event.fields.count);
  writer.Key("lastTimestamp");
  writer.String(event.fields.last_timestamp);
  writer.Key("message");
  writer.String(event.fields.message);
  writer.EndObject();
  return std::move(writer).Take();
}

std::optional<EventCorrelator::Result> EventCorrelator::Correlate(EventRecord event) {
  const Key key = Aggregate(event);
  Observed& observed = observed_.GetOrAdd(key);
  const bool seen_before = observed.count > 0;
  if (seen_before) {
    event.name = observed.name;
    event.fields.first_timestamp = observed.first_timestamp;
  } else {
    observed.name = event.name;
    observed.first_timestamp = event.fields.first_timestamp;
  }
  // Dropped events also count, so that the next one shows the true count.
  event.fields.count = ++observed.count;
  if (!IsAllowed(event.fields.involved_object)) return std::nullopt;
  return Result{.event = std::move(event), .seen_before = seen_before};
}

// Returns the key for equal events. From the tenth message on, it is the key of all similar events,
// and the message says so.
EventCorrelator::Key EventCorrelator::Aggregate(EventRecord& event) {
  api::EventFields& fields = event.fields;
  const std::string object = std::to_string(ObjectKey(fields.involved_object));
  const Key similar_key = Hash({object, fields.type, fields.reason});
  const Key equal_key = Hash({object, fields.type, fields.reason, fields.message});

  const Clock::TimePoint now = clock_.Now();
  Similar& similar = similar_.GetOrAdd(similar_key);
  if (now - similar.last > kSimilarInterval) similar.messages.clear();
  similar.last = now;

  std::vector<Key>& messages = similar.messages;
  if (std::find(messages.begin(), messages.end(), equal_key) != messages.end()) return equal_key;
  if (messages.size() + 1 < kSimilarMax) {
    messages.push_back(equal_key);
    return equal_key;
  }
  const std::string combined = std::string(kCombinedPrefix) + fields.message;
  fields.message = TruncateUtf8(combined, kMessageBytesMax);
  return similar_key;
}

bool EventCorrelator::IsAllowed(const api::ObjectReference& object) {
  const Clock::TimePoint now = clock_.Now();
  TokenBucket& bucket =
      buckets_.GetOrAdd(ObjectKey(object), TokenBucket(kSpamInterval, kSpamBurst, now));
  return bucket.Reserve(now, Clock::Duration::zero()).has_value();
}

}  // namespace capstan::record
