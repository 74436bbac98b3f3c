# SPDX-License-Identifier: Apache-2.0
"""Writes an image of one layer as an OCI layout, and as an archive in OCI's and docker's format.

An index lists the manifests of an image for several architectures.

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


HERE = os.path.dirname(os.path.realpath(__file__))


def environment():
    """Returns the variables of every image, as NAME=VALUE (docs/decisions/0027)."""
    with open(os.path.join(HERE, "environment"), encoding="ascii") as file:
        return file.read().split()


def labels(name, version, commit):
    """Returns the labels of an image, which are also annotations of its manifest."""
    return {"org.opencontainers.image.title": name, "org.opencontainers.image.version": version,
            "org.opencontainers.image.revision": commit,
            "org.opencontainers.image.licenses": "Apache-2.0"}


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

    def __init__(self, entries, name, architecture, user, annotations, level=6):
        self.architecture, self.annotations = architecture, annotations
        tar = layer(entries)
        packed = compressed(tar, level)
        self.size = len(tar)
        config = as_json({
            "architecture": architecture, "os": "linux",
            "config": {"User": f"{user}:{user}", "Entrypoint": [f"/usr/bin/{name}"],
                       "Env": environment(), "WorkingDir": "/", "Labels": annotations},
            "rootfs": {"type": "layers", "diff_ids": [digest(tar)]}})
        manifest = as_json({
            "schemaVersion": 2, "mediaType": MANIFEST, "annotations": annotations,
            "config": {"mediaType": CONFIG, "digest": digest(config), "size": len(config)},
            "layers": [{"mediaType": LAYER, "digest": digest(packed), "size": len(packed)}]})
        self.manifest, self.config, self.layer = digest(manifest), digest(config), digest(packed)
        self.blobs = {digest(blob): blob for blob in (config, packed, manifest)}

    def descriptor(self):
        return {"mediaType": MANIFEST, "digest": self.manifest, "size": len(self.blobs[self.manifest])}


def image_index(images):
    """Returns the index of the images of several architectures."""
    return as_json({
        "schemaVersion": 2, "mediaType": INDEX, "annotations": images[0].annotations,
        "manifests": [{**image.descriptor(), "platform": {"architecture": image.architecture, "os": "linux"}}
                      for image in images]})


def layout(images, reference):
    """Returns the layout's files by path. docker reads manifest.json, others read index.json.

    docker without containerd's store knows no index, so there each image of several has its
    architecture in the tag.
    """
    blobs = {name: blob for image in images for name, blob in image.blobs.items()}
    top = images[0].descriptor()
    if len(images) > 1:
        index = image_index(images)
        blobs[digest(index)] = index
        top = {"mediaType": INDEX, "digest": digest(index), "size": len(index)}
    path = {name: "blobs/" + name.replace(":", "/") for name in blobs}
    files = {path[name]: blob for name, blob in blobs.items()}
    files["oci-layout"] = as_json({"imageLayoutVersion": "1.0.0"})
    files["index.json"] = as_json({"schemaVersion": 2, "mediaType": INDEX, "manifests": [{
        **top, "annotations": {"io.containerd.image.name": normalized(reference),
                               "org.opencontainers.image.ref.name": reference.rpartition(":")[2]}}]})
    files["manifest.json"] = as_json([
        {"Config": path[image.config], "Layers": [path[image.layer]],
         "RepoTags": [reference if len(images) == 1 else f"{reference}-{image.architecture}"]}
        for image in images])
    return files


def normalized(reference):
    """Returns a full name with the registry, as containerd and the kubelet write it."""
    first, slash, _ = reference.partition("/")
    if not slash:
        return "docker.io/library/" + reference
    return reference if "." in first or ":" in first or first == "localhost" \
        else "docker.io/" + reference


def archive(files, path):
    """Writes the files of a layout as one archive."""
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            add(tar, name, files[name])


def write(images, reference, folder):
    """Writes the layout to <folder>/ and the archive to <folder>.tar."""
    files = layout(images, reference)
    for path, data in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "wb") as file:
            file.write(data)
    archive(files, folder + ".tar")


def artifact(layers):
    """Returns the blobs of a manifest whose layers are (media type, data, annotations), and its digest.

    An image's signature is such a manifest.
    """
    config = as_json({"architecture": "", "os": "", "config": {}, "rootfs": {
        "type": "layers", "diff_ids": [digest(data) for _, data, _ in layers]}})
    manifest = as_json({
        "schemaVersion": 2, "mediaType": MANIFEST,
        "config": {"mediaType": CONFIG, "digest": digest(config), "size": len(config)},
        "layers": [{"mediaType": kind, "digest": digest(data), "size": len(data), "annotations": annotations}
                   for kind, data, annotations in layers]})
    return {digest(blob): blob for blob in (config, manifest, *(data for _, data, _ in layers))}, digest(manifest)


def artifact_layout(blobs, manifest, tag):
    """Returns the files of a layout with one manifest."""
    files = {"blobs/" + name.replace(":", "/"): blob for name, blob in blobs.items()}
    files["oci-layout"] = as_json({"imageLayoutVersion": "1.0.0"})
    files["index.json"] = as_json({"schemaVersion": 2, "mediaType": INDEX, "manifests": [{
        "mediaType": MANIFEST, "digest": manifest, "size": len(blobs[manifest]),
        "annotations": {"org.opencontainers.image.ref.name": tag}}]})
    return files
