# SPDX-License-Identifier: Apache-2.0
"""The same as runtime_events with containerd 2, which gives each client all events.

CRI-O is not run: Debian has no package of it.
"""
from scenarios import runtime_events

KINDS = ("real",)
SLOW = True


def run(scenario):
    runtime_events.run(scenario, "forky")
