# SPDX-License-Identifier: Apache-2.0
"""The differences from Go that are intended. docs/differences.md has a row with the reason for each."""

import fractions
import math
import re

REFUSED = "refused"


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


# PAIR: {ROW: condition}. ROW is the first column of docs/differences.md.
ACCEPTED = {
    "quantity": {
        "quantity-negative": is_rounded_towards_zero,
        "quantity-range": is_beyond_range,
    },
    "duration": {
        "duration-overflow": lambda case: case.ours == REFUSED and duration_nanoseconds(case.text) >= 2**63,
    },
    "label_selector": {
        "selector-nul": lambda case: case.ours == REFUSED and b"\0" in case.text,
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
