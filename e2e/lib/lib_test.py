#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the scenarios rely on to fail: that their own helpers can say no."""
import http.client
import http.server
import os
import sys
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from lib import console, kube  # pylint: disable=wrong-import-position

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


class Answers(http.server.BaseHTTPRequestHandler):
    """Remembers who asked: a connection is its client's port."""
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


if __name__ == "__main__":
    unittest.main()
