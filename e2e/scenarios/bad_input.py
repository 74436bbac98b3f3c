# SPDX-License-Identifier: Apache-2.0
"""Bad input causes one line that names it and a non-zero exit code, and nothing hangs."""
import json
import os
import re
import socket
import subprocess

from lib import captured, kube, load
from lib.manager import PROGRAM

KINDS = ("embedded", "real")
INFO = re.compile(r"I\d{4} ")  # log lines before the error


def run_program(scenario, arguments, environment=None):
    done = subprocess.run([os.path.join(scenario.bin_dir, PROGRAM), *arguments], text=True,
                          capture_output=True, timeout=20, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, **(environment or {})})
    captured.OUTPUT.add("what " + PROGRAM + " prints", done.stdout + done.stderr)
    return done


def cases(scenario, cluster, busy_port):
    """Yields (description, arguments, words of the line)."""
    good = "--kubeconfig=" + cluster.kubeconfig()

    def kubeconfig(name, ca_file):
        return "--kubeconfig=" + kube.write_kubeconfig(
            scenario.path(name), cluster.server, "capstan", "manager-token",
            **{"certificate-authority": ca_file})

    other, garbage, no_yaml = (scenario.path(n) for n in ("other.crt", "garbage.crt", "no-yaml"))
    for path, text in ((other, load.new_ca("other")), (garbage, "garbage"), (no_yaml, "a: [\n")):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
    yield "unknown flag", ["--no-such-flag"], ["no-such-flag"]
    yield "misspelt flag", [good, "--leader-elekt=false"], ["leader-elekt"]
    yield "positional argument", [good, "surplus"], ["surplus"]
    config = scenario.path("config.yaml")
    with open(config, "w", encoding="ascii") as file:
        file.write("apiVersion: cainjector.config.cert-manager.io/v1alpha1\n"
                   "kind: CAInjectorConfiguration\nnamespcae: a\n")
    yield "misspelt field of the file", [good, "--config=" + config], [config + ":3", "namespace?"]
    yield "namespaces both ways", [good, "--namespace=a", "--ignore-namespaces=b"], [
        "--ignore-namespaces"]
    yield "certificate without key", [good, "--metrics-tls-cert-file=" + other], ["private-key"]
    yield "certificate that issues itself", [
        good, "--metrics-dynamic-serving-dns-names=a"], ["--metrics-tls-cert-file"]
    yield "unknown gate", [good, "--feature-gates=Nope=true"], ["Nope"]
    yield "locked gate", [good, "--feature-gates=InformerResourceVersion=false"], [
        "InformerResourceVersion", "locked"]
    yield "bad gate value", [good, "--feature-gates=WatchListClient=maybe"], ["WatchListClient"]
    yield "bad duration", [good, "--cache-sync-timeout=2 minutes"], ["cache-sync-timeout"]
    yield "bad listen address", [good, "--metrics-listen-address=nowhere"], [
        "metrics-listen-address"]
    yield "absent kubeconfig", ["--kubeconfig=" + scenario.path("absent")], [scenario.path("absent")]
    yield "kubeconfig is no YAML", ["--kubeconfig=" + no_yaml], [no_yaml]
    yield "CA file is absent", [kubeconfig("a", scenario.path("absent.crt"))], ["absent.crt"]
    yield "CA file holds no certificate", [kubeconfig("b", garbage)], ["garbage.crt"]
    yield "CA of another server", [kubeconfig("c", other)], ["certificate"]
    yield "port in use", [good, f"--metrics-listen-address=127.0.0.1:{busy_port}"], [
        str(busy_port), "in use"]


def credential_cases(scenario, cluster):
    """Yields (description, arguments, words) for unusable kubeconfigs."""
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": "no-such-plugin",
              "interactiveMode": "Never", "installHint": "ask your administrator"}
    table = (
        ("proxy of another kind", {"proxy-url": "socks5://127.0.0.1:1"}, {}, ["proxy-url"]),
        ("auth-provider", {}, {"auth-provider": {"name": "gcp"}}, ["auth-provider", "exec"]),
        ("absent plugin", {}, {"exec": plugin}, ["no-such-plugin", "ask your administrator"]),
        ("plugin that needs a person", {}, {"exec": {**plugin, "interactiveMode": "Always"}},
         ["interactiveMode"]),
        ("absent token file", {}, {"tokenFile": "absent-token"}, ["absent-token"]),
        ("groups of nobody", {}, {"as-groups": ["a"]}, ["without impersonating a user"]))
    for what, cluster_fields, user, words in table:
        path = kube.write_kubeconfig(scenario.path(what.replace(" ", "-")), cluster.server, "capstan",
                                     "", **cluster_fields)
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
        config["users"][0]["user"] = user
        with open(path, "w", encoding="utf-8") as file:
            json.dump(config, file)
        yield what, ["--kubeconfig=" + path], words


def run(scenario):
    cluster = scenario.cluster()
    wrong = []
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        table = [*cases(scenario, cluster, busy.getsockname()[1]),
                 *credential_cases(scenario, cluster)]
        for what, arguments, words in table:
            try:
                result = run_program(scenario, arguments)
            except subprocess.TimeoutExpired:
                wrong.append(f"{what}: still runs after 20 s")
                continue
            lines = [line for line in result.stderr.splitlines() if not INFO.match(line)]
            if result.returncode == 0:
                wrong.append(f"{what}: exits 0")
            elif len(lines) != 1 or result.stdout:
                wrong.append(f"{what}: {len(lines)} lines on stderr: {lines}")
            elif missing := [word for word in words if word not in lines[0]]:
                wrong.append(f"{what}: does not say {missing}: {lines[0]}")
            else:
                scenario.figure(what, f"exit {result.returncode}, {lines[0]}")
    for line in wrong:
        print("  WRONG " + line)
    assert not wrong, f"{len(wrong)} of {len(table)} bad inputs are not answered well"
