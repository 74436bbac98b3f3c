# SPDX-License-Identifier: Apache-2.0
"""Writes the CycloneDX 1.5 document of an image or an archive from its SPDX document.

It has the same packages, versions, licences and files. Each package is a component with its files below it.
"""
import uuid


def licences(package):
    declared = package["licenseDeclared"]
    return {} if declared == "NOASSERTION" else {"licenses": [{"expression": declared}]}


def hashes(item):
    names = {"SHA1": "SHA-1", "SHA256": "SHA-256"}
    return [{"alg": names[sum["algorithm"]], "content": sum["checksumValue"]} for sum in item.get("checksums", [])]


def file_component(item):
    return {"type": "file", "bom-ref": item["SPDXID"], "name": item["fileName"].removeprefix("./"),
            "hashes": hashes(item)}


def component(package, files, kind="library"):
    found = {"type": kind, "bom-ref": package["SPDXID"], "name": package["name"],
             "version": package["versionInfo"], **licences(package),
             "supplier": {"name": package["supplier"].removeprefix("Organization: ")}}
    for reference in package.get("externalRefs", []):
        if reference["referenceType"] == "purl":
            found["purl"] = reference["referenceLocator"]
    if package.get("checksums"):
        found["hashes"] = hashes(package)
    if files:
        found["components"] = [file_component(item) for item in files]
    return found


def document(spdx):
    """Returns the document for JSON."""
    files = {item["SPDXID"]: item for item in spdx["files"]}
    inside = {}
    for relation in spdx["relationships"]:
        if relation["relatedSpdxElement"] in files:
            inside.setdefault(relation["spdxElementId"], []).append(files[relation["relatedSpdxElement"]])
    ours, *others = spdx["packages"]
    kind = "container" if ours["primaryPackagePurpose"] == "CONTAINER" else "application"
    parts = [component(package, inside.get(package["SPDXID"])) for package in others]
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, spdx["documentNamespace"])),
        "metadata": {"timestamp": spdx["creationInfo"]["created"],
                     "component": component(ours, inside.get(ours["SPDXID"]), kind)},
        "components": parts,
        "dependencies": [{"ref": ours["SPDXID"], "dependsOn": [part["bom-ref"] for part in parts]}]}
