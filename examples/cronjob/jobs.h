// SPDX-License-Identifier: Apache-2.0
// The Jobs of a CronJob: how one is named and made, and what its status says. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "capstan/api/batch/v1/job.h"
#include "capstan/error.h"
#include "capstan/time.h"
#include "cronjob/cronjob.h"
#include "cronjob/time_zone.h"

using capstan::api::batch::v1::Job;

// Each Job has the time for which it was scheduled in this annotation.
inline constexpr char kScheduledAtAnnotation[] = "batch.tutorial.kubebuilder.io/scheduled-at";

// A Job's name is that of its CronJob and the minutes since 1970, so that one start has one Job. It
// has at most 63 characters, and the minutes have 8 until the year 2160.
inline constexpr std::size_t kCronJobNameMax = 52;
std::string JobNameFor(const CronJob& cron_job, capstan::Time scheduled);

// Makes the Job of a start, with the CronJob as its controller. Fails for a CronJob without a uid.
capstan::Expected<Job> MakeJob(const CronJob& cron_job, capstan::Time scheduled,
                               const absl::TimeZone& zone);

// Returns the annotation's time, or nullopt if it is missing or not a time.
std::optional<capstan::Time> ScheduledTimeOf(const Job& job);

// Returns "Complete" or "Failed", or "" if the Job has not finished.
std::string_view FinishedType(const Job& job);

// Orders Jobs by their start, and then by their names. Jobs that have not started come last.
bool StartedBefore(const Job& a, const Job& b);
