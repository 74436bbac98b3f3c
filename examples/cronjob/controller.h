// SPDX-License-Identifier: Apache-2.0
// The controller of CronJobs. It creates a Job at each time of the schedule, and deletes the oldest
// finished ones.
//  - A start is missed while the controller does not run, and while a Job runs with the policy
//    Forbid. Of several missed starts only the most recent one is caught up, and only within
//    spec.startingDeadlineSeconds.
//  - One start has one Job, because the Job's name has its time.
//  - status.active and status.lastScheduleTime are made from the Jobs, so a lost write of the
//    status loses nothing. Old Jobs are deleted only after the status is written.
//
// Mirrors internal/controller of the kubebuilder book. When a start is missed, and which Events are
// recorded, mirrors kube-controller-manager's pkg/controller/cronjob.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/builder.h"
#include "capstan/client.h"
#include "capstan/clock.h"
#include "capstan/manager.h"
#include "capstan/record/event_recorder.h"
#include "cronjob/cronjob.h"
#include "cronjob/jobs.h"
#include "cronjob/time_zone.h"

// Adds the controller to the manager. `clock` outlives the manager.
capstan::Expected<capstan::Controller*> AddCronJobController(capstan::Manager& manager,
                                                             capstan::Clock& clock);

// Adds the index of Jobs by their owner to the cache. AddCronJobController calls it.
capstan::Expected<void> AddJobIndex(capstan::Manager& manager);

class CronJobReconciler final : public capstan::Reconciler {
 public:
  // The references outlive it.
  CronJobReconciler(capstan::Manager& manager, capstan::record::EventRecorder& events,
                    capstan::Clock& clock);

  // Brings the Jobs and the status of one CronJob up to date. The result has the time until the
  // next start.
  tl::expected<capstan::Result, capstan::ReconcileError> Reconcile(
      std::stop_token stop, const capstan::Request& request) override;

 private:
  using Jobs = std::vector<capstan::Ptr<Job>>;

  // Sets the status from the Jobs.
  void Observe(const Jobs& jobs, CronJob& cron_job);
  void DeleteOldJobs(const std::stop_token& stop, CronJob& cron_job, const Jobs& jobs);
  void DeleteOldest(const std::stop_token& stop, CronJob& cron_job, Jobs jobs,
                    std::optional<std::int32_t> limit);
  capstan::Expected<void> DeleteJob(const std::stop_token& stop, CronJob& cron_job,
                                    const std::string& name, const std::string& uid);
  // Waits until the cache does not have a deleted Job.
  capstan::Expected<void> WaitForDeletion(const std::stop_token& stop,
                                          const capstan::api::ObjectReference& job);

  // Starts a Job if a start was missed.
  capstan::Expected<capstan::Result> StartIfDue(const std::stop_token& stop, CronJob& cron_job);
  // Creates the Job of a start, and adds it to the status. `zone` is that of the CronJob.
  capstan::Expected<void> StartJob(const std::stop_token& stop, CronJob& cron_job,
                                   capstan::Time scheduled, const absl::TimeZone& zone);
  // Is called when the name is in use.
  capstan::Expected<void> TakeExistingJob(const std::stop_token& stop, CronJob& cron_job,
                                          const std::string& name, capstan::Time scheduled);
  capstan::Expected<void> WriteStatus(const std::stop_token& stop, const CronJob& cron_job);

  void Record(const CronJob& cron_job, std::string_view type, std::string_view reason,
              const std::string& message);

  capstan::Manager& manager_;
  capstan::record::EventRecorder& events_;
  capstan::Clock& clock_;
  const capstan::Client<CronJob> cron_jobs_;
  const capstan::Client<Job> jobs_;
};
