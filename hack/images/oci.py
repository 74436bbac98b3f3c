# SPDX-License-Identifier: Apache-2.0
"""Writes an image of one layer as an OCI layout, and as an archive in OCI's and docker's format.

The same files give the same bytes: entries are sorted, and all times are 0.
"""
import gzip
import hashlib
import io
import json
import os
import tarfile

import rootfs

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def as_json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def add(tar, path, data=b"", mode=0o644, kind=tarfile.REGTYPE, target=""):
    info = tarfile.TarInfo(path)
    info.size, info.mode, info.type, info.linkname = len(data), mode, kind, target
    tar.addfile(info, io.BytesIO(data))


def layer(entries):
    """Returns a tar of the files. They belong to root, others cannot write them, and times are 0."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for folder in rootfs.folders(entries):
            add(tar, folder + "/", mode=0o755, kind=tarfile.DIRTYPE)
        for entry in entries:
            kind = tarfile.SYMTYPE if entry.target else tarfile.REGTYPE
            add(tar, entry.path, entry.data, entry.mode, kind, entry.target)
    return out.getvalue()


def compressed(data, level):
    out = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=out, mode="wb", compresslevel=level, mtime=0) as file:
        file.write(data)
    return out.getvalue()


class Image:
    """Returns the blobs of an image by digest, and its manifest. `level` is that of gzip."""

    def __init__(self, entries, name, architecture, user, labels, level=6):
        tar = layer(entries)
        packed = compressed(tar, level)
        self.size = len(tar)
        config = as_json({
            "architecture": architecture, "os": "linux",
            "config": {"User": f"{user}:{user}", "Entrypoint": [f"/usr/bin/{name}"],
                       "Env": ["PATH=/usr/bin"], "WorkingDir": "/", "Labels": labels},
            "rootfs": {"type": "layers", "diff_ids": [digest(tar)]}})
        manifest = as_json({
            "schemaVersion": 2, "mediaType": MANIFEST, "annotations": labels,
            "config": {"mediaType": CONFIG, "digest": digest(config), "size": len(config)},
            "layers": [{"mediaType": LAYER, "digest": digest(packed), "size": len(packed)}]})
        self.manifest, self.config, self.layer = digest(manifest), digest(config), digest(packed)
        self.blobs = {digest(blob): blob for blob in (config, packed, manifest)}

    def files(self, reference):
        """Returns the layout's files by path. docker reads manifest.json, others read index.json."""
        path = {name: "blobs/" + name.replace(":", "/") for name in self.blobs}
        tag = reference.rpartition(":")[2]
        files = {path[name]: blob for name, blob in self.blobs.items()}
        files["oci-layout"] = as_json({"imageLayoutVersion": "1.0.0"})
        files["index.json"] = as_json({"schemaVersion": 2, "mediaType": INDEX, "manifests": [{
            "mediaType": MANIFEST, "digest": self.manifest,
            "size": len(self.blobs[self.manifest]),
            "annotations": {"io.containerd.image.name": normalized(reference),
                            "org.opencontainers.image.ref.name": tag}}]})
        files["manifest.json"] = as_json([{"Config": path[self.config], "RepoTags": [reference],
                                           "Layers": [path[self.layer]]}])
        return files


def normalized(reference):
    """Returns a full name with the registry, as containerd and the kubelet write it."""
    first, slash, _ = reference.partition("/")
    if not slash:
        return "docker.io/library/" + reference
    return reference if "." in first or ":" in first or first == "localhost" \
        else "docker.io/" + reference


def write(image, reference, folder):
    """Writes the layout to <folder>/ and the archive to <folder>.tar."""
    files = image.files(reference)
    for path, data in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "wb") as file:
            file.write(data)
    with tarfile.open(folder + ".tar", "w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(files):
            add(tar, path, files[path])
