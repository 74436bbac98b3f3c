# SPDX-License-Identifier: Apache-2.0
"""The rights of capstan-controller-manager, from docs/operate.md."""
import os
import re
import time

ROLES = "/apis/rbac.authorization.k8s.io/v1/"
USER = "capstan"
MANUAL = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "docs", "operate.md")
ROW = re.compile(r'\| `(?:""|([a-z0-9.-]+))` \| `(\w+)` \| ([a-z, ]+) \|[^|]*\|([^|]*)\|')


def rights():
    """Returns the rows of the table: [(API group, resource, [verb], effect without it)]."""
    with open(MANUAL, encoding="utf-8") as file:
        rows = [ROW.match(line) for line in file]
    found = [(row.group(1) or "", row.group(2), row.group(3).split(", "), row.group(4).strip())
             for row in rows if row]
    assert len(found) > 10, f"{MANUAL} has no table of rights"
    return found


def role(name, granted, namespace=None):
    """Returns a ClusterRole, or a Role in a namespace."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "Role" if namespace else "ClusterRole", "metadata": metadata,
            "rules": [{"apiGroups": [group], "resources": [resource], "verbs": verbs}
                      for group, resource, verbs, _ in granted]}


def binding(name, kind, subject, namespace=None):
    """Returns a binding of the role of that name to a "User" or "Group"."""
    made = role(name, [], namespace)
    api_group = "rbac.authorization.k8s.io"
    return {"apiVersion": made["apiVersion"], "kind": made["kind"] + "Binding",
            "metadata": made["metadata"],
            "roleRef": {"apiGroup": api_group, "kind": made["kind"], "name": name},
            "subjects": [{"apiGroup": api_group, "kind": kind, "name": subject}]}


def install(client):
    """Grants the manager's rights to the group capstan, and those on Secrets only to its user."""
    granted = rights()
    for name, kind, secrets in (("capstan", "Group", False), ("capstan-secrets", "User", True)):
        client.create(role(name, [right for right in granted if (right[1] == "secrets") == secrets]))
        client.create(binding(name, kind, "capstan"))


def may(client, group, resource, verb, namespace=None, name=None):
    attributes = {"group": group, "resource": resource, "verb": verb,
                  **({"namespace": namespace} if namespace else {}),
                  **({"name": name} if name else {})}
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
              "spec": {"user": USER, "groups": [USER], "resourceAttributes": attributes}}
    return client.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                       review)["status"]["allowed"]


def grant(client, granted, lease_namespace=None):
    """Grants exactly these rights; those on Leases only in that namespace, by its Role "lease".

    The roles must exist. Returns when they take effect; running watches continue.
    """
    leases = [right for right in granted if right[1] == "leases" and lease_namespace]
    secrets = [right for right in granted if right[1] == "secrets"]
    rest = [right for right in granted if right not in leases + secrets]
    client.call("PUT", ROLES + "clusterroles/capstan", role("capstan", rest))
    client.call("PUT", ROLES + "clusterroles/capstan-secrets", role("capstan-secrets", secrets))
    if lease_namespace:
        client.call("PUT", f"{ROLES}namespaces/{lease_namespace}/roles/lease",
                    role("lease", leases, lease_namespace))
    wanted = {(group, resource, verb) for group, resource, verbs, _ in granted for verb in verbs}
    for group, resource, verbs, _ in rights():
        for verb in verbs:
            namespace = lease_namespace if resource == "leases" else None
            while may(client, group, resource, verb, namespace) != (
                    (group, resource, verb) in wanted):
                time.sleep(0.02)
