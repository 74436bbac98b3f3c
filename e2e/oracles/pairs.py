# SPDX-License-Identifier: Apache-2.0
"""The pairs of readers that are compared, one for each mode of the two programs."""
import dataclasses
import json
import os
import re

CORPUS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "corpus")
# The witnesses of a pair, where they are long.
WITNESSES = os.path.join(CORPUS, "..", "witnesses")
WORDS_AND_BYTES = r"[A-Za-z_]+|[0-9]+|."


@dataclasses.dataclass
class Pair:
    """A pair of readers, and what its inputs are made of."""
    name: str
    words: list            # what a mutation adds
    witnesses: list        # inputs that every reader must tell apart
    clean: bool = False    # without known faults, so .ci/run compares it
    tokens: str = WORDS_AND_BYTES
    json: bool = False     # the answers are JSON, in any order and form
    forged: bool = False   # inputs are descriptions, from which the mode "forge" of the peer makes inputs
    trees: bool = False    # half of the inputs are made by changing whole values of JSON
    maker: str = ""        # the mode of the peer that makes objects, from which the inputs are made
    messages: bool = False  # inputs are made by changing fields of protobuf
    empty_is_missing: bool = False  # null, [] and an empty spec mean the same as no member
    expressions: bool = False  # most inputs are random expressions of CEL
    schemas: bool = False  # inputs are random schemas with random objects
    documents: bool = False  # most inputs are made by changing whole values of a JSON document
    skip: str = ""         # inputs that Go does not answer in time
    corpus: list = dataclasses.field(default_factory=list)

    def skips(self, text):
        return bool(self.skip) and re.search(self.skip.encode(), text) is not None

    def same(self, go, ours):
        """Returns whether two answers with different texts mean the same. Ours may say why it is refused."""
        if go == "refused" and ours.startswith("refused: "):
            return True
        if not self.json:
            return False
        try:
            return self.meaning(go) == self.meaning(ours)
        except ValueError:
            return False

    def meaning(self, answer):
        value = exact(json.loads(answer))
        if self.empty_is_missing:
            value = without_empty(value)
            if value.get("spec") == {}:
                del value["spec"]
        return value


def without_empty(value):
    """Returns the value without members that are null or an empty list, as Go writes fields without a value."""
    if isinstance(value, dict):
        members = {key: without_empty(member) for key, member in value.items()}
        return {key: member for key, member in members.items() if member not in ([], (type(None), None))}
    return [without_empty(element) for element in value] if isinstance(value, list) else value


def exact(value):
    """Returns the value such that == is equality in JSON: 1, 1.0 and true differ."""
    if isinstance(value, dict):
        return {key: exact(member) for key, member in value.items()}
    if isinstance(value, list):
        return [exact(element) for element in value]
    return type(value), value


JSON_TOKENS = r'"[^"\\]*"|[0-9.eE+-]+|true|false|null|.'
JSON_WORDS = ["{}", "[]", "null", "1", '"x"', ",", ":", "{", "}", "[", "]", "1.0", "\0", '{"a":1}', "[1,2]"]
NUMBERS = ["0", "1", "9", "10", "00", "-", "+", ".", "1000", "1024", "9223372036854775807", "9223372036854775808",
           "18446744073709551616", "99999999999999999999999999999999", "0.5", "000000001", "1e3", "e", "E"]
HOSTS = ["localhost", "a.example", "example.com", "EXAMPLE.com", "10.0.0.1", "127.0.0.1", "::1", "[::1]", "fe80::1",
         "[fe80::1%25eth0]", "::ffff:127.0.0.1", "0x7f.1", "xn--a", "ä", ".", "..", "-", "_", "*", "*."]
URL_PARTS = ["http://", "https://", "HTTPS://", "socks5://", "//", "/", ":", ":443", ":6443", ":0", ":99999", "@",
             "user:pass@", "?", "#", "%", "%2F", "%00", "%zz", "[", "]", "\\", ";", " ", "/a", "/a/b/", "/../", "//"]

KUBECONFIG = """apiVersion: v1
kind: Config
current-context: a
clusters:
- name: a
  cluster:
    server: https://a
contexts:
- name: a
  context:
    cluster: a
    user: a
users:
- name: a
  user:
    token: t
"""

PAIRS = [
    Pair("quantity", clean=True, skip=r"[eE][+-]?\d{4}", words=NUMBERS + [
        "n", "u", "m", "k", "K", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "mi", "e", "e+", "e-", "e9",
        "E-9", "e999", "Zi", "inf", "0x"],
        witnesses=["1", "2", "1Ki", "", "1m", "0.1n"]),
    Pair("duration", clean=True, words=NUMBERS + ["ns", "us", "µs", "μs", "ms", "s", "m", "h", "d", "w", "1h", "1.5", "-1", "2562047h"],
        witnesses=["1s", "2s", "", "-1s", "1ns"]),
    Pair("time", clean=True, words=[
        "T", "t", "Z", "z", ":", "-", "+", ".", ",", "2026", "02", "29", "30", "31", "00", "60", "24", "23:59:60", "+01:00",
        "-00:00", "+23:59", "+24:00", "+14", "0000", "9999", "10000", "1677", "2262", "1970-01-01", "000000001", "5"],
        witnesses=["2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z", "", "2026-01-02T03:04:05.000001Z",
                   "2026-01-02T03:04:05+01:00"]),
    Pair("label_selector", clean=True, words=[
        "a", "b", "1", "2", "x.io/a", "in", "notin", "(", ")", ",", "=", "==", "!=", "!", ">", "<", "exists", "a in (1,2)",
        "!a", "a=1", "b notin (1)", "/", "-", "_", ".", "A", "a" * 63, "a" * 64, "x" * 250 + "/", " ", "-5"],
        witnesses=["a", "!a", "a=1", "a!=1", "a in (1,2)", "a>1", "(", "b"]),
    Pair("selector_of_kind", clean=True, documents=True, tokens=JSON_TOKENS, words=JSON_WORDS + [
        '"matchLabels":', '"matchExpressions":', '{"key":"a","operator":"In","values":["1"]}', '"operator":', '"Exists"',
        '"DoesNotExist"', '"NotIn"', '"In"', '"values":[]', '"values":["1","2"]', '"key":"x.io/a"', '"a":"1"', '"b":""'],
        witnesses=['{}', '{"matchLabels":{"a":"1"}}', '{"matchExpressions":[{"key":"a","operator":"Exists"}]}', '1',
                   '{"matchExpressions":[{"key":"a","operator":"NotIn","values":["1"]}]}']),
    Pair("field_selector", clean=True, words=[
        "metadata.name", "metadata.namespace", "spec.x", "=", "==", "!=", "!", ",", "\\", "\\,", "\\=", "\\\\", "a", "b", " "],
        witnesses=["metadata.name=a", "metadata.name!=a", "metadata.name=b", "metadata.namespace=a", "x"]),
    Pair("url", clean=True, words=HOSTS + URL_PARTS,
        witnesses=["https://a", "http://a", "https://b", "https://a:1", "https://a/b", "https://["]),
    Pair("no_proxy", clean=True, words=HOSTS + URL_PARTS + [
        "\0", ",", "10.0.0.0/8", "10.0.0.0/33", "::/0", "fe80::/10", "0.0.0.0/0", ".example.com", "*.example.com", "/8",
        "proxy:3128", "http://proxy:3128"],
        witnesses=["https://a\0\0http://p:1\0", "https://a\0\0http://p:2\0", "https://a\0a\0http://p:1\0",
                   "https://a\0\0http://[\0", "http://[\0\0\0"]),
    Pair("json", clean=True, json=True, words=[
        "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"a\":", "null", "true", "false", "\\u0000", "\\ud800", "\\udc00",
        "\\n", "\\x", "\\", "\t", "1.0", "1e400", "-0", "01", "1e-400", "Infinity", "NaN", "/*", "'", "[" * 300, "]" * 300] + NUMBERS,
        witnesses=["1", "2", "\"1\"", "null", "{", "{\"a\":1}", "[1]", "1.0"]),
    Pair("json_patch", clean=True, json=True, tokens=JSON_TOKENS, words=JSON_WORDS + [
        '"op":', '"path":', '"from":', '"value":', '"add"', '"remove"', '"replace"', '"move"', '"copy"', '"test"', '"/a"', '"/a/b"',
        '"/a/c/0"', '"/a/c/-"', '"/a/c/-1"', '"/q"', '""', '"/"', '"/x~1y"', '"/e"', '{"op":"remove","path":"/a"},',
        '{"op":"copy","from":"/a","path":"/a/b"},', '{"op":"add","path":"/q","value":{"r":[]}},'],
        witnesses=['{}\0[{"op":"add","path":"/a","value":1}]', '{}\0[]', '{}\0x', 'x', '{}\0[{"op":"add","path":"/a","value":2}]']),
    Pair("merge_patch", clean=True, json=True, tokens=JSON_TOKENS, words=JSON_WORDS + ['"a":', '"b":', '"c":', '"d":', '"a":null,', '"b":{},'],
        witnesses=['{}\0{"a":1}', '{}\0{}', '{}\0x', 'x', '{"b":1}\0{"a":1}']),
    Pair("strategic_patch", clean=True, json=True, tokens=JSON_TOKENS, words=JSON_WORDS + [
        '"$patch":"delete"', '"$patch":"replace"', '"$patch":"merge"', '"$retainKeys":["name"]', '"$setElementOrder/containers":',
        '"$setElementOrder/finalizers":["y"]', '"$deleteFromPrimitiveList/finalizers":["x"]', '"spec":', '"metadata":',
        '"containers":', '"name":', '"a"', '"b"', '{"name":"a"},', '{"name":"b"},', '"finalizers":["z"],', '"volumes":', '"ports":'],
        witnesses=['Pod\0{}\0{"a":1}', 'Pod\0{}\0{}', 'Pod\0{}\0x', 'x', 'Service\0{"b":1}\0{"a":1}']),
    Pair("apply", clean=True, json=True, trees=True, tokens=r'[A-Za-z]+|' + JSON_TOKENS, words=JSON_WORDS + [
        "ConfigMap", "Deployment", "Service", '"metadata":{"name":"x"},', '"data":', '"a":"1"', '"b":"2",', '"spec":', '"replicas":3',
        '"template":', '"containers":', '{"name":"a","image":"i"}', '{"name":"b"},', '"ports":', '{"port":80}', '{"containerPort":80}',
        '"labels":{"a":"b"}', '"finalizers":["x"]', '"selector":{"a":"b"}', '"strategy":{"type":"Recreate"}', '"env":[{"name":"E"}]',
        '"protocol":"UDP"', '"ownerReferences":[{"uid":"1"}]', '"matchLabels":{"a":"b"}', '"metadata":null,', '"spec":null',
        '"clusterIPs":["1"]', '"conditions":[{"type":"A"}]', '"emptyDir":{}', '"volumes":[{"name":"v"}]'],
        witnesses=['ConfigMap\0{"data":{"a":"1"}}\0\0', 'ConfigMap\0{"data":{"a":"2"}}\0\0', 'ConfigMap\0\0\0{"data":{"a":"1"}}',
                   'ConfigMap\0x', 'x']),
    Pair("yaml", clean=True, json=True, words=[
        "a: ", "b: ", "- ", "-", "? ", ": ", "\n", "\n  ", "\n    ", "|", ">", "|-", ">+", "|2", "&a ", "*a", "<<: ", "!!str ",
        "!!int ", "!!float ", "!!binary ", "!!null ", "!!bool ", "!a ", "%YAML 1.1\n", "---\n", "...\n", "#", " #", "'", "\"",
        "{", "}", "[", "]", ",", "yes", "no", "on", "off", "y", "n", "True", "TRUE", "true", "~", "null", "Null", ".inf", "-.inf",
        ".nan", "0o7", "0644", "08", "0x1F", "0b11", "1_000", "1:30", "1.", ".5", "1e3", "1E+3", "+1", "2026-01-02",
        "2026-01-02T03:04:05Z", "=", "\t", "\\n", "\\x41", "\\u00e9", "aGk=", "''"] + NUMBERS,
        witnesses=["a", "b", "1", "'1'", "a: 1", "- a", "[", "", "1.5"]),
    Pair("exec", clean=True, words=JSON_WORDS + [
        '"apiVersion":', '"client.authentication.k8s.io/v1"', '"client.authentication.k8s.io/v1beta1"', '"kind":',
        '"ExecCredential"', '"status":', '"token":', '"expirationTimestamp":', '"2026-01-02T03:04:05Z"', '"clientCertificateData":',
        '"clientKeyData":', '"spec":', '"x":', "\n", "status:\n", "  token: ", "---\n", "Status", "TOKEN"],
        tokens=JSON_TOKENS, witnesses=[
            '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"a"}}',
            '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"b"}}',
            '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential"}']),
    Pair("kinds", clean=True, json=True, empty_is_missing=True, maker="make_json", documents=True, tokens=JSON_TOKENS,
         words=JSON_WORDS, witnesses=[
             '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"a"}]}}',
             '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"b"}]}}',
             '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":1}']),
    Pair("cel", clean=True, expressions=True, tokens=r"[A-Za-z_0-9]+|&&|\|\||.", words=NUMBERS + [
        "self", ".", "i", "s", "ints", "labels", "[", "]", "(", ")", "{", "}", ",", ":", "?", "&&", "||", "!", "==", "<", "+", "-",
        "*", "/", "%", "in", "has", "all", "map", "filter", "exists", "x", "true", "null", "''", "r'", "b'", "\\n", "1u", "size",
        ".?", "[?", "optional.none()", "type", "int", "string", "dyn", "//", "\"\"\"", "1.5", "duration('1h')"],
        witnesses=["1\0{}", "2\0{}", "self.i\0{\"i\":3}", "self.i\0{}", "x\0{}", "[1]\0{}", "1u\0{}"]),
    Pair("schema", clean=True, json=True, schemas=True, words=[], witnesses=[
        '{"schema":{"type":"object"},"object":{}}', '{"schema":{"type":"object","required":["a"]},"object":{}}',
        '{"schema":{"type":"object","required":["b"]},"object":{}}',
        '{"schema":{"type":"object","properties":{"a":{"type":"string","oneOf":[{},{}]}}},"object":{"a":"x"}}',
        '{"schema":{"type":"object","properties":{"a":{"type":"string","format":"uri"}}},"object":{"a":"x"}}', '1']),
    Pair("kubeconfig", clean=True, tokens=r"[A-Za-z-]+|[0-9]+|\n *|.", words=[
        "\0", "\n", "\n  ", "server: ", "https://a", "http://a", "a.example:6443", "token: ", "tokenFile: ", "token", "empty",
        "missing", "username: u", "password: p", "certificate-authority-data: ", "certificate-authority: ", "aGk=",
        "insecure-skip-tls-verify: true", "tls-server-name: b", "proxy-url: http://p", "as: u", "as-groups: [g]", "as-uid: x",
        "as-user-extra: {a: [b]}", "current-context: ", "current-context: a", "namespace: n", "{", "}", "[", "]", "null", "''",
        "true", "yes", "1", "- name: a", "contexts:", "clusters:", "users:", "cluster: a", "user: a", "context:",
        "exec: {apiVersion: client.authentication.k8s.io/v1, command: c, interactiveMode: Never}", "args: [x]", "./", "apiVersion: v1",
        "kind: Config", "auth-provider: {name: gcp}", "client-certificate-data: aGk=", "client-key-data: aGk=",
        "disable-compression: true", "extensions: []"],
        witnesses=["\0" + KUBECONFIG, "\0" + KUBECONFIG.replace("token: t", "token: u"), "b\0" + KUBECONFIG,
                   "\0" + KUBECONFIG.replace("https://a", "https://b"), "\0" + KUBECONFIG.replace("https", "http")]),
    Pair("protobuf", clean=True, json=True, maker="make_protobuf", messages=True, words=[], witnesses=[
        "k8s\0\n\r\n\2v1\22\7Service\22\2\n\0", "k8s\0\n\17\n\2v1\22\11Endpoints\22\2\n\0", "k8s\0",
        "k8s\0\n\r\n\2v1\22\7Service\22\5\n\3\n\1a"]),
    Pair("pem", clean=True, tokens=r"-----(?:BEGIN|END)[A-Z ]*-----|\n|[A-Za-z0-9+/]{8}|.", words=[
        "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n",
        "-----END CERTIFICATE-----\n", "-----BEGIN X509 CRL-----\n", "-----END X509 CRL-----\n", "-----BEGIN ", "-----END ",
        "-----", "----", "\n", "\n\n", "\r\n", " ", "\t", "=", "==", "A", "AAAA", "a: b\n", "Proc-Type: 4,ENCRYPTED\n", ":", "# a\n"],
        witnesses=[]),
    Pair("certificate", clean=True, forged=True, tokens=r"[a-z0-9]+[:=]|\s|[^\s=:]+|.", witnesses=[], words=[
        "name=", "chain=", "bundle=", "time=2026-06-01T00:00:00Z ", "root", "int", "leaf", "a.example", "b.example", "10.0.0.1",
        ",", "\n", " ", "\nint: ", "\nroot: ", "\nleaf: ", "by=root", "by=int", "by=leaf", "cn=a", "cn=", "key=ed", "key=rsa",
        "key=rsa1024", "key=p384", "key=p521", "keyof=root", "v1", "serial=-1", "serial=0", "serial=1234", "from=2026-07-01",
        "to=2026-02-01", "ca", "notca", "pathlen=0", "pathlen=1", "usage=sign", "usage=signature", "usage=data,crl",
        "eku=server", "eku=client", "eku=any", "eku=unknown", "dns=a.example", "dns=*.example", "dns=b.example",
        "ip=10.0.0.1", "email=a@example", "uri=https://a.example", "permit=example", "permit=.example", "permit=b.example",
        "exclude=example", "exclude=b.example", "permitip=10.0.0.0.255.0.0.0", "excludeip=10.0.0.0.255.0.0.0", "critical=1",
        "extension=1", "badsignature"] + [f"change={offset}" for offset in range(1, 400, 7)]),
]


def load_pairs():
    """Returns {name: pair}, with the corpus of each."""
    for pair in PAIRS:
        if not pair.corpus:
            pair.witnesses = load(os.path.join(WITNESSES, pair.name + ".jsonl")) or [
                text.encode() for text in pair.witnesses]
            pair.corpus = load(os.path.join(CORPUS, pair.name + ".jsonl"))
    return {pair.name: pair for pair in PAIRS}


def load(path):
    """Returns the inputs of a file with one JSON string a line, whose characters are bytes."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line).encode("latin-1") for line in file if line.strip()]
