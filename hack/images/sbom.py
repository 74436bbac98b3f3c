# SPDX-License-Identifier: Apache-2.0
"""Writes the SPDX 2.3 document of an image: every file, its package, and the licences.

Debian states licences for a package's sources, so a file has the licences of its package. Names that
SPDX does not know become LicenseRef-... with Debian's text.
"""
import dataclasses
import hashlib
import re

import rootfs

# Debian's names (lower case) that SPDX spells otherwise.
SPDX_NAMES = {
    "expat": "MIT", "mit": "MIT", "x11": "X11", "zlib": "Zlib", "0bsd": "0BSD", "isc": "ISC",
    "apache-2.0": "Apache-2.0", "mpl-2.0": "MPL-2.0", "cc0-1.0": "CC0-1.0", "bsl-1.0": "BSL-1.0",
    "artistic": "Artistic-1.0-Perl", "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
}
for number in ("1", "2", "3"):
    for family in ("GPL", "LGPL"):
        for version in (number, number + ".0", number + ".1"):
            known = f"{family}-{version if '.' in version else version + '.0'}"
            SPDX_NAMES[f"{family}-{version}".lower()] = known + "-only"
            SPDX_NAMES[f"{family}-{version}+".lower()] = known + "-or-later"
# Header-only libraries, by one header of each.
HEADERS = ["/usr/include/boost/beast.hpp", "/usr/include/rapidjson/rapidjson.h",
           "/usr/include/tl/expected.hpp"]
NONE = "NOASSERTION"


def reference(*words):
    """Returns an identifier. "+" is written out, so that libgrpc++ is not libgrpc-."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(words).replace("+", "plus")).strip("-")


def stanzas(copyright_text):
    """Returns {name: text} of the licences of a machine-readable copyright file, otherwise {}."""
    if not re.match(r"Format: \S*copyright-format", copyright_text):
        return {}
    found = {}
    pattern = r"^License: *(\S.*)\n((?:[ \t].*\n)*)"
    for name, text in re.findall(pattern, copyright_text + "\n", re.M):
        found[name.strip()] = found.get(name.strip()) or text
    return found


def term(name, package, text, refs):
    """Returns a licence name as a term of an SPDX expression."""
    if known := SPDX_NAMES.get(name.lower()):
        return known
    ref = "LicenseRef-" + reference(package, name)
    refs[ref] = {"licenseId": ref, "name": name, "extractedText": text.strip() or
                 f"See /usr/share/doc/{package}/copyright in the image."}
    return ref


def expression(package, copyright_text, refs):
    """Returns all licences of the package's sources. refs collects those unknown to SPDX."""
    found = stanzas(copyright_text)
    if not found:
        ref = "LicenseRef-" + reference(package, "copyright")
        refs[ref] = {"licenseId": ref, "name": package, "extractedText": copyright_text}
        return ref
    terms = set()
    for name, text in found.items():
        choice = [term(part, package, text, refs)
                  for part in re.split(r",? +or +", name, flags=re.I) if part]
        terms.add(choice[0] if len(choice) == 1 else f"({' OR '.join(choice)})")
    return " AND ".join(sorted(terms))


FIELDS = ["Package", "Version", "source:Package", "Homepage", "Architecture"]


def package_items(names, refs, system):
    """Returns {name: its SPDX package}."""
    pattern = "\t".join("${%s}" % field for field in FIELDS) + "\n"
    lines = system.query("-W", "-f", pattern, *names).splitlines()
    return {line.split("\t")[0]: package_item(line.split("\t"), refs, system) for line in lines}


def package_item(fields, refs, system):
    name, version, source, homepage, architecture = fields
    text = system.read(f"/usr/share/doc/{name}/copyright").decode("utf-8", "replace")
    licence = expression(name, text, refs)
    return {
        "SPDXID": "SPDXRef-" + reference("Package", name), "name": name, "versionInfo": version,
        "supplier": "Organization: Debian", "downloadLocation": NONE, "filesAnalyzed": False,
        "sourceInfo": f"built from Debian's source package {source}",
        "licenseConcluded": NONE, "licenseDeclared": licence, "copyrightText": NONE,
        **({"homepage": homepage} if homepage else {}),
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": purl(name, version, architecture)}]}


def purl(name, version, architecture):
    """Returns the package URL of a Debian package."""
    def quoted(text):
        return text.replace("+", "%2B").replace(":", "%3A")
    return f"pkg:deb/debian/{quoted(name)}@{quoted(version)}?arch={architecture}"


def file_item(entry, licence):
    return {
        "SPDXID": "SPDXRef-" + reference("File", entry.path), "fileName": "./" + entry.path,
        "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(entry.data).hexdigest()},
                      {"algorithm": "SHA256",
                       "checksumValue": hashlib.sha256(entry.data).hexdigest()}],
        "licenseConcluded": NONE, "licenseInfoInFiles": licence_ids(licence),
        "copyrightText": NONE}


def add_files(package, files):
    """Returns SPDX's fields for a package with files: filesAnalyzed and the verification code."""
    sums = sorted(item["checksums"][0]["checksumValue"] for item in files)
    package["filesAnalyzed"] = bool(files)
    if files:
        package["packageVerificationCode"] = {
            "packageVerificationCodeValue": hashlib.sha1("".join(sums).encode()).hexdigest()}
        package["licenseInfoFromFiles"] = licence_ids(package["licenseDeclared"])


def licence_ids(licence):
    return sorted(set(re.split(r" AND | OR ", licence.replace("(", "").replace(")", ""))))


@dataclasses.dataclass(frozen=True)
class Subject:
    """What a document describes."""
    name: str
    version: str
    digest: str  # "sha256:..." of an image's manifest or of a file
    purpose: str = "CONTAINER"  # SPDX's primary purpose


def document(subject, created, entries, linked, system=rootfs.MACHINE):
    """Returns the document for JSON.

    created is the commit's time in RFC 3339, linked the packages whose archives are in the program.
    """
    name, version = subject.name, subject.version
    refs = {}
    ours = {
        "SPDXID": "SPDXRef-Package-capstan", "name": name, "versionInfo": version,
        "supplier": "Organization: capstan", "downloadLocation": NONE, "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": NONE,
        "primaryPackagePurpose": subject.purpose,
        "checksums": [{"algorithm": "SHA256", "checksumValue": subject.digest.removeprefix("sha256:")}]}
    built_in = set(rootfs.owners(HEADERS, system).values()) | set(linked)
    names = {entry.package for entry in entries} - {""} | built_in
    packages = {"": ours, **package_items(sorted(names), refs, system)}
    files, relations = [], [("SPDXRef-DOCUMENT", "DESCRIBES", ours["SPDXID"])]
    for name_of, package in packages.items():
        # A link has no content.
        own = [file_item(entry, package["licenseDeclared"]) for entry in entries
               if entry.package == name_of and not entry.target]
        add_files(package, own)
        files += own
        relations += [(package["SPDXID"], "CONTAINS", item["SPDXID"]) for item in own]
        if name_of:
            kind = "STATIC_LINK" if name_of in built_in else "CONTAINS"
            relations.append((ours["SPDXID"], kind, package["SPDXID"]))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{version}",
        "documentNamespace": f"https://capstan.dev/spdx/{name}/{subject.digest.replace(':', '-')}",
        "creationInfo": {"created": created, "creators": ["Tool: hack/image"]},
        "packages": list(packages.values()), "files": files,
        "hasExtractedLicensingInfos": [refs[ref] for ref in sorted(refs)],
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                          for a, kind, b in relations]}
