// The controller of Widgets. It keeps a Deployment for each Widget.
#pragma once

#include "capstan/error.h"
#include "capstan/manager.h"

capstan::Expected<void> AddWidgetController(capstan::Manager& manager);
