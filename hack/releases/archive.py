# SPDX-License-Identifier: Apache-2.0
"""Writes the archives of a release: the tar.gz of a program, and the chart's package.

The same files give the same bytes: entries are sorted, belong to root, and have the commit's time.
"""
import gzip
import io
import tarfile


def tar_gz(files, epoch):
    """Returns an archive of {path: (data, mode)}. Of a link the mode is None, and the data its target."""
    out = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=out, mode="wb", compresslevel=9, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for path, (data, mode) in sorted(files.items()):
                info = tarfile.TarInfo(path)
                info.mtime = epoch
                info.uname = info.gname = "root"
                if mode is None:
                    info.type, info.mode, info.linkname = tarfile.SYMTYPE, 0o777, data.decode()
                    tar.addfile(info)
                    continue
                info.size, info.mode = len(data), mode
                tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def contents(data):
    """Returns {path: (data, mode)} of the files in a tar.gz."""
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as tar:
        return {member.name: (tar.extractfile(member).read(), member.mode & 0o755)
                for member in tar.getmembers() if member.isfile()}


def repacked(data, epoch):
    """Returns helm's package of a chart without the times of its build."""
    return tar_gz({path: (text, 0o644) for path, (text, _) in contents(data).items()}, epoch)
