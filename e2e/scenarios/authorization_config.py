# SPDX-License-Identifier: Apache-2.0
"""kube-apiserver with --authorization-config and a webhook, of capstan-test-server and a real one: the same answers."""
import http.server
import json
import os
import ssl
import sys
import threading
import urllib.error
import urllib.request

from lib import test_server
from lib.cluster import ROOT
from lib.scenario import check_equal

sys.path.append(os.path.join(ROOT, "hack/envtest"))
from plane import Plane  # pylint: disable=wrong-import-position

KINDS = ("embedded", "real")
PODS = "/api/v1/namespaces/default/pods"
SECRETS = "/api/v1/namespaces/default/secrets"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


class Reviews(http.server.BaseHTTPRequestHandler):
    """Allows jane, denies joe, fails for mary, and has no opinion on others."""
    asked = []

    def do_POST(self):  # pylint: disable=invalid-name
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, review["spec"]))
        user = review["spec"]["user"]
        self.send_response(403 if user == "mary" else 200)
        self.send_header("Content-Type", "text/plain" if user == "mary" else "application/json")
        self.end_headers()
        status = {"jane": {"allowed": True}, "joe": {"allowed": False, "denied": True, "reason": "not joe"}}
        answer = {"apiVersion": review["apiVersion"], "kind": review["kind"],
                  "status": status.get(user, {"allowed": False, "reason": "who is it?"})}
        self.wfile.write(b"broken" if user == "mary" else json.dumps(answer).encode())

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def configuration(scenario, port):
    kubeconfig = write(scenario.path("webhook.yaml"), f"""
apiVersion: v1
kind: Config
current-context: c
contexts: [{{name: c, context: {{cluster: c, user: u}}}}]
clusters: [{{name: c, cluster: {{server: 'http://127.0.0.1:{port}/a/b'}}}}]
users: [{{name: u, user: {{}}}}]
""")
    return write(scenario.path("authorization.yaml"), f"""
apiVersion: apiserver.config.k8s.io/v1beta1
kind: AuthorizationConfiguration
authorizers:
- {{type: Node, name: node}}
- {{type: RBAC, name: rbac}}
- type: Webhook
  name: reviews
  webhook:
    timeout: 3s
    subjectAccessReviewVersion: v1
    matchConditionSubjectAccessReviewVersion: v1
    failurePolicy: Deny
    connectionInfo: {{type: KubeConfigFile, kubeConfigFile: {kubeconfig}}}
    matchConditions:
    - expression: "!request.user.startsWith('system:')"
    - expression: "!has(request.resourceAttributes) || request.resourceAttributes.resource != 'secrets'"
- {{type: AlwaysDeny, name: alwaysdeny}}
""")


class Caller:
    def __init__(self, plane):
        self.server = f"https://127.0.0.1:{plane.port}"
        self.context = ssl.create_default_context(cafile=plane.path("certs/apiserver.crt"))

    def call(self, user, path, body=None):
        """Returns the status code, and the message or the body."""
        request = urllib.request.Request(self.server + path, headers={"Authorization": f"Bearer {user}-token"})
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, context=self.context, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            text = error.read().decode()
            return error.code, json.loads(text)["message"] if text.startswith("{") else text

    def review(self, user, verb):
        code, text = self.call("root", REVIEWS, {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
                                                 "spec": {"user": user, "resourceAttributes": {
                                                     "verb": verb, "resource": "pods", "namespace": "default"}}})
        check_equal("code of a review", code, 201)
        return json.loads(text)["status"]


def forbidden(user, resource, why):
    return (403, f'{resource} is forbidden: User "{user}" cannot list resource "{resource}" in API group "" in the '
                 f'namespace "default": {why}')


def check(caller):
    # Since 1.37, a reason of an authorizer that has no opinion begins with its name.
    minor = int(json.loads(caller.call("root", "/version")[1])["minor"])
    deny, reviews = ("alwaysdeny: ", "reviews: ") if minor >= 37 else ("", "")
    check_equal("jane's pods", caller.call("jane", PODS)[0], 200)
    check_equal("jane's secrets, which no condition matches", caller.call("jane", SECRETS),
                forbidden("jane", "secrets", f"{deny}Everything is forbidden."))
    check_equal("joe's pods", caller.call("joe", PODS), forbidden("joe", "pods", "not joe"))
    check_equal("ann's pods", caller.call("ann", PODS),
                forbidden("ann", "pods", f"{reviews}who is it?\n{deny}Everything is forbidden."))
    check_equal("mary's pods", caller.call("mary", PODS),
                (500, f'Internal Server Error: "{PODS}": broken\n'))
    check_equal("a path that RBAC allows", caller.call("mary", "/version")[0], 200)
    check_equal("a path", caller.call("joe", "/metrics?a=b"),
                (403, 'forbidden: User "joe" cannot get path "/metrics": not joe'))
    check_equal("the review of joe", caller.review("joe", "get"),
                {"allowed": False, "denied": True, "reason": "not joe"})
    check_equal("the review of mary", caller.review("mary", "get"),
                {"allowed": False, "denied": True, "evaluationError": "broken"})
    check_equal("the review of jane", caller.review("jane", "get"), {"allowed": True})
    path, spec = next(ask for ask in Reviews.asked if ask[1]["user"] == "jane")
    check_equal("the target of a review", path, f"/a/b?timeout={3 if minor >= 34 else 30}s")  # 1.30 ignores it
    check_equal("the review", spec, {
        "user": "jane", "uid": "1", "groups": ["devs", "system:authenticated"],
        "resourceAttributes": {"namespace": "default", "verb": "list", "version": "v1", "resource": "pods"}})


def run(scenario):
    test_server.need("kubectl")
    tokens = write(scenario.path("tokens.csv"), "root-token,root,0,system:masters\njane-token,jane,1,devs\n"
                                                "joe-token,joe,2\nmary-token,mary,3\nann-token,ann,4\n")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Reviews)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Reviews.asked.clear()
    try:
        flags = ("--authorization-config=" + configuration(scenario, server.server_port), "--token-auth-file=" + tokens)
        with Plane(test_server.assets(scenario), flags) as plane:
            check(Caller(plane))
    finally:
        server.shutdown()
        server.server_close()
