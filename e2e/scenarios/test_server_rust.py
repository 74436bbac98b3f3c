# SPDX-License-Identifier: Apache-2.0
"""A Rust project with kube-rs runs its tests on capstan-test-server, and on a real API server.

The first build takes minutes.
"""
import os

from lib import test_server

KINDS = ("embedded", "real")
SLOW = True


def run(scenario):
    test_server.need("cargo")
    test_server.run(["cargo", "test", "--locked"], test_server.copy("rust", scenario),
                    "test labels_new_config_map ... ok",
                    CARGO_TARGET_DIR=os.path.join(test_server.CACHE, "test-server-rust"),
                    **test_server.kubeconfig(scenario))
