# SPDX-License-Identifier: Apache-2.0
"""The differences of expressions of CEL that are intended: rows of docs/differences.md."""
import math
import re


def has_other_float_of_quantity(case):
    """Returns whether floats of quantities differ in the last digits, and nothing else does."""
    number = r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?"
    if b"asApproximateFloat" not in case.text or re.sub(number, "", case.go) != re.sub(number, "", case.ours):
        return False
    pairs = zip(re.findall(number, case.go), re.findall(number, case.ours))
    return all(math.isclose(float(go), float(ours), rel_tol=1e-12) for go, ours in pairs)


def has_bytes_in_list(case):
    """Returns whether cel-go panics, because it looks for bytes in a list of constants."""
    return case.go == "error: other" and re.search(
        rb"self\.raw|bytes\(|[bB][rR]?['\"]", case.text) is not None and re.search(rb"\bin\s*\[", case.text) is not None


# {ROW: condition}.
ROWS = {
    "cel-bytes-in-list": has_bytes_in_list,
    "cel-map-keys": lambda case: case.ours == "error: other" and not case.go.startswith(("error", "refused")) and re.search(
        rb"\{[^}:]+:", case.text.partition(b"\0")[0]) is not None,
    "cel-message": lambda case: re.search(r"refused: .*undeclared reference to '[\w.]+'", case.ours) is not None and re.search(
        rb"\b(duration|timestamp|google\.protobuf\.\w+)\s*\{", case.text) is not None,
    "cel-unknown-field": lambda case: case.go == "error: other" and b"dyn(self" in case.text,
    "cel-map-order": lambda case: case.go == "random",
    "cel-quantity-float": has_other_float_of_quantity,
}
