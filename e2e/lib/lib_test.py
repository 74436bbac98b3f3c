#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that the helpers of the scenarios can fail."""
import base64
import contextlib
import http.client
import http.server
import io
import os
import sys
import threading
import types
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
import run  # pylint: disable=wrong-import-position
from lib import (  # pylint: disable=wrong-import-position
    captured, certmanager, console, kube, kubectl, leaks, load)

PAGE = """# A page
<!-- until: test -e made -->
```console
$ echo at 2026-05-06T07:08:09Z on 127.0.0.1:9402; exit_code() {{ return 3; }}
{}
$ exit_code; echo $?
3
```
"""


class ConsoleTest(unittest.TestCase):
    def played(self, page, actual):
        shell = console.Shell("/", {})
        self.addCleanup(shell.close)
        self.addCleanup(shell.process.stdin.close)
        self.addCleanup(shell.process.stdout.close)
        return console.played(page, "embedded", shell, {"test -e made": "true", **actual})

    def test_a_true_page_stays_as_it_is(self):
        page = PAGE.format("at 2026-01-02T03:04:05Z on 127.0.0.1:9402")
        self.assertEqual(self.played(page, {":9402": ":31234"}), page)

    def test_another_output_is_another_page(self):
        page = PAGE.format("at 2026-01-02T03:04:05Z on 127.0.0.1:9403")
        self.assertIn("\nat 2026-01-02T03:04:05Z on 127.0.0.1:9402\n$ exit", self.played(page, {}))

    def test_what_is_for_another_kind_is_not_run(self):
        page = "<!-- only: real -->\n```console\n$ exit 1\n```\n"
        self.assertEqual(self.played(page, {}), page)

    def test_a_shell_that_ends_is_an_error(self):
        with self.assertRaisesRegex(AssertionError, "the shell ended: exit 1"):
            self.played("```console\n$ exit 1\n```\n", {})


    def test_the_pod_of_a_leader_is_a_sample_and_its_deployment_is_not(self):
        holder = "{}-{}_0f6c2c57-2a6b-4c1e-9d0f-3b7c1f9e8a11"
        for name in ("cert-manager-cainjector", "capstan-controller-manager"):
            self.assertEqual(console.normalised(holder.format(name, "7c9d5b-abcde")),
                             holder.format(name, "5d8f7c9b64-x2x4z"))


class VersionsTest(unittest.TestCase):
    def test_each_version_needs_the_ca(self):
        versions = certmanager.Versions.__new__(certmanager.Versions)
        versions.pems, versions.seen, versions.wrong = {("apiservice", "v1.a"): "CA"}, 0, []
        for bundle in ("CA", "other CA", "", "other"):
            versions.check("apiservice", "v1.a", load.encoded(bundle))
        versions.check("apiservice", "v1.not-ours", "")
        self.assertEqual((versions.seen, len(versions.wrong)), (4, 2))


class RepeatTest(unittest.TestCase):
    def test_keeps_failures(self):
        answers = iter(["", "refused"])
        done = threading.Event()

        def call():
            answer = next(answers, None)
            if answer is None:
                done.set()
            return answer
        with kubectl.Repeat(call) as repeat:
            done.wait(60)
        self.assertEqual(repeat.failures, ["refused"])


class Answers(http.server.BaseHTTPRequestHandler):
    """Records the clients by their port."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # pylint: disable=invalid-name
        self.server.ports.append(self.client_address[1])
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class PlainClient(kube.Client):
    def connect(self):
        self.connection = http.client.HTTPConnection(self.address.hostname, self.address.port)


class ClientTest(unittest.TestCase):
    def test_a_connection_that_the_server_may_have_closed_is_not_used_again(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        server.ports = []
        threading.Thread(target=server.serve_forever).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        client = PlainClient(f"http://127.0.0.1:{server.server_port}", "token", None)
        self.addCleanup(client.close)
        for idle in (0, 0, kube.IDLE_SECONDS_MAX + 1):
            client.used -= idle
            client.call("GET", "/")
        self.assertEqual(server.ports[0], server.ports[1])
        self.assertNotEqual(server.ports[1], server.ports[2])


class SaidTest(unittest.TestCase):
    def setUp(self):
        captured.begin()

    def leaks_of(self, text):
        captured.OUTPUT.lines.clear()
        captured.OUTPUT.add("a log", text)
        return captured.OUTPUT.leaks()

    def test_a_block_of_any_key(self):
        pem = leaks.private_key()[0]
        for text in (pem, base64.b64encode(pem.encode()).decode(),
                     base64.b64encode(b"x" + pem.encode()).decode(), repr(pem)):
            self.assertEqual(self.leaks_of("before\n" + text),
                             ["secret data in an output: a block of a private key, in a log"])

    def test_a_part_of_what_a_secret_was_made_with(self):
        key, private = leaks.private_key()
        secret = load.ca_secret("ns", "n", "a CA")
        secret["data"]["tls.key"] = load.encoded(key)
        secret["data"]["password"] = load.encoded("pw-" * 4 + leaks.marker())
        with self.assertRaises(OSError):  # nobody listens there
            kube.Client("https://127.0.0.1:1", "t", None).create(secret)
        body = "".join(key.splitlines()[1:-1])
        marker = base64.b64decode(secret["data"]["password"]).decode()
        for text in (private[:32].hex(), "x" + body[50:70], marker[20:40],
                     load.encoded(marker), load.encoded("in " + load.encoded(marker))):
            self.assertEqual(len(self.leaks_of(f'msg="{text}"')), 1, text)

    def test_a_token(self):
        self.assertEqual(len(self.leaks_of("Authorization: Bearer manager-token")), 1)

    def test_what_everybody_may_read(self):
        ca = load.new_ca("public")
        secret = load.ca_secret("ns", "n", ca)
        secret["data"]["tls.key"] = load.encoded(leaks.private_key()[0])
        captured.OUTPUT.add_secrets_of(secret)
        self.assertEqual(self.leaks_of(ca + secret["data"]["ca.crt"] + "a word, PRIVATE KEY"), [])

    def test_a_scenario_that_leaks_has_failed(self):
        def leak(scenario):
            with open(scenario.path("broker.log"), "w", encoding="ascii") as file:
                file.write(leaks.private_key()[0])
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            modules = [types.SimpleNamespace(KINDS=("real",), run=one)
                       for one in (leak, lambda scenario: None)]
            results = [run.run_one("x", module, "real", "/", None) for module in modules]
        self.assertEqual(results, [False, True])
        self.assertIn("a block of a private key, in broker.log", printed.getvalue())


class ChosenTest(unittest.TestCase):
    KNOWN = {"fast": types.SimpleNamespace(KINDS=("real", "embedded")),
             "slow": types.SimpleNamespace(KINDS=("real",), SLOW=True),
             "other": types.SimpleNamespace(KINDS=("embedded",))}

    def test_a_slow_scenario_runs_when_it_is_named_or_with_slow(self):
        self.assertEqual(run.chosen(self.KNOWN, "real", [], False), (["fast"], ["slow"]))
        self.assertEqual(run.chosen(self.KNOWN, "real", [], True), (["fast", "slow"], []))
        self.assertEqual(run.chosen(self.KNOWN, "real", ["slow"], False), (["slow"], []))


class FlakyTest(unittest.TestCase):
    @staticmethod
    def run_again(passes):
        """Returns the result of a scenario that failed once, and then passes or not, and what was printed."""
        attempts = iter(passes)

        def check(_):
            assert next(attempts), "not this time"
        module = types.SimpleNamespace(__doc__="A scenario.", KINDS=("embedded",), run=check)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            results = run.run_failed_again({"x": "FAIL"}, {"x": module}, "embedded", "/", None)
        return results["x"], printed.getvalue()

    def test_what_passes_twice_alone_is_flaky(self):
        result, printed = self.run_again([True, True])
        self.assertEqual(result, "FLAKY")
        self.assertIn("--- FLAKY embedded x", printed)

    def test_what_fails_again_has_failed(self):
        self.assertEqual(self.run_again([False])[0], "FAIL")
        self.assertEqual(self.run_again([True, False])[0], "FAIL")

    def test_a_process_that_dies_has_failed(self):
        options = types.SimpleNamespace(preset="no-such-build", secrets=1, minutes=None, write=False)
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(run.run_in_process("trust", "embedded", options), "FAIL")


if __name__ == "__main__":
    unittest.main()
