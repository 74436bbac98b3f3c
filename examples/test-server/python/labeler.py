# SPDX-License-Identifier: Apache-2.0
"""An operator that adds a label to each ConfigMap: kopf run --standalone -n default labeler.py"""
import kopf


@kopf.on.login()
def login(**arguments):
    return kopf.login_with_kubeconfig(**arguments)


@kopf.on.event("configmaps")
def label(event, labels, patch, **_):
    if event["type"] != "DELETED" and labels.get("labeled") != "yes":
        patch.metadata.labels["labeled"] = "yes"
