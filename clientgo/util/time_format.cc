// SPDX-License-Identifier: Apache-2.0
#include "clientgo/util/time_format.h"
