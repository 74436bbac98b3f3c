// SPDX-License-Identifier: Apache-2.0
// The fields of Jobs that the examples use. Kubernetes defines the kind, so the declarations are
// partial.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capstan/kind.h"

// What a cache keeps of a Job: its metadata and its status.
struct Job {
  capstan::ObjectMeta metadata;
  struct Condition {
    std::string type, status;
  };
  struct Status {
    std::optional<capstan::Time> start_time, completion_time;
    std::vector<Condition> conditions;
  } status;
};

template <>
inline constexpr auto capstan::kKind<Job> =
    Kind("batch", "v1", "Job", "jobs")
        .Namespaced()
        .Partial()
        .Status(Field("startTime", &Job::Status::start_time),
                Field("completionTime", &Job::Status::completion_time),
                Field("conditions", &Job::Status::conditions, Field("type", &Job::Condition::type),
                      Field("status", &Job::Condition::status)));

// A Job that is created. Its spec is passed on as it is, and is in no cache.
struct NewJob {
  capstan::ObjectMeta metadata;
  capstan::RawJson spec;
};

template <>
inline constexpr auto capstan::kKind<NewJob> =
    Kind("batch", "v1", "Job", "jobs").Namespaced().Partial().Fields(Field("spec", &NewJob::spec));
