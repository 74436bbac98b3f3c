# SPDX-License-Identifier: Apache-2.0
"""Writes the manifest with which krew installs `kubectl capstan`."""
import json


def platform(architecture, url, digest):
    return {"selector": {"matchLabels": {"os": "linux", "arch": architecture}},
            "uri": url, "sha256": digest, "bin": "capstan",
            "files": [{"from": name, "to": "."} for name in ("capstan", "LICENSE")]}


def manifest(version, platforms):
    """Returns the manifest's text. platforms is a list of (architecture, URL, SHA-256). JSON is YAML."""
    return json.dumps({
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2", "kind": "Plugin",
        "metadata": {"name": "capstan"},
        "spec": {
            "version": "v" + version,
            "shortDescription": "Show and explain CA injection and readiness gates",
            "description": "Shows every target of CA injection with its state, the first broken link to\n"
                           "a target and the command that fixes it, and the readiness gates of pods.\n",
            "caveats": "It only reads the cluster, with the rights of your kubeconfig.\n",
            "platforms": [platform(*item) for item in platforms]}}, indent=2) + "\n"
