# SPDX-License-Identifier: Apache-2.0
"""capstan-demo runs its steps, writes a report without secrets, and leaves nothing behind.

The scenario uses small numbers. On a real API server it also checks Ctrl-C and a failure.
"""
import json
import os
import re
import signal
import subprocess
import time
import urllib.request

from lib import captured, injection, kube, leaks
from lib.load import encoded
from lib.scenario import check_equal, eventually

KINDS = ("embedded", "real")
NAMESPACE = "capstan-demo"
SMALL = ("--secrets=200", "--configurations=6", "--pods=15")
REASONS = ("NotAllowed", "NotThisCertificate", "InvalidBundle")
PATIENCE = 180  # seconds; a slow machine under load


class Demo:
    """One run of the demo in `folder`."""

    def __init__(self, scenario, *flags):
        self.report = scenario.path("report.html")
        environment = {k: v for k, v in os.environ.items() if k not in ("KUBECONFIG", "NO_COLOR")}
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [os.path.join(scenario.bin_dir, "capstan-demo"), *flags], cwd=scenario.folder,
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        self.output = ""

    def read_until(self, text):
        while text not in self.output:
            line = self.process.stdout.readline()
            assert line, f"{text!r} was not printed:\n{self.output}"
            self.output += line
        return self.output

    def finish(self, code):
        """Reads to the end and checks the exit code."""
        try:
            self.output += self.process.communicate(timeout=PATIENCE)[0]
        finally:
            self.process.kill()
        captured.OUTPUT.add("capstan-demo", self.output)
        check_equal(f"exit code of capstan-demo\n{self.output[-3000:]}", self.process.returncode, code)
        return self.output

    def html(self):
        with open(self.report, encoding="utf-8") as file:
            return file.read()


def text_of(html, tag, name):
    """Returns the text of the element with that id."""
    match = re.search(rf'<{tag} id="{name}">(.*?)</{tag}>', html, re.S)
    assert match, f"no {tag} {name}"
    return re.sub(r"<[^>]*>", " ", match.group(1).replace("</tr>", "\n"))


def check_no_secret(what, text):
    """Checks that there are no keys, certificates or data of the demo's Secrets in any encoding."""
    for forbidden in ("PRIVATE KEY", "BEGIN CERTIFICATE", "this is no certificate", "x" * 12):
        for form in leaks.forms(forbidden.encode()):
            assert form not in text, f"{what} has {forbidden}"
    assert "\x1b" not in text, f"{what} steers a terminal"


def check_report(demo, kind):
    html = demo.html()
    check_no_secret("the report", html)
    for outside in ("<script", "href=", "src=", "http-equiv", "@import", "url("):
        assert outside not in html, f"the report is not self-contained: {outside}"
    assert "prefers-color-scheme: dark" in html and 'class="good">PASSED' in html
    broken = [row for row in text_of(html, "table", "broken").split("\n") if row.strip()]
    check_equal("broken targets", len(broken), 1 + len(REASONS))
    for reason, row in zip(REASONS, broken[1:]):
        assert reason in row and "kubectl " in row and row.rstrip().endswith("InSync"), row
    steps = text_of(html, "table", "steps")
    assert re.search(r"the agent made \d+ API calls \(.*\d+ patch.*\): \d\.\d writes a pod", steps)
    if kind == "embedded":
        assert "ended with 410 Gone" in steps and "the same processes went on" in steps, steps
        assert " skip " not in steps, steps
    else:
        check_equal("faults that are skipped aloud", steps.count(" skip "), 3)
    return html


def embedded(scenario):
    """Runs it in a pipe, checks its page during and after the run, and sends Ctrl-C."""
    demo = Demo(scenario, *SMALL, "--serve")
    url = re.search(r"http://127\.0\.0\.1:\d+/", demo.read_until("/\n")).group()
    assert 'http-equiv="refresh"' in page(url)
    text = demo.read_until("served until Ctrl-C: " + url)
    check_no_secret("the output", text)
    for reason in REASONS:
        assert f"ok    {reason}; the manager counts the same reason and wrote nothing" in text, text
    check_report(demo, "embedded")
    figures(scenario, text)
    html = page(url)
    assert 'class="good">PASSED' in html and "http-equiv" not in html, html[:2000]
    check_no_secret("the page", html)
    report = json.loads(page(url + "?format=json"))
    check_equal("broken targets as JSON", [row["reason"] for row in report["broken"]], list(REASONS))
    demo.process.send_signal(signal.SIGINT)
    demo.finish(0)
    refused(scenario)


def page(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def figures(scenario, text):
    """Returns the points that the demo measured."""
    for pattern in (r"all were open .*", r"the agent made .*", r"verdict: .*"):
        scenario.figure("demo", re.search(pattern, text).group())


def refused(scenario):
    """Checks that impossible options cause one line before anything starts."""
    for flags, named in ((["--secrets=-1"], "--secrets"), (["--pods=0"], "--pods"),
                         (["--secrets=x"], "--secrets"), (["--port=8080"], "--serve"),
                         (["--serve", "--port=70000"], "--port"),
                         (["--report=absent/report.html"], "absent/report.html"),
                         (["--kubeconfig=absent"], "absent"), (["surplus"], "surplus")):
        lines = Demo(scenario, *flags).finish(1).splitlines()
        assert len(lines) == 1 and named in lines[0], f"{flags}: {lines}"


def left_over(client):
    found = []
    for path, prefix in (("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", ""),
                         ("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", ""),
                         (f"/api/v1/namespaces/{NAMESPACE}/secrets", ""),
                         (f"/api/v1/namespaces/{NAMESPACE}/pods", ""),
                         (f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases", ""),
                         (f"/apis/cert-manager.io/v1/namespaces/{NAMESPACE}/certificates", ""),
                         ("/api/v1/namespaces/default/events", "capstan-demo")):
        found += [item["metadata"]["name"] for item in client.call("GET", path)["items"]
                  if item["metadata"]["name"].startswith(prefix)]
    return found


def check_clean(client):
    """Finishes the deletion of the namespace, because no controller-manager runs here."""
    check_equal("what the demo left", left_over(client), [])
    try:
        space = client.call("GET", f"/api/v1/namespaces/{NAMESPACE}")
    except kube.ApiError as error:
        check_equal("the namespace", error.code, 404)
        return
    assert "deletionTimestamp" in space["metadata"], "the namespace stays"
    space["spec"]["finalizers"] = []
    client.call("PUT", f"/api/v1/namespaces/{NAMESPACE}/finalize", space)


def create_secret(client):
    """Returns whether the namespace takes a Secret: kube-apiserver may still remember its deletion."""
    try:
        client.create({"apiVersion": "v1", "kind": "Secret", "data": {"a": encoded("b")},
                       "metadata": {"name": "of-somebody", "namespace": NAMESPACE}})
    except kube.ApiError as error:
        check_equal("why there is no Secret", error.code, 403)
        return False
    return True


def real(scenario):
    cluster = scenario.cluster()
    client = cluster.client()
    injection.install_certificates(client)
    kubeconfig = "--kubeconfig=" + cluster.kubeconfig("admin")
    demo = Demo(scenario, *SMALL, kubeconfig)
    text = demo.finish(0)
    check_no_secret("the output", text)
    assert text.splitlines()[-1].startswith("verdict: PASSED"), text
    check_report(demo, "real")
    check_clean(client)
    figures(scenario, text)

    demo = Demo(scenario, *SMALL, kubeconfig, "--report=")
    demo.read_until("Starting capstan-controller-manager")
    demo.process.send_signal(signal.SIGINT)
    assert "interrupted" in demo.finish(1), demo.output
    check_clean(client)

    demo = Demo(scenario, *SMALL, kubeconfig, "--node-agent=/bin/false", "--report=")
    assert "the node agent ended" in demo.finish(1), demo.output
    check_clean(client)

    client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    eventually(lambda: create_secret(client), "kube-apiserver knows that the namespace is a new one")
    assert f"namespace {NAMESPACE} exists" in Demo(scenario, *SMALL, kubeconfig).finish(1)
    check_equal("what was there before", left_over(client), ["of-somebody"])


def run(scenario):
    before = time.monotonic()
    (embedded if scenario.kind == "embedded" else real)(scenario)
    scenario.figure("seconds", round(time.monotonic() - before, 1))
