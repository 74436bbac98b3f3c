// SPDX-License-Identifier: Apache-2.0
#include "cronjob/jobs.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "capstan/conditions.h"
#include "capstan/controller_util.h"

using capstan::Expected;
using capstan::Time;

std::string JobNameFor(const CronJob& cron_job, Time scheduled) {
  const auto minutes = std::chrono::floor<std::chrono::minutes>(scheduled.time_since_epoch());
  return cron_job.metadata.name + "-" + std::to_string(minutes.count());
}

Expected<Job> MakeJob(const CronJob& cron_job, Time scheduled, const absl::TimeZone& zone) {
  const auto& from = cron_job.spec.job_template;
  Job job;
  job.metadata.name = JobNameFor(cron_job, scheduled);
  job.metadata.namespace_ = cron_job.metadata.namespace_;
  job.metadata.labels = from.metadata.labels;
  job.metadata.annotations = from.metadata.annotations;
  job.metadata.annotations[kScheduledAtAnnotation] = FormatTimeIn(zone, scheduled);
  job.spec = from.spec;
  auto owned = capstan::SetControllerReference(cron_job, job.metadata);
  if (!owned) return capstan::Err(std::move(owned.error()));
  return job;
}

std::optional<Time> ScheduledTimeOf(const Job& job) {
  const auto found = job.metadata.annotations.find(kScheduledAtAnnotation);
  if (found == job.metadata.annotations.end()) return std::nullopt;
  const auto time = capstan::ParseTime(found->second);
  if (!time) return std::nullopt;
  return std::chrono::floor<std::chrono::seconds>(*time);
}

std::string_view FinishedType(const Job& job) {
  for (const auto& condition : job.status.conditions) {
    const bool finishes = condition.type == "Complete" || condition.type == "Failed";
    if (finishes && condition.status == capstan::kConditionTrue) return condition.type;
  }
  return {};
}

bool StartedBefore(const Job& a, const Job& b) {
  const auto key = [](const Job& job) {
    return std::make_tuple(job.status.start_time.value_or(Time::max()),
                           std::string_view(job.metadata.name));
  };
  return key(a) < key(b);
}
