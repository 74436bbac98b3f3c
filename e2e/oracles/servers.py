# SPDX-License-Identifier: Apache-2.0
"""Compares what kube-apiserver and the embedded server answer to the same creations and updates.

usage: servers.py --real FOLDER --embedded FOLDER [--count N] [--seed N] [--out FILE] [KIND...]

FOLDER has kube-apiserver, etcd and kubectl. The objects are those of known_objects.jsonl, each changed at
one to three places by the schemas of the real server, and sent with dryRun=All: half of them as new objects,
the others as updates of the known object or of its status. KIND: only objects of these kinds. It prints a
line for each kind, and writes each request that differs, with both answers, to FILE.
refused   the real server accepts it and the embedded one does not. This is a failure
accepted  the embedded server accepts it and the real one does not
text      both refuse it, for other causes or with another message
object    both accept it, and the objects or the warnings differ
"""
import argparse
import collections
import contextlib
import copy
import http.client
import json
import os
import ssl
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../hack/envtest")]
import objects  # pylint: disable=wrong-import-position
import plane  # pylint: disable=wrong-import-position

RESULTS = ("refused", "accepted", "text", "object")
CHOSEN = ("uid", "creationTimestamp", "resourceVersion", "managedFields")  # by each server for itself
# Of the user's certificate, of an address or a port that is free, and of the UID of a Job.
CHOSEN_BY_KIND = {"CertificateSigningRequest": ("extra",),
                  "Service": ("clusterIP", "clusterIPs", "nodePort", "healthCheckNodePort"),
                  "Job": ("batch.kubernetes.io/controller-uid", "controller-uid")}
# Objects of these kinds would change what happens to the others.
NOT_STORED = ("LimitRange", "ResourceQuota", "APIService", "CustomResourceDefinition",
              "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "ValidatingAdmissionPolicy",
              "ValidatingAdmissionPolicyBinding")


class Server:
    """A server and a connection to it."""

    def __init__(self, servers):
        context = ssl.create_default_context(cafile=servers.path("certs/apiserver.crt"))
        context.load_cert_chain(servers.path("client.crt"), servers.path("client.key"))
        self.connection = http.client.HTTPSConnection("127.0.0.1", servers.port, context=context, timeout=60)

    def ask(self, method, path, body=None):
        """Returns the code, the JSON and the warnings of the answer."""
        self.connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        body = answer.read()
        is_json = (answer.headers["Content-Type"] or "").startswith("application/json")
        return (answer.status, json.loads(body) if is_json else body.decode(),
                sorted(answer.headers.get_all("Warning") or []))


def comparable(value, ignored):
    """Returns JSON without what differs in each answer, and without null and [], which mean the same."""
    if isinstance(value, list):
        return [comparable(item, ignored) for item in value]
    if not isinstance(value, dict):
        return value
    members = {name: comparable(member, ignored) for name, member in value.items() if name not in ignored}
    return {name: member for name, member in members.items() if member is not None and member != []}


def compare(kind, real, embedded):
    """Returns one of RESULTS, or None if the answers mean the same."""
    if (real[0] < 400) != (embedded[0] < 400):
        return "refused" if real[0] < 400 else "accepted"
    ignored = CHOSEN + CHOSEN_BY_KIND.get(kind, ())
    same = real[0] == embedded[0] and comparable(real[1], ignored) == comparable(embedded[1], ignored)
    if real[0] >= 400:
        return None if same else "text"
    return None if same and real[2] == embedded[2] else "object"


class Kind:
    """The path of a kind's objects and its schema, from the real server."""

    def __init__(self, server, api_version, kind):
        group, _, version = api_version.rpartition("/")
        root = f"apis/{api_version}" if group else f"api/{api_version}"
        resources = server.ask("GET", "/" + root)[1]["resources"]
        one = next(one for one in resources if one["kind"] == kind and "/" not in one["name"])
        self.path = f"/{root}/" + ("namespaces/default/" if one["namespaced"] else "") + one["name"]
        self.has_status = any(other["name"] == one["name"] + "/status" for other in resources)
        self.schemas = objects.Schemas(server.ask("GET", "/openapi/v3/" + root)[1])
        self.schema = self.schemas.kinds[group, version, kind]


def load(kinds):
    """Returns the known objects. Those of one kind have different names."""
    with open(os.path.join(HERE, "known_objects.jsonl"), encoding="utf-8") as file:
        known = [json.loads(line) for line in file]
    unknown = set(kinds) - {one["kind"] for one in known}
    if unknown:
        sys.exit(f"there is no object of kind {', '.join(sorted(unknown))} in {file.name}")
    for i, one in enumerate(known):
        if one["kind"] not in NOT_STORED:
            one["metadata"]["name"] = f"seed-{i}"
    return [one for one in known if not kinds or one["kind"] in kinds]


class Requests:
    """Makes the requests. The same seed makes the same requests."""

    def __init__(self, known, kinds, seed):
        self.known, self.kinds, self.changes = known, kinds, objects.Objects(seed)
        self.random = self.changes.random

    def next(self):
        """Returns the method, the target and the object."""
        sent = copy.deepcopy(self.random.choice(self.known))
        kind = self.kinds[sent["apiVersion"], sent["kind"]]
        name = sent["metadata"]["name"]
        options = "?dryRun=All" + self.random.choice(("", "&fieldValidation=Strict"))
        verb = self.random.choice(("create", "create", "update", "status"))
        if verb == "status" and kind.has_status and name.startswith("seed-"):
            schema = kind.schemas.whole(kind.schema)["properties"]["status"]
            sent["status"] = self.changes.value(kind.schemas, schema)
            return "PUT", f"{kind.path}/{name}/status{options}", sent
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            self.changes.change(kind.schemas, kind.schema, sent)
        if verb == "update" and name.startswith("seed-"):
            return "PUT", f"{kind.path}/{name}{options}", sent
        metadata = sent.get("metadata")
        if isinstance(metadata, dict) and metadata.get("name") == name and name.startswith("seed-"):
            metadata["name"] = "new"
        return "POST", kind.path + options, sent


def run(options, real, embedded, out):
    """Sends the requests. Returns the number of each result for each kind."""
    known = load(options.kinds)
    kinds = {key: Kind(real, *key) for key in {(one["apiVersion"], one["kind"]) for one in known}}
    for one in known:
        for server in (real, embedded):
            if one["kind"] not in NOT_STORED:
                answer = server.ask("POST", kinds[one["apiVersion"], one["kind"]].path, json.dumps(one))
                assert answer[0] == 201, answer
    requests = Requests(known, kinds, options.seed)
    results = collections.defaultdict(collections.Counter)
    for _ in range(options.count):
        method, target, sent = requests.next()
        try:
            answers = [server.ask(method, target, json.dumps(sent)) for server in (embedded, real)][::-1]
        except http.client.RemoteDisconnected:
            embedded.ask("GET", "/readyz")  # kube-apiserver itself fails on some objects
            continue
        result = compare(sent["kind"], *answers)
        results[sent["kind"]]["sent"] += 1
        if result:
            results[sent["kind"]][result] += 1
            json.dump({"result": result, "method": method, "target": target, "sent": sent, "real": answers[0],
                       "embedded": answers[1]}, out)
            out.write("\n")
    return results


def print_table(results):
    print(f"{'kind':34}{'sent':>8}" + "".join(f"{name:>10}" for name in RESULTS))
    total = collections.Counter()
    for kind, counts in sorted(results.items()):
        total.update(counts)
        print(f"{kind:34}{counts['sent']:8}" + "".join(f"{counts[name]:10}" for name in RESULTS))
    print(f"{'all':34}{total['sent']:8}" + "".join(f"{total[name]:10}" for name in RESULTS))
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", required=True)
    parser.add_argument("--embedded", required=True)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default=os.devnull)
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        servers = [Server(stack.enter_context(plane.Plane(folder))) for folder in (options.real, options.embedded)]
        out = stack.enter_context(open(options.out, "w", encoding="utf-8"))
        results = run(options, *servers, out)
    total = print_table(results)
    failed = sum(counts["refused"] > 0 for counts in results.values())
    if total.total() > total["sent"]:
        print(f"the requests that differ are in {options.out}")
    print(f"{len(results) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
