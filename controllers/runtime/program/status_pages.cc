// SPDX-License-Identifier: Apache-2.0
#include "capstan/status_pages.h"

#include <gflags/gflags.h>
#include <glog/logging.h>

#include <atomic>
#include <charconv>
#include <utility>

#include "capstan/flags/version.h"
#include "capstan/log.h"
#include "capstan/logging.h"
#include "capstan/metrics/process.h"
#include "capstan/time.h"

namespace capstan {
namespace {

constexpr std::chrono::seconds kSamplePeriod(30);
constexpr std::size_t kSamplesOfAnHour = 120;
constexpr int kLogLevelMax = 10;

statusz::Table GatesTable(const std::vector<featuregate::FeatureGate::State>& gates) {
  statusz::Table table{
      .name = "feature_gates", .title = "Feature gates", .columns = {"Gate", "Stage", "Enabled"}};
  for (const auto& gate : gates) {
    table.rows.push_back(
        {{gate.name},
         {gate.stage == featuregate::Stage::kGa ? "GA" : std::string(ToString(gate.stage))},
         {gate.enabled ? "true" : "false"}});
  }
  return table;
}

}  // namespace

StatusPages::StatusPages(Program program)
    : program_(std::move(program)),
      started_(Clock::Real().WallNow()),
      memory_(kSamplesOfAnHour),
      queue_(kSamplesOfAnHour) {}

void StatusPages::AddTo(EndpointServerOptions& endpoints, StatusAccess access) {
  if (access == StatusAccess::kOff) return;
  endpoints.pages_for_everybody = access == StatusAccess::kAll;
  endpoints.pages.push_back(
      {.path = "/statusz", .answer = [this](const auto& request) { return Statusz(request); }});
  endpoints.pages.push_back({.path = "/flagz", .answer = [this](const auto& /*request*/) {
                               Answer answer;
                               for (const std::string& line : program_.flags)
                                 answer.body += line + "\n";
                               return answer;
                             }});
  endpoints.pages.push_back({.path = "/debug/loglevel", .answer = &LogLevel, .takes_put = true});
  endpoints.periodic = [this] { Sample(); };
  endpoints.period = kSamplePeriod;
}

void StatusPages::Sample() {
  const Clock::WallTime now = Clock::Real().WallNow();
  if (const auto bytes = metrics::ReadProcessStats().resident_memory_bytes)
    memory_.Add(now, *bytes);
  queue_.Add(now, program_.queue_length());
}

StatusPages::Answer StatusPages::Statusz(const httpserver::Request& request) const {
  const std::string_view format = request.Query("format");
  if (!format.empty() && format != "json" && format != "html") {
    return {.status = 400, .body = "format " + Quoted(format) + ": expected html or json\n"};
  }
  statusz::Page page{.program = program_.name, .time = Clock::Real().WallNow()};
  const auto up = std::chrono::floor<std::chrono::seconds>(page.time - started_);
  page.facts = {{"Version", {program_.version.empty() ? flags::VersionText() : program_.version}},
                {"Started", {FormatTime(ToTime(started_))}},
                {"Up", {FormatDuration(up)}}};
  if (const auto bytes = metrics::ReadProcessStats().resident_memory_bytes) {
    page.facts.push_back({"Resident memory", {statusz::Bytes(*bytes)}});
  }
  program_.fill(page);
  page.tables.push_back(GatesTable(program_.gates));
  page.plots = {{.name = "resident_memory_bytes",
                 .title = "Resident memory",
                 .unit = statusz::Unit::kBytes,
                 .samples = memory_.Samples()},
                {.name = "queue_length",
                 .title = "Queue",
                 .unit = statusz::Unit::kCount,
                 .samples = queue_.Samples()}};
  if (format == "json") return {.content_type = "application/json", .body = Json(page)};
  return {.content_type = "text/html; charset=utf-8", .body = Html(page)};
}

EndpointPage::Answer LogLevel(const httpserver::Request& request) {
  std::atomic_ref<google::int32> level(FLAGS_v);
  if (request.method != "PUT") return {.body = "v=" + std::to_string(level.load()) + "\n"};
  const std::string& text = request.body;
  int wanted = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wanted);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || wanted < 0 || wanted > kLogLevelMax) {
    return {.status = 400,
            .body = "log level " + Quoted(text) + ": expected a number from 0 to " +
                    std::to_string(kLogLevelMax) + ", as in curl -X PUT -d 4\n"};
  }
  const int before = level.exchange(wanted);
  InfoS("Log level changed", "from", before, "to", wanted);
  return {.body = "v=" + std::to_string(wanted) + "\n"};
}

namespace {

std::string EncodingOf(const cache::ReflectorStatus& status) {
  if (!status.content_type) return {};
  return *status.content_type == rest::ContentType::kProtobuf ? "protobuf" : "JSON";
}

}  // namespace

statusz::Table CachesTable(const std::vector<cache::SharedInformerFactory::CacheStatus>& caches) {
  statusz::Table table{.name = "caches",
                       .title = "Caches",
                       .columns = {"Cache", "State", "Objects", "Bytes", "Resource version", "List",
                                   "Encoding", "Last progress", "Last error"}};
  const Clock::TimePoint now = Clock::Real().Now();
  std::vector<double> bytes;
  for (const auto& cache : caches) {
    bytes.push_back(static_cast<double>(cache.bytes));
    const auto& status = cache.reflector;
    const bool heard = status.last_progress != Clock::TimePoint();
    table.rows.push_back(
        {{cache.name},
         {std::string(ToString(status.state)),
          cache.synced ? statusz::Level::kGood : statusz::Level::kWarning},
         {std::to_string(cache.objects)},
         {statusz::Bytes(bytes.back())},
         {status.resource_version},
         {status.list_mode},
         {EncodingOf(status)},
         {heard ? Ago(now - status.last_progress) : "never"},
         {status.last_error ? status.last_error->message : "", statusz::Level::kBad}});
  }
  statusz::AddBars(table, 3, bytes);
  return table;
}

std::string Ago(Clock::Duration age) {
  return FormatDuration(std::chrono::floor<std::chrono::seconds>(age)) + " ago";
}

}  // namespace capstan
