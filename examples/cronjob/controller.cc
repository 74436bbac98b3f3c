// SPDX-License-Identifier: Apache-2.0
#include "cronjob/controller.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "capstan/controller_util.h"
#include "capstan/log.h"
#include "cronjob/jobs.h"
#include "cronjob/missed_starts.h"
#include "cronjob/schedule.h"

using capstan::Err;
using capstan::Expected;
using capstan::Manager;
using capstan::Request;
using capstan::Result;
using capstan::Time;
using capstan::api::ObjectReference;
using capstan::record::kEventTypeNormal;
using capstan::record::kEventTypeWarning;

namespace {

constexpr char kByOwner[] = "controllerUid";
constexpr char kFieldManager[] = "cronjob-controller";

bool IsActive(const CronJob& cron_job, const std::string& uid) {
  return std::any_of(cron_job.status.active.begin(), cron_job.status.active.end(),
                     [&](const ObjectReference& job) { return job.uid == uid; });
}

void SetLater(std::optional<Time>& time, const std::optional<Time>& other) {
  if (other && (!time || *time < *other)) time = other;
}

// A Job in another namespace does not belong to a CronJob, even if it has its uid.
std::string OwnerKey(std::string_view ns, std::string_view uid) {
  return std::string(ns).append("/").append(uid);
}

std::string KeyText(const CronJob& cron_job) { return capstan::KeyOf(cron_job).String(); }

}  // namespace

CronJobReconciler::CronJobReconciler(Manager& manager, capstan::record::EventRecorder& events,
                                     capstan::Clock& clock)
    : manager_(manager),
      events_(events),
      clock_(clock),
      cron_jobs_(manager.client()),
      jobs_(manager.client()) {}

tl::expected<Result, capstan::ReconcileError> CronJobReconciler::Reconcile(std::stop_token stop,
                                                                           const Request& request) {
  const auto cached = ListerFor<CronJob>(manager_).Get(request.String());
  if (cached == nullptr) return Result{};  // Kubernetes deletes the Jobs with their CronJob
  CronJob cron_job = *cached;
  const Jobs jobs =
      ListerFor<Job>(manager_).ByIndex(kByOwner, OwnerKey(cached->namespace_(), cached->uid()));
  Observe(jobs, cron_job);
  Expected<Result> result;
  if (!cron_job.metadata.deletion_timestamp) result = StartIfDue(stop, cron_job);
  // The status is also written after an error: what it says has happened.
  Expected<void> written;
  if (cron_job.status != cached->status) written = WriteStatus(stop, cron_job);
  // An old Job may have the only copy of its scheduled time until the status has it.
  if (written) DeleteOldJobs(stop, cron_job, jobs);
  if (!written && result) result = Err(std::move(written.error()));
  if (!result) return tl::unexpected(capstan::ReconcileError{.error = std::move(result.error())});
  return *result;
}

void CronJobReconciler::Observe(const Jobs& jobs, CronJob& cron_job) {
  CronJob::Status status = cron_job.status;
  status.active.clear();
  for (const auto& job : jobs) {
    // A Job that is deleted by its history limit takes its annotation with it.
    SetLater(status.last_schedule_time, ScheduledTimeOf(*job));
    const std::string_view finished = FinishedType(*job);
    if (finished.empty()) {
      status.active.push_back(capstan::ReferenceTo(*job));
      continue;
    }
    if (finished == "Complete") SetLater(status.last_successful_time, job->status.completion_time);
    if (IsActive(cron_job, job->metadata.uid)) {
      Record(cron_job, kEventTypeNormal, "SawCompletedJob",
             "Job " + job->metadata.name + " finished: " + std::string(finished));
    }
  }
  std::sort(status.active.begin(), status.active.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  cron_job.status = std::move(status);
}

void CronJobReconciler::DeleteOldJobs(const std::stop_token& stop, CronJob& cron_job,
                                      const Jobs& jobs) {
  Jobs successful;
  Jobs failed;
  for (const auto& job : jobs) {
    const std::string_view finished = FinishedType(*job);
    if (finished == "Complete") successful.push_back(job);
    if (finished == "Failed") failed.push_back(job);
  }
  DeleteOldest(stop, cron_job, std::move(successful), cron_job.spec.successful_jobs_history_limit);
  DeleteOldest(stop, cron_job, std::move(failed), cron_job.spec.failed_jobs_history_limit);
}

// A Job that cannot be deleted does not keep others from starting. The next reconciliation tries
// again.
void CronJobReconciler::DeleteOldest(const std::stop_token& stop, CronJob& cron_job, Jobs jobs,
                                     std::optional<std::int32_t> limit) {
  if (!limit || static_cast<std::int64_t>(jobs.size()) <= *limit) return;
  std::sort(jobs.begin(), jobs.end(),
            [](const auto& a, const auto& b) { return StartedBefore(*a, *b); });
  jobs.resize(jobs.size() - static_cast<std::size_t>(*limit));
  for (const auto& job : jobs) {
    (void)DeleteJob(stop, cron_job, job->metadata.name, job->metadata.uid);
  }
}

Expected<void> CronJobReconciler::DeleteJob(const std::stop_token& stop, CronJob& cron_job,
                                            const std::string& name, const std::string& uid) {
  const auto deleted = jobs_.Delete(
      stop, {cron_job.metadata.namespace_, name},
      {.uid = uid, .propagation_policy = capstan::rest::PropagationPolicy::kBackground});
  if (!deleted && !IsNotFound(deleted.error())) {
    Record(cron_job, kEventTypeWarning, "FailedDelete",
           "Failed to delete Job " + name + ": " + deleted.error().message);
    return deleted;
  }
  std::erase_if(cron_job.status.active, [&](const auto& job) { return job.uid == uid; });
  if (deleted) {
    Record(cron_job, kEventTypeNormal, "SuccessfulDelete", "Deleted Job " + name);
  }
  return {};
}

// The next reconciliation must not see the Job, or it is active again in the status. There is no
// wait for a Job with a finalizer, because it may stay for long.
Expected<void> CronJobReconciler::WaitForDeletion(const std::stop_token& stop,
                                                  const ObjectReference& job) {
  const auto cached = ListerFor<Job>(manager_).Get(job.namespace_ + "/" + job.name);
  if (cached == nullptr || cached->uid() != job.uid) return {};
  if (!cached->metadata.finalizers.empty()) return {};
  return capstan::WaitForCacheDeletion(stop, manager_, *cached);
}

Expected<Result> CronJobReconciler::StartIfDue(const std::stop_token& stop, CronJob& cron_job) {
  // No retry helps against what a user has to change. The change comes here again.
  const auto invalid = [&](std::string_view reason, const capstan::Error& error) {
    capstan::WarningS("CronJob starts nothing", "cronJob", KeyText(cron_job), "reason", reason,
                      "err", error.message);
    Record(cron_job, kEventTypeWarning, reason, error.message);
    return Result{};
  };
  absl::TimeZone zone;
  if (cron_job.spec.time_zone) {
    const auto loaded = LoadTimeZone(*cron_job.spec.time_zone);
    if (!loaded) return invalid("UnknownTimeZone", loaded.error());
    zone = *loaded;
  }
  if (cron_job.spec.suspend.value_or(false)) return Result{};
  const auto schedule = Schedule::Parse(cron_job.spec.schedule, zone);
  if (!schedule) return invalid("UnparseableSchedule", schedule.error());
  const WallTime now = clock_.WallNow();
  const auto missed = FindMissedStarts(cron_job, now, *schedule, /*deadline=*/true);
  if (!missed) return invalid("InvalidSchedule", missed.error());

  if (missed->most_recent) {
    if (missed->count > kManyMissed) {
      Record(cron_job, kEventTypeWarning, "TooManyMissedTimes",
             "More than " + std::to_string(kManyMissed) +
                 " starts were missed; set or decrease spec.startingDeadlineSeconds, or check the "
                 "clocks");
    }
    auto started = StartJob(stop, cron_job, *missed->most_recent, zone);
    if (!started) return Err(std::move(started.error()));
  }
  return Result{.requeue_after = TimeToNextStart(cron_job, now, *schedule)};
}

Expected<void> CronJobReconciler::StartJob(const std::stop_token& stop, CronJob& cron_job,
                                           Time scheduled, const absl::TimeZone& zone) {
  auto& active = cron_job.status.active;
  if (cron_job.spec.concurrency_policy == kForbidConcurrent && !active.empty()) {
    Record(cron_job, kEventTypeNormal, "JobAlreadyActive",
           "Did not start a Job, because Job " + active.front().name +
               " is active and spec.concurrencyPolicy is Forbid");
    return {};
  }
  if (cron_job.spec.concurrency_policy == kReplaceConcurrent) {
    const auto replaced = active;  // DeleteJob changes `active`
    for (const ObjectReference& job : replaced) {
      if (auto deleted = DeleteJob(stop, cron_job, job.name, job.uid); !deleted) return deleted;
      if (auto gone = WaitForDeletion(stop, job); !gone) return gone;
    }
  }

  const auto job = MakeJob(cron_job, scheduled, zone);
  if (!job) return Err(job.error());
  const auto created = jobs_.Create(stop, *job, {.field_manager = kFieldManager});
  if (!created && IsAlreadyExists(created.error())) {
    return TakeExistingJob(stop, cron_job, job->metadata.name, scheduled);
  }
  if (!created) {
    Record(cron_job, kEventTypeWarning, "FailedCreate",
           "Failed to create Job " + job->metadata.name + ": " + created.error().message);
    return Err(created.error());
  }
  capstan::V(1).InfoS("Created Job", "cronJob", KeyText(cron_job), "job", job->metadata.name);
  Record(cron_job, kEventTypeNormal, "SuccessfulCreate", "Created Job " + job->metadata.name);
  active.push_back(capstan::ReferenceTo(static_cast<const Job&>(**created)));
  cron_job.status.last_schedule_time = scheduled;
  // The next reconciliation must see it, or it starts another one with the policy Forbid.
  return capstan::WaitForCacheVersion<Job>(stop, manager_, **created);
}

Expected<void> CronJobReconciler::TakeExistingJob(const std::stop_token& stop, CronJob& cron_job,
                                                  const std::string& name, Time scheduled) {
  const auto existing = jobs_.Get(stop, {cron_job.metadata.namespace_, name});
  if (!existing) return Err(existing.error());
  const Job& job = **existing;
  if (!capstan::IsControlledBy(job.metadata, cron_job)) {
    Record(cron_job, kEventTypeWarning, "FailedCreate",
           "Job " + name + " exists and does not belong to this CronJob");
    return {};
  }
  if (FinishedType(job).empty() && !IsActive(cron_job, job.metadata.uid)) {
    cron_job.status.active.push_back(capstan::ReferenceTo(job));
  }
  SetLater(cron_job.status.last_schedule_time, scheduled);
  return {};
}

Expected<void> CronJobReconciler::WriteStatus(const std::stop_token& stop,
                                              const CronJob& cron_job) {
  // It has the version of the cache, so it fails if the CronJob has changed since.
  auto written = cron_jobs_.UpdateStatus(stop, cron_job, {.field_manager = kFieldManager});
  if (!written) return capstan::IgnoreNotFound(written);
  return capstan::WaitForCacheVersion(stop, manager_, **written);
}

void CronJobReconciler::Record(const CronJob& cron_job, std::string_view type,
                               std::string_view reason, const std::string& message) {
  events_.Event(capstan::ReferenceTo(cron_job), type, reason, message);
}

Expected<void> AddJobIndex(Manager& manager) {
  return AddIndexFor<Job>(manager, kByOwner, [](const Job& job) -> std::optional<std::string> {
    const auto* owner = capstan::GetControllerOf(job.metadata);
    if (owner == nullptr) return std::nullopt;
    return OwnerKey(job.metadata.namespace_, owner->uid);
  });
}

Expected<capstan::Controller*> AddCronJobController(Manager& manager, capstan::Clock& clock) {
  if (auto added = AddJobIndex(manager); !added) return Err(std::move(added.error()));
  return ControllerFor<CronJob>(manager)
      .Owns<Job>()
      .WithOptions({.clock = &clock})
      .Reconcile(std::make_unique<CronJobReconciler>(manager, manager.events(), clock));
}
