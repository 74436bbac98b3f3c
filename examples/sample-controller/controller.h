// SPDX-License-Identifier: Apache-2.0
// The controller of Foos. It keeps a Deployment of nginx for each Foo. Mirrors controller.go of
// kubernetes/sample-controller v0.36.
#pragma once

#include <stop_token>

#include "capstan/api/apps/v1/deployment.h"
#include "capstan/builder.h"
#include "capstan/manager.h"
#include "sample-controller/foo.h"

using capstan::api::apps::v1::Deployment;

// The owner of the written fields, and the reasons and messages of Events.
inline constexpr char kFieldManager[] = "sample-controller";
inline constexpr char kSuccessSynced[] = "Synced";
inline constexpr char kErrResourceExists[] = "ErrResourceExists";
inline constexpr char kMessageResourceSynced[] = "Foo synced successfully";

// Adds the controller to the manager. Mirrors NewController and Run.
capstan::Expected<capstan::Controller*> AddSampleController(capstan::Manager& manager);

// Brings the Deployment and the status of one Foo up to date. The controller calls it after each
// change of either, and again with backoff after an error. Mirrors syncHandler.
capstan::Expected<void> SyncHandler(capstan::Manager& manager, const std::stop_token& stop,
                                    const capstan::Request& request);

// Returns the Deployment of a Foo, with the Foo as its controller. Fails for a Foo without a uid.
capstan::Expected<Deployment> NewDeployment(const Foo& foo);
