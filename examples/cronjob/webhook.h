// SPDX-License-Identifier: Apache-2.0
// The admission webhooks of CronJobs. SetDefaults completes one, Validate rejects a wrong one.
// Mirrors internal/webhook/v1 of the kubebuilder book. Validate also checks the time zone, as
// Kubernetes does for its own CronJobs.
#pragma once

#include "capstan/error.h"
#include "capstan/manager.h"
#include "cronjob/cronjob.h"

// Adds the webhooks to the manager. Their paths are
// /mutate-batch-tutorial-kubebuilder-io-v1-cronjob and
// /validate-batch-tutorial-kubebuilder-io-v1-cronjob.
capstan::Expected<void> AddCronJobWebhooks(capstan::Manager& manager);

// Sets the fields that are missing: concurrencyPolicy Allow, suspend false, and history limits of 3
// successful Jobs and 1 failed one.
void SetDefaults(CronJob& cron_job);

// Checks the name, the schedule and the time zone. The error is kInvalid and lists what is wrong. A
// CronJob that is being deleted is always valid.
capstan::Expected<void> Validate(const CronJob& cron_job);
