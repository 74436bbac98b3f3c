# SPDX-License-Identifier: Apache-2.0
"""Makes an input smaller while a condition holds: delta debugging."""

ROUNDS_MAX = 200


def shrunk(text, split, failing):
    """Returns a small input for which the condition still holds. It first drops tokens, then bytes.

    failing(inputs) returns for each input whether the condition holds.
    """
    for parts_of in (split, lambda value: [value[i:i + 1] for i in range(len(value))]):
        text = smaller(parts_of(text), failing)
    return text


def smaller(parts, failing):
    size = max(1, len(parts) // 2)
    for _ in range(ROUNDS_MAX):
        starts = list(range(0, len(parts), size))
        candidates = [parts[:start] + parts[start + size:] for start in starts]
        if not candidates:
            break
        results = failing([b"".join(candidate) for candidate in candidates])
        kept = next((candidate for candidate, fails in zip(candidates, results) if fails), None)
        if kept is not None:
            parts = kept
            size = min(size, max(1, len(parts)))
        elif size > 1:
            size //= 2
        else:
            break
    return b"".join(parts)
