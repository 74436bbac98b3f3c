# SPDX-License-Identifier: Apache-2.0
"""Makes an input smaller while a condition holds: delta debugging."""

BATCH_BYTES = 1 << 20  # of candidates at a time
BYTES_MAX = 32 << 20  # of all candidates: a long input has too many of them


def shrunk(text, split, failing):
    """Returns a small input for which the condition still holds. It first drops tokens, then bytes.

    failing(inputs) returns for each input whether the condition holds.
    """
    for parts_of in (split, lambda value: [value[i:i + 1] for i in range(len(value))]):
        text = smaller(parts_of(text), failing)
    return text


def smaller(parts, failing):
    size = max(1, len(parts) // 2)
    rest = BYTES_MAX
    while parts and rest > 0:
        kept, tried = first_failing(parts, size, failing)
        rest -= tried
        if kept is not None:
            parts = kept
            size = min(size, max(1, len(parts)))
        elif size > 1:
            size //= 2
        else:
            break
    return b"".join(parts)


def first_failing(parts, size, failing):
    """Returns the parts without `size` of them, such that the condition holds, and how many bytes it took."""
    starts = range(0, len(parts), size)
    length = max(1, sum(map(len, parts)))
    step = max(1, BATCH_BYTES // length)
    last = min(len(starts), max(step, BYTES_MAX // length))
    for first in range(0, last, step):
        candidates = [parts[:start] + parts[start + size:] for start in starts[first:first + step]]
        results = failing([b"".join(candidate) for candidate in candidates])
        kept = next((candidate for candidate, fails in zip(candidates, results) if fails), None)
        if kept is not None:
            return kept, (first + step) * length
    return None, last * length
