# SPDX-License-Identifier: Apache-2.0
"""The differences of expressions of CEL that are intended: rows of docs/differences.md."""
import re


def value_of(answer):
    """Returns the value or the error of an answer without the costs."""
    return re.sub(r"^at most \d+, (?:cost \d+: )?", "", answer)


def is_older_name_of_label_key(case):
    """Returns whether the answers differ in what Kubernetes 1.35 renamed, and in nothing else."""
    older = value_of(case.go).replace("a valid label key", "a qualified name")
    return older != value_of(case.go) and older == value_of(case.ours)


def has_other_cost_of_global_matches(case):
    """Returns whether only the costs of an expression with a global call of matches differ."""
    return value_of(case.go) == value_of(case.ours) and re.search(rb"(?<![.\w])matches\(", case.text) is not None


# {ROW: condition}.
ROWS = {
    "cel-message": lambda case: re.search(r"refused: .*undeclared reference to '[\w.]+'", case.ours) is not None and re.search(
        rb"\b(duration|timestamp|google\.protobuf\.\w+)\s*\{", case.text) is not None,
    "cel-global-matches": has_other_cost_of_global_matches,
    "cel-qualified-name": is_older_name_of_label_key,
    "cel-quantity-limit": lambda case: re.search(
        rb"uantity\([^)]*(?:\d{29}|[eE]\+?\d\d)|sub\(-9223372036854775808\)", case.text) is not None,
    "cel-regexp-class": lambda case: "refused" in case.ours and re.search(rb"\\[pP]", case.text) is not None,
    "cel-map-order": lambda case: case.go == "random",
    "cel-panic": lambda case: case.go.startswith("panic: "),
}
