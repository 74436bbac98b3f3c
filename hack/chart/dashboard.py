#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes charts/capstan/files/dashboard.json, the Grafana dashboard, from the panels below.

usage: hack/chart/dashboard.py [--check]     --check: write nothing, and exit 1 if it differs.
"""
import json
import os
import sys

FILE = os.path.realpath(os.path.join(os.path.dirname(__file__),
                                     "../../charts/capstan/files/dashboard.json"))
# Both programs, independent of the job's name.
OURS = 'kubernetes_build_info{compiler="gcc",job=~"$job"}'
M = A = 'job=~"$job"'

# (row, [(title, type, unit, width of 24, [(expression, legend)])])
ROWS = [
    ("CA injection", [
        ("Targets in sync", "stat", "short", 4, [
            (f"count(max by (kind, name) (capstan_injectable_in_sync{{{M}}}) == 1)", "in sync")]),
        ("Targets out of sync", "stat", "short", 4, [
            (f"sum(max by (kind, name) (capstan_injectable_in_sync{{{M}}}) == bool 0)", "out of sync")]),
        ("Leader", "stat", "short", 4, [
            ("max(leader_election_master_status{"
             f'name="cert-manager-cainjector-leader-election",{M}}})', "leading")]),
        ("Next end of a bundle's last certificate", "table", "dateTimeFromNow", 12, [
            ("bottomk(10, min by (kind, name) "
             f"(capstan_cabundle_last_expiration_timestamp_seconds{{{M}}}) * 1000)",
             "{{kind}} {{name}}")]),
        ("Looks at targets, by reason", "timeseries", "ops", 12, [
            (f"sum by (result) (rate(capstan_injection_total{{{M}}}[$__rate_interval]))", "{{result}}")]),
        ("Reconciliation, 99th percentile", "timeseries", "s", 12, [
            ("histogram_quantile(0.99, sum by (le, controller) (rate("
             f"controller_runtime_reconcile_time_seconds_bucket{{{M}}}[$__rate_interval])))",
             "{{controller}}")]),
        ("Queue depth", "timeseries", "short", 12, [
            (f"max by (name) (sum by (name, instance) (workqueue_depth{{{M}}}))", "{{name}}")]),
        ("Cached objects", "timeseries", "short", 12, [
            (f"max by (job, resource) (capstan_cache_objects{{{M}}})", "{{job}} {{resource}}")]),
    ]),
    ("Readiness gates", [
        ("Pods that wait, by gate", "timeseries", "short", 12, [
            (f"sum by (gate) (capstan_gate_pending{{{A}}})", "{{gate}}")]),
        ("From pod to open gate, 99th percentile", "timeseries", "s", 12, [
            ("histogram_quantile(0.99, sum by (le) (rate("
             f"capstan_gate_wait_seconds_bucket{{{A}}}[$__rate_interval])))", "all nodes")]),
        ("Writes to pods, by result", "timeseries", "ops", 12, [
            (f"sum by (result) (rate(capstan_gate_writes_total{{{A}}}[$__rate_interval]))",
             "{{result}}")]),
        ("Looks of the loop, by cause", "timeseries", "ops", 12, [
            (f"sum by (cause) (rate(capstan_loop_wakeups_total{{{A}}}[$__rate_interval]))",
             "{{cause}}")]),
    ]),
    ("The API server, and the processes", [
        ("Requests, by code", "timeseries", "reqps", 12, [
            (f"sum by (job, method, code) (rate(rest_client_requests_total{{{M}}}[$__rate_interval]))",
             "{{job}} {{method}} {{code}}")]),
        ("Watches that were opened, and errors", "timeseries", "ops", 12, [
            (f"sum by (resource) (rate(capstan_reflector_watches_total{{{M}}}[$__rate_interval]))",
             "{{resource}}"),
            ("sum by (resource, reason) (rate(capstan_reflector_watch_errors_total"
             f"{{{M}}}[$__rate_interval]))", "{{resource}}: {{reason}}")]),
        ("Resident memory", "timeseries", "bytes", 12, [
            (f"process_resident_memory_bytes{{{M}}} and on (instance) {OURS}", "{{job}} {{instance}}")]),
        ("CPU", "timeseries", "percentunit", 12, [
            (f"rate(process_cpu_seconds_total{{{M}}}[$__rate_interval]) and on (instance) {OURS}",
             "{{job}} {{instance}}")]),
    ]),
]


def queries():
    """Returns every expression, for tests that each returns data."""
    return [expression for _, panels in ROWS for *_, targets in panels for expression, _ in targets]


def panel(number, x, y, what):
    title, kind, unit, width, targets = what
    instant = kind != "timeseries"
    return {
        "id": number, "title": title, "type": kind,
        "datasource": {"type": "prometheus", "uid": "${datasource}"},
        "gridPos": {"h": 4 if kind == "stat" else 8, "w": width, "x": x, "y": y},
        "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
        "options": {},
        "targets": [{"refId": chr(ord("A") + index), "expr": expression, "legendFormat": legend,
                     "instant": instant, "range": not instant,
                     "format": "table" if kind == "table" else "time_series"}
                    for index, (expression, legend) in enumerate(targets)]}


def dashboard():
    panels, y = [], 0
    for row, members in ROWS:
        panels.append({"id": len(panels) + 1, "title": row, "type": "row", "collapsed": False,
                       "gridPos": {"h": 1, "w": 24, "x": 0, "y": y}, "panels": []})
        x, y, height = 0, y + 1, 0
        for what in members:
            if x + what[3] > 24:
                x, y, height = 0, y + height, 0
            made = panel(len(panels) + 1, x, y, what)
            panels.append(made)
            x, height = x + what[3], max(height, made["gridPos"]["h"])
        y += height
    job = {"name": "job", "label": "Job", "type": "query", "includeAll": True, "multi": True,
           "allValue": ".*", "current": {"text": "All", "value": "$__all"}, "refresh": 2,
           "datasource": {"type": "prometheus", "uid": "${datasource}"},
           "query": 'label_values(kubernetes_build_info{compiler="gcc"}, job)'}
    source = {"name": "datasource", "label": "Data source", "type": "datasource",
              "query": "prometheus"}
    return {"uid": "capstan", "title": "capstan", "tags": ["capstan", "cert-manager"],
            "schemaVersion": 39, "version": 1, "editable": True, "refresh": "1m",
            "time": {"from": "now-3h", "to": "now"}, "templating": {"list": [source, job]},
            "panels": panels}


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    text = json.dumps(dashboard(), indent=1) + "\n"
    try:
        with open(FILE, encoding="utf-8") as file:
            before = file.read()
    except FileNotFoundError:
        before = ""
    if arguments:
        if before != text:
            print("files/dashboard.json is not current; run hack/chart/dashboard.py")
        return int(before != text)
    with open(FILE, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
