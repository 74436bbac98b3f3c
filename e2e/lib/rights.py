# SPDX-License-Identifier: Apache-2.0
"""The rights of capstan-controller-manager, as docs/operate.md promises them."""
import os
import re

MANUAL = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "docs", "operate.md")
ROW = re.compile(r'\| `(?:""|([a-z0-9.-]+))` \| `(\w+)` \| ([a-z, ]+) \|[^|]*\|([^|]*)\|')


def rights():
    """[(API group, resource, [verb], what happens without it)], a row of the manual's table each."""
    with open(MANUAL, encoding="utf-8") as file:
        rows = [ROW.match(line) for line in file]
    found = [(row.group(1) or "", row.group(2), row.group(3).split(", "), row.group(4).strip())
             for row in rows if row]
    assert len(found) > 10, f"{MANUAL} has no table of rights"
    return found


def role(name, granted, namespace=None):
    """A ClusterRole, or a Role in a namespace."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "Role" if namespace else "ClusterRole", "metadata": metadata,
            "rules": [{"apiGroups": [group], "resources": [resource], "verbs": verbs}
                      for group, resource, verbs, _ in granted]}


def binding(name, kind, subject, namespace=None):
    """Of the role of that name, to a "User" or "Group"."""
    made = role(name, [], namespace)
    api_group = "rbac.authorization.k8s.io"
    return {"apiVersion": made["apiVersion"], "kind": made["kind"] + "Binding",
            "metadata": made["metadata"],
            "roleRef": {"apiGroup": api_group, "kind": made["kind"], "name": name},
            "subjects": [{"apiGroup": api_group, "kind": kind, "name": subject}]}
