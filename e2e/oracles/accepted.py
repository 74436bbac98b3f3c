# SPDX-License-Identifier: Apache-2.0
"""The differences from Go that are intended. docs/differences.md has a row with the reason for each."""

import fractions
import json
import math
import re

import accepted_cel
import messages

REFUSED = "refused"
NO_OBJECT = "no object"  # the answer for a patch of something else than a JSON object


class Case:
    """An input on which the two readers differ, and their answers."""

    def __init__(self, text, go, ours):
        self.text, self.go, self.ours = text, go, ours


def duration_nanoseconds(text):
    """Returns the sum of a duration's terms, which Go counts modulo 2**64; 0 for other texts."""
    units = {"ns": 1, "us": 10**3, "\xb5s": 10**3, "\u03bcs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
    terms = re.findall(r"(\d*)\.?\d*(ns|us|\xb5s|\u03bcs|ms|s|m|h)", text.decode("utf-8", "replace"))
    return sum(int(number or "0") * units[unit] for number, unit in terms)


def year_of(answer):
    """Returns the year in the last word of an answer with a time."""
    return int(re.match(r"-?\d+", answer.split()[-1]).group()) if answer != REFUSED else 0


def amount_of(text):
    """Returns the exact amount of a quantity; None for other texts."""
    match = re.fullmatch(rb"([+-]?)(\d*)\.?(\d*)(?:([numkMGTPE]?)|([KMGTPE]i)|[eE]([+-]?\d{1,3}))", text)
    if match is None:
        return None
    sign, whole, part, decimal, binary, exponent = (group.decode() if group else "" for group in match.groups())
    amount = fractions.Fraction(int(whole + part or "0"), 10**len(part)) * (-1 if sign == "-" else 1)
    if binary:
        return amount * 1024**("KMGTPE".index(binary[0]) + 1)
    power = int(exponent) if exponent else 3 * ("num kMGTPE".index(decimal or " ") - 3)
    return amount * fractions.Fraction(10)**power


def is_beyond_range(case):
    """Returns whether a quantity is so large that it, or its thousandths, is the largest number."""
    amount = amount_of(case.text)
    if amount is None or abs(amount) * 1000 < 2**63 - 1:
        return False
    sign, largest = (-1 if amount < 0 else 1), 2**63 - 1
    value = sign * min(largest, math.ceil(abs(amount)))
    # The smallest number is one more than the largest.
    return case.ours.endswith((f" value={value} milli={sign * largest}", f" value={value} milli={-2**63}"))


def is_rounded_towards_zero(case):
    """Returns whether only values of a negative quantity differ, because Go rounds them towards zero."""
    amount = amount_of(case.text)
    if amount is None or amount >= 0 or case.go.split()[0] != case.ours.split()[0]:
        return False
    value, milli = math.floor(amount), math.floor(amount * 1000)
    return case.ours.endswith(f" value={value} milli={milli}")


def has_invalid_text(text):
    """Returns whether JSON has bytes that are not UTF-8, or an escape of half a surrogate pair."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return True
    first = None  # the end of the escape of a first half before this one
    for escape in re.finditer(rb"\\(?:u([0-9a-fA-F]{4})|.)", text, re.S):
        unit = int(escape.group(1) or b"0", 16)
        second = 0xdc00 <= unit < 0xe000
        if (first is not None and (not second or first != escape.start())) or (first is None and second):
            return True
        first = escape.end() if 0xd800 <= unit < 0xdc00 else None
    return first is not None


def is_refused_text(case):
    return case.ours in (REFUSED, NO_OBJECT) and has_invalid_text(case.text)


def depth_of(text):
    """Returns how deep the brackets of JSON are nested."""
    depth = deepest = 0
    for bracket in re.sub(rb'"(?:[^"\\]|\\.)*"', b"", text, flags=re.S):
        if bracket in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif bracket in b"]}":
            depth -= 1
    return deepest


def is_deep(case):
    return case.go == REFUSED and case.ours != REFUSED and 10000 < depth_of(case.text) <= 10100


def differ_in_last_digits(go, ours, tolerance):
    """Returns whether two values of JSON are equal except for the last digits of fractions."""
    if type(go) is not type(ours):
        return False
    if isinstance(go, dict):
        return go.keys() == ours.keys() and all(differ_in_last_digits(go[key], ours[key], tolerance) for key in go)
    if isinstance(go, list):
        return len(go) == len(ours) and all(differ_in_last_digits(*pair, tolerance) for pair in zip(go, ours))
    if isinstance(go, float):
        return math.isclose(go, ours, rel_tol=tolerance, abs_tol=1e-323)
    return go == ours


def has_other_last_digits(case):
    """Returns whether a number with more digits than a double has, or a large exponent, differs in the last ones."""
    if REFUSED in (case.go, case.ours) or not re.search(rb"[\d.]{16}|[eE][+-]?\d\d", case.text):
        return False
    # Each digit may add half a unit in the last place.
    tolerance = max(16, *map(len, re.findall(rb"[\d.]+", case.text))) * 2**-53
    try:
        return differ_in_last_digits(json.loads(case.go), json.loads(case.ours), tolerance)
    except ValueError:
        return False


def has_large_part(case):
    """Returns whether a number has more than 308 digits and a negative exponent, or is a zero with a large exponent."""
    large = rb"\d{309}[\d.]*[eE]-|(?<![\d.eE])0(\.0*)?[eE]\+?\d{3}"
    return case.ours == REFUSED != case.go and re.search(large, case.text) is not None


def is_test_of_text(case):
    """Returns whether a JSON patch tests a value that is equal, but has another text or form in Go's library."""
    if case.go != REFUSED or case.ours in (REFUSED, NO_OBJECT):
        return False
    operations = json.loads(case.text.split(b"\0", 1)[1])
    if not any(operation.get("op") == "test" for operation in operations):
        return False
    sets_null = any(operation.get("op") in ("add", "copy", "move", "replace") and operation.get("value") is None
                    for operation in operations)
    return sets_null or re.search(rb"\\|\d[.eE]|-0", case.text) is not None


def authority_of(url):
    """Returns what is between the scheme and the path of a URL, as in "user@host:1"."""
    return re.split(rb"[/?#]", re.sub(rb"^[A-Za-z][A-Za-z0-9+.-]*://", b"", url, count=1), maxsplit=1)[0]


def has_other_letters(text):
    """Returns whether a text, or what "plain" made of it, is not ASCII."""
    return re.search(rb"[\x80-\xff]|%[89A-F][0-9A-F]", text) is not None


def host_is_not_ascii(answer):
    """Returns whether an answer names a server or proxy, "https HOST PORT", that is not ASCII."""
    return any(has_other_letters(host.encode()) for host in re.findall(r"(?:http|https|socks5h?) (\S+) \d+", answer))


def is_utf8(text):
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def proxy_case(case):
    """Returns the URL of the server and the one of the proxy in an input of the pair no_proxy."""
    parts = (case.text.split(b"\0", 3) + [b""] * 3)[:4]
    return parts[0], parts[2] if parts[0].lower().startswith(b"https://") else parts[3]


def is_other_proxy_scheme(case):
    """Returns whether the proxy is an https or SOCKS proxy."""
    match = re.match(r"(?:invalid user: )?(https|socks5h?) ", case.go)
    return (case.ours == REFUSED and match is not None
            and proxy_case(case)[1].lower().startswith(match[1].encode() + b"://"))


def has_other_user(case):
    """Returns whether the user or password of the proxy has characters that must be %XX."""
    proxy = proxy_case(case)[1]
    if case.go.startswith("invalid user: "):
        return b"@" in authority_of(proxy) and case.ours in (case.go[len("invalid user: "):], REFUSED)
    authority = authority_of(proxy)
    return (case.ours == REFUSED and case.go.startswith("http ")
            and b"@" in proxy[proxy.index(authority) + len(authority):])


def has_invalid_proxy(case):
    """Returns whether Go ignores the proxy, or reads it as the host "http", because it is no URL."""
    plain = re.fullmatch(rb"(http://)?[A-Za-z0-9][A-Za-z0-9.-]*(:\d+)?/?", proxy_case(case)[1])
    return case.ours == REFUSED and case.go == "invalid proxy" and plain is None


def has_other_token(case):
    """Returns whether a credential has white space around it, or characters that are not ASCII."""
    token = re.search(r"token=(\S+)|authorization:%20\w+%20(\S+)", case.go)
    token = token[1] or token[2] if token else ""
    return case.ours == REFUSED and (has_other_letters(token.encode()) or re.search(r"^%20|%20$|%09", token) is not None)


def has_rest(case):
    """Returns whether text follows the end of a YAML document, which Go ignores. Go does not see the key in "[]:" and "[?a]:"."""
    if case.go == REFUSED:
        return False
    end = rb"(?s)(?:[\]}\"'\r\n]|[!&]\S*[ \t]|&[\w-]+(?=[^\w\s-])|\xc2\x85|\xe2\x80[\xa8\xa9]).*\S"
    rest = case.ours == REFUSED + ": text after the document" and re.search(end, case.text) is not None
    brackets = rb"(?:\[\s*\]|\{\s*\}|[\[{]\s*\?[^\r\n]*[\]}])\s*[^\s,#\]}]"
    return rest or (case.ours == REFUSED and re.search(brackets, case.text) is not None)


def has_inner_mark(case):
    """Returns whether YAML has a byte order mark that is not its first character. Go reads it as text."""
    return not case.ours.startswith("ended") and b"\xef\xbb\xbf" in case.text[1:]


def has_one_of(go, ours):
    """Returns whether ours is Go's answer with one of each list of choices."""
    if isinstance(go, dict) and list(go) == ["any of"]:
        return any(has_one_of(choice, ours) for choice in go["any of"])
    if type(go) is not type(ours):
        return False
    if isinstance(go, dict):
        return go.keys() == ours.keys() and all(has_one_of(go[key], ours[key]) for key in go)
    if isinstance(go, list):
        return len(go) == len(ours) and all(has_one_of(*pair) for pair in zip(go, ours))
    return go == ours


def has_equal_keys(case):
    """Returns whether a map has keys such as 1 and "1", of which Go keeps a random one."""
    if not case.go.startswith("any of: "):
        return False
    if case.ours == REFUSED:
        return '"no JSON"' in case.go
    try:
        return has_one_of(json.loads(case.go[len("any of: "):]), json.loads(case.ours))
    except ValueError:
        return False


# A quoted scalar with the colon that makes it a key.
QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*"(?:\s*:)?|\'(?:[^\']|\'\')*\'(?:\s*:)?', re.DOTALL)
# A plain scalar, whose inner quotes and spaces belong to it, or anything else.
UNQUOTED = re.compile(rb"(?P<plain>[^\s,\[\]{}]+(?:(?<!:)\s+[^\s,\[\]{}]+)*)|\s+|.", re.DOTALL)


def has_flow_colon(case):
    """Returns whether a plain scalar in brackets ends with a colon, such as {a:}, where Go reads the key "a:"."""
    if case.ours != REFUSED or case.go == REFUSED:
        return False
    in_brackets, position = False, 0
    while position < len(case.text):
        token = QUOTED.match(case.text, position) or UNQUOTED.match(case.text, position)
        text, position = token.group(), token.end()
        if in_brackets and token.lastgroup == "plain" and len(text) > 1 and (
                b":?" in text or text.endswith(b":") and case.text[position:position + 1] in (b",", b"[", b"]", b"{", b"}")):
            return True
        in_brackets = in_brackets or text in (b"[", b"{")
    return False


def has_tag_of_brackets(case):
    """Returns whether a tag of YAML contains a comma or a square bracket, such as !a,b."""
    return case.ours == REFUSED != case.go and re.search(rb"!\S*[,\[\]]", case.text) is not None


def has_long_version(case):
    """Returns whether a directive %YAML has a number of three digits or more, such as 1.001."""
    return case.go == REFUSED != case.ours and re.search(rb"%YAML[ \t]+(\d{3,}\.|\d+\.\d{3})", case.text) is not None


def has_escape_of_json(case):
    """Returns whether YAML in double quotes has an escape that only Go (of a quote) or only capstan (of a slash) reads."""
    if (case.go == REFUSED) == case.ours.startswith(REFUSED):
        return False
    return re.search(rb'"(?s:.*)\\/' if case.go == REFUSED else rb'"(?s:.*)\\\'', case.text) is not None


def maps_of(value):
    """Yields all maps in a value of JSON."""
    if isinstance(value, dict):
        yield value
    for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from maps_of(member)


def without(value, names):
    """Returns the value of JSON without the members that have one of the names."""
    if isinstance(value, dict):
        return {name: without(member, names) for name, member in value.items() if name not in names}
    if isinstance(value, list):
        return [without(element, names) for element in value]
    return value


def is_random_order(case):
    """Returns whether only lists differ that a strategic merge patch both changes and deletes items from."""
    prefix = "$deleteFromPrimitiveList/"
    try:
        patch = json.loads(case.text.split(b"\0")[-1])
        names = {name for map_ in maps_of(patch) for name in map_ if prefix + name in map_}
        return bool(names) and (REFUSED in (case.go, case.ours)
                                or without(json.loads(case.go), names) == without(json.loads(case.ours), names))
    except ValueError:
        return False


def has_null_metadata(case):
    """Returns whether a configuration sets metadata to null, so that Go's fixture cannot store managers in it."""
    if case.ours in (REFUSED, NO_OBJECT):
        return False
    configurations = [json.loads(part) for part in case.text.split(b"\0", 3)[1:] if part]
    return any(configuration.get("metadata", "") is None for configuration in configurations)


def has_no_name(case):
    """Returns whether an object is refused that has no name."""
    try:
        metadata = json.loads(case.text).get("metadata")
    except ValueError:
        return False
    return case.ours.startswith(REFUSED) and not (isinstance(metadata, dict) and metadata.get("name"))


def has_no_type(case):
    """Returns whether an object is refused that no path of the API has, or only a subresource."""
    try:
        kind = json.loads(case.text).get("kind")
    except ValueError:
        return False
    return case.ours == REFUSED and kind in KINDS_WITHOUT_TYPE


KINDS_WITHOUT_TYPE = ("Binding", "PartialObjectMetadata", "RangeAllocation", "Scale", "Status", "TokenRequest")


def differs_in_metadata(case):
    """Returns whether only times that are not set differ, and what an ObjectMeta does not keep, or check."""
    if case.go == REFUSED:
        return b'"managedFields"' in case.text or b'"selfLink"' in case.text
    try:
        return kept(json.loads(case.go)) == kept(json.loads(case.ours))
    except ValueError:
        return False


EPOCHS = ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z")  # of a required time that is not set


def has_time_that_is_not_set(case):
    """Returns whether only required times differ that are not set: null in Go, the first second of 1970 in capstan."""
    try:
        return without_epochs(json.loads(case.go)) == without_epochs(json.loads(case.ours))
    except ValueError:
        return False


def without_epochs(value):
    """Returns the value without members that are a time that is not set, null or []."""
    if isinstance(value, list):
        return [without_epochs(element) for element in value]
    if not isinstance(value, dict):
        return value
    return {key: without_epochs(member) for key, member in value.items()
            if member not in (*EPOCHS, None, []) and (key, member) != ("observedGeneration", 0)}


def kept(value, name=""):
    """Returns the value without what an ObjectMeta does not keep, and without members that have no value."""
    if isinstance(value, list):
        return [kept(element, name) for element in value]
    if not isinstance(value, dict):
        return value
    members = {key: kept(member, key) for key, member in value.items()}
    if name == "metadata":
        members = {key: member for key, member in members.items() if key not in ("managedFields", "selfLink")}
    empty = (None, False, "") if name == "ownerReferences" else (None,)
    members = without_epochs(members)
    return {key: member for key, member in members.items()
            if member not in empty and member != [] and (key != "spec" or name or member != {})}


# The rows about YAML that also apply to other pairs. Their answers do not show why capstan refuses an input.
YAML_ROWS = {
    "yaml-escape": has_escape_of_json,
    "yaml-flow-colon": has_flow_colon,
    "yaml-mark": has_inner_mark,
    "yaml-tag": has_tag_of_brackets,
    "yaml-version": has_long_version,
}

JSON_ROWS = {
    "json-utf8": is_refused_text,
    "json-depth": is_deep,
    "json-digits": has_other_last_digits,
    "json-exponent": has_large_part,
}


def is_zero(value):
    """Returns whether a value of JSON has nothing but zero values."""
    if isinstance(value, dict):
        return all(map(is_zero, value.values()))
    return value in (None, False, 0, "", "0", "0s") or value == []


def is_same(go, ours):
    return type(go) is type(ours) and go == ours


def is_same_or_merged(go, ours):
    """Returns whether a value is the same, or one that Go merges: raw JSON, a quantity, a time."""
    return go == ours or ours is None or isinstance(ours, (str, int)) or type(ours) is not type(go)


def has_no_other_members(go, ours, same=is_same):
    """Returns whether Go's value is ours and more members, which are zero."""
    if isinstance(go, dict) and isinstance(ours, dict):
        return set(ours) <= set(go) and all(
            has_no_other_members(value, ours[key], same) if key in ours else is_zero(value)
            for key, value in go.items())
    if isinstance(go, list) and isinstance(ours, list):
        return len(go) == len(ours) and all(has_no_other_members(*pair, same) for pair in zip(go, ours))
    return same(go, ours)


def has_missing_fields(case):
    """Returns whether only zero values differ, which Go adds for fields that are not there."""
    try:
        return has_no_other_members(json.loads(case.go), json.loads(case.ours))
    except ValueError:
        return False


def has_zero_object(answer):
    """Returns whether an answer is an object of which only the kind is known."""
    if answer == REFUSED:
        return False
    return all(is_zero(value) for name, value in json.loads(answer).items() if name not in ("kind", "apiVersion"))


def has_other_envelope(case):
    """Returns whether the envelope has two objects, or its kind after its object."""
    data, at, found = case.text[len(messages.PREFIX):], 0, []
    sizes = {messages.FIXED64: 8, messages.FIXED32: 4, messages.GROUP: 0, messages.END_GROUP: 0}
    try:
        while at < len(data):
            tag, at = messages.read_varint(data, at)
            found.append(tag >> 3)
            if tag & 7 in sizes:
                at += sizes[tag & 7]
            else:
                value, at = messages.read_varint(data, at)
                at += value if tag & 7 == messages.BYTES else 0
    except IndexError:
        pass
    return found.count(messages.RAW) > 1 or (
        messages.RAW in found and 1 in found[found.index(messages.RAW):])


def has_repeated_field(message):
    """Returns whether a message has a field twice that is bytes, and not the next one again."""
    seen = set()
    for number, kind, value in message:
        if kind == messages.BYTES:
            if number in seen or (isinstance(value, list) and has_repeated_field(value)):
                return True
            seen.add(number)
    return False


def is_merged_value(case):
    """Returns whether only values differ that Go merges from several fields: raw JSON, quantities, times."""
    message = messages.fields(case.text[len(messages.PREFIX):], 1 << 29, exact=False)
    if message is None or not has_repeated_field(message) or case.go == REFUSED:
        return False
    return "invalid JSON" in case.ours or "IntOrString.Type" in case.ours or (
        not case.ours.startswith(REFUSED) and has_no_other_members(
            json.loads(case.go), json.loads(case.ours), is_same_or_merged))


# PAIR: {ROW: condition}. ROW is the first column of docs/differences.md.
ACCEPTED = {
    "protobuf": {
        "protobuf-kind": lambda case: case.ours.endswith("are not known"),
        "protobuf-missing": has_missing_fields,
        "protobuf-no-object": lambda case: case.ours.startswith("refused: stream ended inside") and has_zero_object(case.go),
        "protobuf-envelope": has_other_envelope,
        "protobuf-map-entry": lambda case: case.ours.endswith("malformed map entry"),
        "protobuf-empty-raw": lambda case: case.go == REFUSED and b"\n\0" in case.text and "null" in case.ours,
        "protobuf-repeated": is_merged_value,
        "json-utf8": lambda case: case.ours.endswith(("not UTF-8", "unpaired surrogate")),
        "time-year": lambda case: case.ours.endswith("a year that is not 0 to 9999"),
    },
    "json": JSON_ROWS,
    "cel": accepted_cel.ROWS | {"json-utf8": lambda case: not is_utf8(case.text) or is_refused_text(case)},
    "apply": {
        "apply-null-metadata": has_null_metadata,
        "json-utf8": is_refused_text,
    },
    "merge_patch": {
        "json-utf8": is_refused_text,
    },
    "strategic_patch": {
        "json-utf8": is_refused_text,
        "strategic-patch-delete": is_random_order,
    },
    "json_patch": {
        "json-patch-test": is_test_of_text,
        "json-utf8": is_refused_text,
    },
    "quantity": {
        "quantity-negative": is_rounded_towards_zero,
        "quantity-range": is_beyond_range,
    },
    "duration": {
        "duration-overflow": lambda case: case.ours == REFUSED and duration_nanoseconds(case.text) >= 2**63,
    },
    "exec": {
        "exec-utf8": lambda case: case.ours == REFUSED and case.text.lstrip(b" \t\r\n").startswith(b"{") and not is_utf8(case.text),
        "exec-spec": lambda case: case.go == "invalid spec: " + case.ours,
        "exec-space": lambda case: case.go == REFUSED and re.match(r"\s*[^\S\x00-\x7f]", case.text.decode("utf-8", "replace")) is not None,
        "token-text": has_other_token,
        "yaml-rest": has_rest,
        **YAML_ROWS,
    },
    "kubeconfig": {
        "kubeconfig-case": lambda case: case.go == REFUSED != case.ours and any(
            name not in (b"apiVersion", b"kind") for name in re.findall(
                rb"\b(apiversion|kind)[\"']?\s*:", case.text, re.IGNORECASE)),
        "kubeconfig-context": lambda case: case.ours == REFUSED and case.go.startswith("no context: "),
        "kubeconfig-empty-ca": lambda case: case.ours == REFUSED and " ca=- " in case.go and re.search(
            rb"certificate-authority[\"']?\s*:", case.text) is not None,
        "kubeconfig-file": lambda case: case.go == REFUSED and re.match(r"(proxy \S+ \S+ \S+ )?http ", case.ours) is not None and re.search(
            rb"certificate-authority|client-(certificate|key)", case.text) is not None,
        "kubeconfig-user": lambda case: case.ours == REFUSED and case.go.startswith("no user: "),
        "proxy-scheme": lambda case: case.ours == REFUSED and re.match(r"proxy (https|socks5) ", case.go) is not None,
        "token-text": has_other_token,
        "url-not-ascii": lambda case: case.ours == REFUSED and host_is_not_ascii(case.go),
        "url-user": lambda case: case.ours == REFUSED and case.go == "extra" and b"@" in case.text,
        "yaml-rest": has_rest,
        **YAML_ROWS,
    },
    "no_proxy": {
        "proxy-invalid": has_invalid_proxy,
        "proxy-scheme": is_other_proxy_scheme,
        "proxy-user": has_other_user,
        "url-not-ascii": lambda case: (
            case.ours == "no server" and has_other_letters(authority_of(proxy_case(case)[0]))
            or case.ours == REFUSED and host_is_not_ascii(case.go)
            or case.go == "direct" and has_other_letters(case.text.split(b"\0")[1])),
        "url-user": lambda case: (
            case.ours == "no server" and case.go == "extra" and b"@" in authority_of(proxy_case(case)[0])),
    },
    "url": {
        "url-not-ascii": lambda case: case.ours == REFUSED and host_is_not_ascii(case.go),
        "url-user": lambda case: case.ours == REFUSED and case.go == "extra" and b"@" in authority_of(case.text),
    },
    "kinds": {
        "kind-of-subresource": has_no_type,
        "object-metadata": differs_in_metadata,
        "object-name": has_no_name,
        "time-not-set": has_time_that_is_not_set,
        **JSON_ROWS,
    },
    "label_selector": {
        "selector-nul": lambda case: case.ours == REFUSED and b"\0" in case.text,
    },
    "yaml": {
        "yaml-equal-keys": has_equal_keys,
        "yaml-rest": has_rest,
        **YAML_ROWS,
    },
    "time": {
        "time-year": lambda case: case.ours == REFUSED and year_of(case.go) not in range(10000),
    },
}


def explain(pair, case):
    """Returns the row that explains the difference, or None."""
    for row, holds in ACCEPTED.get(pair, {}).items():
        if holds(case):
            return row
    return None
